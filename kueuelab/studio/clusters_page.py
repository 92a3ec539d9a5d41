"""The page of several clusters: the MultiKueue board with its faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets

from kueuelab.studio.controls import offer, selection
from kueuelab.widgets.forms import html, markup
from kueuelab.widgets.multikueue_view import MultiKueueBoard

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["ClustersPage"]


class ClustersPage:
    """The board of a run of several clusters; each keeps its board, with its faults and forks.

    Attributes
    ----------
    run
        The choice of the run.
    boards
        The boards that were shown, by the name of the run.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.boards: dict[str, MultiKueueBoard] = {}
        self.run = selection(words, "studio.branch")
        self._none = html()
        self._none.value = markup("p", words.text("studio.clusters.none"))
        self._place = ipywidgets.VBox()
        self.widget = ipywidgets.VBox([self._none, self.run, self._place])
        self.run.layout.display = "none"
        self.run.observe(lambda _: self._show(), names="value")

    def show_branches(self, names: Sequence[Any]) -> None:
        """Offer the runs of several clusters."""
        found = [each.name for each in self._studio.session.cluster_sets]
        self._none.layout.display = "none" if found else ""
        self.run.layout.display = "" if found else "none"
        offer(self.run, found)

    def show(self, name: str) -> None:
        """Show a run."""
        self.run.value = name

    def _show(self) -> None:
        name = self.run.value
        if name is None:
            return
        if name not in self.boards:
            found = self._studio.session.cluster_set(name)
            self.boards[name] = MultiKueueBoard(found.run, language=self._studio.words)
        self._place.children = [self.boards[name].widget]
