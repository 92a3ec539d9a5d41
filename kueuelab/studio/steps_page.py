"""The page that steps through a run: where findings and histories lead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.studio.controls import offer, selection
from kueuelab.widgets.board import Board
from kueuelab.widgets.forms import markup
from kueuelab.widgets.lab_view import Lab

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio
    from kueuelab.trace.trace import Trace

__all__ = ["StepsPage"]


class StepsPage:
    """The lab view of a run.

    Attributes
    ----------
    branch
        The choice of the run.
    board
        The place in the run that is shown; ``None`` without one.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self.board: Board | None = None
        self.branch = selection(studio.words, "studio.branch")
        self._place = ipywidgets.VBox()
        self.widget = ipywidgets.VBox([self.branch, self._place])
        self.branch.observe(lambda _: self._clear(), names="value")

    def show_branches(self, names: Sequence[Any]) -> None:
        """Offer branches to choose from."""
        offer(self.branch, names)

    def show(
        self, trace: Trace, step: int | None = None, selected: tuple[str, str] = ("", "")
    ) -> None:
        """Show a run at a step, with an object selected."""
        words = self._studio.words
        if not len(trace):
            self._place.children = [ipywidgets.HTML(markup("p", words.text("studio.steps.none")))]
            return
        self.board = Board(trace, step, words)
        if selected[1]:
            self.board.select(*selected)
        self._place.children = [Lab(self.board).widget]

    def refresh(self) -> None:
        """Show the chosen run, unless one is shown."""
        if self.board is None and self.branch.value is not None:
            self.show(self._studio.session[self.branch.value].run.trace)

    def _clear(self) -> None:
        self.board, self._place.children = None, ()
        if self._studio.page == "steps":
            self.refresh()
