"""Removing the rule that keeps a candidate out, and deciding again.

Every search for preemption targets is kept as it began: the quota tree with the workloads
that hold quota, the preemptor and what it needs. There a policy, a quota, a weight or a
priority can be edited, and the search made once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

import pytest

from kueuelab.model import (
    BorrowWithinCohort,
    ClusterQueue,
    Cohort,
    Configuration,
    FlavorQuotas,
    FlavorResource,
    ObjectMeta,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.quota import ClusterQueueNode, CohortNode, Journal, Node, QuotaTree
from kueuelab.scheduler import ClusterAccess
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.placer import NOTHING_WANTED, Placer, Wanted
from kueuelab.scheduler.preemption import Preemptor
from kueuelab.topology import TopologyForest
from kueuelab.trace import Recorder
from kueuelab.trace.search import Search, SkippedQueue, Verdict
from kueuelab.trace.searches import searches
from kueuelab.workload import WorkloadState, queue_order_timestamp

#: More than anybody has: a share divided by it is next to nothing.
HEAVY = Fraction(10**9)


@dataclass(slots=True)
class Decision:
    """One search, ready to be made again on a tree of its own."""

    tree: QuotaTree
    configuration: Configuration
    preemptor: WorkloadState
    queue: str
    usage: Mapping[FlavorResource, int]
    contested: tuple[FlavorResource, ...]
    purpose: str
    edits: list[str] = field(default_factory=list)

    def copy(self) -> Decision:
        """Return the same to be edited: nothing of it is shared."""
        return replace(self, tree=_copied(self.tree), preemptor=copy(self.preemptor), edits=[])

    def made(self) -> Search:
        """Make the search."""
        recorder = Recorder()
        rules = FlavorRules.of(self.configuration)
        forest = TopologyForest(self.tree.journal, {})
        placer = Placer(forest, {}, rules, cast(ClusterAccess, None))
        with self.tree.simulation():
            Preemptor(self.configuration, self.tree, placer, recorder).targets(
                self.preemptor,
                self.tree.cluster_queues[self.queue],
                self.usage,
                self.contested,
                self.purpose,
            )
        (found,) = searches(recorder.steps, self.preemptor.key)
        return found

    def neighbours(self) -> Iterator[WorkloadState]:
        """Yield who holds quota in the same cohort tree.

        Those are left out whom an earlier entry of the cycle takes already.
        """
        for name in self.tree.cluster_queues_in_tree(self.queue):
            yield from _candidates(self.tree.cluster_queues[name])

    # --- what can be edited ----------------------------------------------------------------

    def edit_queue(self, name: str, **changes: Any) -> None:
        """Apply a ClusterQueue with another policy, quota or weight."""
        node = self.tree.cluster_queues[name]
        spec = ClusterQueue(
            ObjectMeta(name),
            node.resource_groups,
            "" if node.parent is None else node.parent.name,
            preemption=node.preemption,
            fair_weight=Fraction(node.fair_weight),
        )
        self.tree.set_cluster_queue(replace(spec, **changes))
        self.edits.append(f"ClusterQueue/{name}: {', '.join(changes)}")

    def edit_policy(self, **changes: Any) -> None:
        """Change ``spec.preemption`` of the preemptor's ClusterQueue."""
        preemption = self.tree.cluster_queues[self.queue].preemption
        self.edit_queue(self.queue, preemption=replace(preemption, **changes))

    def edit_cohort(self, name: str, **changes: Any) -> None:
        """Apply a Cohort with another quota or weight."""
        node = self.tree.cohorts[name]
        quotas = {
            fr: ResourceQuota(fr[1], q.nominal, q.borrowing_limit, q.lending_limit)
            for fr, q in node.quotas.items()
        }
        parent = "" if node.parent is None else node.parent.name
        spec = Cohort(ObjectMeta(name), parent, _groups(quotas), Fraction(node.fair_weight))
        self.tree.set_cohort(replace(spec, **changes))
        self.edits.append(f"Cohort/{name}: {', '.join(changes)}")

    def edit_weight(self, node: str, weight: Fraction) -> None:
        """Change the fair sharing weight of a node that is given as ``Kind/name``."""
        kind, _, name = node.partition("/")
        edit = self.edit_cohort if kind == "Cohort" else self.edit_queue
        edit(name, fair_weight=weight)

    def edit_priority(self, priority: int) -> None:
        """Give the preemptor another priority."""
        self.preemptor.priority = priority
        self.edits.append(f"{self.preemptor.key}: priority")

    def holder(self, key: str) -> WorkloadState:
        """Return a workload that holds quota."""
        return next(each for each in self.tree.workloads() if each.key == key)

    def without_quota(self, node: Node) -> None:
        """Move the contested quota of a node to the cohort above: what it uses is borrowed."""
        moved = {fr: node.subtree_quota.get(fr, 0) for fr in self.contested}
        self._emptied(node)
        above = node.parent
        assert isinstance(above, CohortNode)
        quotas = dict.fromkeys((*above.quotas, *moved))
        self.edit_cohort(
            above.name,
            resource_groups=_groups(
                {
                    fr: ResourceQuota(
                        fr[1],
                        moved.get(fr, 0) + (above.quotas[fr].nominal if fr in above.quotas else 0),
                    )
                    for fr in quotas
                }
            ),
        )

    def _emptied(self, node: Node) -> None:
        if isinstance(node, CohortNode):
            for child in (*node.sorted_cohorts, *node.sorted_queues):
                self._emptied(child)
            self.edit_cohort(node.name, resource_groups=())
            return
        assert isinstance(node, ClusterQueueNode)
        groups = tuple(
            replace(group, flavors=tuple(self._without(each) for each in group.flavors))
            for group in node.resource_groups
        )
        self.edit_queue(node.name, resource_groups=groups)

    def _without(self, quotas: FlavorQuotas) -> FlavorQuotas:
        contested = {resource for flavor, resource in self.contested if flavor == quotas.name}
        return replace(
            quotas,
            resources=tuple(
                replace(each, nominal=0) if each.name in contested else each
                for each in quotas.resources
            ),
        )

    def with_contested(self, key: str) -> None:
        """Let a workload hold some of what is contested."""
        flavor, resource = self.contested[0]
        twin = copy(self.holder(key))
        first = twin.requests[0]
        first = replace(
            first,
            requests={**first.requests, resource: max(1, first.requests.get(resource, 0))},
            flavors={**first.flavors, resource: flavor},
        )
        twin.requests = (first, *twin.requests[1:])
        twin.usage = {**twin.usage, (flavor, resource): first.requests[resource]}
        self.tree.add_workload(twin)
        self.edits.append(f"{key}: flavors")


