"""A sequence diagram of one job's history across clusters."""

from __future__ import annotations

from functools import cached_property

from kueuelab.messages import Catalog
from kueuelab.multikueue import ClusterSetRun
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.multikueue_document import SequenceDocument
from kueuelab.views.sequence import sequence_of
from kueuelab.views.svg_sequence import svg_of_sequence
from kueuelab.widgets.board import Board
from kueuelab.widgets.run_view import RunView

__all__ = ["SequenceDiagram"]


class SequenceDiagram(RunView):
    r"""The history of one job: a lifeline for each cluster, an arrow for each message.

    Parameters
    ----------
    run
        What :func:`kueuelab.multikueue.load` and its ``run`` gave.
    workload
        ``namespace/name``, or the name alone.
    language
        The language: a code, or a catalogue.

    Attributes
    ----------
    sequence
        What is shown, as data.
    widget
        The widget, to be put into a layout of one's own.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> diagram = SequenceDiagram(mk.load("lost-worker").run(), "train")
    >>> print("\n".join(diagram.as_text().splitlines()[:6]))
    train: manager, w1, w2
      1s       manager: submitted
      1s       manager: quota reserved
      1.1s     manager: nominates w1, w2
      1.1s     manager → w1: creates a copy
      1.1s     w1: quota reserved
    """

    part = "sequence"

    def __init__(
        self, run: ClusterSetRun, workload: str, *, language: str | Catalog | None = None
    ) -> None:
        self.sequence = sequence_of(run, workload)
        super().__init__(_Lifecycle(run, self.sequence.workload, language))

    @property
    def document(self) -> Document:
        """The frames of the run: sentences only."""
        return self.board.document

    def as_text(self) -> str:
        """Return the sequence, one message a line."""
        return self.sequence.as_text(self.board.words)

    def as_svg(self) -> str:
        """Return the diagram as SVG, without a script and with every text escaped."""
        return svg_of_sequence(self.sequence, self.board.words)

    def __repr__(self) -> str:
        return (
            f"<SequenceDiagram of {self.sequence.workload}: {len(self.sequence.messages)} messages>"
        )


class _Lifecycle(Board):
    """The place in the lifecycle of one job."""

    def __init__(
        self, run: ClusterSetRun, workload: str, language: str | Catalog | None = None
    ) -> None:
        frames = SequenceDocument(run, workload, language)
        super().__init__(run.trace, frames.start, language)
        self._frames = frames

    @cached_property
    def document(self) -> Document:
        """The frames of the run."""
        return self._frames
