"""``kueuelab validate``: what is wrong with scenario files and manifests, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuelab.cli.output import CHECK_FAILED, AsJson, say, say_json
from kueuelab.errors import InputError, KueueLabError, Problem

if TYPE_CHECKING:
    from kueuelab.manifests import Note, ScenarioSpec
    from kueuelab.whatif.advice import Advice


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
    advise: Annotated[
        bool, typer.Option("--advise", help="Also say what is valid but hardly meant.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with scenarios and manifests, with the line and what would be right."""
    for file in files:
        if not file.exists():
            raise KueueLabError(f"{file}: No such file or directory")
    verdicts = [_validated(file, advise=advise) for file in files]
    if as_json:
        say_json({"files": [_as_json(verdict) for verdict in verdicts]})
    else:
        for verdict in verdicts:
            say(_lines(verdict))
    if any(verdict.problems for verdict in verdicts):
        raise typer.Exit(CHECK_FAILED)


def _validated(file: Path, *, advise: bool) -> _Verdict:
    from kueuelab.manifests import ScenarioSpec, load_scenario

    try:
        spec = load_scenario(file)
    except InputError as error:
        understood = error.understood if isinstance(error.understood, ScenarioSpec) else None
        notes = understood.notes if understood is not None else ()
        return _Verdict(file, understood, error.problems, notes)
    return _Verdict(file, spec, (), spec.notes, _advice(spec, file) if advise else ())


def _advice(spec: ScenarioSpec, file: Path) -> tuple[Advice, ...]:
    from kueuelab.whatif.advice import advise

    return tuple(advise(spec, file))


def _lines(verdict: _Verdict) -> Iterator[str]:
    for note in verdict.notes:
        yield f"note: {note}"
    for problem in verdict.problems:
        yield str(problem)
    for advice in verdict.advice:
        yield f"advice: {advice}"
    if verdict.problems:
        yield f"{verdict.file}: {_count(len(verdict.problems), 'problem')}"
    else:
        found = ", ".join(_contents(verdict.spec)) or "nothing in it"
        yield f"{verdict.file}: valid ({found})"


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
                "file": problem.location.file if problem.location else str(verdict.file),
                "line": problem.location.line if problem.location else 0,
                "column": problem.location.column if problem.location else 0,
                "hint": problem.hint,
            }
            for problem in verdict.problems
        ],
        "notes": [str(note) for note in verdict.notes],
        "advice": [advice.as_data() for advice in verdict.advice],
    }
