"""Which exercises there are, and where: in the checkout, or with the installed package."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kueuelab.errors import InputError, KueueLabError, Location, Problem, UnknownObjectError
from kueuelab.messages import Catalog, Message
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.reading import read_exercise
from kueuelab.workshop.spec import DIFFICULTIES, ExerciseSpec
from kueuelab.workshop.unpacked import unpacked_exercises

if TYPE_CHECKING:
    from kueuelab.workshop.exercise import Exercise

__all__ = ["by_topic", "exercise", "exercise_folder", "in_course_order", "names", "spec", "specs"]

_PACKAGE: Final = Path(__file__).resolve().parent.parent


def exercise_folder(package: Path = _PACKAGE) -> Path:
    """Return the folder of all exercises.

    Raises
    ------
    KueueLabError
        If they are not installed.
    """
    if not package.is_dir():  # a package in an archive
        return unpacked_exercises()
    for folder in (package.parent / "exercises", package / "exercises"):
        if any(folder.glob("*/exercise.yaml")):
            return folder
    raise KueueLabError(
        Message("workshop.not-installed"), hint=Message("workshop.not-installed.hint")
    )


@cache
def specs(language: str | Catalog = "en") -> tuple[ExerciseSpec, ...]:
    """Return all exercises, in the order of the course, with their texts in a language.

    Raises
    ------
    InputError
        If one is not as it should be, or requires what is not there or what requires it.
    """
    folders = sorted(file.parent for file in exercise_folder().glob("*/exercise.yaml"))
    return in_course_order(read_exercise(folder, language) for folder in folders)


def in_course_order(found: Iterable[ExerciseSpec]) -> tuple[ExerciseSpec, ...]:
    """Return exercises in the order of the notebooks that they follow.

    Of one notebook, easy ones come first. What each requires must be one of them, without a cycle.

    Raises
    ------
    InputError
        If one requires what is not there, or, over others, itself.
    """
    course = tuple(sorted(found, key=_place))
    known = {spec.name: spec for spec in course}
    problems = [
        _wrong(spec, Message("workshop.requires.unknown", name=name))
        for spec in course
        for name in spec.requires
        if name not in known
    ]
    if not problems:
        try:
            TopologicalSorter({spec.name: spec.requires for spec in course}).prepare()
        except CycleError as error:
            cycle: list[str] = error.args[1]
            text = Message("workshop.requires.cycle", names=" → ".join(reversed(cycle)))
            problems.append(_wrong(known[cycle[0]], text))
    if problems:
        raise InputError(problems)
    return course


def by_topic(course: Iterable[ExerciseSpec]) -> tuple[ExerciseSpec, ...]:
    """Return exercises with those of a topic together; topics come as in the course.

    Examples
    --------
    >>> topics = [spec.topic for spec in by_topic(specs())]
    >>> len(set(topics)) == 1 + sum(one != other for one, other in zip(topics, topics[1:]))
    True
    """
    found = tuple(course)
    topics = list(dict.fromkeys(spec.topic for spec in found))
    return tuple(sorted(found, key=lambda spec: topics.index(spec.topic)))


def _place(spec: ExerciseSpec) -> tuple[str, int, str]:
    return spec.taught_in, DIFFICULTIES.index(spec.difficulty), spec.name


def _wrong(spec: ExerciseSpec, text: Message) -> Problem:
    place = Location(str(spec.folder / "exercise.yaml"))
    return Problem(text, f"Exercise/{spec.name}", "spec.requires", place)


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

    found, course = spec(name, language), specs(language)
    return Exercise(found, Path(folder), Progress(progress), len(course), course)
