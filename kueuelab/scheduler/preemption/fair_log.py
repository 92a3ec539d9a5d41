"""The steps that a search with fair sharing records: candidates, and compared shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kueuelab.quota import ClusterQueueNode, CohortNode, Node, Share
from kueuelab.scheduler.preemption.recorded import compared, usage_of
from kueuelab.scheduler.preemption.search import Search
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState

__all__ = [
    "ComparedNodes",
    "compared_nodes",
    "record_candidates",
    "record_shares",
    "record_weight_zero",
]


class ComparedNodes(NamedTuple):
    """The nodes whose shares are compared: KEP-1714's almost-LCAs.

    Both are children of the lowest common ancestor: ``preemptor`` towards the preemptor's
    ClusterQueue, ``target`` towards the target's.
    """

    lowest_common_ancestor: CohortNode
    preemptor: Node
    target: Node


def compared_nodes(
    lowest_common_ancestor: CohortNode, preemptor: ClusterQueueNode, target: ClusterQueueNode
) -> ComparedNodes:
    """Return the nodes whose shares are compared for two ClusterQueues."""
    return ComparedNodes(
        lowest_common_ancestor,
        _child_towards(lowest_common_ancestor, preemptor),
        _child_towards(lowest_common_ancestor, target),
    )


def _child_towards(cohort: CohortNode, queue: ClusterQueueNode) -> Node:
    node: Node = queue
    while node.parent is not cohort:
        assert node.parent is not None
        node = node.parent
    return node


def _named(node: Node) -> str:
    """Return kind and name: a Cohort may have the name of a ClusterQueue."""
    return f"{'Cohort' if isinstance(node, CohortNode) else 'ClusterQueue'}/{node.name}"


def record_shares(
    search: Search,
    candidate: WorkloadState,
    strategy: str,
    nodes: ComparedNodes,
    shares: tuple[Share, Share, Share | None],
    *,
    passed: bool,
) -> None:
    """Record a strategy's verdict on the preemptor's new share and the target's old and new one."""
    if search.recorder is None:
        return
    preemptor_new, target_old, target_new = shares
    search.record(
        steps.SharesCompared(
            candidate.key,
            candidate.cluster_queue,
            strategy,
            preemptor_new.weighted,
            target_old.weighted,
            None if target_new is None else target_new.weighted,
            passed,
            nodes.lowest_common_ancestor.name,
            _named(nodes.preemptor),
            _named(nodes.target),
        )
    )


def record_weight_zero(search: Search, candidate: WorkloadState, nodes: ComparedNodes) -> None:
    """Record that a preemptor of weight 0 excludes a candidate whose node has a weight."""
    if search.recorder is None:
        return
    numbers = {"preemptorNode": _named(nodes.preemptor), "targetNode": _named(nodes.target)}
    search.record(steps.CandidatePassedOver(candidate.key, "preemptor-weight-zero", numbers))


def record_candidates(search: Search, policy_by_queue: Mapping[str, str]) -> None:
    """Record the verdict on every workload of the tree.

    ``policy_by_queue`` has the policy for each ClusterQueue that may have candidates.
    """
    root = search.queue.root
    queues = root.cluster_queues() if isinstance(root, CohortNode) else iter((search.queue,))
    for queue in queues:
        if queue.name not in policy_by_queue:
            own = queue is search.queue
            policy = search.queue.preemption
            never = "Never" in (
                policy.within_cluster_queue if own else policy.reclaim_within_cohort,
            )
            rule = "policy-never" if never else "not-borrowing"
            search.record(steps.QueueSkipped(queue.name, rule, usage_of(search, queue)))
            continue
        for workload in (*queue.candidates.evicted(), *queue.candidates.others()):
            rule = search.exclusion_rule(policy_by_queue[queue.name], workload)
            search.record(
                steps.CandidateConsidered(
                    workload.key,
                    queue.name,
                    included=not rule,
                    rule=rule or f"policy-{policy_by_queue[queue.name]}",
                    variant="",
                    numbers=compared(search, policy_by_queue[queue.name], workload),
                )
            )
