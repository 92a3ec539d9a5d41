"""``kueuelab validate``: what the API server would refuse, with file, line and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuelab.cli.loading import AllowOutside
from kueuelab.cli.output import CHECK_FAILED, AsJson, say, say_json
from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import check_regular

if TYPE_CHECKING:
    from kueuelab.manifests import Note, ScenarioSpec
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
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Scenarios, manifests or dumps; or folders."),
    ],
    existing: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="What the cluster has already: manifests of the same name update it.",
        ),
    ] = None,
    advise: Annotated[
        bool, typer.Option("--advise", help="Also say what is valid but hardly meant.")
    ] = False,
    output: Annotated[
        Output, typer.Option(help="Text for people, JSON, or annotations of GitHub Actions.")
    ] = Output.TEXT,
    as_json: AsJson = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Say what the API server of a cluster with Kueue would say of manifests and scenarios."""
    for file in (*files, *(existing or ())):
        check_regular(file)
    verdicts = [
        _validated(file, existing or [], advise=advise, allow_outside=allow_outside)
        for file in files
    ]
    if as_json or output is Output.JSON:
        say_json({"files": [_as_json(verdict) for verdict in verdicts]})
    else:
        lines = _annotations if output is Output.GITHUB else _lines
        for verdict in verdicts:
            say(lines(verdict))
    if any(verdict.problems for verdict in verdicts):
        raise typer.Exit(CHECK_FAILED)


def _validated(file: Path, existing: list[Path], *, advise: bool, allow_outside: bool) -> _Verdict:
    from kueuelab.manifests import Note, ScenarioSpec, load_scenario
    from kueuelab.simulation.assumptions import assumptions

    try:
        spec = load_scenario(file, existing=existing, allow_outside=allow_outside)
    except InputError as error:
        understood = error.understood if isinstance(error.understood, ScenarioSpec) else None
        notes = understood.notes if understood is not None else ()
        return _Verdict(file, understood, error.problems, notes)
    assumed = (Note(text) for text in assumptions(spec.configuration, spec.manifests))
    advice = _advice(spec, file, existing) if advise else ()
    return _Verdict(file, spec, (), (*spec.notes, *assumed), advice)


def _advice(spec: ScenarioSpec, file: Path, existing: list[Path]) -> tuple[Advice, ...]:
    from kueuelab.manifests import load
    from kueuelab.whatif.advice import advise

    return tuple(advise(spec, file, load(*existing)))


def _lines(verdict: _Verdict) -> Iterator[str]:
    yield from _counted(f"{_kind(note)}: {note}" for note in verdict.notes)
    yield from _counted(map(_line, verdict.problems))
    for advice in verdict.advice:
        yield f"advice: {advice}"
    if verdict.problems:
        yield f"{verdict.file}: {_count(len(verdict.problems), 'problem')}"
    else:
        found = ", ".join(_contents(verdict.spec)) or "nothing in it"
        yield f"{verdict.file}: valid ({found})"


def _line(problem: Problem) -> str:
    # Kueue's words to the letter, on one line.
    where = "" if problem.location is None else str(problem.location)
    parts = (where, problem.object, problem.field, problem.message)
    line = ": ".join(part.replace("\n", " ") for part in parts if part)
    return f"{line}\n    {' '.join(problem.hint.split())}" if problem.hint else line


def _counted(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line once, with how often it would come."""
    for line, count in Counter(lines).items():
        yield line if count == 1 else f"{line} ({count} times)"


def _kind(note: Note) -> str:
    return "warning" if note.is_warning else "note"


def _annotations(verdict: _Verdict) -> Iterator[str]:
    """Write what GitHub shows beside the lines of a pull request."""
    for note in verdict.notes:
        level = "warning" if note.is_warning else "notice"
        yield _annotation(
            level, note.location or Location(str(verdict.file)), note.object, note.message
        )
    for problem in verdict.problems:
        where = problem.location or Location(str(verdict.file))
        text = ": ".join(part for part in (problem.field, problem.message) if part)
        yield _annotation(
            "error", where, problem.object, "\n".join(filter(None, (text, problem.hint)))
        )


def _annotation(level: str, where: Location, title: str, text: str) -> str:
    parts = {"file": where.file, "line": where.line, "col": where.column, "title": title}
    given = ",".join(f"{name}={_property(value)}" for name, value in parts.items() if value)
    return f"::{level} {given}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")


def _contents(spec: ScenarioSpec | None) -> Iterator[str]:
    """Say what was understood: objects by kind, and the timeline."""
    if spec is not None:
        for kind, objects in spec.manifests.objects.items():
            yield f"{len(objects)} {kind}"
        if spec.timeline:
            yield _count(len(spec.timeline), "action")
        if spec.expect:
            yield _count(len(spec.expect), "expectation")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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
