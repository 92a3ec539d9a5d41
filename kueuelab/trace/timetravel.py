"""Moving through a trace in both directions.

Nothing is run again: a :class:`Cursor` applies the changes that steps made, or takes
them back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.reading import State
from kueuelab.trace.state import StateWriter
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace

__all__ = ["Cursor"]

# Farther than this, starting from a kept state is faster than stepping.
_FAR: Final = 5_000


class Cursor:
    """A place in a trace: a step, and the state right after it.

    All moves return whether the cursor moved; where there is no such step it stays.

    Parameters
    ----------
    trace
        The trace to move through.
    index
        The step to start at.

    Attributes
    ----------
    trace
        The trace.
    index
        The index of the step it is at; -1 in an empty trace.

    Examples
    --------
    >>> from kueuelab.trace.recorder import Recorder
    >>> from kueuelab.trace.steps import Admitted, WorkloadCreated
    >>> recorder = Recorder()
    >>> recorder.change(("workloads", "default/a", "phase"), "Pending")
    >>> recorder.record(WorkloadCreated("team-a", 0), "default/a")
    >>> recorder.change(("workloads", "default/a", "phase"), "Admitted")
    >>> recorder.record(Admitted(), "default/a")
    >>> cursor = Cursor(Trace.of(recorder))
    >>> cursor.forward(), cursor.step.kind, cursor.state.workload("default/a").phase
    (True, 'Admitted', 'Admitted')
    >>> cursor.back(), cursor.state.workload("default/a").phase
    (True, 'Pending')
    >>> cursor.back()
    False
    """

    __slots__ = ("_writer", "index", "trace")

    def __init__(self, trace: Trace, index: int = 0) -> None:
        self.trace = trace
        self.index = min(index, len(trace) - 1)
        self._writer = StateWriter(trace.raw_at(self.index))

    def __repr__(self) -> str:
        if not len(self.trace):
            return "<Cursor in an empty trace>"
        return f"<Cursor at step {self.index} of {len(self.trace)}: {self.step.kind}>"

    @property
    def step(self) -> Step:
        """The step that the cursor is at.

        Raises
        ------
        IndexError
            In an empty trace.
        """
        if self.index < 0:
            raise IndexError("the trace has no steps")
        return self.trace.steps[self.index]

    @property
    def state(self) -> State:
        """The visible state right after the step."""
        return State(self._writer.state(), self.trace.clusters)

    @property
    def at_start(self) -> bool:
        """Whether there is nothing in front."""
        return self.index <= 0

    @property
    def at_end(self) -> bool:
        """Whether there is nothing behind."""
        return self.index >= len(self.trace) - 1

    # --- moves -------------------------------------------------------------------------

    def to(self, index: int) -> bool:
        """Move to a step; beyond the ends, to the first or last."""
        index = max(0, min(index, len(self.trace) - 1))
        if index == self.index or not len(self.trace):
            return False
        steps = self.trace.steps
        if abs(index - self.index) > _FAR:
            self._writer = StateWriter(self.trace.raw_at(index))
        elif index > self.index:
            for entry in steps.stored[steps.position(self.index) + 1 : steps.position(index) + 1]:
                self._writer.apply(entry)
        else:
            first = steps.position(index) + 1
            for entry in reversed(steps.stored[first : steps.position(self.index) + 1]):
                self._writer.undo(entry)
        self.index = index
        return True

    def forward(self, count: int = 1) -> bool:
        """Move on by one step, or several."""
        return self.to(self.index + count)

    def back(self, count: int = 1) -> bool:
        """Move back by one step, or several."""
        return self.to(self.index - count)

    def start(self) -> bool:
        """Move to the first step."""
        return self.to(0)

    def end(self) -> bool:
        """Move to the last step."""
        return self.to(len(self.trace) - 1)

    def next_entry(self) -> bool:
        """Move to where the next entry begins: its nomination, or what came of it."""
        return self._to_next(self._entries())

    def previous_entry(self) -> bool:
        """Move to where the entry before begins."""
        return self._to_previous(self._entries())

    def next_cycle(self) -> bool:
        """Move to the start of the next cycle."""
        return self._to_next(self.trace.of_kind("CycleStarted"))

    def previous_cycle(self) -> bool:
        """Move to the start of this cycle, or of the one before if there already."""
        return self._to_previous(self.trace.of_kind("CycleStarted"))

    def next_about(self, workload: str) -> bool:
        """Move to the next step that a workload has a part in."""
        return self._to_next(self.trace.index.about(workload))

    def previous_about(self, workload: str) -> bool:
        """Move to the last step in front that a workload has a part in."""
        return self._to_previous(self.trace.index.about(workload))

    def next_preemption(self) -> bool:
        """Move to the next step at which a workload is evicted to make room."""
        return self.until(Breakpoint.event("preempted"))

    def previous_preemption(self) -> bool:
        """Move to the last step in front at which a workload is evicted to make room."""
        return self.back_until(Breakpoint.event("preempted"))

    def until(self, breakpoint_: Breakpoint) -> bool:
        """Move on to the next step at which a breakpoint holds."""
        for index in breakpoint_.places(self.trace, self.index + 1, len(self.trace)):
            if breakpoint_(self.trace.steps[index]):
                return self.to(index)
        return False

    def back_until(self, breakpoint_: Breakpoint) -> bool:
        """Move back to the last step at which a breakpoint holds."""
        for index in reversed(breakpoint_.places(self.trace, 0, max(self.index, 0))):
            if breakpoint_(self.trace.steps[index]):
                return self.to(index)
        return False

    def _entries(self) -> Sequence[int]:
        return self.trace.of_kind("NominationStarted", "NotNominated", "EntryProcessed")

    def _to_next(self, places: Sequence[int]) -> bool:
        at = bisect_right(places, self.index)
        return at < len(places) and self.to(places[at])

    def _to_previous(self, places: Sequence[int]) -> bool:
        at = bisect_left(places, self.index) - 1
        return at >= 0 and self.to(places[at])
