"""A chart of a sweep as a still picture: SVG that needs no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.views.merge_patch import Json

__all__ = ["svg_of_chart"]

_WIDTH: Final = 900
_HEIGHT: Final = 320
_LEFT: Final = 110
_RIGHT: Final = 880
_TOP: Final = 34
_BOTTOM: Final = 262
_GREY: Final = "#8a8a8a"
_LINE: Final = "#0072b2"
#: More columns than this have no room for their names.
_MOST_NAMES: Final = 12


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
    drawn = _heat_map(chart["traces"][0]) if "heatmap" in kinds else _plane(chart)
    layout = chart["layout"]
    names = [
        unescape(layout.get(axis, {}).get("title", {}).get("text", ""))
        for axis in ("xaxis", "yaxis")
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(title)}'
        f' width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' style="max-width:100%;height:auto;font:12px sans-serif" fill="#1a1a1a">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>'
        f"{_text(8, 20, title, 'start')}{''.join(drawn)}"
        f"{_text(_RIGHT, _HEIGHT - 8, names[0] and f'→ {names[0]}', 'end')}"
        f"{_text(8, _HEIGHT - 8, names[1] and f'↑ {names[1]}', 'start')}</svg>"
    )


def _plane(chart: Json) -> Iterator[str]:
    """Yield lines and points between two axes."""
    traces = [_placed(trace, number) for number, trace in enumerate(chart["traces"])]
    xs = [x for each in traces for x in each["x"]]
    ys = [y for each in traces for y in each["y"]]
    if not xs:
        return
    to_x, to_y = _Scale(xs, _LEFT + 40, _RIGHT - 40), _Scale(ys, _BOTTOM - 8, _TOP + 8)
    yield f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="{_GREY}"/>'
    yield from _ticks(chart, traces, xs, ys, to_x, to_y)
    for trace in traces:
        places = [(to_x(x), to_y(y)) for x, y in zip(trace["x"], trace["y"], strict=True)]
        colour = trace.get("line", {}).get("color", _LINE)
        if "lines" in trace.get("mode", "markers"):
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            yield f'<path d="M{path}" fill="none" stroke={quoteattr(colour)}/>' if path else ""
        point = trace.get("marker", {}).get("color", colour)
        for (x, y), text in zip(places, trace["text"], strict=True):
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" stroke={quoteattr(point)}'
                f' stroke-width="2"><title>{escape(unescape(text))}</title></circle>'
            )


class _Scale:
    """Where a number is drawn between two ends."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.low, self.high = min(values), max(values)
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self._start + part * (self._end - self._start)


def _placed(trace: Json, number: int) -> Json:
    """Return a trace with numbers for its places: a box is a column of points."""
    count = len(trace["y"])
    xs = trace.get("x") or [number] * count
    return {**trace, "x": xs, "text": trace.get("text") or [str(each) for each in trace["y"]]}


def _ticks(
    chart: Json,
    traces: Sequence[Json],
    xs: Sequence[float],
    ys: Sequence[float],
    to_x: _Scale,
    to_y: _Scale,
) -> Iterator[str]:
    axis = chart["layout"].get("xaxis", {})
    names: dict[float, str] = dict(
        zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=True)
    )
    if all(trace["type"] == "box" for trace in traces):
        names = {number: trace["name"] for number, trace in enumerate(traces)}
    names = names or {x: f"{x:.4g}" for x in (min(xs), max(xs))}
    for x, name in list(names.items())[:_MOST_NAMES]:
        for line, text in enumerate(unescape(name).split("<br>")):
            yield _text(to_x(x), _BOTTOM + 16 + 14 * line, text, "middle")
    if chart["layout"].get("yaxis", {}).get("visible", True):
        for y in {min(ys), max(ys)}:
            yield _text(_LEFT - 6, to_y(y) + 4, f"{y:.4g}", "end")


def _heat_map(trace: Json) -> Iterator[str]:
    """Yield a cell for each pair of values, darker for more, with its number."""
    known = [value for line in trace["z"] for value in line if value is not None]
    wide = (_RIGHT - _LEFT) / max(1, len(trace["x"]))
    high = (_BOTTOM - _TOP) / max(1, len(trace["y"]))
    shade = _Scale(known or [0], 0.1, 0.7)
    for row, (name, line) in enumerate(zip(trace["y"], trace["z"], strict=True)):
        # The first is the lowest, as plotly draws it.
        y = _BOTTOM - (row + 1) * high
        yield _text(_LEFT - 6, y + high / 2 + 4, unescape(name), "end")
        for column, value in enumerate(line):
            if value is None:
                continue
            x = _LEFT + column * wide
            yield (
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"'
                f' fill="{_LINE}" fill-opacity="{shade(value):.2f}" stroke="#ffffff"/>'
            )
            yield _text(x + wide / 2, y + high / 2 + 4, f"{value:.4g}", "middle")
    for column, name in enumerate(trace["x"][:_MOST_NAMES]):
        yield _text(_LEFT + (column + 0.5) * wide, _BOTTOM + 16, unescape(name), "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'
