"""What a search by fair sharing records: its candidates, and the shares it compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kueuelab.quota import ClusterQueueNode, CohortNode, Node, Share
from kueuelab.scheduler.preemption.recorded import compared, usage_of
from kueuelab.scheduler.preemption.search import Search
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState

__all__ = ["Sides", "record_candidates", "record_shares", "record_weight_zero", "sides_of"]


@dataclass(frozen=True, slots=True)
class Sides:
    """The two nodes whose shares are held against each other: children of ``cohort``.

    One is on the way to the preemptor's ClusterQueue, the other on the way to the target's.
    """

    cohort: CohortNode
    mine: Node
    theirs: Node


def sides_of(cohort: CohortNode, mine: ClusterQueueNode, theirs: ClusterQueueNode) -> Sides:
    """Return the children of ``cohort`` on the ways to two ClusterQueues."""
    return Sides(cohort, _child_towards(cohort, mine), _child_towards(cohort, theirs))


def _child_towards(cohort: CohortNode, queue: ClusterQueueNode) -> Node:
    node: Node = queue
    while node.parent is not cohort:
        assert node.parent is not None
        node = node.parent
    return node


def _named(node: Node) -> str:
    """Return kind and name, since a Cohort may be called like a ClusterQueue."""
    return f"{'Cohort' if isinstance(node, CohortNode) else 'ClusterQueue'}/{node.name}"


def record_shares(
    search: Search,
    candidate: WorkloadState,
    strategy: str,
    sides: Sides,
    shares: tuple[Share, Share, Share | None],
    *,
    passed: bool,
) -> None:
    """Record what a strategy made of the preemptor's share, and the target's old and new one."""
    if search.recorder is None:
        return
    mine, theirs, left = shares
    search.record(
        steps.SharesCompared(
            candidate.key,
            candidate.cluster_queue,
            strategy,
            mine.weighted,
            theirs.weighted,
            None if left is None else left.weighted,
            passed,
            sides.cohort.name,
            _named(sides.mine),
            _named(sides.theirs),
        )
    )


def record_weight_zero(search: Search, candidate: WorkloadState, sides: Sides) -> None:
    """Record that a borrower of weight 0 leaves a candidate alone whose node has a weight."""
    if search.recorder is None:
        return
    numbers = {"preemptorNode": _named(sides.mine), "targetNode": _named(sides.theirs)}
    search.record(steps.CandidatePassedOver(candidate.key, "preemptor-weight-zero", numbers))


def record_candidates(search: Search, within_reach: Mapping[str, str]) -> None:
    """Record the verdict on every workload of the tree.

    ``within_reach`` has the policy for each ClusterQueue that may be taken from.
    """
    root = search.queue.root
    queues = root.cluster_queues() if isinstance(root, CohortNode) else iter((search.queue,))
    for queue in queues:
        if queue.name not in within_reach:
            own = queue is search.queue
            policy = search.queue.preemption
            never = "Never" in (
                policy.within_cluster_queue if own else policy.reclaim_within_cohort,
            )
            rule = "policy-never" if never else "not-borrowing"
            search.record(steps.QueueSkipped(queue.name, rule, usage_of(search, queue)))
            continue
        for workload in (*queue.candidates.evicted(), *queue.candidates.others()):
            rule = search.spared(within_reach[queue.name], workload)
            search.record(
                steps.CandidateConsidered(
                    workload.key,
                    queue.name,
                    included=not rule,
                    rule=rule or f"policy-{within_reach[queue.name]}",
                    variant="",
                    numbers=compared(search, within_reach[queue.name], workload),
                )
            )
