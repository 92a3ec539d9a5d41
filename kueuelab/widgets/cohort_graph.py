"""The cohort graph: the tree, bars of quota, chips of workloads, arrows of borrowing."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any, Final

import ipywidgets
import plotly.graph_objects as go

from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.figures import new_figure, redraw
from kueuelab.widgets.frontend import View, html
from kueuelab.widgets.style import (
    BORROWED,
    FRAME,
    HOLLOW,
    LEGEND,
    LENT,
    OUTLINES,
    PATTERNS,
    PURPLE,
    SELECTED,
    chip_colours,
)
from kueuelab.widgets.viewmodel import CohortPicture, Role, cohort_picture
from kueuelab.widgets.viewmodel.picture import MARKS, Arrow, Bar, Chip
from kueuelab.widgets.viewmodel.reading import short_name
from kueuelab.widgets.viewmodel.tree import Tree

__all__ = ["CohortGraph"]

_EDGES, _NODES, _NOMINAL, _CHIPS, _STRIPS, _LIMITS, _CAPTIONS, _ARROWS, _LABELS = range(9)

#: Up to so many lines, each has room for its numbers above its bar.
_ROOMY: Final = 24
_ROOMY_LINE: Final = 44
_CLOSE_LINE: Final = 26
#: Pixels: a step to the right in the tree, and a letter of a name.
_STEP: Final = 18
_LETTER: Final = 7
#: Where the picture ends; the widest bar ends at 1.
_RIGHT: Final = 1.22
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
        self._width = 0
        self._picture = cohort_picture(self.board.background, self.board.index)
        self.figure = _figure()
        self.figure.data[_CHIPS].on_click(self._chip_clicked)
        self.figure.data[_NODES].on_click(self._node_clicked)
        self.figure.data[_NOMINAL].on_click(self._bar_clicked)
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
        layout: dict[str, Any] = {}
        changes: dict[int, dict[str, Any]] = {}
        if picture.tree is not self._tree or self._width != self.board.width:
            self._tree, self._width = picture.tree, self.board.width
            changes[_EDGES], layout = self._edges(picture.tree), self._sizes(picture.tree)
        changes[_NODES] = self._nodes(picture, selected)
        changes[_NOMINAL] = _nominal(picture.bars)
        changes[_STRIPS] = _strips(picture.bars)
        changes[_CHIPS] = _chips([*picture.chips, *_fillings(picture.bars)], selected)
        changes[_LIMITS] = _limits(picture.bars)
        changes[_CAPTIONS] = _captions(picture.bars if self._roomy else ())
        changes[_ARROWS], changes[_LABELS] = _arrows(picture.arrows)
        redraw(self.figure, changes, layout)
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
        names = max((len(_short(node.name)) for node in tree.nodes), default=0)
        room = _STEP * tree.depth + _LETTER * names + 12
        left = -min(_RIGHT * room / max(self.board.width - room, 120), 1.5)
        return left, (_RIGHT - left) * _STEP / self.board.width

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
                f"  {'◆ ' * here}{_short(node.name)}"
                f"{' (inactive)' if node.name in picture.inactive else ''}"
                for node, here in zip(nodes, chosen, strict=True)
            ],
            "hovertext": [f"{node.kind} {node.name}" for node in nodes],
            "marker.symbol": [_BADGES[node.kind] for node in nodes],
            "marker.color": [SELECTED if here else FRAME for here in chosen],
            "marker.size": [13 if here else 9 for here in chosen],
        }


# --- what each trace shows -------------------------------------------------------------


def _nominal(bars: Sequence[Bar]) -> dict[str, Any]:
    return {
        "x": [min(bar.at(bar.nominal), 1.2) for bar in bars],
        "y": [_bar_y(bar.line) for bar in bars],
        "base": [0 for _ in bars],
        "hovertext": [_about(bar) for bar in bars],
    }


def _strips(bars: Sequence[Bar]) -> dict[str, Any]:
    """Draw what is borrowed beyond the nominal quota, and what is lent within it."""
    found = []
    for bar in bars:
        end, y = bar.at(bar.nominal), _strip_y(bar.line)
        if bar.borrowed:
            found.append((end, bar.at(bar.used) - end, y, BORROWED, "/", bar))
        if bar.lends:
            length = bar.at(bar.lends)
            found.append((end - length, length, y, LENT, "\\", bar))
    return {
        "base": [start for start, *_ in found],
        "x": [length for _, length, *_ in found],
        "y": [y for _, _, y, *_ in found],
        "marker.color": [colour for _, _, _, colour, *_ in found],
        "marker.pattern.shape": [shape for *_, shape, _ in found],
        "hovertext": [_about(bar) for *_, bar in found],
    }


def _chips(chips: Sequence[Chip], selected: tuple[str, str] | None) -> dict[str, Any]:
    chosen = selected[1] if selected and selected[0] == "Workload" else None
    colours = [(HOLLOW, "#333333") if chip.hollow else chip_colours(chip.shade) for chip in chips]
    outlines = [
        (SELECTED, 4.0) if chip.workload and chip.workload == chosen else OUTLINES[chip.role]
        for chip in chips
    ]
    return {
        "base": [chip.start for chip in chips],
        "x": [chip.length for chip in chips],
        "y": [_bar_y(chip.line) for chip in chips],
        "text": [
            ("◆ " if chip.workload and chip.workload == chosen else "")
            + MARKS[chip.role]
            + (short_name(chip.workload) if chip.workload else chip.label)
            for chip in chips
        ],
        "hovertext": [f"{escape(chip.label)}<br>{_wrapped(escape(chip.about))}" for chip in chips],
        "customdata": [chip.workload for chip in chips],
        "marker.color": [fill for fill, _ in colours],
        "marker.opacity": [0.8 if chip.waiting else 1.0 for chip in chips],
        "marker.line.color": [colour for colour, _ in outlines],
        "marker.line.width": [width for _, width in outlines],
        "marker.pattern.shape": [PATTERNS.get(chip.role, "") for chip in chips],
        "insidetextfont.color": [text for _, text in colours],
    }


def _fillings(bars: Sequence[Bar]) -> list[Chip]:
    """Fill the bars of cohorts: all that is used below them."""
    return [
        Chip(
            "",
            bar.line,
            0.0,
            bar.at(bar.used),
            f"{bar.used * 100 // bar.nominal if bar.nominal else 100} %",
            Role.NONE,
            0.15,
            waiting=False,
            hollow=False,
            about=bar.label,
        )
        for bar in bars
        if bar.node[0] == "Cohort" and bar.used
    ]


def _limits(bars: Sequence[Bar]) -> dict[str, Any]:
    """Tick off the quota where it is exceeded, how far a queue may borrow, what it keeps."""
    found: list[tuple[float, Bar, str]] = []
    for bar in bars:
        if bar.used > bar.nominal:
            found.append((bar.at(bar.nominal), bar, "nominal quota"))
        if bar.borrowing_limit is not None:
            at = bar.at(bar.nominal + bar.borrowing_limit)
            found += [(at, bar, "borrowing limit")] if at <= 1.2 else []
        if bar.lending_limit is not None:
            found.append((bar.at(max(0, bar.nominal - bar.lending_limit)), bar, "lending limit"))
    return {
        "x": [at for at, _, _ in found],
        "y": [_bar_y(bar.line) for _, bar, _ in found],
        "hovertext": [f"{name}<br>{escape(bar.label)}" for _, bar, name in found],
        "marker.symbol": [
            "line-ne" if name == "lending limit" else "line-ns" for _, _, name in found
        ],
        "marker.line.color": [FRAME if name == "nominal quota" else PURPLE for _, _, name in found],
    }


def _captions(bars: Sequence[Bar]) -> dict[str, Any]:
    return {
        "x": [0.0 for _ in bars],
        "y": [-bar.line + 0.37 for bar in bars],
        "text": [bar.label for bar in bars],
    }


def _arrows(arrows: Sequence[Arrow]) -> tuple[dict[str, Any], dict[str, Any]]:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for arrow in arrows:
        xs += [arrow.start, arrow.end, None]
        ys += [_strip_y(arrow.from_line), _strip_y(arrow.to_line), None]
    lines = {"x": xs, "y": ys, "marker.size": [0, 13, 0] * len(arrows)}
    labels = {
        "x": [(arrow.start + arrow.end) / 2 for arrow in arrows],
        "y": [(_strip_y(arrow.from_line) + _strip_y(arrow.to_line)) / 2 for arrow in arrows],
        "text": [f" {arrow.label}" for arrow in arrows],
    }
    return lines, labels


def _figure() -> Any:
    """Return the figure with empty traces; they are filled in place from then on."""
    quiet = {"hoverinfo": "skip", "showlegend": False}
    shown = {"hoverinfo": "text", "showlegend": False}
    label = {"mode": "text", "textfont": {"size": 11}, "cliponaxis": False, **quiet}
    traces: list[Any] = [None] * 9
    traces[_EDGES] = go.Scatter(mode="lines", line={"color": FRAME, "width": 1}, **quiet)
    traces[_NODES] = go.Scatter(
        mode="markers+text", textposition="middle right", cliponaxis=False, **shown
    )
    traces[_NOMINAL] = go.Bar(
        orientation="h",
        width=0.46,
        marker={"color": "rgba(128,128,128,0.15)", "line": {"color": FRAME, "width": 2}},
        **shown,
    )
    traces[_CHIPS] = go.Bar(
        orientation="h",
        width=0.37,
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
        marker={"size": 22, "line": {"width": 3}},
        cliponaxis=False,
        **shown,
    )
    traces[_CAPTIONS] = go.Scatter(textposition="middle right", **label)
    traces[_ARROWS] = go.Scatter(
        mode="lines+markers",
        line={"color": BORROWED, "width": 2, "dash": "dot"},
        marker={"symbol": "arrow", "angleref": "previous", "color": BORROWED},
        **quiet,
    )
    traces[_LABELS] = go.Scatter(textposition="middle right", **label)
    return new_figure(
        traces,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=False,
        uniformtext={"mode": "hide", "minsize": 9},
        xaxis={"visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
    )


def _short(name: str) -> str:
    name = name.removeprefix("default/")
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _bar_y(line: int) -> float:
    return -line - 0.05


def _strip_y(line: int) -> float:
    return -line - 0.35


def _about(bar: Bar) -> str:
    return f"{bar.node[0]} {escape(bar.node[1])}<br>{escape(bar.label)}"


def _wrapped(text: str, width: int = 60) -> str:
    return text if len(text) <= width else "<br>".join(textwrap.wrap(text, width))


def _legend() -> str:
    kinds = "◆ cohort ■ ClusterQueue ● LocalQueue"
    marks = " ".join(f"<b>{mark}</b>&nbsp;{escape(word)}" for mark, word in LEGEND)
    return (
        f"<p>{kinds} · {marks}<br>darker: higher priority · frame: nominal quota · "
        "hatched strips: borrowed (orange) and lent (blue) · ticks: limits</p>"
    )
