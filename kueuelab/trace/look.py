"""The cycle that considered a workload: its own steps, its searches, and what went before it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from kueuelab.trace.search import Search
from kueuelab.trace.searches import decisive, searches
from kueuelab.trace.step import Step
from kueuelab.trace.step_list import StepList

__all__ = ["Look"]


class Look:
    """A workload in a cycle that considered it, as far as the cycle had come.

    A cycle of a large cluster has millions of verdicts on candidates. Those of other workloads
    are not looked at, and each part is read once, however many sections of an explanation need it.

    Parameters
    ----------
    steps
        The steps of the run.
    workload
        ``namespace/name``.
    first, last
        The indexes of the first step of the cycle, and of the last one that had come.
    own
        The indexes of the workload's own steps in the whole run, without verdicts of searches.

    Examples
    --------
    >>> from kueuelab.trace.steps import CycleStarted, Requeued
    >>> steps = StepList()
    >>> steps.append(Step(0, 5, 1, "", "", CycleStarted(("default/a", "default/b"))))
    >>> for index, key in enumerate(("default/a", "default/b"), 1):
    ...     steps.append(Step(index, 5, 1, key, "cq", Requeued("NoFit", active=False)))
    >>> [step.index for step in Look(steps, "default/b", 0, 2, [2]).own]
    [2]
    """

    def __init__(
        self, steps: StepList, workload: str, first: int, last: int, own: Sequence[int]
    ) -> None:
        self.steps: Final = steps
        self.workload: Final = workload
        self.first: Final = first
        self.last: Final = last
        self._own: Final = own

    def single_steps(self) -> Iterator[Step]:
        """Yield the steps of the cycle, of all workloads, that are not verdicts of a search."""
        for entry in self.steps.entries(self.first, self.last + 1):
            if isinstance(entry, Step):
                yield entry

    @cached_property
    def own(self) -> tuple[Step, ...]:
        """The steps that are the workload's own, without verdicts of its searches."""
        places = self._own
        start, stop = bisect_left(places, self.first), bisect_right(places, self.last)
        return tuple(map(self.steps.__getitem__, places[start:stop]))

    @cached_property
    def searches(self) -> tuple[Search, ...]:
        """Its searches for preemption targets, in order."""
        own = self.steps.of_workload(self.workload, self.first, self.last + 1)
        return tuple(searches(own, self.workload))

    @cached_property
    def decisive(self) -> Search | None:
        """The search whose targets it ended up with, ``None`` if it has none."""
        return decisive(self.own, self.searches)
