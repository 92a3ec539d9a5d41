"""A chart of a sweep as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Final

from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_axes import Axis, entries, grid
from kueuelab.views.svg_drawing import (
    SMALL,
    WIDTH,
    circle,
    fitted,
    look_of,
    path,
    picture,
    rect,
    text,
    text_width,
)

__all__ = ["svg_of_chart"]

_LEAST_LEFT: Final = 60
_MOST_LEFT: Final = 260
_RIGHT: Final = WIDTH - 24
_TOP: Final = 46
_BOTTOM: Final = 266
_LINE: Final = 14
#: Colours of traces that name none.
_COLOUR: Final = "#0072b2"
#: More columns than this have no room for their names.
_MOST_NAMES: Final = 12
#: The shades of a heat map are those of priorities.
_SHADES: Final = 5


def svg_of_chart(chart: Json) -> str:
    """Return a chart as SVG, with every text escaped.

    It draws what :mod:`kueuelab.views.sweep_charts` makes: lines, points, a heat map, boxes.

    Parameters
    ----------
    chart
        What a function there returned.

    Examples
    --------
    >>> points = {"type": "scatter", "mode": "markers", "name": "a", "x": [1, 2], "y": [3, 4]}
    >>> picture = svg_of_chart({"title": "Two points", "traces": [points], "layout": {}})
    >>> picture.count("<circle"), "<title>Two points</title>" in picture
    (2, True)
    """
    title = unescape(chart["title"])
    kinds = {trace["type"] for trace in chart["traces"]}
    parts, bottom = (_heat_map if "heatmap" in kinds else _plane)(chart)
    signs = [
        (_sign(trace), unescape(trace["name"]))
        for trace in chart["traces"]
        if len(chart["traces"]) > 1 and trace["type"] == "scatter"
        if trace.get("name") and trace["x"]
    ]
    drawn, height = entries(signs, _LEAST_LEFT, bottom + 8)
    heading = text(8, 18, title, font_weight="650")
    return picture(WIDTH, bottom + 12 + height, title, [heading, *parts, *drawn])


def _titles(chart: Json) -> tuple[str, str]:
    """Return the titles of both axes."""
    layout = chart["layout"]
    x, y = (
        unescape(layout.get(axis, {}).get("title", {}).get("text", ""))
        for axis in ("xaxis", "yaxis")
    )
    return x, y


def _plane(chart: Json) -> tuple[list[str], float]:
    """Return lines and points between two axes, and where the drawing ends."""
    traces = [_placed(trace, number) for number, trace in enumerate(chart["traces"])]
    names = _column_names(chart, traces)
    has_heights = chart["layout"].get("yaxis", {}).get("visible", True)
    titles = _titles(chart)
    # Columns begin and end within the axis; numbers begin and end at its ticks.
    edge = 60 if names else 0
    across = [x for each in traces for x in each["x"]]
    whole = Axis(across, _LEAST_LEFT, _RIGHT, titles[0])
    x = Axis(across, _LEAST_LEFT + edge, _RIGHT - edge)
    if names:
        x.ticks = (min(names), max(*names, min(names) + 1))
    y = Axis([y for each in traces for y in each["y"]], _BOTTOM, _TOP, titles[1])
    parts = list(grid(whole, y, x_ticks=not names, y_ticks=has_heights))
    lines = 1
    for place, name in list(names.items())[:_MOST_NAMES]:
        found = unescape(name).split("<br>")
        lines = max(lines, len(found))
        parts.append(path(f"M{x(place):.1f} {_TOP}V{_BOTTOM}", "k-line"))
        for line, shown in enumerate(found):
            at = _BOTTOM + 16 + _LINE * line
            parts.append(
                text(x(place), at, shown, "f-soft", text_anchor="middle", font_size=SMALL + 1)
            )
    for trace in traces:
        parts += _trace(trace, x, y)
    return parts, _BOTTOM + 22 + _LINE * lines + (10 if titles[0] and not names else 0)


def _trace(trace: Json, x: Axis, y: Axis) -> Iterator[str]:
    places = [(x(at), y(value)) for at, value in zip(trace["x"], trace["y"], strict=True)]
    colour = _colour(trace)
    if "lines" in trace.get("mode", "markers") and places:
        d = "L".join(f"{at:.1f} {height:.1f}" for at, height in places)
        yield path(f"M{d}", "", stroke=colour)
    point = trace.get("marker", {}).get("color", colour)
    for (at, height), shown in zip(places, trace["text"], strict=True):
        yield circle(at, height, 4, "", unescape(shown), stroke=point, stroke_width=2)


def _colour(trace: Json) -> str:
    return str(trace.get("line", {}).get("color", _COLOUR))


def _sign(trace: Json) -> str:
    """Return how a trace is drawn, for the legend."""
    line = path("M0 5h24", "", stroke=_colour(trace)) if "lines" in trace["mode"] else ""
    point = trace.get("marker", {}).get("color", _colour(trace))
    return line + circle(12, 5, 4, "", stroke=point, stroke_width=2)


def _placed(trace: Json, number: int) -> Json:
    """Return a trace with numbers for its places: a box is a column of points."""
    count = len(trace["y"])
    xs = trace.get("x") or [number] * count
    return {**trace, "x": xs, "text": trace.get("text") or [str(each) for each in trace["y"]]}


def _column_names(chart: Json, traces: Sequence[Json]) -> Mapping[float, str]:
    """Return the names of columns by their places; none where the axis has numbers."""
    if traces and all(trace["type"] == "box" for trace in traces):
        return {number: trace["name"] for number, trace in enumerate(traces)}
    axis = chart["layout"].get("xaxis", {})
    return dict(zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=True))


def _heat_map(chart: Json) -> tuple[list[str], float]:
    """Return a cell for each pair of values, darker for more, with its number."""
    (trace,) = chart["traces"]
    known = [value for line in trace["z"] for value in line if value is not None]
    low, high = min(known, default=0), max(known, default=0)
    names = [unescape(name) for name in trace["y"]]
    left = max(_LEAST_LEFT, min(_MOST_LEFT, max(map(text_width, names), default=0) + 20))
    wide = (_RIGHT - left) / max(1, len(trace["x"]))
    tall = (_BOTTOM - _TOP) / max(1, len(trace["y"]))
    parts = []
    for row, (name, line) in enumerate(zip(names, trace["z"], strict=True)):
        # The first is the lowest, as plotly draws it.
        y = _BOTTOM - (row + 1) * tall
        shown = fitted(name, left - 16)
        parts.append(text(left - 8, y + tall / 2 + 4, shown, "f-soft", name, text_anchor="end"))
        for column, value in enumerate(line):
            if value is None:
                continue
            x = left + column * wide
            part = (value - low) / (high - low) if high > low else 0.5
            shade = round(part * (_SHADES - 1))
            parts.append(rect(x, y, wide, tall, look_of(f"s{shade}", "ground")))
            number = f"{value:.4g}"
            middle = (x + wide / 2, y + tall / 2 + 4)
            parts.append(text(*middle, number, f"f-t{shade}", text_anchor="middle"))
    for column, name in enumerate(trace["x"][:_MOST_NAMES]):
        whole = unescape(name)
        at = left + (column + 0.5) * wide
        shown = fitted(whole, wide - 6)
        parts.append(text(at, _BOTTOM + 16, shown, "f-soft", whole, text_anchor="middle"))
    across, up = _titles(chart)
    parts.append(text(8, _TOP - 8, f"↑ {up}" if up else "", "f-soft"))
    parts.append(
        text(_RIGHT, _BOTTOM + 34, f"→ {across}" if across else "", "f-soft", text_anchor="end")
    )
    return parts, _BOTTOM + 38.0
