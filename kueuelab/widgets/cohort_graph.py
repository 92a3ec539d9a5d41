"""The cohort graph: the tree, bars of quota, chips of workloads, arrows of borrowing."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import ipywidgets
import plotly.graph_objects as go

from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frontend import View, html
from kueuelab.widgets.style import (
    BORROWED,
    FRAME,
    HOLLOW,
    LEGEND,
    LENT,
    OUTLINES,
    PATTERNS,
    SELECTED,
    chip_colours,
)
from kueuelab.widgets.viewmodel import CohortPicture, cohort_picture
from kueuelab.widgets.viewmodel.picture import MARKS, Arrow, Bar, Chip
from kueuelab.widgets.viewmodel.reading import short_name
from kueuelab.widgets.viewmodel.tree import Tree

__all__ = ["CohortGraph"]

_EDGES, _NODES, _NOMINAL, _CHIPS, _STRIPS, _LIMITS, _CAPTIONS, _ARROWS, _HEADS = range(9)

#: Up to so many lines, each has room for its numbers above its bar.
_ROOMY: Final = 24
_INDENT: Final = 0.055
_LONGEST: Final = 26
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
        self._picture = cohort_picture(self.board.background, self.board.index)
        self.figure = _figure()
        for index in (_CHIPS, _HEADS):
            self.figure.data[index].on_click(self._chip_clicked)
        self.figure.data[_NODES].on_click(self._node_clicked)
        self.figure.data[_NOMINAL].on_click(self._bar_clicked)
        self.figure.add_class("kl-figure")
        self._frame = ipywidgets.Box([self.figure])
        self._frame.layout.max_height = "560px"
        self._frame.layout.overflow_y = "auto"
        self._frame.layout.display = "block"
        self._legend = html("kl-legend")
        self._legend.value = _legend()
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
        with self.figure.batch_update():
            if picture.tree is not self._tree:
                self._tree = picture.tree
                self._show_tree(picture.tree)
            self._show_nodes(picture, selected)
            self._show_bars(picture)
            self._show_chips(picture.chips, selected)
            self._show_arrows(picture.arrows)
        self._show_text()

    def _show_text(self) -> None:
        if self._details.selected_index is not None:
            self._text.value = f"<pre>{escape(self.as_text())}</pre>"

    @property
    def _roomy(self) -> bool:
        return self._picture.tree.lines <= _ROOMY

    @property
    def _left(self) -> float:
        """Where the tree begins, left of the bars."""
        tree = self._picture.tree
        longest = max((len(_short(node.name)) for node in tree.nodes), default=0)
        return -(_INDENT * tree.depth + 0.0185 * longest + 0.05)

    def _show_tree(self, tree: Tree) -> None:
        layout = self.figure.layout
        layout.height = tree.lines * (44 if self._roomy else 26) + 24
        layout.xaxis.range = [self._left - 0.02, 1.28]
        layout.yaxis.range = [-(tree.lines - 0.35), 0.75]
        places = {node.key: (self._x(node.depth), -node.lanes[0].line) for node in tree.nodes}
        xs: list[float | None] = []
        ys: list[float | None] = []
        for node in tree.nodes:
            if node.parent is not None:
                x, y = places[node.key]
                above_x, above_y = places[node.parent]
                xs += [above_x, above_x, x, None]
                ys += [above_y, y, y, None]
        edges = self.figure.data[_EDGES]
        edges.x, edges.y = xs, ys

    def _x(self, depth: int) -> float:
        return self._left + _INDENT * depth

    def _show_nodes(self, picture: CohortPicture, selected: tuple[str, str] | None) -> None:
        nodes = self.figure.data[_NODES]
        found = picture.tree.nodes
        nodes.x = [self._x(node.depth) for node in found]
        nodes.y = [-node.lanes[0].line for node in found]
        nodes.text = [
            f"  {_short(node.name)}{' (inactive)' if node.name in picture.inactive else ''}"
            for node in found
        ]
        nodes.hovertext = [f"{node.kind} {node.name}" for node in found]
        nodes.marker.symbol = [_BADGES[node.kind] for node in found]
        nodes.marker.color = [SELECTED if node.key == selected else FRAME for node in found]
        nodes.marker.size = [13 if node.key == selected else 9 for node in found]

    def _show_bars(self, picture: CohortPicture) -> None:
        bars = picture.bars
        nominal = self.figure.data[_NOMINAL]
        nominal.x = [min(bar.at(bar.nominal), 1.2) for bar in bars]
        nominal.y = [-bar.line for bar in bars]
        nominal.hovertext = [_about(bar) for bar in bars]
        strips = [strip for bar in bars for strip in _strips(bar)]
        strip = self.figure.data[_STRIPS]
        strip.base = [start for _, start, _, _, _, _ in strips]
        strip.x = [length for _, _, length, _, _, _ in strips]
        strip.y = [y for y, _, _, _, _, _ in strips]
        strip.marker.color = [colour for _, _, _, colour, _, _ in strips]
        strip.marker.pattern.shape = [shape for _, _, _, _, shape, _ in strips]
        strip.hovertext = [text for _, _, _, _, _, text in strips]
        ticks = [tick for bar in bars for tick in _ticks(bar)]
        limits = self.figure.data[_LIMITS]
        limits.x = [x for x, _, _ in ticks]
        limits.y = [y for _, y, _ in ticks]
        limits.hovertext = [text for _, _, text in ticks]
        captions = self.figure.data[_CAPTIONS]
        shown = bars if self._roomy else ()
        captions.x = [0.0 for _ in shown]
        captions.y = [-bar.line + 0.41 for bar in shown]
        captions.text = [bar.label for bar in shown]

    def _show_chips(self, chips: tuple[Chip, ...], selected: tuple[str, str] | None) -> None:
        chosen = selected[1] if selected and selected[0] == "Workload" else None
        drawn = self.figure.data[_CHIPS]
        colours = [
            (HOLLOW, "#333333") if chip.hollow else chip_colours(chip.shade) for chip in chips
        ]
        outlines = [
            (SELECTED, 4.0) if chip.workload and chip.workload == chosen else OUTLINES[chip.role]
            for chip in chips
        ]
        drawn.base = [chip.start for chip in chips]
        drawn.x = [chip.length for chip in chips]
        drawn.y = [-chip.line - 0.04 for chip in chips]
        drawn.text = [
            MARKS[chip.role] + (short_name(chip.workload) if chip.workload else chip.label)
            for chip in chips
        ]
        drawn.hovertext = [
            f"{escape(chip.label)}<br>{_wrapped(escape(chip.about))}" for chip in chips
        ]
        drawn.customdata = [chip.workload for chip in chips]
        drawn.marker.color = [fill for fill, _ in colours]
        drawn.marker.opacity = [0.75 if chip.waiting else 1.0 for chip in chips]
        drawn.marker.line.color = [colour for colour, _ in outlines]
        drawn.marker.line.width = [width for _, width in outlines]
        drawn.marker.pattern.shape = [PATTERNS.get(chip.role, "") for chip in chips]
        drawn.insidetextfont.color = [text for _, text in colours]

    def _show_arrows(self, arrows: tuple[Arrow, ...]) -> None:
        lines = self.figure.data[_ARROWS]
        xs: list[float | None] = []
        ys: list[float | None] = []
        for arrow in arrows:
            y = _strip_y(arrow.from_line)
            xs += [arrow.start, arrow.end, None]
            ys += [y, _strip_y(arrow.to_line), None]
        lines.x, lines.y = xs, ys
        heads = self.figure.data[_HEADS]
        heads.x = [arrow.end for arrow in arrows]
        heads.y = [_strip_y(arrow.to_line) for arrow in arrows]
        heads.text = [f" {arrow.label}" for arrow in arrows]
        heads.hovertext = [f"{arrow.label} borrowed" for arrow in arrows]
        heads.customdata = ["" for _ in arrows]
        heads.marker.symbol = [
            "triangle-up" if arrow.to_line < arrow.from_line else "triangle-down"
            for arrow in arrows
        ]


def _figure() -> Any:
    """Return the figure with empty traces; they are filled in place from then on."""
    quiet = {"hoverinfo": "skip", "showlegend": False}
    shown = {"hoverinfo": "text", "showlegend": False}
    traces: list[Any] = [None] * 9
    traces[_EDGES] = go.Scatter(mode="lines", line={"color": FRAME, "width": 1}, **quiet)
    traces[_NODES] = go.Scatter(
        mode="markers+text", textposition="middle right", cliponaxis=False, **shown
    )
    traces[_NOMINAL] = go.Bar(
        orientation="h",
        width=0.52,
        marker={"color": "rgba(128,128,128,0.12)", "line": {"color": FRAME, "width": 1.5}},
        **shown,
    )
    traces[_CHIPS] = go.Bar(
        orientation="h",
        width=0.4,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        marker={"pattern": {"fgopacity": 0.35, "solidity": 0.15, "size": 7}},
        **shown,
    )
    traces[_STRIPS] = go.Bar(
        orientation="h",
        width=0.11,
        marker={"pattern": {"fgcolor": "#333", "fgopacity": 0.5, "size": 5, "solidity": 0.25}},
        **shown,
    )
    traces[_LIMITS] = go.Scatter(
        mode="markers",
        marker={"symbol": "line-ns", "size": 26, "line": {"width": 2.5, "color": FRAME}},
        **shown,
    )
    traces[_CAPTIONS] = go.Scatter(
        mode="text", textposition="middle right", textfont={"size": 11}, cliponaxis=False, **quiet
    )
    traces[_ARROWS] = go.Scatter(
        mode="lines", line={"color": BORROWED, "width": 2, "dash": "dot"}, **quiet
    )
    traces[_HEADS] = go.Scatter(
        mode="markers+text",
        textposition="middle right",
        textfont={"size": 11},
        marker={"color": BORROWED, "size": 11},
        **shown,
    )
    figure = go.FigureWidget(data=traces)
    figure.update_layout(
        barmode="overlay",
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        dragmode=False,
        hovermode="closest",
        uniformtext={"mode": "hide", "minsize": 9},
        font={"size": 12, "color": "#777777"},
        xaxis={"visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
    )
    figure._config = {**figure._config, "displayModeBar": False, "responsive": True}
    return figure


def _short(name: str) -> str:
    name = name.removeprefix("default/")
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _strip_y(line: int) -> float:
    return -line - 0.33


def _about(bar: Bar) -> str:
    return f"{bar.node[0]} {escape(bar.node[1])}<br>{escape(bar.label)}"


def _strips(bar: Bar) -> list[tuple[float, float, float, str, str, str]]:
    """Return the strips below a bar: line, start, length, colour, pattern, hover."""
    found = []
    end = bar.at(bar.nominal)
    y = _strip_y(bar.line)
    if bar.borrowed:
        length = bar.at(bar.used) - end
        found.append((y, end, length, BORROWED, "/", _about(bar)))
    if bar.lends:
        length = bar.at(bar.lends)
        found.append((y, end - length, length, LENT, "\\", _about(bar)))
    return found


def _ticks(bar: Bar) -> list[tuple[float, float, str]]:
    found: list[tuple[float, float, str]] = []
    if bar.borrowing_limit is not None:
        at = bar.at(bar.nominal + bar.borrowing_limit)
        if at <= 1.25:
            found.append((at, -bar.line, f"borrowing limit<br>{escape(bar.label)}"))
    if bar.lending_limit is not None:
        at = bar.at(max(0, bar.nominal - bar.lending_limit))
        found.append((at, -bar.line, f"lending limit<br>{escape(bar.label)}"))
    return found


def _wrapped(text: str, width: int = 60) -> str:
    import textwrap

    return "<br>".join(textwrap.wrap(text, width))


def _legend() -> str:
    marks = " ".join(f"<span><b>{mark}</b>&nbsp;{escape(word)}</span>" for mark, word in LEGEND)
    return (
        f"{marks} · darker: higher priority · outline: nominal quota · "
        "hatched strips: borrowed (orange) and lent (blue)"
    )
