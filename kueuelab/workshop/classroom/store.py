"""The store of a class on disk: SQLite, so that each attempt is there as a whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.messages import Message
from kueuelab.workshop.classroom.attempt import Attempt
from kueuelab.workshop.rechecking import Judgement

__all__ = ["ClassStore", "StoredAttempt"]

_VERSION: Final = 1
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS attempt (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    learner TEXT NOT NULL,
    name TEXT NOT NULL,
    exercise TEXT NOT NULL,
    passed INTEGER NOT NULL,
    total INTEGER NOT NULL,
    answer TEXT NOT NULL,
    received REAL NOT NULL,
    judgement TEXT
);
CREATE INDEX IF NOT EXISTS of_learner ON attempt (learner);
CREATE INDEX IF NOT EXISTS unjudged ON attempt (number) WHERE judgement IS NULL;
"""


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """An attempt that the server has: when it came, and what it is worth once it was judged."""

    attempt: Attempt
    received: float
    judgement: Judgement | None

    @property
    def sent_as_solved(self) -> bool:
        """Whether all checks passed on the learner's machine."""
        return 0 < self.attempt.of == self.attempt.passed


class ClassStore:
    """All attempts of a class, in the order in which they came.

    Parameters
    ----------
    folder
        Where the file is; both are made if they are not there.
    clock
        What says when an attempt came, in seconds since 1970.

    Raises
    ------
    InputError
        If the file is something else.
    """

    #: What the file is called.
    FILE: Final = "class.sqlite"
    #: A class is smaller.
    MOST_LEARNERS: Final = 500
    MOST_ATTEMPTS: Final = 1000

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / self.FILE
        self._clock = clock
        # Names and answers are for the instructor alone; SQLite would make it readable for all.
        os.close(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600))
        try:
            self._base = sqlite3.connect(self.file)
            # What a file brings along (views, triggers) calls no function that does something.
            self._base.execute("PRAGMA trusted_schema = OFF")
            (version,) = self._base.execute("PRAGMA user_version").fetchone()
            if version not in (0, _VERSION):
                raise sqlite3.DatabaseError
            self._base.executescript(f"{_TABLES} PRAGMA user_version = {_VERSION};")
        except sqlite3.DatabaseError as error:
            problem = Problem(
                Message("workshop.class.store"),
                location=Location(str(self.file)),
                hint=Message("workshop.class.store.hint"),
            )
            raise InputError(problem) from error

    def __repr__(self) -> str:
        return f"<ClassStore {self.file}>"

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def secret(self, name: str) -> str:
        """Return a secret of this class, made when it is first asked for."""
        with self._base:
            self._base.execute(
                "INSERT OR IGNORE INTO secret VALUES (?, ?)", (name, secrets.token_urlsafe(24))
            )
        (found,) = self._base.execute("SELECT value FROM secret WHERE name = ?", (name,)).fetchone()
        return str(found)

    # --- attempts --------------------------------------------------------------------------

    def add(self, attempts: Sequence[Attempt]) -> dict[str, str]:
        """Store attempts, each once; return which are refused, and why.

        When it returns, the others are on disk.
        """
        refused: dict[str, str] = {}
        with self._base:
            for each in attempts:
                if self._has(each.id):
                    continue
                if self._is_full_for(each.learner):
                    refused[each.id] = Message("workshop.class.full")
                    continue
                row = (*each.as_data().values(), self._clock())
                self._base.execute(
                    "INSERT INTO attempt (id, learner, name, exercise, passed, total, answer,"
                    " received) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
        return refused

    def _has(self, attempt: str) -> bool:
        found = self._base.execute("SELECT 1 FROM attempt WHERE id = ?", (attempt,))
        return found.fetchone() is not None

    def _is_full_for(self, learner: str) -> bool:
        count = "SELECT COUNT(*) FROM attempt WHERE learner = ?"
        (own,) = self._base.execute(count, (learner,)).fetchone()
        if own:
            return bool(own >= self.MOST_ATTEMPTS)
        learners = "SELECT COUNT(DISTINCT learner) FROM attempt"
        return bool(self._base.execute(learners).fetchone()[0] >= self.MOST_LEARNERS)

    def attempts(self) -> list[StoredAttempt]:
        """Return all attempts, in the order in which they came."""
        rows = self._base.execute(
            "SELECT id, learner, name, exercise, passed, total, answer, received, judgement"
            " FROM attempt ORDER BY number"
        )
        return [_stored(row) for row in rows]

    # --- what they are worth ---------------------------------------------------------------

    def next_to_judge(self, without: Collection[str] = ()) -> Attempt | None:
        """Return the oldest attempt that was not judged, ``None`` if all were.

        Parameters
        ----------
        without
            Exercises whose answers are not judged.
        """
        row = self._base.execute(
            "SELECT id, learner, name, exercise, passed, total, answer, received, judgement"
            " FROM attempt WHERE judgement IS NULL"
            " AND exercise NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1",
            (json.dumps(sorted(without)),),
        ).fetchone()
        return None if row is None else _stored(row).attempt

    def judge(self, attempt: Attempt, judgement: Judgement) -> None:
        """Note what an answer is worth, for each attempt that has the same one."""
        with self._base:
            self._base.execute(
                "UPDATE attempt SET judgement = ?"
                " WHERE exercise = ? AND answer = ? AND judgement IS NULL",
                (json.dumps(judgement.as_data()), attempt.exercise, attempt.answer),
            )

    def judgement_of(self, attempt: Attempt) -> Judgement | None:
        """Return what the same answer was worth before."""
        row = self._base.execute(
            "SELECT judgement FROM attempt"
            " WHERE exercise = ? AND answer = ? AND judgement IS NOT NULL LIMIT 1",
            (attempt.exercise, attempt.answer),
        ).fetchone()
        return None if row is None else Judgement.from_data(json.loads(row[0]))


def _stored(row: Sequence[Any]) -> StoredAttempt:
    *values, received, judgement = row
    return StoredAttempt(
        Attempt(*values),
        received,
        None if judgement is None else Judgement.from_data(json.loads(judgement)),
    )
