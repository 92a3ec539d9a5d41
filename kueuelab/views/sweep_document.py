"""The document of a chart of a sweep, and the runs that are opened from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from kueuelab.frontend import said
from kueuelab.frontend.plotly_source import plotly_source
from kueuelab.messages import Catalog, language_of
from kueuelab.model.releases import RELEASE
from kueuelab.trace.text_table import text_table
from kueuelab.views.frame.answers import answer
from kueuelab.views.frame.document import FORMAT, VERSION, Document
from kueuelab.views.merge_patch import Json

if TYPE_CHECKING:
    from kueuelab.sweeps import Sweep

__all__ = ["SweepDocument"]

#: So many runs are kept that were opened.
_MOST_KEPT: Final = 8


class SweepDocument:
    """A chart of a sweep, for the front end.

    Parameters
    ----------
    sweep
        The sweep.
    chart
        What a function of :mod:`kueuelab.views.sweep_charts` returned.
    language
        The language.
    """

    def __init__(self, sweep: Sweep, chart: Json, language: str | Catalog = "en") -> None:
        self._sweep = sweep
        self.chart = chart
        self._words = language_of(language)
        self._opened: dict[int, Document] = {}

    def as_data(self) -> Json:
        """Return the document."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kueueVersion": RELEASE.version,
            "name": self._sweep.plan.spec.name,
            "title": self.chart["title"],
            "language": self._words.language,
            "words": self._words.table(said(topologies=False, clusters=False)),
            "view": "chart",
            "steps": 0,
            "start": 0,
            "chunk": 1,
            "chunks": {"0": {"first": 0, "key": {}, "patches": []}},
            "charts": [self.chart],
        }

    def as_text(self) -> str:
        """Return the numbers of the chart as text."""
        rows = [[str(cell) for cell in row] for row in self.chart["rows"]]
        return f"{self.chart['title']}\n{text_table(self.chart['columns'], rows)}"

    def answer(self, question: Mapping[str, Any]) -> Json:
        """Return the answer to a question: plotly, a run, or what a run that is open is asked."""
        if "run" not in question:
            source = plotly_source() if question.get("ask") == "plotly" else None
            return {"source": source} if source else {}
        run = int(question["run"])
        if not 0 <= run < len(self._sweep.plan):
            return {}
        document = self._document(run)
        if question.get("ask") == "open":
            return {"document": document.as_data()}
        return answer(document, question)

    def _document(self, run: int) -> Document:
        found = self._opened.get(run)
        if found is None:
            if len(self._opened) >= _MOST_KEPT:
                del self._opened[next(iter(self._opened))]
            found = self._opened[run] = Document(self._sweep.run(run), language=self._words)
        return found
