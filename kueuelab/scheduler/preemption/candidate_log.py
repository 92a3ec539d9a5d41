"""The steps about the candidates of a search without fair sharing.

Searches of one cycle see the same queues with the same candidates. What is recorded about them
is made once, and shared by all searches that compare by the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from kueuelab.quota import ClusterQueueNode, CohortNode, Node
from kueuelab.quota.candidates import candidate_key, uses_any
from kueuelab.scheduler.preemption.candidates import (
    Candidates,
    Level,
    variant_of,
)
from kueuelab.scheduler.preemption.recorded import compared, usage_of
from kueuelab.scheduler.preemption.search import Search
from kueuelab.trace import steps
from kueuelab.trace.fact_list import CandidateFacts, CandidateOrder, FactList, OrderedFacts
from kueuelab.trace.fact_list import Rank as CandidateRank
from kueuelab.workload import WorkloadState

__all__ = ["record_candidates"]

T = TypeVar("T")

#: The policy whose verdicts depend on when the preemptor queued, too.
_BY_TIME: Final = "LowerOrNewerEqualPriority"

#: What the verdict on a candidate depends on, next to itself.
_Rules: TypeAlias = tuple[object, ...]


def record_candidates(search: Search, candidates: Candidates) -> CandidateOrder:
    """Record the verdict on every workload of the sources, and the order of the candidates."""
    log = _CandidateLog(search)
    search.record_all(log.never_reclaimed())
    search.record_all(
        log.same_parts([log.within_nominal(level, level.cohort) for level in candidates.levels])
    )
    groups: list[CandidateFacts | FactList] = [
        log.same_parts(
            [
                log.sources(level, level.cohort)
                for level in candidates.levels
                if level.hierarchical_advantage is advantage
            ]
        )
        for advantage in (True, False)
    ]
    preemption = search.queue.preemption
    groups.append(log.verdicts(search.queue, preemption.within_cluster_queue, advantage=False))
    if search.queue.candidates.usage is None:
        found = log.ordered(groups)
    else:
        # Usage of LocalQueues goes before priority: the order is not that of the ranks.
        facts = {each.candidate: each for group in groups for each in _included(group)}
        known = [facts[each.workload.key] for each in candidates.in_order(borrowing=False)]
        found = _ordered(groups, known)
    search.record_all(found[1])
    return found[0]


def _ordered(
    groups: list[CandidateFacts | FactList], known: list[steps.CandidateConsidered] | None
) -> tuple[CandidateOrder, FactList]:
    """Return the order of the candidates in some groups, and the facts about both."""
    order = CandidateOrder(groups, known)
    return order, FactList([*groups, OrderedFacts(order)])


def _included(group: CandidateFacts | FactList) -> Iterable[steps.CandidateConsidered]:
    return (each for queue in group.queues() for each in queue.facts if each.included)


class _CandidateLog:
    """Makes the facts of one search, as far as no search before it did."""

    __slots__ = ("_keep", "_kept", "_policy", "_rules", "_search", "_shared")

    def __init__(self, search: Search) -> None:
        assert search.recorder is not None
        self._search = search
        #: Facts of this cycle, and facts of the whole run.
        self._shared = {} if search.shared is None else search.shared
        self._kept = search.recorder.shared
        self._keep = search.recorder.once
        preemption = search.queue.preemption
        self._policy = preemption.reclaim_within_cohort
        borrow = preemption.borrow_within_cohort
        self._rules: _Rules = (
            self._policy,
            search.workload.priority,
            search.contested,
            None if borrow is None else (borrow.policy, borrow.max_priority_threshold),
        )
        # The same tuple for all searches: it is compared by identity.
        self._rules = self._kept.setdefault(self._rules, self._rules)

    def never_reclaimed(self) -> Sequence[steps.Facts]:
        """Return the steps about other ClusterQueues where ``reclaimWithinCohort: Never``."""
        queue = self._search.queue
        root = queue.root
        if self._policy != "Never" or not isinstance(root, CohortNode):
            return ()
        every = self._never(root)
        return self._keep(
            ("never-but", id(every), queue.name),
            lambda: self._never(root, frozenset(queue.ancestors())),
        )

    def _never(self, cohort: CohortNode, above: Collection[CohortNode] = ()) -> FactList:
        """Return the steps about the ClusterQueues of a cohort, without that below ``above``."""
        own = self._search.queue.name if cohort in above else ""
        return self._once(
            ("never", cohort.name, own),
            lambda: self.same_parts(
                [
                    self._same_facts(
                        [
                            self._interned(steps.QueueSkipped(queue.name, "policy-never"))
                            for queue in cohort.sorted_queues
                            if queue.name != own
                        ]
                    ),
                    *[self._never(child, above) for child in cohort.sorted_cohorts],
                ]
            ),
        )

    def within_nominal(self, level: Level, cohort: CohortNode) -> FactList:
        """Return the steps about nodes of a level, in a cohort, within their nominal quota.

        Of each branch it is the highest one; what levels have in common is made once.
        """
        search = self._search
        return self._once(
            ("within-nominal", self._place(level, cohort), search.contested),
            lambda: self.same_parts(
                [
                    self._same_facts(
                        [
                            self._once(
                                ("node", type(node), node.name, search.contested),
                                partial(self._not_borrowing, node),
                            )
                            for node in level.within_nominal(cohort)
                        ]
                    ),
                    *[
                        self.within_nominal(level, child)
                        for child in reversed(level.borrowing_cohorts(cohort))
                    ],
                ]
            ),
        )

    def _not_borrowing(self, node: Node) -> steps.QueueSkipped:
        numbers = usage_of(self._search, node)
        return self._interned(steps.QueueSkipped(node.name, "not-borrowing", numbers))

    def _interned(self, facts: steps.QueueSkipped) -> steps.QueueSkipped:
        key = (facts.queue, facts.rule, repr(facts.numbers))
        found: steps.QueueSkipped = self._kept.setdefault(key, facts)
        return found

    def sources(self, level: Level, cohort: CohortNode) -> FactList:
        """Return the verdicts on the candidates of a level that are in a cohort.

        What levels have in common is made once.
        """
        advantage = level.hierarchical_advantage
        return self._once(
            ("sources", self._place(level, cohort), advantage, self._rules),
            lambda: self.same_parts(
                [
                    *[self.sources(level, child) for child in level.borrowing_cohorts(cohort)],
                    *[
                        self.verdicts(queue, self._policy, advantage=advantage)
                        for queue in level.borrowing_queues(cohort)
                    ],
                ]
            ),
        )

    def ordered(self, groups: list[CandidateFacts | FactList]) -> tuple[CandidateOrder, FactList]:
        """Return the order of the candidates in some groups, and the facts, as before."""
        if self._search.queue.preemption.within_cluster_queue == _BY_TIME:
            return _ordered(groups, None)  # no other search has these groups
        return self._keep(("ordered", *map(id, groups)), lambda: _ordered(groups, None))

    def same_parts(self, parts: Sequence[Sequence[steps.Facts]]) -> FactList:
        """Return the list of some parts: the same one in each cycle, as long as they are."""
        return self._keep(("parts", *map(id, parts)), lambda: FactList(parts))

    def _same_facts(self, facts: list[steps.Facts]) -> tuple[steps.Facts, ...]:
        """Return some facts: the same tuple in each cycle, as long as they are."""
        found: tuple[steps.Facts, ...] = self._kept.setdefault(
            ("facts", *map(id, facts)), tuple(facts)
        )
        return found

    def _place(self, level: Level, cohort: CohortNode) -> tuple[str, str, str]:
        """Return what a cohort's part of a level consists of: without the level below, and own."""
        if cohort is not level.cohort:
            return (cohort.name, "", "")
        below, queue = level.below, self._search.queue
        own = queue.name if queue.parent is cohort else ""
        return (cohort.name, "" if below is None else below.name, own)

    def verdicts(self, queue: ClusterQueueNode, policy: str, *, advantage: bool) -> CandidateFacts:
        """Return the verdicts on the workloads of a ClusterQueue."""
        index, own = queue.candidates, queue is self._search.queue
        if index.usage is not None or policy == _BY_TIME:
            return self._verdicts(queue, policy, advantage=advantage)
        key = ("verdicts", queue.name, own, policy, advantage, self._rules)
        version, found = self._kept.get(key, (None, None))
        if version != (index.version, index.hidden):
            found = self._verdicts(queue, policy, advantage=advantage)
            self._kept[key] = (index.version, index.hidden), found
        assert isinstance(found, CandidateFacts)
        return found

    def _verdicts(self, queue: ClusterQueueNode, policy: str, *, advantage: bool) -> CandidateFacts:
        search = self._search
        known_ranks: dict[CandidateRank, CandidateRank] = self._kept.setdefault("ranks", {})
        numbers = self._numbers(policy, own=queue is search.queue)
        facts: list[steps.CandidateConsidered] = []
        ranks: list[CandidateRank | None] = []
        for evicted, workloads in (
            (True, queue.candidates.evicted()),
            (False, queue.candidates.others()),
        ):
            for workload in workloads:
                rule = search.exclusion_rule(policy, workload)
                variant = ""
                rank = None
                if not rule:
                    found = variant_of(search, workload, hierarchical_advantage=advantage)
                    variant = found.value[0]
                    rank = (evicted, candidate_key(workload))
                    rank = known_ranks.setdefault(rank, rank)
                facts.append(
                    steps.CandidateConsidered(
                        workload.key,
                        queue.name,
                        not rule,
                        rule or f"policy-{policy}",
                        variant,
                        numbers(workload),
                    )
                )
                ranks.append(rank)
        return CandidateFacts(facts, ranks)

    def _numbers(self, policy: str, *, own: bool) -> Callable[[WorkloadState], dict[str, Any]]:
        """Return what gives a candidate its numbers; equal comparisons share them."""
        search = self._search
        known: dict[object, dict[str, Any]]
        known = self._kept.setdefault(("numbers", policy, own, self._rules), {})
        by_time = policy == _BY_TIME

        def numbers(candidate: WorkloadState) -> dict[str, Any]:
            priority = candidate.priority
            if by_time and priority == search.workload.priority:
                return compared(search, policy, candidate)
            key = priority, uses_any(candidate, search.contested)
            found = known.get(key)
            if found is None:
                found = known[key] = compared(search, policy, candidate)
            return found

        return numbers

    def _once(self, key: object, make: Callable[[], T]) -> T:
        """Return what is shared in this cycle; make it for the first search that asks."""
        found: Any = self._shared.get(key)
        if found is None:
            found = self._shared[key] = make()
        made: T = found
        return made
