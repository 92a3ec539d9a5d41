"""What follows the writes in a cluster: the manager's controllers, and the log of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kueuelab.multikueue.jobs import Job
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["Observer"]


class Observer(Protocol):
    """Receives each write in a cluster, when it happens."""

    def workload_written(self, member: MemberCluster, key: str) -> None:
        """A Workload was created, written or deleted."""

    def job_written(self, member: MemberCluster, job: Job, gone: bool) -> None:
        """A job was created, written or deleted."""

    def objects_written(self, member: MemberCluster) -> None:
        """Other objects changed, or the status of queues may have."""
