"""Collecting steps while a simulation runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kueuelab.trace.changes import GroupChange, changes_of, parts_of
from kueuelab.trace.reading import State
from kueuelab.trace.state import Frames, StateWriter
from kueuelab.trace.step import Change, Facts, Path, Step
from kueuelab.trace.step_list import StepBlock, StepList

__all__ = ["Recorder"]


class _Place:
    """A place in the state: the value now, and what it was after the last step.

    What it was holds if ``version`` says that it was written to since then. It is a group where
    the place was last written to together with others.
    """

    __slots__ = ("before", "now", "path", "version")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now: Any = None
        self.before: Any = None
        self.version = -1


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
        States at some of the steps, as far as they were asked for.
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
        "_pending",
        "_places",
        "_version",
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
        # Every place that was ever written to.
        self._places: dict[Path, _Place] = {}
        # Those written to since the last step.
        self._pending: list[_Place | GroupChange] = []
        # How many steps had changes: tells which places are among the pending ones.
        self._version = 0

    def change(self, path: Path, value: Any) -> None:
        """Announce what a value of the visible state is now; ``None`` if there is none.

        What it was is known from what was announced, so that every step can be undone
        exactly. A value that is what it was changes nothing.
        """
        place = self._places.get(path)
        if place is None:
            place = self._places[path] = _Place(path)
        if place.now == value:
            return
        if place.version != self._version:
            place.version = self._version
            place.before = place.now
            self._pending.append(place)
        elif type(place.before) is GroupChange:
            self._separate(place.before)
        place.now = value

    def change_all(self, kind: str, names: Sequence[str], inside: str, value: Any) -> None:
        """Announce the same value of several objects, each ``(kind, name, inside)``.

        It is the same as :meth:`change` for each of them, in order. Where what they were is
        the same, too, it is stored as one change of a group. ``value`` is not ``None``.
        """
        found = [self._places.get((kind, name, inside)) for name in names]
        if not self._are_alike(found, value):
            for name in names:
                self.change((kind, name, inside), value)
            return
        places: list[_Place] = found  # type: ignore[assignment]
        group = GroupChange(kind, tuple(names), inside, places[0].now, value)
        self._pending.append(group)
        version = self._version
        for place in places:
            place.now, place.before, place.version = value, group, version

    def _are_alike(self, places: Sequence[_Place | None], value: Any) -> bool:
        """Tell whether places have one value, that another one takes the place of."""
        first = places[0] if len(places) > 1 else None
        if first is None or first.now is None or first.now == value:
            return False
        now, version = first.now, self._version
        for place in places:
            if place is None or place.version == version or place.now != now:
                return False
        return True

    def _separate(self, group: GroupChange) -> None:
        """Store a group change one by one: one of its places is written to again."""
        places = [self._places[change.path] for change in group]
        for place in places:
            place.before = group.before
        at = self._pending.index(group)
        self._pending[at : at + 1] = places

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
        state = self.frames.follow(self.steps)
        if self._pending:
            writer = StateWriter(state)
            writer.write(parts_of(self.unrecorded()), self.cluster)
            state = writer.state()
        return State(state, (self.cluster,))

    def unrecorded(self) -> Sequence[Change]:
        """Return what was announced since the last step."""
        return changes_of(
            [
                place if type(place) is GroupChange else Change(place.path, place.before, place.now)
                for place in self._pending
                if type(place) is GroupChange or place.before != place.now
            ]
        )

    def _take_changes(self) -> Sequence[Change]:
        changes = self.unrecorded()
        self._pending.clear()
        self._version += 1
        return changes
