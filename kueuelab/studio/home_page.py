"""The first page: what there is to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.studio.controls import button
from kueuelab.studio.exercise_list import ExerciseList
from kueuelab.studio.gallery import Gallery
from kueuelab.studio.open_section import OpenSection
from kueuelab.studio.tour_section import TourSection
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["SECTIONS", "HomePage"]

#: What there is to do, in this order.
SECTIONS: Final = ("tour", "exercises", "open", "scenarios", "nothing")


class HomePage:
    """Take the tour, do an exercise, open a file, start from a scenario or from nothing.

    Attributes
    ----------
    door
        The choice of what to do.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.tour = TourSection(studio)
        self.exercises = ExerciseList(studio)
        self.opening = OpenSection(studio)
        self.gallery = Gallery(studio)
        # Without a page to build on, there is no such door.
        doors = [name for name in SECTIONS if name != "nothing" or studio.can_build]
        self.door = ipywidgets.ToggleButtons(
            options=[(words.text(f"studio.home.{name}"), name) for name in doors],
            tooltips=[words.text(f"studio.home.{name}.hover") for name in doors],
            value=None,
        )
        self.door.style.button_width = "auto"
        self._place = ipywidgets.VBox()
        head = ipywidgets.HTML(
            markup("h3", words.text("studio.home.question"))
            + markup("p", words.text("studio.home.about"))
        )
        self.widget = ipywidgets.VBox([head, self.door, self._place])
        self.door.observe(lambda _: self._show_section(), names="value")

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note of nothing: this page does not depend on what is open."""

    def show(self, section: str) -> None:
        """Show one of the sections."""
        self.door.value = section

    def refresh(self) -> None:
        """Show the progress as it is now."""
        if self.door.value in ("tour", "exercises"):
            self._show_section()

    def _show_section(self) -> None:
        section = self.door.value
        if section == "tour":
            self.tour.show()
            self._place.children = [self.tour.widget]
        elif section == "exercises":
            self.exercises.show()
            self._place.children = [self.exercises.widget]
        elif section == "open":
            self._place.children = [self.opening.widget]
        elif section == "scenarios":
            self._place.children = [self.gallery.widget]
            self.gallery.show()
        elif section == "nothing":
            words, build = self._studio.words, partial(self._studio.build, "")
            go = button(words, "studio.home.build", "studio.home.build.hover", build, main=True)
            self._place.children = [go]
