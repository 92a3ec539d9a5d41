"""How often one address may ask: a number of requests at once, then so many a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

__all__ = ["RateLimit"]

_MOST_ADDRESSES: Final = 10_000


class RateLimit:
    """Counts the requests of each address.

    Parameters
    ----------
    at_once
        How many requests may come at once.
    per_second
        How many more may come each second.
    clock
        Seconds that only grow.

    Examples
    --------
    >>> limit = RateLimit(2, 1, clock=lambda: 0.0)
    >>> [limit.allows("a"), limit.allows("a"), limit.allows("a"), limit.allows("b")]
    [True, True, False, True]
    """

    def __init__(
        self, at_once: float, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._at_once, self._per_second, self._clock = at_once, per_second, clock
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, address: str) -> bool:
        """Count a request; tell whether it is one of those that may come."""
        now = self._clock()
        left, then = self._left.get(address, (self._at_once, now))
        left = min(self._at_once, left + (now - then) * self._per_second)
        if len(self._left) >= _MOST_ADDRESSES:
            self._left.clear()
        self._left[address] = (max(left - 1, 0.0) if left >= 1 else left, now)
        return left >= 1
