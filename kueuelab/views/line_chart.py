"""Lines that people zoom and export: for plotly, as a table, and as a still picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kueuelab.views.frame.timeline import plain
from kueuelab.views.merge_patch import Json

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
_WIDTH: Final = 900
_HEIGHT: Final = 300
_LEFT: Final = 60
_TOP: Final = 34
_BOTTOM: Final = 44


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
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(self.title)}'
            f' width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            'style="color:#555;font:12px sans-serif">'
            f"<title>{escape(self.title)}</title>{''.join(self._drawn())}</svg>"
        )

    def _styled(self) -> Iterator[tuple[tuple[str, Sequence[float]], tuple[str, str, str]]]:
        for number, line in enumerate(self.lines.items()):
            yield line, _STYLES[number % len(_STYLES)]

    def _rows(self) -> Iterator[list[str]]:
        every = max(1, -(-len(self.x) // _MOST_ROWS))
        for at in range(0, len(self.x), every):
            yield [f"{self.x[at]:g}", *(f"{values[at]:g}" for values in self.lines.values())]

    def _drawn(self) -> Iterator[str]:
        last = max((*self.x, 0)) or 1
        most = max((value for values in self.lines.values() for value in values), default=0) or 1
        right, bottom = _WIDTH - 10, _HEIGHT - _BOTTOM
        to_x = (right - _LEFT) / last
        to_y = (bottom - _TOP) / most
        for part in range(5):
            y = bottom - part * (bottom - _TOP) / 4
            yield f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#8884" fill="none"/>'
            yield _text(_LEFT - 6, y + 4, f"{most * part / 4:g}", "end")
            x = _LEFT + part * (right - _LEFT) / 4
            yield _text(x, bottom + 16, f"{last * part / 4:.4g}", "end" if part == 4 else "middle")
        yield _text(_LEFT, 16, f"{self.title} ({self.y_title})", "start")
        yield _text(right, bottom + 34, self.x_title, "end")
        place = float(_LEFT)
        for (name, values), (colour, _, dashes) in self._styled():
            path = "".join(
                f"{'H' if at else 'M'}{_LEFT + x * to_x:.1f}{'V' if at else ' '}"
                f"{bottom - value * to_y:.1f}"
                for at, (x, value) in enumerate(zip(self.x, values, strict=True))
            )
            style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}" fill="none"'
            yield f'<path d="{path}" {style}/>'
            yield f'<path d="M{place:.0f} {bottom + 30}h24" {style}/>'
            yield _text(place + 30, bottom + 34, name, "start")
            place += 50 + 7 * len(name)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="currentColor">'
        f"{escape(text)}</text>"
    )
