"""The controls of the MultiKueue board: rounds and jobs across clusters to step over."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from typing import Final

from kueuelab.messages import Catalog, Message
from kueuelab.model.times import SECOND
from kueuelab.multikueue.dispatches import Dispatches
from kueuelab.trace.breakpoints import EVENTS, MULTIKUEUE_EVENTS, Breakpoint
from kueuelab.trace.names import qualified
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace
from kueuelab.views import RunIndex
from kueuelab.views.decision import Decision
from kueuelab.views.multikueue import moment_of
from kueuelab.widgets.board import Board
from kueuelab.widgets.breakpoints import ANYTHING, options_in
from kueuelab.widgets.controls import Controls
from kueuelab.widgets.decision_panel import DecisionPanel

__all__ = ["MultiKueueControls", "MultiKueueDecision", "MultiKueuePosition"]

#: What tells the explanation: everything but how the decisions come about.
_STORY: Final = (
    *(kind for kind, _ in MULTIKUEUE_EVENTS.values()),
    "WorkloadCreated",
    "QuotaReserved",
    "Admitted",
    "Evicted",
    "Deactivated",
    "CheckStateChanged",
    "Pending",
    "Finished",
    "WorkloadDeleted",
    "ClusterNameRefused",
    "StatusRefused",
    "CheckActivityChanged",
)
_ROUNDS: Final = ("ClustersNominated",)
_CYCLES: Final = ("CycleStarted",)
_STEPS: Final = Message("widgets.controls.every-step")
_EVENTS: Final = "events"
_JOB: Final = Message("widgets.controls.selected-job")
_STRIDES: Final[Mapping[str, tuple[str, ...]]] = {
    _EVENTS: _STORY,
    "rounds": _ROUNDS,
    "cycles": _CYCLES,
}


class MultiKueueRunIndex(RunIndex):
    """Says in which cluster a step is."""

    def decision(self, index: int) -> Decision:
        """Return what a step decides."""
        return replace(super().decision(index), moment=moment_of(self.trace, index))


class MultiKueuePosition(Board):
    """A board on which a copy and the job that it is a copy of are selected as one.

    Attributes
    ----------
    dispatches
        What the manager did with each job.
    manager
        The manager's name.
    now
        What the clock shows if some time has gone by since the step, nanoseconds since 1970.
    """

    now: int | None = None

    def __init__(
        self,
        trace: Trace,
        dispatches: Dispatches,
        manager: str,
        language: str | Catalog | None = None,
    ) -> None:
        super().__init__(trace, language=language)
        self.dispatches = dispatches
        self.manager = manager
        self._shown = self.cursor.step.time
        self.run_index = MultiKueueRunIndex(trace, self.words)

    def select(self, kind: str, name: str, cluster: str = "") -> None:
        """Select something in all views; a copy stands for the manager's workload."""
        cluster = cluster or self.cursor.step.cluster
        if kind == "Workload" and (cluster, name) in self.dispatches.copies:
            cluster = self.manager
        super().select(kind, name, cluster)

    def move(self, move: Callable[[Cursor], bool]) -> bool:
        """Move the cursor; the clock goes with it, unless the move sets it."""
        self._shown = self.time
        before, self.now = self.now, None
        moved = super().move(move)
        if not moved:
            self.now = before
        return moved

    def go_to_time(self, when: int) -> None:
        """Go to a time, in nanoseconds since 1970: to the last step by then, and the clock."""
        self.move(lambda cursor: self._to_time(cursor, when))

    def _to_time(self, cursor: Cursor, when: int) -> bool:
        steps = cursor.trace.steps
        when = max(when, steps[0].time)
        cursor.to(bisect_right(steps, when, key=lambda step: step.time) - 1)
        self.now = when if when > cursor.step.time else None
        return True

    @property
    def time(self) -> int:
        """What the clock shows, nanoseconds since 1970."""
        return self.cursor.step.time if self.now is None else self.now

    def after(self, cursor: Cursor, span: int) -> bool:
        """Let so much time go by, or back; at the ends nothing goes on."""
        steps = cursor.trace.steps
        when = self._shown + span
        if span > 0 and cursor.at_end:
            return False
        if when <= steps[0].time:
            return cursor.start()
        return self._to_time(cursor, when)

    @property
    def job(self) -> str:
        """The key of the selected job in its cluster, ``""`` if none is selected."""
        return self.workload

    def clusters_with(self, cluster: str, key: str) -> frozenset[str]:
        """Return the clusters in which a job is: its own, and those that had copies of it."""
        if cluster != self.manager:
            return frozenset({cluster})
        copies = (worker for worker, copied in self.dispatches.copies if copied == key)
        return frozenset({cluster, *copies})


