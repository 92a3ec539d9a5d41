"""Candidates for preemption without fair sharing: who, on what ground, in which order.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-79
(hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from heapq import heapify, heappop, heapreplace

from kueuelab.quota import ClusterQueueNode, CohortNode, Node
from kueuelab.quota.candidates import CandidateKey, candidate_key
from kueuelab.scheduler.preemption.search import Reason, Search
from kueuelab.workload import WorkloadState

__all__ = ["Candidate", "Candidates", "Pool", "Variant", "borrowing_forbidden", "variant_of"]


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
class Pool:
    """A ClusterQueue to take candidates from, and where its branch meets the preemptor's."""

    queue: ClusterQueueNode
    meeting_point: CohortNode | None
    advantage: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that may be preempted: where from, and on what ground."""

    workload: WorkloadState
    pool: Pool
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


class Candidates:
    """The candidates of a search, in the order in which they are tried.

    They are found only as far as an attempt takes them.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        self._levels = list(_levels(search))
        self.same_queue = [Pool(search.queue, None, advantage=False)]

    @cached_property
    def hierarchical(self) -> list[Pool]:
        """Where the preemptor has the advantage of its place in the hierarchy."""
        return [pool for level in self._levels if level.advantage for pool in level.pools()]

    @cached_property
    def by_priority(self) -> list[Pool]:
        """Where only priorities count. Not looked at unless an attempt needs it."""
        return [pool for level in self._levels if not level.advantage for pool in level.pools()]

    def in_order(self, *, borrowing: bool) -> Iterator[Candidate]:
        """Yield the candidates: being evicted before others, then by ground, then by key.

        In an attempt with borrowing those are left out that it could not take anyway.
        """
        by_priority = self.by_priority
        if borrowing and borrowing_forbidden(self._search.queue):
            by_priority = []
        for evicted in (True, False):
            for pools in (self.hierarchical, by_priority, self.same_queue):
                yield from self._merged(pools, evicted=evicted)

    def within_nominal(self) -> Iterator[Node]:
        """Yield the nodes that are left out since they don't borrow what is contested."""
        for level in self._levels:
            yield from level.within_nominal()

    @property
    def none_in_other_queues(self) -> bool:
        """Whether nobody outside the preemptor's ClusterQueue is a candidate."""
        return self.none_by_hierarchy and not self._any(self.by_priority)

    @property
    def none_by_hierarchy(self) -> bool:
        """Whether the preemptor's place in the hierarchy gives it no candidate."""
        return not self._any(self.hierarchical)

    def _any(self, pools: Iterable[Pool]) -> bool:
        return any(
            next(self._from(pool, evicted=evicted), None) is not None
            for pool in pools
            for evicted in (False, True)
        )

    def _merged(self, pools: Iterable[Pool], *, evicted: bool) -> Iterator[Candidate]:
        """Merge the pools' candidates; a pool is opened only when its turn may have come."""
        heap: list[tuple[CandidateKey, int, Candidate | None, Iterator[Candidate]]] = []
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

    def _from(self, pool: Pool, *, evicted: bool) -> Iterator[Candidate]:
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
            yield Candidate(workload, pool, variant_of(search, workload, advantage=pool.advantage))


@dataclass(frozen=True, slots=True)
class _Level:
    """A cohort above the preemptor, without the branch below that was looked at already."""

    search: Search
    cohort: CohortNode
    below: CohortNode | None
    advantage: bool

    def pools(self) -> Iterator[Pool]:
        """Yield the ClusterQueues of this level that borrow."""
        for queue in self._borrowing(self.cohort):
            yield Pool(queue, self.cohort, self.advantage)

    def within_nominal(self) -> Iterator[Node]:
        """Yield the nodes of this level that don't borrow: the highest of each branch."""
        todo = [self.cohort]
        while todo:
            cohort = todo.pop()
            children: list[Node] = [*cohort.sorted_cohorts, *cohort.sorted_queues]
            for child in children:
                if child in (self.below, self.search.queue):
                    continue
                if child.is_within_nominal(self.search.contested):
                    yield child
                elif isinstance(child, CohortNode):
                    todo.append(child)

    def _borrowing(self, cohort: CohortNode) -> Iterator[ClusterQueueNode]:
        contested = self.search.contested
        for child in cohort.sorted_cohorts:
            if child is not self.below and not child.is_within_nominal(contested):
                yield from self._borrowing(child)
        for queue in cohort.over_nominal(contested):
            if queue is not self.search.queue:
                yield queue


def _levels(search: Search) -> Iterator[_Level]:
    """Walk up the cohorts.

    From the first subtree on that holds the request within its quota, the preemptor is
    closer to that quota than everybody above: it has the advantage of the hierarchy.
    """
    if search.queue.preemption.reclaim_within_cohort == "Never":
        return
    advantage, rest = search.queue.fits_in_quota(search.usage)
    below: CohortNode | None = None
    for cohort in search.queue.ancestors():
        yield _Level(search, cohort, below, advantage)
        fits, rest = cohort.fits_in_quota(rest)
        advantage = advantage or fits
        below = cohort
