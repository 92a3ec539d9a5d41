"""``kueuelab validate``: what the API server would refuse, with file, line and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuelab.cli.annotations import annotation
from kueuelab.cli.loading import AllowOutside, chosen_release
from kueuelab.cli.output import CHECK_FAILED, AsJson, KueueVersion, Speaker, speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, check_once, read_standard_input
from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import check_regular
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.manifests import Note, ScenarioSpec
    from kueuelab.model import Release
    from kueuelab.whatif.advice import Advice


class Output(StrEnum):
    """How verdicts are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What there is to say about one file."""

    file: Path
    spec: ScenarioSpec | None
    problems: tuple[Problem, ...]
    notes: tuple[Note, ...]
    advice: tuple[Advice, ...] = ()


def command(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="cli.validate.files.help"),
    ],
    existing: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="cli.validate.existing.help",
        ),
    ] = None,
    advise: Annotated[bool, typer.Option("--advise", help="cli.validate.advise.help")] = False,
    print_manifests: Annotated[
        bool, typer.Option("--print-manifests", help="cli.validate.print-manifests.help")
    ] = False,
    kueue_version: KueueVersion = "",
    output: Annotated[Output, typer.Option(help="cli.validate.output.help")] = Output.TEXT,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Say what the API server of a cluster with Kueue would say of manifests and scenarios."""
    out = speaker(ctx)
    check_once((*files, *(existing or ())))
    given = {file: _source_of(file) for file in (*files, *(existing or ()))}
    known = [given[file] for file in existing or ()]
    verdicts = []
    with out.progress(Message("cli.validate.running"), total=len(files)) as advance:
        for file in files:
            verdict = _validated(
                file,
                given[file],
                known,
                advise=advise,
                allow_outside=allow_outside,
                release=chosen_release(kueue_version),
            )
            verdicts.append(verdict)
            advance()
    if print_manifests and not any(verdict.problems for verdict in verdicts):
        out.say_text(_written(verdicts))
    elif as_json or output is Output.JSON:
        out.say_json({"files": [_as_json(verdict) for verdict in verdicts]})
    else:
        lines = _annotations if output is Output.GITHUB else _lines
        for verdict in verdicts:
            out.say(lines(verdict, out))
    if any(verdict.problems for verdict in verdicts):
        raise typer.Exit(CHECK_FAILED)


def _written(verdicts: Iterable[_Verdict]) -> Iterator[str]:
    """Yield the manifests of files, with what their short forms stand for."""
    from kueuelab.manifests.encode import encode_object
    from kueuelab.manifests.writing import write_yaml

    for verdict in verdicts:
        if verdict.spec is not None:
            specs = (verdict.spec.manifests, *(each.manifests for each in verdict.spec.workers))
            yield write_yaml([encode_object(obj) for manifests in specs for obj in manifests])


def _source_of(file: Path) -> Path | bytes:
    """Return what is read: a path, or what standard input has."""
    if str(file) == STANDARD_INPUT:
        return read_standard_input()
    check_regular(file)
    return file


def _validated(
    file: Path,
    source: Path | bytes,
    existing: list[Path | bytes],
    *,
    advise: bool,
    allow_outside: bool,
    release: Release | None,
) -> _Verdict:
    from kueuelab.manifests import Note, ScenarioSpec, load_scenario
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.simulation import Scenario

    try:
        spec = load_scenario(
            source,
            name=NAME if isinstance(source, bytes) else "",
            existing=existing,
            allow_outside=allow_outside,
            served_only=True,
            release=release,
        )
    except InputError as error:
        understood = error.understood if isinstance(error.understood, ScenarioSpec) else None
        notes = understood.notes if understood is not None else ()
        return _Verdict(file, understood, error.problems, notes)
    lab = MultiKueueScenario(spec) if spec.workers else Scenario(spec)
    assumed = [Note(text) for text in (*lab.assumptions, *lab.not_modelled)]
    advice = _advice(spec, source, existing) if advise else ()
    return _Verdict(file, spec, (), (*spec.notes, *assumed), advice)


