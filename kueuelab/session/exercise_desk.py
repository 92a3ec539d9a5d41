"""Exercises: the list with progress, one exercise, its check, hints and solution.

The workshop judges. Where there is a folder, answers and progress are files of the learner. Where
there is none, as in a browser, each command brings the progress, and files are temporary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Catalog, Message
from kueuelab.session.answers import FramesData
from kueuelab.session.exercise_protocol import (
    CaseFrames,
    CheckAnswer,
    CheckedAnswer,
    CheckedCase,
    CheckedRule,
    ExerciseCommand,
    ExerciseFound,
    ExerciseInfo,
    Exercises,
    ExercisesFound,
    ExerciseTopic,
    OpenExercise,
    ResetExercise,
    RevealSolution,
    SolutionText,
    TakeHint,
)
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.answers import answer as frame_answer
from kueuelab.views.frame.document import Document
from kueuelab.views.run_index import RunIndex
from kueuelab.workshop.course_map import ExerciseMap, Place
from kueuelab.workshop.exercise import Exercise
from kueuelab.workshop.feedback import Feedback, Verdict
from kueuelab.workshop.hints import HINTS
from kueuelab.workshop.library import by_topic, exercise, exercise_folder, specs
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.solution import solution_of

__all__ = ["ExerciseDesk"]

#: Characters of an answer, and of the progress that a page keeps.
_LONGEST: Final = 1_000_000
_PROGRESS: Final = "progress.json"


class _Kept(NamedTuple):
    """Where answers and progress are; ``file`` is ``None`` for the file of the learner."""

    folder: Path
    file: Path | None

    def text(self) -> str:
        """Return the progress for a page that keeps it."""
        return self.file.read_text("utf-8") if self.file and self.file.exists() else ""


class ExerciseDesk:
    """Answers commands about exercises.

    Parameters
    ----------
    words
        The language.
    folder
        Where answers are kept, each in a folder with the name of its exercise; ``None`` where there
        are no files. Code is only run where there are, in a process of its own.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> desk = ExerciseDesk(english(), None)
    >>> found = desk.answer(OpenExercise("within-a-team"))
    >>> found.info.title, found.more_hints
    ('Which job makes room within a team?', 3)
    >>> checked = desk.answer(CheckAnswer("within-a-team", found.start))
    >>> checked.passed, checked.sentence
    (False, 'Not solved yet: 5 of 7 checks pass.')
    """

    def __init__(self, words: Catalog, folder: Path | None) -> None:
        self._words = words
        self._folder = folder
        self._exercises: dict[str, Exercise] = {}
        #: The cases of the last check, by exercise and case.
        self._played: Mapping[tuple[str, str], Trace] = {}
        self._documents: dict[tuple[str, str], Document] = {}

    def read(self) -> None:
        """Read all exercises, so that the first command does not have to."""
        specs(self._words)

    def answer(self, command: ExerciseCommand) -> Any:
        """Return the answer to a command.

        Raises
        ------
        KueueLabError
            If there is no such exercise, or an answer or the progress cannot be used.
        """
        exercise_folder()
        if isinstance(command, CaseFrames):
            return self._frames(command)
        if len(command.progress) > _LONGEST:
            raise InputError(Problem(Message("session.exercise.too-long"), field="progress"))
        with self._kept(command.progress) as kept:
            match command:
                case Exercises():
                    return self._list(kept)
                case OpenExercise(name=name):
                    return self._found(name, kept)
                case CheckAnswer(name=name, text=text):
                    return self._checked(name, text, kept)
                case TakeHint(name=name):
                    self._exercise(name, kept).hint()
                    return self._found(name, kept)
                case RevealSolution(name=name):
                    return self._solution(name, kept)
                case ResetExercise(name=name):
                    self._exercise(name, kept).reset()
                    return self._found(name, kept)

    # --- where it is kept ------------------------------------------------------------------

    @contextmanager
    def _kept(self, progress: str) -> Iterator[_Kept]:
        if self._folder is not None:
            yield _Kept(self._folder, None)
            return
        with TemporaryDirectory() as place:
            file = Path(place) / _PROGRESS
            if progress:
                file.write_text(progress, "utf-8")
            yield _Kept(Path(place), file)

    def _exercise(self, name: str, kept: _Kept) -> Exercise:
        if kept.file is not None:
            return exercise(name, kept.folder / name, progress=kept.file, language=self._words)
        # It knows which answer it wrote: another one in the file is the learner's, and is kept.
        if name not in self._exercises:
            self._exercises[name] = exercise(name, kept.folder / name, language=self._words)
        return self._exercises[name]

    # --- the list --------------------------------------------------------------------------

    def _map(self, kept: _Kept) -> ExerciseMap:
        course = specs(self._words)
        return ExerciseMap(course, Progress(kept.file).records(), self._words)

    def _list(self, kept: _Kept) -> ExercisesFound:
        found, words = self._map(kept), self._words
        places = {place.spec.name: place for place in found.places}
        topics: dict[str, list[ExerciseInfo]] = {}
        for spec in by_topic(place.spec for place in found.places):
            info = self._info(places[spec.name], places)
            topics.setdefault(spec.topic, []).append(info)
        solved = sum(place.state in ("solved", "revealed") for place in found.places)
        return ExercisesFound(
            sentence=words.text("session.exercises.solved", solved=solved, count=len(places)),
            solved=solved,
            count=len(places),
            next=None if found.next is None else self._info(places[found.next.name], places),
            topics=tuple(
                ExerciseTopic(topic, words.text(f"workshop.topic.{topic}"), tuple(infos))
                for topic, infos in topics.items()
            ),
            progress=kept.text(),
        )

    def _info(self, place: Place, places: Mapping[str, Place]) -> ExerciseInfo:
        spec, words = place.spec, self._words
        difficulty = words.text(f"workshop.difficulty.{spec.difficulty}")
        missing = tuple(places[name].spec.title for name in place.missing)
        return ExerciseInfo(
            name=spec.name,
            title=spec.title,
            facts=words.text(
                "workshop.exercise.facts", difficulty=difficulty, minutes=spec.minutes
            ),
            state=place.state,
            state_text=words.text(f"session.exercise.{place.state}"),
            missing=missing,
        )

    def _info_of(self, name: str, kept: _Kept) -> ExerciseInfo:
        places = {place.spec.name: place for place in self._map(kept).places}
        return self._info(places[name], places)

    # --- one exercise ----------------------------------------------------------------------

    def _found(self, name: str, kept: _Kept) -> ExerciseFound:
        found = self._exercise(name, kept)
        spec, record = found.spec, found.record
        is_code = spec.answer == "dispatcher"
        start = spec.first_script if is_code else spec.start
        hints = tuple(spec.texts.text(f"hint.{each + 1}").strip() for each in range(record.hints))
        file = found.folder / ("answer.py" if is_code else "answer.yaml")
        return ExerciseFound(
            info=self._info_of(name, kept),
            goal=tuple(" ".join(each.split()) for each in spec.goal.split("\n\n")),
            answer=spec.answer,
            start=start,
            text=_text_in(file) or record.answer or start,
            file="" if kept.file else str(file),
            obstacle=self._obstacle(is_code),
            hints=hints,
            more_hints=HINTS - record.hints,
            can_reveal=record.solved or record.hints >= HINTS,
            progress=kept.text(),
        )

    def _obstacle(self, is_code: bool) -> str:
        return self._words.text("session.exercise.code") if is_code and not self._folder else ""

    def _checked(self, name: str, text: str, kept: _Kept) -> CheckedAnswer:
        if len(text) > _LONGEST:
            raise InputError(Problem(Message("session.exercise.too-long"), field="text"))
        found = self._exercise(name, kept)
        if found.spec.answer == "dispatcher":
            if self._folder is None:
                raise InputError(Problem(Message("session.exercise.code")))
            # It starts a process: not imported where there is none.
            from kueuelab.workshop.script_answer import ScriptAnswer

            feedback = ScriptAnswer(found).check(text)
        else:
            found.answer(text)
            feedback = found.check()
        if feedback.problems:
            raise InputError(feedback.problems)
        self._remember(name, feedback)
        following = feedback.following
        # The workshop's own note names a file, which may be a temporary one.
        note = self._words.text("session.exercise.same") if feedback.as_data()["note"] else ""
        return CheckedAnswer(
            passed=feedback.passed,
            sentence=feedback.summary,
            note=note,
            cases=tuple(_cases(found, feedback)),
            next=self._info_of(following, kept) if following else None,
            progress=kept.text(),
        )

    def _remember(self, name: str, feedback: Feedback) -> None:
        self._documents = {}
        self._played = {
            (name, each.case): each.played.trace
            for each in feedback.verdicts
            if each.played is not None
        }

    def _solution(self, name: str, kept: _Kept) -> SolutionText:
        found = self._exercise(name, kept)
        said = found.reveal()
        record = found.record
        if record.hints < HINTS and not record.solved:
            raise InputError(Problem(said.text))
        why = found.spec.texts.text("why").strip()
        return SolutionText(solution_of(found.spec.source), why, kept.text())

    # --- what happened ---------------------------------------------------------------------

    def _frames(self, command: CaseFrames) -> FramesData:
        key = command.name, command.case
        if key not in self._played:
            hint = Message("session.exercise.not-checked.hint")
            raise InputError(Problem(Message("session.exercise.not-checked"), hint=hint))
        if key not in self._documents:
            self._documents[key] = Document(RunIndex(self._played[key], self._words))
        document = self._documents[key]
        if command.question:
            return FramesData(frame_answer(document, command.question))
        start = document.start if command.step is None else command.step
        seen = document.seen("lab", max(0, min(start, len(document.trace) - 1)))
        return FramesData(seen.as_data((seen.chunk_of(seen.start),)))


def _text_in(file: Path) -> str:
    """Return the text of a file, ``""`` if there is none."""
    return file.read_text("utf-8-sig", "replace") if file.is_file() else ""


def _cases(found: Exercise, feedback: Feedback) -> Iterator[CheckedCase]:
    cases: dict[str, list[Verdict]] = {}
    for each in feedback.verdicts:
        cases.setdefault(each.case, []).append(each)
    for case, verdicts in cases.items():
        title = found.spec.texts.text(f"case.{case}") if case else ""
        checks = tuple(
            CheckedRule(
                each.wanted,
                "ok" if each.passed else "bad" if each.failed else "quiet",
                tuple(feedback.explanation_of(each)),
                each.step,
            )
            for each in verdicts
        )
        yield CheckedCase(case, title, checks)
