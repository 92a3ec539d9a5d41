"""Candidates for preemption without fair sharing: their variants and their order.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#classic-preemption and KEP-79
(hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

from kueuelab.model import FlavorResource
from kueuelab.quota import ClusterQueueNode, CohortNode, Node
from kueuelab.quota.candidates import CandidateKey, Place
from kueuelab.scheduler.preemption.borrow_within_cohort import (
    allowed_while_borrowing,
    borrowing_forbidden,
)
from kueuelab.scheduler.preemption.kept import Kept
from kueuelab.scheduler.preemption.search import Reason, Search
from kueuelab.workload import WorkloadState

__all__ = [
    "Candidate",
    "CandidateSource",
    "Candidates",
    "Level",
    "Variant",
    "has_advantage",
    "variant_of",
]


class Variant(Enum):
    """Why a candidate may be preempted: Kueue's preemption variant, and the reason shown."""

    WITHIN_CLUSTER_QUEUE = ("WithinClusterQueue", Reason.IN_CLUSTER_QUEUE)
    HIERARCHICAL_RECLAIM = ("HierarchicalReclaim", Reason.IN_COHORT_RECLAMATION)
    RECLAIM_WITHOUT_BORROWING = ("ReclaimWithoutBorrowing", Reason.IN_COHORT_RECLAMATION)
    RECLAIM_WHILE_BORROWING = (
        "ReclaimWhileBorrowing",
        Reason.IN_COHORT_RECLAIM_WHILE_BORROWING,
    )

    def __init__(self, _: str, reason: str) -> None:
        #: The condition's reason.
        self.reason = reason


class CandidateSource(NamedTuple):
    """A ClusterQueue with candidates.

    Attributes
    ----------
    lowest_common_ancestor
        Of it and the preemptor's ClusterQueue; ``None`` if it is the preemptor's.
    hierarchical_advantage
        Whether the preemptor fits into the quota of a subtree that it is not in.
    """

    queue: ClusterQueueNode
    lowest_common_ancestor: CohortNode | None
    hierarchical_advantage: bool


class Candidate(NamedTuple):
    """A workload that may be preempted, its source and its variant."""

    workload: WorkloadState
    source: CandidateSource
    variant: Variant


def variant_of(
    search: Search, candidate: WorkloadState, *, hierarchical_advantage: bool
) -> Variant:
    """Return the variant of a candidate that the policy allows."""
    if candidate.cluster_queue == search.queue.name:
        return Variant.WITHIN_CLUSTER_QUEUE
    if hierarchical_advantage:
        return Variant.HIERARCHICAL_RECLAIM
    if allowed_while_borrowing(search.queue, search.workload, candidate):
        return Variant.RECLAIM_WHILE_BORROWING
    return Variant.RECLAIM_WITHOUT_BORROWING


class Candidates:
    """The candidates of a search, in the order in which they are tried.

    They are computed only as far as an attempt needs them.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        self.levels = _levels(search)
        self.same_queue = [CandidateSource(search.queue, None, hierarchical_advantage=False)]

    def in_order(self, *, borrowing: bool) -> Iterator[Candidate]:
        """Yield the candidates: being evicted before others, then by variant, then by key.

        An attempt with borrowing leaves out those that it can't preempt.
        """
        without_others = borrowing and borrowing_forbidden(self._search.queue)
        groups = [
            (
                self._of_others(advantage=True, evicted=evicted),
                () if without_others else self._of_others(advantage=False, evicted=evicted),
                self._merged(self.same_queue, evicted=evicted),
            )
            for evicted in (True, False)
        ]
        own = self._search.queue
        for hierarchical, by_priority, of_own_queue in groups:
            for others in (hierarchical, by_priority):
                for candidate in others:
                    if candidate.source.queue is not own:
                        yield candidate
            yield from of_own_queue

    def of_own_queue(self) -> Iterator[WorkloadState]:
        """Yield the candidates in the preemptor's own ClusterQueue."""
        search = self._search
        index, policy = search.queue.candidates, search.queue.preemption.within_cluster_queue
        for evicted in (True, False):
            for place in search.allowed(policy, index, evicted=evicted):
                yield place[2]

    @property
    def none_from_other_queues(self) -> bool:
        """Whether there is no candidate outside the preemptor's ClusterQueue."""
        return self.none_for_hierarchical_reclaim and not self._any(advantage=False)

    @property
    def none_for_hierarchical_reclaim(self) -> bool:
        """Whether there is no candidate with the variant ``HierarchicalReclaim``."""
        return not self._any(advantage=True)

    def _any(self, *, advantage: bool) -> bool:
        own = self._search.queue
        for evicted in (False, True):
            for candidate in self._of_others(advantage=advantage, evicted=evicted):
                if candidate.source.queue is not own:
                    return True
        return False

    def _levels(self, *, advantage: bool) -> list[Level]:
        return [level for level in self.levels if level.hierarchical_advantage is advantage]

    def _of_others(self, *, advantage: bool, evicted: bool) -> Iterable[Candidate]:
        """Return the candidates of levels with, or without, the hierarchical advantage, in order.

        Where they do not depend on the preemptor, they are merged once for all searches that
        start from the same usage; those of the preemptor's ClusterQueue may be among them.
        """
        search, levels = self._search, self._levels(advantage=advantage)
        if not levels:
            return ()
        forbidden = borrowing_forbidden(search.queue)
        common = search.shares_candidates and (advantage or forbidden)
        if search.shared is None or not common:
            sources = [source for level in levels for source in level.sources()]
            return self._merged(sources, evicted=evicted)
        places = tuple((level.cohort, level.below) for level in levels)
        key = ("candidates", advantage, evicted, search.contested, places)
        found: Kept[Candidate] | None = search.shared.get(key)
        if found is None:
            sources = [source for level in levels for source in level.sources(own=True)]
            found = search.shared[key] = Kept(self._merged(sources, evicted=evicted))
        return found

    def _merged(self, sources: Iterable[CandidateSource], *, evicted: bool) -> Iterator[Candidate]:
        """Merge the candidates of sources; a source is read only when it may be the next."""
        heap: list[tuple[CandidateKey, int, WorkloadState | None, Iterator[Place]]] = []
        merged: list[tuple[CandidateSource, Variant | None]] = []
        for source in sources:
            bound = source.queue.candidates.first_key(evicted=evicted)
            if bound is not None:
                rest = iter(self._from(source, evicted=evicted))
                heap.append((bound, len(merged), None, rest))
                merged.append((source, _common_variant(self._search, source)))
        heapify(heap)
        while heap:
            _, index, workload, rest = heap[0]
            if workload is not None:
                source, variant = merged[index]
                yield Candidate(workload, source, variant or self._variant(workload, source))
            place = next(rest, None)
            if place is None:
                heappop(heap)
            else:
                heapreplace(heap, (place[0], index, place[2], rest))

    def _variant(self, workload: WorkloadState, source: CandidateSource) -> Variant:
        advantage = source.hierarchical_advantage
        return variant_of(self._search, workload, hierarchical_advantage=advantage)

    def _from(self, source: CandidateSource, *, evicted: bool) -> Iterable[Place]:
        search = self._search
        preemption = search.queue.preemption
        policy = (
            preemption.within_cluster_queue
            if source.lowest_common_ancestor is None
            else preemption.reclaim_within_cohort
        )
        if policy == "Never":
            return ()
        return search.allowed(policy, source.queue.candidates, evicted=evicted)


