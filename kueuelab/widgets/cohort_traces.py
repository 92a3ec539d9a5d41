"""What each trace of the cohort graph shows: properties of plotly, from data of the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import plotly.graph_objects as go

from kueuelab.messages import Catalog
from kueuelab.trace.names import short_name
from kueuelab.views import Role
from kueuelab.views.bars import Arrow, Bar
from kueuelab.views.chips import MARKS, Chip
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
    SOFT,
    SWATCHES,
    chip_colours,
)

__all__ = [
    "ARROWS",
    "CHIPS",
    "EDGES",
    "FREE",
    "NODES",
    "NOMINAL",
    "STRIPS",
    "TEXTS",
    "TICKS",
    "arrow_lines",
    "chip_marks",
    "empty_figure",
    "fillings",
    "free_quota",
    "legend",
    "nominal",
    "short",
    "strips",
    "texts",
    "ticks",
]

#: The traces, from the back to the front.
EDGES, NODES, FREE, CHIPS, STRIPS, TICKS, ARROWS, TEXTS, NOMINAL = range(9)

LONGEST: Final = 26

#: A pattern over the colour of each bar. Its ground is never drawn, but without one plotly looks
#: for a contrast to all colours at once, and complains at length about each picture.
_OVERLAY: Final = MappingProxyType({"fillmode": "overlay", "bgcolor": "#ffffff"})

#: What is wider than this is not seen; the widest bar ends at 1.
_WIDEST: Final = 1.2
#: How many letters of a caption have the room that one of a name has in the width of the bars.
_CAPTION: Final = 1.4
#: Where arrows go up and down, right of all bars; so many of them beside one another.
_BESIDE: Final = 1.05
_GUTTER: Final = 0.03
_GUTTERS: Final = 4


def nominal(bars: Sequence[Bar], layout: Layout) -> dict[str, Any]:
    """Frame the nominal quota."""
    return {
        "x": [min(bar.at(bar.nominal), _WIDEST) for bar in bars],
        "y": [layout.bar(bar.line) for bar in bars],
        "base": [0 for _ in bars],
        "width": 22 if layout.roomy else 18,
    }


def free_quota(bars: Sequence[Bar], chips: Sequence[Chip], layout: Layout) -> dict[str, Any]:
    """Draw the nominal quota that no chip covers; a click selects its queue or cohort.

    Of bars on each other plotly takes the one whose end is nearest, not the one that is seen:
    so no bar that answers the pointer lies on another one.
    """
    ends: dict[int, float] = {}
    for chip in chips:
        ends[chip.line] = max(ends.get(chip.line, 0.0), chip.start + chip.length)
    starts = [ends.get(bar.line, 0.0) for bar in bars]
    lengths = [
        min(bar.at(bar.nominal), _WIDEST) - start for bar, start in zip(bars, starts, strict=True)
    ]
    return {
        "base": starts,
        "x": [length if length > 0 else None for length in lengths],
        "y": [layout.bar(bar.line) for bar in bars],
        "width": 22 if layout.roomy else 18,
        "hovertext": [_about(bar) for bar in bars],
        "customdata": [bar.node for bar in bars],
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


def chip_marks(chips: Sequence[Chip], layout: Layout, chosen: str) -> dict[str, Any]:
    """Draw workloads: shade by priority, outline and pattern by part.

    A click selects a workload, or the queue where a chip stands for several.
    """
    outlines = [
        (SELECTED, 4.0) if chosen and chip.workload == chosen else OUTLINES[chip.role]
        for chip in chips
    ]
    return {
        "base": [chip.start for chip in chips],
        "x": [chip.length for chip in chips],
        "y": [layout.bar(chip.line) for chip in chips],
        "width": 17 if layout.roomy else 15,
        "hovertext": [f"{as_text(chip.label)}<br>{_wrapped(chip.about)}" for chip in chips],
        "customdata": [
            ("Workload", chip.workload) if chip.workload else layout.node(chip.line).key
            for chip in chips
        ],
        "marker.color": [_fill(chip)[0] for chip in chips],
        "marker.opacity": [0.8 if chip.waiting else 1.0 for chip in chips],
        "marker.line.color": [colour for colour, _ in outlines],
        "marker.line.width": [width for _, width in outlines],
        "marker.pattern.shape": [PATTERNS.get(chip.role, "") for chip in chips],
    }


def _fill(chip: Chip) -> tuple[str, str]:
    """Return the colour of a chip, and that of what is written on it."""
    return (HOLLOW, "#333333") if chip.hollow else chip_colours(chip.shade)


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
            min(bar.at(bar.used), _WIDEST),
            bar.percent,
            Role.NONE,
            0.15,
            waiting=False,
            hollow=False,
            about=bar.label,
        )
        for bar in bars
        if bar.is_cohort and bar.used
    ]


def ticks(bars: Sequence[Bar], arrows: Sequence[Arrow], layout: Layout) -> dict[str, Any]:
    """Tick off the quota where it is exceeded, how far a queue may borrow, what it keeps.

    The heads of the arrows are here, too: on their lines each corner would be a mark.
    """
    found: list[_Tick] = []
    for bar in bars:
        y = layout.bar(bar.line)
        if bar.used > bar.nominal:
            found.append(_Tick(bar.at(bar.nominal), y, "line-ns", FRAME))
        if bar.borrowing_limit is not None:
            at = bar.at(bar.nominal + bar.borrowing_limit)
            if at <= _WIDEST:
                found.append(_Tick(at, y, "line-ns", PURPLE))
        if bar.lending_limit is not None:
            at = bar.at(max(0, bar.nominal - bar.lending_limit))
            found.append(_Tick(at, y, "line-ne", PURPLE))
    for arrow, (beside, y) in zip(arrows, _turns(arrows, layout), strict=True):
        symbol = "arrow-left" if arrow.end < beside else "arrow-right"
        found.append(_Tick(arrow.end, y, symbol, BORROWED, size=9, line=0))
    return {
        "x": [tick.x for tick in found],
        "y": [tick.y for tick in found],
        "marker.symbol": [tick.symbol for tick in found],
        "marker.size": [tick.size for tick in found],
        "marker.line.color": [tick.colour for tick in found],
        "marker.line.width": [tick.line for tick in found],
    }


class _Tick(NamedTuple):
    x: float
    y: float
    symbol: str
    colour: str
    size: int = 22
    line: int = 3


def _turns(arrows: Sequence[Arrow], layout: Layout) -> Iterator[tuple[float, float]]:
    """Yield where each arrow turns to its end, beside the bars."""
    for number, arrow in enumerate(arrows):
        yield _BESIDE + _GUTTER * (number % _GUTTERS), layout.strip(arrow.to_line)


def arrow_lines(arrows: Sequence[Arrow], bars: Sequence[Bar], layout: Layout) -> dict[str, Any]:
    """Draw the lines of the arrows of borrowing beside the bars."""
    lent = {bar.line for bar in bars if bar.lends}
    xs: list[float | None] = []
    ys: list[float | None] = []
    for arrow, (beside, to_y) in zip(arrows, _turns(arrows, layout), strict=True):
        start = layout.strip if arrow.from_line in lent else layout.bar
        from_y = start(arrow.from_line)
        xs += [arrow.start, beside, beside, arrow.end, None]
        ys += [from_y, from_y, to_y, to_y, None]
    return {"x": xs, "y": ys}


def texts(
    chips: Sequence[Chip],
    bars: Sequence[Bar],
    arrows: Sequence[Arrow],
    layout: Layout,
    chosen: str,
    letters: float,
) -> dict[str, Any]:
    """Write on chips, above bars and beside arrows, as much as there is room for.

    All of it is one trace: texts in bars are measured one by one, which takes long.
    """
    found: list[_Text] = []
    for chip in chips:
        text = _fitting(chip, chosen, letters)
        if text:
            _, colour = _fill(chip)
            middle = chip.start + chip.length / 2
            found.append(_Text(middle, layout.bar(chip.line), text, colour, "middle center", 12))
    if layout.roomy:
        found += [
            _Text(0.0, layout.caption(bar.line), _cut(bar.label, _CAPTION * letters))
            for bar in bars
        ]
    for arrow, (beside, y) in zip(arrows, _turns(arrows, layout), strict=True):
        found.append(_Text(beside, y, f" {arrow.label}"))
    return {
        "x": [text.x for text in found],
        "y": [text.y for text in found],
        "text": [as_text(text.text) for text in found],
        "textposition": [text.position for text in found],
        "textfont.color": [text.colour for text in found],
        "textfont.size": [text.size for text in found],
    }


class _Text(NamedTuple):
    x: float
    y: float
    text: str
    colour: str = SOFT
    position: str = "middle right"
    size: int = 11


def _cut(text: str, letters: float) -> str:
    """Return as much of a text as there is room for."""
    return text if len(text) <= letters else f"{text[: max(0, int(letters) - 1)]}…"


def empty_figure() -> Any:
    """Return the figure with empty traces; they are filled in place from then on."""
    quiet = {"hoverinfo": "skip", "showlegend": False}
    shown = {"hoverinfo": "text", "showlegend": False}
    traces: list[Any] = [None] * 9
    traces[EDGES] = go.Scatter(mode="lines", line={"color": FRAME, "width": 1}, **quiet)
    traces[NODES] = go.Scatter(
        mode="markers+text", textposition="middle right", cliponaxis=False, **shown
    )
    traces[FREE] = go.Bar(
        orientation="h",
        marker={"color": "rgba(128,128,128,0.15)", "line": {"width": 0}},
        **shown,
    )
    traces[CHIPS] = go.Bar(
        orientation="h",
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
    traces[TICKS] = go.Scatter(
        mode="markers",
        marker={"color": BORROWED, "opacity": 1},
        cliponaxis=False,
        **quiet,
    )
    traces[ARROWS] = go.Scatter(
        mode="lines", line={"color": BORROWED, "width": 2, "dash": "dot"}, **quiet
    )
    traces[TEXTS] = go.Scatter(mode="text", cliponaxis=False, **quiet)
    traces[NOMINAL] = go.Bar(
        orientation="h",
        marker={"color": "rgba(0,0,0,0)", "line": {"color": FRAME, "width": 2}},
        **quiet,
    )
    return new_figure(
        traces,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=False,
        xaxis={"visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
    )


def short(name: str) -> str:
    """Return a name that has room in the tree."""
    return _cut(name.removeprefix("default/"), LONGEST)


def _about(bar: Bar) -> str:
    return f"{bar.node[0]} {as_text(bar.node[1])}<br>{as_text(bar.label)}"


@lru_cache(maxsize=4096)
def _wrapped(text: str, width: int = 60) -> str:
    return "<br>".join(map(as_text, textwrap.wrap(text, width)))


def legend(words: Catalog) -> str:
    """Return the meaning of marks, shades and strips, in a language."""
    kinds = "◆&nbsp;cohort ■&nbsp;ClusterQueue ●&nbsp;LocalQueue"
    marks = " ".join(f"<b>{mark}</b>&nbsp;{escape(words.render(word))}" for mark, word in LEGEND)
    shapes = " ".join(
        f'<span class="kl-item"><span class="kl-swatch kl-{name}" aria-hidden="true"></span> '
        f"{escape(words.render(word))}</span>"
        for name, word in SWATCHES
    )
    return f"<p>{kinds} · {marks}<br>{shapes}</p>"
