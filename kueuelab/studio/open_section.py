"""Open something of one's own: a path, a file of the browser's machine, a cluster."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.studio.controls import button, selection, text_box
from kueuelab.studio.file_drop import FileDrop

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["OpenSection"]


class OpenSection:
    """Open a file or the state of a cluster.

    Attributes
    ----------
    path
        The path of a file or folder.
    context
        The context of the kubeconfig.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.path = text_box(words, "studio.open.path", "studio.open.path.example", "32em")
        go = button(words, "studio.open.go", "studio.open.go.hover", self._go, main=True)
        self.drop = FileDrop(words.text("studio.open.upload"), self._uploaded)
        self.context = selection(words, "studio.open.context")
        self.context.options = _contexts()
        read = button(words, "studio.open.read", "studio.open.read.hover", self._read)
        read.disabled = not self.context.options
        rows = [ipywidgets.HBox([self.path, go]), ipywidgets.HBox([self.context, read])]
        for row in rows:
            row.add_class("kl-buttons")
        self.widget = ipywidgets.VBox([rows[0], self.drop, rows[1]])

    def _go(self) -> None:
        source = self.path.value.strip()
        self._studio.attempt(partial(self._studio.open, source), Message("studio.running"))

    def _read(self) -> None:
        context = self.context.value
        reading = Message("studio.open.reading", context=context)
        self._studio.attempt(partial(self._studio.connect, context), reading)

    def _uploaded(self, name: str, content: bytes) -> None:
        studio = self._studio
        studio.attempt(partial(studio.upload, name, content), Message("studio.running"))


def _contexts() -> tuple[str, ...]:
    """Return the contexts of the kubeconfig; none where it can't be read."""
    try:
        from kueuelab.live.kubeconfig import contexts

        return contexts()
    except (KueueLabError, ImportError):
        return ()
