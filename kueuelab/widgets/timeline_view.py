"""The timeline: every workload's phases, queue lengths, use of quota."""

from __future__ import annotations

from functools import cached_property

from kueuelab.messages import Catalog
from kueuelab.views import Timeline as Data
from kueuelab.views import timeline_of
from kueuelab.views.frame.document import Document
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frame_view import FrameView
from kueuelab.widgets.frontend import View

__all__ = ["Timeline"]


class Timeline(View):
    """Phases of all workloads over time; lengths of queues and use of quota below them.

    A click goes to where the phase begins. A vertical line is where the run is now.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(Timeline(scenarios.load("within-3-victim-elsewhere").run()).as_text())
    workload       phases and their start
    default/job-0  Pending at 1s, Admitted at 1s
    default/job-1  Pending at 4s, Admitted at 4s
    default/job-2  Pending at 7s
    """

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)

    @cached_property
    def data(self) -> Data:
        """What is shown, as data."""
        return timeline_of(self.board.run_index)

    @cached_property
    def frames(self) -> Document:
        """Makes the frames."""
        return Document(self.board.run_index, "timeline", self.board.index)

    @cached_property
    def widget(self) -> FrameView:
        """The widget, to be put into a layout of one's own."""
        return FrameView(self.frames, self.board)

    def as_text(self) -> str:
        """Return one line per workload with its phases."""
        return self.data.as_text()
