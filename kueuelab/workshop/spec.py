"""What an exercise is: where it starts, its cases, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from kueuelab.messages import Catalog
from kueuelab.workshop.checks import Check
from kueuelab.workshop.rules import Rule

__all__ = ["DIFFICULTIES", "AnswerKind", "Case", "Difficulty", "ExerciseSpec"]

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]

DIFFICULTIES: Final[tuple[str, ...]] = get_args(Difficulty)

#: What a learner hands in: changed manifests, or a dispatcher for MultiKueue in Python.
AnswerKind: TypeAlias = Literal["manifests", "dispatcher"]


@dataclass(frozen=True, slots=True)
class Case:
    """One case with which an answer is tested: its timeline and its checks.

    Attributes
    ----------
    id
        Names it in the texts: ``case.<id>``.
    hidden
        Whether the learner sees it only when something goes wrong.
    scenario
        ``spec`` of a scenario, apart from the objects, which are the learner's.
    edits
        What is different from the learner's objects in that case: object to fields.
    checks
        The checks.
    """

    id: str
    scenario: Mapping[str, Any]
    checks: tuple[Check, ...]
    hidden: bool = False
    edits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExerciseSpec:
    """An exercise as it was written.

    Attributes
    ----------
    name
        That of its folder.
    folder
        Where its files are.
    taught_in
        The notebook that has all that it needs: ``03-cohorts``. It follows that notebook;
        ``""`` for an exercise that is no part of the course.
    topic, difficulty, minutes
        What it is about, how hard it is, how long it may take.
    answer
        What the learner hands in.
    start
        The manifests at the beginning, as text.
    rules
        What an answer may change.
    cases
        The cases with which it is tried; the first is the one that the learner sees.
    texts
        All its sentences; falls back on those of the workshop.
    requires
        The exercises that come before it, by name.
    """

    name: str
    folder: Path
    taught_in: str
    topic: str
    difficulty: Difficulty
    minutes: int
    answer: AnswerKind
    start: str
    rules: tuple[Rule, ...]
    cases: tuple[Case, ...]
    texts: Catalog = field(repr=False, compare=False)
    requires: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its title."""
        return self.texts.text("title")

    @property
    def goal(self) -> str:
        """The goal, as text."""
        return self.texts.text("goal").strip()

    @property
    def notebook(self) -> Path:
        """The learner's notebook."""
        return self.folder / f"{self.name}.ipynb"

    @property
    def first_script(self) -> str:
        """The script to begin with, ``""`` where the answer is none."""
        file = self.folder / "start.py"
        return file.read_text("utf-8") if file.exists() else ""

    @property
    def source(self) -> Path:
        """The notebook that the learner's is made from."""
        return self.folder / f"{self.name}.source.ipynb"
