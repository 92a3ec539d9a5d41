"""Preemption without fair sharing: by priority, by reclaiming, by place in the hierarchy.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-83,
KEP-1337 (``borrowWithinCohort``) and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from heapq import merge

from kueuelab.quota import ClusterQueueNode, CohortNode
from kueuelab.quota.candidates import candidate_key
from kueuelab.scheduler.preemption.search import Reason, Search, Target, fill_back
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState

__all__ = ["Variant", "find_targets", "variant_of"]


class Variant(Enum):
    """On what ground a candidate may be preempted; the value is the reason shown."""

    WITHIN_CLUSTER_QUEUE = ("WithinClusterQueue", Reason.IN_CLUSTER_QUEUE)
    HIERARCHICAL_RECLAIM = ("HierarchicalReclaim", Reason.IN_COHORT_RECLAMATION)
    RECLAIM_WITHOUT_BORROWING = ("ReclaimWithoutBorrowing", Reason.IN_COHORT_RECLAMATION)
    RECLAIM_WHILE_BORROWING = (
        "ReclaimWhileBorrowing",
        Reason.IN_COHORT_RECLAIM_WHILE_BORROWING,
    )

    @property
    def reason(self) -> str:
        """The condition's reason."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class _Pool:
    """A ClusterQueue to take candidates from, and where its branch meets the preemptor's."""

    queue: ClusterQueueNode
    meeting_point: CohortNode | None
    advantage: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    workload: WorkloadState
    pool: _Pool
    variant: Variant


def borrowing_forbidden(queue: ClusterQueueNode) -> bool:
    """Tell whether a workload that needs to borrow may not preempt in other queues."""
    policy = queue.preemption.borrow_within_cohort
    return policy is None or policy.policy == "Never"


def variant_of(search: Search, candidate: WorkloadState, *, advantage: bool) -> Variant:
    """Return on what ground a candidate that the policy allows may be preempted."""
    if candidate.cluster_queue == search.queue.name:
        return Variant.WITHIN_CLUSTER_QUEUE
    if advantage:
        return Variant.HIERARCHICAL_RECLAIM
    policy = search.queue.preemption.borrow_within_cohort
    if policy is None or policy.policy == "Never":
        return Variant.RECLAIM_WITHOUT_BORROWING
    threshold = policy.max_priority_threshold
    if candidate.priority >= search.workload.priority or (
        threshold is not None and candidate.priority > threshold
    ):
        return Variant.RECLAIM_WITHOUT_BORROWING
    return Variant.RECLAIM_WHILE_BORROWING


class _Candidates:
    """Candidates in order, found as far as they are asked for, kept for a second attempt."""

    def __init__(self, search: Search) -> None:
        self._search = search
        reclaimable = list(_reclaim_pools(search))
        self._hierarchical = [pool for pool in reclaimable if pool.advantage]
        self._by_priority = [pool for pool in reclaimable if not pool.advantage]
        self._same_queue = [_Pool(search.queue, None, advantage=False)]
        self._found: list[_Candidate] = []
        self._rest = self._in_order()

    def __iter__(self) -> Iterator[_Candidate]:
        yield from self._found
        for candidate in self._rest:
            self._found.append(candidate)
            yield candidate

    @property
    def none_in_other_queues(self) -> bool:
        """Whether nobody outside the preemptor's ClusterQueue is a candidate."""
        return self.none_by_hierarchy and not self._any(self._by_priority)

    @property
    def none_by_hierarchy(self) -> bool:
        """Whether the preemptor's place in the hierarchy gives it no candidate."""
        return not self._any(self._hierarchical)

    def _any(self, pools: Iterable[_Pool]) -> bool:
        return any(
            next(self._from(pool, evicted=evicted), None) is not None
            for pool in pools
            for evicted in (True, False)
        )

    def _in_order(self) -> Iterator[_Candidate]:
        for evicted in (True, False):
            for pools in (self._hierarchical, self._by_priority, self._same_queue):
                yield from merge(*(self._from(pool, evicted=evicted) for pool in pools), key=_order)

    def _from(self, pool: _Pool, *, evicted: bool) -> Iterator[_Candidate]:
        search = self._search
        preemption = search.queue.preemption
        policy = (
            preemption.within_cluster_queue
            if pool.queue is search.queue
            else preemption.reclaim_within_cohort
        )
        if policy == "Never":
            return
        index = pool.queue.candidates
        for workload in search.in_reach(policy, index.evicted() if evicted else index.others()):
            yield _Candidate(workload, pool, variant_of(search, workload, advantage=pool.advantage))


