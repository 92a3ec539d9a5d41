"""The queues panel: what is pending in which ClusterQueue, in which order, and why."""

from __future__ import annotations

from functools import cached_property

from kueuelab.messages import Catalog
from kueuelab.views import Queues, queues_at
from kueuelab.views.frame.document import Document
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frame_view import FrameView
from kueuelab.widgets.frontend import View

__all__ = ["QueuesPanel"]


class QueuesPanel(View):
    """Pending workloads per ClusterQueue in their order; the inadmissible ones with the reason.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(QueuesPanel(scenarios.load("within-1-all-in-one-queue").run()).as_text())
    cluster-queue: 0 admitted, 1 pending
      #  workload       priority  place         why
      1  default/job-0  100       in the queue
    cohort-queue: 0 admitted, 0 pending
    """

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)

    @cached_property
    def frames(self) -> Document:
        """Makes the frames."""
        return Document(self.board.run_index, "queues", self.board.index)

    @cached_property
    def widget(self) -> FrameView:
        """The widget, to be put into a layout of one's own."""
        return FrameView(self.frames, self.board)

    def as_text(self) -> str:
        """Return each ClusterQueue with the workloads that are pending in it."""
        return self.queues.as_text()

    @property
    def queues(self) -> Queues:
        """What is shown, as data."""
        return queues_at(self.board.run_index, self.board.index)
