"""``kueuelab explain``: why a workload is where it is, in sentences with the numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.loading import AllowOutside, opened, workload_in, workload_named
from kueuelab.cli.output import AsJson, progress, say, say_json
from kueuelab.errors import KueueLabError

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A scenario, manifests, a dump, a folder of these, or a saved run.",
        ),
    ],
    workload: Annotated[
        str,
        typer.Argument(help="namespace/name of the workload, or of its job; the name may do."),
    ],
    at: Annotated[
        str, typer.Option(help="When, as a time since the start such as 12s; at the end if absent.")
    ] = "",
    why_not: Annotated[
        str, typer.Option(help="Tell why it does not preempt this other workload.")
    ] = "",
    who_evicted: Annotated[
        bool, typer.Option("--who-evicted", help="Tell who evicted it last, and at which cohort.")
    ] = False,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Tell why a workload is admitted, pending or evicted, and who did it."""
    from kueuelab.cli.worlds import answer_lines
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace import explain
    from kueuelab.trace.trace import Trace

    found = opened(file, allow_outside=allow_outside)
    if isinstance(found, MultiKueueScenario):
        given = {"--at": at, "--why-not": why_not, "--who-evicted": who_evicted, "--json": as_json}
        for option in (name for name, value in given.items() if value):
            hint = "Leave it out, or explain a scenario with one cluster"
            raise KueueLabError(f"{option} does not work for several clusters", hint=hint)
        say(answer_lines(found.run(), workload))
        return
    named: Callable[[str], str]
    if isinstance(found, Trace):
        trace, named = found, partial(workload_in, trace=found)
        start = trace[0].time if len(trace) else 0
    else:
        with progress(found.name or "running"):
            run = found.run()
        trace, named, start = run.trace, partial(workload_named, run=run), run.start
    step = _step_at(trace, start, at) if at else None
    name = named(workload)
    if who_evicted:
        eviction = explain.who_evicted(trace, name, step)
        if eviction is None:
            raise KueueLabError(f"{name} was not evicted, neither in the run nor before it")
        explanation = eviction.explanation
    elif why_not:
        explanation = explain.why_not(trace, name, named(why_not), step)
    else:
        explanation = explain.why(trace, name, step)
    if as_json:
        say_json({"kueueVersion": trace.kueue_version, **explanation.as_data()})
    else:
        say([explanation.as_text(), "", f"(Kueue {trace.kueue_version})"])


def _step_at(trace: Trace, start: int, at: str) -> int:
    """Return the index of the last step that was taken by a time."""
    from kueuelab.model.times import parse_duration

    try:
        due = start + parse_duration(at)
    except ValueError as error:
        raise KueueLabError(f"--at: {error}") from error
    steps = [step.index for step in trace.steps if step.time <= due]
    if not steps:
        raise KueueLabError(f"--at: nothing has happened by {at}")
    return steps[-1]
