"""``kueuelab try``: what would happen if jobs were submitted; nothing is submitted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.completing import contexts, files
from kueuelab.cli.loading import AllowOutside, live_lab, opened
from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, Speaker, speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, check_once, read_standard_input
from kueuelab.errors import KueueLabError
from kueuelab.files import check_regular
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.forecast import Answer
    from kueuelab.whatif.lab import Lab

__all__ = ["command", "try_in_cluster"]

#: Exit codes: all jobs are admitted, one is pending, one is refused.
EXIT_CODES: Final = {"admitted": 0, "pending": CHECK_FAILED, "refused": BAD_INPUT}


def command(
    ctx: typer.Context,
    jobs: Annotated[
        list[str], typer.Argument(metavar="JOB...", help="cli.try.jobs.help", show_default=False)
    ],
    on: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="cli.try.on.help", autocompletion=files, show_default=False
        ),
    ] = "",
    context: Annotated[
        str, typer.Option(metavar="NAME", help="cli.try.context.help", autocompletion=contexts)
    ] = "",
    at: Annotated[str, typer.Option(metavar="TIME", help="cli.try.at.help")] = "",
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Say what would happen if jobs were submitted: at once, later, and what else would do."""
    out = speaker(ctx)
    if bool(on) == bool(context):
        raise typer.BadParameter(out.text("cli.try.one-cluster"))
    check_once((*jobs, on))
    sources = [_source_of(each) for each in jobs]
    lab = live_lab(context, out) if context else _lab_on(on, out, allow_outside=allow_outside)
    _say(sources, lab, out, at, as_json=as_json)


def try_in_cluster(jobs: list[str], context: str, out: Speaker, *, as_json: bool) -> None:
    """Read a cluster, and write what would happen if jobs were submitted to it."""
    check_once(jobs)
    sources = [_source_of(each) for each in jobs]
    _say(sources, live_lab(context, out), out, "", as_json=as_json)


def _source_of(name: str) -> Path | bytes:
    """Return what is read: a path, or what standard input has."""
    if name == STANDARD_INPUT:
        return read_standard_input()
    path = Path(name)
    if not path.is_dir():
        check_regular(path)
    return path


def _lab_on(name: str, out: Speaker, *, allow_outside: bool) -> Lab:
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab

    found = opened(name, out, allow_outside=allow_outside)
    if isinstance(found, Trace):
        hint = Message("cli.try.saved-run.hint")
        raise KueueLabError(Message("cli.saved-run", file=name), hint=hint)
    if not isinstance(found, Lab):
        raise KueueLabError(
            Message("cli.several-clusters", file=name), hint=Message("cli.try.several.hint")
        )
    return found


def _say(sources: list[Path | bytes], lab: Lab, out: Speaker, at: str, *, as_json: bool) -> None:
    """Write the answer, and leave with its exit code."""
    from kueuelab.forecast import try_job

    with out.progress(lab.name or Message("cli.running")):
        answer: Answer = try_job(sources, lab, at=at or None, name=NAME, language=out.words)
    if as_json:
        out.say_json(answer.as_data())
    else:
        out.say([*answer.lines(out.words), "", Message("cli.kueue", version=_version())])
    raise typer.Exit(EXIT_CODES[answer.verdict])


def _version() -> str:
    from kueuelab.model import RELEASE

    return RELEASE.version
