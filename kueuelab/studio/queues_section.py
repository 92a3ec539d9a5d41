"""Queues and cohorts of a branch: use, shares, waiting times, preemptions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.session.figures import FIGURES, queue_rows
from kueuelab.studio.controls import text_button
from kueuelab.trace.statistics import statistics
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["QueuesSection"]

#: So many queues and cohorts are shown.
_MOST_ROWS: Final = 200
_WIDTHS: Final = " ".join(3 * ["max-content"] + ["minmax(10em,1fr)"] + 4 * ["max-content"])


class QueuesSection:
    """The tree of cohorts and ClusterQueues at the end of a run, with figures of the run."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._table = ipywidgets.GridBox()
        self._table.layout.grid_template_columns = _WIDTHS
        self._table.layout.grid_gap = "2px 12px"
        about = ipywidgets.HTML(markup("p", studio.words.text("studio.queues.about")))
        self.widget = ipywidgets.VBox([about, self._table])

    def show(self, branch: str) -> None:
        """Show the queues of a branch."""
        words, trace = self._studio.words, self._studio.session[branch].run.trace
        cells: list[Any] = [
            ipywidgets.HTML(markup("b", words.text(f"session.figures.{column}")))
            for column in ("name", *FIGURES)
        ]
        if not len(trace):
            self._table.children = ()
            return
        state, figures = trace.state_at(len(trace) - 1), statistics(trace)
        last = len(trace) - 1
        for (kind, name), depth, row in list(queue_rows(state, figures))[:_MOST_ROWS]:
            show = partial(self._studio.show_step, trace, last, (kind, name))
            title = text_button("\u2003" * depth + name, show, hover=f"{kind}/{name}")
            cells += [title, *(ipywidgets.HTML(markup("span", text)) for text in row)]
        self._table.children = cells
