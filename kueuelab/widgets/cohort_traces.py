"""What each trace of the cohort graph shows: properties of plotly, from data of the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from types import MappingProxyType
from typing import Any, Final

import plotly.graph_objects as go

from kueuelab.widgets.figures import as_text, new_figure
from kueuelab.widgets.layout import Layout
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
    SWATCHES,
    chip_colours,
)
from kueuelab.widgets.viewmodel import Role
from kueuelab.widgets.viewmodel.bars import Arrow, Bar
from kueuelab.widgets.viewmodel.chips import MARKS, Chip
from kueuelab.widgets.viewmodel.reading import short_name

__all__ = [
    "ARROWS",
    "CAPTIONS",
    "CHIPS",
    "EDGES",
    "LABELS",
    "LIMITS",
    "NODES",
    "NOMINAL",
    "STRIPS",
    "arrow_lines",
    "captions",
    "chip_marks",
    "empty_figure",
    "fillings",
    "legend",
    "limits",
    "nominal",
    "short",
    "strips",
]

#: The traces, from the back to the front.
EDGES, NODES, NOMINAL, CHIPS, STRIPS, LIMITS, CAPTIONS, ARROWS, LABELS = range(9)

LONGEST: Final = 26

#: A pattern over the colour of each bar. Its ground is never drawn, but without one plotly looks
#: for a contrast to all colours at once, and complains at length about each picture.
_OVERLAY: Final = MappingProxyType({"fillmode": "overlay", "bgcolor": "#ffffff"})

#: Where arrows go up and down, right of all bars; so many of them beside one another.
_BESIDE: Final = 1.05
_GUTTER: Final = 0.03
_GUTTERS: Final = 4


def nominal(bars: Sequence[Bar], layout: Layout) -> dict[str, Any]:
    """Frame the nominal quota."""
    return {
        "x": [min(bar.at(bar.nominal), 1.2) for bar in bars],
        "y": [layout.bar(bar.line) for bar in bars],
        "base": [0 for _ in bars],
        "width": 22 if layout.roomy else 18,
        "hovertext": [_about(bar) for bar in bars],
    }


def strips(bars: Sequence[Bar], layout: Layout) -> dict[str, Any]:
    """Draw what is borrowed beyond the nominal quota, and what is lent within it."""
    found = []
    for bar in bars:
        end, y = bar.at(bar.nominal), layout.strip(bar.line)
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


def chip_marks(
    chips: Sequence[Chip],
    layout: Layout,
    chosen: str,
    letters: float,
) -> dict[str, Any]:
    """Draw workloads: shade by priority, outline, pattern and mark by part.

    A click selects a workload, or the queue where a chip stands for several.
    """
    colours = [(HOLLOW, "#333333") if chip.hollow else chip_colours(chip.shade) for chip in chips]
    outlines = [
        (SELECTED, 4.0) if chosen and chip.workload == chosen else OUTLINES[chip.role]
        for chip in chips
    ]
    return {
        "base": [chip.start for chip in chips],
        "x": [chip.length for chip in chips],
        "y": [layout.bar(chip.line) for chip in chips],
        "width": 17 if layout.roomy else 15,
        "text": [as_text(_fitting(chip, chosen, letters)) for chip in chips],
        "hovertext": [f"{as_text(chip.label)}<br>{_wrapped(chip.about)}" for chip in chips],
        "customdata": [
            ("Workload", chip.workload) if chip.workload else layout.node(chip.line).key
            for chip in chips
        ],
        "marker.color": [fill for fill, _ in colours],
        "marker.opacity": [0.8 if chip.waiting else 1.0 for chip in chips],
        "marker.line.color": [colour for colour, _ in outlines],
        "marker.line.width": [width for _, width in outlines],
        "marker.pattern.shape": [PATTERNS.get(chip.role, "") for chip in chips],
        "insidetextfont.color": [text for _, text in colours],
    }


def _fitting(chip: Chip, chosen: str, letters: float) -> str:
    """Return as much of a chip's name as it has room for: all of it, its mark, or nothing.

    ``letters`` is how many of them fit into the whole width.
    """
    mark = ("◆ " if chosen and chip.workload == chosen else "") + MARKS[chip.role]
    name = short_name(chip.workload) if chip.workload else chip.label
    room = chip.length * letters
    for text in (mark + name, mark.strip()):
        if len(text) <= room:
            return text
    return ""


def fillings(bars: Sequence[Bar]) -> list[Chip]:
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


def limits(bars: Sequence[Bar], layout: Layout) -> dict[str, Any]:
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
        "y": [layout.bar(bar.line) for _, bar, _ in found],
        "hovertext": [f"{name}<br>{as_text(bar.label)}" for _, bar, name in found],
        "marker.symbol": [
            "line-ne" if name == "lending limit" else "line-ns" for _, _, name in found
        ],
        "marker.line.color": [FRAME if name == "nominal quota" else PURPLE for _, _, name in found],
    }


def captions(bars: Sequence[Bar], layout: Layout, letters: float) -> dict[str, Any]:
    """Write the numbers of each bar, as many as there is room for."""
    return {
        "x": [0.0 for _ in bars],
        "y": [layout.caption(bar.line) for bar in bars],
        "text": [
            as_text(
                bar.label
                if len(bar.label) <= letters
                else f"{bar.label[: max(0, int(letters) - 1)]}…"
            )
            for bar in bars
        ],
    }


def arrow_lines(
    arrows: Sequence[Arrow], bars: Sequence[Bar], layout: Layout
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw arrows of borrowing beside the bars, and their amounts."""
    lent = {bar.line for bar in bars if bar.lends}
    xs: list[float | None] = []
    ys: list[float | None] = []
    ends = []
    for number, arrow in enumerate(arrows):
        beside = _BESIDE + _GUTTER * (number % _GUTTERS)
        start = layout.strip if arrow.from_line in lent else layout.bar
        from_y, to_y = start(arrow.from_line), layout.strip(arrow.to_line)
        xs += [arrow.start, beside, beside, arrow.end, None]
        ys += [from_y, from_y, to_y, to_y, None]
        ends.append((beside, to_y, arrow.label))
    lines = {"x": xs, "y": ys, "marker.size": [0, 0, 0, 11, 0] * len(arrows)}
    labels = {
        "x": [x for x, _, _ in ends],
        "y": [y for _, y, _ in ends],
        "text": [f" {as_text(label)}" for _, _, label in ends],
    }
    return lines, labels


