"""Ascending indexes of steps, many of which follow each other."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import overload

__all__ = ["Places"]


class Places(Sequence[int]):
    """Ascending numbers, kept as the ranges that they make.

    Examples
    --------
    >>> places = Places()
    >>> places.append(3)
    >>> places.extend(5, 1000)
    >>> len(places), places[0], places[2], places[-1], places[1:3]
    (996, 3, 6, 999, [5, 6])
    """

    __slots__ = ("_before", "_length", "_starts")

    def __init__(self) -> None:
        self._starts = array("Q")
        # How many numbers there are before each range.
        self._before = array("Q")
        self._length = 0

    def append(self, number: int) -> None:
        """Add a number behind the last one."""
        self.extend(number, number + 1)

    def extend(self, start: int, stop: int) -> None:
        """Add the numbers from one to before another one, all behind the last one."""
        last = len(self._starts) - 1
        if last < 0 or self._starts[last] + self._length - self._before[last] != start:
            self._starts.append(start)
            self._before.append(self._length)
        self._length += stop - start

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> list[int]: ...

    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._length))]
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            raise IndexError(index)
        at = bisect_right(self._before, place) - 1
        return self._starts[at] + place - self._before[at]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self._ranges())

    def __reversed__(self) -> Iterator[int]:
        return chain.from_iterable(reversed(each) for each in reversed(list(self._ranges())))

    def _ranges(self) -> Iterator[range]:
        ends = chain(self._before[1:], (self._length,))
        for start, before, end in zip(self._starts, self._before, ends, strict=True):
            yield range(start, start + end - before)
