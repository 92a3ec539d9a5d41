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
    trace, own = at.trace, at.trace.index.single_steps(at.workload)
    tied = set(trace.of_kind("CohortsTied"))
    yield from (index for index in own if index <= at.at and index in tied)
    evictions = (
        trace[index]
        for index in reversed(trace.of_kind("Evicted"))
        if index <= at.at and trace[index].workload == at.workload
    )
    eviction = next(evictions, None)
    facts = None if eviction is None else eviction.facts
    if eviction is not None and isinstance(facts, steps.Evicted):
        made = eviction.cycle, facts.preemptor
        yield from (each for each in tied if (trace[each].cycle, trace[each].workload) == made)
    if at.cycle is not None:
        for index in trace.of_kind("EntriesOrdered", "TournamentWon"):
            if at.cycle.first <= index <= min(at.cycle.last, at.at):
                found = chances_of(trace, (index,))
                if any(at.workload in each.outcomes for each in found):
                    yield index
