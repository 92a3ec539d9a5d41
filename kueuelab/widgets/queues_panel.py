"""The queues panel: what is pending in which ClusterQueue, in which order, and why."""

from __future__ import annotations

from kueuelab.views.frame.text import queues_text
from kueuelab.widgets.run_view import RunView

__all__ = ["QueuesPanel"]


class QueuesPanel(RunView):
    """Pending workloads per ClusterQueue in their order; the inadmissible ones with the reason.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(QueuesPanel(scenarios.load("within-1-all-in-one-queue").run()).as_text())
    team-a: 0 admitted, 1 pending
      #  workload       priority  place         why
      1  default/job-0  100       in the queue
    team-b: 0 admitted, 0 pending
    """

    part = "queues"

    def as_text(self) -> str:
        """Return each ClusterQueue with the workloads that are pending in it."""
        return queues_text(self.frame, self.board.words)
