"""Changes that have arrived and are not processed yet: how many, and since when."""

from __future__ import annotations

import time
from collections import deque
from threading import Condition
from typing import NamedTuple

from kueuelab.live.watching import Change

__all__ = ["Arrival", "Backlog"]


class Arrival(NamedTuple):
    """A change, and when it arrived (of ``time.monotonic_ns``)."""

    change: Change
    time: int


class Backlog:
    """A queue that knows how far behind its reader is; a change counts until it is done.

    Examples
    --------
    >>> from kueuelab.live.errors import LiveError
    >>> backlog = Backlog()
    >>> backlog.put(LiveError("cut", "cut"))
    >>> backlog.behind, isinstance(backlog.get(0).change, LiveError)
    (1, True)
    >>> backlog.behind, backlog.done(), backlog.behind, backlog.taken
    (1, None, 0, 1)
    """

    def __init__(self) -> None:
        self._waiting: deque[Arrival] = deque()
        self._under_way: Arrival | None = None
        self._changed = Condition()
        #: How many changes are done.
        self.taken = 0

    def put(self, change: Change) -> None:
        """Take the changes that have arrived."""
        with self._changed:
            self._waiting.append(Arrival(change, time.monotonic_ns()))
            self._changed.notify_all()

    def get(self, seconds: float) -> Arrival | None:
        """Return the next change, ``None`` if none arrives in time; call :meth:`done` then."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting, seconds):
                return None
            self._under_way = self._waiting.popleft()
            return self._under_way

    def done(self) -> None:
        """Mark the last change as processed."""
        with self._changed:
            self._under_way = None
            self.taken += 1
            self._changed.notify_all()

    def wait_for(self, taken: int, seconds: float) -> bool:
        """Wait until so many changes are done; tell whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self.taken >= taken, seconds)

    @property
    def behind(self) -> int:
        """How many changes have arrived that are not processed."""
        return len(self._waiting) + (self._under_way is not None)

    @property
    def seconds_behind(self) -> float:
        """For how long the oldest of them has waited."""
        with self._changed:
            oldest = self._under_way or (self._waiting[0] if self._waiting else None)
        return 0.0 if oldest is None else (time.monotonic_ns() - oldest.time) / 1e9
