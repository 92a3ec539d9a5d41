"""What the LocalQueues of a real cluster have used, entry penalties included.

Kueue writes what a LocalQueue consumed into its status. The entry penalty of a workload is in
Kueue's memory only, from the reservation of quota until the workload is admitted (KEP-4136). It
follows from the objects, except that of a workload which was evicted in between: that is followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.live.change_history import Version
from kueuelab.simulation.admission_fair_sharing import entry_penalty, usage_in, written_usage
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

__all__ = ["EntryPenalties"]


class EntryPenalties:
    """Keeps the books of admission fair sharing as Kueue has them in memory.

    Parameters
    ----------
    plane
        The cluster's objects and workloads. Without admission fair sharing there are no books.
    """

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        #: Pending workloads that had quota, and were evicted before they were admitted.
        self._evicted: set[str] = set()

    def follow(self, key: str, before: Version | None, after: Version | None) -> None:
        """Follow a workload from one version to the next; ``None`` where it is not there."""
        if self._plane.fair_usage is None:
            return
        if after is None or not after.state.active or after.state.is_finished:
            self._evicted.discard(key)
        elif after.state.has_quota_reservation:
            if after.state.is_admitted:
                self._evicted.discard(key)
        elif _was_never_admitted(after.state) if before is None else _is_charged(before.state):
            self._evicted.add(key)

    def restate(self, time: int) -> None:
        """Write the books anew from the objects as they are, for a decision at a time."""
        plane = self._plane
        usage = plane.fair_usage
        if usage is None:
            return
        by_queue: dict[str, list[WorkloadState]] = {}
        for state in self._charged():
            by_queue.setdefault(state.queue_key, []).append(state)
        for key, local_queue in plane.objects.local_queues.items():
            queue = plane.objects.cluster_queues.get(local_queue.cluster_queue)
            if queue is None or usage_in(plane, queue) is None:
                continue
            consumed, since = written_usage(local_queue)
            penalties = {
                state.key: entry_penalty(plane, usage.ledger, state, queue)
                for state in by_queue.get(key, ())
                if not state.is_admitted or _admitted_at(state) > since
            }
            usage.ledger.restate(key, consumed, penalties, since or time)

    def has(self, key: str) -> bool:
        """Tell whether Kueue has charged a workload's LocalQueue for it without showing it."""
        plane = self._plane
        state = plane.workloads.get(key)
        if state is None:
            return False
        queue = plane.objects.cluster_queues.get(plane.queueing.get(state.queue_key, ""))
        if queue is None or usage_in(plane, queue) is None:
            return False
        return _is_charged(state) or key in self._evicted

    def _charged(self) -> Iterator[WorkloadState]:
        """Yield the workloads that hold quota or were evicted; not all that are admitted count."""
        plane = self._plane
        for node in plane.tree.cluster_queues.values():
            yield from node.workloads.values()
        for key in self._evicted:
            if (state := plane.workloads.get(key)) is not None and not state.has_quota_reservation:
                yield state


def _is_charged(state: WorkloadState) -> bool:
    return state.has_quota_reservation and not state.is_admitted


def _admitted_at(state: WorkloadState) -> int:
    return state.conditions["Admitted"].last_transition_time


def _was_never_admitted(state: WorkloadState) -> bool:
    """Tell whether an evicted workload was not admitted before, as far as its conditions tell."""
    return state.is_evicted and "Admitted" not in state.conditions
