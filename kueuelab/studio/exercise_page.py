"""The page of an exercise: its goal, the answer, checks, hints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.errors import InputError
from kueuelab.messages import Message
from kueuelab.studio.controls import button
from kueuelab.trace.html import paragraphs
from kueuelab.widgets.editor import Editor
from kueuelab.widgets.forms import html, markup
from kueuelab.workshop import library
from kueuelab.workshop.script_answer import ScriptAnswer

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio
    from kueuelab.workshop.exercise import Exercise
    from kueuelab.workshop.feedback import Feedback

__all__ = ["ExercisePage"]


class ExercisePage:
    """Work on an exercise; the answer is kept in a folder with its name.

    Attributes
    ----------
    exercise
        The exercise; ``None`` until one is opened.
    script
        The answer that is Python; ``None`` where manifests are asked for.
    editor
        The answer.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.exercise: Exercise | None = None
        self.script: ScriptAnswer | None = None
        self.editor = Editor(label=words.text("studio.exercise.answer"))
        self._goal = html("kl-studio-why")
        self._goal.value = markup("p", words.text("studio.exercise.none"))
        self._result = html("kl-studio-why")
        self._steps = ipywidgets.VBox()
        self._hint = html("kl-studio-why")
        self._buttons = ipywidgets.HBox(
            [
                button(
                    words,
                    "studio.exercise.check",
                    "studio.exercise.check.hover",
                    self._check,
                    main=True,
                ),
                button(words, "studio.exercise.hint", "studio.exercise.hint.hover", self._help),
                button(words, "studio.exercise.reset", "studio.exercise.reset.hover", self._reset),
            ]
        )
        self._buttons.add_class("kl-buttons")
        work = [self.editor, self._buttons, self._result, self._steps, self._hint]
        self._work = ipywidgets.VBox(work)
        self._work.layout.display = "none"
        self.widget = ipywidgets.VBox([self._goal, self._work])

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note of nothing: an exercise has runs of its own."""

    def show(self, name: str) -> None:
        """Open an exercise."""
        words = self._studio.words
        found = library.exercise(name, Path.cwd() / name, language=words)
        self.exercise = found
        self._goal.value = paragraphs(found.as_text())
        self._clear()
        self._work.layout.display = ""
        self.script = ScriptAnswer(found) if found.spec.answer == "dispatcher" else None
        with self.editor.hold_sync():
            if self.script is not None:
                self.editor.label = words.text("studio.exercise.script")
                self.editor.value = self.script.text
            else:
                self.editor.label = words.text("studio.exercise.answer")
                file = found.file
                self.editor.value = file.read_text("utf-8") if file.exists() else found.manifests
        self.editor.judge((), self._note, self._start)

    @property
    def _start(self) -> str:
        """The text that the exercise starts with."""
        assert self.exercise is not None
        spec = self.exercise.spec
        return spec.start if self.script is None else spec.first_script

    @property
    def _note(self) -> str:
        """What is said about an answer that can be checked."""
        return "" if self.script is None else self._studio.words.text("studio.exercise.script.hint")

    def _clear(self) -> None:
        self._result.value = self._hint.value = ""
        self._steps.children = ()

    def _check(self) -> None:
        self._studio.attempt(self._checked, Message("studio.exercise.checking"))

    def _checked(self) -> None:
        exercise = self.exercise
        if exercise is None:
            return
        self._clear()
        try:
            feedback = self._feedback(exercise)
        except InputError as error:
            self.editor.problems = [
                [problem.location.line if problem.location else 0, str(problem)]
                for problem in error.problems
            ]
            raise
        self.editor.judge((), self._note, self._start)
        self._show(feedback)

    def _feedback(self, exercise: Exercise) -> Feedback:
        """Check the answer; one that is code runs in a process of its own, with limits."""
        if self.script is None:
            exercise.answer(self.editor.value)
            return exercise.check()
        return self.script.check(self.editor.value)

    def _show(self, feedback: Feedback) -> None:
        words = self._studio.words
        kept = self.script and self.script.kept
        said = words.text("workshop.answer.kept", file=kept) if kept else ""
        self._result.value = paragraphs(f"{said}\n{feedback.as_text()}".strip())
        self._steps.children = [
            self._show_me(words.text("studio.exercise.show", wanted=each.wanted), each)
            for each in feedback.failed
            if each.step is not None
        ]

    def _show_me(self, text: str, verdict: Any) -> Any:
        found = ipywidgets.Button(description=text, tooltip=text)
        found.layout.width = "auto"
        show = partial(self._studio.show_step, verdict.played.trace, verdict.step)
        found.on_click(lambda _: show())
        return found

    def _help(self) -> None:
        if self.exercise is not None:
            self._hint.value += paragraphs(self.exercise.hint().text)

    def _reset(self) -> None:
        self._studio.attempt(self._begin_again)

    def _begin_again(self) -> None:
        if self.exercise is not None:
            said = self.exercise.reset().text
            self.show(self.exercise.spec.name)
            self._studio.say(said)
