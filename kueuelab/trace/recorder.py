"""Collecting steps while a simulation runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from kueuelab.frozen import new_tuple
from kueuelab.trace.changes import GroupChange, ObjectChange, Snapshot, changes_of, parts_of
from kueuelab.trace.reading import State
from kueuelab.trace.state import Frames, StateWriter
from kueuelab.trace.step import Change, Facts, Path, Step
from kueuelab.trace.step_list import StepBlock, StepList

__all__ = ["RecordedObject", "RecordedValue", "Recorder"]

F = TypeVar("F", bound=Facts)
T = TypeVar("T")


class RecordedValue:
    """A value of the visible state: what it is now, and what it was after the last step.

    What it was holds if ``version`` says that it was written to since then. It is a group where
    it was written to together with others.
    """

    __slots__ = ("before", "now", "path", "version")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now: Any = None
        self.before: Any = None
        self.version = -1


class RecordedObject(RecordedValue):
    """An object whose visible values all follow from one: a :class:`~.changes.Snapshot`."""

    __slots__ = ()

    now: Snapshot | None
    before: Snapshot | None


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
        self._places: dict[Path, RecordedValue] = {}
        # Those written to since the last step.
        self._pending: list[RecordedValue | GroupChange] = []
        # How many steps had changes: tells which places are among the pending ones.
        self._version = 0

    def same(self, kind: type[F], *values: Hashable) -> F:
        """Return facts by the values of their fields: the same object each time."""
        return self.once((kind, values), lambda: kind(*values))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is made the first time that something asks for a key."""
        found: T | None = self.shared.get(key)
        if found is None:
            found = self.shared[key] = make()
        return found

    def change(self, path: Path, value: Any) -> None:
        """Announce what a value of the visible state is now; ``None`` if there is none.

        What it was is known from what was announced, so that every step can be undone
        exactly. A value that is what it was changes nothing.
        """
        self.write(self._places.get(path) or self.value(path), value)

    def write(self, place: RecordedValue, value: Any) -> None:
        """Announce what a value of the visible state is now, as :meth:`change` does."""
        if place.now == value:
            return
        if place.version != self._version:
            place.version = self._version
            place.before = place.now
            self._pending.append(place)
        elif isinstance(place.before, GroupChange):
            self._separate(place.before)
        place.now = value

    def value(self, path: Path) -> RecordedValue:
        """Return a value of the visible state, for :meth:`write` and :meth:`change_all`."""
        found = self._places.get(path)
        if found is None:
            found = self._places[path] = RecordedValue(path)
        return found

    def object(self, path: Path) -> RecordedObject:
        """Return an object, for :meth:`write`; no value in it is written to otherwise."""
        found = self._places.get(path)
        if found is None:
            found = self._places[path] = RecordedObject(path)
        assert isinstance(found, RecordedObject)
        return found

    def change_all(
        self, places: Sequence[RecordedValue], names: tuple[str, ...], value: Any
    ) -> None:
        """Announce the same value of several objects, each of a place ``(kind, name, inside)``.

        It is the same as :meth:`change` for each of them, in order. Where what they were is
        the same, too, it is stored as one change of a group. ``value`` is not ``None``.

        Parameters
        ----------
        places
            The value of each.
        names
            The name of each.
        value
            What all of them are now.
        """
        if not self._are_alike(places, value):
            for place in places:
                self.write(place, value)
            return
        kind, _, inside = places[0].path
        group = GroupChange(kind, names, inside, places[0].now, value)
        self._pending.append(group)
        version = self._version
        for place in places:
            place.now = value
            place.before = group
            place.version = version

    def _are_alike(self, places: Sequence[RecordedValue], value: Any) -> bool:
        """Tell whether places have one value, that another one takes the place of."""
        if len(places) < 2 or places[0].now is None or places[0].now == value:
            return False
        if self._may_be_pending(places):
            version = self._version
            if any(place.version == version for place in places):
                return False
        return [place.now for place in places].count(places[0].now) == len(places)

    def _may_be_pending(self, places: Sequence[RecordedValue]) -> bool:
        """Tell whether some of these places, all of one kind, may be among the pending ones."""
        if len(self._pending) > len(places):
            return True
        # Mostly there are a few pending ones, of other kinds.
        kind, _, inside = places[0].path
        for each in self._pending:
            if isinstance(each, GroupChange):
                if (each.kind, each.inside) == (kind, inside):
                    return True
            elif each.path[0] == kind and each.path[2:] == (inside,):
                return True
        return False

    def _separate(self, group: GroupChange) -> None:
        """Store a group change one by one: one of its places is written to again."""
        places = [self._places[change.path] for change in group]
        for place in places:
            place.before = group.before
        at = self._pending.index(group)
        self._pending[at : at + 1] = places

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Add a step with the facts and all changes announced since the last one."""
        steps = self.steps
        changes = self._take_changes() if self._pending else ()
        steps.append(
            Step(
                steps.length,
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
                    self.steps.length,
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
                new_tuple(Change, (each.path, each.before, each.now))
                if type(each) is RecordedValue
                else each
                if type(each) is GroupChange
                else new_tuple(ObjectChange, (each.path, each.before, each.now))
                for each in self._pending
                if type(each) is GroupChange or each.before != each.now
            ]
        )

    def _take_changes(self) -> Sequence[Change]:
        changes = self.unrecorded()
        self._pending.clear()
        self._version += 1
        return changes
