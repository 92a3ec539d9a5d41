"""Charts of a sweep: parallel coordinates, heat map, Pareto front, distributions by queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from kueuelab import frontend
from kueuelab.messages import Catalog, language_of
from kueuelab.sweeps import Sweep
from kueuelab.views import sweep_charts
from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_chart import svg_of_chart
from kueuelab.views.sweep_document import SweepDocument
from kueuelab.widgets.module_widget import LinkWidget
from kueuelab.widgets.run_view import still

__all__ = ["Distributions", "HeatMap", "ParallelCoordinates", "ParetoFront"]

_numbers = count(1)


class _ChartLink(LinkWidget):
    """The kernel of a chart: it is never displayed, and answers what the chart asks."""

    def __init__(self, document: SweepDocument, board: str) -> None:
        self._document = document
        super().__init__(board=board)

    def _answer_to(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._document.answer(question)


class _SweepView:
    """A chart with its table; a click on a point plays its run again and shows it below."""

    def __init__(self, sweep: Sweep, chart: Json, language: str | Catalog) -> None:
        self.sweep = sweep
        self.document = SweepDocument(sweep, chart, language)
        self._words = language_of(language)
        self._link: _ChartLink | None = None
        self._board = f"sweep-{next(_numbers)}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.sweep!r}>"

    def as_text(self) -> str:
        """Return the numbers of the chart as text."""
        return self.document.as_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        if self._link is None:
            self._link = _ChartLink(self.document, self._board)
        picture, text = svg_of_chart(self.document.chart), self.as_text()
        shown = still(picture, text, self._words.text("widgets.as-text"))
        return {
            "text/html": frontend.fragment(self.document.as_data(), shown, self._board),
            "image/svg+xml": picture,
            "text/plain": text,
        }


class ParallelCoordinates(_SweepView):
    """A line for each run, through its values and measures.

    Examples
    --------
    >>> import kueuelab as kl
    >>> found = kl.sweep(kl.scenarios.load("reclaim-1-take-back"), seeds=2)
    >>> ParallelCoordinates(found, "waiting.max", "preemptions")
    <ParallelCoordinates of <Sweep reclaim-1-take-back: 2 runs>>
    """

    def __init__(self, sweep: Sweep, *measures: str, language: str | Catalog = "en") -> None:
        chart = sweep_charts.parallel_coordinates(sweep, measures, language)
        super().__init__(sweep, chart, language)


class HeatMap(_SweepView):
    """A measure by two factors."""

    def __init__(
        self, sweep: Sweep, x: str, y: str, measure: str, *, language: str | Catalog = "en"
    ) -> None:
        super().__init__(sweep, sweep_charts.heat_map(sweep, x, y, measure, language), language)


class ParetoFront(_SweepView):
    """Two measures of each point, and the points that no other is better than."""

    def __init__(
        self,
        sweep: Sweep,
        x: str,
        y: str,
        *,
        maximise: Sequence[str] = (),
        language: str | Catalog = "en",
    ) -> None:
        chart = sweep_charts.pareto_front(sweep, x, y, maximise, language)
        super().__init__(sweep, chart, language)


class Distributions(_SweepView):
    """A measure over the runs, queue by queue."""

    def __init__(self, sweep: Sweep, measure: str, *, language: str | Catalog = "en") -> None:
        super().__init__(sweep, sweep_charts.distributions(sweep, measure, language), language)
