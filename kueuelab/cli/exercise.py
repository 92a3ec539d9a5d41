"""``kueuelab exercise``: learn by doing, and have it checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, say, say_json

if TYPE_CHECKING:
    from kueuelab.workshop import Exercise

__all__ = ["commands"]

commands = typer.Typer(
    help="Exercises that check themselves.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Name = Annotated[str, typer.Argument(metavar="EXERCISE", help="Its name; see: exercise list.")]
_Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="Where the answer is; by default the folder of the exercise's name, or this one.",
    ),
]


def _opened(name: str, folder: Path | None) -> Exercise:
    from kueuelab import workshop

    if folder is None:
        found = [place for place in (Path(name), Path("exercises", name)) if place.is_dir()]
        folder = found[0] if found else Path()
    return workshop.exercise(name, folder)


@commands.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all exercises, and how far you are with each."""
    from kueuelab import workshop

    records = workshop.Progress().records()
    rows: list[dict[str, Any]] = [
        {
            "name": spec.name,
            "title": spec.title,
            "topic": spec.texts.text(f"topic.{spec.topic}"),
            "difficulty": spec.difficulty,
            "minutes": spec.minutes,
            "state": records[spec.name].state if spec.name in records else "new",
        }
        for spec in workshop.specs()
    ]
    if as_json:
        say_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    topic = ""
    for row in rows:
        if row["topic"] != topic:
            topic = row["topic"]
            say([topic])
        say(
            [
                f"  {row['name']:{width}}  {row['difficulty']:6}  {row['minutes']:3} min  "
                f"{row['state']:8}  {row['title']}"
            ]
        )


@commands.command()
def start(name: _Name, folder: _Folder = None, as_json: AsJson = False) -> None:
    """Put an exercise's notebook and manifests into a folder; what is there is left alone."""
    from kueuelab import workshop
    from kueuelab.workshop.starter import start_exercise

    target = folder or Path(name)
    written = start_exercise(name, target)
    exercise = workshop.exercise(name, target)
    if as_json:
        say_json({"exercise": name, "files": [each.as_data() for each in written]})
        return
    say([exercise.as_text(), ""])
    say(each.text for each in written)


@commands.command()
def check(name: _Name, folder: _Folder = None, as_json: AsJson = False) -> None:
    """Check an answer, also on days that it wasn't made for."""
    feedback = _opened(name, folder).check()
    if as_json:
        say_json(feedback.as_data())
    else:
        say([feedback.as_text()])
    if feedback.problems:
        raise typer.Exit(BAD_INPUT)
    if not feedback.passed:
        raise typer.Exit(CHECK_FAILED)


@commands.command()
def hint(
    name: _Name,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show a solution, once all hints were taken.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Give the next hint; each helps more than the one before."""
    exercise = _opened(name, None)
    told = exercise.reveal() if reveal else exercise.hint()
    if as_json:
        say_json({"exercise": name, "hints": exercise.record.hints, "text": told.text})
    else:
        say([told.text])


@commands.command()
def progress(as_json: AsJson = False) -> None:
    """Show how far you are."""
    from dataclasses import asdict

    from kueuelab import workshop

    known = workshop.Progress()
    records = known.records()
    names = workshop.names()
    if as_json:
        found = {name: asdict(records[name]) for name in names if name in records}
        solved = sum(record.solved for record in records.values())
        say_json({"file": str(known.path), "solved": solved, "of": len(names), "exercises": found})
        return
    say([workshop.exercise(names[0]).progress.text])


@commands.command()
def reset(name: _Name, folder: _Folder = None, as_json: AsJson = False) -> None:
    """Begin anew: hints and checks are forgotten, the answer is put aside."""
    told = _opened(name, folder).reset()
    if as_json:
        say_json({"exercise": name, "text": told.text})
    else:
        say([told.text])
