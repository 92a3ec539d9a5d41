"""Preemption without fair sharing: within the ClusterQueue, and reclaim within the cohort.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-83,
KEP-1337 (``borrowWithinCohort``) and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.model import FlavorResource
from kueuelab.quota import ClusterQueueNode, Node
from kueuelab.scheduler.preemption.borrow_within_cohort import borrowing_forbidden
from kueuelab.scheduler.preemption.candidate_log import record_candidates
from kueuelab.scheduler.preemption.candidates import (
    Candidate,
    Candidates,
    Variant,
    has_advantage,
)
from kueuelab.scheduler.preemption.recorded import compared, usage_of
from kueuelab.scheduler.preemption.search import Search, Target, fill_back
from kueuelab.trace import steps
from kueuelab.trace.fact_list import CandidateOrder, PassedOverFacts
from kueuelab.workload import WorkloadState

__all__ = ["find_targets", "is_pointless"]

#: What is recorded of attempts, without borrowing and with it.
_ATTEMPTS: Final = (steps.AttemptStarted(borrowing=False), steps.AttemptStarted(borrowing=True))


def is_pointless(
    queue: ClusterQueueNode, workload: WorkloadState, usage: Mapping[FlavorResource, int]
) -> bool:
    """Tell whether a search can't find targets, as most often: then none need be made.

    There are no candidates in the own ClusterQueue. In others, there are only such as may not
    be preempted by one that borrows; but the preemptor fits into nominal quota nowhere.
    """
    if _has_own_candidates(queue, workload):
        return False
    if queue.parent is None or queue.preemption.reclaim_within_cohort == "Never":
        return True
    return borrowing_forbidden(queue) and not has_advantage(queue, usage)


def _has_own_candidates(queue: ClusterQueueNode, workload: WorkloadState) -> bool:
    """Tell whether the priorities in the preemptor's ClusterQueue allow for candidates."""
    policy = queue.preemption.within_cluster_queue
    if policy == "Never":
        return False
    highest = workload.priority - (policy == "LowerPriority")
    for evicted in (False, True):
        lowest = queue.candidates.first_key(evicted=evicted)
        if lowest is not None and (policy == "Any" or lowest[0] <= highest):
            return True
    return False


def find_targets(search: Search) -> list[Target]:
    """Return the workloads to preempt, empty if preemption can't make the preemptor fit.

    There may be an attempt in which the preemptor may borrow, and one in which it may not.
    Without borrowing there are more candidates, with borrowing there is more quota.
    """
    candidates = Candidates(search)
    order = None if search.recorder is None else record_candidates(search, candidates)
    for borrowing in _attempts(search, candidates):
        targets = _attempt(search, candidates, order, borrowing=borrowing)
        if targets:
            return targets
    return []


def _attempts(search: Search, candidates: Candidates) -> tuple[bool, ...]:
    """Return the attempts to make, in order: ``True`` is with borrowing."""
    forbidden = borrowing_forbidden(search.queue)
    if (forbidden and not _under_nominal(search)) or candidates.none_from_other_queues:
        return (True,)
    if forbidden and candidates.none_for_hierarchical_reclaim:
        return (False, True)
    return (True, False)


def _under_nominal(search: Search) -> bool:
    queue = search.queue
    return all(queue.quota(fr).nominal > queue.usage.get(fr, 0) for fr in search.contested)


def _attempt(
    search: Search, candidates: Candidates, order: CandidateOrder | None, *, borrowing: bool
) -> list[Target]:
    """Remove candidates until the preemptor fits, then restore those that are not needed.

    ``order`` has the candidates as they are recorded, with a recorder.
    """
    tree = search.tree
    mark = tree.mark()
    if order is not None:
        search.record(_ATTEMPTS[borrowing])
        if borrowing and borrowing_forbidden(search.queue):
            search.record_all(PassedOverFacts(order, "only-without-borrowing"))
    elif _hopeless(search, candidates, borrowing=borrowing):
        return []
    margin = search.margin(borrowing=borrowing)
    own = search.queue
    targets: list[Target] = []
    result: list[Target] = []
    for candidate in candidates.in_order(borrowing=borrowing):
        workload, source, variant = candidate
        if source.queue is not own:
            rule = _exclusion_rule(search, candidate, borrowing=borrowing)
            if rule:
                if search.recorder is not None:
                    _record_excluded(search, candidate, rule)
                continue
        target = Target(workload, variant.reason)
        search.remove(target)
        targets.append(target)
        may_fit = margin is None or margin.may_fit_without(target)
        if may_fit and search.fits(borrowing=borrowing):
            result = fill_back(search, targets, borrowing=borrowing)
            break
    tree.undo(mark)
    return result


def _hopeless(search: Search, candidates: Candidates, *, borrowing: bool) -> bool:
    """Tell whether the candidates in the own ClusterQueue are too few, and no other ones help.

    With borrowing, there may be no others; available quota grows by no more than what is removed.
    Without, the ClusterQueue's own usage must be within nominal quota, whatever others use. So
    there is no need to remove them one by one; with a recorder they are removed, for the record.
    """
    queue = search.queue
    if not borrowing:
        lacking = {
            fr: queue.usage.get(fr, 0) + need - queue.quota(fr).nominal
            for fr, need in search.usage.items()
        }
    elif borrowing_forbidden(queue) and candidates.none_for_hierarchical_reclaim:
        lacking = {fr: need - queue.available(fr) for fr, need in search.usage.items()}
    else:
        return False
    if max(lacking.values(), default=0) <= 0:
        return False
    for workload in candidates.of_own_queue():
        booked = search.tree.booked_usage(workload.key)
        for fr in lacking:
            lacking[fr] -= booked.get(fr, 0)
        if max(lacking.values()) <= 0:
            return False
    return True


def _exclusion_rule(search: Search, candidate: Candidate, *, borrowing: bool) -> str:
    """Return the rule that excludes a candidate of another queue at this point, ``""`` if none."""
    source = candidate.source
    if borrowing and candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING:
        return "only-without-borrowing"
    if source.queue.is_within_nominal(search.contested):
        return "queue-no-longer-borrowing"
    cohort = source.queue.parent
    while cohort is not None and cohort is not source.lowest_common_ancestor:
        if cohort.is_within_nominal(search.contested):
            return "cohort-no-longer-borrowing"
        cohort = cohort.parent
    return ""


def _record_excluded(search: Search, candidate: Candidate, rule: str) -> None:
    policy = search.queue.preemption.reclaim_within_cohort
    numbers = compared(search, policy, candidate.workload)
    if rule != "only-without-borrowing":
        node = _first_within_nominal(search, candidate)
        numbers = {"queue": node.name, **usage_of(search, node)}
    search.record(steps.CandidatePassedOver(candidate.workload.key, rule, numbers))


def _first_within_nominal(search: Search, candidate: Candidate) -> Node:
    """Return the first node within nominal quota, from the candidate's ClusterQueue up."""
    nodes: list[Node] = [candidate.source.queue, *candidate.source.queue.ancestors()]
    return next(node for node in nodes if node.is_within_nominal(search.contested))
