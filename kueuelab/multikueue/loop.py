"""The one clock of a MultiKueue world, and what is to happen when."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush

__all__ = ["EventLoop"]


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

    __slots__ = ("_due", "_times", "now")

    def __init__(self, now: int) -> None:
        self.now = now
        self._due: dict[int, deque[Callable[[], None]]] = {}
        self._times: list[int] = []

    def at(self, when: int, action: Callable[[], None]) -> None:
        """Do something at a time; at once if that is past."""
        when = max(when, self.now)
        due = self._due.get(when)
        if due is None:
            self._due[when] = deque((action,))
            heappush(self._times, when)
        else:
            due.append(action)

    def after(self, delay: int, action: Callable[[], None]) -> None:
        """Do something in a while."""
        self.at(self.now + delay, action)

    def next_due(self) -> int | None:
        """Return when the next action is due, ``None`` if there is none."""
        return self._times[0] if self._times else None

    def step(self) -> bool:
        """Go to the next action and do it; tell whether there was any."""
        if not self._times:
            return False
        self.now = self._times[0]
        self._take()()
        return True

    def run_until(self, when: int) -> None:
        """Do all that is due until a time, and go there."""
        times = self._times
        while times and times[0] <= when:
            self.now = times[0]
            self._take()()
        self.now = max(self.now, when)

    def _take(self) -> Callable[[], None]:
        """Take the action that is next."""
        due = self._due[self.now]
        action = due.popleft()
        if not due:
            del self._due[self.now]
            heappop(self._times)
        return action
