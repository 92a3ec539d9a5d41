"""The numbers in the steps that a search for targets records."""

from __future__ import annotations

from typing import Any

from kueuelab.quota import ClusterQueueNode, CohortNode, Node
from kueuelab.quota.candidates import uses_any
from kueuelab.scheduler.preemption.search import Search
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState, queue_order_timestamp

__all__ = ["compared", "started", "usage_of"]


def started(search: Search, strategies: tuple[str, ...]) -> steps.PreemptionStarted:
    """Return the step with which a search begins: the same facts as of an earlier one like it."""
    recorder, queue = search.recorder, search.queue
    assert recorder is not None
    usage = tuple([(flavor, name, value) for (flavor, name), value in search.usage.items()])
    quotas = tuple(
        [(*fr, queue.usage.get(fr, 0), queue.quota(fr).nominal) for fr in search.contested]
    )
    key = ("started", search.purpose, usage, search.contested, strategies, queue.preemption, quotas)
    return recorder.once(
        key,
        lambda: steps.PreemptionStarted(
            search.purpose, usage, search.contested, strategies, _policies(queue), quotas
        ),
    )


def _policies(queue: ClusterQueueNode) -> dict[str, Any]:
    """Return a ClusterQueue's ``spec.preemption``."""
    preemption = queue.preemption
    found: dict[str, Any] = {
        "withinClusterQueue": preemption.within_cluster_queue,
        "reclaimWithinCohort": preemption.reclaim_within_cohort,
    }
    borrow = preemption.borrow_within_cohort
    if borrow is not None:
        found["borrowWithinCohort"] = borrow.policy
        if borrow.max_priority_threshold is not None:
            found["maxPriorityThreshold"] = borrow.max_priority_threshold
    return found


def compared(search: Search, policy: str, candidate: WorkloadState) -> dict[str, Any]:
    """Return what the policies compare preemptor and candidate by."""
    found: dict[str, Any] = {
        "policy": policy,
        "candidatePriority": candidate.priority,
        "preemptorPriority": search.workload.priority,
    }
    if policy == "LowerOrNewerEqualPriority" and candidate.priority == search.workload.priority:
        found["candidateQueuedAt"] = queue_order_timestamp(candidate, search.configuration)
        found["preemptorQueuedAt"] = queue_order_timestamp(search.workload, search.configuration)
    if not uses_any(candidate, search.contested):
        found["contested"] = [list(fr) for fr in search.contested]
    borrow = search.queue.preemption.borrow_within_cohort
    if candidate.cluster_queue != search.queue.name and borrow is not None:
        found["borrowWithinCohort"] = borrow.policy
        if borrow.max_priority_threshold is not None:
            found["maxPriorityThreshold"] = borrow.max_priority_threshold
    return found


def usage_of(search: Search, node: Node) -> dict[str, Any]:
    """Return what a node uses of the contested resources, and the quota of its subtree."""
    return {
        "node": "Cohort" if isinstance(node, CohortNode) else "ClusterQueue",
        "usage": [
            [*fr, int(node.usage.get(fr, 0)), int(node.subtree_quota.get(fr, 0))]
            for fr in search.contested
        ],
    }
