"""Checking a custom resource against its shape, as the API server's schemas do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from kueuelab.manifests.server.problems import (
    NOWHERE,
    FieldError,
    FieldPath,
    duplicate,
    invalid,
    not_supported,
    print_path,
    required,
    too_long,
    too_many,
    type_invalid,
)
from kueuelab.manifests.shapes.shape import ABSENT, QUANTITY, Shape, compiled

__all__ = ["check_lists", "check_structure", "type_name"]

_compiled = cache(compiled)
_TYPES: Final[Mapping[str, str]] = {
    "text": "string",
    "time": "string",
    "integer": "integer",
    "boolean": "boolean",
    "list": "array",
    "map": "object",
    "record": "object",
}
_LIMITS: Final = {"int32": 2**31, "int64": 2**63}
#: Up to here a float holds every integer.
_EXACT: Final = 2**53 - 1
_TIME: Final = re.compile(
    r"[0-9]{4}-(0[0-9]|1[0-2])-([0-2][0-9]|3[01])[Tt ]([01][0-9]|2[0-4])(:[0-5][0-9]){2}"
    r"([0-5][0-9])?(\.[0-9]+)?(z|Z|[+-]([01][0-9]|2[0-4]):[0-5][0-9])?\Z"
)


def type_name(value: Any) -> str:
    """Return what schemas call the type of a value.

    Examples
    --------
    >>> [type_name(value) for value in ("a", 1, 1.5, 2.0, True, None, [], {})]
    ['string', 'integer', 'number', 'integer', 'boolean', 'null', 'array', 'object']
    >>> type_name(10**19)  # no int64, so it is read as a float, and too large a one
    'number'
    """
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() if -(2**63) <= value < 2**63:
            return "integer"
        case int() | float():
            return "integer" if _is_whole(float(value)) else "number"
        case Mapping():
            return "object"
    return "array"


def _is_whole(value: float) -> bool:
    """Tell whether schemas take a float for an integer: it may be a little off."""
    if not -_EXACT <= value <= _EXACT:
        return False
    return value.is_integer() or abs(value - int(value)) < 1e-9 * (abs(value) + abs(int(value)))


def check_structure(
    value: Any, shape: Shape, path: FieldPath = (), old: Any = ABSENT
) -> Iterator[FieldError]:
    """Yield what is wrong with a value.

    Parameters
    ----------
    value : object
        The value.
    shape : Shape
        What it must look like.
    path : tuple
        Where it is.
    old : object, optional
        What was there before; a wrong value that stays as it was is not reported.
    """
    if old is not ABSENT and _is_same(old, value):
        return
    if shape.kind in ("any", "meta"):
        return
    if shape.kind in ("quantity", "port"):
        yield from _check_number_or_text(value, shape, path)
    elif not _has_type(value, shape):
        yield from _check_other_type(value, shape, path)
    elif shape.kind in ("text", "time"):
        yield from _check_text(value, shape, path)
    elif shape.kind == "integer":
        yield from _check_integer(value, shape, path)
    elif shape.kind == "list":
        yield from _check_list(value, shape, path, old)
    elif shape.kind in ("map", "record"):
        yield from _check_mapping(value, shape, path, old)


def _where(path: FieldPath) -> str:
    return print_path(path) if path else ""


def _is_same(old: Any, value: Any) -> bool:
    """Tell whether two values are equal as JSON, where true is no number."""
    if isinstance(old, bool) or isinstance(value, bool):
        return old is value
    if isinstance(old, Mapping) and isinstance(value, Mapping):
        return old.keys() == value.keys() and all(_is_same(old[k], value[k]) for k in old)
    if isinstance(old, list) and isinstance(value, list):
        return len(old) == len(value) and all(map(_is_same, old, value))
    return bool(old == value)


def _has_type(value: Any, shape: Shape) -> bool:
    return type_name(value) == _TYPES[shape.kind]


def _wrong_type(value: Any, wanted: str, path: FieldPath) -> FieldError:
    kind = type_name(value)
    return type_invalid(path, kind, f'{_where(path)} in body must be of type {wanted}: "{kind}"')


def _check_other_type(value: Any, shape: Shape, path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with a value of another type; what applies to any type still does."""
    kind = type_name(value)
    named = "date-time" if shape.kind == "time" else shape.go
    if shape.kind not in ("integer", "time") or kind in ("null", "string"):
        yield _wrong_type(value, _TYPES[shape.kind], path)
    elif kind != "array":
        # A type with a format is compared by formats, and only numbers have one.
        known = {"integer": "int64", "number": "float64"}.get(kind, "")
        words = f'{_where(path)} in body must be of type {named}: "{known}"'
        yield type_invalid(path, known, words)
    elif shape.kind == "integer":
        yield _wrong_type(value, _TYPES[shape.kind], path)
    if shape.kind == "integer" and kind == "number":
        yield _out_of_range(shape.go, path)
        yield from _check_minimum(value, shape, path)
    if shape.choices:
        yield not_supported(path, value, shape.choices)


def _out_of_range(number_format: str, path: FieldPath) -> FieldError:
    known = f"with format {number_format}" if number_format in _LIMITS else "(default format)"
    words = f"Checked value must be of type integer {known} in {_where(path)}"
    return invalid(NOWHERE, "", words)


