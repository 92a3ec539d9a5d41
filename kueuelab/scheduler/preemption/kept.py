"""What an iterator yields, kept for those that read it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["Kept"]

T = TypeVar("T")


class Kept(Generic[T]):
    """The values of an iterator, which is read only as far as anything asks for.

    Examples
    --------
    >>> squares = Kept(number**2 for number in range(3))
    >>> next(iter(squares)), list(squares), list(squares)
    (0, [0, 1, 4], [0, 1, 4])
    """

    __slots__ = ("_found", "_rest")

    def __init__(self, values: Iterator[T]) -> None:
        self._found: list[T] = []
        self._rest = values

    def __iter__(self) -> Iterator[T]:
        found = self._found
        index = 0
        while True:
            while index < len(found):
                yield found[index]
                index += 1
            for value in self._rest:
                found.append(value)
                break
            else:
                return
