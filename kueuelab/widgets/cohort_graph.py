"""The cohort graph: the tree, bars of quota, chips of workloads, arrows of borrowing."""

from __future__ import annotations

from kueuelab.views.frame.text import picture_text
from kueuelab.widgets.run_view import RunView

__all__ = ["CohortGraph"]


class CohortGraph(RunView):
    """Cohorts, ClusterQueues and LocalQueues as a tree with their quota and workloads.

    Bars show the nominal quota of each flavor and resource, what is borrowed and lent, and
    limits; chips are workloads, as wide as their request. What is selected in it is selected in
    all views of the run.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> graph = CohortGraph(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(graph.as_text().splitlines()[1])
      [....................] default/cpu, 0 of 700m used
    """

    part = "cohorts"

    def as_text(self) -> str:
        """Return the tree as an indented list."""
        return picture_text(self.frame, self.board.words)
