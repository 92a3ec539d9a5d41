"""The record of a run: its steps, and ways to find the ones that matter."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from kueuelab.model import RELEASE
from kueuelab.trace.changes import changes_of, parts_of
from kueuelab.trace.index import TraceIndex
from kueuelab.trace.mentions import Role
from kueuelab.trace.reading import State
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.state import Frames, Raw, StateWriter
from kueuelab.trace.step import Step
from kueuelab.trace.step_list import StepList

__all__ = ["Cycle", "Trace"]

Predicate = Callable[[Step], bool]


@dataclass(frozen=True, slots=True)
class Cycle:
    """Where a scheduling cycle is in the trace: from ``first`` to ``last``, both included."""

    number: int
    first: int
    last: int


class Trace:
    """The immutable record of a run.

    Parameters
    ----------
    steps
        The steps in order; step ``i`` has index ``i``.
    name, title
        Of the scenario.
    kueue_version
        The Kueue release whose decisions these are.
    frames
        States at some of the first steps; others are made when they are asked for.
    clusters
        The clusters, if they are known; steps name those in which something happened.
    end
        When the run ended, in nanoseconds since 1970; with its last step if omitted.
    description
        What the scenario is about, in sentences. Views show it; files do not keep it.

    Examples
    --------
    >>> from kueuelab.trace.steps import CycleEnded, CycleStarted
    >>> recorder = Recorder()
    >>> recorder.cycle = 1
    >>> recorder.change(("workloads", "default/a", "queue"), "inflight")
    >>> recorder.record(CycleStarted(("default/a",)))
    >>> recorder.record(CycleEnded(0, 0))
    >>> trace = Trace.of(recorder, name="small")
    >>> trace
    <Trace small: 2 steps, 1 cycle, Kueue v0.19.2>
    >>> trace.state_at(1).workload("default/a").place
    'inflight'
    >>> [step.kind for step in trace.about("default/a")]
    ['CycleStarted']
    """

    def __init__(
        self,
        steps: Sequence[Step],
        name: str = "",
        title: str = "",
        kueue_version: str = RELEASE.version,
        frames: Frames | None = None,
        clusters: Sequence[str] = (),
        end: int | None = None,
        description: str = "",
    ) -> None:
        self.steps: Final = steps if isinstance(steps, StepList) else StepList(steps)
        self.name: Final = name
        self.title: Final = title
        self.description: Final = description
        self.kueue_version: Final = kueue_version
        self._frames = frames
        self._clusters = tuple(clusters)
        last = self.steps.stored[-1].time if self.steps else 0
        #: When the run ended, in nanoseconds since 1970.
        self.end: Final = last if end is None or not self.steps else max(end, last)
        #: Whether that was after its last step.
        self.ends_later: Final = self.end > last
        # The state that was asked for last: the next one is often near.
        self._latest: tuple[int, Raw] = (-1, {})

    @classmethod
    def of(
        cls,
        recorder: Recorder,
        name: str = "",
        title: str = "",
        end: int | None = None,
        kueue_version: str = RELEASE.version,
        description: str = "",
    ) -> Trace:
        """Return what a recorder has so far; it may go on recording."""
        steps = recorder.steps.copy()
        rest = recorder.unrecorded()
        frames = recorder.frames.copy()
        if rest and steps:
            last = steps.stored[-1]
            # A search ends with a step of its own.
            assert isinstance(last, Step)
            frames.amend(parts_of(rest), last.cluster, steps)
            steps.stored[-1] = replace(
                last, changes=changes_of((*parts_of(last.changes), *parts_of(rest)))
            )
        found = cls(steps, name, title, kueue_version, frames, end=end, description=description)
        _ = found.steps.changes_before  # Counted now, so that the first look doesn't wait for it.
        return found

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return (self.name, self.title, self.kueue_version, self.steps) == (
            other.name,
            other.title,
            other.kueue_version,
            other.steps,
        )

    def __hash__(self) -> int:
        return hash((self.name, len(self.steps)))

    def __repr__(self) -> str:
        steps, cycles = len(self.steps), len(self.cycles)
        return (
            f"<Trace {self.name + ': ' if self.name else ''}"
            f"{steps} step{'s' * (steps != 1)}, {cycles} cycle{'s' * (cycles != 1)}, "
            f"Kueue {self.kueue_version}>"
        )

    # --- finding steps -----------------------------------------------------------------

    @cached_property
    def index(self) -> TraceIndex:
        """Where each workload, queue and kind of step occurs; made when first asked for."""
        return TraceIndex(self.steps)

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """The scheduling cycles, in order."""
        starts = self.of_kind("CycleStarted")
        ends = self.of_kind("CycleEnded")
        found = []
        for position, start in enumerate(starts):
            limit = starts[position + 1] if position + 1 < len(starts) else len(self.steps)
            at = bisect_left(ends, start)
            last = ends[at] if at < len(ends) and ends[at] < limit else limit - 1
            found.append(Cycle(self.steps[start].cycle, start, last))
        return tuple(found)

    def cycle(self, number: int) -> tuple[Step, ...]:
        """Return the steps of a cycle, from ``CycleStarted`` to ``CycleEnded``."""
        for found in self.cycles:
            if found.number == number:
                return self.steps[found.first : found.last + 1]
        return ()

    def cycle_at(self, index: int) -> Cycle | None:
        """Return the cycle that a step is part of, ``None`` outside of cycles."""
        at = bisect_right(self._cycle_starts, index) - 1
        if at < 0:
            return None
        found = self.cycles[at]
        return found if index <= found.last else None

    @cached_property
    def _cycle_starts(self) -> list[int]:
        return [cycle.first for cycle in self.cycles]

    def of_kind(self, *kinds: str) -> Sequence[int]:
        """Return the indexes of the steps of these kinds, ascending."""
        return self.index.of_kinds(kinds)

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """The clusters in the order of their first steps; ``""`` if there is only one."""
        found = dict.fromkeys((*self._clusters, *self.steps.clusters))
        return tuple(found) or ("",)

    def of_cluster(self, cluster: str) -> Trace:
        """Return the record of one cluster by itself: steps count from 0 and name no cluster."""
        found = (step for step in self.steps if step.cluster == cluster)
        steps = (replace(step, index=index, cluster="") for index, step in enumerate(found))
        return Trace(tuple(steps), self.name, self.title, self.kueue_version, end=self.end)

    def about(
        self, workload: str, role: Role | None = None, cluster: str | None = None
    ) -> list[Step]:
        """Return the steps about a workload.

        Parameters
        ----------
        workload
            ``namespace/name``.
        role
            ``"subject"``: the step is its own; ``"candidate"``: it was looked at, or
            removed, as a candidate for preemption; ``"target"``: it was chosen, or
            evicted, to make room; ``"mentioned"``: in a list of heads, entries or
            workloads woken. All of them if omitted.
        cluster
            Where; in any cluster if omitted.
        """
        return [self.steps[index] for index in self.index.about(workload, role, cluster)]

    def next(self, after: int, predicate: Predicate) -> Step | None:
        """Return the first step behind ``after`` that matches, ``None`` if none does."""
        for index in range(after + 1, len(self.steps)):
            if predicate(self.steps[index]):
                return self.steps[index]
        return None

    def previous(self, before: int, predicate: Predicate) -> Step | None:
        """Return the last step in front of ``before`` that matches, ``None`` if none does."""
        for index in range(min(before, len(self.steps)) - 1, -1, -1):
            if predicate(self.steps[index]):
                return self.steps[index]
        return None

    @property
    def workloads(self) -> tuple[str, ...]:
        """The keys of all workloads that some step is about, sorted."""
        return self.index.workloads

    # --- state -------------------------------------------------------------------------

    @cached_property
    def frames(self) -> Frames:
        """States at some of the steps."""
        frames = Frames() if self._frames is None else self._frames
        frames.follow(self.steps)
        return frames

    def state_at(self, index: int) -> State:
        """Return the visible state after the step with this index; ``-1`` is before all.

        Of several clusters, ``state["w1"]`` is that of one.
        """
        return State(self.raw_at(index), self.clusters)

    def raw_at(self, index: int) -> Raw:
        """Return the state after a step as the record has it, shared: read it only."""
        if not -1 <= index < len(self.steps):
            raise IndexError(f"there is no step {index} in a trace of {len(self.steps)} steps")
        frames = self.frames
        at = bisect_right(frames.steps, index) - 1
        start, state = frames.steps[at], frames.states[at]
        latest, known = self._latest
        if start < latest <= index:
            start, state = latest, known
        if at + 1 < len(frames.steps) and self._is_nearer(index, start, frames.steps[at + 1]):
            writer = StateWriter(frames.states[at + 1])
            last = self.steps.position(frames.steps[at + 1])
            for entry in reversed(self.steps.stored[self._next(index) : last + 1]):
                if entry.changes:
                    writer.undo(entry)
            return self._kept(index, writer)
        writer = StateWriter(state)
        for entry in self.steps.stored[self._next(start) : self._next(index)]:
            if entry.changes:
                writer.apply(entry)
        return self._kept(index, writer)

    def _kept(self, index: int, writer: StateWriter) -> Raw:
        state = writer.state()
        self._latest = index, state
        return state

    def _is_nearer(self, index: int, before: int, after: int) -> bool:
        """Tell whether there is less to take back from ``after`` than to do from ``before``."""
        work = self.steps.changes_before
        at = work[self._next(index)]
        return work[self._next(after)] - at < at - work[self._next(before)]

    def _next(self, index: int) -> int:
        """Return the place of what is stored behind a step."""
        return self.steps.position(index) + 1
