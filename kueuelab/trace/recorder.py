"""Collecting steps while a simulation runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kueuelab.trace.changes import GroupChange, changes_of
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
        "_groups",
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
        self._pending: dict[Path | GroupChange, Any] = {}
        # Those of them that are changes of groups.
        self._groups: list[GroupChange] = []
        # One tuple per place, however often it changes.
        self._paths: dict[Path, Path] = {}

    def change(self, path: Path, value: Any) -> None:
        """Announce what a value of the visible state is now; ``None`` if there is none.

        What it was is known from what was announced, so that every step can be undone
        exactly. A value that is what it was changes nothing.
        """
        self._note(path, self._writer.set(path, value, self.cluster), value)

    def change_all(self, kind: str, names: Sequence[str], inside: str, value: Any) -> None:
        """Announce the same value of several objects, each ``(kind, name, inside)``.

        It is the same as :meth:`change` for each of them, in order. Where what they were is
        the same, too, it is stored as one change of a group. ``value`` is not ``None``.
        """
        known = self._writer.set_all(kind, names, inside, value, self.cluster)
        first = known[0] if known else None
        if (
            len(known) > 1
            and first is not None
            and first != value
            and known.count(first) == len(known)
            and not self._is_pending(kind, names, inside)
        ):
            group = GroupChange(kind, tuple(names), inside, first, value)
            self._pending[group] = group
            self._groups.append(group)
            return
        for name, before in zip(names, known, strict=True):
            self._note((kind, name, inside), before, value)

    def _is_pending(self, kind: str, names: Sequence[str], inside: str) -> bool:
        """Tell whether such a value of one of the objects was written since the last step."""
        if any((group.kind, group.inside) == (kind, inside) for group in self._groups):
            return True
        written = {
            path[1]
            for path in self._pending
            if isinstance(path, tuple) and len(path) == 3 and (path[0], path[2]) == (kind, inside)
        }
        return not written.isdisjoint(names)

    def _note(self, path: Path, known: Any, value: Any) -> None:
        """Take note of a value that was written, and of what was there before."""
        if known == value:
            # It may be written again what it was at the last step.
            if path in self._pending:
                self._pending[path][1] = value
            return
        if self._groups:
            self._separate(path, known)
        if (pending := self._pending.get(path)) is not None:
            pending[1] = value
        else:
            self._pending[self._paths.setdefault(path, path)] = [known, value]

    def _separate(self, path: Path, known: Any) -> None:
        """Store a group change one by one if it has a place that is written to again."""
        for group in self._groups:
            if (
                group.after == known
                and (group.kind, group.inside) == (path[0], path[-1])
                and len(path) == 3
                and path[1] in group.names
            ):
                break
        else:
            return
        self._groups.remove(group)
        pending: dict[Path | GroupChange, Any] = {}
        for place, written in self._pending.items():
            if place is group:
                for change in group:
                    at = self._paths.setdefault(change.path, change.path)
                    pending[at] = [change.before, change.after]
            else:
                pending[place] = written
        self._pending = pending

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

    def unrecorded(self) -> Sequence[Change]:
        """Return what was announced since the last step."""
        parts: list[Change | GroupChange] = []
        for path, written in self._pending.items():
            if isinstance(path, GroupChange):
                parts.append(path)
            elif written[0] != written[1]:
                parts.append(Change(path, *written))
        return changes_of(parts)

    def _take_changes(self) -> Sequence[Change]:
        changes = self.unrecorded()
        self._pending.clear()
        self._groups.clear()
        return changes