def _order(candidate: _Candidate) -> tuple[int, int, str]:
    return candidate_key(candidate.workload)


def _reclaim_pools(search: Search) -> Iterator[_Pool]:
    """Walk up the cohorts and yield the ClusterQueues beside the way that borrow.

    From the first subtree on that holds the request within its quota, the preemptor is
    closer to that quota than everybody above: it has the advantage of the hierarchy.
    """
    if search.queue.preemption.reclaim_within_cohort == "Never":
        return
    advantage, rest = search.queue.fits_in_quota(search.usage)
    below: CohortNode | None = None
    for cohort in search.queue.ancestors():
        for queue in _borrowing_queues(search, cohort, below):
            yield _Pool(queue, cohort, advantage)
        fits, rest = cohort.fits_in_quota(rest)
        advantage = advantage or fits
        below = cohort


def _borrowing_queues(
    search: Search, cohort: CohortNode, done: CohortNode | None
) -> Iterator[ClusterQueueNode]:
    for _, child in sorted(cohort.child_cohorts.items()):
        if child is done:
            continue
        if child.is_within_nominal(search.contested):
            _record_skipped(search, child.name)
        else:
            yield from _borrowing_queues(search, child, done)
    for _, queue in sorted(cohort.child_queues.items()):
        if queue is search.queue:
            continue
        if queue.is_within_nominal(search.contested):
            _record_skipped(search, queue.name)
        else:
            yield queue


def _record_skipped(search: Search, name: str) -> None:
    if search.recorder is not None:
        search.record(steps.QueueSkipped(name, "not-borrowing"))


def find_targets(search: Search) -> list[Target]:
    """Return the workloads to preempt, empty if preemption can't make the preemptor fit.

    The preemptor may borrow or not; where both make sense both are tried. Without
    borrowing there are more candidates, with it there is more quota.
    """
    candidates = _Candidates(search)
    if search.recorder is not None:
        _record_candidates(search, candidates)
    for borrowing in _attempts(search, candidates):
        targets = _attempt(search, candidates, borrowing=borrowing)
        if targets:
            return targets
    return []


def _attempts(search: Search, candidates: _Candidates) -> tuple[bool, ...]:
    """Return the attempts worth making: with borrowing (True), without, in order."""
    forbidden = borrowing_forbidden(search.queue)
    if candidates.none_in_other_queues or (forbidden and not _under_nominal(search)):
        return (True,)
    if forbidden and candidates.none_by_hierarchy:
        return (False, True)
    return (True, False)


def _under_nominal(search: Search) -> bool:
    queue = search.queue
    return all(queue.quota(fr).nominal > queue.usage.get(fr, 0) for fr in search.contested)


def _attempt(search: Search, candidates: _Candidates, *, borrowing: bool) -> list[Target]:
    """Remove candidates until the preemptor fits, then put back whom it takes not."""
    tree = search.tree
    mark = tree.mark()
    if search.recorder is not None:
        search.record(steps.AttemptStarted(borrowing))
    targets: list[Target] = []
    result: list[Target] = []
    for candidate in candidates:
        rule = _invalid(search, candidate, borrowing=borrowing)
        if rule:
            if search.recorder is not None:
                search.record(steps.CandidatePassedOver(candidate.workload.key, rule))
            continue
        target = Target(candidate.workload, candidate.variant.reason)
        search.remove(target)
        targets.append(target)
        if search.fits(borrowing=borrowing):
            result = fill_back(search, targets, borrowing=borrowing)
            break
    tree.undo(mark)
    return result


def _invalid(search: Search, candidate: _Candidate, *, borrowing: bool) -> str:
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


def _record_candidates(search: Search, candidates: _Candidates) -> None:
    """Record the verdict on every workload in reach, and the order of the candidates."""
    preemption = search.queue.preemption
    for pools, policy in (
        (candidates._hierarchical, preemption.reclaim_within_cohort),
        (candidates._by_priority, preemption.reclaim_within_cohort),
        (candidates._same_queue, preemption.within_cluster_queue),
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
                        numbers={
                            "candidatePriority": workload.priority,
                            "preemptorPriority": search.workload.priority,
                        },
                    )
                )
    search.record(steps.CandidatesOrdered(tuple(each.workload.key for each in candidates)))