def _groups(quotas: Mapping[FlavorResource, ResourceQuota]) -> tuple[ResourceGroup, ...]:
    return tuple(
        ResourceGroup((resource,), (FlavorQuotas(flavor, (quota,)),))
        for (flavor, resource), quota in quotas.items()
    )


# --- from the rule to the edit --------------------------------------------------------------


def against(
    search: Search, candidate: WorkloadState, tree: QuotaTree
) -> Verdict | SkippedQueue | None:
    """Return what keeps a workload from being a candidate, ``None`` if it is one.

    A workload that was passed over counts as kept out, too.
    """
    verdict = search.verdict_on(candidate.key)
    if verdict is not None:
        return verdict if verdict.verdict in ("excluded", "passed-over") else None
    node: Node | None = tree.cluster_queues[candidate.cluster_queue]
    while node is not None:
        for skipped in search.skipped:
            cohort = skipped.numbers.get("node", "ClusterQueue") == "Cohort"
            if skipped.queue == node.name and cohort == isinstance(node, CohortNode):
                return skipped
        node = node.parent
    raise AssertionError(f"nothing is said about {candidate.key}")


def remove(decision: Decision, found: Verdict | SkippedQueue, key: str) -> None:
    """Edit what makes the rule hold."""
    _REMOVALS[found.rule](decision, found, decision.holder(key))


_Removal = Callable[[Decision, Any, WorkloadState], None]


def _allow(decision: Decision, found: Any, candidate: WorkloadState) -> None:
    if candidate.cluster_queue == decision.queue:
        decision.edit_policy(within_cluster_queue="LowerPriority")
    else:
        decision.edit_policy(reclaim_within_cohort="Any")


def _whatever_priority(decision: Decision, found: Any, candidate: WorkloadState) -> None:
    if candidate.cluster_queue != decision.queue:
        decision.edit_policy(reclaim_within_cohort="Any")
        return
    times = [
        queue_order_timestamp(w, decision.configuration) for w in (candidate, decision.preemptor)
    ]
    policy = decision.tree.cluster_queues[decision.queue].preemption.within_cluster_queue
    same = candidate.priority == decision.preemptor.priority
    if same and times[0] > times[1] and policy == "LowerPriority":
        decision.edit_policy(within_cluster_queue="LowerOrNewerEqualPriority")
    else:
        # No policy lets a workload preempt what goes before it in its own queue.
        decision.edit_priority(candidate.priority + 1)


