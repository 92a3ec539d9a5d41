"""Workloads with quota that the scheduler has to look at again: their second pass.

A workload whose topology was to be assigned once its checks are ready has one, and a workload
with pods on a node that failed. See Kueue's ``second_pass_queue.go`` and KEP-2724.
"""

from __future__ import annotations

from typing import Final

from kueuelab.model.times import SECOND
from kueuelab.queues.head import Head
from kueuelab.workload import WorkloadState

__all__ = ["SecondPassQueue", "backoff"]

_LONGEST: Final = 30 * SECOND


def backoff(iteration: int) -> int:
    """Return how long a workload waits for its second pass, in nanoseconds.

    Examples
    --------
    >>> [backoff(iteration) // SECOND for iteration in range(1, 8)]
    [1, 2, 4, 8, 16, 30, 30]
    """
    return min(SECOND << min(iteration - 1, 10), _LONGEST)


class SecondPassQueue:
    """Workloads that wait for a second pass, and those whose wait is over.

    The scheduler sees a workload as it was when its wait began.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, Resources, Workload
    >>> state = WorkloadState(Workload(ObjectMeta("a", namespace="default")), Resources())
    >>> queue = SecondPassQueue()
    >>> queue.wait(state), queue.wait(state)
    (True, False)
    >>> queue.end_wait(state.key, 1)
    >>> [(head.workload.key, head.second_pass) for head in queue.heads()]
    [('default/a', 1)]
    """

    __slots__ = ("_ready", "_waiting")

    def __init__(self) -> None:
        self._waiting: dict[str, WorkloadState] = {}
        self._ready: dict[str, Head] = {}

    def wait(self, workload: WorkloadState) -> bool:
        """Let a workload wait for a second pass; tell whether it didn't wait already."""
        if workload.key in self._waiting:
            return False
        self._waiting[workload.key] = workload.snapshot()
        return True

    def end_wait(self, key: str, iteration: int) -> None:
        """Let a workload compete in the next cycle, unless its wait was given up."""
        workload = self._waiting.pop(key, None)
        if workload is not None:
            self._ready[key] = Head(workload, workload.cluster_queue, second_pass=iteration)

    def delete(self, key: str) -> None:
        """Give up the second pass of a workload, if it has one."""
        if self._waiting:
            self._waiting.pop(key, None)
        if self._ready:
            self._ready.pop(key, None)

    def heads(self) -> list[Head]:
        """Pop the workloads whose wait is over, by ClusterQueue, then by key."""
        if not self._ready:
            return []
        heads = sorted(self._ready.values(), key=lambda h: (h.cluster_queue, h.workload.key))
        self._ready = {}
        return heads

    def has_heads(self) -> bool:
        """Tell whether the wait of some workload is over."""
        return bool(self._ready)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The keys of the workloads that wait."""
        return tuple(self._waiting)