def _common_variant(search: Search, source: CandidateSource) -> Variant | None:
    """Return the variant of all candidates of a source, ``None`` if their priority decides."""
    if source.lowest_common_ancestor is None:
        return Variant.WITHIN_CLUSTER_QUEUE
    if source.hierarchical_advantage:
        return Variant.HIERARCHICAL_RECLAIM
    forbidden = borrowing_forbidden(search.queue)
    return Variant.RECLAIM_WITHOUT_BORROWING if forbidden else None


class Level(NamedTuple):
    """A cohort above the preemptor, without the subtree of the level below."""

    search: Search
    cohort: CohortNode
    below: CohortNode | None
    hierarchical_advantage: bool

    def sources(self, *, own: bool = False) -> Iterator[CandidateSource]:
        """Yield the ClusterQueues of this level that borrow; the preemptor's if ``own``."""
        for queue in self._borrowing(self.cohort):
            if own or queue is not self.search.queue:
                yield CandidateSource(queue, self.cohort, self.hierarchical_advantage)

    def within_nominal(self, cohort: CohortNode) -> Iterator[Node]:
        """Yield the children of a cohort that don't borrow, and are of this level."""
        for child in (*cohort.sorted_cohorts, *cohort.sorted_queues):
            if child is self.below or child is self.search.queue:
                continue
            if child.is_within_nominal(self.search.contested):
                yield child

    def borrowing_cohorts(self, cohort: CohortNode) -> list[CohortNode]:
        """Return the child cohorts of a cohort that borrow, and are of this level."""
        below, contested = self.below, self.search.contested
        return [
            child
            for child in cohort.sorted_cohorts
            if child is not below and not child.is_within_nominal(contested)
        ]

    def borrowing_queues(self, cohort: CohortNode) -> list[ClusterQueueNode]:
        """Return the child ClusterQueues of a cohort that borrow, without the preemptor's."""
        own = self.search.queue
        return [queue for queue in cohort.over_nominal(self.search.contested) if queue is not own]

    def _borrowing(self, cohort: CohortNode) -> Iterator[ClusterQueueNode]:
        for child in self.borrowing_cohorts(cohort):
            yield from self._borrowing(child)
        yield from cohort.over_nominal(self.search.contested)


def _levels(search: Search) -> list[Level]:
    """Return the cohorts above the preemptor, from the lowest to the root.

    Above the first subtree whose quota holds the request, the preemptor has the hierarchical
    advantage over all ClusterQueues outside that subtree (KEP-79).
    """
    levels: list[Level] = []
    if search.queue.preemption.reclaim_within_cohort == "Never":
        return levels
    below: CohortNode | None = None
    for cohort, hierarchical_advantage in _advantages(search.queue, search.usage):
        levels.append(Level(search, cohort, below, hierarchical_advantage))
        below = cohort
    return levels


def has_advantage(queue: ClusterQueueNode, usage: Mapping[FlavorResource, int]) -> bool:
    """Tell whether ``usage`` fits into nominal quota: the queue's, or that of a cohort above.

    The root does not count: no ClusterQueue is outside of it.
    """
    for _, advantage in _advantages(queue, usage):  # noqa: SIM110 - asked before every search
        if advantage:
            return True
    return False


def _advantages(
    queue: ClusterQueueNode, usage: Mapping[FlavorResource, int]
) -> Iterator[tuple[CohortNode, bool]]:
    """Yield the cohorts above a ClusterQueue, and whether ``usage`` fits below them."""
    node: Node = queue
    needed = usage
    fits = queue.has_room_for(needed)
    while (cohort := node.parent) is not None:
        yield cohort, fits
        if not fits and cohort.parent is not None:
            needed = node.beyond_local_quota(needed)
            fits = cohort.has_room_for(needed)
        node = cohort