def empty_figure() -> Any:
    """Return the figure with empty traces; they are filled in place from then on."""
    quiet = {"hoverinfo": "skip", "showlegend": False}
    shown = {"hoverinfo": "text", "showlegend": False}
    label = {"mode": "text", "textfont": {"size": 11}, "cliponaxis": False, **quiet}
    traces: list[Any] = [None] * 9
    traces[EDGES] = go.Scatter(mode="lines", line={"color": FRAME, "width": 1}, **quiet)
    traces[NODES] = go.Scatter(
        mode="markers+text", textposition="middle right", cliponaxis=False, **shown
    )
    traces[NOMINAL] = go.Bar(
        orientation="h",
        marker={"color": "rgba(128,128,128,0.15)", "line": {"color": FRAME, "width": 2}},
        **shown,
    )
    traces[CHIPS] = go.Bar(
        orientation="h",
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        marker={"pattern": _OVERLAY | {"fgopacity": 0.35, "solidity": 0.15, "size": 7}},
        **shown,
    )
    traces[STRIPS] = go.Bar(
        orientation="h",
        width=5,
        marker={
            "pattern": _OVERLAY
            | {"fgcolor": "#333", "fgopacity": 0.5, "size": 5, "solidity": 0.25},
        },
        **shown,
    )
    traces[LIMITS] = go.Scatter(
        mode="markers",
        marker={"size": 22, "line": {"width": 3}},
        cliponaxis=False,
        **shown,
    )
    traces[CAPTIONS] = go.Scatter(textposition="middle right", **label)
    traces[ARROWS] = go.Scatter(
        mode="lines+markers",
        line={"color": BORROWED, "width": 2, "dash": "dot"},
        marker={"symbol": "arrow", "angleref": "previous", "color": BORROWED},
        **quiet,
    )
    traces[LABELS] = go.Scatter(textposition="middle right", **label)
    return new_figure(
        traces,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=False,
        xaxis={"visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
    )


def short(name: str) -> str:
    """Return a name that has room in the tree."""
    name = name.removeprefix("default/")
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _about(bar: Bar) -> str:
    return f"{bar.node[0]} {as_text(bar.node[1])}<br>{as_text(bar.label)}"


@lru_cache(maxsize=4096)
def _wrapped(text: str, width: int = 60) -> str:
    return "<br>".join(map(as_text, textwrap.wrap(text, width)))


def legend() -> str:
    """Explain marks, shades and strips in words."""
    kinds = "◆&nbsp;cohort ■&nbsp;ClusterQueue ●&nbsp;LocalQueue"
    marks = " ".join(f"<b>{mark}</b>&nbsp;{escape(word)}" for mark, word in LEGEND)
    shapes = " ".join(
        f'<span class="kl-item"><span class="kl-swatch kl-{name}" aria-hidden="true"></span> '
        f"{escape(word)}</span>"
        for name, word in SWATCHES
    )
    return f"<p>{kinds} · {marks}<br>{shapes}</p>"
