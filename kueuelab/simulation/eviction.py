"""Evicting workloads: by the scheduler, by a check, a timeout, a stopped queue, a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kueuelab.simulation import status
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.trace.steps import Evicted
from kueuelab.workload import WorkloadState

__all__ = ["evict", "release_quota"]

#: Evictions after which a workload may queue again at once.
_REQUEUED: Final = ("Preempted", "NodeFailures")


def evict(
    plane: ControlPlane,
    state: WorkloadState,
    reason: str,
    message: str,
    cause: str = "",
    *,
    prepare: Callable[[WorkloadState], None] | None = None,
    facts: Evicted | None = None,
) -> None:
    """Evict a workload; it keeps its quota until its pods are gone.

    Parameters
    ----------
    reason, message
        Of the condition ``Evicted``.
    cause
        Why a workload was deactivated, if Kueue did it.
    prepare
        What else to write in the same go.
    facts
        What to record, if more than reason and message.
    """
    if prepare is not None:
        prepare(state)
    full_reason = f"{reason}DueTo{cause}" if reason == "Deactivated" and cause else reason
    status.prepare_eviction(state, full_reason, message, plane.now)
    plane.tree.refresh_workload(state)
    plane.changed(state.key)
    if plane.recorder is not None:
        plane.record(facts or Evicted(full_reason, message), state.key)
    if state.admission is not None:
        plane.emit("Normal", f"EvictedDueTo{full_reason}", message, state.key)


def release_quota(plane: ControlPlane, state: WorkloadState) -> None:
    """Clear the reservation of an evicted workload whose pods are gone, as its job would."""
    evicted = state.conditions["Evicted"]
    now = plane.now
    requeued = evicted.reason in _REQUEUED and not _dies_with_its_pod(plane, state)
    status.set_requeued(state, requeued, evicted.reason, evicted.message, now)
    reason = status.unadmitted_reason(plane.gates, "PendingEvaluation", "Pending")
    status.unset_reservation(state, reason, evicted.message, plane.gates, now)
    plane.changed(state.key)
    plane.evicting.pop(state.key, None)


def _dies_with_its_pod(plane: ControlPlane, state: WorkloadState) -> bool:
    return plane.gates["SkipReassignmentForPodOwnedWorkloads"] and state.is_owned_by_single_pod
