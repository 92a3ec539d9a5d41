"""What Kueue left to chance about a workload: its place, its targets, and that it was one."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace import steps
from kueuelab.trace.chances import chances_of
from kueuelab.trace.explanation import Line
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["chance"]


def chance(at: WorkloadMoment) -> Iterator[Line]:
    """Say which decisions about it were made by chance, and what else could have come.

    They are those of the last cycle that looked at it, of its searches for targets, and of the
    search that made it a target.
    """
    every = chances_of(at.trace, sorted(set(_places(at))))
    # Each strategy meets the same cohorts again.
    distinct = {(each.kind, each.workload, each.outcomes, each.chosen): each for each in every}
    for found in distinct.values():
        text = at.words.catalog.render(found.as_text())
        yield Line(text, at.workload, "chance", found.kind, step=found.step)


def _places(at: WorkloadMoment) -> Iterator[int]:
    """Yield the steps that show what was left to chance."""
    trace, last_eviction = at.trace, None
    for index in trace.index.single_steps(at.workload):
        if index > at.at:
            break
        facts = trace[index].facts
        if isinstance(facts, steps.CohortsTied):
            yield index
        elif isinstance(facts, steps.Evicted) and facts.preemptor:
            last_eviction = index, facts.preemptor
    if last_eviction is not None:
        index, preemptor = last_eviction
        cycle = trace.cycle_at(index)
        if cycle is not None:
            own = trace.index.single_steps(preemptor)
            yield from (
                each
                for each in own
                if cycle.first <= each <= cycle.last
                and isinstance(trace[each].facts, steps.CohortsTied)
            )
    if at.cycle is not None:
        for index in range(at.cycle.first, min(at.cycle.last, at.at) + 1):
            found = chances_of(trace, (index,))
            if any(each.kind == "order" and at.workload in each.outcomes for each in found):
                yield index
