"""Lines that people zoom and export: for plotly, as a table, and as a still picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kueuelab.views.frame.timeline import plain
from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_axes import Axis, entries, grid
from kueuelab.views.svg_drawing import WIDTH, path, picture, text

__all__ = ["LineChartData"]

#: Colours that colour-blind readers tell apart, and a pattern of dashes beside each.
_STYLES: Final = (
    ("#d55e00", "solid", ""),
    ("#009e73", "dash", "8 4"),
    ("#0072b2", "dot", "2 3"),
    ("#aa4499", "dashdot", "8 3 2 3"),
)
#: Longer tables have each second, third, … row.
_MOST_ROWS: Final = 40
_LEFT: Final = 60
_TOP: Final = 46
_BOTTOM: Final = 256


@dataclass(frozen=True, slots=True)
class LineChartData:
    """Lines over the same places, each value kept until the next place.

    Attributes
    ----------
    title
        What the chart shows.
    x
        The places, ascending.
    lines
        The values at the places, by the name of the line.
    x_title, y_title
        What the numbers are.
    """

    title: str
    x: Sequence[float]
    lines: Mapping[str, Sequence[float]]
    x_title: str = ""
    y_title: str = ""

    def as_data(self) -> Json:
        """Return the chart for plotly, with its table."""
        soft = "rgba(128,128,128,0.2)"
        return {
            "title": self.title,
            "traces": [
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": plain(name),
                    "x": list(self.x),
                    "y": list(values),
                    "line": {"shape": "hv", "width": 2, "color": colour, "dash": dash},
                }
                for (name, values), (colour, dash, _) in self._styled()
            ],
            "layout": {
                "xaxis": {"title": {"text": plain(self.x_title)}, "gridcolor": soft},
                "yaxis": {"title": {"text": plain(self.y_title)}, "gridcolor": soft},
                "hovermode": "x unified",
            },
            "columns": [self.x_title, *self.lines],
            "rows": list(self._rows()),
        }

    def as_text(self) -> str:
        """Return the table as text."""
        rows = [[self.x_title, *self.lines], *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join([self.title, *lines])

    def as_svg(self) -> str:
        """Return the chart as SVG, with every text escaped."""
        x = Axis([0, *self.x], _LEFT, WIDTH - 16, self.x_title)
        values = (value for line in self.lines.values() for value in line)
        y = Axis([0, *values], _BOTTOM, _TOP, self.y_title)
        parts = [text(8, 18, self.title, font_weight="650"), *grid(x, y)]
        signs = []
        for (name, line), (colour, _, dashes) in self._styled():
            stairs, sign = (
                path(d, "", stroke=colour, stroke_width=2, stroke_dasharray=dashes or "none")
                for d in (_stairs(self.x, line, x, y), "M0 5h24")
            )
            parts.append(stairs)
            signs.append((sign, name))
        drawn, height = entries(signs, _LEFT, _BOTTOM + 42)
        return picture(WIDTH, _BOTTOM + 48 + height, self.title, [*parts, *drawn])

    def _styled(self) -> Iterator[tuple[tuple[str, Sequence[float]], tuple[str, str, str]]]:
        for number, line in enumerate(self.lines.items()):
            yield line, _STYLES[number % len(_STYLES)]

    def _rows(self) -> Iterator[list[str]]:
        every = max(1, -(-len(self.x) // _MOST_ROWS))
        for at in range(0, len(self.x), every):
            yield [f"{self.x[at]:g}", *(f"{values[at]:g}" for values in self.lines.values())]


def _stairs(places: Sequence[float], values: Sequence[float], x: Axis, y: Axis) -> str:
    """Return a line on which each value holds until the next place."""
    found = ""
    for place, value in zip(places, values, strict=True):
        at, height = f"{x(place):.1f}", f"{y(value):.1f}"
        found += f"H{at}V{height}" if found else f"M{at} {height}"
    return found
