"""The topology: blocks, racks and hosts with what is free, and the pods that are there."""

from __future__ import annotations

from kueuelab.views.frame.domains_text import topology_text
from kueuelab.widgets.decision_panel import DecisionPanel

__all__ = ["Topology"]


class Topology(DecisionPanel):
    """Topology domains as areas within areas: what is free, what uses the rest, where pods fit.

    It zooms into a domain, searches hosts and workloads, and reads as a table.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> topology = Topology(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(topology.as_text().splitlines()[-1])
    No flavor has a topology at this step.
    """

    part = "topology"

    def as_text(self) -> str:
        """Return the step and the domains as plain text."""
        return f"{super().as_text()}\n\n{topology_text(self.frame, self.board.words)}"
