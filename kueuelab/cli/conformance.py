"""``kueuelab conformance``: replay recorded cases and compare."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import (
    BAD_INPUT,
    CHECK_FAILED,
    AsJson,
    KueueVersion,
    Speaker,
    speaker,
)
from kueuelab.cli.standard_input import files_for
from kueuelab.conformance.shapes import Level
from kueuelab.messages import Message
from kueuelab.model.releases import RELEASE, release_named

if TYPE_CHECKING:
    from kueuelab.conformance import FileResult, Options

_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz")


def command(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="cli.conformance.files.help"),
    ],
    level: Annotated[Level, typer.Option(help="cli.conformance.level.help")] = Level.ALL,
    case: Annotated[list[str] | None, typer.Option(help="cli.conformance.case.help")] = None,
    diff: Annotated[bool, typer.Option("--diff", help="cli.conformance.diff.help")] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="cli.conformance.fail-fast.help")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=0, help="cli.conformance.limit.help")] = None,
    jobs: Annotated[int, typer.Option(min=0, help="cli.conformance.jobs.help")] = 0,
    kueue_version: KueueVersion = "",
    as_json: AsJson = False,
) -> None:
    """Replay recorded decisions of Kueue, and say where the simulator decides otherwise."""
    from kueuelab.conformance import Options

    out = speaker(ctx)
    options = Options(
        level=level,
        only=tuple(case or ()),
        limit=limit,
        fail_fast=fail_fast,
        jobs=jobs or os.cpu_count() or 1,
        release=release_named(kueue_version) if kueue_version else RELEASE,
    )
    with files_for(_expanded(files), _ENDINGS[0]) as paths:
        _judge(paths, options, out, diff=diff, as_json=as_json)


def _judge(paths: list[Path], options: Options, out: Speaker, *, diff: bool, as_json: bool) -> None:
    """Replay the cases of some files, and report."""
    from kueuelab.conformance import as_json as report_json
    from kueuelab.conformance import check_file, report_lines

    outcomes: list[FileResult] = []
    for path in paths:
        with out.progress(path.name, None) as advance:
            outcomes.append(check_file(path, options, progress=advance))
        if options.fail_fast and outcomes[-1].with_verdict("failed"):
            break
    _require_cases(outcomes, options.only)
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    for problem in problems:
        out.complain(problem.render(out.words))
    if as_json:
        out.say_json(report_json(outcomes))
    else:
        if diff:
            _show_diffs(outcomes, options, out)
        out.say(report_lines(outcomes, out.words))
    if problems:
        raise typer.Exit(BAD_INPUT)
    if any(outcome.with_verdict("failed") for outcome in outcomes):
        raise typer.Exit(CHECK_FAILED)


def _expanded(paths: list[Path]) -> list[Path]:
    """Put the files of a folder in its place."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = (file for file in path.iterdir() if file.name.endswith(_ENDINGS))
            files.extend(sorted(inside))
        else:
            files.append(path)
    return files


def _require_cases(outcomes: list[FileResult], names: tuple[str, ...]) -> None:
    """Make sure that every case asked for by name was found in some file."""
    from kueuelab.conformance import read_cases
    from kueuelab.errors import UnknownObjectError

    found = {result.case for outcome in outcomes for result in outcome.results}
    damaged = any(outcome.problems for outcome in outcomes)
    for name in names:
        if name not in found and not damaged:
            known = [case.name for outcome in outcomes for case in read_cases(outcome.file)]
            raise UnknownObjectError(Message("cli.kind.case"), name, known)


def _show_diffs(outcomes: list[FileResult], options: Options, out: Speaker) -> None:
    """Show the cases that fail in full; those asked for by name even if they pass."""
    from kueuelab.conformance import diff_lines, read_cases

    for outcome in outcomes:
        shown = outcome.results if options.only else outcome.with_verdict("failed")
        names = {result.case for result in shown}
        if names and not outcome.problems and not outcome.remarks:
            for case in read_cases(outcome.file):
                if case.name in names:
                    out.say(diff_lines(case, options.level, catalog=out.words))
