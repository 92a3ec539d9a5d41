"""The page that changes an object of a branch: the what-if editor, and a fork to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.studio.controls import button, offer, selection, text_box
from kueuelab.widgets.what_if import WhatIf

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["ChangePage"]


class ChangePage:
    """Edit an object, run the fork, and keep it under a name.

    Attributes
    ----------
    editor
        The editor of the chosen branch; it is made when it is asked for.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.editor: WhatIf | None = None
        self.branch = selection(words, "studio.branch")
        self.name = text_box(words, "studio.change.name", "studio.change.name.example", "24em")
        self.edit = button(
            words, "studio.change.edit", "studio.change.edit.hover", self._edit, main=True
        )
        self.keep = button(words, "studio.change.keep", "studio.change.keep.hover", self._keep)
        row = ipywidgets.HBox([self.branch, self.edit, self.name, self.keep])
        row.add_class("kl-buttons")
        self._place = ipywidgets.VBox()
        self.widget = ipywidgets.VBox([row, self._place])
        self.branch.observe(lambda _: self._clear(), names="value")

    def show_branches(self, names: Sequence[Any]) -> None:
        """Offer branches to choose from."""
        offer(self.branch, names)

    def _clear(self) -> None:
        self.editor, self._place.children = None, ()

    def _edit(self) -> None:
        if self.branch.value is None:
            self._studio.say(Message("studio.nothing-open"), wrong=True)
            return
        run = self._studio.session[self.branch.value].run
        self.editor = WhatIf(run, language=self._studio.words)
        self._place.children = [self.editor.widget]

    def _keep(self) -> None:
        self._studio.attempt(self._kept)

    def _kept(self) -> None:
        editor, branch = self.editor, self.branch.value
        if editor is None or editor.fork is None or editor.after is None:
            raise KueueLabError(Message("studio.change.no-fork"))
        name = self.name.value.strip() or f"{branch}: {editor.object.value}"
        self._studio.keep(branch, name, editor.fork, editor.after)
