"""The second pass: scheduling a workload that has quota, because its topology has to be found.

Either its pods were to be placed once its checks are ready, or a node that it was placed on
failed. See https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ and KEP-2724.
"""

from __future__ import annotations

from functools import partial

from kueuelab.queues import second_pass_backoff
from kueuelab.simulation import status
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.trace.steps import TimerFired
from kueuelab.workload import WorkloadState

__all__ = ["needs_second_pass", "queue_second_pass"]


def needs_second_pass(state: WorkloadState) -> bool:
    """Tell whether a workload with quota has to be scheduled again."""
    if state.admission is None or not (state.admission_checks or state.unhealthy_nodes):
        return False
    if state.is_finished or state.is_evicted or not state.has_quota_reservation:
        return False
    return _needs_delayed_assignment(state) or state.is_on_unhealthy_node


def _needs_delayed_assignment(state: WorkloadState) -> bool:
    return (
        bool(state.admission_checks)
        and not state.is_admitted
        and status.topology_pending(state)
        and status.all_checks_ready(state)
    )


def queue_second_pass(plane: ControlPlane, state: WorkloadState, iteration: int = 0) -> bool:
    """Let a workload wait for a second pass if it needs one; tell whether it begins to wait.

    ``iteration`` counts the passes that it had: the wait grows with them.
    """
    passes = plane.queues.second_passes
    if not needs_second_pass(state):
        if iteration > 0:
            passes.delete(state.key)
        return False
    if not passes.wait(state):
        return False
    due = plane.clock.now + second_pass_backoff(iteration + 1)
    action = partial(_end_wait, plane, state.key, iteration + 1)
    plane.clock.set_timer(("secondPass", state.key), due, action)
    return True


def _end_wait(plane: ControlPlane, key: str, iteration: int) -> None:
    if plane.recorder is not None and key in plane.queues.second_passes.waiting:
        plane.record(TimerFired("secondPass"), key)
    plane.queues.second_passes.end_wait(key, iteration)
