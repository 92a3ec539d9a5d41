"""Dataclasses as JSON and back: names in camelCase, no field that is not known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message

__all__ = ["camel", "decoded", "encoded", "hints_of", "is_optional", "text_of"]

T = TypeVar("T")

#: What is its own JSON.
_PLAIN: Final = frozenset((str, int, bool, float, NoneType))


def camel(name: str) -> str:
    """Return the name of a field as JSON has it.

    >>> camel("kueue_version")
    'kueueVersion'
    """
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def hints_of(cls: Any) -> Mapping[str, Any]:
    """Return the types of the fields of a dataclass."""
    return get_type_hints(cls)


def is_optional(field: Field[Any]) -> bool:
    """Tell whether a field may be left out."""
    return field.default is not MISSING or field.default_factory is not MISSING


def encoded(value: Any) -> Any:
    """Return a value as plain JSON.

    Examples
    --------
    >>> from kueuelab.session.answers import Amount
    >>> encoded(Amount(1500, "1500m"))
    {'value': 1500, 'text': '1500m'}
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if is_dataclass(kind):
        return {called: encoded(getattr(value, name)) for name, called in _names_of(kind)}
    if isinstance(value, Mapping):
        return {str(key): encoded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(part) for part in value]
    # A message knows its id; a page gets its text.
    return str(value) if isinstance(value, str) else value


@cache
def _names_of(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a dataclass, and what JSON calls them."""
    return tuple((each.name, camel(each.name)) for each in fields(cls))


def text_of(value: Any) -> str:
    """Return JSON as the text that every engine sends: the same value, the same bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def decoded(cls: type[T], data: Any, field: str = "") -> T:
    """Return a dataclass from plain JSON.

    Raises
    ------
    InputError
        If a field is missing, not known, or of another type; the problem names it.
    """
    if not isinstance(data, Mapping):
        raise _wrong(field, Message("session.wire.object"))
    known = {camel(each.name): each for each in fields(cls)}  # type: ignore[arg-type]
    for name in data:
        if name not in known:
            hint = Message("session.wire.known", fields=", ".join(known))
            raise _wrong(_inside(field, str(name)), Message("session.wire.unknown"), hint)
    values: dict[str, Any] = {}
    for name, each in known.items():
        place = _inside(field, name)
        if name in data:
            values[each.name] = _value(hints_of(cls)[each.name], data[name], place)
        elif not is_optional(each):
            raise _wrong(place, Message("session.wire.missing"))
    return cls(**values)


def _value(type_: Any, data: Any, field: str) -> Any:
    origin = get_origin(type_)
    if type_ is Any:
        return data
    if origin in (Union, UnionType):
        kinds = [each for each in get_args(type_) if each is not NoneType]
        return None if data is None else _value(kinds[0], data, field)
    if origin is tuple:
        if not isinstance(data, list):
            raise _wrong(field, Message("session.wire.list"))
        kind = get_args(type_)[0]
        return tuple(_value(kind, each, f"{field}[{at}]") for at, each in enumerate(data))
    if origin is not None:
        if not isinstance(data, Mapping):
            raise _wrong(field, Message("session.wire.object"))
        return dict(data)
    if is_dataclass(type_) and isinstance(type_, type):
        return decoded(type_, data, field)
    allowed = (int, float) if type_ is float else type_
    # True is an int in Python, and none in JSON.
    if not isinstance(data, allowed) or (isinstance(data, bool) and type_ is not bool):
        raise _wrong(field, Message(f"session.wire.{type_.__name__}"))
    return data


def _inside(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _wrong(field: str, message: str, hint: str = "") -> InputError:
    return InputError(Problem(message, field=field, hint=hint))
