"""The clock that all clusters share, and the actions that are due."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from kueuelab.model.times import SECOND

__all__ = ["EventLoop"]

#: How far ahead the times are that come next. Most actions are due within milliseconds, while each
#: job has some that are due after minutes: few times in a heap are gone through faster.
_AHEAD: Final = SECOND // 10


class EventLoop:
    """Virtual time and the actions that are due; those due at once in the order they were set.

    Examples
    --------
    >>> loop = EventLoop(0)
    >>> loop.after(5, lambda: print("tea at", loop.now))
    >>> loop.run_until(10)
    tea at 5
    >>> loop.now
    10
    """

    __slots__ = ("_due", "_horizon", "_later", "_next", "now")

    def __init__(self, now: int) -> None:
        self.now = now
        self._due: dict[int, list[Callable[[], object]]] = {}
        # Heaps of the times before the horizon, and of the others.
        self._next: list[int] = []
        self._later: list[int] = []
        self._horizon = now

    def at(self, when: int, action: Callable[[], object]) -> None:
        """Do something at a time; now if that is past."""
        self.after(when - self.now if when > self.now else 0, action)

    def after(self, delay: int, action: Callable[[], object]) -> None:
        """Do something after a time, which is not negative."""
        when = self.now + delay
        due = self._due.get(when)
        if due is None:
            self._due[when] = [action]
            heappush(self._next if when < self._horizon else self._later, when)
        else:
            due.append(action)

    def run_until(self, when: int) -> None:
        """Do all that is due until a time, and set the clock to it."""
        times = self._next
        while (times or self._look_ahead()) and times[0] <= when:
            now = self.now = heappop(times)
            due = iter(self._due.pop(now))
            try:
                for action in due:
                    action()  # What becomes due now by it is done next.
            except BaseException:
                # One has failed: the others are still done, and then what became due meanwhile.
                since = self._due.get(now)
                self._due[now] = [*due, *(since or ())]
                if since is None:
                    heappush(times, now)
                raise
        self.now = max(self.now, when)

    def _look_ahead(self) -> bool:
        """Move the horizon beyond the first of the later times; tell whether there is any."""
        later = self._later
        if not later:
            return False
        self._horizon = later[0] + _AHEAD
        while later and later[0] < self._horizon:
            self._next.append(heappop(later))  # Sorted, it is a heap.
        return True