class MultiKueueControls(Controls):
    """Buttons and a slider that move over rounds, events, and steps about a job, too.

    Parameters
    ----------
    board
        The board of a run.
    stop_at
        Where playing stops.
    """

    def __init__(self, board: MultiKueuePosition, stop_at: Breakpoint | None = None) -> None:
        self._multikueue = board
        told = {(step.cluster, step.workload) for step in board.trace if step.workload}
        jobs = sorted(told - board.dispatches.copies)
        self._jobs = {qualified(*job): job for job in jobs}
        super().__init__(board, stop_at)
        strides = (
            _STEPS,
            *_STRIDES,
            Message("widgets.controls.one-second"),
            Message("widgets.controls.one-minute"),
            _JOB,
        )
        self.stride.options = options_in(board.words, strides)
        events = (ANYTHING, *MULTIKUEUE_EVENTS, *EVENTS)
        self.event.options = options_in(board.words, events)
        self.follow_options((ANYTHING, *self._jobs))

    def _select(self, shown: str) -> None:
        cluster, key = self._jobs.get(shown, (self._multikueue.cluster, self._multikueue.workload))
        self._multikueue.select("Workload", key, cluster)

    def _forward(self, cursor: Cursor) -> bool:
        return self._stride(cursor, +1)

    def _back(self, cursor: Cursor) -> bool:
        return self._stride(cursor, -1)

    def _stride(self, cursor: Cursor, way: int) -> bool:
        chosen = self.stride.value
        if chosen.startswith("one "):
            return self._multikueue.after(
                cursor,
                way * (60 if chosen == Message("widgets.controls.one-minute") else 1) * SECOND,
            )
        if chosen == _JOB and self._multikueue.workload:
            return self._about_job(cursor, way)
        kinds = _STRIDES.get(chosen)
        if kinds is None:
            return cursor.forward() if way > 0 else cursor.back()
        places = cursor.trace.of_kind(*kinds)
        if way > 0:
            at = bisect_right(places, cursor.index)
            return cursor.to(places[at]) if at < len(places) else cursor.end()
        at = bisect_left(places, cursor.index)
        return cursor.to(places[at - 1]) if at else cursor.start()

    def _about_job(self, cursor: Cursor, way: int) -> bool:
        condition = self._of_job()
        return cursor.until(condition) if way > 0 else cursor.back_until(condition)

    def _of_job(self) -> Breakpoint:
        """Return where the selected job, or a copy of it, has a step."""
        key = self._multikueue.workload
        clusters = self._multikueue.clusters_with(self._multikueue.cluster, key)
        return Breakpoint(
            lambda step: step.workload == key and step.cluster in clusters,
            f"workload {self._multikueue.shown_workload!r}",
        )

    def _breakpoint(self, *, about: bool = True) -> Breakpoint | None:
        followed = self._multikueue.workload if about else ""
        wanted = [self._of_job()] if followed else []
        typed = self.stops.typed(about=False)
        wanted += [] if typed is None else [typed]
        found = [reduce(and_, wanted)] if wanted else []
        found += self.stops.added
        found += [] if self.stop_at is None else [self.stop_at]
        return reduce(or_, found) if found else None


class MultiKueueDecision(DecisionPanel):
    """What a step decides; what is selected is told below the lanes, cluster by cluster."""

    def _selection(self) -> str:
        return ""
