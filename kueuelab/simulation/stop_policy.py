"""Stopped queues: what becomes of the workloads that have quota from them."""

from __future__ import annotations

from kueuelab.simulation import status
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.eviction import evict
from kueuelab.workload import WorkloadState

__all__ = ["stopped_queue"]


def stopped_queue(plane: ControlPlane, state: WorkloadState) -> bool:
    """Act if the LocalQueue or the ClusterQueue is stopped or gone; tell whether it did.

    ``HoldAndDrain`` evicts the admitted. Those that only have quota lose it again in any
    queue that is stopped.
    """
    local_queue = plane.objects.local_queues.get(state.queue_key)
    name, queue = plane.queue_of(state)
    if state.is_admitted:
        if local_queue is not None and local_queue.stop_policy == "HoldAndDrain":
            return _drain(plane, state, "LocalQueue")
        if queue is not None and queue.written.stop_policy == "HoldAndDrain":
            return _drain(plane, state, "ClusterQueue")
        return False
    if local_queue is None:
        message = f"LocalQueue {state.obj.queue_name} is terminating or missing"
        return _lose_quota(plane, state, "Misconfigured", message)
    if local_queue.stop_policy != "None":
        message = f"LocalQueue {state.obj.queue_name} is stopped"
        return _lose_quota(plane, state, "Suspended", message)
    if queue is None or plane.objects.is_terminating("ClusterQueue", name):
        message = f"ClusterQueue {name} is terminating or missing"
        return _lose_quota(plane, state, "Misconfigured", message)
    if queue.stopped:
        return _lose_quota(plane, state, "Suspended", f"ClusterQueue {name} is stopped")
    return False


def _drain(plane: ControlPlane, state: WorkloadState, kind: str) -> bool:
    if state.is_evicted:
        return False
    evict(plane, state, f"{kind}Stopped", f"The {kind} is stopped")
    return True


def _lose_quota(plane: ControlPlane, state: WorkloadState, reason: str, message: str) -> bool:
    reason = status.unadmitted_reason(plane.gates, reason, "Inadmissible")
    if status.unset_reservation(state, reason, message, plane.gates, plane.now):
        plane.changed(state.key)
    return True
