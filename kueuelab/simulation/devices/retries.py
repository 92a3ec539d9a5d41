"""When Kueue looks again at a workload whose devices it could not count."""

from __future__ import annotations

from kueuelab.model.times import SECOND

__all__ = ["Retries"]

_LONGEST = 1000 * SECOND


class Retries:
    """How often counting failed for each workload, and when it is due again.

    After some attempts at once the back-off is a second, and doubles each time. While nothing
    changes, an attempt fails as the one before; so the time of the next one is computed when
    something has changed.

    Examples
    --------
    >>> retries = Retries()
    >>> retries.failed("default/a", 0)
    >>> [retries.next_due("default/a", now * SECOND) // SECOND for now in (0, 4)]
    [1, 7]
    """

    __slots__ = ("_failures",)

    def __init__(self) -> None:
        #: Attempts after those at once, and when the next one is due.
        self._failures: dict[str, tuple[int, int]] = {}

    def failed(self, key: str, now: int) -> None:
        """Note that an attempt failed: one that was due, or another one."""
        if key not in self._failures:
            self._failures[key] = (0, now + _delay(0))
            return
        self.next_due(key, now - 1)
        count, due = self._failures[key]
        if due == now:
            self.next_due(key, now)
        elif due != now + _delay(count):  # else it is one of those at once
            self._failures[key] = (count + 1, min(due, now + _delay(count + 1)))

    def succeeded(self, key: str) -> None:
        """Forget the failures of a workload."""
        self._failures.pop(key, None)

    def pending(self) -> list[str]:
        """Return the workloads whose devices could not be counted."""
        return list(self._failures)

    def next_due(self, key: str, now: int) -> int:
        """Return when the next attempt is due, from now on."""
        count, due = self._failures[key]
        while due <= now:
            count += 1
            due += _delay(count)
        self._failures[key] = (count, due)
        return due


def _delay(count: int) -> int:
    return min(SECOND << min(count, 10), _LONGEST)
