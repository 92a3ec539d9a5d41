"""An exercise in progress: answer, check, hints, reset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import put_aside, read_bytes, write_text
from kueuelab.messages import Message
from kueuelab.workshop.answer import Answer, text_of_edits
from kueuelab.workshop.course_map import next_after, suggestion_of
from kueuelab.workshop.feedback import Feedback
from kueuelab.workshop.hints import HINTS, PlainText
from kueuelab.workshop.job_table import demand_text
from kueuelab.workshop.judging import verdicts_on
from kueuelab.workshop.live_check import CasePlayer
from kueuelab.workshop.play import Submission, play
from kueuelab.workshop.progress import Progress, Record
from kueuelab.workshop.scripts import dispatcher_in
from kueuelab.workshop.solution import solution_of
from kueuelab.workshop.spec import ExerciseSpec
from kueuelab.workshop.submitted import script_of

__all__ = ["Exercise"]

_FILE: Final = "answer.yaml"
_SCRIPT: Final = "answer.py"
_CELLS: Final = 10


class Exercise:
    """An exercise in progress, in a folder of its own.

    Parameters
    ----------
    spec
        What it is.
    folder
        Where the answer is kept.
    progress
        Where it is noted how far the learner is.
    count
        How many exercises there are.
    course
        All of them, in order, to suggest the next one.

    Examples
    --------
    >>> import tempfile
    >>> from kueuelab import workshop
    >>> folder = Path(tempfile.mkdtemp())
    >>> exercise = workshop.exercise("within-a-team", folder, progress=folder / "progress.json")
    >>> exercise.check()
    <Feedback on within-a-team: 5 of 7 checks pass>
    >>> exercise.hint().text.splitlines()[0][:12]
    'Hint 1 of 3:'
    """

    def __init__(
        self,
        spec: ExerciseSpec,
        folder: Path,
        progress: Progress,
        count: int,
        course: Sequence[ExerciseSpec] = (),
    ) -> None:
        self.spec = spec
        self._course = course
        self.folder = folder
        self._progress = progress
        self._count = count
        self._dispatcher: Callable[..., Any] | None = None
        #: The answer that this object wrote last; anything else in the file is the learner's.
        self._written: str | None = None

    def __repr__(self) -> str:
        return f"<Exercise {self.spec.name}: {self.record.state}>"

    # --- the answer ------------------------------------------------------------------------

    @property
    def manifests(self) -> str:
        """The manifests that the exercise starts with, as text."""
        return self.spec.start

    @property
    def file(self) -> Path:
        """Where the answer is kept."""
        return self.folder / _FILE

    def answer(
        self, given: str | Mapping[str, Mapping[str, Any]] | Callable[..., Any]
    ) -> PlainText:
        """Hand in an answer in the place of the one before; :meth:`check` checks it.

        What names no field and no object, as a cell that is not solved yet, leaves the file as
        it is. An answer in the file that was written by other means is kept beside it.

        Parameters
        ----------
        given
            Objects and what is to change of them, from the start on
            (``{"cluster-queue/team-a": {"spec.cohortName": "all"}}``), or manifests as
            text, or, where the exercise asks for one, a dispatcher.

        Raises
        ------
        InputError
            If it can't be used: all mistakes, and what would be right.
        """
        if callable(given):
            if self.spec.answer != "dispatcher":
                raise InputError(Message("workshop.answer.wants-manifests"))
            self._dispatcher = given
            return self._say("workshop.answer.dispatcher")
        text = given if isinstance(given, str) else text_of_edits(self.manifests, given)
        answer = Answer(self.manifests, text)
        changes = answer.changes
        if _says_nothing(given):
            return self._say(
                "workshop.answer.left" if self._has_work else "workshop.answer.nothing",
                file=self.file,
            )
        kept = self._write(answer if changes else replace(answer, text=self.manifests))
        say = self.spec.texts.text
        lines = [say("workshop.answer.changes", count=len(changes))]
        lines += [
            f"  {change}: {_shown(change.before)} → {_shown(change.after)}" for change in changes
        ]
        if kept is not None:
            lines.append(say("workshop.answer.kept", file=kept))
        return PlainText("\n".join(lines))

    @property
    def _has_work(self) -> bool:
        """Whether the file holds anything that the exercise did not put there."""
        if not self.file.exists():
            return False
        content = read_bytes(self.file)
        return bool(content.strip()) and content != self.manifests.encode()

    def _write(self, answer: Answer) -> Path | None:
        """Write an answer; return where the file's own is now, if a learner wrote one."""
        kept = None
        if self._has_work:
            if self._is_in_file(answer):
                return None
            if self._written is None or read_bytes(self.file) != self._written.encode():
                kept = put_aside(self.file, "before")
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.file, answer.text)
        self._written = answer.text
        return kept

    def _is_in_file(self, answer: Answer) -> bool:
        """Tell whether the file has the same changes, however it is written."""
        try:
            there = Answer(self.manifests, self._given(), str(self.file))
            return there.changes == answer.changes
        except InputError:
            return False

    def submission(self) -> Submission:
        """Return what is to be checked: the answer, or the start if there is none yet."""
        answer = Answer(self.manifests, self._given(), str(self.file))
        dispatcher = self._dispatcher
        script = self.folder / _SCRIPT
        if dispatcher is None and self.spec.answer == "dispatcher" and script.exists():
            dispatcher = dispatcher_in(script)
        return Submission(answer, dispatcher)

    def _given(self) -> str:
        if not self.file.exists():
            return ""
        try:
            # Some editors mark the beginning of a file.
            return read_bytes(self.file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = Location(str(self.file))
            raise InputError(
                Problem(Message("workshop.answer.not-utf8"), location=place)
            ) from error

    def run(self, case: str = "") -> Any:
        """Play the first case, or another one, with the answer as it is.

        Raises
        ------
        InputError
            If the answer can't be used.
        """
        cases = {each.id: each for each in self.spec.cases}
        return play(self.spec, cases[case] if case else self.spec.cases[0], self.submission())

    def demand(self) -> PlainText:
        """Return what the jobs of the first case would use if none waited, hour by hour."""
        timeline = self.spec.cases[0].scenario.get("timeline", ())
        return PlainText(demand_text(timeline, self.spec.texts))

    # --- checking --------------------------------------------------------------------------

    def check(self, player: CasePlayer | None = None) -> Feedback:
        """Check the answer, also with hidden cases, and note how it went.

        Parameters
        ----------
        player
            A real cluster to play the cases on; the simulator by default. What can't be
            judged there is reported, and progress is not saved: an exercise is solved in the lab.
        """
        spec = self.spec
        try:
            submission = self.submission()
            verdicts = tuple(verdicts_on(spec, submission, player))
        except InputError as error:
            given = self._unusable_text
            return Feedback(spec.name, spec.texts, problems=error.problems, answer=given)
        note = self._note(submission)
        if player is not None:
            return Feedback(spec.name, spec.texts, verdicts, where=player.name, note=note)
        passed = sum(verdict.passed for verdict in verdicts)
        text = self._text_of(submission)
        self._progress.checked(spec.name, passed, len(verdicts), text)
        bar = self.progress.text
        feedback = Feedback(spec.name, spec.texts, verdicts, bar=bar, note=note, answer=text)
        if feedback.passed and self._course:
            found = next_after(self._course, self._progress.records(), spec.name)
            feedback.following = found.name if found else ""
            feedback.suggestion = suggestion_of(found, spec.texts)
        return feedback

    def _text_of(self, submission: Submission) -> str:
        """Return an answer as text, so that it can be checked again elsewhere."""
        if self.spec.answer == "manifests":
            return submission.answer.text
        if self._dispatcher is not None:
            return script_of(self._dispatcher)
        script = self.folder / _SCRIPT
        return read_bytes(script).decode("utf-8-sig", "replace") if script.exists() else ""

    @property
    def _unusable_text(self) -> str:
        """The text of an answer that cannot be used, as far as it is text."""
        file = self.folder / (_FILE if self.spec.answer == "manifests" else _SCRIPT)
        return read_bytes(file).decode("utf-8-sig", "replace") if file.is_file() else ""

    def _note(self, submission: Submission) -> str:
        """Return a note about an answer that changes nothing."""
        say = self.spec.texts.text
        if self.spec.answer == "dispatcher":
            script = self.folder / _SCRIPT
            return "" if submission.dispatcher else say("workshop.answer.noScript", file=script)
        if submission.answer.changes:
            return ""
        return say(
            "workshop.answer.same" if self.file.exists() else "workshop.answer.none", file=self.file
        )

    # --- help ------------------------------------------------------------------------------

    def hint(self) -> PlainText:
        """Return the next hint; each helps more than the one before."""
        spec = self.spec
        taken = self.record.hints
        if taken >= HINTS:
            return self._say("workshop.hint.none", name=spec.name)
        number = self._progress.update(
            spec.name, lambda record: replace(record, hints=record.hints + 1)
        ).hints
        text = spec.texts.text(f"hint.{number}").strip()
        return self._say("workshop.hint.head", number=number, count=HINTS, text=text)

    def reveal(self) -> PlainText:
        """Return a solution, once all hints were taken."""
        if self.record.hints < HINTS and not self.record.solved:
            return self._say("workshop.reveal.early")
        if not self.record.solved:
            self._progress.update(self.spec.name, lambda record: replace(record, revealed=True))
        head = self.spec.texts.text("workshop.reveal.head")
        why = self.spec.texts.text("why").strip()
        return PlainText(f"{head}\n\n{solution_of(self.spec.source)}\n\n{why}")

    def reset(self) -> PlainText:
        """Reset the exercise: hints and checks are deleted; an answer is kept in another file."""
        kept = [each for each in map(self._put_aside, (_FILE, _SCRIPT)) if each is not None]
        self._progress.forget(self.spec.name)
        self._dispatcher = None
        if not kept:
            return self._say("workshop.reset.done", name=self.spec.name)
        files = ", ".join(map(str, kept))
        return self._say("workshop.reset.kept", name=self.spec.name, file=files)

    def _put_aside(self, name: str) -> Path | None:
        """Put the start in the place of an answer; return where the answer is now, if any."""
        file = self.folder / name
        begin = self.spec.first_script if name == _SCRIPT else self.spec.start
        if not file.exists() or read_bytes(file) == begin.encode():
            return None
        kept = put_aside(file, "before-reset")
        if begin:
            write_text(file, begin)
        return kept

    # --- how far -----------------------------------------------------------------------------

    @property
    def progress_folder(self) -> Path:
        """The folder of the file with the learner's progress."""
        return self._progress.path.parent

    @property
    def record(self) -> Record:
        """The progress of this exercise."""
        return self._progress.of(self.spec.name)

    @property
    def progress(self) -> PlainText:
        """How many exercises are solved, as a bar."""
        solved = sum(record.solved for record in self._progress.records().values())
        filled = min(_CELLS, solved * _CELLS // max(1, self._count))
        bar = "█" * filled + "░" * (_CELLS - filled)
        return self._say("workshop.progress.bar", bar=bar, solved=solved, count=self._count)

    def _say(self, message: str, **values: Any) -> PlainText:
        return PlainText(self.spec.texts.text(message, **values))

    @property
    def facts(self) -> str:
        """How hard it is, and how long it may take."""
        say = self.spec.texts.text
        difficulty = say(f"workshop.difficulty.{self.spec.difficulty}")
        return say("workshop.exercise.facts", difficulty=difficulty, minutes=self.spec.minutes)

    def as_text(self) -> str:
        """Return title, goal, and how far it is, as plain text."""
        spec = self.spec
        return f"{spec.title} ({self.facts})\n\n{spec.goal}\n\n{self.progress}"

    def _repr_html_(self) -> str:
        spec = self.spec
        goal = "".join(f"<p>{escape(part)}</p>" for part in spec.goal.split("\n\n"))
        title = f"<p><b>{escape(spec.title)}</b> ({escape(self.facts)})</p>"
        return f"{title}{goal}<p>{escape(self.progress.text)}</p>"


def _says_nothing(given: str | Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether an answer names no field and no object, as a cell that is not solved yet."""
    if isinstance(given, str):
        return all(not line.strip() or line.startswith("#") for line in given.splitlines())
    return not any(given.values())


def _shown(value: Any) -> str:
    return "(none)" if value is None else str(value)
