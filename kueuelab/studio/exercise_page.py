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
    editor
        The answer.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.exercise: Exercise | None = None
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
        # A dispatcher is Python: it is written in the exercise's notebook or script.
        is_code = found.spec.answer == "dispatcher"
        self._work.layout.display = "none" if is_code else ""
        if is_code:
            self._studio.say(Message("studio.exercise.code", name=name))
            return
        file = found.file
        self.editor.value = file.read_text("utf-8") if file.exists() else found.manifests
        self.editor.judge((), "", found.manifests)

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
            exercise.answer(self.editor.value)
        except InputError as error:
            self.editor.problems = [
                [problem.location.line if problem.location else 0, str(problem)]
                for problem in error.problems
            ]
            raise
        self.editor.judge((), "", exercise.manifests)
        self._show(exercise.check())

    def _show(self, feedback: Feedback) -> None:
        words = self._studio.words
        self._result.value = paragraphs(feedback.as_text())
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
