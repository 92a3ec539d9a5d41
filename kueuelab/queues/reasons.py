"""Why the scheduler requeues a workload."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = [
    "BULK_MOVE_REASONS",
    "IMMEDIATE_REASONS",
    "PENDING_EVALUATION",
    "PREEMPTOR_REASONS",
    "RequeueReason",
]


class RequeueReason(StrEnum):
    """Why a head was not admitted, as far as its queue needs to know.

    Examples
    --------
    >>> RequeueReason.NO_FIT == "NoFit"
    True
    >>> RequeueReason("")
    <RequeueReason.GENERIC: ''>
    """

    GENERIC = ""
    FAILED_AFTER_NOMINATION = "FailedAfterNomination"
    NAMESPACE_MISMATCH = "NamespaceMismatch"
    PREEMPTION_GATED = "PreemptionGated"
    PENDING_PREEMPTION = "PendingPreemption"
    PENDING_MIGRATION = "PendingMigration"
    PREEMPTION_FAILED = "PreemptionFailed"
    NO_FIT = "NoFit"
    PREEMPTION_NO_CANDIDATES = "PreemptionNoCandidates"


#: With these a BestEffortFIFO queue tries the workload again in the next cycle.
IMMEDIATE_REASONS: Final = frozenset(
    {
        RequeueReason.FAILED_AFTER_NOMINATION,
        RequeueReason.PENDING_PREEMPTION,
        RequeueReason.PENDING_MIGRATION,
        RequeueReason.PREEMPTION_FAILED,
    }
)

#: With these the workload becomes its queue's preemptor: it waits for those it preempted.
PREEMPTOR_REASONS: Final = frozenset(
    {RequeueReason.PENDING_PREEMPTION, RequeueReason.PENDING_MIGRATION}
)

#: With these every workload of the same scheduling hash meets the same obstacle.
BULK_MOVE_REASONS: Final = frozenset({RequeueReason.NO_FIT, RequeueReason.PREEMPTION_NO_CANDIDATES})

#: The reason noted for a bulk move where the scheduler gave none.
PENDING_EVALUATION: Final = "PendingEvaluation"
