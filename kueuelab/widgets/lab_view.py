"""All views of a run together: what is selected in one is selected in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import ipywidgets

from kueuelab.messages import Catalog
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.cohort_graph import CohortGraph
from kueuelab.widgets.controls import Controls
from kueuelab.widgets.decision_panel import DecisionPanel
from kueuelab.widgets.frontend import View
from kueuelab.widgets.queues_panel import QueuesPanel
from kueuelab.widgets.timeline_view import Timeline
from kueuelab.widgets.why_panel import WhyPanel

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun
    from kueuelab.widgets.what_if import WhatIf

__all__ = ["Lab", "lab"]


class Lab(View):
    """Controls, cohort graph, decision, timeline and queues of one run, moving together.

    Attributes
    ----------
    controls, graph, decision, why, queues, timeline
        The views it is made of.
    pages
        The tabs beside the graph.
    what_if
        The editor below, ``None`` if the run can't be forked (a trace, for instance).
    """

    def __init__(
        self,
        run: Watched,
        stop_at: Breakpoint | None = None,
        *,
        language: str | Catalog | None = None,
    ) -> None:
        self.board = board_of(run, language=language)
        self.controls = Controls(self.board, stop_at)
        self.decision = DecisionPanel(self.board)
        self.timeline = Timeline(self.board)
        self.queues = QueuesPanel(self.board)
        self.why = WhyPanel(self.board)
        # Views follow in this order. The graph takes longest to draw, so it is the last: what
        # comes after it would be shown a picture later.
        self.graph = CohortGraph(self.board)
        self._beside = (self.decision, self.why, self.queues, self.timeline)
        left = ipywidgets.VBox([self.graph.widget])
        left.layout.flex = "3 1 420px"
        left.layout.min_width = "320px"
        self.pages = pages = ipywidgets.Tab(
            children=[view.widget for view in self._beside],
            titles=tuple(
                self.board.words.text(f"widgets.lab.{page}")
                for page in ("decision", "why", "queues", "timeline")
            ),
        )
        pages.add_class("kl-pages")
        pages.observe(lambda change: self._turn_to(change["new"]), names="selected_index")
        self._turn_to(0)
        pages.layout.flex = "2 1 380px"
        pages.layout.min_width = "320px"
        middle = ipywidgets.HBox([left, pages])
        middle.add_class("kl-middle")
        stepping = ipywidgets.VBox([self.controls.widget, middle])
        stepping.add_class("kl-view")
        self.widget = ipywidgets.VBox([stepping])
        self.widget.add_class("kl-lab")
        self.what_if = self._editor(run)

    def _editor(self, run: object) -> WhatIf | None:
        """Put the what-if editor below, where the run can be forked; it opens on demand."""
        if not hasattr(run, "fork"):
            return None
        # Only who opens it needs it, and the rooms behind it.
        from kueuelab.widgets.what_if import WhatIf

        editor = WhatIf(cast("LabRun", run), self.board)
        drawer = ipywidgets.Accordion(
            children=[editor.widget], titles=(self.board.words.text("widgets.what-if.title"),)
        )
        self.widget.children = [*self.widget.children, drawer]
        return editor

    def _turn_to(self, page: int | None) -> None:
        for number, view in enumerate(self._beside):
            view.set_visible(number == page)

    def as_text(self) -> str:
        """Return all views as plain text, one after another."""
        views = (self.decision, self.graph, self.queues, self.timeline)
        return "\n\n".join(view.as_text() for view in views)


def lab(
    run: Watched,
    stop_at: Breakpoint | None = None,
    *,
    language: str | Catalog | None = None,
) -> Lab:
    """Show everything about a run in one view.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    stop_at
        Where playing stops.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> view = lab(scenarios.load("reclaim-1-take-back").run())
    >>> view.board.select("Workload", "default/job-1")
    >>> view.controls.about.value
    'default/job-1'
    """
    return Lab(run, stop_at, language=language)
