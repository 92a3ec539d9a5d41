"""The page that compares two branches, names them, and exports what differs as a patch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.messages import Message
from kueuelab.session.figures import figures_table
from kueuelab.studio.controls import button, offer, selection, text_box
from kueuelab.trace.html import paragraphs
from kueuelab.views.frame.comparison import ComparisonDocument
from kueuelab.widgets.forms import html, markup
from kueuelab.widgets.still_view import StillView

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["ComparePage"]


class ComparePage:
    """Two branches side by side.

    Attributes
    ----------
    before, after
        The choice of the two.
    path
        The file that the patch is saved to.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self._tree = html()
        self.before = selection(words, "studio.compare.before")
        self.after = selection(words, "studio.compare.after")
        self.name = text_box(words, "studio.compare.name", "studio.compare.name.example", "24em")
        self.path = text_box(words, "studio.compare.path", "studio.compare.path.example", "24em")
        self._patch = html("kl-studio-patch")
        self._result = ipywidgets.VBox()
        rows = (
            [
                self.before,
                self.after,
                button(
                    words, "studio.compare.go", "studio.compare.go.hover", self._compare, main=True
                ),
            ],
            [
                button(words, "studio.compare.keep", "studio.compare.keep.hover", self._keep),
                button(words, "studio.compare.revert", "studio.compare.revert.hover", self._revert),
                self.name,
                button(words, "studio.compare.rename", "studio.compare.rename.hover", self._rename),
            ],
            [
                self.path,
                button(words, "studio.compare.save", "studio.compare.save.hover", self._save),
            ],
        )
        boxes = [ipywidgets.HBox(row) for row in rows]
        for box in boxes:
            box.add_class("kl-buttons")
        choice, naming, saving = boxes
        title = ipywidgets.HTML(markup("h4", words.text("studio.compare.patch")))
        self._exported = ipywidgets.VBox([title, self._patch, saving])
        self._exported.layout.display = "none"
        parts = [self._tree, choice, naming, self._result, self._exported]
        self.widget = ipywidgets.VBox(parts)
        for control in (self.before, self.after):
            control.observe(lambda _: self._clear(), names="value")

    def show_branches(self, names: Sequence[Any]) -> None:
        """Offer branches to choose from."""
        self._tree.value = paragraphs(self._studio.as_text())
        offer(self.before, names)
        offer(self.after, names, -1)

    def show(self, before: str, after: str) -> None:
        """Compare two branches."""
        self.before.value, self.after.value = before, after
        self._compared()

    def _clear(self) -> None:
        self._result.children = ()
        self._exported.layout.display = "none"

    def _compare(self) -> None:
        self._studio.attempt(self._compared, Message("studio.running"))

    def _compared(self) -> None:
        session, words = self._studio.session, self._studio.words
        before, after = self.before.value, self.after.value
        if before is None or after is None:
            return
        one, other = session[before].run, session[after].run
        diff = other.diff(one, words)
        both = ComparisonDocument(diff, one.trace, other.trace, words)
        figures = ipywidgets.HTML(figures_table(one.trace, other.trace, words))
        self._result.children = [figures, StillView(both.as_data(), both.answer, at_once=True)]
        self._patch.value = paragraphs(session.patch(before, after).as_text(words))
        self._exported.layout.display = ""

    def _rename(self) -> None:
        self._with_after(lambda name: self._studio.rename(name, self.name.value))

    def _keep(self) -> None:
        self._with_after(self._studio.keep_branch)

    def _revert(self) -> None:
        self._with_after(self._studio.revert)

    def _with_after(self, action: Callable[[str], object]) -> None:
        studio, name = self._studio, self.after.value
        if name is None:
            studio.say(Message("studio.nothing-open"), wrong=True)
            return
        studio.attempt(partial(action, name))

    def _save(self) -> None:
        self._studio.attempt(self._saved)

    def _saved(self) -> None:
        studio = self._studio
        patch = studio.session.patch(self.before.value, self.after.value)
        place = self.path.value.strip() or "patch.yaml"
        patch.save(place, studio.words)
        studio.say(Message("studio.compare.saved", file=place))
