"""A chart of lines in a cell: drawn by plotly when it comes into view, a table without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from kueuelab import frontend
from kueuelab.frontend.plotly_source import plotly_source
from kueuelab.messages import Catalog, language_of
from kueuelab.model.releases import RELEASE
from kueuelab.views.line_chart import LineChartData
from kueuelab.views.merge_patch import Json
from kueuelab.widgets.module_widget import LinkWidget
from kueuelab.widgets.run_view import still

__all__ = ["LineChart"]


class _Plotly(LinkWidget):
    """The kernel of a chart: it is never displayed, and gives plotly."""

    def _answer_to(self, question: Mapping[str, Any]) -> Json:
        return {"source": plotly_source()} if question.get("ask") == "plotly" else {}


class LineChart:
    """Lines over the same places, to be zoomed and exported; the same numbers as a table.

    Parameters
    ----------
    title
        What the chart shows.
    x
        The places, ascending; each value holds until the next place.
    lines
        The values at the places, by the name of the line.
    x_title, y_title
        What the numbers are.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> print(LineChart("Shares", [0, 1], {"red": [0, 500]}, x_title="minutes").as_text())
    Shares
    minutes  red
          0    0
          1  500
    """

    def __init__(
        self,
        title: str,
        x: Sequence[float],
        lines: Mapping[str, Sequence[float]],
        *,
        x_title: str = "",
        y_title: str = "",
        language: str | Catalog | None = None,
    ) -> None:
        self.data = LineChartData(title, x, lines, x_title, y_title)
        self._words = language_of(language)
        self._link: _Plotly | None = None

    def as_text(self) -> str:
        """Return the table as text."""
        return self.data.as_text()

    def __repr__(self) -> str:
        return f"<LineChart {self.data.title!r}: {', '.join(self.data.lines)}>"

    @property
    def document(self) -> Json:
        """What the front end shows."""
        return {
            "format": "kueuelab-frames",
            "version": 1,
            "kueueVersion": RELEASE.version,
            "name": self.data.title,
            "title": self.data.title,
            "language": self._words.language,
            "words": self._words.table(frontend.said(topologies=False, clusters=False)),
            "view": "chart",
            "steps": 0,
            "start": 0,
            "chunk": 1,
            "chunks": {},
            "charts": [self.data.as_data()],
        }

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        if self._link is None:
            self._link = _Plotly(board=f"chart-{uuid4().hex}")
        picture, text = self.data.as_svg(), self.as_text()
        shown = still(picture, text, self._words.text("widgets.as-text"))
        return {
            "text/html": frontend.fragment(self.document, shown, self._link.board),
            "image/svg+xml": picture,
            "text/plain": text,
        }
