"""``kueuelab explain``: why a workload is where it is, in sentences with the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.completing import files, workloads
from kueuelab.cli.loading import AllowOutside, opened, workload_in, workload_named
from kueuelab.cli.output import AsJson, KueueVersion, Speaker, speaker
from kueuelab.cli.step_at import At, step_at
from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import LabRun
    from kueuelab.whatif.report import Report


def command(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="cli.option.file",
            autocompletion=files,
        ),
    ],
    workload: Annotated[
        str,
        typer.Argument(help="cli.option.workload", autocompletion=workloads),
    ],
    at: At = "",
    why_not: Annotated[str, typer.Option(help="cli.explain.why-not.help")] = "",
    who_evicted: Annotated[
        bool, typer.Option("--who-evicted", help="cli.explain.who-evicted.help")
    ] = False,
    what_would_help: Annotated[
        bool, typer.Option("--what-would-help", help="cli.explain.what-would-help.help")
    ] = False,
    patch: Annotated[
        str, typer.Option(metavar="N|KIND", help="cli.explain.patch.help", show_default=False)
    ] = "",
    as_json: AsJson = False,
    kueue_version: KueueVersion = "",
    allow_outside: AllowOutside = False,
) -> None:
    """Explain why a workload is admitted, pending or evicted, and what caused it."""
    from kueuelab.cli.several_clusters import answer_lines
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace import explain
    from kueuelab.trace.trace import Trace

    out = speaker(ctx)
    found = opened(file, out, allow_outside=allow_outside, kueue_version=kueue_version)
    several = isinstance(found, Trace) and len(found.clusters) > 1
    if several or isinstance(found, MultiKueueScenario):
        given = {
            "--at": at and what_would_help,
            "--why-not": why_not,
            "--who-evicted": who_evicted,
            "--what-would-help": what_would_help and isinstance(found, Trace),
            "--patch": patch,
            "--json": as_json,
        }
        for option in (name for name, value in given.items() if value):
            hint = Message("cli.explain.one-cluster.hint")
            raise KueueLabError(Message("cli.explain.one-cluster", option=option), hint=hint)
        if isinstance(found, MultiKueueScenario):
            with out.progress(found.name or Message("cli.running")):
                world = found.run()
            moment = step_at(world.trace, world.start, at) if at else None
            out.say(answer_lines(world, workload, out, moment, what_would_help=what_would_help))
        elif isinstance(found, Trace):
            moment = step_at(found, found[0].time, at) if at else None
            out.say(list(_in_each_cluster(found, workload_in(workload, found), out, moment)))
        return
    named: Callable[[str], str]
    run: LabRun | None = None
    if isinstance(found, Trace):
        if what_would_help or patch:
            raise KueueLabError(
                Message("cli.saved-run", file=file), hint=Message("cli.saved-run.hint")
            )
        trace, named = found, partial(workload_in, trace=found)
        start = trace[0].time if len(trace) else 0
    else:
        with out.progress(found.name or Message("cli.running")):
            run = found.run()
        trace, named, start = run.trace, partial(workload_named, run=run), run.start
    step = step_at(trace, start, at) if at else None
    name = named(workload)
    if patch and run is not None:
        out.say_text([_patch_text(run, name, step, patch, out)])
        return
    if who_evicted:
        eviction = explain.who_evicted(trace, name, step, out.words)
        if eviction is None:
            raise KueueLabError(Message("cli.explain.not-evicted", workload=name))
        explanation = eviction.explanation
    elif why_not:
        explanation = explain.why_not(trace, name, named(why_not), step, out.words)
    else:
        explanation = (
            explain.why(trace, name, step, out.words)
            if run is None
            else run.why(name, step, out.words)
        )
    report = _report(run, name, step, out, asked=what_would_help)
    head = _headline(trace, name, step, report, out)
    if as_json:
        out.say_json(
            {
                "kueueVersion": trace.kueue_version,
                "headline": head,
                **explanation.as_data(),
                **({"whatWouldHelp": report.as_data()} if report and what_would_help else {}),
            }
        )
        return
    lines = [] if who_evicted or why_not else [head, ""]
    lines.append(explanation.as_text())
    if what_would_help and report is not None:
        lines += ["", report.as_text(out.words)]
    out.say([*lines, "", Message("cli.kueue", version=trace.kueue_version)])


def _report(
    run: LabRun | None, workload: str, step: int | None, out: Speaker, *, asked: bool
) -> Report | None:
    """Search what would admit a workload, where that is asked for or quick."""
    from kueuelab.whatif.pending import is_cheap

    if run is None or not (asked or is_cheap(run, step)):
        return None
    with out.progress(Message("cli.explain.searching", workload=workload)) as advance:
        return run.what_would_admit(workload, step, progress=advance)


def _patch_text(run: LabRun, workload: str, step: int | None, chosen: str, out: Speaker) -> str:
    """Return the manifests that make a change of the report, for ``kubectl apply``.

    Raises
    ------
    UnknownObjectError
        If the report has no such change.
    """
    from kueuelab.session.patch import patch_between

    report = _report(run, workload, step, out, asked=True)
    suggestions = tuple(report or ())
    known = {str(number): each for number, each in enumerate(suggestions, start=1)}
    for each in suggestions:
        known.setdefault(each.kind, each)
    if chosen not in known:
        raise UnknownObjectError(Message("cli.explain.patch.change"), chosen, known)
    before = run.fork(step)
    after = before.change(*known[chosen].changes)
    found = patch_between(before.objects(), after.objects(), known[chosen].changes)
    return found.as_text(out.words)


def _headline(
    trace: Trace, workload: str, step: int | None, report: Report | None, out: Speaker
) -> str:
    """Return in one line where a workload is, why, and the best lever."""
    from kueuelab.trace.pending_workloads import headline, pending_workloads
    from kueuelab.whatif.pending import PendingRow

    text = headline(trace, workload, step, out.words)
    if report is None:
        return text
    found = (each for each in pending_workloads(trace, step) if each.workload == workload)
    lever = next((PendingRow(each, report).lever_text for each in found), "")
    if not lever:
        return text
    return out.text("cli.explain.headline", why=text, lever=out.words.render(lever))


def _in_each_cluster(
    trace: Trace, workload: str, out: Speaker, step: int | None
) -> Iterator[str | Message]:
    """Yield the explanation of each cluster that has a workload after a step, or had one."""
    from kueuelab.trace.explain import why_in_clusters

    traces = {cluster: trace.of_cluster(cluster) for cluster in trace.clusters}
    for cluster, explanation in why_in_clusters(trace, traces, workload, step, out.words):
        yield from (f"{cluster}:", explanation.as_text(), "")
    yield Message("cli.kueue", version=trace.kueue_version)
