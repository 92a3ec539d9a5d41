"""The cohort graph: the tree, bars of quota, chips of workloads, arrows of borrowing."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import ipywidgets

from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.cohort_traces import (
    ARROWS,
    CAPTIONS,
    CHIPS,
    EDGES,
    LABELS,
    LIMITS,
    NODES,
    NOMINAL,
    STRIPS,
    arrow_lines,
    captions,
    chip_marks,
    empty_figure,
    fillings,
    legend,
    limits,
    nominal,
    short,
    strips,
)
from kueuelab.widgets.figures import Redrawing
from kueuelab.widgets.frontend import View, html
from kueuelab.widgets.style import FRAME, SELECTED
from kueuelab.widgets.viewmodel import CohortPicture, cohort_picture
from kueuelab.widgets.viewmodel.tree import Tree

__all__ = ["CohortGraph"]

#: Up to so many lines, each has room for its numbers above its bar.
_ROOMY: Final = 24
_ROOMY_LINE: Final = 44
_CLOSE_LINE: Final = 28
#: Pixels: a step to the right in the tree, and a letter of a name.
_STEP: Final = 18
_LETTER: Final = 7
#: Where the picture ends; the widest bar ends at 1.
_RIGHT: Final = 1.22
_BADGES: Final = {"Cohort": "diamond", "ClusterQueue": "square", "LocalQueue": "circle"}


class CohortGraph(View):
    """Cohorts, ClusterQueues and LocalQueues as a tree with their quota and workloads.

    Bars show the nominal quota of each flavor and resource (outlined), what is borrowed and
    lent (hatched strips), and limits (ticks); chips are workloads, as wide as their request
    and darker with higher priority. A click selects in all views of the run.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> graph = CohortGraph(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(graph.as_text().splitlines()[1])
      [....................] default/cpu, 0 of 700m used
    """

    def __init__(self, run: Watched) -> None:
        self.board = board_of(run)
        self._tree: Tree | None = None
        self._width = 0
        self._picture = cohort_picture(self.board.background, self.board.index)
        self.figure = empty_figure()
        self._redrawing = Redrawing(self.figure)
        self.figure.data[CHIPS].on_click(self._chip_clicked)
        self.figure.data[NODES].on_click(self._node_clicked)
        self.figure.data[NOMINAL].on_click(self._bar_clicked)
        self._frame = ipywidgets.Box([self.figure])
        self._frame.layout.max_height = "560px"
        self._frame.layout.overflow_y = "auto"
        self._frame.layout.display = "block"
        self._legend = html("kl-legend")
        self._legend.value = legend()
        self._text = html("kl-text")
        self._details = ipywidgets.Accordion(children=[self._text], titles=("The same as text",))
        self._details.observe(lambda _: self._show_text(), names="selected_index")
        self.widget = ipywidgets.VBox([self._frame, self._legend, self._details])
        self.widget.add_class("kl-graph")
        self.board.subscribe(self._changed)
        self._show()

    def as_text(self) -> str:
        """Return the tree as an indented list."""
        return self._picture.as_text()

    @property
    def picture(self) -> CohortPicture:
        """What is shown, as data."""
        return self._picture

    # --- clicks ------------------------------------------------------------------------

    def _chip_clicked(self, trace: Any, points: Any, _: Any) -> None:
        for index in points.point_inds:
            key = trace.customdata[index]
            if key:
                self.board.select("Workload", str(key))
            return

    def _node_clicked(self, trace: Any, points: Any, _: Any) -> None:
        for index in points.point_inds:
            node = self._picture.tree.nodes[index]
            self.board.select(node.kind, node.name)
            return

    def _bar_clicked(self, trace: Any, points: Any, _: Any) -> None:
        for index in points.point_inds:
            self.board.select(*self._picture.bars[index].node)
            return

    # --- drawing -----------------------------------------------------------------------

    def _changed(self, moved: bool) -> None:
        if moved:
            self._picture = cohort_picture(self.board.background, self.board.index)
        self._show()

    def _show(self) -> None:
        picture, selected = self._picture, self.board.selected
        layout: dict[str, Any] = {}
        changes: dict[int, dict[str, Any]] = {}
        if picture.tree is not self._tree or self._width != self.board.width:
            self._tree, self._width = picture.tree, self.board.width
            changes[EDGES], layout = self._edges(picture.tree), self._sizes(picture.tree)
        changes[NODES] = self._nodes(picture, selected)
        changes[NOMINAL] = nominal(picture.bars)
        changes[STRIPS] = strips(picture.bars)
        chips = [*picture.chips, *fillings(picture.bars)]
        changes[CHIPS] = chip_marks(chips, selected, self._letters())
        frame, chip = (0.46, 0.37) if self._roomy else (0.6, 0.52)
        changes[NOMINAL]["width"], changes[CHIPS]["width"] = frame, chip
        changes[STRIPS]["width"] = 0.12
        changes[LIMITS] = limits(picture.bars)
        changes[CAPTIONS] = captions(picture.bars if self._roomy else ())
        changes[ARROWS], changes[LABELS] = arrow_lines(picture.arrows)
        self._redrawing.show(changes, layout)
        self._show_text()

    def _show_text(self) -> None:
        if self._details.selected_index is not None:
            self._text.value = f"<pre>{escape(self.as_text())}</pre>"

    @property
    def _roomy(self) -> bool:
        return self._picture.tree.lines <= _ROOMY

    def _indent(self) -> tuple[float, float]:
        """Return where the tree begins, left of the bars, and how wide a step in it is.

        The longest name has its room.
        """
        tree = self._picture.tree
        names = max((len(short(node.name)) for node in tree.nodes), default=0)
        room = _STEP * tree.depth + _LETTER * names + 12
        left = -min(_RIGHT * room / max(self.board.width - room, 120), 1.5)
        return left, (_RIGHT - left) * _STEP / self.board.width

    def _letters(self) -> float:
        """Return how many letters fit into the width of the bars."""
        return self.board.width / (_RIGHT - self._indent()[0]) / _LETTER

    def _sizes(self, tree: Tree) -> dict[str, Any]:
        return {
            "height": tree.lines * (_ROOMY_LINE if self._roomy else _CLOSE_LINE) + 24,
            "xaxis.range": [self._indent()[0] - 0.02, _RIGHT],
            "yaxis.range": [-(tree.lines - 0.35), 0.75],
        }

    def _edges(self, tree: Tree) -> dict[str, Any]:
        left, step = self._indent()
        places = {node.key: (left + step * node.depth, -node.lanes[0].line) for node in tree.nodes}
        xs: list[float | None] = []
        ys: list[float | None] = []
        for node in tree.nodes:
            if node.parent is not None:
                x, y = places[node.key]
                above_x, above_y = places[node.parent]
                xs += [above_x, above_x, x, None]
                ys += [above_y, y, y, None]
        return {"x": xs, "y": ys}

    def _nodes(self, picture: CohortPicture, selected: tuple[str, str] | None) -> dict[str, Any]:
        nodes = picture.tree.nodes
        left, step = self._indent()
        chosen = [node.key == selected for node in nodes]
        return {
            "x": [left + step * node.depth for node in nodes],
            "y": [-node.lanes[0].line for node in nodes],
            "text": [
                f"  {'◆ ' * here}{short(node.name)}"
                f"{' (inactive)' if node.name in picture.inactive else ''}"
                for node, here in zip(nodes, chosen, strict=True)
            ],
            "hovertext": [f"{node.kind} {node.name}" for node in nodes],
            "marker.symbol": [_BADGES[node.kind] for node in nodes],
            "marker.color": [SELECTED if here else FRAME for here in chosen],
            "marker.size": [13 if here else 9 for here in chosen],
        }
