"""What a page can ask about exercises, and what the handler answers.

An engine that has files keeps progress in the learner's file. One that has none gets it with each
command, and returns it with each answer: the page keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = [
    "CaseFrames",
    "CheckAnswer",
    "CheckedAnswer",
    "CheckedCase",
    "CheckedRule",
    "ExerciseCommand",
    "ExerciseFound",
    "ExerciseInfo",
    "ExerciseTopic",
    "Exercises",
    "ExercisesFound",
    "OpenExercise",
    "ResetExercise",
    "RevealSolution",
    "SolutionText",
    "TakeHint",
]


@dataclass(frozen=True, slots=True)
class Exercises:
    """Ask for all exercises in the order of the course, and how far each is."""

    progress: str = ""


@dataclass(frozen=True, slots=True)
class OpenExercise:
    """Ask for an exercise: its goal, where it starts, and how far it is."""

    name: str
    progress: str = ""


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """Check an answer, also with hidden cases."""

    name: str
    text: str
    progress: str = ""


@dataclass(frozen=True, slots=True)
class TakeHint:
    """Take the next hint of an exercise."""

    name: str
    progress: str = ""


@dataclass(frozen=True, slots=True)
class RevealSolution:
    """Ask for a solution, once all hints were taken or the exercise is solved."""

    name: str
    progress: str = ""


@dataclass(frozen=True, slots=True)
class ResetExercise:
    """Forget hints and checks of an exercise; its answer is the start again."""

    name: str
    progress: str = ""


@dataclass(frozen=True, slots=True)
class CaseFrames:
    """Ask for the frames of a case with the answer that was checked last.

    Attributes
    ----------
    question, step
        As for ``frames``.
    """

    name: str
    case: str
    question: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None


ExerciseCommand: TypeAlias = (
    Exercises | OpenExercise | CheckAnswer | TakeHint | RevealSolution | ResetExercise | CaseFrames
)


@dataclass(frozen=True, slots=True)
class ExerciseInfo:
    """An exercise in the list.

    Attributes
    ----------
    facts
        How hard it is and how long it may take, as text.
    state
        ``solved``, ``revealed``, ``tried``, ``next``, ``new``, or ``later`` if it requires what is
        not solved yet.
    missing
        What it requires and is not solved: titles.
    """

    name: str
    title: str
    facts: str
    state: str
    state_text: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExerciseTopic:
    """The exercises of a topic, in the order of the course."""

    id: str
    title: str
    exercises: tuple[ExerciseInfo, ...]


@dataclass(frozen=True, slots=True)
class ExercisesFound:
    """The answer to ``exercises``.

    Attributes
    ----------
    next
        The one to do next; ``None`` if all are solved.
    progress
        What the page has to keep; ``""`` if the engine keeps it.
    """

    sentence: str
    solved: int
    count: int
    next: ExerciseInfo | None
    topics: tuple[ExerciseTopic, ...]
    progress: str


@dataclass(frozen=True, slots=True)
class ExerciseFound:
    """The answer to ``exercise``, ``exerciseHint`` and ``exerciseReset``.

    Attributes
    ----------
    goal
        Its paragraphs.
    answer
        ``manifests``, or ``dispatcher``: Python.
    start, text
        The start, and the answer as it is.
    file
        Where the answer is kept; ``""`` if the page keeps it.
    obstacle
        Why an answer cannot be checked by this engine; ``""`` if it can.
    hints, more_hints
        The hints that were taken, and how many there are besides.
    can_reveal
        Whether a solution may be seen.
    """

    info: ExerciseInfo
    goal: tuple[str, ...]
    answer: str
    start: str
    text: str
    file: str
    obstacle: str
    hints: tuple[str, ...]
    more_hints: int
    can_reveal: bool
    progress: str


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """One check; ``tone`` is ``ok``, ``bad``, or ``quiet`` if it cannot be judged.

    Attributes
    ----------
    found
        What happened instead, line by line.
    step
        The step of the case that shows it; ``None`` if none does.
    """

    text: str
    tone: str
    found: tuple[str, ...]
    step: int | None


@dataclass(frozen=True, slots=True)
class CheckedCase:
    """The checks of a case; rules about the answer itself have no case."""

    id: str
    title: str
    checks: tuple[CheckedRule, ...]


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer to ``exerciseCheck``.

    Attributes
    ----------
    note
        What else there is to say: that nothing was changed, for example.
    next
        The exercise to do next, where this one is solved.
    """

    passed: bool
    sentence: str
    note: str
    cases: tuple[CheckedCase, ...]
    next: ExerciseInfo | None
    progress: str


@dataclass(frozen=True, slots=True)
class SolutionText:
    """The answer to ``exerciseReveal``: Python as in a notebook, and why it is right."""

    text: str
    why: str
    progress: str
