"""``preemption.borrowWithinCohort``: preempting in other queues while borrowing.

Its ``maxPriorityThreshold`` limits the priority of the candidates.
"""

from __future__ import annotations

from kueuelab.quota import ClusterQueueNode
from kueuelab.workload import WorkloadState

__all__ = ["allowed_while_borrowing", "borrowing_forbidden"]


def borrowing_forbidden(queue: ClusterQueueNode) -> bool:
    """Tell whether a workload that needs to borrow may not preempt in other queues."""
    policy = queue.preemption.borrow_within_cohort
    return policy is None or policy.policy == "Never"


def allowed_while_borrowing(
    queue: ClusterQueueNode, preemptor: WorkloadState, candidate: WorkloadState
) -> bool:
    """Tell whether a preemptor of the queue may borrow and preempt this candidate."""
    policy = queue.preemption.borrow_within_cohort
    if policy is None or policy.policy == "Never":
        return False
    threshold = policy.max_priority_threshold
    within_threshold = threshold is None or candidate.priority <= threshold
    return within_threshold and candidate.priority < preemptor.priority
