"""An answer that is a Python script: kept in a file, and checked in a process with limits."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import put_aside, read_bytes, write_text
from kueuelab.messages import Message
from kueuelab.workshop.confined import ConfinedDispatcher

if TYPE_CHECKING:
    from kueuelab.workshop.exercise import Exercise
    from kueuelab.workshop.feedback import Feedback

__all__ = ["ScriptAnswer"]


class ScriptAnswer:
    """The script of an exercise that asks for a dispatcher.

    Parameters
    ----------
    exercise
        The exercise.

    Attributes
    ----------
    file
        Where the script is kept.
    text
        The script: that of the file, or the one that the exercise starts with.
    kept
        Where a script is now that was written to the file by other means; ``None`` if none was.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self.file: Path = exercise.folder / "answer.py"
        self.text = self._in_file or exercise.spec.first_script
        self.kept: Path | None = None

    @property
    def _in_file(self) -> str:
        """The text of the file, ``""`` if there is none."""
        if not self.file.exists():
            return ""
        return read_bytes(self.file).decode("utf-8-sig", "replace")

    def check(self, text: str) -> Feedback:
        """Keep a script in the file, and check it; it never runs in this process.

        Raises
        ------
        InputError
            If it is not Python; nothing is checked then.
        """
        self._keep(text)
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            said = getattr(error, "msg", None) or str(error)
            message = Message("workshop.script.not-python", error=said)
            place = Location(str(self.file), getattr(error, "lineno", None) or 0)
            raise InputError(Problem(message, location=place)) from error
        with ConfinedDispatcher(text) as confined:
            self._exercise.answer(confined)
            return self._exercise.check()

    def _keep(self, text: str) -> None:
        """Write the file; what was written to it by other means is put aside."""
        there = self._in_file
        self.kept = None
        if there.strip() and there not in (self.text, text, self._exercise.spec.first_script):
            self.kept = put_aside(self.file, "before")
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write_text(self.file, text)
        self.text = text
