"""Preemption without fair sharing: within the ClusterQueue, and reclaim within the cohort.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-83,
KEP-1337 (``borrowWithinCohort``) and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from kueuelab.quota import Node
from kueuelab.scheduler.preemption.borrow_within_cohort import borrowing_forbidden
from kueuelab.scheduler.preemption.candidates import (
    Candidate,
    Candidates,
    Variant,
    variant_of,
)
from kueuelab.scheduler.preemption.own_queue import find_own_targets
from kueuelab.scheduler.preemption.recorded import compared, never_reclaimed, usage_of
from kueuelab.scheduler.preemption.search import Search, Target, fill_back
from kueuelab.trace import steps

__all__ = ["find_targets"]


def find_targets(search: Search) -> list[Target]:
    """Return the workloads to preempt, empty if preemption can't make the preemptor fit.

    There may be an attempt in which the preemptor may borrow, and one in which it may not.
    Without borrowing there are more candidates, with borrowing there is more quota.
    """
    candidates = Candidates(search)
    if search.recorder is not None:
        _record_candidates(search, candidates)
    for borrowing in _attempts(search, candidates):
        targets = _attempt(search, candidates, borrowing=borrowing)
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


def _attempt(search: Search, candidates: Candidates, *, borrowing: bool) -> list[Target]:
    """Remove candidates until the preemptor fits, then restore those that are not needed."""
    tree = search.tree
    mark = tree.mark()
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing))
        if borrowing and borrowing_forbidden(search.queue):
            _record_without_borrowing_only(search, candidates)
    elif borrowing and _hopeless(search, candidates):
        return []
    elif not borrowing and (own := find_own_targets(search, candidates)) is not None:
        return own
    targets: list[Target] = []
    result: list[Target] = []
    for candidate in candidates.in_order(borrowing=borrowing):
        rule = _exclusion_rule(search, candidate, borrowing=borrowing)
        if rule:
            if search.recorder is not None:
                _record_excluded(search, candidate, rule)
            continue
        target = Target(candidate.workload, candidate.variant.reason)
        search.remove(target)
        targets.append(target)
        if search.fits(borrowing=borrowing):
            result = fill_back(search, targets, borrowing=borrowing)
            break
    tree.undo(mark)
    return result


def _hopeless(search: Search, candidates: Candidates) -> bool:
    """Tell whether all candidates are in the own ClusterQueue, and all of them are too few.

    Available quota grows by no more than what is removed. So there is no need to remove them
    one by one; with a recorder they are removed, for the record.
    """
    if candidates.hierarchical or not borrowing_forbidden(search.queue):
        return False
    lacking = {fr: need - search.queue.available(fr) for fr, need in search.usage.items()}
    for workload in candidates.of_own_queue():
        booked = search.tree.booked_usage(workload.key)
        for fr in lacking:
            lacking[fr] -= booked.get(fr, 0)
        if max(lacking.values(), default=0) <= 0:
            return False
    return True


def _exclusion_rule(search: Search, candidate: Candidate, *, borrowing: bool) -> str:
    """Return the rule that excludes a candidate at this point of the attempt, ``""`` if none."""
    source = candidate.source
    if source.queue is search.queue:
        return ""
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


def _record_without_borrowing_only(search: Search, candidates: Candidates) -> None:
    """Record the candidates that count only in an attempt without borrowing."""
    for candidate in candidates.in_order(borrowing=False):
        if candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING:
            _record_excluded(search, candidate, "only-without-borrowing")


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


def _record_candidates(search: Search, candidates: Candidates) -> None:
    """Record the verdict on every workload of the sources, and the order of the candidates."""
    for queue in never_reclaimed(search):
        search.record(steps.QueueSkipped(queue.name, "policy-never"))
    for node in candidates.within_nominal():
        search.record(steps.QueueSkipped(node.name, "not-borrowing", usage_of(search, node)))
    preemption = search.queue.preemption
    for sources, policy in (
        (candidates.hierarchical, preemption.reclaim_within_cohort),
        (candidates.by_priority, preemption.reclaim_within_cohort),
        (candidates.same_queue, preemption.within_cluster_queue),
    ):
        for source in sources:
            index = source.queue.candidates
            advantage = source.hierarchical_advantage
            for workload in (*index.evicted(), *index.others()):
                rule = search.exclusion_rule(policy, workload)
                variant = variant_of(search, workload, hierarchical_advantage=advantage)
                search.record(
                    steps.CandidateConsidered(
                        workload.key,
                        source.queue.name,
                        included=not rule,
                        rule=rule or f"policy-{policy}",
                        variant="" if rule else variant.value[0],
                        numbers=compared(search, policy, workload),
                    )
                )
    search.record(
        steps.CandidatesOrdered(
            tuple(each.workload.key for each in candidates.in_order(borrowing=False))
        )
    )
