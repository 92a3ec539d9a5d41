"""The changes of a step, those of many workloads at once stored together.

A queue makes thousands of workloads inadmissible by one decision, and active again by another:
each time the same value of each of them becomes the same. That is kept as one change of a
group, and separated into changes when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, final, overload

from kueuelab.frozen import fast_init
from kueuelab.trace.step import Change, Path

__all__ = ["ChangeList", "GroupChange", "Part", "changes_of", "parts_of"]


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


#: A change, or that of a group.
Part: TypeAlias = Change | GroupChange


class ChangeList(Sequence[Change]):
    """Changes in order, those of groups separated when they are read.

    Attributes
    ----------
    parts
        What is stored, in order.

    Examples
    --------
    >>> group = GroupChange("workloads", ("a", "b"), "queue", "active", "inadmissible")
    >>> changes = ChangeList((group, Change(("cohorts", "all", "usage"), 1, 2)))
    >>> len(changes), changes[1].path, changes[-1].after
    (3, ('workloads', 'b', 'queue'), 2)
    """

    __slots__ = ("_length", "parts")

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self._length = sum(1 if isinstance(part, Change) else len(part) for part in parts)

    def __len__(self) -> int:
        return self._length

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


def parts_of(changes: Sequence[Change]) -> Sequence[Part]:
    """Return changes as they are stored: those of groups together."""
    return changes.parts if isinstance(changes, ChangeList) else changes


def changes_of(parts: Iterable[Part]) -> Sequence[Change]:
    """Return changes of which some are those of groups: a tuple if none is."""
    stored = tuple(parts)
    if GroupChange in map(type, stored):
        return ChangeList(stored)
    return stored  # type: ignore[return-value]
