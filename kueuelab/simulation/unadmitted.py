"""Telling a workload without quota what keeps it from being considered."""

from __future__ import annotations

from typing import Final

from kueuelab.queues import gated_by, is_on_hold
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.devices import says_the_same
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.workload import WorkloadState

__all__ = ["report_why_not_reserved", "why_not_reserved"]

#: What the scheduler found is kept until it looks again.
_FOUND_BY_SCHEDULER: Final = frozenset(
    {
        "WaitingForQuota",
        "NoMatchingFlavor",
        "ExceedsMaxQuota",
        "TopologyPlacementFailed",
        "WaitingForPreemptedWorkloads",
        "WaitingForPodsReady",
        "PendingEvaluation",
    }
)

_BYPASSED: Final = "Bypassed scheduling evaluation because an equivalent workload recently failed"

_WAITS_IN_QUEUE: Final = frozenset({"", "Deactivated", "PendingEvaluation", "Suspended", "Pending"})


def report_why_not_reserved(plane: ControlPlane, state: WorkloadState) -> bool:
    """Write ``QuotaReserved=False`` where the controller knows why; tell if it changed."""
    reason, message = why_not_reserved(plane, state)
    if not reason or says_the_same(plane, state, reason, message):
        return False
    return state.set_condition("QuotaReserved", "False", reason, message, plane.now)


def why_not_reserved(plane: ControlPlane, state: WorkloadState) -> tuple[str, str]:
    """Return the reason and message that the controller writes; empty where it knows none."""
    blocker = _queue_blocker(plane, state)
    if plane.gates["UnadmittedWorkloadsObservability"]:
        return _finer_reason(plane, state, blocker)
    return ("Inadmissible", blocker[1]) if blocker is not None else ("", "")


def _queue_blocker(plane: ControlPlane, state: WorkloadState) -> tuple[str, str] | None:
    local_queue = plane.objects.local_queues.get(state.queue_key)
    if local_queue is None:
        return "Misconfigured", f"LocalQueue {state.obj.queue_name} doesn't exist"
    if local_queue.stop_policy != "None":
        return "Suspended", f"LocalQueue {state.obj.queue_name} is inactive"
    name, queue = plane.queue_of(state)
    if queue is None:
        return "Misconfigured", f"ClusterQueue {name} doesn't exist"
    return None if queue.active else ("Suspended", f"ClusterQueue {name} is inactive")


def _finer_reason(
    plane: ControlPlane, state: WorkloadState, blocker: tuple[str, str] | None
) -> tuple[str, str]:
    """Return reason and message as the gate ``UnadmittedWorkloadsObservability`` has them."""
    condition = state.conditions.get("QuotaReserved")
    if not state.active:
        return "Deactivated", "The workload is deactivated"
    if condition is not None and is_on_hold(state):
        return condition.reason, condition.message
    if blocker is not None:
        return blocker
    problem = _misconfiguration(plane, state, plane.queue_of(state)[1])
    if problem is not None:
        return "Misconfigured", problem
    if gate := gated_by(state, plane.gates):
        return "AdmissionGated", f"Admission is gated by: {gate}"
    explicit = plane.gates["UnadmittedWorkloadsExplicitStatus"]
    reason = condition.reason if condition is not None else ""
    if plane.gates["SchedulingEquivalenceHashing"] and (
        explicit if condition is None else reason in _WAITS_IN_QUEUE
    ):
        found = plane.queues.no_fit_reason(state.key)
        if found is not None:
            return found, _BYPASSED
    if condition is not None and reason in _FOUND_BY_SCHEDULER:
        return reason, condition.message
    if condition is None and not explicit:
        return "", ""
    return "PendingEvaluation", "Workload is pending evaluation in the scheduling queue"


def _misconfiguration(
    plane: ControlPlane, state: WorkloadState, queue: QueueStatus | None
) -> str | None:
    if queue is None:
        return None
    found = obstacle(plane, state, queue.written.namespace_selector)
    return found.message if found is not None else None
