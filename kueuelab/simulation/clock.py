"""A clock that only the simulation moves, and the timers on it."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from kueuelab.model.times import to_seconds

__all__ = ["Clock"]

#: What a timer is for and what it is about: ``("workload", "default/a")``.
TimerKey = tuple[str, str]


class Clock:
    """Virtual time, and at most one timer per key.

    Timers fire in the order of their due time; those due at once, in the order of keys.

    Examples
    --------
    >>> clock = Clock(0)
    >>> clock.set_timer(("tea", "a"), 5, lambda: print("at", clock.now))
    >>> clock.next_due()
    5
    >>> clock.fire_next()
    at 5
    >>> clock.next_due() is None
    True
    """

    __slots__ = ("_actions", "_heap", "_sequence", "now")

    def __init__(self, now: int) -> None:
        self.now = now
        self._heap: list[tuple[int, TimerKey, int]] = []
        self._actions: dict[TimerKey, tuple[int, int, Callable[[], None]]] = {}
        self._sequence = 0

    @property
    def stamp(self) -> int:
        """The time as the API server stores it: without fractions of a second."""
        return to_seconds(self.now)

    def read(self) -> int:
        """Return the time, for those who hold the clock as a function."""
        return self.now

    def set_timer(self, key: TimerKey, due: int, action: Callable[[], None]) -> None:
        """Start a timer; one that runs already for this key is replaced."""
        running = self._actions.get(key)
        if running is not None and running[0] == due:
            return
        self._sequence += 1
        self._actions[key] = (due, self._sequence, action)
        heappush(self._heap, (due, key, self._sequence))

    def cancel(self, key: TimerKey) -> None:
        """Stop a timer, if it runs."""
        self._actions.pop(key, None)

    def next_due(self, *, but_for: str = "") -> int | None:
        """Return when the next timer is due, ``None`` if none runs.

        Timers that are ``but_for`` something don't count.
        """
        if but_for:
            timers = self._actions.items()
            return min((timer[0] for key, timer in timers if key[0] != but_for), default=None)
        while self._heap:
            due, key, sequence = self._heap[0]
            running = self._actions.get(key)
            if running is not None and running[1] == sequence:
                return due
            heappop(self._heap)
        return None

    def pending(self) -> list[tuple[TimerKey, int]]:
        """Return the timers that run, each with when it is due."""
        return [(key, timer[0]) for key, timer in self._actions.items()]

    def fire_next(self) -> None:
        """Move on to the time when the next timer is due, and fire it."""
        if self.next_due() is None:
            return
        due, key, _ = heappop(self._heap)
        action = self._actions.pop(key)[2]
        self.now = max(self.now, due)
        action()
