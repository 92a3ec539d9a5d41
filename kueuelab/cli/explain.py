"""``kueuelab explain``: why a workload is where it is, in sentences with the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.loading import AllowOutside, opened, workload_in, workload_named
from kueuelab.cli.output import AsJson, Speaker, speaker
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace


def command(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="cli.option.file",
        ),
    ],
    workload: Annotated[
        str,
        typer.Argument(help="cli.option.workload"),
    ],
    at: Annotated[str, typer.Option(help="cli.explain.at.help")] = "",
    why_not: Annotated[str, typer.Option(help="cli.explain.why-not.help")] = "",
    who_evicted: Annotated[
        bool, typer.Option("--who-evicted", help="cli.explain.who-evicted.help")
    ] = False,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Explain why a workload is admitted, pending or evicted, and what caused it."""
    from kueuelab.cli.several_clusters import answer_lines
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace import explain
    from kueuelab.trace.trace import Trace

    out = speaker(ctx)
    found = opened(file, out, allow_outside=allow_outside)
    several = isinstance(found, Trace) and len(found.clusters) > 1
    if several or isinstance(found, MultiKueueScenario):
        given = {"--at": at, "--why-not": why_not, "--who-evicted": who_evicted, "--json": as_json}
        for option in (name for name, value in given.items() if value):
            hint = Message("cli.explain.one-cluster.hint")
            raise KueueLabError(Message("cli.explain.one-cluster", option=option), hint=hint)
        if isinstance(found, MultiKueueScenario):
            out.say(answer_lines(found.run(), workload, out))
        elif isinstance(found, Trace):
            out.say(list(_in_each_cluster(found, workload_in(workload, found), out)))
        return
    named: Callable[[str], str]
    if isinstance(found, Trace):
        trace, named = found, partial(workload_in, trace=found)
        start = trace[0].time if len(trace) else 0
    else:
        with out.progress(found.name or Message("cli.running")):
            run = found.run()
        trace, named, start = run.trace, partial(workload_named, run=run), run.start
    step = _step_at(trace, start, at) if at else None
    name = named(workload)
    if who_evicted:
        eviction = explain.who_evicted(trace, name, step, out.words)
        if eviction is None:
            raise KueueLabError(Message("cli.explain.not-evicted", workload=name))
        explanation = eviction.explanation
    elif why_not:
        explanation = explain.why_not(trace, name, named(why_not), step, out.words)
    else:
        explanation = explain.why(trace, name, step, out.words)
    if as_json:
        out.say_json({"kueueVersion": trace.kueue_version, **explanation.as_data()})
    else:
        out.say([explanation.as_text(), "", Message("cli.kueue", version=trace.kueue_version)])


def _in_each_cluster(trace: Trace, workload: str, out: Speaker) -> Iterator[str | Message]:
    """Yield the explanation of each cluster that had a workload."""
    from kueuelab.trace.explain import why

    for cluster in trace.clusters:
        own = trace.of_cluster(cluster)
        if own.index.knows(workload):
            yield from (f"{cluster}:", why(own, workload, catalog=out.words).as_text(), "")
    yield Message("cli.kueue", version=trace.kueue_version)


def _step_at(trace: Trace, start: int, at: str) -> int:
    """Return the index of the last step that was taken by a time."""
    from kueuelab.model.times import parse_duration

    try:
        due = start + parse_duration(at)
    except ValueError as error:
        raise KueueLabError(Message("cli.explain.bad-time", error=error)) from error
    steps = [step.index for step in trace.steps if step.time <= due]
    if not steps:
        raise KueueLabError(Message("cli.explain.too-early", at=at))
    return steps[-1]
