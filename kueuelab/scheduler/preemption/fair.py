"""Preemption with fair sharing: from the ClusterQueue with the largest share (KEP-1714).

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#fair-sharing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from types import MappingProxyType
from typing import Final, TypeAlias

from kueuelab.model import FlavorResource
from kueuelab.quota import (
    ClusterQueueNode,
    Node,
    Share,
    compare_shares,
    dominant_resource_share,
    share_with,
)
from kueuelab.quota.candidates import Place
from kueuelab.scheduler.preemption.candidate_queue import CandidatesByQueue
from kueuelab.scheduler.preemption.fair_log import (
    record_candidates,
    record_shares,
    record_weight_zero,
)
from kueuelab.scheduler.preemption.fair_ordering import TargetOrdering
from kueuelab.scheduler.preemption.search import Reason, Search, Target, fill_back
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState

__all__ = ["STRATEGIES", "Strategy", "find_targets", "strategies_of"]

#: The candidates that failed a strategy, in order, ClusterQueue by ClusterQueue.
_Failed: TypeAlias = list[tuple[ClusterQueueNode, list[Place]]]

#: Says whether to preempt, given the preemptor's new share, and the target's old and new one.
Strategy = Callable[[Share, Share, Share], bool]


def less_than_or_equal_to_final_share(
    preemptor_new: Share, target_old: Share, target_new: Share
) -> bool:
    """Rule S2-a: the preemptor's new share is at most the target's new share."""
    return compare_shares(preemptor_new, target_new) <= 0


def less_than_initial_share(preemptor_new: Share, target_old: Share, target_new: Share) -> bool:
    """Rule S2-b: the preemptor's new share is less than the target's old share."""
    return compare_shares(preemptor_new, target_old) < 0


#: The strategies by their name in ``fairSharing.preemptionStrategies``.
STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType(
    {
        "LessThanOrEqualToFinalShare": less_than_or_equal_to_final_share,
        "LessThanInitialShare": less_than_initial_share,
    }
)


def find_targets(search: Search) -> list[Target]:
    """Return the workloads to preempt, empty if preemption can't make the preemptor fit."""
    strategies = strategies_of(search)
    candidates = CandidatesByQueue(search)
    if search.recorder is not None:
        policies = candidates.policies()
        record_candidates(search, {queue.name: policy for queue, policy in policies})
        if not any(candidates.of(queue) for queue, _ in policies):
            return []
    tree = search.tree
    mark = tree.mark()
    # With a recorder the shares of all candidates are compared, for the record.
    shortened = search.recorder is None
    # Shares are compared as if the preemptor were admitted.
    tree.add_usage(search.queue, search.usage)
    fits, targets, failed = _first_strategy(search, candidates, strategies[0])
    # Where every target's share is below the preemptor's, no candidate passes the second one.
    if not fits and len(strategies) > 1 and (failed or not shortened):
        candidates.put_back(failed)
        fits = _second_strategy(search, candidates, targets)
    if fits:
        tree.remove_usage(search.queue, search.usage)
        targets = fill_back(search, targets, borrowing=True)
    tree.undo(mark)
    return targets if fits else []


def strategies_of(search: Search) -> tuple[str, ...]:
    """Return the names of the configured strategies, in order; both if none is configured."""
    fair_sharing = search.configuration.fair_sharing
    assert fair_sharing is not None
    return tuple(fair_sharing.preemption_strategies) or tuple(STRATEGIES)


def _fits(search: Search) -> bool:
    """Tell whether the preemptor fits, its usage being in the tree already."""
    tree = search.tree
    mark = tree.mark()
    tree.remove_usage(search.queue, search.usage)
    verdict = search.fits(borrowing=True)
    tree.undo(mark)
    return verdict


