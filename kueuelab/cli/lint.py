"""``kueuelab lint``: what experienced operators see at once, with file, line and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab import __version__
from kueuelab.cli.annotations import annotation
from kueuelab.cli.completing import contexts
from kueuelab.cli.loading import AllowOutside, live_lab
from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, Speaker, speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, check_once, read_standard_input
from kueuelab.errors import Location, lines_of
from kueuelab.files import check_regular
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.lint import Result, Settings
    from kueuelab.lint.reading import Source

__all__ = ["command"]


class Format(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


class FailOn(StrEnum):
    """From which level on a finding makes the exit code 1."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


def command(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH...", help="cli.lint.paths.help", show_default=False),
    ] = None,
    context: Annotated[
        str, typer.Option(metavar="NAME", help="cli.lint.context.help", autocompletion=contexts)
    ] = "",
    existing: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="cli.lint.existing.help")
    ] = None,
    format: Annotated[Format, typer.Option(help="cli.lint.format.help")] = Format.TEXT,
    level: Annotated[
        FailOn | None, typer.Option(help="cli.lint.level.help", show_default=False)
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="cli.lint.only.help")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="cli.lint.ignore.help")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="cli.lint.config.help", show_default=False),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="cli.lint.fix.help")] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe-fixes", help="cli.lint.unsafe.help")] = False,
    show_diff: Annotated[bool, typer.Option("--diff", help="cli.lint.diff.help")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="cli.lint.rules.help")] = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Judge manifests, scenarios and dumps by rules: what is valid, and probably a mistake."""
    out = speaker(ctx)
    if rules:
        _say_rules(out, format)
        return
    paths, existing = paths or [], existing or []
    if bool(paths) == bool(context):
        raise typer.BadParameter(out.text("cli.lint.one-source"))
    settings = _settings(config, level, only, ignore)
    if context:
        result = _of_cluster(context, out, settings)
    else:
        result = _of_files(paths, existing, out, settings, allow_outside=allow_outside)
        if (fix or show_diff) and _fix(result, out, write=fix, unsafe=unsafe):
            result = _of_files(paths, existing, out, settings, allow_outside=allow_outside)
    _say(result, out, format)
    if result.problems:
        raise typer.Exit(BAD_INPUT)
    if result.has_at_least(settings.fail_on):
        raise typer.Exit(CHECK_FAILED)


def _settings(
    config: Path | None, level: FailOn | None, only: list[str] | None, ignore: list[str] | None
) -> Settings:
    """Return the settings of the configuration file, with what the call says."""
    from kueuelab.lint import Level, Settings, read_settings, rule_named
    from kueuelab.lint.settings import found_above

    config = config or found_above(Path.cwd())
    settings = Settings() if config is None else read_settings(config)
    return replace(
        settings,
        only=frozenset(rule_named(name).name for name in only or ()),
        ignored=settings.ignored | {rule_named(name).name for name in ignore or ()},
        fail_on=settings.fail_on if level is None else Level(level.value),
    )


def _of_cluster(context: str, out: Speaker, settings: Settings) -> Result:
    from kueuelab.lint import lint_spec

    return lint_spec(live_lab(context, out).spec, settings)


def _of_files(
    paths: list[Path],
    existing: list[Path],
    out: Speaker,
    settings: Settings,
    *,
    allow_outside: bool,
) -> Result:
    from kueuelab.lint import lint

    check_once((*paths, *existing))
    sources = [_source_of(path) for path in paths]
    known = [_source_of(path).value for path in existing]
    with out.progress(Message("cli.lint.running")):
        return lint(sources, settings, existing=known, allow_outside=allow_outside)


def _source_of(path: Path) -> Source:
    from kueuelab.lint.reading import Source

    if str(path) == STANDARD_INPUT:
        return Source(read_standard_input(), NAME)
    check_regular(path)
    return Source(path)


def _fix(result: Result, out: Speaker, *, write: bool, unsafe: bool) -> bool:
    """Write what edits change, or show it; tell whether files are others now."""
    from kueuelab.lint.fixing import fixed_files

    files = fixed_files(result, unsafe=unsafe)
    for each in files:
        out.complain_lines(each.diff())
        if write:
            each.write()
    count = sum(len(each.fixed) for each in files)
    if write:
        out.complain(Message("cli.lint.fixed", count=count))
    else:
        out.complain(Message("cli.lint.fixable", count=count))
    return write and bool(files)


def _say(result: Result, out: Speaker, format: Format) -> None:
    from kueuelab.lint.reports import as_json, as_sarif, text_lines

    match format:
        case Format.JSON:
            out.say_json(as_json(result))
        case Format.SARIF:
            out.say_json(as_sarif(result, out.words, __version__))
        case Format.GITHUB:
            out.say(_annotations(result, out))
        case Format.TEXT:
            out.complain(*lines_of((*result.problems, *result.unknown), out.words))
            out.say(text_lines(result, out.words))


def _annotations(result: Result, out: Speaker) -> Iterator[str]:
    for problem in result.problems:
        message, hint = out.words.render(problem.message), out.words.render(problem.hint)
        text = "\n".join(filter(None, (message, hint)))
        yield annotation("error", problem.location or Location(""), problem.object, text)
    for finding in result.findings:
        level = "notice" if finding.level == "note" else str(finding.level)
        parts = (finding.text, finding.rule.why, finding.fix)
        text = "\n".join(out.words.render(part) for part in parts)
        title = f"{finding.rule.id} {finding.object}"
        yield annotation(level, finding.location or Location(""), title, text)


def _say_rules(out: Speaker, format: Format) -> None:
    """List the rules."""
    from kueuelab.lint import CATALOGUE

    if format is Format.JSON:
        out.say_json(
            {
                "rules": [
                    {
                        "id": rule.id,
                        "name": rule.name,
                        "level": str(rule.level),
                        "why": out.words.render(rule.why),
                        "fix": out.words.render(rule.fix),
                        "source": rule.source,
                        "safe": rule.is_safe,
                    }
                    for rule in CATALOGUE
                ]
            }
        )
        return
    width = max(len(rule.name) for rule in CATALOGUE)
    for rule in CATALOGUE:
        level = out.text(f"lint.level.{rule.level}")
        out.say([f"{rule.id}  {rule.name:{width}}  {level:7}  {out.words.render(rule.why)}"])
