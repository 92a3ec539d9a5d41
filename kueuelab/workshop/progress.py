"""The progress of a learner: one local file, written as a whole, never sent anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import Format, read_json, write_json
from kueuelab.messages import Message

__all__ = ["Progress", "Record"]

#: Names another file.
_VARIABLE: Final = "KUEUELAB_PROGRESS"

#: Version 1 did not say what kind of file it was. Version 2 had no answers, version 3 no
#: predictions, version 4 no dates.
_FORMAT: Final = Format("kueuelab-progress", 5, dict.fromkeys((1, 2, 3, 4), dict), unnamed=1)


def _today() -> date:
    return datetime.now(UTC).astimezone().date()


@dataclass(frozen=True, slots=True)
class Record:
    """How far one exercise is.

    Attributes
    ----------
    checks
        How often an answer was checked.
    passed, of
        How many checks passed the last time, and how many there are.
    hints
        How many hints were taken.
    solved
        Whether an answer passed once.
    revealed
        Whether the solution was looked at before that.
    answer
        The text of the answer that passed, or else of the last one that was checked.
    solved_on
        The day on which an answer passed for the first time, such as ``2026-03-02``, where the
        learner is; ``""`` if none did, or an earlier release noted it.
    """

    checks: int = 0
    passed: int = 0
    of: int = 0
    hints: int = 0
    solved: bool = False
    revealed: bool = False
    answer: str = ""
    solved_on: str = ""

    @property
    def state(self) -> str:
        """``new``, ``tried``, ``solved`` or ``revealed``."""
        if self.solved:
            return "revealed" if self.revealed else "solved"
        return "tried" if self.checks or self.hints else "new"


def _record(found: Mapping[str, Any]) -> Record:
    record = Record(**found)
    for part in fields(record):
        value = getattr(record, part.name)
        if type(value) is not type(part.default):
            raise TypeError(f"{part.name} is {value!r:.40}")
    return record


class Progress:
    """The file with a learner's progress; read anew each time, replaced in one go.

    Parameters
    ----------
    path
        The file; by default the one that ``KUEUELAB_PROGRESS`` names, or
        ``.kueuelab/progress.json`` in the home folder.
    today
        What says which day it is; by default the clock of this machine.

    Examples
    --------
    >>> import tempfile
    >>> progress = Progress(Path(tempfile.mkdtemp()) / "progress.json")
    >>> progress.update("some-exercise", lambda record: replace(record, hints=record.hints + 1))
    Record(checks=0, passed=0, of=0, hints=1, solved=False, revealed=False, answer='', solved_on='')
    >>> progress.of("some-exercise").hints, progress.of("another").state
    (1, 'new')
    """

    def __init__(self, path: str | Path | None = None, today: Callable[[], date] = _today) -> None:
        if path is None:
            path = os.environ.get(_VARIABLE) or Path.home() / ".kueuelab" / "progress.json"
        self.path = Path(path)
        self._today = today

    def __repr__(self) -> str:
        solved = sum(record.solved for record in self.records().values())
        return f"<Progress: {solved} solved>"

    def records(self) -> Mapping[str, Record]:
        """Return how far each exercise is that was begun.

        Raises
        ------
        InputError
            If the file is not what was written to it.
        """
        return self._read()[0]

    def predictions(self) -> Mapping[str, str]:
        """Return the learner's predictions by question: `predicted` keeps them.

        Raises
        ------
        InputError
            If the file is not what was written to it.
        """
        return self._read()[1]

    def predicted(self, question: str, choice: str) -> None:
        """Keep a prediction. The first one stays: it is what the learner expected.

        Examples
        --------
        >>> import tempfile
        >>> progress = Progress(Path(tempfile.mkdtemp()) / "progress.json")
        >>> progress.predicted("01.1", "It preempts job-0")
        >>> progress.predicted("01.1", "It preempts job-1")
        >>> progress.predictions()
        {'01.1': 'It preempts job-0'}
        """
        records, predictions = self._read()
        if question not in predictions:
            self._write(records, {**predictions, question: choice})

    def _read(self) -> tuple[dict[str, Record], dict[str, str]]:
        if not self.path.exists():
            return {}, {}
        found: Any = read_json(self.path, _FORMAT)
        try:
            predictions = dict(found.get("predictions", {}))
            if not all(isinstance(part, str) for each in predictions.items() for part in each):
                raise TypeError("predictions")
            records = {name: _record(record) for name, record in found["exercises"].items()}
            return records, predictions
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            problem = Problem(
                Message("workshop.progress.unreadable"),
                location=Location(str(self.path)),
                hint=Message("workshop.progress.unreadable.hint"),
            )
            raise InputError(problem) from error

    def of(self, exercise: str) -> Record:
        """Return the progress of an exercise."""
        return self.records().get(exercise, Record())

    def update(self, exercise: str, change: Callable[[Record], Record]) -> Record:
        """Change the record of an exercise, and return it."""
        records, predictions = self._read()
        records[exercise] = new = change(records.get(exercise, Record()))
        self._write(records, predictions)
        return new

    def forget(self, exercise: str) -> None:
        """Forget an exercise."""
        records, predictions = self._read()
        if records.pop(exercise, None) is not None:
            self._write(records, predictions)

    def checked(self, exercise: str, passed: int, of: int, answer: str = "") -> Record:
        """Note that an answer was checked, how many checks passed, and when all of them did."""

        def change(record: Record) -> Record:
            is_first = passed == of and not record.solved
            return replace(
                record,
                checks=record.checks + 1,
                passed=passed,
                of=of,
                solved=record.solved or (passed == of),
                answer=record.answer if record.solved and passed != of else answer,
                solved_on=self._today().isoformat() if is_first else record.solved_on,
            )

        return self.update(exercise, change)

    def _write(self, records: Mapping[str, Record], predictions: Mapping[str, str]) -> None:
        exercises = {name: asdict(records[name]) for name in sorted(records)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = {name: predictions[name] for name in sorted(predictions)}
        write_json(self.path, {"exercises": exercises, "predictions": kept}, _FORMAT)
