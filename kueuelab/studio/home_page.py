"""The first page: what this is, what there is to do, and how far the learner is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.studio.controls import button
from kueuelab.studio.course_overview import CourseOverview
from kueuelab.studio.exercise_list import ExerciseList
from kueuelab.studio.gallery import Gallery
from kueuelab.studio.open_section import OpenSection
from kueuelab.studio.tour_section import TourSection
from kueuelab.widgets.forms import markup
from kueuelab.workshop.start_page import StartPage

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["SECTIONS", "HomePage"]

#: What there is to do, in this order: the doors of the start page, and what only the studio has.
SECTIONS: Final = (
    "overview",
    "tour",
    "exercises",
    "open",
    "workshop",
    "scenarios",
    "nothing",
)
#: What a door of the start page is called here.
_DOORS: Final = {"cluster": "open"}


class HomePage:
    """The start page: its sentences, picture and doors, with scenarios and building beside them.

    Attributes
    ----------
    door
        The choice of what to do.
    overview
        The learner's progress, and the map of the exercises.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        start = StartPage(words)
        self.overview = CourseOverview(studio)
        self.tour = TourSection(studio)
        self.exercises = ExerciseList(studio)
        self.opening = OpenSection(studio)
        self.gallery = Gallery(studio)
        texts = {_DOORS.get(door.name, door.name): (door.title, door.about) for door in start.doors}
        for name in ("overview", "scenarios", "nothing"):
            id_ = f"studio.home.{name}"
            texts[name] = (words.text(id_), words.text(f"{id_}.hover"))
        # Without a page to build on, there is no such door.
        doors = [name for name in SECTIONS if name != "nothing" or studio.can_build]
        self.door = ipywidgets.ToggleButtons(
            options=[(texts[name][0], name) for name in doors],
            tooltips=[texts[name][1] for name in doors],
            value=None,
        )
        self.door.style.button_width = "auto"
        self._about = {name: markup("p", text) for name, (_, text) in texts.items()}
        self._place = ipywidgets.VBox()
        head = ipywidgets.HTML(markup("p", start.about) + start.picture())
        head.add_class("kl-studio-start")
        self.widget = ipywidgets.VBox([head, self.door, self._place])
        self.door.observe(lambda _: self._show_section(), names="value")
        self.door.value = "overview"

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note of nothing: this page does not depend on what is open."""

    def show(self, section: str) -> None:
        """Show one of the sections."""
        self.door.value = section

    def refresh(self) -> None:
        """Show the progress as it is now."""
        if self.door.value in ("overview", "tour", "exercises"):
            self._show_section()

    def _show_section(self) -> None:
        section = self.door.value
        self._place.children = [
            ipywidgets.HTML(self._about[section]),
            *self._parts(section),
        ]

    def _parts(self, section: str) -> Sequence[Any]:
        """Return what a section shows, as it is now."""
        words, studio = self._studio.words, self._studio
        match section:
            case "tour":
                self.tour.show()
                return [self.tour.widget]
            case "exercises":
                self.exercises.show()
                return [self.exercises.widget]
            case "open":
                return [self.opening.widget]
            case "scenarios":
                self.gallery.show()
                return [self.gallery.widget]
            case "workshop":
                text = words.text("studio.home.workshop.instructor")
                return [ipywidgets.HTML(markup("p", text.replace("`", "")))]
            case "nothing":
                build = partial(studio.build, "")
                id_ = "studio.home.build"
                return [button(words, id_, f"{id_}.hover", build, main=True)]
        self.overview.show()
        return [self.overview.widget]
