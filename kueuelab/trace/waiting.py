"""For how long workloads wait: the one definition, of records, comparisons and sweeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Waiting", "WaitingWorkload"]


@dataclass(slots=True)
class WaitingWorkload:
    """One workload of a run; one that is created again under its name is another one.

    Attributes
    ----------
    key
        ``namespace/name``.
    queue
        The ClusterQueue of its LocalQueue, as it was last; empty if there was none.
    waited
        For how long it waited in spells that are over, in nanoseconds.
    since
        Since when it waits, ``None`` if it doesn't.
    """

    key: str
    queue: str = ""
    waited: int = 0
    since: int | None = None

    def until(self, end: int) -> int:
        """Return for how long it waited by a time, in nanoseconds."""
        return self.waited if self.since is None else self.waited + max(0, end - self.since)


class Waiting:
    """Adds up for how long the workloads of a run wait.

    A workload waits while it is there, active, and neither admitted nor finished: from its
    creation (or the start of the run) and from each eviction on. One that has finished when it
    is first seen is no workload of the run.

    Examples
    --------
    >>> waiting = Waiting()
    >>> waiting.see("default/a", "team-a", waits=True, time=0)
    >>> waiting.see("default/a", "team-a", waits=False, time=5)
    >>> waiting.see("default/b", "team-a", waits=True, time=7)
    >>> waiting.gone("default/b", time=8)
    >>> [(each.key, each.until(10)) for each in waiting]
    [('default/a', 5), ('default/b', 1)]
    """

    def __init__(self) -> None:
        self._found: list[WaitingWorkload] = []
        self._there: dict[str, WaitingWorkload] = {}

    def __iter__(self) -> Iterator[WaitingWorkload]:
        return iter(self._found)

    def of(self, key: str) -> WaitingWorkload | None:
        """Return the workload that has this key now, ``None`` if none of the run has it."""
        return self._there.get(key)

    def see(self, key: str, queue: str, *, waits: bool, time: int, finished: bool = False) -> None:
        """Note how a workload is from now on; an empty ``queue`` leaves the one it had."""
        found = self._there.get(key)
        if found is None:
            if finished:
                return
            found = self._there[key] = WaitingWorkload(key)
            self._found.append(found)
        if queue:
            found.queue = queue
        if waits == (found.since is not None):
            return
        found.waited, found.since = found.until(time), time if waits else None

    def gone(self, key: str, time: int) -> None:
        """Note that a workload is deleted."""
        found = self._there.pop(key, None)
        if found is not None:
            found.waited, found.since = found.until(time), None
