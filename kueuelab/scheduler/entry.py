"""An entry: a head in a scheduling cycle, and what is decided about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from kueuelab.model import Configuration, FlavorResource
from kueuelab.queues import RequeueReason
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.assignment import Assignment, Mode
from kueuelab.scheduler.preemption import Target
from kueuelab.workload import WorkloadState, queue_order_timestamp

__all__ = ["Entry", "EntryStatus", "Inadmissible"]

EntryStatus = Literal["", "nominated", "skipped", "preemptionGated", "assumed", "evicted"]

#: Why a workload was not nominated, in ``QuotaReserved``'s finer reasons.
MISCONFIGURED: Final = "Misconfigured"


@dataclass(frozen=True, slots=True)
class Inadmissible:
    """Why a workload can't be nominated at all.

    ``silent`` leaves its status alone (an internal failure in Kueue).
    """

    message: str
    quota_reserved_reason: str = MISCONFIGURED
    requeue_reason: RequeueReason = RequeueReason.GENERIC
    silent: bool = False


@dataclass(slots=True, eq=False)
class Entry:
    """A head, what nomination found for it, and what processing decided.

    Attributes
    ----------
    status
        ``assumed``: to be admitted; ``nominated``: could not be; ``skipped``: an earlier
        entry took its quota or targets; ``preemptionGated``; ``evicted``: no node replaces one
        that failed; ``""``: doesn't fit, or preempts.
    second_pass
        Counts the passes of a workload that has quota already; 0 for the first.
    targets
        The workloads that it preempts, or would; and first the slice that it replaces, if that
        holds quota.
    replaces
        The key of the slice of an elastic job that it replaces; ``""`` if it replaces none.
    preempting
        Whether the preemption of ``targets`` is issued.
    migrates_from
        The variant of the same workload, with a less preferred flavor, that is evicted for it.
    reserved
        The quota that later entries of the cycle could not use because of it.
    message
        Why it was not admitted.
    """

    workload: WorkloadState
    cluster_queue: str
    queue: ClusterQueueNode | None = None
    is_preemptor: bool = False
    assignment: Assignment | None = None
    status: EntryStatus = ""
    message: str = ""
    requeue_reason: RequeueReason = RequeueReason.GENERIC
    quota_reserved_reason: str = ""
    targets: list[Target] = field(default_factory=list)
    preempting: bool = False
    migrates_from: WorkloadState | None = None
    reserved: Mapping[FlavorResource, int] = field(default_factory=dict)
    skip_status_update: bool = False
    second_pass: int = 0
    replaces: str = ""

    @property
    def mode(self) -> Mode:
        """How the assignment fits."""
        return Mode.NoFit if self.assignment is None else self.assignment.mode

    @property
    def borrowing(self) -> int:
        """How far the assignment borrows: 0 not at all."""
        return 0 if self.assignment is None else self.assignment.borrowing

    @property
    def key(self) -> str:
        """The workload's key."""
        return self.workload.key

    @property
    def node(self) -> ClusterQueueNode:
        """The ClusterQueue in the quota tree, which every nominated entry has."""
        assert self.queue is not None
        return self.queue

    @property
    def replaced(self) -> Target | None:
        """The slice of the same job among its targets, which finishes once this one has quota."""
        if not self.replaces:
            return None
        return next((t for t in self.targets if t.workload.key == self.replaces), None)

    @property
    def preempted(self) -> list[Target]:
        """Its targets without the slice that it replaces: that one is not preempted."""
        replaced = self.replaced
        if replaced is None:
            return self.targets
        others = list(self.targets)
        others.remove(replaced)
        return others

    def numbers(self, configuration: Configuration) -> dict[str, int]:
        """Return what orders entries besides shares, for the record."""
        return {
            "borrowing": self.borrowing,
            "priority": self.workload.priority,
            "queuedAt": queue_order_timestamp(self.workload, configuration),
        }

    def reject(self, obstacle: Inadmissible) -> None:
        """Note why it is not nominated."""
        self.message = obstacle.message
        self.quota_reserved_reason = obstacle.quota_reserved_reason
        self.requeue_reason = obstacle.requeue_reason
        self.skip_status_update = obstacle.silent

    def record_assignment(self, assignment: Assignment, targets: list[Target]) -> None:
        """Note what nomination found."""
        self.assignment = assignment
        self.targets = targets
        self.message = assignment.message
        self.workload.last_assignment = assignment.last

    def skip(
        self, message: str, *, keep_progress: bool, quota_reserved_reason: str = "WaitingForQuota"
    ) -> None:
        """Note that it is skipped: mostly an earlier entry took its quota or its targets."""
        self.status = "skipped"
        self.message = message
        self.quota_reserved_reason = quota_reserved_reason
        self.requeue_reason = RequeueReason.FAILED_AFTER_NOMINATION
        if not keep_progress:
            self.workload.last_assignment = None

    def gate_preemption(self) -> None:
        """Note that it would have to preempt, which its preemption gates don't allow."""
        self.status = "preemptionGated"
        self.message = "Workload requires preemption, but it's gated"
        self.quota_reserved_reason = "AdmissionGated"
        self.requeue_reason = RequeueReason.PREEMPTION_GATED
        self.workload.last_assignment = None

    def fail_replacement(self) -> None:
        """Note that it is evicted: there is no place for its pods of a node that failed."""
        self.status = "evicted"

    def defer(self) -> None:
        """Note that it fits after preemptions that other entries of the cycle issue."""
        self.message = (
            "Workload has overlapping preemption targets with another workload, "
            "but will fit after these preemptions complete"
        )
        self._wait_for_preempted()

    def preempt(self) -> None:
        """Note that it preempts its targets."""
        self.preempting = True
        self.message += f". Pending the preemption of {len(self.preempted)} workload(s)"
        self._wait_for_preempted()

    def migrate(self, sibling: WorkloadState) -> None:
        """Note that a variant with a less preferred flavor is evicted for it."""
        self.migrates_from = sibling
        self.message += ". Pending the migration of 1 workload(s)"
        self._wait_for_preempted()
        self.requeue_reason = RequeueReason.PENDING_MIGRATION

    def refuse_migration(self) -> None:
        """Note that its flavor is none that the workload may migrate to."""
        self.message = "Target flavor is below LastAcceptableFlavorName"
        self.quota_reserved_reason = "PendingEvaluation"

    def _wait_for_preempted(self) -> None:
        self.quota_reserved_reason = "WaitingForPreemptedWorkloads"
        self.requeue_reason = RequeueReason.PENDING_PREEMPTION
        self.workload.last_assignment = None

    def __repr__(self) -> str:
        return f"<Entry {self.key} {self.status or self.mode.name}>"
