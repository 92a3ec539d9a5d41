"""Functions and methods that selectors of devices may call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.errors import QuantityError
from kueuelab.quantity import Quantity
from kueuelab.simulation.devices.cel.errors import CelError
from kueuelab.simulation.devices.cel.version import Version

__all__ = ["FUNCTIONS", "METHODS", "Optional"]

_NANO: Final = 10**9


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be missing, as ``a.?b`` makes it."""

    has_value: bool
    content: Any = None


def _content(optional: Optional) -> Any:
    if not optional.has_value:
        raise CelError("optional.none() dereference")
    return optional.content


def _quantity(text: str) -> Quantity:
    try:
        return Quantity.parse(text)
    except QuantityError as error:
        raise CelError(str(error)) from None


def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _semver(text: str) -> Version:
    version = Version.parse(text)
    if version is None:
        raise CelError(f"No Major.Minor.Patch elements found: {text}")
    return version


def _compare(left: Any, right: Any) -> int:
    _same_kind(left, right)
    return int(left > right) - int(left < right)


def _same_kind(left: Any, right: Any) -> None:
    if type(left) is not type(right):
        raise CelError("no such overload")


def _plus(left: Quantity, right: Any, sign: int = 1) -> Quantity:
    other = right.nano if isinstance(right, Quantity) else right * _NANO
    return Quantity(left.nano + sign * other, left.format)


def _as_integer(quantity: Quantity) -> int:
    if quantity.nano % _NANO:
        raise CelError("cannot convert value to integer")
    return quantity.nano // _NANO


def _int(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise CelError(f"cannot convert {value!r} to int") from None


def _matches(text: str, pattern: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error as error:
        raise CelError(f"error parsing regexp: {error}") from None


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    return text.replace(old, new, count)


def _type_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


#: Functions by name.
FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "quantity": _quantity,
        "isQuantity": _is_quantity,
        "semver": _semver,
        "isSemver": lambda text: Version.parse(text) is not None,
        "size": len,
        "int": _int,
        "uint": _int,
        "double": float,
        "string": _type_text,
        "bool": lambda value: value in (True, "true", "True", "t", "1"),
        "dyn": lambda value: value,
    }
)

#: Methods by name; the value that they belong to is the first argument.
METHODS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "compareTo": _compare,
        "isGreaterThan": lambda left, right: _compare(left, right) > 0,
        "isLessThan": lambda left, right: _compare(left, right) < 0,
        "add": _plus,
        "sub": lambda left, right: _plus(left, right, -1),
        "sign": lambda quantity: (quantity.nano > 0) - (quantity.nano < 0),
        "asInteger": _as_integer,
        "asApproximateFloat": lambda quantity: quantity.nano / _NANO,
        "isInteger": lambda quantity: quantity.nano % _NANO == 0,
        "major": lambda version: version.major,
        "minor": lambda version: version.minor,
        "patch": lambda version: version.patch,
        "hasValue": lambda optional: optional.has_value,
        "value": _content,
        "orValue": lambda optional, other: optional.content if optional.has_value else other,
        "or": lambda optional, other: optional if optional.has_value else other,
        "size": len,
        "startsWith": str.startswith,
        "endsWith": str.endswith,
        "contains": lambda text, part: part in text,
        "matches": _matches,
        "lowerAscii": str.lower,
        "upperAscii": str.upper,
        "trim": str.strip,
        "replace": _replace,
        "split": str.split,
        "join": lambda items, separator="": separator.join(items),
        "indexOf": str.find,
        "substring": lambda text, start, end=None: text[start:end],
    }
)