def _advice(
    spec: ScenarioSpec, source: Path | bytes, existing: list[Path | bytes]
) -> tuple[Advice, ...]:
    from kueuelab.manifests import load
    from kueuelab.whatif.advice import advise

    return tuple(advise(spec, source, load(*existing)))


def _lines(verdict: _Verdict, out: Speaker) -> Iterator[str]:
    yield from _counted((_note(note, out) for note in verdict.notes), out)
    yield from _counted((_line(problem, out) for problem in verdict.problems), out)
    for advice in verdict.advice:
        yield Message("cli.validate.advice", advice=advice.message)
    if verdict.problems:
        yield Message("cli.validate.problems", file=verdict.file, count=len(verdict.problems))
    else:
        found = ", ".join(map(out.words.render, _contents(verdict.spec)))
        contents = found or Message("cli.validate.empty")
        yield Message("cli.validate.valid", file=verdict.file, contents=contents)


def _note(note: Note, out: Speaker) -> str:
    text = note.render(out.words)
    if note.is_warning:
        return out.text("cli.validate.warning", note=text)
    return out.text("cli.validate.note", note=text)


def _line(problem: Problem, out: Speaker) -> str:
    # Kueue's words to the letter, on one line.
    where = "" if problem.location is None else str(problem.location)
    message, hint = out.words.render(problem.message), out.words.render(problem.hint)
    parts = (where, problem.object, problem.field, message)
    line = ": ".join(part.replace("\n", " ") for part in parts if part)
    return f"{line}\n    {' '.join(hint.split())}" if hint else line


def _counted(lines: Iterable[str], out: Speaker) -> Iterator[str]:
    """Yield each line once, with its count."""
    for line, count in Counter(lines).items():
        yield line if count == 1 else out.text("errors.repeated", text=line, count=count)


def _annotations(verdict: _Verdict, out: Speaker) -> Iterator[str]:
    """Write what GitHub shows beside the lines of a pull request."""
    for note in verdict.notes:
        level = "warning" if note.is_warning else "notice"
        yield annotation(
            level,
            note.location or Location(str(verdict.file)),
            note.object,
            out.words.render(note.message),
        )
    for problem in verdict.problems:
        where = problem.location or Location(str(verdict.file))
        message, hint = out.words.render(problem.message), out.words.render(problem.hint)
        text = ": ".join(part for part in (problem.field, message) if part)
        yield annotation("error", where, problem.object, "\n".join(filter(None, (text, hint))))


def _contents(spec: ScenarioSpec | None) -> Iterator[str]:
    """Say what was understood: objects by kind, and the timeline."""
    if spec is not None:
        for kind, objects in spec.manifests.objects.items():
            yield Message("cli.validate.objects", count=len(objects), kind=kind)
        if spec.timeline:
            yield Message("cli.validate.actions", count=len(spec.timeline))
        if spec.expect:
            yield Message("cli.validate.expectations", count=len(spec.expect))


def _as_json(verdict: _Verdict) -> dict[str, Any]:
    return {
        "file": str(verdict.file),
        "valid": not verdict.problems,
        "problems": [
            {
                "message": problem.message,
                "object": problem.object,
                "field": problem.field,
                **_place(problem.location, verdict.file),
                "hint": problem.hint,
            }
            for problem in verdict.problems
        ],
        "notes": [str(note) for note in verdict.notes if not note.is_warning],
        "warnings": [
            {
                "message": note.message,
                "object": note.object,
                **_place(note.location, verdict.file),
            }
            for note in verdict.notes
            if note.is_warning
        ],
        "advice": [advice.as_data() for advice in verdict.advice],
    }


def _place(location: Location | None, file: Path) -> dict[str, Any]:
    if location is None:
        return {"file": str(file), "line": 0, "column": 0}
    return {"file": location.file, "line": location.line, "column": location.column}
