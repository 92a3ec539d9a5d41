"""The state of one search for preemption targets, and the functions that all searches use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kueuelab.model import Configuration, FlavorResource
from kueuelab.quota import ClusterQueueNode, QuotaTree
from kueuelab.quota.candidates import CandidateIndex, Place, uses_any
from kueuelab.scheduler.chances import Chances
from kueuelab.scheduler.placer import Placer
from kueuelab.scheduler.preemption.margin import Margin
from kueuelab.scheduler.preemption.policies import POLICIES
from kueuelab.topology import Wanted
from kueuelab.trace import steps
from kueuelab.workload import WorkloadState, queue_order_timestamp

if TYPE_CHECKING:
    from kueuelab.trace.recorder import Recorder

__all__ = ["Reason", "Search", "Target", "fill_back"]


class Reason:
    """Why a workload is preempted: the reason of its ``Preempted`` condition."""

    IN_CLUSTER_QUEUE = "InClusterQueue"
    IN_COHORT_RECLAMATION = "InCohortReclamation"
    IN_COHORT_FAIR_SHARING = "InCohortFairSharing"
    IN_COHORT_RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"


class Target(NamedTuple):
    """A workload that is to be preempted, and why."""

    workload: WorkloadState
    reason: str

    @property
    def cluster_queue(self) -> str:
        """The ClusterQueue that it holds quota in."""
        return self.workload.cluster_queue


@dataclass(slots=True)
class Search:
    """One search: the preemptor, what it needs, and the quota tree.

    Attributes
    ----------
    workload, queue
        The preemptor and its ClusterQueue.
    usage
        What the preemptor needs, per flavor and resource.
    contested
        The flavors and resources that lack quota, sorted.
    purpose
        ``"flavor"`` while flavors are compared, ``"targets"`` for the assignment.
    wanted
        The pod sets that must find domains in a topology.
    shared
        What the record of this search has in common with others of the same cycle.
    chances
        The order of cohorts with the same share.
    """

    tree: QuotaTree
    configuration: Configuration
    workload: WorkloadState
    queue: ClusterQueueNode
    usage: Mapping[FlavorResource, int]
    contested: tuple[FlavorResource, ...]
    purpose: str
    placer: Placer
    wanted: Wanted
    recorder: Recorder | None = None
    shared: dict[object, Any] | None = None
    chances: Chances = field(default_factory=Chances)
    _timestamp: int = -1

    @property
    def timestamp(self) -> int:
        """The time that the preemptor queues from."""
        if self._timestamp < 0:
            self._timestamp = queue_order_timestamp(self.workload, self.configuration)
        return self._timestamp

    @property
    def shares_candidates(self) -> bool:
        """Whether the preemptor does not matter for candidates in other ClusterQueues."""
        by_usage = self.configuration.admission_fair_sharing is not None
        return self.queue.preemption.reclaim_within_cohort == "Any" and not by_usage

    def exclusion_rule(self, policy: str, candidate: WorkloadState) -> str:
        """Return the rule that excludes a candidate, ``""`` if none does."""
        rule = POLICIES[policy](_Pair(self, candidate))
        return rule or ("" if uses_any(candidate, self.contested) else "uses-none-contested")

    def allowed(self, policy: str, index: CandidateIndex, *, evicted: bool) -> Iterable[Place]:
        """Return the places of the workloads that ``policy`` allows as candidates, in order.

        ``evicted`` asks for those whose eviction is under way, else for the others.
        """
        if policy == "Never":
            return ()
        places = index.using(self.contested, evicted=evicted)
        return places if policy == "Any" else self._allowed_by_priority(policy, places)

    def _allowed_by_priority(self, policy: str, places: Iterable[Place]) -> Iterator[Place]:
        """Yield the places that a policy other than ``Any`` allows.

        Their order is by priority, unless admission fair sharing puts usage before it.
        """
        by_usage = self.configuration.admission_fair_sharing is not None
        highest = self.workload.priority - (policy == "LowerPriority")
        allows = POLICIES[policy]
        for place in places:
            candidate = place[2]
            if candidate.priority > highest:
                if by_usage:
                    continue
                return
            if not allows(_Pair(self, candidate)):
                yield place

    def margin(self, removed: Iterable[Target] = (), *, borrowing: bool) -> Margin | None:
        """Return by how much the preemptor fits, as far as quota alone decides that.

        ``removed`` are targets that may be restored. ``None`` if domains count, too, or if every
        check is recorded.
        """
        if self.recorder is not None or self.wanted:
            return None
        return Margin(self, removed, borrowing=borrowing)

    def fits(self, *, borrowing: bool) -> bool:
        """Tell whether the preemptor fits into what is available now, quota and topology."""
        verdict = True
        at: FlavorResource = ("", "")
        needed = available = 0
        for at, needed in self.usage.items():
            # What is available is recorded, and else needed only by a preemptor that may borrow.
            borrows = not borrowing and self.queue.borrowing_with(at, needed)
            if not borrows or self.recorder is not None:
                available = self.queue.available(at)
            if borrows or needed > available:
                verdict = False
                break
        lacks_domains = (
            verdict
            and bool(self.wanted)
            and not self.placer.has_place(self.wanted, self.workload, self.queue.name)
        )
        verdict = verdict and not lacks_domains
        if self.recorder is not None:
            self.record(
                steps.FitChecked(verdict, borrowing, at[0], at[1], needed, available, lacks_domains)
            )
        return verdict

    def remove(self, target: Target) -> None:
        """Remove a target's usage of quota and of domains."""
        self.remove_again(target)
        if self.recorder is not None:
            self.record(steps.WorkloadRemoved(target.workload.key, target.reason))

    def restore(self, target: Target) -> None:
        """Add a target's usage again."""
        key = target.workload.key
        self.tree.add_booked(key)
        if self.placer.forest.flavors:
            self.placer.forest.add_workload(key)

    def remove_again(self, target: Target) -> None:
        """Remove the usage of a restored target again: with it, the preemptor does not fit."""
        key = target.workload.key
        self.tree.remove_booked(key)
        if self.placer.forest.flavors:
            self.placer.forest.remove_workload(key)

    def record(self, facts: steps.Facts) -> None:
        """Record a step about the preemptor. Only call it with a recorder."""
        assert self.recorder is not None
        self.recorder.record(facts, self.workload.key, self.queue.name)

    def record_all(self, all_facts: Sequence[steps.Facts]) -> None:
        """Record a step for each of some facts. Only call it with a recorder."""
        assert self.recorder is not None
        self.recorder.record_all(all_facts, self.workload.key, self.queue.name)


