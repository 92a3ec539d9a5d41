"""Take the tour: the notebooks in their order, and which of them are done."""

from __future__ import annotations

from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import ipywidgets

from kueuelab.messages import Message
from kueuelab.studio.controls import button
from kueuelab.widgets.forms import html, markup
from kueuelab.workshop.notebooks import COPIES, copy_notebooks
from kueuelab.workshop.tour import Stop, Tour

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["TourSection"]


class TourSection:
    """The notebooks of the working folder; a button puts them there.

    Attributes
    ----------
    tour
        The notebooks; ``None`` while there are none in the folder.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self.tour: Tour | None = None
        words = studio.words
        self.copy = button(words, "studio.tour.copy", "studio.tour.copy.hover", self._copy)
        self._progress = html()
        self._stops = ipywidgets.VBox()
        self.widget = ipywidgets.VBox([self.copy, self._progress, self._stops])

    def show(self) -> None:
        """Show what there is in the folder."""
        folder = _folder(Path.cwd())
        self.tour = None if folder is None else Tour(folder)
        self.copy.layout.display = "" if self.tour is None else "none"
        if self.tour is not None:
            self._stops.children = [self._line(stop) for stop in self.tour.stops]
        self._show_progress()

    def _show_progress(self) -> None:
        words, tour = self._studio.words, self.tour
        if tour is None:
            self._progress.value = markup("p", words.text("studio.tour.none"))
            return
        stops, following = tour.stops, tour.next
        done = sum(stop.done for stop in stops)
        said = [words.text("studio.tour.progress", done=done, count=len(stops))]
        if following is not None:
            said.append(words.text("studio.tour.next", title=following.title))
        self._progress.value = markup("p", " ".join(said))

    def _line(self, stop: Stop) -> Any:
        done = ipywidgets.Checkbox(
            value=stop.done,
            indent=False,
            description=self._studio.words.text("studio.tour.done"),
            tooltip=stop.title,
        )
        done.layout.width = "7em"
        done.observe(lambda change: self._mark(stop.name, change["new"]), names="value")
        return ipywidgets.HBox([done, ipywidgets.HTML(self._link(stop))])

    def _link(self, stop: Stop) -> str:
        shown = f"{stop.name.split('-')[0]} {stop.title}"
        server = self._studio.server
        if server is None:
            return markup("span", f"{shown} ({stop.file.name})")
        path = quote(stop.file.relative_to(Path.cwd()).as_posix())
        return f'<a href="{escape(server)}lab/tree/{path}" target="_blank">{escape(shown)}</a>'

    def _mark(self, name: str, done: bool) -> None:
        self._studio.attempt(partial(self._marked, name, done))

    def _marked(self, name: str, done: bool) -> None:
        if self.tour is not None:
            self.tour.mark(name, done=done)
            self._show_progress()

    def _copy(self) -> None:
        self._studio.attempt(self._copied)

    def _copied(self) -> None:
        folder = copy_notebooks(Path.cwd())
        self.show()
        self._studio.say(Message("studio.tour.copied", folder=folder.name))


def _folder(working: Path) -> Path | None:
    """Return the folder below this one that has the notebooks."""
    for folder in (working, working / "notebooks", working / COPIES):
        if next(folder.glob("01-*.ipynb"), None) is not None:
            return folder
    return None
