"""Preemption with fair sharing: from whoever has the largest share (KEP-1714).

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#fair-sharing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from types import MappingProxyType
from typing import Final

from kueuelab.quota import (
    NO_SHARE,
    ClusterQueueNode,
    CohortNode,
    Node,
    Share,
    compare_shares,
    dominant_resource_share,
)
from kueuelab.quota.candidates import candidate_key
from kueuelab.scheduler.preemption.fair_log import (
    record_candidates,
    record_shares,
    record_weight_zero,
    sides_of,
)
from kueuelab.scheduler.preemption.search import Reason, Search, Target, fill_back
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState

__all__ = ["STRATEGIES", "Strategy", "find_targets"]

#: Says whether to preempt, given the preemptor's new share, and the target's old and new one.
Strategy = Callable[[Share, Share, Share], bool]


def less_than_or_equal_to_final_share(
    preemptor_new: Share, target_old: Share, target_new: Share
) -> bool:
    """Rule S2-a: the preemptor's share stays at most what the target is left with."""
    return compare_shares(preemptor_new, target_new) <= 0


def less_than_initial_share(preemptor_new: Share, target_old: Share, target_new: Share) -> bool:
    """Rule S2-b: the preemptor's share stays below what the target had."""
    return compare_shares(preemptor_new, target_old) < 0


#: The strategies by their name in ``fairSharing.preemptionStrategies``.
STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType(
    {
        "LessThanOrEqualToFinalShare": less_than_or_equal_to_final_share,
        "LessThanInitialShare": less_than_initial_share,
    }
)


class _Supply:
    """Candidates of one ClusterQueue, taken from the front."""

    __slots__ = ("_ahead", "_rest")

    def __init__(self, candidates: Iterable[WorkloadState]) -> None:
        self._rest = iter(candidates)
        self._ahead: deque[WorkloadState] = deque()

    def __bool__(self) -> bool:
        if not self._ahead:
            following = next(self._rest, None)
            if following is not None:
                self._ahead.append(following)
        return bool(self._ahead)

    def first(self) -> WorkloadState:
        """Return the next candidate; there must be one."""
        assert self
        return self._ahead[0]

    def pop(self) -> WorkloadState:
        """Take the next candidate; there must be one."""
        assert self
        return self._ahead.popleft()


class _Ordering:
    """Which ClusterQueue to take from next: down the tree, always where the share is largest.

    Nodes that can't give anything any more are pruned; the search ends when the root is.
    """

    def __init__(self, search: Search, supplies: dict[str, _Supply]) -> None:
        self._search = search
        self.supplies = supplies
        self._above = {cohort.name for cohort in search.queue.ancestors()}
        self._pruned: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[ClusterQueueNode]:
        queue = self._search.queue
        if queue.parent is None:
            while self.supply(queue) and not self._is_pruned(queue):
                yield queue
            return
        root = queue.root
        assert isinstance(root, CohortNode)
        while not self._is_pruned(root):
            following = self._next(root)
            if following is not None:
                yield following

    def supply(self, queue: ClusterQueueNode) -> _Supply:
        """Return what a ClusterQueue still has to give."""
        return self.supplies.setdefault(queue.name, _Supply(()))

    def drop(self, queue: ClusterQueueNode) -> None:
        """Take no more from a ClusterQueue."""
        self._prune(queue)

    def meeting_point(self, queue: ClusterQueueNode) -> CohortNode:
        """Return the lowest cohort above both the preemptor's queue and ``queue``."""
        return next(cohort for cohort in queue.ancestors() if cohort.name in self._above)

    def _prune(self, node: Node) -> None:
        self._pruned.add((type(node).__name__, node.name))

    def _is_pruned(self, node: Node) -> bool:
        return (type(node).__name__, node.name) in self._pruned

    def _next(self, cohort: CohortNode) -> ClusterQueueNode | None:
        queue, queue_share = self._highest_queue(cohort)
        child, child_share = self._highest_cohort(cohort)
        if queue is None and child is None:
            self._prune(cohort)
            return None
        # In a tie the cohort: further down there is somebody still more unfair.
        if child is not None and compare_shares(child_share, queue_share) >= 0:
            return self._next(child)
        return queue

    def _highest_queue(self, cohort: CohortNode) -> tuple[ClusterQueueNode | None, Share]:
        highest: ClusterQueueNode | None = None
        highest_share = NO_SHARE
        for queue in cohort.sorted_queues:
            if self._is_pruned(queue):
                continue
            share = dominant_resource_share(queue)
            own = queue is self._search.queue
            if not (share.borrowing or own) or not self.supply(queue):
                self._prune(queue)
                continue
            order = compare_shares(share, highest_share)
            if order == 0 and highest is not None:
                if self._order(queue) < self._order(highest):
                    highest = queue
            elif order > 0:
                highest, highest_share = queue, share
        return highest, highest_share

    def _highest_cohort(self, cohort: CohortNode) -> tuple[CohortNode | None, Share]:
        highest: CohortNode | None = None
        highest_share = NO_SHARE
        for child in cohort.sorted_cohorts:
            if self._is_pruned(child):
                continue
            share = dominant_resource_share(child)
            # Above the preemptor there may be imbalance even if the whole isn't borrowing.
            if not share.borrowing and child.name not in self._above:
                self._prune(child)
            elif compare_shares(share, highest_share) >= 0:
                highest, highest_share = child, share
        return highest, highest_share

    def _order(self, queue: ClusterQueueNode) -> tuple[bool, bool, tuple[int, int, str]]:
        first = self.supply(queue).first()
        return not first.is_evicted, queue is self._search.queue, candidate_key(first)


