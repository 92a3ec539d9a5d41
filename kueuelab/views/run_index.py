"""An index of a whole run: sizes of requests, ranks of priorities, the scale of the picture."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.model import UNLIMITED
from kueuelab.trace import steps
from kueuelab.trace.reading import State
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts
from kueuelab.trace.workload_groups import WorkloadGroups
from kueuelab.views.decisions import Decisions
from kueuelab.views.frame.layout import Layout
from kueuelab.views.tree import Tree, nominal_below, tree_of
from kueuelab.views.workloads_by_queue import WorkloadsByQueue

__all__ = ["RunIndex"]

#: With these a workload is requeued that has preempted others and waits for them to go.
_WAITS_FOR_ROOM: Final = frozenset({"PendingPreemption", "PendingMigration"})

#: So many objects applied one right after the other, with few steps in between, are laid out
#: at once.
_LARGE_SETUP: Final = 300
_NEAR: Final = 3
#: Changes of objects that are so near to each other count as one.
_NEXT: Final = 20
#: How many states of a run are looked at for the scale of the picture.
_MOST_STATES: Final = 200
#: A longer run is looked at in fewer places.
_LONG: Final = 10_000

#: So many times as wide as the widest queue a cohort may be before its bar is cut off.
_COHORT_TO_QUEUE: Final = 3


class RunIndex:
    """Reads a whole trace once, so that stepping through it is fast.

    Parameters
    ----------
    trace
        The record of a run.
    catalog
        The language of the sentences; English if omitted.

    Examples
    --------
    >>> RunIndex(Trace(())).requests("default/a")
    {}
    """

    def __init__(self, trace: Trace, catalog: Catalog | None = None) -> None:
        self.trace = trace
        self.words = MessageParts(catalog)
        self._cursor = Cursor(trace)
        self._trees: list[tuple[Mapping[str, Any], Tree]] = []
        self._by_queue = WorkloadsByQueue(trace)
        self._layout = Layout.of(Tree((), 0))
        self._setup: tuple[int, Tree] | None = None
        self._measured: tuple[Tree | None, list[tuple[str, int]]] = (None, [])

    def state(self, index: int) -> State:
        """Return the visible state after a step; read it only."""
        self._cursor.to(index)
        return self._cursor.state

    def by_queue(self, index: int) -> WorkloadsByQueue:
        """Return the workloads by queue after a step; valid until the next call."""
        return self._by_queue.at(index, self.state(index))

    def laid_out(self, index: int) -> int:
        """Return the step whose objects are shown at a step: of a large setup, its last one.

        A tree of a thousand queues is not laid out anew for each of them.
        """
        at = bisect_right(self._setups, index, key=itemgetter(0)) - 1
        return max(index, self._setups[at][1]) if at >= 0 else index

    def tree(self, index: int) -> Tree:
        """Return the tree as it is after a step; the same one as long as no object changes."""
        last = self.laid_out(index)
        if last != index:
            if self._setup is None or self._setup[0] != last:
                self._setup = last, tree_of(self.trace.state_at(last))
            return self._setup[1]
        state = self.state(index)
        objects = state.objects
        for known, tree in self._trees:
            # Mostly it is the very same dict; after a jump it may be an equal one.
            if known is objects or known == objects:
                return tree
        tree = tree_of(state)
        self._trees = [(objects, tree), *self._trees[:7]]
        return tree

    def layout(self, index: int) -> Layout:
        """Return the tree after a step with its quotas; the same one as long as the tree is."""
        tree = self.tree(index)
        if self._layout.tree is not tree:
            self._layout = Layout.of(tree)
        return self._layout

    def preemptor(self, cluster_queue: str, index: int) -> str:
        """Return the workload that waits for room it made by preempting, ``""`` for none.

        In a BestEffortFIFO queue it goes before all others.
        """
        found = self._preemptors.get(cluster_queue, [])
        at = bisect_right(found, index, key=itemgetter(0)) - 1
        return found[at][1] if at >= 0 else ""

    def holds(self, workload: str, index: int) -> bool:
        """Tell whether a workload with an admission holds its quota still, finished or not."""
        ends = self._ends.get(workload)
        if not ends:
            return True
        at = bisect_right(ends, index, key=itemgetter(0)) - 1
        return at < 0 or ends[at][1] != "QuotaReleased"

    def released_at(self, workload: str, index: int) -> int | None:
        """Return when a workload last gave its quota back, ``None`` if it did not."""
        ends = self._ends.get(workload, [])
        for place, kind in reversed(ends[: bisect_right(ends, index, key=itemgetter(0))]):
            if kind == "QuotaReleased":
                return self.trace[place].time
        return None

    def requests(self, workload: str, index: int | None = None) -> Mapping[str, int]:
        """Return what a workload asks for in all, per resource; empty if it is not known.

        A slice of an elastic job that was changed in place asks for something else since then:
        at which step counts, or else what it asked for first.
        """
        found = self._requests.get(workload)
        if not found:
            return {}
        at = 0 if index is None else bisect_right(found, index, key=itemgetter(0)) - 1
        return found[max(at, 0)][1]

    @cached_property
    def groups(self) -> WorkloadGroups:
        """The slices of elastic jobs, and the variants of workloads."""
        return WorkloadGroups(self.trace)

    @cached_property
    def decisions(self) -> Decisions:
        """The decisions of the run."""
        return Decisions(self.trace)

    @property
    def priorities(self) -> list[int]:
        """The priorities of the run's workloads, ascending."""
        return self._priorities

    @property
    def extents(self) -> dict[str, int]:
        """The amount that fills the width of the picture, by resource."""
        return {resource: self.extent(resource) for resource in self._extents}

    def extent(self, resource: str) -> int:
        """Return the amount that fills the width of the picture; at least 1."""
        return max(1, self._extents.get(resource, 1))

    @cached_property
    def _setups(self) -> list[tuple[int, int]]:
        """Where many objects are applied one right after the other: first and last step.

        Only before the first workload: later their effects are looked at step by step.
        """
        created = [*self.trace.of_kind("WorkloadCreated"), len(self.trace)][0]
        applied = [each for each in self.trace.of_kind("ObjectApplied") if each < created]
        found: list[tuple[int, int]] = []
        first = 0
        for place in range(1, len(applied) + 1):
            if place == len(applied) or applied[place] > applied[place - 1] + _NEAR:
                if place - first >= _LARGE_SETUP:
                    found.append((applied[first], applied[place - 1]))
                first = place
        return found

    @cached_property
    def _preemptors(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for index in self.trace.of_kind("Requeued"):
            step = self.trace[index]
            facts = step.facts
            if isinstance(facts, steps.Requeued) and facts.reason in _WAITS_FOR_ROOM:
                found.setdefault(step.cluster_queue, []).append((index, step.workload))
        return found

    @cached_property
    def _ends(self) -> dict[str, list[tuple[int, str]]]:
        """When workloads got and gave back their quota."""
        found: dict[str, list[tuple[int, str]]] = {}
        for index in self.trace.of_kind("QuotaReserved", "QuotaReleased"):
            step = self.trace[index]
            found.setdefault(step.workload, []).append((index, step.kind))
        return found

    @cached_property
    def _requests(self) -> dict[str, list[tuple[int, dict[str, int]]]]:
        """What workloads ask for, from which step on."""
        found: dict[str, list[tuple[int, dict[str, int]]]] = {}
        scaled: dict[str, int] = {}
        for index in self.trace.of_kind("NominationStarted", "SliceScaled"):
            step = self.trace[index]
            if step.kind == "SliceScaled":
                scaled[step.workload] = index
            elif step.workload not in found or step.workload in scaled:
                since = scaled.pop(step.workload, index)
                found.setdefault(step.workload, []).append((since, _total(step.facts)))
        return found

    @cached_property
    def _priorities(self) -> list[int]:
        found = {
            step.facts.priority
            for step in map(self.trace.__getitem__, self.trace.of_kind("WorkloadCreated"))
            if isinstance(step.facts, steps.WorkloadCreated)
        }
        return sorted(found)

    @cached_property
    def _extents(self) -> dict[str, int]:
        """The largest quota, use of it, or request, per resource: all bars have one scale.

        Cohorts much larger than all of their queues are cut off: the rest stays readable.
        """
        found: dict[str, int] = {}
        cohorts: dict[str, int] = {}

        def widen(resource: str, amount: int | None) -> None:
            if amount is not None and found.get(resource, 0) < amount < UNLIMITED:
                found[resource] = amount

        for requests in self._requests.values():
            for _, request in requests:
                for resource, amount in request.items():
                    widen(resource, amount)
        for index in _sample(self.trace):
            tree, state = self.tree(index), self.state(index)
            for node in tree.nodes:
                if node.kind == "ClusterQueue":
                    for quota in node.own:
                        widen(quota.resource, quota.nominal)
                    for (_, resource), amount in state.cluster_queue(node.name).usage.items():
                        widen(resource, amount)
            for resource, amount in self._cohort_quotas(tree):
                cohorts[resource] = max(cohorts.get(resource, 0), amount)
        for resource, amount in cohorts.items():
            most = found.get(resource, amount) * _COHORT_TO_QUEUE
            widen(resource, min(amount, most))
        return found

    def _cohort_quotas(self, tree: Tree) -> list[tuple[str, int]]:
        """Return what the cohorts of a tree have in all, by resource; unlimited ones not."""
        if tree is not self._measured[0]:
            totals = [
                (
                    lane.quota.resource,
                    nominal_below(tree, node, (lane.quota.flavor, lane.quota.resource)),
                )
                for node in tree.nodes
                if node.kind == "Cohort" and node.parent is None
                for lane in node.lanes
                if lane.quota is not None
            ]
            self._measured = tree, [each for each in totals if each[1] < UNLIMITED]
        return self._measured[1]


def _total(facts: object) -> dict[str, int]:
    """Return what a workload asks for in all, when its flavors are looked for."""
    total: dict[str, int] = {}
    if isinstance(facts, steps.NominationStarted):
        for _, _, requests in facts.requests:
            for resource, amount in requests.items():
                total[resource] = total.get(resource, 0) + amount
    return total


def _sample(trace: Trace) -> Iterable[int]:
    """Return steps that show the quotas, and how full queues get: a bounded number of them."""
    if not len(trace):
        return []
    applied = trace.of_kind("ObjectApplied", "ObjectRemoved")
    objects = [a for a, b in pairwise((*applied, len(trace))) if b - a > _NEXT]
    # Of a long run those whose state is kept: no step has to be applied to see them.
    is_long = len(trace) > _LONG
    busy = trace.frames.steps[1:] if is_long else trace.of_kind("CycleEnded")
    most = _MOST_STATES // 10 if is_long else _MOST_STATES
    return [*_even(objects, _MOST_STATES // 10), *_even(busy, most), len(trace) - 1]


def _even(found: Sequence[int], most: int) -> Sequence[int]:
    return found[:: max(1, -(-len(found) // most))]
