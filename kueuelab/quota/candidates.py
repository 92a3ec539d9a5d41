"""The workloads of a ClusterQueue in the order in which preemption would take them.

Kueue sorts all candidates for every attempt. Here each ClusterQueue keeps them sorted,
so that an attempt looks only at those it takes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from kueuelab.workload import WorkloadState

__all__ = ["CandidateIndex", "CandidateKey", "candidate_key"]

#: Priority, minus the time of quota reservation, uid: the lowest goes first.
CandidateKey = tuple[int, int, str]


def candidate_key(workload: WorkloadState) -> CandidateKey:
    """Return what orders candidates: low priority first, then the latest reserved.

    A reservation whose condition is not written yet counts as the latest of all.
    """
    condition = workload.conditions.get("QuotaReserved")
    reserved = condition is not None and condition.status == "True"
    when = condition.last_transition_time if condition is not None and reserved else 1 << 63
    return (workload.priority, -when, workload.uid)


class CandidateIndex:
    """Workloads sorted by :func:`candidate_key`, those being evicted apart.

    A workload's place is remembered, so it can be taken out after its key has changed.

    Attributes
    ----------
    hidden
        Nobody is to be taken: the ClusterQueue can't admit now, so no cycle sees it.
    """

    __slots__ = ("_evicted", "_others", "_places", "hidden")

    def __init__(self) -> None:
        self.hidden = False
        self._evicted: list[tuple[CandidateKey, str, WorkloadState]] = []
        self._others: list[tuple[CandidateKey, str, WorkloadState]] = []
        self._places: dict[str, tuple[bool, CandidateKey]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def add(self, workload: WorkloadState) -> None:
        """Put a workload in its place."""
        evicted, key = workload.is_evicted, candidate_key(workload)
        insort(self._evicted if evicted else self._others, (key, workload.key, workload))
        self._places[workload.key] = (evicted, key)

    def discard(self, key: str) -> None:
        """Take a workload out, if it is in."""
        place = self._places.pop(key, None)
        if place is None:
            return
        entries = self._evicted if place[0] else self._others
        # The workload itself is never compared: keys are unique.
        del entries[bisect_left(entries, (place[1], key))]

    def evicted(self) -> Iterator[WorkloadState]:
        """Yield the workloads whose eviction is under way, in order."""
        return iter(()) if self.hidden else (entry[2] for entry in self._evicted)

    def others(self) -> Iterator[WorkloadState]:
        """Yield the other workloads, in order."""
        return iter(()) if self.hidden else (entry[2] for entry in self._others)

    def first_key(self, *, evicted: bool) -> CandidateKey | None:
        """Return the key of the first workload of either kind, ``None`` if there is none."""
        entries = self._evicted if evicted else self._others
        return entries[0][0] if entries and not self.hidden else None
