"""What a class solved, from collected progress files; each answer is checked again here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from kueuelab.errors import InputError, KueueLabError
from kueuelab.messages import Message
from kueuelab.workshop.library import specs
from kueuelab.workshop.progress import Progress, Record
from kueuelab.workshop.rechecking import Rechecker
from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["LearnerReport", "Rechecked", "class_report", "learner_report"]

#: ``unconfirmed``: the file says that it is solved, and the answer in it does not pass.
Confirmed: TypeAlias = Literal["solved", "revealed", "tried", "unconfirmed"]


@dataclass(frozen=True, slots=True)
class Rechecked:
    """The result of one exercise of one learner.

    Attributes
    ----------
    exercise
        Its name.
    state
        What the answer is worth when it is checked again.
    passed, of
        How many checks pass now, and how many there are; 0 of 0 if the answer cannot be used.
    checks, hints
        How many tries and hints the file says there were.
    """

    exercise: str
    state: Confirmed
    passed: int
    of: int
    checks: int
    hints: int


@dataclass(frozen=True, slots=True)
class LearnerReport:
    """The results of one learner, or why the file cannot be read."""

    learner: str
    results: tuple[Rechecked, ...] = ()
    problem: str = ""

    @property
    def solved(self) -> int:
        """How many exercises are solved, as checked here."""
        return sum(each.state in ("solved", "revealed") for each in self.results)


def class_report(folder: Path) -> Iterator[LearnerReport]:
    """Check again what learners handed in; yield each learner's results.

    Parameters
    ----------
    folder
        Progress files: ``NAME.json``, or ``NAME/progress.json``.

    Raises
    ------
    KueueLabError
        If there are none.
    """
    files = sorted(file for file in folder.rglob("*.json") if file.is_file())
    if not files:
        raise KueueLabError(
            Message("workshop.report.none", folder=folder),
            hint=Message("workshop.report.none.hint"),
        )
    with Rechecker() as rechecker:
        for file in files:
            learner = file.parent.name if file.name == "progress.json" else file.stem
            yield learner_report(learner, file, rechecker)


def learner_report(learner: str, file: Path, rechecker: Rechecker) -> LearnerReport:
    """Check again what one progress file has."""
    try:
        records = Progress(file).records()
    except InputError as error:
        return LearnerReport(learner, problem=str(error))
    return LearnerReport(
        learner,
        tuple(
            _rechecked(spec, records[spec.name], rechecker)
            for spec in specs()
            if spec.name in records
        ),
    )


def _rechecked(spec: ExerciseSpec, record: Record, rechecker: Rechecker) -> Rechecked:
    passed, of = 0, 0
    if record.answer:
        judgement = rechecker.judge(spec.name, record.answer)
        passed, of = judgement.passed, judgement.of
    state: Confirmed = "tried"
    if of and passed == of:
        state = "revealed" if record.revealed else "solved"
    elif record.solved:
        state = "unconfirmed"
    return Rechecked(spec.name, state, passed, of, record.checks, record.hints)
