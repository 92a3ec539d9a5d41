"""``kueuelab run``: what happens in a scenario, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import CHECK_FAILED, complain, progress, say

if TYPE_CHECKING:
    from kueuelab.simulation import Run
    from kueuelab.simulation.expectations import Outcome


def command(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A scenario, manifests, a dump, or a folder of these."),
    ],
    until: Annotated[
        float | None,
        typer.Option(min=0, help="Stop after so many seconds of virtual time."),
    ] = None,
    objects: Annotated[
        bool, typer.Option("--objects", help="Also show the objects that are there at the start.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Also save the run: OUT.html for any browser, OUT.json or OUT.json.gz to load.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the trace: every step, as JSON.")
    ] = False,
) -> None:
    """Run a scenario to its end, and print the timeline of what happened."""
    from kueuelab.cli.loading import scenario_at
    from kueuelab.cli.worlds import run_lines, world_at
    from kueuelab.trace.export import write_trace

    several = world_at(file)
    if several is not None:
        world = several.run(until=until, record=as_json or save is not None)
        if save is not None:
            world.save(save)
        if as_json:
            write_trace(world.trace, sys.stdout)
        else:
            say(run_lines(world))
        _say_failures(world.outcomes)
        return
    scenario = scenario_at(file)
    with progress(scenario.name or "running"):
        run = scenario.run(until=until)
    if save is not None:
        run.save(save)
    if as_json:
        write_trace(run.trace, sys.stdout)
    else:
        say(_lines(run, objects=objects))
    _say_failures(run.outcomes)


def _say_failures(outcomes: Iterable[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        complain(_failure(outcome))
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _lines(run: Run, *, objects: bool) -> Iterator[str]:
    from kueuelab.trace.dump_summary import dump_summary
    from kueuelab.trace.timeline import timeline_text

    trace = run.trace
    title = ": ".join(filter(None, (trace.name, trace.title))) or "scenario"
    yield f"{title} (Kueue {trace.kueue_version})"
    yield ""
    yield timeline_text(trace, objects=objects) or "Nothing happened."
    yield ""
    yield from dump_summary(trace)
    if run.loop is not None:
        names = ", ".join(run.loop.workloads)
        cycles = f"cycle {run.loop.last_cycle} is as cycle {run.loop.first_cycle} was"
        yield f"The run goes round in circles and was stopped: {cycles}, with {names}."
    if run.outcomes:
        held = sum(outcome.passed for outcome in run.outcomes)
        yield f"{held} of {len(run.outcomes)} expectations hold."
    yield repr(run)


def _failure(outcome: Outcome) -> str:
    from kueuelab.model.times import format_duration

    expectation = outcome.expectation
    where = f"{expectation.location}: " if expectation.location is not None else ""
    found = "; ".join(outcome.differences)
    return f"{where}expected at {format_duration(expectation.at)}: {outcome.subject}: {found}"
