"""The picture of a draft: its tree of cohorts with quota, as a run of it shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.jobs import jobs_of
from kueuelab.whatif.lab import Lab
from kueuelab.whatif.references import Reference
from kueuelab.widgets.board import Board
from kueuelab.widgets.forms import markup
from kueuelab.widgets.frame_view import FrameView

__all__ = ["DraftPicture"]

#: A larger draft is drawn when it is asked for, not after each edit.
_MOST_JOBS: Final = 200
_MOST_OBJECTS: Final = 300


class DraftPicture:
    """Draws a draft at its start; a node that is selected in it is chosen.

    Attributes
    ----------
    widget
        The widget.
    """

    def __init__(self, words: Catalog, on_choose: Callable[[Reference], object]) -> None:
        self._words = words
        self._on_choose = on_choose
        self._text = ""
        self.widget = ipywidgets.VBox()

    def show(self, draft: Draft, *, asked: bool = False) -> None:
        """Draw a draft that has no problems; of one that has, the last picture stays."""
        if draft.text == self._text or draft.spec is None:
            return
        is_large = len(draft.objects) > _MOST_OBJECTS or len(jobs_of(draft)) > _MOST_JOBS
        if is_large and not asked:
            self._say("studio.build.picture.large")
            return
        self._text = draft.text
        if draft.spec.workers:
            self._say("studio.build.picture.several-clusters")
            return
        try:
            trace = Lab(draft.spec).run(until=0 if is_large else None).trace
        except KueueLabError as error:
            self.widget.children = [ipywidgets.HTML(markup("p", error.render(self._words)))]
            return
        if not draft.of_kind("ClusterQueue") or not len(trace):
            self._say("studio.build.picture.nothing")
            return
        arrivals = trace.of_kind("WorkloadCreated", "CycleStarted")
        start = max(arrivals[0] - 1, 0) if arrivals else len(trace) - 1
        board = Board(trace, start, self._words)
        board.subscribe(lambda _: self._selected(board))
        shown = board.document.seen("cohorts", board.index, None)
        self.widget.children = [FrameView(shown, board)]

    def _say(self, id_: str) -> None:
        self.widget.children = [ipywidgets.HTML(markup("p", self._words.text(id_)))]

    def _selected(self, board: Board) -> None:
        if board.selected is None:
            return
        kind, key = board.selected
        if kind in ("Cohort", "ClusterQueue", "LocalQueue"):
            namespace, _, name = key.rpartition("/")
            self._on_choose(Reference(kind, namespace, name))
