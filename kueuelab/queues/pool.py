"""Pending workloads that become active or inadmissible as a whole.

A busy queue mostly parks and wakes, many workloads at once. So workloads that meet the
same obstacles form an :class:`EquivalenceClass` with two pools, one active and one parked
(inadmissible), and moving them all means that the two change roles.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from operator import attrgetter
from typing import Final

from kueuelab.queues.entry import PendingEntry, SortKey

__all__ = ["ORDER", "EquivalenceClass", "Pool"]

#: What orders entries.
ORDER: Final[Callable[[PendingEntry], SortKey]] = attrgetter("order")
#: Newcomers are put in one by one where there are so many times as many entries.
_FEW: Final = 8


class Pool:
    """Entries in order. An entry in an ``active`` pool is active."""

    __slots__ = ("_entries", "active")

    def __init__(self, *, active: bool) -> None:
        self.active = active
        self._entries: list[PendingEntry] = []

    @property
    def size(self) -> int:
        """How many entries are in it."""
        return len(self._entries)

    def add(self, entry: PendingEntry) -> None:
        """Add an entry that is in no pool."""
        entry.pool = self
        entries = self._entries
        # Newcomers mostly come last.
        if not entries or entries[-1].order < entry.order:
            entries.append(entry)
        else:
            insort(entries, entry, key=ORDER)

    def remove(self, entry: PendingEntry) -> None:
        """Remove an entry, which is dead from now on."""
        entry.pool = None
        entries = self._entries
        # Heads are popped, the others are deleted now and then.
        first = entries[0] is entry
        del entries[0 if first else bisect_left(entries, entry.order, key=ORDER)]

    def first(self) -> PendingEntry | None:
        """Return the entry that comes first."""
        return self._entries[0] if self._entries else None

    def entries(self) -> list[PendingEntry]:
        """Return all entries in order."""
        return self._entries.copy()

    def clear(self) -> list[PendingEntry]:
        """Remove all entries, and return them. They are not dead: add them to another pool."""
        entries, self._entries = self._entries, []
        return entries

    def absorb(self, other: Pool) -> None:
        """Move everything here from another pool."""
        newcomers = other.clear()
        for entry in newcomers:
            entry.pool = self
        if len(newcomers) * _FEW < self.size:
            for entry in newcomers:
                insort(self._entries, entry, key=ORDER)
        else:
            self._entries += newcomers
            self._entries.sort(key=ORDER)


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