def find_targets(search: Search) -> list[Target]:
    """Return the workloads to preempt, empty if preemption can't make the preemptor fit."""
    strategies = _strategies(search)
    supplies = _supplies(search)
    if search.recorder is not None:
        record_candidates(search, {queue.name: policy for queue, policy in _queues(search)})
    if not any(supplies.values()):
        return []
    tree = search.tree
    mark = tree.mark()
    # Shares are compared as they would be with the preemptor admitted.
    tree.add_usage(search.queue, search.usage)
    fits, targets, spared = _first_strategy(search, supplies, strategies[0])
    if not fits and len(strategies) > 1:
        fits = _second_strategy(search, spared, targets)
    if fits:
        tree.remove_usage(search.queue, search.usage)
        targets = fill_back(search, targets, borrowing=True)
    tree.undo(mark)
    return targets if fits else []


def _strategies(search: Search) -> tuple[str, ...]:
    fair_sharing = search.configuration.fair_sharing
    assert fair_sharing is not None
    return tuple(fair_sharing.preemption_strategies) or tuple(STRATEGIES)


def _supplies(search: Search) -> dict[str, _Supply]:
    return {queue.name: _Supply(_candidates(search, queue, p)) for queue, p in _queues(search)}


def _queues(search: Search) -> Iterator[tuple[ClusterQueueNode, str]]:
    """Yield the ClusterQueues to take from, with the policy that holds there."""
    queue = search.queue
    preemption = queue.preemption
    if preemption.within_cluster_queue != "Never":
        yield queue, preemption.within_cluster_queue
    root = queue.root
    if not isinstance(root, CohortNode) or preemption.reclaim_within_cohort == "Never":
        return
    for other in root.cluster_queues():
        if other is not queue and other.is_borrowing(search.contested):
            yield other, preemption.reclaim_within_cohort


def _candidates(search: Search, queue: ClusterQueueNode, policy: str) -> Iterator[WorkloadState]:
    yield from search.in_reach(policy, queue.candidates.evicted())
    yield from search.in_reach(policy, queue.candidates.others())


def _fits(search: Search) -> bool:
    """Tell whether the preemptor fits, its usage being in the tree already."""
    tree = search.tree
    mark = tree.mark()
    tree.remove_usage(search.queue, search.usage)
    verdict = search.fits(borrowing=True)
    tree.undo(mark)
    return verdict


def _first_strategy(
    search: Search, supplies: dict[str, _Supply], strategy: str
) -> tuple[bool, list[Target], list[WorkloadState]]:
    """Take by the first strategy; return whether it fits, the targets, who was spared."""
    ordering = _Ordering(search, supplies)
    targets: list[Target] = []
    spared: list[WorkloadState] = []
    entitled = search.configuration.gates[
        "FairSharingPreemptWithinNominal"
    ] and not search.queue.is_borrowing(search.contested)
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing=True, strategy=strategy))

    def take(workload: WorkloadState, reason: str) -> bool:
        target = Target(workload, reason)
        search.remove(target)
        targets.append(target)
        return _fits(search)

    for queue in ordering:
        supply = ordering.supply(queue)
        if queue is search.queue or entitled:
            own = queue is search.queue
            reason = Reason.IN_CLUSTER_QUEUE if own else Reason.IN_COHORT_RECLAMATION
            if take(supply.pop(), reason):
                return True, targets, []
            continue
        sides = sides_of(ordering.meeting_point(queue), search.queue, queue)
        mine = dominant_resource_share(sides.mine)
        theirs = dominant_resource_share(sides.theirs)
        if mine.weighted == inf and theirs.weighted != inf:
            # A borrower of weight 0 wins against nobody who isn't one.
            while supply:
                spared.append(supply.pop())
                record_weight_zero(search, spared[-1], sides)
            continue
        while supply:
            candidate = supply.pop()
            left = _share_without(search, queue, candidate, sides.theirs)
            passed = STRATEGIES[strategy](mine, theirs, left)
            record_shares(search, candidate, strategy, sides, (mine, theirs, left), passed=passed)
            if passed:
                if take(candidate, Reason.IN_COHORT_FAIR_SHARING):
                    return True, targets, []
                break
            spared.append(candidate)
    return False, targets, spared


def _second_strategy(
    search: Search, spared: Iterable[WorkloadState], targets: list[Target]
) -> bool:
    """Take by rule S2-b, once per ClusterQueue, from whom the first strategy spared."""
    by_queue: dict[str, list[WorkloadState]] = {}
    for workload in spared:
        by_queue.setdefault(workload.cluster_queue, []).append(workload)
    ordering = _Ordering(search, {name: _Supply(them) for name, them in by_queue.items()})
    strategy = "LessThanInitialShare"
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing=True, strategy=strategy))
    for queue in ordering:
        candidate = ordering.supply(queue).pop()
        sides = sides_of(ordering.meeting_point(queue), search.queue, queue)
        mine = dominant_resource_share(sides.mine)
        theirs = dominant_resource_share(sides.theirs)
        passed = less_than_initial_share(mine, theirs, theirs)
        record_shares(search, candidate, strategy, sides, (mine, theirs, None), passed=passed)
        if passed:
            target = Target(candidate, Reason.IN_COHORT_FAIR_SHARING)
            search.remove(target)
            targets.append(target)
            if _fits(search):
                return True
        ordering.drop(queue)
    return False


def _share_without(
    search: Search, queue: ClusterQueueNode, candidate: WorkloadState, node: Node
) -> Share:
    """Return the share of a node above ``queue`` if the candidate were gone."""
    tree = search.tree
    mark = tree.mark()
    tree.remove_usage(queue, tree.booked_usage(candidate.key))
    share = dominant_resource_share(node)
    tree.undo(mark)
    return share
