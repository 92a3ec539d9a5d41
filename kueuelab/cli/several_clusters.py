"""Scenarios with several clusters on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.cli.output import Speaker
    from kueuelab.multikueue import ClusterSetRun

__all__ = ["answer_lines", "run_lines"]


def run_lines(run: ClusterSetRun, out: Speaker) -> Iterator[str]:
    """Print what was written in every cluster, which races there were, and which hazards."""
    scenario = run.scenario
    title = ": ".join(filter(None, (scenario.name, scenario.title))) or Message("cli.run.scenario")
    version = run.trace.kueue_version
    yield Message("cli.run.title", title=title, version=version)
    yield ""
    for fact in run.facts:
        yield str(fact)
    yield ""
    for race in run.races:
        yield Message("cli.run.race", race=race.as_text())
    for hazard in run.hazards:
        yield Message("cli.run.hazard", version=version, hazard=hazard.as_text())
    if run.outcomes:
        held = sum(outcome.passed for outcome in run.outcomes)
        yield Message("cli.run.expectations", held=held, count=len(run.outcomes))
    yield repr(run)


def answer_lines(
    run: ClusterSetRun,
    workload: str,
    out: Speaker,
    step: int | None = None,
    *,
    what_would_help: bool = False,
) -> Iterator[str]:
    """Print where a workload is in every cluster, its life, and what would admit it if asked."""
    from kueuelab.whatif.clusters import MultiKueueRun

    answer = run.why(workload, out.words, step)
    yield answer.as_text(out.words)
    yield ""
    yield run.job_history(answer.workload, step)
    yield ""
    if what_would_help and isinstance(run, MultiKueueRun):
        with out.progress(Message("cli.explain.searching", workload=workload)) as advance:
            report = run.what_would_admit(answer.workload, progress=advance)
        yield report.as_text(out.words)
        yield ""
    yield Message("cli.kueue", version=run.trace.kueue_version)
