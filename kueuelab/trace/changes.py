"""The changes of a step, those of many workloads at once stored together.

A queue makes thousands of workloads inadmissible by one decision, and active again by another:
each time the same value of each of them becomes the same. That is kept as one change of a
group, and separated into changes when it is read.

Many values of an object change together, too: those of its status. The record keeps what they
follow from, before and after; plain values are made when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, final, overload

from kueuelab.frozen import fast_init, new_tuple
from kueuelab.trace.step import Change, Path

__all__ = [
    "ChangeList",
    "GroupChange",
    "ObjectChange",
    "Part",
    "Snapshot",
    "changes_of",
    "parts_of",
    "weight_of",
]


@final
@fast_init
@dataclass(frozen=True, slots=True, eq=False)
class GroupChange:
    """The same change of the same value of several objects: ``(kind, name, inside)`` for each.

    Examples
    --------
    >>> group = GroupChange("workloads", ("a", "b"), "queue", "active", "inadmissible")
    >>> len(group), [change.path for change in group]
    (2, [('workloads', 'a', 'queue'), ('workloads', 'b', 'queue')])
    """

    kind: str
    names: tuple[str, ...]
    inside: str
    before: Any
    after: Any

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Change]:
        before, after = self.before, self.after
        return (Change(path, before, after) for path in self.paths())

    def paths(self) -> Iterator[Path]:
        """Yield the places."""
        kind, inside = self.kind, self.inside
        return ((kind, name, inside) for name in self.names)


class Snapshot(Protocol):
    """What the visible values of an object follow from at some time. It stays as it is."""

    def values(self) -> Mapping[Path, Any]:
        """Return its visible values by their place in it: the same objects each time."""


class ObjectChange(NamedTuple):
    """The changes of an object: what it was, and what it is now; ``None`` stands for absent."""

    path: Path
    before: Snapshot | None
    after: Snapshot | None

    def separated(self) -> list[Change]:
        """Return a change for each value that is another one now, those that are gone first."""
        path, before, after = self
        old: Mapping[Path, Any] = {} if before is None else before.values()
        new: Mapping[Path, Any] = {} if after is None else after.values()
        found: list[Change] = []
        if not old.keys() <= new.keys():
            found += [
                Change(path + place, value, None)
                for place, value in old.items()
                if place not in new and value is not None
            ]
        for place, value in new.items():
            known = old.get(place)
            if known is not value and known != value:
                found.append(new_tuple(Change, (path + place, known, value)))
        return found


#: A change, or that of a group.
Part: TypeAlias = Change | GroupChange

#: How many changes that of an object is taken for until it is read.
_OF_AN_OBJECT: Final = 4


class ChangeList(Sequence[Change]):
    """Changes in order, those of groups and objects separated when they are read.

    Examples
    --------
    >>> group = GroupChange("workloads", ("a", "b"), "queue", "active", "inadmissible")
    >>> changes = ChangeList((group, Change(("cohorts", "all", "usage"), 1, 2)))
    >>> len(changes), changes[1].path, changes[-1].after
    (3, ('workloads', 'b', 'queue'), 2)
    """

    __slots__ = ("_length", "_stored")

    def __init__(self, stored: tuple[Part | ObjectChange, ...]) -> None:
        self._stored = stored
        # Not known before it is read.
        self._length: int | None = None

    @property
    def parts(self) -> Sequence[Part]:
        """What is stored, in order; those of objects as plain changes, which are not kept."""
        found: list[Part] = []
        for part in self._stored:
            if isinstance(part, ObjectChange):
                found += part.separated()
            else:
                found.append(part)
        if self._length is None:
            self._length = _weight(found)
        return found

    @property
    def weight(self) -> int:
        """About how many changes there are, without reading them."""
        return _weight(self._stored) if self._length is None else self._length

    def __len__(self) -> int:
        return _weight(self.parts) if self._length is None else self._length

    def __iter__(self) -> Iterator[Change]:
        return chain.from_iterable(
            (part,) if isinstance(part, Change) else part for part in self.parts
        )

    @overload
    def __getitem__(self, index: int) -> Change: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Change, ...]: ...

    def __getitem__(self, index: int | slice) -> Change | tuple[Change, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChangeList | tuple):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def _weight(parts: Iterable[Part | ObjectChange]) -> int:
    # Most are plain; no call for each, since a record has a million.
    return sum(
        [
            1
            if type(part) is Change
            else len(part)
            if isinstance(part, GroupChange)
            else _OF_AN_OBJECT
            for part in parts
        ]
    )


def parts_of(changes: Sequence[Change]) -> Sequence[Part]:
    """Return changes as they are stored: those of groups together."""
    return changes.parts if type(changes) is ChangeList else changes


def weight_of(changes: Sequence[Change]) -> int:
    """Return about how many changes there are, without reading them."""
    # A record has a million: of a Sequence, `isinstance` asks the class, which takes long.
    return changes.weight if type(changes) is ChangeList else len(changes)


#: The types of what is stored where there are no groups and objects.
_PLAIN: Final = frozenset((Change,))


def changes_of(parts: Iterable[Part | ObjectChange]) -> Sequence[Change]:
    """Return changes of which some are those of groups or objects: a tuple if none is."""
    stored = tuple(parts)
    if _PLAIN.issuperset(map(type, stored)):
        return stored  # type: ignore[return-value]
    return ChangeList(stored)
