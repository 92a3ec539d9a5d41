"""``kueuelab pending``: every pending workload, why it is pending, and what would admit it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.completing import contexts, files
from kueuelab.cli.loading import AllowOutside, live_lab, opened
from kueuelab.cli.output import AsJson, Speaker, speaker
from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.trace.recorded_run import RecordedRun
    from kueuelab.trace.trace import Trace

__all__ = ["command", "say_pending"]

Queue = Annotated[str, typer.Option(metavar="QUEUE", help="cli.pending.queue.help")]
Levers = Annotated[bool | None, typer.Option(help="cli.pending.levers.help", show_default=False)]


def command(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="cli.option.file", autocompletion=files, show_default=False
        ),
    ] = "",
    context: Annotated[
        str, typer.Option(metavar="NAME", help="cli.pending.context.help", autocompletion=contexts)
    ] = "",
    queue: Queue = "",
    levers: Levers = None,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """List every pending workload: queue, position, age, why, and what would admit it."""
    out = speaker(ctx)
    if bool(file) == bool(context):
        raise typer.BadParameter(out.text("cli.pending.one-source"))
    found = live_lab(context, out) if context else opened(file, out, allow_outside=allow_outside)
    say_pending(_run_of(found, out, at_once=bool(context)), out, queue, levers, as_json=as_json)


def say_pending(
    run: RecordedRun | Trace,
    out: Speaker,
    queue: str = "",
    levers: bool | None = None,
    *,
    as_json: bool = False,
) -> None:
    """Write what is pending in a run."""
    from kueuelab.trace.dump_summary import dump_summary
    from kueuelab.whatif.lab import LabRun
    from kueuelab.whatif.pending import main_trace_of, pending

    trace = main_trace_of(run)
    queues = trace.state_at(len(trace) - 1).names("ClusterQueue")
    if queue and queue not in queues:
        raise UnknownObjectError("ClusterQueue", queue, queues)
    with out.progress(Message("cli.pending.searching")) as advance:
        found = pending(run, levers=levers, language=out.words, queue=queue, progress=advance)
    if as_json:
        out.say_json({"kueueVersion": trace.kueue_version, "pending": found.as_data()})
        return
    lines = [found.as_text(out.width), ""]
    if found and all(row.report is None for row in found):
        simulated = isinstance(run, LabRun)
        lines += [Message("cli.pending.no-levers" if simulated else "cli.pending.no-lab"), ""]
    out.say(
        [*lines, *dump_summary(trace, out.words), Message("cli.kueue", version=trace.kueue_version)]
    )


def _run_of(found: object, out: Speaker, *, at_once: bool) -> RecordedRun | Trace:
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab

    if isinstance(found, Trace):
        return found
    assert isinstance(found, Lab | MultiKueueScenario)
    with out.progress(found.name or Message("cli.running")):
        return found.run(until=0 if at_once else None)
