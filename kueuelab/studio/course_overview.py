"""How far the learner is: questions, exercises, the map of them, and which one is next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import ipywidgets

from kueuelab.studio.controls import text_button
from kueuelab.teaching.course import progress
from kueuelab.trace.html import paragraphs
from kueuelab.widgets.forms import html
from kueuelab.workshop.course_map import exercise_map

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["CourseOverview"]


class CourseOverview:
    """What the start page says of the learner, and a button for the exercise to do next."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._progress = html()
        self._next = ipywidgets.VBox()
        self._map = html("kl-studio-map")
        self.widget = ipywidgets.VBox([self._progress, self._next, self._map])

    def show(self) -> None:
        """Show it as it is now."""
        self._studio.attempt(self._show)

    def _show(self) -> None:
        studio, words = self._studio, self._studio.words
        found = exercise_map(words)
        self._progress.value = paragraphs("\n".join(progress().lines()[:2]))
        self._map.value = found.as_svg()
        self._next.children = ()
        if found.next is not None:
            name = found.next.name
            go = partial(studio.attempt, partial(studio.open_exercise, name))
            text = words.text("studio.home.next", name=name)
            choose = text_button(text, go, hover=found.next.title)
            choose.button_style = "primary"
            self._next.children = [choose]
