"""``kueuelab pending``: every pending workload, why it is pending, and what would admit it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.completing import contexts, files
from kueuelab.cli.loading import AllowOutside, live_lab, opened
from kueuelab.cli.output import AsJson, KueueVersion, Speaker, speaker
from kueuelab.cli.step_at import At, step_at
from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace.recorded_run import RecordedRun
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab

__all__ = ["Levers", "Queue", "command", "say_pending_in_cluster"]

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
    at: At = "",
    levers: Levers = None,
    as_json: AsJson = False,
    kueue_version: KueueVersion = "",
    allow_outside: AllowOutside = False,
) -> None:
    """List every pending workload: queue, position, age, why, and what would admit it."""
    out = speaker(ctx)
    if bool(file) == bool(context):
        raise typer.BadParameter(out.text("cli.pending.one-source"))
    if not context:
        run = _run_of(
            opened(file, out, allow_outside=allow_outside, kueue_version=kueue_version), out
        )
        _say_pending(run, out, queue, at, levers, as_json=as_json)
    elif at:
        raise typer.BadParameter(out.text("cli.pending.at-file"))
    else:
        say_pending_in_cluster(context, out, queue, levers, as_json=as_json)


def say_pending_in_cluster(
    context: str, out: Speaker, queue: str, levers: bool | None, *, as_json: bool
) -> None:
    """Read a cluster, and write what is pending in it now."""
    lab = live_lab(context, out)
    with out.progress(lab.name or Message("cli.running")):
        run = lab.run(until=0)
    _say_pending(run, out, queue, "", levers, as_json=as_json)


def _say_pending(
    run: RecordedRun | Trace,
    out: Speaker,
    queue: str,
    at: str,
    levers: bool | None,
    *,
    as_json: bool,
) -> None:
    """Write what is pending in a run."""
    from kueuelab.trace.dump_summary import dump_summary
    from kueuelab.whatif.clusters import MultiKueueRun
    from kueuelab.whatif.lab import LabRun
    from kueuelab.whatif.pending import main_trace_of, pending

    trace = main_trace_of(run)
    step = _step_of(run, trace, at) if at else None
    queues = trace.state_at(len(trace) - 1 if step is None else step).names("ClusterQueue")
    if queue and queue not in queues:
        raise UnknownObjectError("ClusterQueue", queue, queues)
    with out.progress(Message("cli.pending.searching")) as advance:
        found = pending(run, step, levers=levers, language=out.words, queue=queue, progress=advance)
    if as_json:
        out.say_json({"kueueVersion": trace.kueue_version, "pending": found.as_data()})
        return
    lines = [found.as_text(out.width), ""]
    if found and all(row.report is None for row in found):
        simulated = isinstance(run, LabRun | MultiKueueRun)
        lines += [Message("cli.pending.no-levers" if simulated else "cli.pending.no-lab"), ""]
    out.say(
        [*lines, *dump_summary(trace, out.words), Message("cli.kueue", version=trace.kueue_version)]
    )


def _step_of(run: RecordedRun | Trace, trace: Trace, at: str) -> int:
    """Return the index of the step that ``--at`` means."""
    from kueuelab.whatif.lab import LabRun

    if isinstance(run, LabRun):
        return step_at(trace, run.start, at)
    return step_at(trace, trace[0].time if len(trace) else 0, at)


def _run_of(found: Trace | Lab | MultiKueueScenario, out: Speaker) -> RecordedRun | Trace:
    from kueuelab.trace.trace import Trace

    if isinstance(found, Trace):
        return found
    with out.progress(found.name or Message("cli.running")):
        return found.run()
