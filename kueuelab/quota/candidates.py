"""The workloads of a ClusterQueue in the order in which preemption tries them.

Kueue sorts all candidates for every attempt. Here each ClusterQueue keeps them sorted, so
that an attempt reads only as many as it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cmp_to_key
from itertools import count
from typing import Final

from kueuelab.model import FlavorResource
from kueuelab.quota.sorted_places import CandidateKey, Place, SortedPlaces
from kueuelab.workload import WorkloadState

__all__ = [
    "CandidateIndex",
    "CandidateKey",
    "LocalQueueUsage",
    "Place",
    "candidate_key",
    "uses_any",
]

#: Returns what a LocalQueue (``namespace/name``) used recently.
LocalQueueUsage = Callable[[str], float]


def candidate_key(workload: WorkloadState) -> CandidateKey:
    """Return what orders candidates: low priority first, then the latest reserved.

    A reservation whose condition is not written yet counts as the latest.
    """
    return (workload.priority, -workload.quota_reservation_time(now=1 << 63), workload.uid)


#: Numbers that say whether an index has changed; nothing is decided by them.
_VERSIONS: Final = count()


def uses_any(workload: WorkloadState, frs: Sequence[FlavorResource]) -> bool:
    """Tell whether a workload uses one of these flavors and resources."""
    for pod_set in workload.requests:
        for flavor, resource in frs:
            if pod_set.flavors.get(resource) == flavor:
                return True
    return False


def _by_usage(entries: SortedPlaces, usage_of: LocalQueueUsage) -> list[Place]:
    """Sort by the usage of LocalQueues, the highest first, then as before.

    Kueue compares only their names here: two LocalQueues with the same name, in different
    namespaces, count as one.
    """
    queues = dict.fromkeys(workload.queue_key for _, _, workload in entries)
    usages = {queue: usage_of(queue) for queue in queues}

    def compare(left: Place, right: Place) -> int:
        first, second = left[2], right[2]
        if first.obj.queue_name == second.obj.queue_name:
            return 0
        used, against = usages[first.queue_key], usages[second.queue_key]
        return (used < against) - (used > against)

    return sorted(entries, key=cmp_to_key(compare))


class CandidateIndex:
    """Workloads sorted by :func:`candidate_key`; those being evicted are kept apart.

    A workload's place is kept, so that it can be removed after its key has changed.

    Attributes
    ----------
    hidden
        There are no candidates: the ClusterQueue can't admit now, so no cycle sees it.
    usage
        With admission fair sharing, usage of LocalQueues comes before priority: workloads of
        the LocalQueue that used most come first.
    version
        Another number whenever a workload is added or removed; no two indexes have the same.
    """

    __slots__ = ("_places", "_sorted", "_using", "hidden", "usage", "version")

    def __init__(self) -> None:
        self.hidden = False
        self.version = next(_VERSIONS)
        self.usage: LocalQueueUsage | None = None
        #: Those whose eviction is under way (``True``), and the others, in order.
        self._sorted = {True: SortedPlaces(), False: SortedPlaces()}
        #: The candidates that use some flavors and resources which were asked for, in order.
        self._using: dict[tuple[bool, tuple[FlavorResource, ...]], SortedPlaces] = {}
        self._places: dict[str, tuple[bool, CandidateKey]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def add(self, workload: WorkloadState) -> None:
        """Add a workload."""
        evicted, key = workload.is_evicted, candidate_key(workload)
        place = (key, workload.key, workload)
        self._sorted[evicted].add(place)
        self._places[workload.key] = (evicted, key)
        self.version = next(_VERSIONS)
        for (kind, frs), found in self._using.items():
            if kind is evicted and uses_any(workload, frs):
                found.add(place)

    def refresh(self, workload: WorkloadState) -> None:
        """Move a workload to where it belongs now, if something that orders it has changed."""
        if self._places.get(workload.key) != (workload.is_evicted, candidate_key(workload)):
            self.discard(workload.key)
            self.add(workload)

    def discard(self, key: str) -> None:
        """Remove a workload, if it is here."""
        place = self._places.pop(key, None)
        if place is None:
            return
        evicted, order = place
        self.version = next(_VERSIONS)
        self._sorted[evicted].discard(order, key)
        for (kind, _), found in self._using.items():
            if kind is evicted:
                found.discard(order, key)

    def evicted(self) -> Iterator[WorkloadState]:
        """Yield the workloads whose eviction is under way, in order."""
        return (place[2] for place in self.places(evicted=True))

    def others(self) -> Iterator[WorkloadState]:
        """Yield the other workloads, in order."""
        return (place[2] for place in self.places(evicted=False))

    def places(self, *, evicted: bool) -> Iterable[Place]:
        """Return the places of the workloads of either kind, in order."""
        if self.hidden:
            return ()
        entries = self._sorted[evicted]
        return entries if self.usage is None else _by_usage(entries, self.usage)

    def using(self, frs: tuple[FlavorResource, ...], *, evicted: bool) -> Iterable[Place]:
        """Return the places of those that use one of ``frs``, in order."""
        if self.hidden or self.usage is not None:
            return [place for place in self.places(evicted=evicted) if uses_any(place[2], frs)]
        found = self._using.get((evicted, frs))
        if found is None:
            entries = self._sorted[evicted]
            found = SortedPlaces(place for place in entries if uses_any(place[2], frs))
            self._using[evicted, frs] = found
        return found

    def kept(self, *, evicted: bool) -> list[Place]:
        """Return the places that are kept, hidden or not, before usage orders them."""
        return list(self._sorted[evicted])

    def kept_by_use(self) -> dict[tuple[bool, tuple[FlavorResource, ...]], list[Place]]:
        """Return the places that are kept of those that use some flavors and resources."""
        return {key: list(places) for key, places in self._using.items()}

    def first_key(self, *, evicted: bool) -> CandidateKey | None:
        """Return the lowest key of the workloads of either kind, ``None`` if there are none."""
        part = self._sorted[evicted].parts[0]
        return part[0][0] if part and not self.hidden else None
