"""The controls of the MultiKueue board: rounds and jobs across clusters to step over."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from typing import Final

from kueuelab.model.times import SECOND
from kueuelab.trace.breakpoints import EVENTS, MULTIKUEUE_EVENTS, Breakpoint
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace
from kueuelab.widgets.board import Board
from kueuelab.widgets.controls import Controls
from kueuelab.widgets.decision_panel import DecisionPanel
from kueuelab.widgets.viewmodel import RunIndex
from kueuelab.widgets.viewmodel.decision import Decision
from kueuelab.widgets.viewmodel.dispatch import Dispatches, without_clusters
from kueuelab.widgets.viewmodel.multikueue import moment_of

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
_STEPS: Final = "every step"
_EVENTS: Final = "events"
_JOB: Final = "the selected job"
_STRIDES: Final[Mapping[str, tuple[str, ...]]] = {
    _EVENTS: _STORY,
    "rounds": _ROUNDS,
    "cycles": _CYCLES,
}


class MultiKueueRunIndex(RunIndex):
    """Says in which cluster a step is, and leaves that out of the names in its sentence."""

    def __init__(self, trace: Trace, dispatches: Dispatches, clusters: Sequence[str]) -> None:
        super().__init__(trace)
        self._dispatches = dispatches
        self._clusters = tuple(clusters)
        self._told: tuple[int, Decision] | None = None

    def decision(self, index: int) -> Decision:
        """Return what a step decides."""
        if self._told is None or self._told[0] != index:
            found = super().decision(index)
            sentence = without_clusters(found.sentence, self._clusters)
            moment = moment_of(self.trace, self._dispatches, index)
            self._told = index, replace(found, sentence=sentence, moment=moment)
        return self._told[1]


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
        self, trace: Trace, dispatches: Dispatches, clusters: Sequence[str], manager: str
    ) -> None:
        super().__init__(trace)
        self.dispatches = dispatches
        self.manager = manager
        self.clusters = tuple(clusters)
        self._shown = self.cursor.step.time
        self.run_index = MultiKueueRunIndex(trace, dispatches, clusters)

    def select(self, kind: str, name: str) -> None:
        """Select something in all views; a copy stands for the manager's workload."""
        if kind == "Workload" and name:
            cluster, _, key = name.rpartition(":")
            cluster = cluster or self.dispatches.cluster_at(self.index)
            if (cluster, key) in self.dispatches.copies:
                cluster = self.manager
            name = f"{cluster}:{key}"
        super().select(kind, name)

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
        return self.workload.partition(":")[2]

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Return how the trace calls a job: in its own cluster, and its copies."""
        cluster, _, key = name.partition(":")
        if cluster != self.manager:
            return (name,)
        copies = [f"{c}:{key}" for c in self.clusters if (c, key) in self.dispatches.copies]
        return (name, *copies)


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
        super().__init__(board, stop_at)
        self.stride.options = (_STEPS, *_STRIDES, "one second", "one minute", _JOB)
        anything = self.event.options[0]
        self.event.options = (anything, *MULTIKUEUE_EVENTS, *EVENTS)
        copies = {f"{cluster}:{key}" for cluster, key in board.dispatches.copies}
        jobs = [name for name in board.trace.workloads if name not in copies]
        self.about.options = (anything, *jobs)

    def _forward(self, cursor: Cursor) -> bool:
        return self._stride(cursor, +1)

    def _back(self, cursor: Cursor) -> bool:
        return self._stride(cursor, -1)

    def _stride(self, cursor: Cursor, way: int) -> bool:
        chosen = self.stride.value
        if chosen.startswith("one "):
            return self._multikueue.after(
                cursor, way * (60 if chosen == "one minute" else 1) * SECOND
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
        condition = self._of_job(self._multikueue.workload)
        return cursor.until(condition) if way > 0 else cursor.back_until(condition)

    def _of_job(self, name: str) -> Breakpoint:
        keys = frozenset(self._multikueue.keys_of(name))
        return Breakpoint(lambda step: step.workload in keys, f"workload {name!r}")

    def _breakpoint(self, *, about: bool = True) -> Breakpoint | None:
        followed = self._multikueue.workload if about else ""
        wanted = [self._of_job(followed)] if followed else []
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
