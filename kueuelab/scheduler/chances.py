"""Where Kueue leaves the outcome to chance, and another outcome for each seed.

Kueue takes heads, cohorts and ClusterQueues from maps, which Go walks in random order. Whatever
the rules do not tell apart is then decided by that order. See ``docs/chance.md`` for all places.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TypeVar

__all__ = ["Chances"]

T = TypeVar("T")


class Chances:
    """The order of what Kueue takes in random order.

    Parameters
    ----------
    seed
        Decides the order; without one it is that of names.

    Examples
    --------
    >>> Chances().in_order("abc")
    ['a', 'b', 'c']
    >>> Chances(seed=1).in_order("abc") == Chances(seed=1).in_order("abc")
    True
    >>> len({tuple(Chances(seed).in_order("abc")) for seed in range(100)})
    6
    """

    __slots__ = ("_random", "seed")

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self._random = None if seed is None else Random(seed)

    def in_order(self, items: Iterable[T]) -> list[T]:
        """Return items in the order in which they are taken; they are given by name."""
        found = list(items)
        if self._random is not None:
            self._random.shuffle(found)
        return found
