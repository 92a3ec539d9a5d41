"""The page that opens something: a path, a file from the browser, a packaged scenario."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab import scenarios
from kueuelab.messages import Message
from kueuelab.studio.controls import button, text_box
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["OpenPage"]


class OpenPage:
    """Open a file, or one of the scenarios and dumps of the package."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.path = text_box(words, "studio.open.path", "studio.open.path.example", "32em")
        self.upload = ipywidgets.FileUpload(
            accept=".yaml,.yml,.json", description=words.text("studio.open.upload")
        )
        self.upload.layout.width = "auto"
        self.upload.observe(lambda _: self._uploaded(), names="value")
        row = ipywidgets.HBox(
            [
                self.path,
                button(words, "studio.open.go", "studio.open.go.hover", self._go, main=True),
                self.upload,
            ]
        )
        row.add_class("kl-buttons")
        heading = ipywidgets.HTML(markup("h4", words.text("studio.open.gallery")))
        self.gallery = ipywidgets.GridBox()
        self.gallery.layout.grid_template_columns = "max-content 1fr"
        self.gallery.layout.max_height = "420px"
        self.gallery.layout.overflow = "auto"
        self.widget = ipywidgets.VBox([row, heading, self.gallery])

    def show_branches(self, names: Sequence[Any]) -> None:
        """Take note of nothing: this page does not depend on what is open."""

    def show_gallery(self) -> None:
        """Show the gallery; it is made when the page is first shown, because it reads all files."""
        if not self.gallery.children:
            self.gallery.children = self._cards()

    def _cards(self) -> list[Any]:
        """Return a button and a sentence for each scenario and dump of the package."""
        found = []
        words = self._studio.words
        titles = {name: words.text("studio.open.dump") for name in scenarios.dumps()}
        titles |= {name: scenarios.load(name).title for name in scenarios.names()}
        for name, title in titles.items():
            card = ipywidgets.Button(description=name, tooltip=title)
            card.layout.width = "auto"
            card.on_click(lambda _, name=name: self._open(name))
            found += [card, ipywidgets.HTML(markup("span", title))]
        return found

    def _go(self) -> None:
        self._open(self.path.value.strip())

    def _open(self, source: str) -> None:
        studio = self._studio
        studio.attempt(partial(studio.open, source), Message("studio.running"))

    def _uploaded(self) -> None:
        studio = self._studio
        for file in self.upload.value:
            opened = partial(studio.upload, file["name"], bytes(file["content"]))
            studio.attempt(opened, Message("studio.running"))
