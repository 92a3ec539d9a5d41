"""``kueuelab run``: what happens in a scenario, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.loading import AllowOutside, opened
from kueuelab.cli.output import CHECK_FAILED, complain, progress, say, say_text
from kueuelab.errors import KueueLabError

if TYPE_CHECKING:
    from kueuelab.simulation import Run
    from kueuelab.simulation.expectations import Outcome
    from kueuelab.trace.trace import Trace


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A scenario, manifests, a dump, a folder of these, or a saved run.",
        ),
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
    allow_outside: AllowOutside = False,
) -> None:
    """Run a scenario to its end, and print the timeline of what happened."""
    from kueuelab.cli.worlds import run_lines
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace.export import trace_chunks
    from kueuelab.trace.saving import check_name, save_trace
    from kueuelab.trace.trace import Trace

    if save is not None:
        check_name(save)
    found = opened(file, allow_outside=allow_outside)
    if isinstance(found, Trace):
        if until is not None:
            raise KueueLabError(f"{file} is a run already", hint="Leave --until away")
        if save is not None:
            save_trace(found, save)
        if as_json:
            say_text(trace_chunks(found))
        else:
            say([*_timeline_lines(found, objects=objects), f"<saved run: {len(found)} steps>"])
        return
    if isinstance(found, MultiKueueScenario):
        world = found.run(until=until, record=as_json or save is not None)
        if save is not None:
            world.save(save)
        if as_json:
            say_text(trace_chunks(world.trace))
        else:
            say(run_lines(world))
        _say_failures(world.outcomes)
        return
    with progress(found.name or "running"):
        run = found.run(until=until)
    if save is not None:
        run.save(save)
    if as_json:
        say_text(trace_chunks(run.trace))
    else:
        say(_lines(run, objects=objects))
    _say_failures(run.outcomes)


def _say_failures(outcomes: Iterable[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if not outcome.passed]
    complain(*map(_failure, failed))
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _lines(run: Run, *, objects: bool) -> Iterator[str]:
    yield from _timeline_lines(run.trace, objects=objects)
    if run.loop is not None:
        names = ", ".join(run.loop.workloads)
        cycles = f"cycle {run.loop.last_cycle} is as cycle {run.loop.first_cycle} was"
        yield f"The run goes round in circles and was stopped: {cycles}, with {names}."
    if run.outcomes:
        held = sum(outcome.passed for outcome in run.outcomes)
        yield f"{held} of {len(run.outcomes)} expectations hold."
    yield repr(run)


def _timeline_lines(trace: Trace, *, objects: bool) -> Iterator[str]:
    from kueuelab.trace.dump_summary import dump_summary
    from kueuelab.trace.timeline import timeline_text

    title = ": ".join(filter(None, (trace.name, trace.title))) or "scenario"
    yield f"{title} (Kueue {trace.kueue_version})"
    yield ""
    yield timeline_text(trace, objects=objects) or "Nothing happened."
    yield ""
    yield from dump_summary(trace)


def _failure(outcome: Outcome) -> str:
    from kueuelab.model.times import format_duration

    expectation = outcome.expectation
    where = f"{expectation.location}: " if expectation.location is not None else ""
    found = "; ".join(outcome.differences)
    return f"{where}expected at {format_duration(expectation.at)}: {outcome.subject}: {found}"
