"""An entry: a head of a queue on its way through a scheduling cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from kueuelab.queues import RequeueReason
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.assignment import Assignment, Mode
from kueuelab.scheduler.preemption import Target
from kueuelab.workload import WorkloadState

__all__ = ["Entry", "EntryStatus", "Inadmissible"]

EntryStatus = Literal["", "nominated", "skipped", "preemptionGated", "evicted", "assumed"]

#: What a workload that was not nominated would need, in ``QuotaReserved``'s finer reasons.
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
    """A head, what was found for it, and what became of it.

    Attributes
    ----------
    status
        ``assumed``: quota reserved; ``skipped``: lost to an earlier entry;
        ``preemptionGated``; ``""``: doesn't fit, or is preempting.
    targets
        The workloads that it preempts, or would.
    preempting
        Whether the preemption of ``targets`` was issued.
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
    skip_status_update: bool = False

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

    def nominate(self, assignment: Assignment, targets: list[Target]) -> None:
        """Take over what nomination found."""
        self.assignment = assignment
        self.targets = targets
        self.message = assignment.message
        self.workload.last_assignment = assignment.last

    def skip(self, message: str, *, keep_progress: bool) -> None:
        """Lose to an entry processed earlier."""
        self.status = "skipped"
        self.message = message
        self.requeue_reason = RequeueReason.FAILED_AFTER_NOMINATION
        if not keep_progress:
            self.workload.last_assignment = None

    def __repr__(self) -> str:
        return f"<Entry {self.key} {self.status or self.mode.name}>"