def _check_number_or_text(value: Any, shape: Shape, path: FieldPath) -> Iterator[FieldError]:
    kind = type_name(value)
    if kind == "string":
        if shape.kind == "quantity" and not _compiled(QUANTITY).match(value):
            yield _no_match(value, QUANTITY, path)
    elif kind != "integer":
        yield _wrong_type(value, "integer,string", path)
        if kind != "null":
            words = f'"{_where(path)}" must validate at least one schema (anyOf)'
            yield invalid(NOWHERE, "", words)
            yield _wrong_type(value, "integer", path)
            if kind == "number":
                yield _out_of_range("", path)


def _no_match(value: str, pattern: str, path: FieldPath) -> FieldError:
    return invalid(path, value, f"{_where(path)} in body should match '{pattern}'")


def _check_text(value: str, shape: Shape, path: FieldPath) -> Iterator[FieldError]:
    where = _where(path)
    if shape.choices and value not in shape.choices:
        yield not_supported(path, value, shape.choices)
    if shape.longest is not None and len(value) > shape.longest:
        yield too_long(path, shape.longest)
    elif shape.shortest is not None and len(value) < shape.shortest:
        words = f"{where} in body should be at least {shape.shortest} chars long"
        yield invalid(path, value, words)
    elif shape.like and not _compiled(shape.like).match(value):
        yield _no_match(value, shape.like, path)
    if shape.kind == "time" and not _TIME.match(value):
        words = f'{where} in body must be of type date-time: "{value}"'
        yield type_invalid(path, value, words)


def _check_integer(value: int | float, shape: Shape, path: FieldPath) -> Iterator[FieldError]:
    limit = _LIMITS[shape.go]
    if not -limit <= value < limit:
        yield _out_of_range(shape.go, path)
    yield from _check_minimum(value, shape, path)


def _check_minimum(value: int | float, shape: Shape, path: FieldPath) -> Iterator[FieldError]:
    if shape.minimum is not None and value < shape.minimum:
        words = f"{_where(path)} in body should be greater than or equal to {shape.minimum}"
        yield invalid(path, value, words)


def _check_list(value: list[Any], shape: Shape, path: FieldPath, old: Any) -> Iterator[FieldError]:
    assert shape.item is not None
    before = _by_key(old, shape) if shape.keys else {}
    for index, item in enumerate(value):
        known = before.get(_key_of(item, shape), ABSENT) if before else ABSENT
        yield from check_structure(item, shape.item, (*path, index), known)
    if shape.least is not None and len(value) < shape.least:
        words = f"{_where(path)} in body should have at least {shape.least} items"
        yield invalid(path, len(value), words)
    if shape.most is not None and len(value) > shape.most:
        yield too_many(path, len(value), shape.most)


def _check_mapping(
    value: Mapping[str, Any], shape: Shape, path: FieldPath, old: Any
) -> Iterator[FieldError]:
    if shape.most is not None and len(value) > shape.most:
        yield too_many(path, len(value), shape.most)
    before = old if isinstance(old, Mapping) else {}
    for name, part in value.items():
        inner = shape.fields[name].shape if name in shape.fields else shape.item
        if inner is not None:
            yield from check_structure(part, inner, (*path, name), before.get(name, ABSENT))
    for name in shape.required:
        if name not in value:
            yield required((*path, name))


def check_lists(value: Any, shape: Shape, path: FieldPath = ()) -> Iterator[FieldError]:
    """Yield what is there twice in lists whose items must differ."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            inner = shape.fields[name].shape if name in shape.fields else shape.item
            if inner is not None:
                yield from check_lists(part, inner, (*path, name))
    elif isinstance(value, list) and shape.item is not None:
        if shape.distinct or shape.keys:
            yield from _repetitions(value, shape, path)
        for index, item in enumerate(value):
            yield from check_lists(item, shape.item, (*path, index))


def _repetitions(value: list[Any], shape: Shape, path: FieldPath) -> Iterator[FieldError]:
    """Yield the first repetition of each item."""
    if shape.keys:
        for index, item in enumerate(value):
            if item is not None and not isinstance(item, Mapping):
                words = "must be an object for an array of list-type map"
                yield invalid((*path, index), item, words)
                return
    seen: dict[Any, int] = {}
    for index, item in enumerate(value):
        key = _key_of(item, shape)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            yield duplicate((*path, index), _shown(item, shape))


def _shown(item: Any, shape: Shape) -> Any:
    if not shape.keys:
        return item
    return {name: item[name] for name in sorted(shape.keys) if name in (item or ())}


def _key_of(item: Any, shape: Shape) -> Any:
    """Return what tells an item from the others."""
    if not shape.keys:
        return _simple(item)
    if not isinstance(item, Mapping):
        return ()
    return tuple(_simple(item.get(name, ABSENT)) for name in shape.keys)


def _simple(value: Any) -> Any:
    scalar = value is None or isinstance(value, str | int | float)
    return (type(value), value) if scalar else repr(value)


def _by_key(old: Any, shape: Shape) -> dict[Any, Any]:
    return {_key_of(item, shape): item for item in old} if isinstance(old, list) else {}
