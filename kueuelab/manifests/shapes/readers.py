"""Readers of values that are certainly sound: the quick way past a check that names mistakes.

A reader goes over a value once. It returns the value with the defaults of its shape, and raises
`UncertainError` where anything might be wrong with it; the careful check says what. Objects of a
dump have few sets of fields, and few values in most of them: what was found out of these once
is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from kueuelab.manifests.shapes.shape import ABSENT, Shape

__all__ = ["Standard", "UncertainError", "reader"]

_Read: TypeAlias = Callable[[Any], Any]
_Holds: TypeAlias = Callable[[Any], bool]

#: Python's types of the scalars that are certainly read as what they are.
_SCALARS: Final[Mapping[str, frozenset[type]]] = {
    "text": frozenset((str,)),
    "time": frozenset((str,)),
    "integer": frozenset((int,)),
    "boolean": frozenset((bool,)),
    "quantity": frozenset((str, int)),
    "port": frozenset((str, int)),
}
#: Times as Kubernetes itself writes them, on a day that each month has.
_PLAIN_TIME: Final = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)
#: So many sets of fields of a record are remembered.
_PLANS: Final = 256
#: So many accepted values of a field are remembered, up to so many characters each.
_REMEMBERED: Final = 8192
_LONGEST: Final = 64


class UncertainError(Exception):
    """Something may be wrong with the value."""


@dataclass(frozen=True, slots=True)
class Standard:
    """What values are held against.

    Parameters
    ----------
    accepts : callable
        Tells whether a scalar is certainly sound.
    rules : callable
        Returns what tells whether a rule of shapes holds, by its name.
    differ : callable
        Tells whether the items of a list certainly differ as its shape wants it.
    fills_in : bool
        Whether fields that are missing get their defaults.
    """

    accepts: Callable[[Any, Shape], bool]
    rules: Callable[[str], Iterable[_Holds]]
    differ: Callable[[list[Any], Shape], bool]
    fills_in: bool


#: What is to be done with records that have the same fields, of the same types. The first are
#: fields with their sound values, as far as they are known; the second must be read. Of the
#: remaining fields the type says enough. The third are missing and have a default; the last says
#: whether some fields are null, and not to be there.
_Plan: TypeAlias = tuple[
    tuple[tuple[str, set[Any], _Read], ...],
    tuple[tuple[str, _Read], ...],
    tuple[str, ...],
    bool,
]


@cache
def reader(shape: Shape, standard: Standard) -> _Read:
    """Return what reads values of a shape.

    What it returns shares its parts with what it was given, unless defaults were filled in.

    Examples
    --------
    >>> lenient = Standard(lambda *_: True, lambda _: (), lambda *_: True, fills_in=False)
    >>> read = reader(Shape("list", "[]string", Shape("text", "string"), most=1), lenient)
    >>> read(["a"])
    ['a']
    >>> read(["a", "b"])
    Traceback (most recent call last):
    kueuelab.manifests.shapes.readers.UncertainError
    """
    if shape.kind in ("any", "meta"):
        return _as_it_is
    if shape.kind in _SCALARS:
        read = _scalar(shape, standard)[0]
    elif shape.kind == "record":
        read = _record(shape, standard)
    elif shape.kind == "map":
        read = _map(shape, standard)
    elif shape.kind == "list":
        read = _list(shape, standard)
    else:
        return _uncertain
    rules = [holds for name in shape.rules for holds in standard.rules(name)]
    if not rules:
        return read

    def read_by_rules(value: Any) -> Any:
        found = read(value)
        for holds in rules:
            if not holds(found):
                raise UncertainError
        return found

    return read_by_rules


def _as_it_is(value: Any) -> Any:
    return value


def _uncertain(value: Any) -> Any:
    raise UncertainError


def _only_type(shape: Shape) -> type | None:
    """Return the type of the values of a shape that says nothing else of them."""
    limits = (shape.longest, shape.shortest, shape.minimum)
    if shape.rules or shape.choices or shape.like or limits != (None,) * 3:
        return None
    return {"text": str, "boolean": bool}.get(shape.kind)


@cache
def _scalar(shape: Shape, standard: Standard) -> tuple[_Read, set[Any]]:
    """Return what reads a scalar, and the values that are known to be sound."""
    types, accepts = _SCALARS[shape.kind], standard.accepts
    only, is_time = _only_type(shape), shape.kind == "time"
    known: set[Any] = set()
    if shape.kind == "text" and not (shape.choices or shape.like):
        return _text(shape.shortest or 0, shape.longest), known

    def read(value: Any) -> Any:
        kind = type(value)
        if kind is only:
            return value
        if kind not in types:
            raise UncertainError
        if value not in known:
            if not (is_time and _PLAIN_TIME.fullmatch(value)) and not accepts(value, shape):
                raise UncertainError
            if len(known) < _REMEMBERED and (kind is int or len(value) <= _LONGEST):
                known.add(value)
        return value

    return read, known


def _text(shortest: int, longest: int | None) -> _Read:
    def read(value: Any) -> Any:
        if type(value) is not str or len(value) < shortest:
            raise UncertainError
        if longest is not None and len(value) > longest:
            raise UncertainError
        return value

    return read


def _record(shape: Shape, standard: Standard) -> _Read:
    inner = {name: reader(field.shape, standard) for name, field in shape.fields.items()}
    defaults = {
        name: field.default
        for name, field in shape.fields.items()
        if standard.fills_in and field.default is not ABSENT
    }
    plans: dict[tuple[Any, ...], _Plan] = {}

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise UncertainError
        fields = (*value, *map(type, value.values()))
        plan = plans.get(fields)
        if plan is None:
            return read_fields(value, fields)
        scalars, others, missing, has_nulls = plan
        for name, known, look in scalars:
            if value[name] not in known:
                look(value[name])
        found = value
        if has_nulls:
            found = {name: part for name, part in value.items() if part is not None}
        if missing:
            found = {**found, **{name: default_of(name) for name in missing}}
        for name, look in others:
            part = value[name]
            sound = look(part)
            if sound is not part:
                if found is value:
                    found = value.copy()
                found[name] = sound
        return found

    def read_fields(value: dict[Any, Any], fields: tuple[Any, ...]) -> dict[Any, Any]:
        found = {}
        for name, part in value.items():
            if name not in inner:
                if not shape.open:
                    raise UncertainError
                found[name] = part
            elif part is not None:
                found[name] = inner[name](part)
            elif name in defaults:
                found[name] = default_of(name)
        missing = tuple(name for name in defaults if name not in found)
        found.update((name, default_of(name)) for name in missing)
        for name in shape.required:
            if found.get(name) is None:
                raise UncertainError
        if len(plans) < _PLANS and not any(value.get(name, 1) is None for name in defaults):
            plans[fields] = plan_for(value, missing)
        return found

    def default_of(name: str) -> Any:
        return inner[name](deepcopy(defaults[name]))

    def plan_for(value: dict[str, Any], missing: tuple[str, ...]) -> _Plan:
        scalars, others = [], []
        for name, part in value.items():
            if part is None or name not in inner or inner[name] is _as_it_is:
                continue
            shape_of_it = shape.fields[name].shape
            if shape_of_it.kind not in _SCALARS or shape_of_it.rules:
                others.append((name, inner[name]))
            elif type(part) is not _only_type(shape_of_it):
                scalars.append((name, _scalar(shape_of_it, standard)[1], inner[name]))
        return tuple(scalars), tuple(others), missing, None in value.values()

    return read


def _map(shape: Shape, standard: Standard) -> _Read:
    assert shape.item is not None
    inner, is_scalar = reader(shape.item, standard), shape.item.kind in _SCALARS
    only = _only_type(shape.item)
    known = _scalar(shape.item, standard)[1] if is_scalar and not shape.item.rules else set()

    def read(value: Any) -> Any:
        if type(value) is not dict or (shape.most is not None and len(value) > shape.most):
            raise UncertainError
        types = set(map(type, value.values()))
        if len(types) == 1 and (
            only in types or (str in types and known.issuperset(value.values()))
        ):
            return value
        found = {name: inner(part) for name, part in value.items()}
        return value if is_scalar else found

    return read


def _list(shape: Shape, standard: Standard) -> _Read:
    assert shape.item is not None
    inner = reader(shape.item, standard)
    least, most = shape.least or 0, shape.most
    key = shape.keys[0] if len(shape.keys) == 1 else None
    differ = bool(shape.keys or shape.distinct)
    only = None if differ else _only_type(shape.item)

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) < least:
            raise UncertainError
        if most is not None and len(value) > most:
            raise UncertainError
        found = value
        if only is not None and set(map(type, value)) == {only}:
            return found
        for index, part in enumerate(value):
            sound = inner(part)
            if sound is not part:
                if found is value:
                    found = value.copy()
                found[index] = sound
        if differ and len(found) > 1:
            names = found if key is None else [item.get(key) for item in found]
            are_texts = set(map(type, names)) == {str}
            if not (are_texts and len(set(names)) == len(names)) and not standard.differ(
                found, shape
            ):
                raise UncertainError
        return found

    return read
