"""The cohort graph: the tree, bars of quota, chips of workloads, arrows of borrowing."""

from __future__ import annotations

from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog, Message
from kueuelab.views import CohortPicture, cohort_picture
from kueuelab.views.joined import joined
from kueuelab.views.tree import Node
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.cohort_traces import (
    ARROWS,
    CHIPS,
    EDGES,
    FREE,
    NODES,
    NOMINAL,
    STRIPS,
    TEXTS,
    TICKS,
    arrow_lines,
    chip_marks,
    empty_figure,
    fillings,
    free_quota,
    legend,
    nominal,
    short,
    strips,
    texts,
    ticks,
)
from kueuelab.widgets.collapsible import Collapsible
from kueuelab.widgets.figures import Redrawing, as_text
from kueuelab.widgets.frontend import ChoiceTable, View, html
from kueuelab.widgets.layout import Layout
from kueuelab.widgets.style import FRAME, SELECTED
from kueuelab.widgets.window import Window

__all__ = ["CohortGraph"]

#: Pixels: a step to the right in the tree, and a letter of a name.
_STEP: Final = 18
_LETTER: Final = 7
#: Where the picture ends; the widest bar ends at 1.
_RIGHT: Final = 1.22
#: Pixels: how much of a high picture is seen at once, and how wide it is before that is known.
_HEIGHT: Final = 460
_WIDTH: Final = 560
#: How much is drawn above and below what is seen, in parts of that: the less, the sooner a step
#: is shown; who scrolls goes on scrolling.
_STEPPING: Final = 1 / 16
_SCROLLING: Final = 1 / 4
_BADGES: Final = {"Cohort": "diamond", "ClusterQueue": "square", "LocalQueue": "circle"}


