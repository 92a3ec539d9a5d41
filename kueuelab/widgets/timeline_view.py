"""The timeline: every workload's phases, queue lengths, use of quota."""

from __future__ import annotations

from functools import cached_property

from kueuelab.views import Timeline as Data
from kueuelab.views import timeline_of
from kueuelab.views.svg_timeline import svg_of_timeline
from kueuelab.widgets.run_view import RunView

__all__ = ["Timeline"]


class Timeline(RunView):
    """Phases of all workloads over time; lengths of queues and use of quota below them.

    A click goes to where the phase begins. A vertical line is where the run is now.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(Timeline(scenarios.load("within-3-victim-elsewhere").run()).as_text())
    workload       phases and their start
    default/job-0  Pending at 1s, Admitted at 1s
    default/job-1  Pending at 4s, Admitted at 4s
    default/job-2  Pending at 7s
    """

    part = "timeline"

    @cached_property
    def data(self) -> Data:
        """What is shown, as data."""
        return timeline_of(self.board.run_index)

    def as_svg(self) -> str:
        """Return the phases as SVG."""
        return svg_of_timeline(self.data, self.board.words)

    def as_text(self) -> str:
        """Return one line per workload with its phases."""
        return self.data.as_text(self.board.words)
