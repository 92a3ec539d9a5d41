"""A controller's queue of keys, as in client-go: each key once, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import TypeAlias

from kueuelab.multikueue.loop import EventLoop
from kueuelab.multikueue.timing import Timing

__all__ = ["ReconcileError", "Work", "WorkQueue"]

#: One reconciliation: yields how long it waits for others, returns when it wants to run again.
Work: TypeAlias = Generator[int, None, int]


class ReconcileError(Exception):
    """A reconciliation failed; it is repeated with an increasing delay.

    Its text is for debugging; no view shows it.
    """


class WorkQueue:
    """A controller's queue.

    Parameters
    ----------
    loop, timing
        The clock, and how long things take.
    latency
        Until a key that was added is reconciled.
    reconcile
        Reconciles a key; a generator if that takes time.
    keeps_delayed
        Whether a key that is reconciled at once is also reconciled later, as it was to be.
        In Kueue's queues it isn't, in Kubernetes' own it is.
    """

    __slots__ = (
        "_delayed",
        "_dirty",
        "_due",
        "_epoch",
        "_failures",
        "_keeps_delayed",
        "_latency",
        "_loop",
        "_reconcile",
        "_running",
        "_timing",
    )

    def __init__(
        self,
        loop: EventLoop,
        timing: Timing,
        latency: int,
        reconcile: Callable[[str], Work | None],
        *,
        keeps_delayed: bool = False,
    ) -> None:
        self._loop = loop
        self._timing = timing
        self._latency = latency
        self._reconcile = reconcile
        self._keeps_delayed = keeps_delayed
        self._due: dict[str, int] = {}
        self._delayed: dict[str, int] = {}
        self._running: dict[str, None] = {}
        self._dirty: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._epoch = 0

    def add(self, key: str) -> None:
        """Reconcile a key soon."""
        self.add_after(key, 0)

    def add_after(self, key: str, delay: int) -> None:
        """Reconcile a key later, unless it is reconciled earlier anyway."""
        if self._keeps_delayed and delay > 0:
            self._add_delayed(key, self._loop.now + delay)
            return
        delay += self._latency
        due = self._loop.now + delay
        current = self._due.get(key)
        if current is not None and current <= due:
            return
        self._due[key] = due
        self._loop.after(delay, partial(self._fire, key, due, self._epoch))

    def is_idle(self, key: str) -> bool:
        """Tell whether a key is neither reconciled nor about to be."""
        return not any(key in held for held in (self._due, self._delayed, self._running))

    def _add_delayed(self, key: str, due: int) -> None:
        current = self._delayed.get(key)
        if current is not None and current <= due:
            return
        self._delayed[key] = due
        epoch = self._epoch

        def pass_on() -> None:
            if epoch == self._epoch and self._delayed.get(key) == due:
                del self._delayed[key]
                self.add(key)

        self._loop.at(due, pass_on)

    def clear(self) -> None:
        """Remove all keys: the controller has stopped."""
        self._epoch += 1
        for held in (self._due, self._delayed, self._running, self._dirty, self._failures):
            held.clear()

    def _fire(self, key: str, due: int, epoch: int) -> None:
        if epoch != self._epoch or self._due.get(key) != due:
            return
        del self._due[key]
        if key in self._running:
            self._dirty[key] = due
            return
        try:
            work = self._reconcile(key)
        except ReconcileError:
            self._retry(key)
            return
        if work is None:
            self._failures.pop(key, None)
            return
        self._running[key] = None
        self._go_on(key, work, self._epoch)

    def _go_on(self, key: str, work: Work, epoch: int) -> None:
        if epoch != self._epoch:
            work.close()
            return
        try:
            delay = next(work)
        except StopIteration as end:
            self._failures.pop(key, None)
            self._end(key)
            again: int = end.value or 0
            if again > 0:
                self.add_after(key, again)
        except ReconcileError:
            self._end(key)
            self._retry(key)
        else:
            self._loop.after(delay, partial(self._go_on, key, work, epoch))

    def _end(self, key: str) -> None:
        self._running.pop(key, None)
        if self._dirty.pop(key, None) is not None:
            self.add(key)

    def _retry(self, key: str) -> None:
        failed = self._failures[key] = self._failures.get(key, 0) + 1
        self.add_after(key, self._timing.retry_after(failed))