def _contested(decision: Decision, found: Any, candidate: WorkloadState) -> None:
    decision.with_contested(candidate.key)


def _make_borrow(decision: Decision, found: Any, candidate: WorkloadState) -> None:
    name = found.numbers.get("queue", getattr(found, "queue", ""))
    cohort = found.numbers.get("node") == "Cohort"
    node: Node = decision.tree.cohorts[name] if cohort else decision.tree.cluster_queues[name]
    decision.without_quota(node)
    held = decision.holder(candidate.key)
    if not any(held.usage.get(fr, 0) for fr in decision.contested):
        # Nobody borrows who uses nothing.
        decision.with_contested(candidate.key)


def _while_borrowing(decision: Decision, found: Any, candidate: WorkloadState) -> None:
    decision.edit_policy(borrow_within_cohort=BorrowWithinCohort("LowerPriority"))
    if candidate.priority >= decision.preemptor.priority:
        decision.edit_priority(candidate.priority + 1)


def _smaller_share(decision: Decision, found: Any, candidate: WorkloadState) -> None:
    shares = found.shares
    node = shares.preemptor_node if shares is not None else found.numbers["preemptorNode"]
    decision.edit_weight(node, HEAVY)
    fair = decision.configuration.fair_sharing
    assert fair is not None
    strategies = replace(fair, preemption_strategies=("LessThanInitialShare",))
    decision.configuration = replace(decision.configuration, fair_sharing=strategies)


_REMOVALS: Mapping[str, _Removal] = {
    "policy-never": _allow,
    "not-lower-priority": _whatever_priority,
    "not-newer": _whatever_priority,
    "uses-none-contested": _contested,
    "not-borrowing": _make_borrow,
    "queue-no-longer-borrowing": _make_borrow,
    "cohort-no-longer-borrowing": _make_borrow,
    "only-without-borrowing": _while_borrowing,
    "preemptor-weight-zero": _smaller_share,
    "shares.LessThanOrEqualToFinalShare": _smaller_share,
    "shares.LessThanInitialShare": _smaller_share,
}

#: Every rule that keeps a workload from being taken.
RULES = frozenset(_REMOVALS)


def _kept(tree: QuotaTree) -> QuotaTree:
    """Return a tree of its own, with workloads and what LocalQueues used as they are now."""
    twin = _copied(tree)
    for queue in twin.cluster_queues.values():
        usage = queue.candidates.usage
        if usage is not None:
            used = {each.queue_key: usage(each.queue_key) for each in queue.workloads.values()}
            queue.candidates.usage = used.__getitem__
    return twin


def _copied(tree: QuotaTree) -> QuotaTree:
    """Return a tree of its own, which records nothing and has no journal."""
    known: dict[int, object] = {id(tree.recorder): None, id(tree.journal): Journal()}
    for workload in tree.workloads():
        known[id(workload)] = _as_it_is(workload)
    for queue in tree.cluster_queues.values():
        for shared in (queue.candidates.usage, queue.quotas, queue.resource_groups):
            known[id(shared)] = shared
    return deepcopy(tree, known)


def _candidates(queue: ClusterQueueNode) -> list[WorkloadState]:
    return [*queue.candidates.evicted(), *queue.candidates.others()]


def _as_it_is(workload: WorkloadState) -> WorkloadState:
    twin = copy(workload)
    twin.conditions = dict(workload.conditions)
    return twin


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, Decision]]:
    """Keep each search of a recorded run as it begins, by the index of its first step."""
    found: dict[int, Decision] = {}
    targets = Preemptor.targets

    def kept(
        self: Preemptor,
        workload: WorkloadState,
        queue: ClusterQueueNode,
        usage: Mapping[FlavorResource, int],
        contested: tuple[FlavorResource, ...],
        purpose: str = "targets",
        wanted: Wanted = NOTHING_WANTED,
    ) -> Any:
        # Only quota is kept: where domains decide, too, the search can't be made once more.
        if self._recorder is not None and not wanted:
            found[len(self._recorder.steps)] = Decision(
                _kept(self._tree),
                self._configuration,
                _as_it_is(workload),
                queue.name,
                dict(usage),
                contested,
                purpose,
            )
        return targets(self, workload, queue, usage, contested, purpose, wanted)

    with monkeypatch.context() as patch:
        patch.setattr(Preemptor, "targets", kept)
        yield found
