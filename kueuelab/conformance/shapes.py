"""Shapes of records: how two values of one kind are compared.

A record's format is written down once, as a tree of these shapes (see
:mod:`kueuelab.conformance.format`), and comparing walks that tree. So a difference knows
its field, lists whose items have names are matched by name, and what is absent means what
the format says it means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final, Protocol, TypeAlias

__all__ = [
    "ABSENT",
    "PLAIN",
    "Cycles",
    "Events",
    "Field",
    "Level",
    "Listing",
    "Map",
    "Path",
    "Record",
    "Shape",
    "Value",
]


class Level(StrEnum):
    """How much is compared.

    ``DECISIONS`` is what was decided and what it led to: heads, the order of processing,
    status, mode, borrowing, flavors, targets and why, where an entry was requeued, and the
    state. ``ALL`` adds the words and the tally: messages, reasons, every flavor that was
    looked at, and events.
    """

    ALL = "all"
    DECISIONS = "decisions"


class Absent:
    """Stands where there is no value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(absent)"

    def __reduce__(self) -> str:
        return "ABSENT"  # one object, also after a trip to another process


ABSENT: Final = Absent()

#: Names of fields; keys of maps and positions in lists stand in brackets.
Path = tuple[str, ...]


#: Places that differ, each with the value expected and the one found.
Found = Iterator[tuple[Path, Any, Any]]


class Shape(Protocol):
    """A part of a record that knows how two of its kind differ."""

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places below ``path`` where the two differ, and how."""
        ...


@dataclass(frozen=True, slots=True)
class Value:
    """A value without parts."""

    equal: Callable[[Any, Any], bool]

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places that differ, and how."""
        same = expected == got or (
            expected is not ABSENT and got is not ABSENT and self.equal(expected, got)
        )
        if not same:
            yield path, expected, got


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record.

    ``absent`` is what its absence means; ``words`` tells that it belongs to level ``ALL``.
    """

    shape: Shape
    absent: Any = ABSENT
    words: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """An object with known fields, compared in this order."""

    fields: Mapping[str, Field]

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places that differ, and how."""
        if not isinstance(expected, Mapping) or not isinstance(got, Mapping):
            yield from PLAIN.differences(path, expected, got, level)
            return
        everything = level is Level.ALL
        for name, field in self.fields.items():
            if everything or not field.words:
                want, have = expected.get(name, field.absent), got.get(name, field.absent)
                if want != have:
                    yield from field.shape.differences((*path, name), want, have, level)
        # A field that this version of the format does not know is compared as it stands.
        for name in expected if everything else ():
            if name not in self.fields:
                have = got.get(name, ABSENT)
                yield from PLAIN.differences((*path, name), expected[name], have, level)


@dataclass(frozen=True, slots=True)
class Map:
    """An object whose keys are names that users chose; ``absent`` is what a missing one means."""

    item: Shape
    absent: Any = ABSENT

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places that differ, and how."""
        if not isinstance(expected, Mapping) or not isinstance(got, Mapping):
            yield from PLAIN.differences(path, expected, got, level)
            return
        for key in (*expected, *(key for key in got if key not in expected)):
            want, have = expected.get(key, self.absent), got.get(key, self.absent)
            if want != have:
                yield from _either(self.item, (*path, f"[{key}]"), want, have, level)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; its items are matched by what they call themselves, or by position.

    ``key`` names the field that tells items apart, where there is one.
    """

    item: Shape
    key: str = ""

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places that differ, and how."""
        if not isinstance(expected, Sequence) or not isinstance(got, Sequence):
            yield from PLAIN.differences(path, expected, got, level)
            return
        wants, haves = self._named(expected), self._named(got)
        if wants is None or haves is None:
            wants, haves = dict(enumerate(expected)), dict(enumerate(got))
        elif [key for key in wants if key in haves] != [key for key in haves if key in wants]:
            yield (*path, "order"), list(wants), list(haves)
        yield from Map(self.item).differences(path, wants, haves, level)

    def _named(self, items: Sequence[Any]) -> dict[Any, Any] | None:
        if not self.key or not all(isinstance(item, Mapping) for item in items):
            return None
        named = {item.get(self.key): item for item in items}
        return named if len(named) == len(items) else None


@dataclass(frozen=True, slots=True)
class Cycles:
    """The cycles of a step, in order.

    A cycle that is held may go on and wait again several times within one step. How often that
    is recorded is chance: only the last record of it counts.
    """

    item: Shape

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places that differ, and how."""
        yield from Listing(self.item).differences(path, _last(expected), _last(got), level)


def _last(cycles: Any) -> Any:
    """Leave out the records of a held cycle that are followed by another one of it."""
    if not isinstance(cycles, list) or not all(isinstance(cycle, Mapping) for cycle in cycles):
        return cycles
    return [
        cycle
        for cycle, following in pairwise((*cycles, {}))
        if not (
            cycle.get("blocked")
            and cycle.get("resumed")
            and following.get("resumed")
            and cycle.get("heads") == following.get("heads")
        )
    ]


@dataclass(frozen=True, slots=True)
class Events:
    """The events of a step: those of one object in their order, the objects in any order.

    Kueue's controllers work side by side, so that chance decides whose event comes first.
    Events that match may still differ in words.
    """

    item: Shape

    def differences(self, path: Path, expected: Any, got: Any, level: Level) -> Found:
        """Yield the places that differ, and how."""
        wants, haves = _by_object(expected), _by_object(got)
        if wants is None or haves is None:
            yield from PLAIN.differences(path, expected, got, level)
            return
        for name in dict.fromkeys((*wants, *haves)):
            yield from self._of_one(path, wants.get(name, []), haves.get(name, []), level)

    def _of_one(self, path: Path, expected: _Events, got: _Events, level: Level) -> Found:
        if [event for _, event in expected] == [event for _, event in got]:
            return
        matcher = SequenceMatcher(None, _kinds(expected), _kinds(got), autojunk=False)
        for tag, start, end, got_start, got_end in matcher.get_opcodes():
            if tag == "equal":
                pairs = zip(expected[start:end], got[got_start:got_end], strict=True)
                for (index, want), (_, have) in pairs:
                    yield from self.item.differences((*path, f"[{index}]"), want, have, level)
                continue
            for index, want in expected[start:end]:
                yield (*path, f"[{index}]"), want, ABSENT
            for index, have in got[got_start:got_end]:
                yield (*path, f"[{index}]"), ABSENT, have


#: Events with their positions in the step.
_Events: TypeAlias = list[tuple[int, Mapping[str, Any]]]


def _by_object(events: Any) -> dict[Any, _Events] | None:
    """Return the events of each object."""
    if not isinstance(events, list) or not all(isinstance(event, Mapping) for event in events):
        return None
    found: dict[Any, _Events] = {}
    for index, event in enumerate(events):
        found.setdefault(event.get("object"), []).append((index, event))
    return found


def _kinds(events: _Events) -> list[tuple[Any, ...]]:
    """Return what events say, without their words."""
    return [(event.get("type"), event.get("reason")) for _, event in events]


def _either(shape: Shape, path: Path, want: Any, have: Any, level: Level) -> Found:
    """Compare, or say that one of the two is not there at all."""
    if want is ABSENT or have is ABSENT:
        yield path, want, have
    else:
        yield from shape.differences(path, want, have, level)


#: A value that is equal only to itself.
PLAIN: Final = Value(lambda left, right: bool(left == right))
