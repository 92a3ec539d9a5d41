"""The visible state as nested dicts that share what didn't change.

Of each cluster there is a plain ``dict``: ``workloads``, ``clusterQueues``, ``cohorts``, ... by
name. Those handed out are shared between many steps and stay as they are:
:class:`StateWriter` copies what it is about to write to. :mod:`kueuelab.trace.reading` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from kueuelab.trace.changes import GroupChange, Part, parts_of
from kueuelab.trace.step import Path, Step
from kueuelab.trace.step_list import StepList, Stored

__all__ = ["Frames", "Raw", "StateWriter"]

#: The state of each cluster as nested dicts; read them only.
Raw = Mapping[str, Mapping[str, Any]]


class StateWriter:
    """Writes to a state without changing those that were handed out before.

    Examples
    --------
    >>> writer = StateWriter()
    >>> writer.set(("cohorts", "all", "usage"), 5)
    >>> first = writer.state()
    >>> writer.set(("cohorts", "all", "usage"), None)
    >>> first, writer.state()
    ({'': {'cohorts': {'all': {'usage': 5}}}}, {})
    """

    __slots__ = ("_own", "_root")

    def __init__(self, state: Raw | None = None) -> None:
        self._root: dict[str, Any] = {} if state is None else state  # type: ignore[assignment]
        # The dicts made here since the last hand-out, by identity: they may be written to.
        self._own: dict[int, dict[str, Any]] = {}

    def state(self) -> Raw:
        """Hand out the state as it is now."""
        self._own = {}
        return self._root

    def set(self, path: Path, value: Any, cluster: str = "") -> None:
        """Write a value of a cluster; ``None`` takes it away, and dicts that become empty by it."""
        own = self._own
        at = self._root
        if id(at) not in own:
            at = self._root = dict(at)
            own[id(at)] = at
        way = [at]
        name = cluster
        for inside in path:
            inner = at.get(name)
            if inner is None:
                if value is None:
                    return
                inner = at[name] = {}
                own[id(inner)] = inner
            elif id(inner) not in own:
                inner = at[name] = dict(inner)
                own[id(inner)] = inner
            at = inner
            way.append(at)
            name = inside
        if value is not None:
            at[name] = value
            return
        at.pop(name, None)
        for depth in range(len(path), 0, -1):
            if way[depth]:
                break
            own.pop(id(way[depth]), None)
            del way[depth - 1][path[depth - 2] if depth > 1 else cluster]

    def holder(self, path: Path, cluster: str = "") -> dict[str, Any]:
        """Return what holds the value of a place; it may be written to until the next hand-out."""
        own, at = self._own, self._root
        if id(at) not in own:
            at = self._root = dict(at)
            own[id(at)] = at
        for name in (cluster, *path[:-1]):
            at = self.own(at, name)
        return at

    def own(self, outer: dict[str, Any], name: str) -> dict[str, Any]:
        """Return a dict in another one that may be written to; so may this one from now on."""
        inner = outer.get(name)
        if inner is None or id(inner) not in self._own:
            inner = outer[name] = {} if inner is None else dict(inner)
            self._own[id(inner)] = inner
        return inner

    def set_all(
        self, kind: str, names: Sequence[str], inside: str, value: Any, cluster: str = ""
    ) -> None:
        """Write the same value, not ``None``, of several objects."""
        own = self._own
        objects = self.holder((kind, inside), cluster)
        for name in names:
            inner = objects.get(name)
            if inner is None or id(inner) not in own:
                inner = objects[name] = {} if inner is None else dict(inner)
                own[id(inner)] = inner
            inner[inside] = value

    def apply(self, step: Stored) -> None:
        """Carry the changes of a step out."""
        self.write(parts_of(step.changes), step.cluster)

    def write(self, parts: Iterable[Part], cluster: str = "") -> None:
        """Carry changes of a cluster out."""
        for part in parts:
            if isinstance(part, GroupChange):
                self.set_all(part.kind, part.names, part.inside, part.after, cluster)
            else:
                self.set(part.path, part.after, cluster)

    def undo(self, step: Stored) -> None:
        """Take the changes of a step back."""
        for part in reversed(parts_of(step.changes)):
            if isinstance(part, GroupChange):
                self.set_all(part.kind, part.names, part.inside, part.before, step.cluster)
            else:
                self.set(part.path, part.before, step.cluster)


#: What a step adds to the distance between two frames, next to its changes.
_STEP: Final = 0.1
_MOST_FRAMES: Final = 48


class Frames:
    """States kept at some steps, so that every other one is near.

    They stand evenly as seen by the work of getting from one to the next. When there
    are too many, every other one is dropped: memory stays bounded in a run of any length.

    Attributes
    ----------
    steps, states
        The steps of which the state is kept, and these states.
    """

    __slots__ = ("_distance", "_followed", "_spacing", "_writer", "states", "steps")

    def __init__(self, spacing: int = 2048) -> None:
        self.steps: list[int] = [-1]
        self.states: list[Raw] = [{}]
        self._spacing = spacing
        self._distance = 0.0
        # The state after as many stored entries.
        self._followed = 0
        self._writer = StateWriter()

    @classmethod
    def kept(cls, states: Mapping[int, Raw], followed: int) -> Frames:
        """Return frames with states by their steps, in order, of so many stored entries.

        The first one is -1.
        """
        frames = cls()
        frames.steps, frames.states = list(states), list(states.values())
        frames._followed = followed
        return frames

    def follow(self, steps: StepList) -> Raw:
        """Look at the steps that were added since the last time; return the state after them."""
        for entry in islice(steps.stored, self._followed, None):
            if isinstance(entry, Step):
                self._writer.apply(entry)
                self._passed(entry.index, len(entry.changes))
        self._followed = len(steps.stored)
        return self._writer.state()

    def amend(self, parts: Sequence[Part], cluster: str, steps: StepList) -> None:
        """Add changes to the last of the steps, if it was looked at."""
        if self._followed == len(steps.stored):
            self._writer.write(parts, cluster)
            if self.steps[-1] == len(steps) - 1:
                del self.steps[-1], self.states[-1]

    def _passed(self, index: int, changes: int) -> None:
        """Take note of a step; keep the state after it if the last one kept is far enough."""
        self._distance += changes + _STEP
        if self._distance < self._spacing:
            return
        self.steps.append(index)
        self.states.append(self._writer.state())
        self._distance = 0.0
        if len(self.steps) > _MOST_FRAMES:
            del self.steps[1::2], self.states[1::2]
            self._spacing *= 2

    def copy(self) -> Frames:
        """Return frames of their own with the same states."""
        twin = Frames(self._spacing)
        twin.steps, twin.states = list(self.steps), list(self.states)
        twin._distance, twin._followed = self._distance, self._followed
        twin._writer = StateWriter(self._writer.state())
        return twin
