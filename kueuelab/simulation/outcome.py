"""Applying what a scheduling cycle decided: reservations, preemptions, requeueing, events.

The order of effects is the order in which Kueue writes them. With
``waitForPodsReady.blockAdmission`` it may have to stop before an admission until all
pods are ready; that is why :func:`apply` is a generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kueuelab.model import Admission
from kueuelab.model.times import SECOND
from kueuelab.queues import RequeueReason
from kueuelab.scheduler import Cycle, Entry
from kueuelab.simulation import status
from kueuelab.simulation.admission_fair_sharing import charge_penalty
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.events import truncated_for_condition
from kueuelab.simulation.preempt import preempt
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.status_at_pop import StatusAtPop
from kueuelab.trace.steps import Admitted, Pending, QuotaReserved
from kueuelab.workload import WorkloadState

__all__ = ["CycleRecord", "apply"]


@dataclass(frozen=True, slots=True)
class CycleRecord:
    """A scheduling cycle as it is told afterwards.

    Attributes
    ----------
    number
        Counts cycles from 1; 0 where none was run, because another is still blocked.
    heads
        Keys of the workloads popped from the queues, sorted.
    entries
        Those nominated, in the order in which they were processed.
    inadmissible
        Those rejected before nomination, sorted by workload.
    blocked, resumed
        Whether it stopped to wait for pods, or is what went on after such a stop.
    """

    number: int
    heads: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    inadmissible: tuple[Entry, ...] = ()
    blocked: bool = False
    resumed: bool = False


def apply(plane: ControlPlane, cycle: Cycle) -> Iterator[Entry]:
    """Apply a finished cycle; yield an entry as long as its admission has to wait."""
    at_pop: dict[str, StatusAtPop] = {}
    for entry in cycle.processed:
        if entry.status == "assumed":
            if plane.not_ready:
                if not at_pop:
                    at_pop = _statuses_at_pop(cycle)
                _say_waiting(plane, entry, at_pop)
                while plane.not_ready:
                    yield entry
            _admit(plane, entry, at_pop)
        elif entry.preempting:
            preempt(plane, entry)
    for entry in cycle.entries:
        if entry.status not in ("assumed", "evicted"):
            _requeue(plane, entry, at_pop)
    for entry in cycle.inadmissible:
        _requeue(plane, entry, at_pop)


def _statuses_at_pop(cycle: Cycle) -> dict[str, StatusAtPop]:
    """Remember the heads as the scheduler took them, before others get to change them."""
    entries = (*cycle.entries, *cycle.inadmissible)
    return {entry.key: StatusAtPop(entry.workload) for entry in entries}


def _current(plane: ControlPlane, entry: Entry) -> WorkloadState | None:
    """Return the entry's workload unless it was deleted in the meantime."""
    state = plane.workloads.get(entry.key)
    return state if state is entry.workload else None


def _say_waiting(plane: ControlPlane, entry: Entry, at_pop: dict[str, StatusAtPop]) -> None:
    state = _current(plane, entry)
    if state is None:
        return
    reason = status.unadmitted_reason(plane.gates, "WaitingForPodsReady", "Waiting")
    message = "waiting for all admitted workloads to be in PodsReady condition"
    with at_pop[entry.key].written_over(state) as write:
        write.changed = status.unset_reservation(state, reason, message, plane.gates, plane.now)
    if write.changed:
        plane.changed(state.key)
        if plane.recorder is not None:
            plane.record(Pending(reason, message), state.key, entry.cluster_queue)


def _admit(plane: ControlPlane, entry: Entry, at_pop: dict[str, StatusAtPop]) -> None:
    """Reserve quota; admit at once if there is no check to wait for."""
    state = _current(plane, entry)
    assignment = entry.assignment
    if state is None or assignment is None:
        return
    queue = plane.statuses.get(entry.cluster_queue)
    if queue is None:
        entry.status = "nominated"
        entry.message = (
            f"Failed to admit workload: workload {state.key} could not be added to the cache"
        )
        return
    admission = assignment.to_admission(entry.cluster_queue)
    requests = state.requests
    if entry.key in at_pop:
        with at_pop[entry.key].written_over(state):
            _reserve(plane, state, admission, queue)
    else:
        _reserve(plane, state, admission, queue)
    plane.hold(state)
    plane.changed(state.key)
    if plane.recorder is not None:
        # It is in no queue any more, though its queues hear of that only afterwards.
        plane.recorder.change(("workloads", state.key, "queue"), None)
        found = tuple((a.name, a.count or 0, a.flavors) for a in admission.pod_set_assignments)
        plane.record(QuotaReserved(found), state.key)
    if plane.fair_usage is not None:
        charge_penalty(plane, state, requests, queue.spec)
    waited = (plane.clock.now - status.queued_since(state)) / SECOND
    message = (
        f"Quota reserved in ClusterQueue {entry.cluster_queue}, "
        f"wait time since queued was {waited:.0f}s"
    )
    considered = assignment.flavors_considered
    if considered:
        message += f"; Flavors considered: {considered}"
    plane.emit("Normal", "QuotaReserved", message, state.key)
    if state.is_admitted:
        if plane.recorder is not None:
            plane.record(Admitted(), state.key)
        plane.emit(
            "Normal",
            "Admitted",
            f"Admitted by ClusterQueue {entry.cluster_queue}, wait time since reservation was 0s",
            state.key,
        )


def _reserve(
    plane: ControlPlane, state: WorkloadState, admission: Admission, queue: QueueStatus
) -> None:
    status.reserve_quota(state, admission, plane.now)
    flavors = frozenset(f for a in admission.pod_set_assignments for f in a.flavors.values())
    if not queue.checks or state.admission_checks.keys() >= set(queue.checks_of(flavors)):
        status.sync_admitted(state, plane.gates, plane.now)


def _requeue(plane: ControlPlane, entry: Entry, at_pop: dict[str, StatusAtPop]) -> None:
    """Give a head back to its queue, and say on the workload why it was not admitted."""
    state = _current(plane, entry)
    if state is None:
        return
    reason = entry.requeue_reason
    if entry.status != "" and reason is RequeueReason.GENERIC:
        reason = RequeueReason.FAILED_AFTER_NOMINATION
    plane.queues.requeue(state, reason, entry.quota_reserved_reason)
    if entry.status == "nominated" or entry.skip_status_update:
        return
    # A workload that can't be queued any more is written with its status at pop.
    fresh = status.is_admissible(state, plane.gates) and state.queue_key in plane.queueing
    if entry.key in at_pop and not fresh:
        with at_pop[entry.key].written_over(state) as write:
            write.changed = _say_pending(plane, entry, state)
    else:
        _say_pending(plane, entry, state)


def _say_pending(plane: ControlPlane, entry: Entry, state: WorkloadState) -> bool:
    condition = status.unadmitted_reason(plane.gates, entry.quota_reserved_reason, "Pending")
    message = entry.message
    changed = status.unset_reservation(state, condition, message, plane.gates, plane.now)
    if entry.status == "preemptionGated":
        text = truncated_for_condition(message)
        changed = state.set_condition(
            "BlockedOnPreemptionGates", "True", "PreemptionGated", text, plane.now
        )
    if changed:
        plane.changed(state.key)
        if plane.recorder is not None:
            plane.record(Pending(condition, message), state.key, entry.cluster_queue)
    plane.emit("Warning", condition, message, state.key)
    return changed
