"""``kueuelab explain``: why a workload is where it is, in sentences with the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import AsJson, progress, say, say_json
from kueuelab.errors import KueueLabError

if TYPE_CHECKING:
    from kueuelab.simulation import Run


def command(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A scenario, manifests, a dump, or a folder of these."),
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
) -> None:
    """Tell why a workload is admitted, pending or evicted, and who did it."""
    from kueuelab.cli.loading import scenario_at, workload_named
    from kueuelab.cli.worlds import answer_lines, world_at
    from kueuelab.trace import explain

    several = world_at(file)
    if several is not None:
        say(answer_lines(several.run(), workload))
        return
    scenario = scenario_at(file)
    with progress(scenario.name or "running"):
        run = scenario.run()
    trace = run.trace
    step = _step_at(run, at) if at else None
    name = workload_named(workload, run)
    if who_evicted:
        eviction = explain.who_evicted(trace, name, step)
        if eviction is None:
            raise KueueLabError(f"nobody evicted {name}")
        story = eviction.story
    elif why_not:
        story = explain.why_not(trace, name, workload_named(why_not, run), step)
    else:
        story = explain.why(trace, name, step)
    if as_json:
        say_json({"kueueVersion": trace.kueue_version, **story.as_data()})
    else:
        say([story.as_text(), "", f"(Kueue {trace.kueue_version})"])


def _step_at(run: Run, at: str) -> int:
    """Return the index of the last step that was taken by a time."""
    from kueuelab.model.times import parse_duration

    try:
        due = run.start + parse_duration(at)
    except ValueError as error:
        raise KueueLabError(f"--at: {error}") from error
    steps = [step.index for step in run.trace.steps if step.time <= due]
    if not steps:
        raise KueueLabError(f"--at: nothing has happened by {at}")
    return steps[-1]
