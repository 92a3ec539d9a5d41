"""The stepper: controls, the sentence of the step, and the cohort graph, in one."""

from __future__ import annotations

import ipywidgets

from kueuelab.messages import Catalog
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.cohort_graph import CohortGraph
from kueuelab.widgets.controls import Controls
from kueuelab.widgets.decision_panel import DecisionPanel
from kueuelab.widgets.frontend import View

__all__ = ["Stepper"]


class Stepper(View):
    """Step through a run, forwards and backwards, and see what each step decides.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    stop_at
        Where playing stops.
    compact
        With fewer controls, for a narrow place.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> stepper = Stepper(scenarios.load("within-1-all-in-one-queue").run())
    >>> stepper.next()
    >>> stepper
    <Stepper at step 11 of 112>
    >>> print(stepper.as_text().splitlines()[1])
    Cycle started: Cycle 1 starts with one head: default/job-0.
    """

    def __init__(
        self,
        run: Watched,
        stop_at: Breakpoint | None = None,
        *,
        compact: bool = False,
        language: str | Catalog | None = None,
    ) -> None:
        self.board = board_of(run, language=language)
        self.controls = Controls(self.board, stop_at, compact=compact)
        self.decision = DecisionPanel(self.board)
        self.graph = CohortGraph(self.board)
        self.widget = ipywidgets.VBox(
            [self.controls.widget, self.decision.widget, self.graph.widget]
        )
        self.widget.add_class("kl-view")

    def as_text(self) -> str:
        """Return the step and the tree as plain text."""
        return f"{self.decision.as_text()}\n\n{self.graph.as_text()}"

    def next(self) -> None:
        """Press Next."""
        self.controls.next.click()

    def previous(self) -> None:
        """Press Previous."""
        self.controls.previous.click()

    def to(self, index: int) -> None:
        """Go to a step; they count from 0."""
        self.board.go(index)
