"""The stepper: controls, the sentence of the step, the picture, the decision."""

from __future__ import annotations

from kueuelab.views.frame.text import picture_text
from kueuelab.widgets.decision_panel import DecisionPanel

__all__ = ["Stepper"]


class Stepper(DecisionPanel):
    """Step through a run, forwards and backwards, and see what each step decides.

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

    part = "stepper"

    def as_text(self) -> str:
        """Return the step and the tree as plain text."""
        return f"{super().as_text()}\n\n{picture_text(self.frame, self.board.words)}"
