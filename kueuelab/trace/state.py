"""The visible state as nested dicts that share what didn't change.

A state is a plain ``dict``: ``workloads``, ``clusterQueues``, ``cohorts``, ... by name.
Those handed out are shared between many steps, so nobody may change them;
:class:`StateWriter` copies what it is about to write to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kueuelab.trace.step import Change, Path

__all__ = ["Frames", "State", "StateWriter", "value_at"]

#: Nested dicts by name; read them only.
State = dict[str, Any]


def value_at(state: State, path: Path) -> Any:
    """Return the value at a place, ``None`` if there is none.

    Examples
    --------
    >>> value_at({"workloads": {"default/a": {"phase": "Pending"}}},
    ...          ("workloads", "default/a", "phase"))
    'Pending'
    """
    at: Any = state
    for name in path:
        if not isinstance(at, dict):
            return None
        at = at.get(name)
    return at


class StateWriter:
    """Writes to a state without changing those that were handed out before.

    Examples
    --------
    >>> writer = StateWriter()
    >>> writer.set(("cohorts", "all", "usage"), 5)
    >>> first = writer.state()
    >>> writer.set(("cohorts", "all", "usage"), None)
    5
    >>> first, writer.state()
    ({'cohorts': {'all': {'usage': 5}}}, {})
    """

    __slots__ = ("_own", "_root")

    def __init__(self, state: State | None = None) -> None:
        self._root: State = {} if state is None else state
        # The dicts made here since the last hand-out, by identity: they may be written to.
        self._own: dict[int, State] = {}

    def state(self) -> State:
        """Hand out the state as it is now."""
        self._own = {}
        return self._root

    def get(self, path: Path) -> Any:
        """Return the value at a place."""
        return value_at(self._root, path)

    def set(self, path: Path, value: Any) -> Any:
        """Write a value and return the one before.

        ``None`` takes it away, and the dicts that become empty by it.
        """
        own = self._own
        at = self._root
        if id(at) not in own:
            at = self._root = dict(at)
            own[id(at)] = at
        way = [at]
        for name in path[:-1]:
            inner = at.get(name)
            if inner is None:
                if value is None:
                    return None
                inner = at[name] = {}
                own[id(inner)] = inner
            elif id(inner) not in own:
                inner = at[name] = dict(inner)
                own[id(inner)] = inner
            at = inner
            way.append(at)
        before = at.get(path[-1])
        if value is not None:
            at[path[-1]] = value
            return before
        at.pop(path[-1], None)
        for depth in range(len(path) - 1, 0, -1):
            if way[depth]:
                break
            own.pop(id(way[depth]), None)
            del way[depth - 1][path[depth - 1]]
        return before

    def apply(self, changes: Iterable[Change]) -> None:
        """Carry changes out."""
        for change in changes:
            self.set(change.path, change.after)

    def undo(self, changes: tuple[Change, ...]) -> None:
        """Take changes back."""
        for change in reversed(changes):
            self.set(change.path, change.before)


#: What a step adds to the distance between two frames, next to its changes.
_STEP: Final = 0.1
_MOST_FRAMES: Final = 256


class Frames:
    """States kept at some steps, so that every other one is near.

    They stand evenly as seen by the work of getting from one to the next. When there
    are too many, every other one is dropped: memory stays bounded in a run of any length.
    """

    __slots__ = ("_distance", "_spacing", "states", "steps")

    def __init__(self, spacing: int = 2048) -> None:
        self.steps: list[int] = [-1]
        self.states: list[State] = [{}]
        self._spacing = spacing
        self._distance = 0.0

    def passed(self, index: int, changes: int, writer: StateWriter) -> None:
        """Take note of a step; keep the state after it if the last one kept is far enough."""
        self._distance += changes + _STEP
        if self._distance < self._spacing:
            return
        self.steps.append(index)
        self.states.append(writer.state())
        self._distance = 0.0
        if len(self.steps) > _MOST_FRAMES:
            del self.steps[1::2], self.states[1::2]
            self._spacing *= 2

    def copy(self) -> Frames:
        """Return frames of their own with the same states."""
        twin = Frames(self._spacing)
        twin.steps, twin.states = list(self.steps), list(self.states)
        twin._distance = self._distance
        return twin
