"""One run of several clusters: where it is, what is shown there, and the view of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSetRun
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.names import short_name
from kueuelab.trace.step_text import step_text
from kueuelab.views.faults import Offer, offers_at
from kueuelab.views.frame.document import Document
from kueuelab.views.merge_patch import Json
from kueuelab.views.multikueue import MultiKueuePicture, picture_at
from kueuelab.widgets.clock_view import ClockView
from kueuelab.widgets.multikueue_position import MultiKueuePosition
from kueuelab.widgets.run_view import RunView

__all__ = ["MultiKueuePane"]

#: Called when a button for a fault was pressed, with its id and the cluster; returns what is wrong.
Injector = Callable[[str, str], str]

_KINDS: Final = {
    "nominated": "ClustersNominated",
    "copied": "CopyCreated",
    "removed": "CopyRemoved",
    "chosen": "WorkerChosen",
    "evicted": "Evicted",
    "connection": "WorkerConnectionChanged",
}


class MultiKueuePane(RunView):
    """Step through one run.

    Parameters
    ----------
    run
        What came of a scenario with several clusters.
    stop_at
        Where playing stops.
    inject
        What to call when a fault is asked for.
    language
        The language: a code, or a catalogue.

    Attributes
    ----------
    board
        Where it is.
    frames
        Makes the frames.
    """

    part = "multikueue"

    def __init__(
        self,
        run: ClusterSetRun,
        stop_at: Breakpoint | None,
        inject: Injector,
        language: str | Catalog | None = None,
    ) -> None:
        self.run = run
        self._inject = inject
        position = MultiKueuePosition(run, language)
        super().__init__(position, stop_at)
        self.board: MultiKueuePosition = position
        self.frames = position.document
        self.frames.stop_at = stop_at

    @property
    def document(self) -> Document:
        """The frames, from the step that is shown."""
        self.frames.start = self.board.index
        return self.frames

    @cached_property
    def widget(self) -> ClockView:
        """The widget, to be put into a layout of one's own; the frames are made for it."""
        return ClockView(self.frames, self.board, {"inject": self._asked})

    def compare(self, comparison: Json | None) -> None:
        """Show how the run compares with another one."""
        if self.frames.comparison != comparison:
            self.frames.comparison = comparison
            self.frames.start = self.board.index
            if "widget" in self.__dict__:
                self.widget.document = self.frames.as_data()

    @property
    def picture(self) -> MultiKueuePicture:
        """What is shown, as data."""
        board = self.board
        return picture_at(
            self.run,
            self.run.dispatches,
            board.index,
            state=board.cursor.state,
            sentence=step_text(board.cursor.step, board.words),
            selected=board.job,
            now=board.now,
        )

    @property
    def time(self) -> int:
        """The time that is shown, nanoseconds since the start: that of the step, or later."""
        return self.board.time - self.run.start

    def as_text(self) -> str:
        """Return lanes, jobs with their rounds, why, races and hazards as plain text."""
        return self.picture.as_text(self.board.words)

    def offers(self, cluster: str, workload: str = "") -> tuple[Offer, ...]:
        """Return the faults of a cluster, and of a workload in it, at the step shown."""
        return offers_at(self.run, self.board.cursor.state, cluster, workload)

    def go_to_time(self, nanoseconds: int) -> None:
        """Go to a time since the start: the last step by then, and the clock."""
        self.board.go_to_time(self.run.start + nanoseconds)

    def at(self, seconds: float) -> None:
        """Go to a time, in seconds since the start: the last step by then, and the clocks."""
        self.go_to_time(round(seconds * SECOND))

    def until(self, what: str, workload: str = "") -> bool:
        """Go on to the next step of a kind; tell whether there is one."""
        kind = _KINDS.get(what, what)
        for step in islice(self.run.trace.steps, self.board.index + 1, None):
            key = step.workload
            if step.kind == kind and workload in ("", key, short_name(key)):
                return self.board.go(step.index)
        return False

    def _asked(self, question: Mapping[str, Any]) -> Json:
        if "step" in question:
            self.board.go(int(question["step"]))
            self.board.pass_time(int(question.get("elapsed", 0)))
            self.board.choose(question.get("selected", {}))
        problem = self._inject(str(question["fault"]), str(question["cluster"]))
        return {"problem": problem}
