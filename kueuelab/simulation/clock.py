"""A clock that only the simulation moves, and the timers on it."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

__all__ = ["Clock"]

#: What a timer is for and what it is about: ``("workload", "default/a")``.
TimerKey = tuple[str, str]


class Clock:
    """Virtual time, and at most one timer per key.

    Timers behave as in the delaying queue of a Kubernetes controller: of several due times for
    a key the earliest counts. They fire in the order of their due time; those due at once, in
    the order in which they were set. Kueue leaves the second to chance.

    Attributes
    ----------
    has_timers
        Whether timers may run; true now and then where none does.

    Examples
    --------
    >>> clock = Clock(0)
    >>> for name, due in (("b", 5), ("a", 5), ("b", 7)):
    ...     clock.set_timer(("tea", name), due, lambda name=name: print(name, clock.now))
    >>> clock.next_due()
    5
    >>> clock.fire_next()
    b 5
    a 5
    >>> clock.next_due() is None
    True
    """

    __slots__ = ("_actions", "_heap", "_sequence", "has_timers", "now")

    def __init__(self, now: int) -> None:
        self.now = now
        self.has_timers = False
        self._heap: list[tuple[int, int, TimerKey]] = []
        self._actions: dict[TimerKey, tuple[int, int, Callable[[], None]]] = {}
        self._sequence = 0

    def read(self) -> int:
        """Return the time; the clock is used as a function."""
        return self.now

    def set_timer(self, key: TimerKey, due: int, action: Callable[[], None]) -> None:
        """Start a timer, unless one that is due as early runs already for this key."""
        running = self._actions.get(key)
        if running is not None and running[0] <= due:
            return
        self._sequence += 1
        self.has_timers = True
        self._actions[key] = (due, self._sequence, action)
        heappush(self._heap, (due, self._sequence, key))

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
            due, sequence, key = self._heap[0]
            running = self._actions.get(key)
            if running is not None and running[1] == sequence:
                return due
            heappop(self._heap)
        self.has_timers = False
        return None

    def pending(self) -> list[tuple[TimerKey, int]]:
        """Return the timers that run, each with when it is due."""
        return [(key, timer[0]) for key, timer in self._actions.items()]

    def fire_next(self) -> None:
        """Move on to the time when the next timer is due, and fire all that are due then."""
        due = self.next_due()
        if due is None:
            return
        self.now = max(self.now, due)
        while self.next_due() == due:
            key = heappop(self._heap)[2]
            self._actions.pop(key)[2]()
