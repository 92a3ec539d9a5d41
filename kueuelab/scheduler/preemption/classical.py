"""Preemption without fair sharing: by priority, by reclaiming, by place in the hierarchy.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-83,
KEP-1337 (``borrowWithinCohort``) and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from heapq import heapify, heappop, heapreplace

from kueuelab.quota import ClusterQueueNode, CohortNode, Node
from kueuelab.quota.candidates import CandidateKey, candidate_key
from kueuelab.scheduler.preemption.recorded import compared, out_of_reach, usage_of
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
    """The candidates of a search, in the order in which they are tried.

    They are found only as far as an attempt takes them.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        reclaimable = list(_reclaim_pools(search))
        self.hierarchical = [pool for pool in reclaimable if pool.advantage]
        self.by_priority = [pool for pool in reclaimable if not pool.advantage]
        self.same_queue = [_Pool(search.queue, None, advantage=False)]

    def in_order(self, *, borrowing: bool) -> Iterator[_Candidate]:
        """Yield the candidates: being evicted before others, then by ground, then by key.

        In an attempt with borrowing those are left out that it could not take anyway.
        """
        by_priority = self.by_priority
        if borrowing and borrowing_forbidden(self._search.queue):
            by_priority = []
        for evicted in (True, False):
            for pools in (self.hierarchical, by_priority, self.same_queue):
                yield from self._merged(pools, evicted=evicted)

    @property
    def none_in_other_queues(self) -> bool:
        """Whether nobody outside the preemptor's ClusterQueue is a candidate."""
        return self.none_by_hierarchy and not self._any(self.by_priority)

    @property
    def none_by_hierarchy(self) -> bool:
        """Whether the preemptor's place in the hierarchy gives it no candidate."""
        return not self._any(self.hierarchical)

    def _any(self, pools: Iterable[_Pool]) -> bool:
        return any(
            next(self._from(pool, evicted=evicted), None) is not None
            for pool in pools
            for evicted in (False, True)
        )

    def _merged(self, pools: Iterable[_Pool], *, evicted: bool) -> Iterator[_Candidate]:
        """Merge the pools' candidates; a pool is opened only when its turn may have come."""
        heap: list[tuple[CandidateKey, int, _Candidate | None, Iterator[_Candidate]]] = []
        for index, pool in enumerate(pools):
            bound = pool.queue.candidates.first_key(evicted=evicted)
            if bound is not None:
                heap.append((bound, index, None, self._from(pool, evicted=evicted)))
        heapify(heap)
        while heap:
            _, index, candidate, rest = heap[0]
            if candidate is not None:
                yield candidate
            following = next(rest, None)
            if following is None:
                heappop(heap)
            else:
                heapreplace(heap, (candidate_key(following.workload), index, following, rest))

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
    for child in cohort.sorted_cohorts:
        if child is done:
            continue
        if child.is_within_nominal(search.contested):
            _record_skipped(search, child)
        else:
            yield from _borrowing_queues(search, child, done)
    for queue in cohort.sorted_queues:
        if queue is search.queue:
            continue
        if queue.is_within_nominal(search.contested):
            _record_skipped(search, queue)
        else:
            yield queue


def _record_skipped(search: Search, node: Node) -> None:
    if search.recorder is not None:
        search.record(steps.QueueSkipped(node.name, "not-borrowing", usage_of(search, node)))


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
        if borrowing and borrowing_forbidden(search.queue):
            _record_left_out(search, candidates)
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


def _record_left_out(search: Search, candidates: _Candidates) -> None:
    """Record whom an attempt with borrowing doesn't even try."""
    for candidate in candidates.in_order(borrowing=False):
        if candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING:
            _record_passed_over(search, candidate, "only-without-borrowing")


def _record_passed_over(search: Search, candidate: _Candidate, rule: str) -> None:
    policy = search.queue.preemption.reclaim_within_cohort
    numbers = compared(search, policy, candidate.workload)
    if rule != "only-without-borrowing":
        node = _within_nominal_on_the_way(search, candidate)
        numbers = {"queue": node.name, **usage_of(search, node)}
    search.record(steps.CandidatePassedOver(candidate.workload.key, rule, numbers))


def _within_nominal_on_the_way(search: Search, candidate: _Candidate) -> Node:
    nodes: list[Node] = [candidate.pool.queue, *candidate.pool.queue.ancestors()]
    return next(node for node in nodes if node.is_within_nominal(search.contested))


def _record_candidates(search: Search, candidates: _Candidates) -> None:
    """Record the verdict on every workload in reach, and the order of the candidates."""
    for queue in out_of_reach(search):
        search.record(steps.QueueSkipped(queue.name, "policy-never"))
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
