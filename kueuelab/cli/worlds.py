"""Scenarios with several clusters on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kueuelab.multikueue import WorldRun

__all__ = ["answer_lines", "run_lines"]


def run_lines(run: WorldRun) -> Iterator[str]:
    """Print what was written in every cluster, what luck decided, and what went wrong."""
    from kueuelab import KUEUE_VERSION

    scenario = run.scenario
    title = ": ".join(filter(None, (scenario.name, scenario.title))) or "scenario"
    yield f"{title} (Kueue {KUEUE_VERSION})"
    yield ""
    for fact in run.facts:
        yield str(fact)
    yield ""
    for race in run.races:
        yield f"race: {race}"
    for hazard in run.hazards:
        yield f"hazard of {KUEUE_VERSION}: {hazard}"
    if run.outcomes:
        held = sum(outcome.passed for outcome in run.outcomes)
        yield f"{held} of {len(run.outcomes)} expectations hold."
    yield repr(run)


def answer_lines(run: WorldRun, workload: str) -> Iterator[str]:
    """Print where a workload is in every cluster, and its life."""
    from kueuelab import KUEUE_VERSION

    answer = run.why(workload)
    yield str(answer)
    yield ""
    yield run.life(answer.workload)
    yield ""
    yield f"(Kueue {KUEUE_VERSION})"
