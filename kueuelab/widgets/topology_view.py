"""The topology: blocks, racks and hosts with what is free, and the pods that are there."""

from __future__ import annotations

from kueuelab.views.frame.domains_text import topology_text
from kueuelab.views.frame.lacking import pods_without_place
from kueuelab.views.frame.room_text import room_text
from kueuelab.views.svg_topology import svg_of_topology
from kueuelab.widgets.decision_panel import DecisionPanel
from kueuelab.widgets.why_panel import WhyPanel

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

    def picture_at(self, index: int) -> str:
        """Return the domains after a step as SVG."""
        trace = self.board.trace
        frame = self.board.document.frame(index)
        return svg_of_topology(frame, trace.title or trace.name, self.board.words)

    def as_text(self) -> str:
        """Return the step and the domains as plain text, and why the workload is where it is.

        It is about the selected workload, or else about the one that the step is about.
        """
        words, board = self.board.words, self.board
        parts = [super().as_text()]
        if workload := board.workload or board.cursor.step.workload:
            lacking = pods_without_place(board.trace)
            parts.append(room_text(self.frame, lacking, workload, words))
            parts.append(WhyPanel(board).as_text())
        parts.append(topology_text(self.frame, words))
        return "\n\n".join(filter(None, parts))
