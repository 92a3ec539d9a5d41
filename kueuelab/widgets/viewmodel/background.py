"""What holds for a whole run: sizes of requests, ranks of priorities, the scale of the picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from kueuelab.model import UNLIMITED
from kueuelab.trace import steps
from kueuelab.trace.trace import Trace
from kueuelab.widgets.viewmodel.reading import quotas
from kueuelab.widgets.viewmodel.tree import Tree, tree_of

__all__ = ["Background"]


class Background:
    """Looks once at a whole trace, so that stepping through it is fast.

    Parameters
    ----------
    trace
        The record of a run.

    Examples
    --------
    >>> Background(Trace(())).requests("default/a")
    {}
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._trees: list[tuple[object, Tree]] = []

    def tree(self, index: int) -> Tree:
        """Return the tree as it is after a step; the same one as long as no object changes."""
        state = self.trace.state_at(index)
        objects = state.get("objects")
        for known, tree in self._trees:
            if known is objects:
                return tree
        tree = tree_of(state)
        self._trees = [(objects, tree), *self._trees[:7]]
        return tree

    def requests(self, workload: str) -> Mapping[str, int]:
        """Return what a workload asks for in all, per resource; empty if nobody asked it yet."""
        return self._requests.get(workload, {})

    def shade(self, priority: int) -> float:
        """Return where a priority stands among those of the run, from 0 to 1."""
        ranks = self._priorities
        return ranks.index(priority) / max(1, len(ranks) - 1) if priority in ranks else 0.5

    def extent(self, resource: str) -> int:
        """Return the amount that fills the width of the picture; at least 1."""
        return max(1, self._extents.get(resource, 1))

    @cached_property
    def _requests(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for index in self.trace.of_kind("NominationStarted"):
            step = self.trace[index]
            if step.workload not in found and isinstance(step.facts, steps.NominationStarted):
                total: dict[str, int] = {}
                for _, _, requests in step.facts.requests:
                    for resource, amount in requests.items():
                        total[resource] = total.get(resource, 0) + amount
                found[step.workload] = total
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
        """The largest quota of a ClusterQueue, use of it, or request, per resource."""
        found: dict[str, int] = {}

        def widen(resource: str, amount: int | None) -> None:
            if amount is not None and found.get(resource, 0) < amount < UNLIMITED:
                found[resource] = amount

        for request in self._requests.values():
            for resource, amount in request.items():
                widen(resource, amount)
        for index in _sample(self.trace):
            state = self.trace.state_at(index)
            for name, queue in state.get("clusterQueues", {}).items():
                for quota in quotas(state, "ClusterQueue", name):
                    widen(quota.resource, quota.nominal)
                for amounts in queue.get("usage", {}).values():
                    for resource, amount in amounts.items():
                        widen(resource, amount)
        return found


def _sample(trace: Trace) -> Iterable[int]:
    """Return steps that show how full queues get, a bounded number of them."""
    ends = trace.of_kind("CycleEnded")
    every = max(1, len(ends) // 200)
    return [*ends[::every], len(trace) - 1] if len(trace) else []
