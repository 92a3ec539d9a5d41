"""``kueuelab try``: what would happen if jobs were submitted; nothing is submitted."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.completing import contexts, files
from kueuelab.cli.loading import AllowOutside, live_lab, opened
from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, Progress, Speaker, speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, check_once, read_standard_input
from kueuelab.errors import KueueLabError
from kueuelab.files import check_regular
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.forecast import Answer
    from kueuelab.whatif.lab import Lab

__all__ = ["NowOnly", "Runs", "Seeds", "TryOptions", "WaitAtMost", "Watch", "command", "try_jobs"]

#: Exit codes: all jobs are admitted, one is pending, one is refused.
EXIT_CODES: Final = {"admitted": 0, "pending": CHECK_FAILED, "refused": BAD_INPUT}
#: How many seconds pass at least from one answer to the next while a cluster is followed.
_EVERY: Final = 2.0

Runs = Annotated[str, typer.Option(metavar="DURATION", help="cli.try.runs.help")]
Seeds = Annotated[int, typer.Option(min=1, max=10_000, help="cli.try.seeds.help")]
NowOnly = Annotated[bool, typer.Option("--now", help="cli.try.now.help")]
WaitAtMost = Annotated[str, typer.Option(metavar="DURATION", help="cli.try.wait-at-most.help")]
Watch = Annotated[bool, typer.Option("--watch", help="cli.try.watch.help")]


@dataclass(frozen=True, slots=True)
class TryOptions:
    """How jobs are tried; see the options of the command."""

    at: str = ""
    runs: str = ""
    seeds: int = 50
    now_only: bool = False
    wait_at_most: int | None = None
    as_json: bool = False

    @classmethod
    def of(
        cls,
        at: str,
        runs: str,
        seeds: int,
        now_only: bool,
        wait_at_most: str,
        as_json: bool,
    ) -> TryOptions:
        """Read the options of a call.

        Raises
        ------
        InputError
            If the limit on waiting is no duration.
        """
        from kueuelab.whatif.moments import moment_of

        limit = moment_of(wait_at_most) if wait_at_most else None
        return cls(at, runs, seeds, now_only, limit, as_json)


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
    runs: Runs = "",
    seeds: Seeds = 50,
    now_only: NowOnly = False,
    wait_at_most: WaitAtMost = "",
    watch: Watch = False,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Say what would happen if jobs were submitted: at once, later, and what else would do."""
    out = speaker(ctx)
    if bool(on) == bool(context):
        raise typer.BadParameter(out.text("cli.try.one-cluster"))
    if context and at:
        raise typer.BadParameter(out.text("cli.pending.at-file"))
    if watch and not context:
        raise typer.BadParameter(out.text("cli.try.watch-context"))
    options = TryOptions.of(at, runs, seeds, now_only, wait_at_most, as_json)
    if context:
        try_jobs(jobs, context, out, options, watch=watch)
        return
    check_once((*jobs, on))
    sources = _sources(jobs)
    _say(sources, _lab_on(on, out, allow_outside=allow_outside), out, options)


def try_jobs(
    jobs: list[str], context: str, out: Speaker, options: TryOptions, *, watch: bool
) -> None:
    """Read or follow a cluster, and write what would happen if jobs were submitted to it."""
    check_once(jobs)
    sources = _sources(jobs)
    if watch:
        _watch(sources, context, out, options)
    else:
        _say(sources, live_lab(context, out), out, options)


def _sources(names: Iterable[str]) -> list[Path | bytes]:
    """Return what is read: paths, or what standard input has."""
    return [_source_of(name) for name in names]


def _source_of(name: str) -> Path | bytes:
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


def _say(sources: list[Path | bytes], lab: Lab, out: Speaker, options: TryOptions) -> None:
    """Write the answer, and leave with its exit code."""
    with out.progress(lab.name or Message("cli.running")) as advance:
        answer = _answer(sources, lab, out, options, advance)
    _write(answer, out, options)
    raise typer.Exit(_exit_code(answer, options))


def _answer(
    sources: list[Path | bytes],
    lab: Lab,
    out: Speaker,
    options: TryOptions,
    advance: Progress | None = None,
) -> Answer:
    from kueuelab.forecast import try_job

    return try_job(
        sources,
        lab,
        at=options.at or None,
        runs=options.runs or None,
        seeds=options.seeds,
        when=not options.now_only,
        changes=not options.now_only,
        name=NAME,
        progress=advance,
        language=out.words,
    )


def _write(answer: Answer, out: Speaker, options: TryOptions) -> None:
    from kueuelab.model import RELEASE

    if options.as_json:
        out.say_json(answer.as_data())
        return
    out.say([*answer.lines(out.words), "", Message("cli.kueue", version=RELEASE.version)])


def _exit_code(answer: Answer, options: TryOptions) -> int:
    limit = options.wait_at_most
    if limit is not None and answer.verdict == "pending" and answer.starts_within(limit):
        return EXIT_CODES["admitted"]
    return EXIT_CODES[answer.verdict]


def _watch(sources: list[Path | bytes], context: str, out: Speaker, options: TryOptions) -> None:
    """Follow a cluster, and write the answer again whenever it is another one."""
    from kueuelab.live.following import connect

    last: list[str] | None = None
    with out.progress(Message("cli.reading", context=context)):
        following = connect(context)
    with following:
        while True:
            following.catch_up()
            answer = _answer(sources, following.fork(), out, options)
            lines = list(answer.lines(out.words))
            if lines != last:
                last = lines
                out.say([Message("cli.try.watch.time", time=time.strftime("%H:%M:%S"))])
                _write(answer, out, options)
            for _ in following.changes(float("inf")):
                break
            time.sleep(_EVERY)
