"""A LocalQueue, as far as queueing is concerned."""

from __future__ import annotations

from kueuelab.queues.pending import PendingWorkloads
from kueuelab.workload import WorkloadState

__all__ = ["LocalQueueItems"]


class LocalQueueItems:
    """The pending workloads that name a LocalQueue, and the ClusterQueue they wait for.

    The workload that is in flight is not among them.
    """

    __slots__ = ("cluster_queue", "items")

    def __init__(self, cluster_queue: str) -> None:
        self.cluster_queue = cluster_queue
        self.items: dict[str, WorkloadState] = {}

    def fill(self, queue: PendingWorkloads | None) -> None:
        """Put all workloads into the queue of the ClusterQueue, if there is one."""
        if queue is not None:
            for workload in self.items.values():
                queue.push_if_untracked(workload)

    def empty(self, queue: PendingWorkloads | None) -> None:
        """Take all workloads out of the queue of the ClusterQueue."""
        if queue is not None:
            for key in self.items:
                queue.delete(key)
