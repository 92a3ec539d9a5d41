"""Preemption without fair sharing: by priority, by reclaiming, by place in the hierarchy.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-83,
KEP-1337 (``borrowWithinCohort``) and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from kueuelab.quota import Node
from kueuelab.scheduler.preemption.candidates import (
    Candidate,
    Candidates,
    Variant,
    borrowing_forbidden,
    variant_of,
)
from kueuelab.scheduler.preemption.recorded import compared, out_of_reach, usage_of
from kueuelab.scheduler.preemption.search import Search, Target, fill_back
from kueuelab.trace import steps

__all__ = ["find_targets"]


def find_targets(search: Search) -> list[Target]:
    """Return the workloads to preempt, empty if preemption can't make the preemptor fit.

    The preemptor may borrow or not; where both make sense both are tried. Without
    borrowing there are more candidates, with it there is more quota.
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
    """Return the attempts worth making: with borrowing (True), without, in order."""
    forbidden = borrowing_forbidden(search.queue)
    if (forbidden and not _under_nominal(search)) or candidates.none_in_other_queues:
        return (True,)
    if forbidden and candidates.none_by_hierarchy:
        return (False, True)
    return (True, False)


def _under_nominal(search: Search) -> bool:
    queue = search.queue
    return all(queue.quota(fr).nominal > queue.usage.get(fr, 0) for fr in search.contested)


def _attempt(search: Search, candidates: Candidates, *, borrowing: bool) -> list[Target]:
    """Remove candidates until the preemptor fits, then put back whom it takes not."""
    tree = search.tree
    mark = tree.mark()
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing))
        if borrowing and borrowing_forbidden(search.queue):
            _record_left_out(search, candidates)
    elif borrowing and _hopeless(search, candidates):
        return []
    targets: list[Target] = []
    result: list[Target] = []
    for candidate in candidates.in_order(borrowing=borrowing):
        rule = _invalid(search, candidate, borrowing=borrowing)
        if rule:
            if search.recorder is not None:
                _record_passed_over(search, candidate, rule)
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
    """Tell whether only the own ClusterQueue has candidates, and all of them are too few.

    What is available grows by no more than what is removed. Then there is no need to
    remove them one by one; with a recorder that is done nevertheless, for the record.
    """
    if candidates.hierarchical or not borrowing_forbidden(search.queue):
        return False
    lacking = {fr: need - search.queue.available(fr) for fr, need in search.usage.items()}
    for candidate in candidates.in_order(borrowing=True):
        booked = search.tree.booked_usage(candidate.workload.key)
        lacking = {fr: lack - booked.get(fr, 0) for fr, lack in lacking.items()}
        if all(lack <= 0 for lack in lacking.values()):
            return False
    return True


def _invalid(search: Search, candidate: Candidate, *, borrowing: bool) -> str:
    """Return why a candidate doesn't count in this attempt, at this point of it."""
    pool = candidate.pool
    if pool.queue is search.queue:
        return ""
    if borrowing and candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING:
        return "only-without-borrowing"
    if pool.queue.is_within_nominal(search.contested):
        return "queue-no-longer-borrowing"
    for cohort in pool.queue.ancestors():
        if cohort is pool.meeting_point:
            break
        if cohort.is_within_nominal(search.contested):
            return "cohort-no-longer-borrowing"
    return ""


def _record_left_out(search: Search, candidates: Candidates) -> None:
    """Record whom an attempt with borrowing doesn't even try."""
    for candidate in candidates.in_order(borrowing=False):
        if candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING:
            _record_passed_over(search, candidate, "only-without-borrowing")


def _record_passed_over(search: Search, candidate: Candidate, rule: str) -> None:
    policy = search.queue.preemption.reclaim_within_cohort
    numbers = compared(search, policy, candidate.workload)
    if rule != "only-without-borrowing":
        node = _within_nominal_on_the_way(search, candidate)
        numbers = {"queue": node.name, **usage_of(search, node)}
    search.record(steps.CandidatePassedOver(candidate.workload.key, rule, numbers))


def _within_nominal_on_the_way(search: Search, candidate: Candidate) -> Node:
    nodes: list[Node] = [candidate.pool.queue, *candidate.pool.queue.ancestors()]
    return next(node for node in nodes if node.is_within_nominal(search.contested))


def _record_candidates(search: Search, candidates: Candidates) -> None:
    """Record the verdict on every workload in reach, and the order of the candidates."""
    for queue in out_of_reach(search):
        search.record(steps.QueueSkipped(queue.name, "policy-never"))
    for node in candidates.within_nominal():
        search.record(steps.QueueSkipped(node.name, "not-borrowing", usage_of(search, node)))
    preemption = search.queue.preemption
    for pools, policy in (
        (candidates.hierarchical, preemption.reclaim_within_cohort),
        (candidates.by_priority, preemption.reclaim_within_cohort),
        (candidates.same_queue, preemption.within_cluster_queue),
    ):
        for pool in pools:
            index = pool.queue.candidates
            for workload in (*index.evicted(), *index.others()):
                rule = search.spared(policy, workload)
                variant = "" if rule else variant_of(search, workload, advantage=pool.advantage)
                search.record(
                    steps.CandidateConsidered(
                        workload.key,
                        pool.queue.name,
                        included=not rule,
                        rule=rule or f"policy-{policy}",
                        variant=variant.value[0] if isinstance(variant, Variant) else "",
                        numbers=compared(search, policy, workload),
                    )
                )
    search.record(
        steps.CandidatesOrdered(
            tuple(each.workload.key for each in candidates.in_order(borrowing=False))
        )
    )
