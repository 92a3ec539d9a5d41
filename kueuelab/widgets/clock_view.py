"""A view of frames with a clock: time goes by between two steps, too."""

from __future__ import annotations

from typing import Any

import traitlets

from kueuelab.views import Document
from kueuelab.widgets.frame_view import Answers, FrameView
from kueuelab.widgets.multikueue_position import MultiKueuePosition

__all__ = ["ClockView"]


class ClockView(FrameView):
    """A view of several clusters; its clock and that of the board show the same.

    Parameters
    ----------
    document
        What is shown.
    position
        The place in the run, with its clock.
    answers
        Answers to more questions, by their name.
    """

    elapsed = traitlets.Int(0).tag(sync=True, echo_update=False)
    #: Where the widget is there, the part of the page with the same board is not shown.
    covers = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self, document: Document, position: MultiKueuePosition, answers: Answers | None = None
    ) -> None:
        self._position = position
        #: Step and clock go together: while one side sets both, the other does not answer.
        self._busy = False
        super().__init__(document, position, answers=answers)
        self.elapsed = position.elapsed
        self.observe(self._moved, names="elapsed")

    def _moved(self, _: Any) -> None:
        if self._busy:
            return
        elapsed = self.elapsed
        self._busy = True
        with self._telling("step", "elapsed"):
            self._position.go(self.step)
            self._position.pass_time(elapsed)
        self._busy = False

    def _follow(self, moved: bool) -> None:
        if self._busy:
            return
        self._busy = True
        super()._follow(moved)
        self.elapsed = self._position.elapsed
        self._busy = False
