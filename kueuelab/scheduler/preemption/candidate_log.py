"""The steps about the candidates of a search without fair sharing.

Searches of one cycle see the same queues with the same candidates. What is recorded about them
is made once, and shared by all searches that compare by the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from kueuelab.quota import CohortNode, Node
from kueuelab.quota.candidates import candidate_key, uses_any
from kueuelab.scheduler.preemption.candidates import (
    Candidates,
    CandidateSource,
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
    search.record_all(FactList([log.within_nominal(level) for level in candidates.levels]))
    groups: list[CandidateFacts | FactList] = [
        FactList(
            [
                log.sources(level)
                for level in candidates.levels
                if level.hierarchical_advantage is advantage
            ]
        )
        for advantage in (True, False)
    ]
    preemption = search.queue.preemption
    (own,) = candidates.same_queue
    groups.append(log.verdicts(own, preemption.within_cluster_queue))
    known = None
    if search.queue.candidates.usage is not None:
        # Usage of LocalQueues goes before priority: the order is not that of the ranks.
        facts = {each.candidate: each for group in groups for each in _included(group)}
        known = [facts[each.workload.key] for each in candidates.in_order(borrowing=False)]
    order = CandidateOrder(groups, known)
    search.record_all(FactList([*groups, OrderedFacts(order)]))
    return order


def _included(group: CandidateFacts | FactList) -> Iterable[steps.CandidateConsidered]:
    return (each for queue in group.queues() for each in queue.facts if each.included)


class _CandidateLog:
    """Makes the facts of one search, as far as no search before it did."""

    __slots__ = ("_kept", "_policy", "_rules", "_search", "_shared")

    def __init__(self, search: Search) -> None:
        assert search.recorder is not None
        self._search = search
        #: Facts of this cycle, and facts of the whole run.
        self._shared = {} if search.shared is None else search.shared
        self._kept = search.recorder.shared
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
        names, facts = self._once(("never", root.name), lambda: self._never(root))
        key = ("never-but", id(facts), queue.name)
        found = self._kept.get(key)
        if found is None:
            at = names[queue.name]
            found = self._kept[key] = (*facts[:at], *facts[at + 1 :])
        return found

    def _never(self, root: CohortNode) -> tuple[dict[str, int], tuple[steps.Facts, ...]]:
        names = tuple(queue.name for queue in root.cluster_queues())
        facts = self._kept.get(("never", names))
        if facts is None:
            facts = tuple(steps.QueueSkipped(name, "policy-never") for name in names)
            self._kept["never", names] = facts
        return {name: at for at, name in enumerate(names)}, facts

    def within_nominal(self, level: Level) -> Sequence[steps.Facts]:
        """Return the steps about nodes of a level that are within their nominal quota."""
        search = self._search
        return self._once(
            ("within-nominal", self._place(level), search.contested),
            lambda: tuple(
                self._once(
                    ("node", type(node), node.name, search.contested),
                    partial(self._not_borrowing, node),
                )
                for node in level.within_nominal()
            ),
        )

    def _not_borrowing(self, node: Node) -> steps.QueueSkipped:
        numbers = usage_of(self._search, node)
        return self._interned(steps.QueueSkipped(node.name, "not-borrowing", numbers))

    def _interned(self, facts: steps.QueueSkipped) -> steps.QueueSkipped:
        key = (facts.queue, facts.rule, repr(facts.numbers))
        found: steps.QueueSkipped = self._kept.setdefault(key, facts)
        return found

    def sources(self, level: Level) -> FactList:
        """Return the verdicts on the candidates of a level."""
        key = ("sources", self._place(level), level.hierarchical_advantage, self._rules)
        return self._once(
            key,
            lambda: self._same_parts(
                [self.verdicts(source, self._policy) for source in level.sources()]
            ),
        )

    def _same_parts(self, parts: list[CandidateFacts]) -> FactList:
        """Return the list of some parts: the same one in each cycle, as long as they are."""
        key = ("parts", *map(id, parts))
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = FactList(parts)
        assert isinstance(found, FactList)
        return found

    def _place(self, level: Level) -> tuple[object, ...]:
        """Return what a level consists of; the preemptor's own queue is not part of it."""
        below, queue = level.below, self._search.queue
        own = queue.name if queue.parent is level.cohort else ""
        return (level.cohort.name, "" if below is None else below.name, own)

    def verdicts(self, source: CandidateSource, policy: str) -> CandidateFacts:
        """Return the verdicts on the workloads of a ClusterQueue."""
        queue = source.queue
        index, own = queue.candidates, queue is self._search.queue
        if index.usage is not None or policy == _BY_TIME:
            return self._verdicts(source, policy)
        key = ("verdicts", queue.name, own, policy, source.hierarchical_advantage, self._rules)
        version, found = self._kept.get(key, (None, None))
        if version != (index.version, index.hidden):
            found = self._verdicts(source, policy)
            self._kept[key] = (index.version, index.hidden), found
        assert isinstance(found, CandidateFacts)
        return found

    def _verdicts(self, source: CandidateSource, policy: str) -> CandidateFacts:
        search, queue = self._search, source.queue
        advantage = source.hierarchical_advantage
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