def _first_strategy(
    search: Search, candidates: CandidatesByQueue, strategy: str
) -> tuple[bool, list[Target], _Failed]:
    """Find targets by the first strategy: whether it fits, the targets, and which ones failed."""
    targets: list[Target] = []
    failed: _Failed = []
    within_nominal = search.configuration.gates[
        "FairSharingPreemptWithinNominal"
    ] and not search.queue.is_borrowing(search.contested)
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing=True, strategy=strategy))

    def fits_without(workload: WorkloadState, reason: str) -> bool:
        target = Target(workload, reason)
        search.remove(target)
        targets.append(target)
        return _fits(search)

    shortened = search.recorder is None
    ordering = TargetOrdering(search, candidates, ends_early=shortened and not within_nominal)
    for queue in ordering:
        waiting = candidates.of(queue)
        if queue is search.queue or within_nominal:
            own = queue is search.queue
            reason = Reason.IN_CLUSTER_QUEUE if own else Reason.IN_COHORT_RECLAMATION
            if fits_without(waiting.pop()[2], reason):
                return True, targets, []
            continue
        nodes = ordering.compared(queue)
        preemptor_new = dominant_resource_share(nodes.preemptor)
        target_old = dominant_resource_share(nodes.target)
        if shortened and compare_shares(preemptor_new, target_old) > 0:
            # A target's new share is no larger than its old one: none passes.
            ordering.drop(queue)
            continue
        if preemptor_new.weighted == inf and target_old.weighted != inf:
            # A borrower of weight 0 has a larger share than any node with a weight.
            for _, _, candidate in reversed(waiting):
                record_weight_zero(search, candidate, nodes)
            failed.append((queue, waiting[::-1]))
            waiting.clear()
            continue
        least_failed: Mapping[FlavorResource, int] | None = None
        failed_here: list[Place] = []
        while waiting:
            place = waiting.pop()
            candidate = place[2]
            booked = search.tree.booked_usage(candidate.key)
            if shortened and least_failed is not None and _covers(booked, least_failed):
                # Without it, the target's new share would be no larger.
                failed_here.append(place)
                continue
            target_new = _share_without(search, queue, candidate, nodes.target)
            passed = STRATEGIES[strategy](preemptor_new, target_old, target_new)
            shares = (preemptor_new, target_old, target_new)
            record_shares(search, candidate, strategy, nodes, shares, passed=passed)
            if passed:
                if fits_without(candidate, Reason.IN_COHORT_FAIR_SHARING):
                    return True, targets, []
                break
            failed_here.append(place)
            least_failed = booked
        if failed_here:
            failed.append((queue, failed_here))
    return False, targets, failed


def _second_strategy(search: Search, candidates: CandidatesByQueue, targets: list[Target]) -> bool:
    """Find targets by rule S2-b among those that failed, at most one per ClusterQueue."""
    ordering = TargetOrdering(search, candidates, ends_early=search.recorder is None)
    strategy = "LessThanInitialShare"
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing=True, strategy=strategy))
    for queue in ordering:
        candidate = candidates.of(queue).pop()[2]
        nodes = ordering.compared(queue)
        preemptor_new = dominant_resource_share(nodes.preemptor)
        target_old = dominant_resource_share(nodes.target)
        passed = less_than_initial_share(preemptor_new, target_old, target_old)
        shares = (preemptor_new, target_old, None)
        record_shares(search, candidate, strategy, nodes, shares, passed=passed)
        if passed:
            target = Target(candidate, Reason.IN_COHORT_FAIR_SHARING)
            search.remove(target)
            targets.append(target)
            if _fits(search):
                return True
        ordering.drop(queue)
    return False


def _covers(usage: Mapping[FlavorResource, int], other: Mapping[FlavorResource, int]) -> bool:
    """Tell whether ``usage`` is at least ``other``."""
    return usage == other or all(usage.get(fr, 0) >= value for fr, value in other.items())


def _share_without(
    search: Search, queue: ClusterQueueNode, candidate: WorkloadState, node: Node
) -> Share:
    """Return the share of a node at or above ``queue`` without the candidate."""
    tree = search.tree
    booked = tree.booked_usage(candidate.key)
    if node is queue:
        return share_with(queue, {fr: -value for fr, value in booked.items()})
    mark = tree.mark()
    tree.remove_usage(queue, booked)
    share = dominant_resource_share(node)
    tree.undo(mark)
    return share
