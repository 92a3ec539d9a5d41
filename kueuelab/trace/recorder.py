"""Collecting steps while a simulation runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kueuelab.trace.reading import State
from kueuelab.trace.state import Frames, StateWriter
from kueuelab.trace.step import Change, Facts, Path, Step
from kueuelab.trace.step_list import StepBlock, StepList

__all__ = ["Recorder"]


class Recorder:
    """Collects steps. Code that records holds ``Recorder | None`` and asks ``is not None``.

    State that changes between two steps is announced with :meth:`change` and becomes
    part of the next step recorded: per place one change, from what it was at the step
    before; none where it comes back to that.

    Attributes
    ----------
    steps
        The steps so far.
    time, cycle
        What the next step is stamped with.
    cluster
        The cluster of all its steps; ``""`` where there is only one.
    frames
        States at some of the steps.
    shared
        Facts that several searches have in common, by what they depend on.

    Examples
    --------
    >>> from kueuelab.trace.steps import CycleStarted
    >>> recorder = Recorder()
    >>> recorder.change(("workloads", "default/a", "queue"), "inflight")
    >>> recorder.record(CycleStarted(("default/a",)))
    >>> recorder.steps[0].kind, recorder.steps[0].changes[0].after
    ('CycleStarted', 'inflight')
    """

    __slots__ = (
        "_paths",
        "_pending",
        "_writer",
        "cluster",
        "cycle",
        "frames",
        "shared",
        "steps",
        "time",
    )

    def __init__(self, cluster: str = "") -> None:
        self.cluster = cluster
        self.steps = StepList()
        self.time = 0
        self.cycle = 0
        self.frames = Frames()
        self.shared: dict[object, Any] = {}
        self._writer = StateWriter()
        # Places written to since the last step: what was there after it, what is now.
        self._pending: dict[Path, list[Any]] = {}
        # One tuple per place, however often it changes.
        self._paths: dict[Path, Path] = {}

    def change(self, path: Path, value: Any) -> None:
        """Announce what a value of the visible state is now; ``None`` if there is none.

        What it was is known from what was announced, so that every step can be undone
        exactly. A value that is what it was changes nothing.
        """
        known = self._writer.set(path, value, self.cluster)
        if (pending := self._pending.get(path)) is not None:
            pending[1] = value
        elif known != value:
            self._pending[self._paths.setdefault(path, path)] = [known, value]

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        index = len(self.steps)
        changes = self._take_changes() if self._pending else ()
        self.steps.append(
            Step(
                index,
                self.time,
                self.cycle,
                workload,
                cluster_queue,
                facts,
                changes,
                self.cluster,
            )
        )
        self.frames.passed(index, len(changes), self._writer)

    def record_all(
        self, all_facts: Sequence[Facts], workload: str = "", cluster_queue: str = ""
    ) -> None:
        """Add a step for each of some facts; they are stored as they are, together."""
        rest = all_facts
        if self._pending and len(rest):
            self.record(rest[0], workload, cluster_queue)
            rest = rest[1:]
        if len(rest):
            self.steps.append(
                StepBlock(
                    len(self.steps),
                    self.time,
                    self.cycle,
                    workload,
                    cluster_queue,
                    rest,
                    self.cluster,
                )
            )

    def state(self) -> State:
        """Return the visible state as it is now, also what changed since the last step."""
        return State(self._writer.state(), (self.cluster,))

    def unrecorded(self) -> tuple[Change, ...]:
        """Return what was announced since the last step."""
        return tuple(
            Change(path, before, after)
            for path, (before, after) in self._pending.items()
            if before != after
        )

    def _take_changes(self) -> tuple[Change, ...]:
        changes = self.unrecorded()
        self._pending.clear()
        return changes
