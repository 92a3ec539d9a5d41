"""What a class solved, from collected progress files, or from the store of a served class.

Each answer is checked again here; one that is code only if the caller brings an isolation for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from kueuelab.errors import InputError, KueueLabError, Location, Problem
from kueuelab.messages import Message
from kueuelab.workshop.classroom.board import distinct_names, grouped
from kueuelab.workshop.classroom.store import ClassStore, StoredAttempt
from kueuelab.workshop.isolation import Isolation
from kueuelab.workshop.library import specs
from kueuelab.workshop.progress import Progress, Record
from kueuelab.workshop.rechecking import Judgement, Rechecker
from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["LearnerReport", "Rechecked", "class_report", "learner_report"]

#: ``unconfirmed``: the file says that it is solved, and the answer in it does not pass;
#: ``unchecked``: the file says that it is solved, and the answer is not checked again here.
Confirmed: TypeAlias = Literal["solved", "revealed", "tried", "unconfirmed", "unchecked"]


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
        How many checks pass now, and how many there are; 0 of 0 if the answer cannot be used or is
        not checked again.
    checks
        How many tries there were.
    hints
        How many hints the file says there were; ``None`` for a served class.
    """

    exercise: str
    state: Confirmed
    passed: int
    of: int
    checks: int
    hints: int | None


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

    @property
    def unchecked(self) -> int:
        """How many exercises the learner sent as solved, and are not checked again here."""
        return sum(each.state == "unchecked" for each in self.results)


def class_report(folder: Path, isolation: Isolation | None = None) -> Iterator[LearnerReport]:
    """Check again what learners handed in; yield each learner's results.

    Parameters
    ----------
    folder
        Progress files, ``NAME.json`` or ``NAME/progress.json``; or the folder of a class that
        was served, or both.
    isolation
        What isolates answers that are code; without, they are not checked again.

    Raises
    ------
    KueueLabError
        If there are none.
    """
    files = sorted(file for file in folder.rglob("*.json") if file.is_file() or file.is_symlink())
    is_class = (folder / ClassStore.FILE).is_file()
    if not files and not is_class:
        raise KueueLabError(
            Message("workshop.report.none", folder=folder),
            hint=Message("workshop.report.none.hint"),
        )
    with Rechecker(isolation=isolation) as rechecker:
        for file in files:
            learner = file.parent.name if file.name == "progress.json" else file.stem
            yield learner_report(learner, file, rechecker)
        if is_class:
            yield from _of_store(folder, rechecker)


def learner_report(learner: str, file: Path, rechecker: Rechecker) -> LearnerReport:
    """Check again what one progress file has."""
    if file.is_symlink():
        # What was handed in may name any file of this machine, or that of another learner.
        problem = Problem(Message("workshop.report.link"), location=Location(str(file)))
        return LearnerReport(learner, problem=str(problem))
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
    is_unchecked = spec.name in rechecker.unchecked
    if record.answer and not is_unchecked:
        judgement = rechecker.judge(spec.name, record.answer)
        passed, of = judgement.passed, judgement.of
    state: Confirmed = "tried"
    if of and passed == of:
        state = "revealed" if record.revealed else "solved"
    elif record.solved:
        state = "unchecked" if is_unchecked and record.answer else "unconfirmed"
    return Rechecked(spec.name, state, passed, of, record.checks, record.hints)


def _of_store(folder: Path, rechecker: Rechecker) -> Iterator[LearnerReport]:
    """Yield what each learner of a served class solved, by name."""
    store = ClassStore(folder)
    try:
        learners = grouped(store.attempts(), lambda each: each.attempt.learner)
    finally:
        store.close()
    names = distinct_names(learners)
    for learner in sorted(learners, key=lambda each: names[each].casefold()):
        by_exercise = grouped(learners[learner], lambda each: each.attempt.exercise)
        results = tuple(
            _of_attempts(spec.name, by_exercise[spec.name], rechecker)
            for spec in specs()
            if spec.name in by_exercise
        )
        yield LearnerReport(names[learner], results)


def _of_attempts(
    exercise: str, attempts: Sequence[StoredAttempt], rechecker: Rechecker
) -> Rechecked:
    """Return what the attempts at one exercise are worth: one that passes, or else the last."""
    found = Judgement()
    is_unchecked = exercise in rechecker.unchecked
    for stored in attempts:
        if stored.judgement is None and is_unchecked:
            continue
        found = stored.judgement or rechecker.judge(exercise, stored.attempt.answer)
        if found.solved:
            break
    state: Confirmed = "tried"
    if found.solved:
        state = "solved"
    elif any(each.judgement is None and each.sent_as_solved for each in attempts) and is_unchecked:
        state = "unchecked"
    elif any(each.sent_as_solved for each in attempts):
        state = "unconfirmed"
    return Rechecked(exercise, state, found.passed, found.of, len(attempts), None)
