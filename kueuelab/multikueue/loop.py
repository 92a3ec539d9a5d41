"""The one clock of a MultiKueue world, and what is to happen when."""

from __future__ import annotations

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

    __slots__ = ("_heap", "_sequence", "now")

    def __init__(self, now: int) -> None:
        self.now = now
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._sequence = 0

    def at(self, when: int, action: Callable[[], None]) -> None:
        """Do something at a time; at once if that is past."""
        self._sequence += 1
        now = self.now
        heappush(self._heap, (when if when > now else now, self._sequence, action))

    def after(self, delay: int, action: Callable[[], None]) -> None:
        """Do something in a while."""
        self._sequence += 1
        heappush(self._heap, (self.now + (delay if delay > 0 else 0), self._sequence, action))

    def next_due(self) -> int | None:
        """Return when the next action is due, ``None`` if there is none."""
        return self._heap[0][0] if self._heap else None

    def step(self) -> bool:
        """Go to the next action and do it; tell whether there was any."""
        if not self._heap:
            return False
        due, _, action = heappop(self._heap)
        self.now = due
        action()
        return True

    def run_until(self, when: int) -> None:
        """Do all that is due until a time, and go there."""
        heap = self._heap
        while heap and heap[0][0] <= when:
            due, _, action = heappop(heap)
            self.now = due
            action()
        self.now = max(self.now, when)
