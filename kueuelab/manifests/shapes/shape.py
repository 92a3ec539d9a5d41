"""Shapes: small values that say what a part of a manifest must look like.

Tables of shapes (`kueuelab.manifests.shapes.configuration` and its neighbours) read like the
API's reference. Checking finds all mistakes, each with its path; where in the file that
is, is found later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from kueuelab.errors import QuantityError
from kueuelab.manifests.reading.paths import Path, format_path
from kueuelab.model.times import parse_duration, parse_time
from kueuelab.quantity import Quantity

__all__ = [
    "ANYTHING",
    "BOOLEAN",
    "DURATION",
    "LONGEST",
    "TEXT",
    "TEXT_MAP",
    "TIME",
    "Anything",
    "Integer",
    "ListOf",
    "MapOf",
    "Mistake",
    "Number",
    "OneOf",
    "QuantityShape",
    "Record",
    "Rule",
    "Shape",
    "Text",
    "describe",
]

MAX_INT32: Final = 2**31 - 1
MAX_INT64: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong at a path. ``at_name``: the field itself, not its value, is wrong.

    ``field`` is the path as it is to be printed, if not as usual.
    """

    path: Path
    message: str
    hint: str = ""
    at_name: bool = False
    field: str = ""


#: Looks at a value whose parts have the right types already.
Rule: TypeAlias = Callable[[Mapping[str, Any], Path], Iterable[Mistake]]


class Shape(Protocol):
    """What a value must look like."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""


def describe(value: Any) -> str:
    """Return what a value is, in words for people who wrote YAML.

    Examples
    --------
    >>> [describe(value) for value in ({}, [1], "a", True, 2, 1.5, None)]
    ['a mapping', 'a list', "the text 'a'", 'true', 'the number 2', 'the number 1.5', 'nothing']
    """
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value!r:.40}"
        case str():
            shown = value if len(value) <= 40 else value[:37] + "..."
            return f"the text {shown!r}"
        case Mapping():
            return "a mapping"
        case _ if isinstance(value, Sequence):
            return "a list"
    return f"a {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class Anything:
    """A field that the lab takes as it is."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Find nothing."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text, of at most ``longest`` characters, that ``valid`` has nothing against."""

    longest: int = 0
    shortest: int = 0
    valid: Callable[[str], str] | None = None

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if not isinstance(value, str):
            hint = "Put quotes around it" if isinstance(value, bool | int | float) else ""
            found.append(Mistake(path, f"must be text, not {describe(value)}", hint))
        elif len(value) < self.shortest:
            found.append(Mistake(path, "must not be empty"))
        elif self.longest and len(value) > self.longest:
            found.append(Mistake(path, f"Too long: may not be more than {self.longest} characters"))
        elif self.valid is not None and value and (wrong := self.valid(value)):
            found.append(Mistake(path, f'Invalid value: "{value:.80}": {wrong}'))


@dataclass(frozen=True, slots=True)
class OneOf:
    """Text out of a fixed list."""

    choices: tuple[str, ...]

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if isinstance(value, str) and value in self.choices:
            return
        supported = ", ".join(f'"{choice}"' for choice in self.choices)
        if isinstance(value, str):
            message = f'Unsupported value: "{value:.80}": supported values: {supported}'
            found.append(Mistake(path, message, _closest(value, self.choices)))
        else:
            message = f"must be text, not {describe(value)}: supported values: {supported}"
            found.append(Mistake(path, message, "Put quotes around it"))


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number."""

    minimum: int = -MAX_INT32 - 1
    maximum: int = MAX_INT32

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            hint = "Leave the quotes away" if isinstance(value, str) and _WHOLE(value) else ""
            found.append(Mistake(path, f"must be a whole number, not {describe(value)}", hint))
        elif value < self.minimum:
            message = f"Invalid value: {value}: should be greater than or equal to {self.minimum}"
            found.append(Mistake(path, message))
        elif value > self.maximum:
            message = f"Invalid value: {value}: should be less than or equal to {self.maximum}"
            found.append(Mistake(path, message))


@dataclass(frozen=True, slots=True)
class Number:
    """Any number within limits; infinity and what is no number are beyond all of them."""

    minimum: float | None = None
    maximum: float | None = None

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            found.append(Mistake(path, f"must be a number, not {describe(value)}"))
        elif self.minimum is not None and value < self.minimum:
            message = f"Invalid value: {value}: must be greater than or equal to {self.minimum:g}"
            found.append(Mistake(path, message))
        elif self.maximum is not None and not value <= self.maximum:
            message = f"Invalid value: {value!s:.40}: must be less than or equal to {self.maximum}"
            found.append(Mistake(path, message))


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if not isinstance(value, bool):
            quoted = isinstance(value, str) and value.lower() in ("true", "false")
            hint = "Leave the quotes away" if quoted else ""
            found.append(Mistake(path, f"must be true or false, not {describe(value)}", hint))


@dataclass(frozen=True, slots=True)
class QuantityShape:
    """A Kubernetes quantity; ``minimum`` is in whole units."""

    minimum: int | None = None

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            hint = "Write a quantity such as 500m, 2 or 1.5Gi"
            found.append(Mistake(path, f"must be a quantity, not {describe(value)}", hint))
            return
        try:
            quantity = Quantity.parse(value)
        except QuantityError as error:
            message = f"'{value!s:.80}': {error.reason}"
            found.append(Mistake(path, message, error.problem.hint))
            return
        if self.minimum is not None and quantity.nano < self.minimum * 10**9:
            message = (
                f'Invalid value: "{quantity}": must be greater than or equal to {self.minimum}'
            )
            found.append(Mistake(path, message))