class _Pair:
    """A preemptor and a candidate, as policies compare them."""

    __slots__ = ("_candidate", "_search", "candidate_priority", "preemptor_priority")

    def __init__(self, search: Search, candidate: WorkloadState) -> None:
        self._search = search
        self._candidate = candidate
        self.preemptor_priority = search.workload.priority
        self.candidate_priority = candidate.priority

    @property
    def preemptor_timestamp(self) -> int:
        return self._search.timestamp

    @property
    def candidate_timestamp(self) -> int:
        return queue_order_timestamp(self._candidate, self._search.configuration)

    @property
    def buffered(self) -> bool:
        return self._search.configuration.gates["SchedulerTimestampPreemptionBuffer"]


def fill_back(search: Search, targets: list[Target], *, borrowing: bool) -> list[Target]:
    """Restore targets that are not needed, the last removed first; the very last is needed.

    The last target takes the place of a restored one, as in Kueue: the order is the same. Usage
    is for the caller to undo: targets that are not needed without doubt are not restored in it.
    """
    margin = search.margin(targets, borrowing=borrowing)
    unneeded: list[Target] = []
    for index in range(len(targets) - 2, -1, -1):
        target = targets[index]
        kept = None if margin is None else margin.verdict_with(target)
        if kept is None:
            while unneeded:
                search.restore(unneeded.pop())
            search.restore(target)
            kept = search.fits(borrowing=borrowing)
            if not kept:
                search.remove_again(target)
            margin = search.margin(targets, borrowing=borrowing)
        elif kept:
            unneeded.append(target)
        if search.recorder is not None:
            search.record(steps.FilledBack(target.workload.key, kept))
        if kept:
            targets[index] = targets[-1]
            targets.pop()
    return targets
