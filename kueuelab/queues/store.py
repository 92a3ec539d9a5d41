"""Where the entries of one queue are kept, so that whole classes move at once."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise
from typing import Final

from kueuelab.queues.entry import PendingEntry, SortKey
from kueuelab.queues.pool import ORDER, EquivalenceClass, Pool

__all__ = ["EntryStore"]

# Empty classes and dead heads are cleared out once they outnumber the rest by more than this.
_SLACK: Final = 64
# The namespace of a class whose members back off: they are of any namespace.
_APART: Final = ""


class EntryStore:
    """The active and the inadmissible entries of a queue.

    Entries that backed off when they were filed are kept apart from their class: active
    ones in a class of their own, inadmissible ones in a plain dict, to be looked at one
    by one.
    """

    __slots__ = (
        "_backing_off",
        "_classes",
        "_clock",
        "_entries",
        "_heads",
        "_parked",
        "_room_for_backing_off",
    )

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._entries: dict[str, PendingEntry] = {}
        self._classes: dict[str, dict[str, EquivalenceClass]] = {}
        # A heap that has at least the first active entry of every class.
        self._heads: list[tuple[SortKey, PendingEntry]] = []
        # Classes that may have parked members; a dict as an ordered set.
        self._parked: dict[EquivalenceClass, None] = {}
        self._backing_off: dict[str, PendingEntry] = {}
        self._room_for_backing_off = Pool(active=False)

    # --- reading -----------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> PendingEntry | None:
        """Return the entry of a workload."""
        return self._entries.get(key)

    def entries(self, *, active: bool) -> list[PendingEntry]:
        """Return all active or all inadmissible entries, in no particular order."""
        return [entry for entry in self._entries.values() if entry.is_active is active]

    @property
    def has_inadmissible(self) -> bool:
        """Whether there may be inadmissible entries; true now and then where there is none."""
        return bool(self._parked or self._backing_off)

    def first(self) -> PendingEntry | None:
        """Return the active entry that comes first."""
        heads = self._heads
        while heads:
            entry = heads[0][1]
            pool = entry.pool
            # What entry.is_active tells; this is asked too often for a call.
            if pool is not None and pool.active:
                return entry
            heappop(heads)
            entry.listed = False
        return None

    # --- one entry ---------------------------------------------------------------------

    def activate(self, entry: PendingEntry) -> None:
        """File a new entry as active."""
        self._entries[entry.key] = entry
        self._enter_active(entry)

    def park(self, entry: PendingEntry) -> None:
        """File a new entry as inadmissible."""
        key = entry.key
        self._entries[key] = entry
        entry.backs_off = entry.not_before > self._clock()
        if entry.backs_off:
            self._set_apart(entry)
        else:
            members = self._class_of(entry)
            members.parked.add(entry)
            self._parked[members] = None

    def remove(self, entry: PendingEntry) -> None:
        """Drop an entry, wherever it is filed; it is dead from now on."""
        key = entry.key
        del self._entries[key]
        pool = entry.pool
        assert pool is not None  # An entry in the store is alive.
        if pool is self._room_for_backing_off:
            entry.pool = None
            del self._backing_off[key]
        elif pool.active:
            was_first = pool.first() is entry
            pool.remove(entry)
            if was_first:
                self._list_first(pool)
        else:
            pool.remove(entry)

    # --- whole classes -----------------------------------------------------------------

    def active_of(self, hash_: str) -> list[PendingEntry]:
        """Return the active entries with a scheduling hash, in order."""
        classes = self._classes.get(hash_, {}).values()
        return _in_order([members.active.entries() for members in classes if members.active.size])

    def park_all(self, hash_: str) -> None:
        """Make all active entries with a scheduling hash inadmissible."""
        for members in self._classes.get(hash_, {}).values():
            if not members.active.size:
                continue
            if members.namespace == _APART:
                for entry in members.active.clear():
                    self._set_apart(entry)
            else:
                members.park()
                self._parked[members] = None

    def wake(self, selects: Callable[[str], bool], moved: list[PendingEntry] | None = None) -> int:
        """Make inadmissible entries active whose back-off is over and namespace selected.

        Return how many that were; ``moved``, if given, gets them in order.
        """
        woken = 0
        groups: list[list[PendingEntry]] = []
        for members in list(self._parked):
            count = members.parked.size
            if count and not selects(members.namespace):
                continue
            del self._parked[members]
            if count:
                woken += count
                if moved is not None:
                    groups.append(members.parked.entries())
                members.wake()
                self._list_first(members.active)
        if apart := self._past_back_off(selects):
            woken += len(apart)
            for entry in apart:
                del self._backing_off[entry.key]
                self._enter_active(entry)
            groups.append(sorted(apart, key=ORDER))
        if moved is not None and groups:
            moved += _in_order(groups)
        return woken

    def _past_back_off(self, selects: Callable[[str], bool]) -> list[PendingEntry]:
        if not self._backing_off:
            return []
        now = self._clock()
        return [
            entry
            for entry in self._backing_off.values()
            if entry.not_before <= now and selects(entry.namespace)
        ]

    # --- classes and heads -------------------------------------------------------------

    def _enter_active(self, entry: PendingEntry) -> None:
        entry.backs_off = entry.not_before > self._clock()
        pool = self._class_of(entry).active
        pool.add(entry)
        self._list_first(pool)

    def _set_apart(self, entry: PendingEntry) -> None:
        entry.pool = self._room_for_backing_off
        self._backing_off[entry.key] = entry

    def _list_first(self, pool: Pool) -> None:
        """See to it that the first entry of an active pool is among the heads."""
        entry = pool.first()
        if entry is None or entry.listed:
            return
        entry.listed = True
        heappush(self._heads, (entry.order, entry))
        if len(self._heads) > 2 * len(self._entries) + _SLACK:
            self._heads = [item for item in self._heads if item[1].pool is not None]
            heapify(self._heads)

    def _class_of(self, entry: PendingEntry) -> EquivalenceClass:
        namespace = _APART if entry.backs_off else entry.namespace
        same_hash = self._classes.get(entry.hash)
        if same_hash is None:
            if len(self._classes) > 2 * len(self._entries) + _SLACK:
                self._drop_empty_classes()
            same_hash = self._classes[entry.hash] = {}
        members = same_hash.get(namespace)
        if members is None:
            members = same_hash[namespace] = EquivalenceClass(namespace)
        return members

    def _drop_empty_classes(self) -> None:
        self._classes = {
            hash_: kept
            for hash_, classes in self._classes.items()
            if (kept := {name: each for name, each in classes.items() if not each.is_empty})
        }
        self._parked = {each: None for each in self._parked if not each.is_empty}


def _in_order(groups: list[list[PendingEntry]]) -> list[PendingEntry]:
    """Return the entries of groups, each of them in order, in the order of the queue."""
    if len(groups) == 1:
        return groups[0]
    groups.sort(key=lambda group: group[0].order)
    found = list(chain.from_iterable(groups))
    if any(one[-1].order > other[0].order for one, other in pairwise(groups)):
        found.sort(key=ORDER)
    return found