@dataclass(frozen=True, slots=True)
class _Parsed:
    """Text that a function reads."""

    parse: Callable[[str], int]
    what: str
    example: str
    minimum: int | None = None
    maximum: int | None = None

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if not isinstance(value, str):
            message = f"must be {self.what}, not {describe(value)}"
            found.append(Mistake(path, message, f"Write {self.what} such as {self.example}"))
            return
        try:
            parsed = self.parse(value)
        except (ValueError, OverflowError):
            message = f"'{value:.80}' is not {self.what}"
            found.append(Mistake(path, message, f"Write {self.what} such as {self.example}"))
            return
        if self.maximum is not None and parsed > self.maximum:
            message = f"'{value:.80}' is too long for {self.what}"
            found.append(Mistake(path, message, f"Write {self.what} such as {self.example}"))
        elif self.minimum is not None and parsed < self.minimum:
            message = f'Invalid value: "{value}": must be greater than or equal to {self.minimum}'
            found.append(Mistake(path, message))


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list. ``unique_by`` names the field of its items that none may share.

    With ``unique_by`` ``""`` the items themselves must differ. ``default_key`` is what an
    item counts as that lacks the field.
    """

    item: Shape
    most: int = 0
    least: int = 0
    unique_by: str | None = None
    default_key: str | None = None

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if type(value) is not list and not _is_list(value):
            hint = "" if isinstance(value, Mapping) else "Put a dash before each item"
            found.append(Mistake(path, f"must be a list, not {describe(value)}", hint))
            return
        if len(value) < self.least:
            wanted = f"must have at least {self.least} item" + ("s" if self.least > 1 else "")
            found.append(Mistake(path, wanted))
        if self.most and len(value) > self.most:
            message = f"Too many: {len(value)}: must have at most {self.most} items"
            found.append(Mistake(path, message))
            return
        check = self.item.check
        for index, item in enumerate(value):
            check(item, (*path, index), found)
        if self.unique_by is not None and len(value) > 1:
            self._check_unique(value, path, found, self.unique_by)

    def _check_unique(
        self, value: Sequence[Any], path: Path, found: list[Mistake], name: str
    ) -> None:
        seen = set()
        for index, item in enumerate(value):
            key = item if not name else item.get(name) if isinstance(item, Mapping) else None
            if key is None:
                key = self.default_key
            if not isinstance(key, str | int):
                continue
            if key in seen:
                where = (*path, index, name) if name and name in item else (*path, index)
                found.append(Mistake(where, f'Duplicate value: "{key!s:.80}"'))
            seen.add(key)


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping with names of the user's own."""

    value: Shape
    most: int = 0
    valid_name: Callable[[str], str] | None = None

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if type(value) is not dict and not isinstance(value, Mapping):
            found.append(Mistake(path, f"must be a mapping, not {describe(value)}"))
            return
        if self.most and len(value) > self.most:
            message = f"Too many: {len(value)}: must have at most {self.most} items"
            found.append(Mistake(path, message))
        check = self.value.check
        for name, item in value.items():
            check(item, (*path, name), found)
            if self.valid_name is not None and (wrong := self.valid_name(name)):
                message = f'Invalid value: "{name:.80}": {wrong}'
                found.append(Mistake((*path, name), message, at_name=True))


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with known fields.

    ``required`` fields must be there; where ``open``, unknown ones may. ``rules`` look at
    the whole once every part has its shape. ``null`` is the same as leaving a field out.
    """

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    open: bool = False
    rules: tuple[Rule, ...] = ()
    _names: tuple[str, ...] = field(default=(), init=False, repr=False)

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        if type(value) is not dict and not isinstance(value, Mapping):
            found.append(Mistake(path, f"must be a mapping, not {describe(value)}"))
            return
        before = len(found)
        fields = self.fields
        for name, item in value.items():
            shape = fields.get(name)
            if shape is None:
                if not self.open:
                    found.append(self._unknown(name, path))
            elif item is not None:
                shape.check(item, (*path, name), found)
        for name in self.required:
            if value.get(name) is None:
                found.append(Mistake((*path, name), "Required value", f"Add '{name}'"))
        if len(found) == before:
            for rule in self.rules:
                found.extend(rule(value, path))

    def _unknown(self, name: str, path: Path) -> Mistake:
        message = f'unknown field "{format_path((*path, name))}"'
        hint = _closest(name, tuple(self.fields))
        return Mistake((*path, name), message, hint, at_name=True)

    def with_fields(self, fields: Mapping[str, Shape], *without: str) -> Record:
        """Return a record with these fields added, and others taken away."""
        kept = {name: shape for name, shape in self.fields.items() if name not in without}
        required = tuple(name for name in self.required if name not in without)
        return Record({**kept, **fields}, required, self.open, self.rules)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _closest(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # only a mistake needs it

    by_lower = {choice.lower(): choice for choice in known}
    close = get_close_matches(name.lower()[:80], list(by_lower), n=1)
    return f"Did you mean '{by_lower[close[0]]}'?" if close else ""


_WHOLE: Final = re.compile(r"-?[0-9]+\Z").match

ANYTHING: Final = Anything()
BOOLEAN: Final = Boolean()
TEXT: Final = Text()
TEXT_MAP: Final = MapOf(TEXT)
TIME: Final = _Parsed(parse_time, "a time", "2026-01-01T00:00:00Z")
#: The longest duration that Go has, in nanoseconds: 292 years.
LONGEST: Final = 2**63 - 1
DURATION: Final = _Parsed(parse_duration, "a duration", "30s, 5m or 1h30m", 0, LONGEST)
