"""Collecting steps while a simulation runs."""

from __future__ import annotations

from typing import Any

from kueuelab.trace.steps import Change, Facts, Path, Step

__all__ = ["Recorder"]


class Recorder:
    """Collects steps. Code that records holds ``Recorder | None`` and asks ``is not None``.

    State that changes between two steps is announced with :meth:`change` and becomes
    part of the next step recorded.

    Examples
    --------
    >>> from kueuelab.trace.steps import CycleStarted
    >>> recorder = Recorder()
    >>> recorder.change(("workloads", "default/a", "queue"), "active", "inflight")
    >>> recorder.record(CycleStarted(("default/a",)))
    >>> recorder.steps[0].kind, len(recorder.steps[0].changes)
    ('CycleStarted', 1)
    """

    __slots__ = ("_changes", "cycle", "steps", "time")

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.time = 0
        self.cycle = 0
        self._changes: list[Change] = []

    def change(self, path: Path, before: Any, after: Any) -> None:
        """Announce that a value of the visible state changed."""
        if before != after:
            self._changes.append(Change(path, before, after))

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        changes = tuple(self._changes)
        self._changes.clear()
        self.steps.append(
            Step(len(self.steps), self.time, self.cycle, workload, cluster_queue, facts, changes)
        )
