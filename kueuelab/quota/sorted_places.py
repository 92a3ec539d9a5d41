"""Candidates in order, of which one comes or goes without moving all others.

In a list of 10,000 the latest workload, which is the first, moves each of them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeAlias

from kueuelab.workload import WorkloadState

__all__ = ["CandidateKey", "Place", "SortedPlaces"]

#: Priority, minus the time of quota reservation, uid: the lowest goes first.
CandidateKey: TypeAlias = tuple[int, int, str]

#: A candidate in its order: what orders it, its workload's key, the workload.
Place: TypeAlias = tuple[CandidateKey, str, WorkloadState]

#: How many places are in one part at most.
_LARGEST: Final = 1000
_LAST: Final[Any] = itemgetter(-1)


class SortedPlaces:
    """Places in order, in parts that are short; no two are of one workload.

    Parameters
    ----------
    places
        The first ones, in order.

    Attributes
    ----------
    parts
        One at least; of several, none is empty.
    """

    __slots__ = ("parts",)

    def __init__(self, places: Iterable[Place] = ()) -> None:
        given = list(places)
        self.parts = [given[:_LARGEST]]
        for start in range(_LARGEST, len(given), _LARGEST):
            self.parts.append(given[start : start + _LARGEST])

    def __iter__(self) -> Iterator[Place]:
        parts = self.parts
        return iter(parts[0]) if len(parts) == 1 else chain.from_iterable(parts)

    def add(self, place: Place) -> None:
        """Add a place."""
        parts = self.parts
        at, part = 0, parts[0]
        if part and place < part[0]:
            part.insert(0, place)  # Most often: the latest comes first.
        else:
            if len(parts) > 1:
                at = self._part_of(place)
                part = parts[at]
            insort(part, place)
        if len(part) > _LARGEST:
            half = len(part) // 2
            parts[at : at + 1] = part[:half], part[half:]

    def discard(self, order: CandidateKey, key: str) -> None:
        """Remove the place of a workload, if it is here."""
        parts, found = self.parts, (order, key)
        index = 0 if len(parts) == 1 else self._part_of(found)
        part = parts[index]
        # The workload itself is never compared: keys are unique.
        at = bisect_left(part, found)
        if at < len(part) and part[at][1] == key:
            del part[at]
            if not part and len(parts) > 1:
                del parts[index]

    def _part_of(self, place: Place | tuple[CandidateKey, str]) -> int:
        """Return the part that a place is in, or belongs in."""
        return bisect_left(self.parts, place, hi=len(self.parts) - 1, key=_LAST)
