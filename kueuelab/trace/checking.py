"""Whether a change in a saved run is one that a recorder could have written.

Views read the state without a second look at it, so what comes from a file is looked at here:
each place of the state has values of one shape, and an object has the fields of its kind.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from kueuelab import model
from kueuelab.quantity import Quantity
from kueuelab.trace.step import Path

__all__ = ["check_change", "check_type"]

#: Says that a value is of another shape, by a TypeError or a ValueError.
_Check = Callable[[Any], object]

_BEYOND: Final = 2**64


def check_type(value: Any, wanted: type[Any]) -> Any:
    """Return a value of a type, since whoever reads it later relies on that."""
    if type(value) is not wanted:
        raise TypeError(f"{value!r:.40} is no {wanted.__name__}")
    number: Any = value
    if wanted is int and not -_BEYOND < number < _BEYOND:
        raise ValueError(f"{value!r:.40} has more than 64 bits")
    return value


def check_change(path: Path, *values: Any) -> None:
    """Look at a place of the state, and at the values that it had and has.

    Raises
    ------
    TypeError, ValueError
        If there is no such place, or a value is of another shape.

    Examples
    --------
    >>> check_change(("workloads", "default/a", "phase"), None, "Pending")
    >>> check_change(("w1", "cohorts", "all", "usage", "spot", "cpu"), 0, "much")
    Traceback (most recent call last):
    TypeError: 'much' is no int
    """
    # In the record of several clusters, what belongs to one is below its name.
    own = path if path[:1] and path[0] in _ROOTS else path[1:]
    check = _check_at(own)
    if check is None:
        raise ValueError(f"the state has no place {'/'.join(path)!r:.80}")
    for value in values:
        if value is not None:
            check(value)


def _check_at(path: Path) -> _Check | None:
    if len(path) == 2 and path[0] == "objects":
        return _object_check(path[1].partition("/")[0])
    if len(path) < 3 or (path[0] == "workloads" and "/" not in path[1]):
        return None
    return _PLACES.get((path[0], path[2], len(path)))


@cache
def _object_check(kind: str) -> _Check | None:
    found = getattr(model, kind, None)
    return _check_of(found) if isinstance(found, type) and is_dataclass(found) else None


@cache
def _check_of(hint: Any) -> _Check:
    """Return what looks at a value that the recorder made from one of this type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal or hint in (str, Quantity, Fraction):
        return lambda value: check_type(value, str)
    if isinstance(hint, type) and is_dataclass(hint):
        return _fields_check(hint)
    if origin in (Union, types.UnionType):
        inner = [each for each in arguments if each is not type(None)]
        return _check_of(inner[0]) if len(inner) == 1 else _anything
    if hint is int or (isinstance(hint, type) and issubclass(hint, int) and hint is not bool):
        return lambda value: check_type(value, int)
    if hint is bool:
        return lambda value: check_type(value, bool)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_check(_check_of(arguments[1]))
    if origin is tuple:
        return _list_check(_check_of(arguments[0]) if arguments[-1] is Ellipsis else _anything)
    return _anything


def _anything(value: Any) -> None:
    """Take a value that no view looks into."""


def _mapping_check(inner: _Check) -> _Check:
    def check(value: Any) -> None:
        for each in check_type(value, dict).values():
            inner(each)

    return check


def _list_check(inner: _Check) -> _Check:
    def check(value: Any) -> None:
        for each in check_type(value, list):
            inner(each)

    return check


def _fields_check(cls: type) -> _Check:
    hints = get_type_hints(cls)
    # Fields that are empty are left out, but nothing is without a name.
    named = any(field.name == "name" and field.default is MISSING for field in fields(cls))

    def check(value: Any) -> None:
        found = check_type(value, dict)
        if named and "name" not in found:
            raise ValueError(f"a {cls.__name__} has no name")
        for name, inner in found.items():
            if name not in hints:
                raise ValueError(f"a {cls.__name__} has no field {name!r:.40}")
            _check_of(hints[name])(inner)

    return check


def _record(needed: Mapping[str, _Check], optional: Mapping[str, _Check]) -> _Check:
    def check(value: Any) -> None:
        found = check_type(value, dict)
        if not needed.keys() <= found.keys() <= needed.keys() | optional.keys():
            raise ValueError(f"{sorted(map(str, found))!r:.80} are other fields")
        for name, inner in found.items():
            (needed.get(name) or optional[name])(inner)

    return check


_TEXT: Final = _check_of(str)
_NUMBER: Final = _check_of(int)
_FLAG: Final = _check_of(bool)
_POD_SET: Final = _record(
    {
        "name": _TEXT,
        "count": _NUMBER,
        "flavors": _mapping_check(_TEXT),
        "usage": _mapping_check(_NUMBER),
    },
    {},
)

_ROOTS: Final = ("objects", "workloads", "clusterQueues", "cohorts", "localQueues")

#: By kind, what of it, and the length of the path.
_PLACES: Final[Mapping[tuple[str, str, int], _Check]] = {
    ("workloads", "phase", 3): _TEXT,
    ("workloads", "active", 3): _FLAG,
    ("workloads", "priority", 3): _NUMBER,
    ("workloads", "queuedAt", 3): _NUMBER,
    ("workloads", "queueName", 3): _TEXT,
    ("workloads", "queue", 3): _TEXT,
    ("workloads", "shape", 3): _TEXT,
    ("workloads", "podsLeft", 3): _mapping_check(_NUMBER),
    ("workloads", "admission", 3): _record(
        {"clusterQueue": _TEXT, "podSets": _list_check(_POD_SET)}, {}
    ),
    ("workloads", "requeueState", 3): _record({}, {"count": _NUMBER, "requeueAt": _TEXT}),
    ("workloads", "conditions", 4): _record(
        {"status": _TEXT, "reason": _TEXT, "message": _TEXT}, {}
    ),
    ("workloads", "admissionChecks", 4): _record({"state": _TEXT, "message": _TEXT}, {}),
    ("localQueues", "consumed", 3): _mapping_check(_TEXT),
    ("localQueues", "pendingPenalty", 3): _mapping_check(_TEXT),
    ("localQueues", "usage", 3): _TEXT,
    ("clusterQueues", "active", 3): _FLAG,
    ("clusterQueues", "noFit", 4): _TEXT,
    ("clusterQueues", "usage", 5): _NUMBER,
    ("cohorts", "usage", 5): _NUMBER,
}