class CohortGraph(View):
    """Cohorts, ClusterQueues and LocalQueues as a tree with their quota and workloads.

    Bars show the nominal quota of each flavor and resource (outlined), what is borrowed and
    lent (hatched strips), and limits (ticks); chips are workloads, as wide as their request
    and darker with higher priority; neighbours that look the same, and are too narrow for a
    letter, are one chip that counts them (×15). A click selects in all views of the run; on
    such a chip, the queue. Of a high picture only the part is drawn that can be seen.

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

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)
        self._layout: Layout | None = None
        self._picture: CohortPicture | None = None
        self._lines = range(0)
        self._ahead = _STEPPING
        self._sizes_shown: dict[str, Any] = {}
        self._quiet = False
        self.figure = empty_figure()
        self._redrawing = Redrawing(self.figure)
        self.figure.data[CHIPS].on_click(self._chip_clicked)
        self.figure.data[NODES].on_click(self._node_clicked)
        self.figure.data[FREE].on_click(self._chip_clicked)
        self.window = Window(width=_WIDTH, height=_HEIGHT)
        self.window.observe(lambda _: self._show(), names="width")
        self.window.observe(lambda _: self._scrolled(), names="height")
        self.window.observe(lambda _: self._scrolled(), names="top")
        frame = ipywidgets.Box([self.figure])
        frame.add_class("kl-scroll")
        frame.layout.max_height = f"{_HEIGHT}px"
        self._legend = html("kl-legend")
        self._legend.value = legend(self.board.words)
        self._table = ChoiceTable(
            language=self.board.words,
            caption=Message("widgets.quota.title"),
            columns=["name", "quota", "nominal", "used", "borrowed", "lent", "limits", "workloads"],
            link=0,
        )
        self._table.on_msg(self._row_chosen)
        self._collapsible = Collapsible(
            self.board.words.text("widgets.as-table"), self._table, self._fill
        )
        self.widget = ipywidgets.VBox([frame, self._legend, self._collapsible.widget, self.window])
        self.widget.add_class("kl-graph")
        self.board.subscribe(self._changed)
        self.refresh()

    def as_text(self) -> str:
        """Return the tree as an indented list."""
        return cohort_picture(self.board.run_index, self.board.index).as_text()

    @property
    def picture(self) -> CohortPicture:
        """What is shown, as data: the part of it that can be seen."""
        if self._picture is None:
            board, top, height = self.board, self.window.top, self.window.height
            ahead = height * self._ahead
            self._lines = self.layout.lines(top - ahead, top + height + ahead)
            self._picture = cohort_picture(board.run_index, board.index, self._lines)
        return self._picture

    @property
    def layout(self) -> Layout:
        """Where the lines of the picture are, also of the part that can't be seen."""
        tree = self.board.run_index.tree(self.board.index)
        if self._layout is None or self._layout.tree is not tree:
            self._layout = Layout(tree)
        return self._layout

    # --- clicks ------------------------------------------------------------------------

    def _chip_clicked(self, trace: Any, points: Any, _: Any) -> None:
        for index in points.point_inds:
            self.board.select(*trace.customdata[index])
            return

    def _node_clicked(self, _: Any, points: Any, __: Any) -> None:
        for index in points.point_inds:
            node = self._nodes_seen()[index]
            self.board.select(node.kind, node.name)
            return

    def _row_chosen(self, _: Any, content: Any, __: Any) -> None:
        if content.get("type") == "select":
            kind, _, name = content["key"].partition(" ")
            self.board.select(kind, name)

    # --- drawing -----------------------------------------------------------------------

    def _changed(self, moved: bool) -> None:
        if not moved:
            self._show()
        elif self.visible:
            self.refresh()

    def refresh(self) -> None:
        """Show the step, and scroll to what it is about."""
        self._picture = None
        self._ahead = _STEPPING
        self._reveal()
        self._show()

    def _scrolled(self) -> None:
        if not self._quiet:
            self._picture = None
            self._ahead = _SCROLLING
            self._show()

    def _fill(self) -> None:
        """Fill the table: all of the tree, not just what can be seen."""
        rows = cohort_picture(self.board.run_index, self.board.index).rows()
        chosen = self.board.selected
        with self._table.hold_sync():
            self._table.rows = [{"key": row.key, "cells": list(row.cells)} for row in rows]
            self._table.selected = " ".join(chosen) if chosen else ""

    def _reveal(self) -> None:
        """Scroll to the queue that the step is about, if it can't be seen."""
        queue = self.board.cursor.step.cluster_queue
        layout = self.layout
        found = [
            lane.line
            for node in layout.tree.nodes
            if queue
            and (node.key == ("ClusterQueue", queue) or node.parent == ("ClusterQueue", queue))
            for lane in node.lanes
        ]
        if not found or layout.height <= self.window.height:
            return
        first = max(0, round(-layout.bar(found[0])) - 24)
        last = min(round(-layout.bar(found[-1])) + 20, layout.height)
        top, height = self.window.top, self.window.height
        if first < top or last > top + height:
            self._quiet = True
            self.window.top = max(0, min((first + last - height) // 2, layout.height - height))
            self._quiet = False
            self.window.reveal = [first, last, self.board.index]

    def _show(self) -> None:
        picture, layout, selected = self.picture, self.layout, self.board.selected
        bars, letters = picture.bars, self._letters(layout)
        chosen = selected[1] if selected and selected[0] == "Workload" else ""
        # Where not even one letter has room, nobody would hit it with the pointer either.
        chips = [*joined(picture.chips, 1 / letters, chosen), *fillings(bars)]
        arrows = picture.arrows
        changes: dict[int, dict[str, Any]] = {
            EDGES: self._edges(layout),
            NODES: self._nodes(picture, layout, selected),
            NOMINAL: nominal(bars, layout),
            FREE: free_quota(bars, chips, layout),
            STRIPS: strips(bars, layout),
            CHIPS: chip_marks(chips, layout, chosen),
            TICKS: ticks(bars, arrows, layout),
            ARROWS: arrow_lines(arrows, bars, layout),
            TEXTS: texts(chips, bars, arrows, layout, chosen, letters),
        }
        sizes = self._sizes(layout)
        self._redrawing.show(changes, sizes if sizes != self._sizes_shown else None)
        self._sizes_shown = sizes
        self._collapsible.refresh()

    def _indent(self, layout: Layout) -> tuple[float, float]:
        """Return where the tree begins, left of the bars, and how wide a step in it is.

        The longest name has its room.
        """
        width = self.window.width
        nodes = layout.tree.nodes
        room = 12 + max(
            (_STEP * (node.depth + 1) + _LETTER * len(short(node.name)) for node in nodes),
            default=0,
        )
        left = -min(_RIGHT * room / max(width - room, 120), 1.5)
        return left, (_RIGHT - left) * _STEP / width

    def _letters(self, layout: Layout) -> float:
        """Return how many letters fit into the width of the bars."""
        return self.window.width / (_RIGHT - self._indent(layout)[0]) / _LETTER

    def _sizes(self, layout: Layout) -> dict[str, Any]:
        return {
            "height": layout.height,
            "xaxis.range": [self._indent(layout)[0] - 0.02, _RIGHT],
            "yaxis.range": [-layout.height, 0],
        }

    def _nodes_seen(self) -> list[Node]:
        """Return the nodes that are drawn."""
        nodes = self.picture.tree.nodes
        return [node for node in nodes if node.lanes[0].line in self._lines]

    def _edges(self, layout: Layout) -> dict[str, Any]:
        if not self._lines:
            return {"x": [], "y": []}
        left, step = self._indent(layout)
        strokes = list(layout.strokes(layout.bar(self._lines[0]), layout.bar(self._lines[-1])))
        return {
            "x": [None if at is None else left + step * at[0] for at in strokes],
            "y": [None if at is None else at[1] for at in strokes],
        }

    def _nodes(
        self, picture: CohortPicture, layout: Layout, selected: tuple[str, str] | None
    ) -> dict[str, Any]:
        nodes = self._nodes_seen()
        left, step = self._indent(layout)
        places = [layout.place(node) for node in nodes]
        chosen = [node.key == selected for node in nodes]
        return {
            "x": [left + step * depth for depth, _ in places],
            "y": [y for _, y in places],
            "text": [
                f"  {'◆ ' * here}{as_text(short(node.name))}"
                f"{' (inactive)' if node.name in picture.inactive else ''}"
                for node, here in zip(nodes, chosen, strict=True)
            ],
            "hovertext": [f"{node.kind} {as_text(node.name)}" for node in nodes],
            "marker.symbol": [_BADGES[node.kind] for node in nodes],
            "marker.color": [SELECTED if here else FRAME for here in chosen],
            "marker.size": [13 if here else 9 for here in chosen],
        }
