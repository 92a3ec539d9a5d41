"""The decision panel: the sentence of the step, its numbers, the candidates."""

from __future__ import annotations

from kueuelab.views.frame.text import decision_text
from kueuelab.widgets.run_view import RunView

__all__ = ["DecisionPanel"]


class DecisionPanel(RunView):
    """What the step says, its numbers, and the verdict on every candidate, with the rule.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> panel = DecisionPanel(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(panel.as_text())
    Step 10 of 112, at 1s
    Workload created: default/job-0 is submitted to LocalQueue team-a-jobs with priority 100.
      ClusterQueue  team-a
      priority      100
      phase         Pending
      requests      200m cpu
      waiting       since 1s, for 0s
    What this step changes:
      job-0 is in its queue
      job-0 is new: Pending
    """

    part = "decision"

    def as_text(self) -> str:
        """Return the sentence, the numbers and the table of candidates."""
        trace = self.board.trace
        return decision_text(self.frame, len(trace), len(trace.cycles), self.board.words)
