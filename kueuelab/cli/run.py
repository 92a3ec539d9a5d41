"""``kueuelab run``: what happens in a scenario, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.completing import files
from kueuelab.cli.loading import AllowOutside, opened
from kueuelab.cli.output import CHECK_FAILED, KueueVersion, Speaker, speaker
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.simulation import Run
    from kueuelab.simulation.expectations import Outcome
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab

#: Rows of a timeline that say what a dump says.
_AS_READ: Final = ("asRead", "preemptedBefore", "evictedBefore")


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
    until: Annotated[
        float | None,
        typer.Option(min=0, help="cli.run.until.help"),
    ] = None,
    chance: Annotated[
        int | None,
        typer.Option(metavar="SEED", help="cli.run.chance.help"),
    ] = None,
    chances: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="cli.run.chances.help"),
    ] = None,
    objects: Annotated[bool, typer.Option("--objects", help="cli.run.objects.help")] = False,
    everything: Annotated[bool, typer.Option("--all", help="cli.run.all.help")] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="cli.run.save.help",
        ),
    ] = None,
    inline_plotly: Annotated[
        bool, typer.Option("--inline-plotly", help="cli.run.inline-plotly.help")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="cli.run.json.help")] = False,
    kueue_version: KueueVersion = "",
    allow_outside: AllowOutside = False,
) -> None:
    """Run a scenario to its end, and print the timeline of what happened."""
    from kueuelab.cli.several_clusters import run_lines
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace.export import trace_chunks
    from kueuelab.trace.trace import Trace
    from kueuelab.views.saving import check_name, save_trace

    out = speaker(ctx)
    if save is not None:
        check_name(save)
    if inline_plotly and (save is None or save.suffix != ".html"):
        raise KueueLabError(Message("cli.run.inline-plotly.no-page"))
    found = opened(file, out, allow_outside=allow_outside, kueue_version=kueue_version)
    if isinstance(found, Trace):
        if until is not None:
            raise KueueLabError(
                Message("cli.run.is-run", file=file), hint=Message("cli.run.is-run.hint")
            )
        if save is not None:
            with out.progress(Message("cli.saving", file=save)):
                save_trace(found, save, out.words, inline_plotly=inline_plotly)
            _say_written(save, out)
        if as_json:
            out.say_text(trace_chunks(found))
        else:
            lines = _timeline_lines(found, out, objects=objects, everything=everything)
            out.say([*lines, Message("cli.run.saved", count=len(found))])
        return
    if isinstance(found, MultiKueueScenario):
        with out.progress(found.name or Message("cli.running")):
            done = found.run(until=until)
        if save is not None:
            with out.progress(Message("cli.saving", file=save)):
                done.save(save, out.words, inline_plotly=inline_plotly)
            _say_written(save, out)
        if as_json:
            out.say_text(trace_chunks(done.trace))
        else:
            out.say(run_lines(done, out))
        _say_failures(done.outcomes, out)
        return
    if chances is not None:
        _say_chance_outcomes(found, chances, until, out, as_json=as_json)
        return
    with out.progress(found.name or Message("cli.running")):
        run = found.run(until=until, chance=chance)
    if save is not None:
        with out.progress(Message("cli.saving", file=save)):
            run.save(save, out.words, inline_plotly=inline_plotly)
        _say_written(save, out)
    if as_json:
        out.say_text(trace_chunks(run.trace))
    else:
        out.say(_lines(run, out, objects=objects, everything=everything))
    _say_failures(run.outcomes, out)


def _say_chance_outcomes(
    lab: Lab, runs: int, until: float | None, out: Speaker, *, as_json: bool
) -> None:
    """Write how often a scenario comes out otherwise by chance."""
    from kueuelab.whatif.chance_outcomes import chance_outcomes

    with out.progress(lab.name or Message("cli.running"), runs) as advance:
        found = chance_outcomes(lab, runs, until=until, progress=advance)
    if as_json:
        out.say_json(found.as_data())
    else:
        out.say([found.as_text(out.words)])


def _say_written(file: Path, out: Speaker) -> None:
    """Say what was written; apart from the result, which may be JSON."""
    kind = "page" if file.suffix == ".html" else "record"
    values = {"file": file, "size": f"{file.stat().st_size / 1000:,.0f}"}
    out.complain(Message(f"cli.run.wrote.{kind}", **values))


def _say_failures(outcomes: Iterable[Outcome], out: Speaker) -> None:
    failed = [outcome for outcome in outcomes if not outcome.passed]
    out.complain(*(_failure(outcome, out) for outcome in failed))
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _lines(run: Run, out: Speaker, *, objects: bool, everything: bool) -> Iterator[str]:
    yield from _timeline_lines(run.trace, out, objects=objects, everything=everything)
    if run.loop is not None:
        names = ", ".join(run.loop.workloads)
        first, last = run.loop.first_cycle, run.loop.last_cycle
        yield Message("cli.run.loop", first=first, last=last, workloads=names)
    for chance in run.chances():
        yield chance.as_text()
    for bug in run.known_bugs():
        yield bug.as_text()
    if run.outcomes:
        held = sum(outcome.passed for outcome in run.outcomes)
        yield Message("cli.run.expectations", held=held, count=len(run.outcomes))
    yield repr(run)


def _timeline_lines(
    trace: Trace, out: Speaker, *, objects: bool, everything: bool
) -> Iterator[str]:
    from kueuelab.trace.dump_summary import dump_summary
    from kueuelab.trace.timeline import folded, rows_text, timeline

    title = ": ".join(filter(None, (trace.name, trace.title))) or Message("cli.run.scenario")
    yield Message("cli.run.title", title=title, version=trace.kueue_version)
    yield ""
    rows = list(timeline(trace, objects=objects, catalog=out.words))
    shown = rows if everything else folded(rows, out.words)
    if trace.of_kind("StatusRead") and len(trace.clusters) == 1:
        yield from _now_lines(trace, out)
        yield from dump_summary(trace, out.words)
        yield ""
        if not everything:
            # What the dump says of each workload is above already.
            shown = [row for row in shown if row.what not in _AS_READ]
    if shown:
        yield rows_text(shown)
    elif not rows:
        yield Message("cli.run.nothing")
    if hidden := len(rows) - len(shown):
        yield Message("cli.run.folded", count=hidden)
    if shown or hidden or not rows:
        yield ""
    if not trace.of_kind("StatusRead") or len(trace.clusters) > 1:
        yield from dump_summary(trace, out.words)


def _now_lines(trace: Trace, out: Speaker) -> Iterator[str]:
    """Yield what runs and what is pending at the end."""
    from kueuelab.trace.wording import MessageParts
    from kueuelab.whatif.pending import pending

    running: dict[str, list[str]] = {}
    for key, view in trace.state_at(len(trace) - 1).workloads.items():
        if view.phase == "Admitted":
            running.setdefault(view.cluster_queue, []).append(key)
    for queue, workloads in sorted(running.items()):
        named = MessageParts(out.words).several(sorted(workloads))
        yield Message("cli.run.admitted", queue=queue, count=len(workloads), workloads=named)
    if running:
        yield ""
    yield pending(trace, language=out.words).as_text(out.width)
    yield ""


def _failure(outcome: Outcome, out: Speaker) -> str:
    from kueuelab.model.times import format_duration

    expectation = outcome.expectation
    where = f"{expectation.location}: " if expectation.location is not None else ""
    found = "; ".join(map(out.words.render, outcome.differences))
    at = format_duration(expectation.at)
    return where + out.text("cli.run.expected", at=at, subject=outcome.subject, found=found)
