"""What a scheduling cycle needs of the cluster around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from kueuelab.queues import Head
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.entry import Entry, Inadmissible
from kueuelab.workload import WorkloadState

__all__ = ["ClusterAccess"]


class ClusterAccess(Protocol):
    """Where a cycle gets its heads from, and what carries out what it decides."""

    __slots__ = ()

    def heads(self) -> Sequence[Head]:
        """Pop the heads of the queues."""

    def is_inactive(self, cluster_queue: str) -> bool:
        """Tell whether a ClusterQueue can't admit at the moment."""

    def obstacle(self, workload: WorkloadState, queue: ClusterQueueNode) -> Inadmissible | None:
        """Return why a head can't be nominated in its ClusterQueue, ``None`` if it can."""

    def delays_topology(self, workload: WorkloadState, cluster_queue: str, flavor: str) -> bool:
        """Tell whether domains of a flavor are assigned later, or by another cluster."""

    def preempt(self, entry: Entry) -> None:
        """Issue the preemption of an entry's targets."""

    def migrate(self, entry: Entry) -> None:
        """Evict the variant that a workload migrates from."""

    def wait_for_pods_ready(self, entry: Entry) -> Iterator[Entry]:
        """Yield an entry as long as pods of other workloads must become ready first."""

    def evict_unreplaced(self, entry: Entry) -> None:
        """Evict an entry with pods on a failed node that no other node replaces."""

    def admit(self, entry: Entry) -> None:
        """Reserve quota for an entry; admit it if there is no check to wait for."""

    def requeue(self, entry: Entry) -> None:
        """Give a head back to its queue, and write on the workload why it is pending."""
