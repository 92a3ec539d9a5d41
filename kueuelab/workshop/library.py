"""Which exercises there are, and where: in the checkout, or with the installed package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.messages import Catalog, Message
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.reading import read_exercise
from kueuelab.workshop.spec import ExerciseSpec

if TYPE_CHECKING:
    from kueuelab.workshop.exercise import Exercise

__all__ = ["exercise", "exercise_folder", "names", "spec", "specs"]

_PACKAGE: Final = Path(__file__).resolve().parent.parent


def exercise_folder(package: Path = _PACKAGE) -> Path:
    """Return the folder of all exercises.

    Raises
    ------
    KueueLabError
        If they are not installed.
    """
    for folder in (package.parent / "exercises", package / "exercises"):
        if any(folder.glob("*/exercise.yaml")):
            return folder
    raise KueueLabError(
        Message("workshop.not-installed"), hint=Message("workshop.not-installed.hint")
    )


@cache
def specs(language: str | Catalog = "en") -> tuple[ExerciseSpec, ...]:
    """Return all exercises, in the order of the course, with their texts in a language."""
    folders = [file.parent for file in exercise_folder().glob("*/exercise.yaml")]
    found = [read_exercise(folder, language) for folder in folders]
    return tuple(sorted(found, key=lambda spec: spec.number))


def names() -> tuple[str, ...]:
    """Return the names of all exercises, in the order of the course."""
    return tuple(spec.name for spec in specs())


def spec(name: str, language: str | Catalog = "en") -> ExerciseSpec:
    """Return an exercise by name, with its texts in a language.

    Raises
    ------
    UnknownObjectError
        If there is none of that name.
    """
    for each in specs(language):
        if each.name == name:
            return each
    raise UnknownObjectError("exercise", name, names())


def exercise(
    name: str,
    folder: str | Path = ".",
    *,
    progress: str | Path | None = None,
    language: str | Catalog = "en",
) -> Exercise:
    """Open an exercise to work on it.

    Parameters
    ----------
    name
        One of :func:`names`.
    folder
        Where the answer is kept; the working folder by default.
    progress
        The file with the progress, if not the usual one.
    language
        In which language it speaks: a code, or a catalogue of sentences.

    Raises
    ------
    UnknownObjectError
        If there is none of that name.
    """
    from kueuelab.workshop.exercise import Exercise

    found = spec(name, language)
    return Exercise(found, Path(folder), Progress(progress), len(specs(language)))
