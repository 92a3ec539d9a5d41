"""Heaps of pending workloads that become active or inadmissible as a whole.

A busy queue mostly parks and wakes, many workloads at once. So workloads that meet the
same obstacles form an :class:`EquivalenceClass` with two heaps, one active and one parked
(inadmissible), and moving them all means that the two change roles.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final

from kueuelab.queues.entry import PendingEntry, SortKey

__all__ = ["EquivalenceClass", "Pool"]

# Dead items are cleared out once they outnumber the living by more than this.
_SLACK: Final = 16


class Pool:
    """A heap of entries. Entries that left it stay in the list until they surface.

    ``size`` counts the entries that are really in it. An entry in an ``active`` pool is
    active.
    """

    __slots__ = ("_heap", "active", "size")

    def __init__(self, *, active: bool) -> None:
        self.active = active
        self.size = 0
        self._heap: list[tuple[SortKey, PendingEntry]] = []

    def add(self, entry: PendingEntry) -> None:
        """Add an entry that is in no pool."""
        entry.pool = self
        self.size += 1
        heappush(self._heap, (entry.order, entry))

    def remove(self, entry: PendingEntry) -> None:
        """Remove an entry, which is dead from now on."""
        entry.pool = None
        self.size -= 1
        if len(self._heap) > 2 * self.size + _SLACK:
            self._heap = [item for item in self._heap if item[1].pool is self]
            heapify(self._heap)

    def first(self) -> PendingEntry | None:
        """Return the entry that comes first."""
        heap = self._heap
        while heap:
            entry = heap[0][1]
            if entry.pool is self:
                return entry
            heappop(heap)
        return None

    def entries(self) -> list[PendingEntry]:
        """Return all entries, in no particular order."""
        return [entry for _, entry in self._heap if entry.pool is self]

    def clear(self) -> list[PendingEntry]:
        """Remove all entries, and return them. They are not dead: add them to another pool."""
        entries = self.entries()
        self._heap.clear()
        self.size = 0
        return entries

    def absorb(self, other: Pool) -> None:
        """Move everything here from another pool."""
        newcomers = other.clear()
        if len(newcomers) * 8 < self.size:
            for entry in newcomers:
                self.add(entry)
            return
        for entry in newcomers:
            entry.pool = self
        self.size += len(newcomers)
        self._heap += [(entry.order, entry) for entry in newcomers]
        heapify(self._heap)


class EquivalenceClass:
    """Workloads of one ClusterQueue with the same scheduling hash and namespace."""

    __slots__ = ("active", "namespace", "parked")

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.active = Pool(active=True)
        self.parked = Pool(active=False)

    @property
    def is_empty(self) -> bool:
        """Whether it has no entries."""
        return not self.active.size and not self.parked.size

    def park(self) -> None:
        """Make all its entries inadmissible."""
        self.parked, self.active = self._joined()
        self._set_roles()

    def wake(self) -> None:
        """Make all its entries active."""
        self.active, self.parked = self._joined()
        self._set_roles()

    def _joined(self) -> tuple[Pool, Pool]:
        """Bring both pools together in the larger one; return that and the empty one."""
        full, empty = self.active, self.parked
        if full.size < empty.size:
            full, empty = empty, full
        if empty.size:
            full.absorb(empty)
        return full, empty

    def _set_roles(self) -> None:
        self.active.active = True
        self.parked.active = False
