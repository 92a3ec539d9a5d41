"""Proof that the API server accepts a new object, in one pass over it.

The verdict on an object goes over it once for each stage that may refuse it. Nearly all objects
of a dump are accepted by all stages. `proven` decodes an object and checks it for all of them at
once. It never refuses one: what is not certainly accepted is left to
`kueuelab.manifests.server.judge.judge`, which says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.conversion import CURRENT
from kueuelab.manifests.server.copying import plain_copy
from kueuelab.manifests.server.custom import (
    DEFAULTING,
    FINALIZER,
    NAMESPACED,
    VALIDATING,
    as_go_sees_it,
    patched,
)
from kueuelab.manifests.server.golang import go_error
from kueuelab.manifests.server.metadata import finalizer_warnings, metadata_errors
from kueuelab.manifests.server.rules import RULES
from kueuelab.manifests.server.strict import metadata_shape
from kueuelab.manifests.server.structural import check_lists, check_structure
from kueuelab.manifests.server.webhooks.workloads import workload_warnings
from kueuelab.manifests.shapes.shape import ABSENT, Shape
from kueuelab.manifests.shapes.tables import shape_of
from kueuelab.model import RELEASE

__all__ = ["proven"]

_Read: TypeAlias = Callable[[Any], Any]

#: Python's types of the scalars that are certainly read as what they are.
_SCALARS: Final[Mapping[str, frozenset[type]]] = {
    "text": frozenset((str,)),
    "time": frozenset((str,)),
    "integer": frozenset((int,)),
    "boolean": frozenset((bool,)),
    "quantity": frozenset((str, int)),
    "port": frozenset((str, int)),
}
#: So many sets of fields of a record are remembered.
_PLANS: Final = 256
#: So many accepted values of a field are remembered, up to so many characters each.
_REMEMBERED: Final = 8192
_LONGEST: Final = 64


class _UnprovenError(Exception):
    """The object may be refused."""


def proven(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a new object with its defaults if it is certainly accepted without a warning.

    Parameters
    ----------
    manifest : mapping
        An object of Kueue in the version that it works with.

    Returns
    -------
    dict or None
        The object as it would be stored, with its metadata as given and without its status.
        ``None`` if nothing is certain.

    Examples
    --------
    >>> queue = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "kind": "LocalQueue",
    ...     "metadata": {"name": "team-a"},
    ...     "spec": {"clusterQueue": "research"},
    ... }
    >>> proven(queue)["spec"]
    {'clusterQueue': 'research', 'stopPolicy': 'None'}
    >>> proven({**queue, "spec": {"clusterQueue": "Research"}})
    """
    if manifest.get("apiVersion") != CURRENT:
        return None
    try:
        return _proven(manifest, manifest["kind"])
    except (_UnprovenError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None


def _proven(manifest: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    shape = shape_of(CURRENT, kind)
    if shape is None:
        return None
    metadata = _reader(metadata_shape())(manifest["metadata"])
    if kind in NAMESPACED:
        metadata.setdefault("namespace", "default")
    else:
        metadata.pop("namespace", None)
    wrong = metadata_errors(metadata, namespaced=kind in NAMESPACED)
    if next(wrong, None) is not None or finalizer_warnings(metadata):
        return None
    head = {"apiVersion": CURRENT, "kind": kind}
    body = {name: part for name, part in manifest.items() if name not in head}
    body["metadata"] = {}
    if "status" in shape.fields and (status := body.pop("status", None)) is not None:
        # Nothing of it is stored, but Go must be able to read it.
        _reader(shape.fields["status"].shape)(status)
    read = _reader(shape)
    obj = head | read(body)
    if (
        kind in DEFAULTING
        and kind != "Workload"
        and FINALIZER not in metadata.get("finalizers", ())
    ):
        # The webhook that adds the finalizer writes the whole object anew.
        obj = head | read({**patched(obj, shape), "metadata": {}})
    obj["metadata"] = metadata
    if kind == "Workload" and workload_warnings(obj):
        return None
    webhook = VALIDATING[RELEASE].get(kind)
    if webhook is not None:
        # Nothing that Go writes otherwise in a Workload matters to its webhook.
        seen = obj if kind == "Workload" else as_go_sees_it(obj)
        if next(webhook(seen, None), None) is not None:
            return None
    return {**obj, "metadata": manifest["metadata"]}


@cache
def _reader(shape: Shape) -> _Read:
    """Return what decodes a value of a shape and raises unless all stages accept it."""
    if shape.kind in ("any", "meta"):
        return plain_copy
    if shape.kind in _SCALARS:
        read = _scalar_reader(shape)
    elif shape.kind == "record":
        read = _record_reader(shape)
    elif shape.kind == "map":
        read = _map_reader(shape)
    elif shape.kind == "list":
        read = _list_reader(shape)
    else:
        read = _unproven
    rules = [rule.holds for name in shape.rules for rule in RULES[name] if rule.holds is not None]
    if not rules:
        return read

    def read_by_rules(value: Any) -> Any:
        found = read(value)
        for holds in rules:
            if not holds(found):
                raise _UnprovenError
        return found

    return read_by_rules


def _unproven(value: Any) -> Any:
    raise _UnprovenError


def _only_type(shape: Shape) -> type | None:
    """Return the type of the values of a shape that says nothing else of them."""
    limits = (shape.longest, shape.shortest, shape.minimum)
    if shape.rules or shape.choices or shape.like or limits != (None,) * 3:
        return None
    return {"text": str, "boolean": bool}.get(shape.kind)


def _scalar_reader(shape: Shape) -> _Read:
    types = _SCALARS[shape.kind]
    only = _only_type(shape)
    if only is not None:

        def read_any(value: Any) -> Any:
            if type(value) is not only:
                raise _UnprovenError
            return value

        return read_any
    known: set[Any] = set()

    def read(value: Any) -> Any:
        if type(value) not in types:
            raise _UnprovenError
        if value not in known:
            if next(check_structure(value, shape), None) is not None or go_error(value, shape):
                raise _UnprovenError
            if len(known) < _REMEMBERED and (type(value) is int or len(value) <= _LONGEST):
                known.add(value)
        return value

    return read


def _record_reader(shape: Shape) -> _Read:
    readers = {name: _reader(field.shape) for name, field in shape.fields.items()}
    # Nothing but the type matters of most values.
    plain = {name: _only_type(field.shape) for name, field in shape.fields.items()}
    defaults = {
        name: field.default for name, field in shape.fields.items() if field.default is not ABSENT
    }
    defaulted, required = tuple(defaults), shape.required
    # Objects of a dump have few sets of fields: what is to be done with each is found out once.
    plans: dict[tuple[Any, ...], tuple[tuple[str, _Read], ...]] = {}

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise _UnprovenError
        fields = (*value, *map(type, value.values()))
        plan = plans.get(fields)
        if plan is not None:
            found = value.copy()
            for name, inner in plan:
                found[name] = inner(value[name])
            return found
        found = {}
        for name, part in value.items():
            if type(part) is plain.get(name):
                found[name] = part
            elif part is not None:
                found[name] = readers[name](part)
            elif name in defaults:
                found[name] = readers[name](deepcopy(defaults[name]))
            elif name not in readers:
                raise _UnprovenError
        for name in defaulted:
            if name not in found:
                found[name] = readers[name](deepcopy(defaults[name]))
        for name in required:
            if name not in found:
                raise _UnprovenError
        if found.keys() == value.keys() and None not in value.values() and len(plans) < _PLANS:
            plans[fields] = tuple(
                (name, readers[name])
                for name, part in value.items()
                if type(part) is not plain[name]
            )
        return found

    return read


def _map_reader(shape: Shape) -> _Read:
    assert shape.item is not None
    inner = _reader(shape.item)
    only = {_only_type(shape.item)}

    def read(value: Any) -> Any:
        if type(value) is not dict or (shape.most is not None and len(value) > shape.most):
            raise _UnprovenError
        if set(map(type, value.values())) == only:
            return value.copy()
        return {name: inner(part) for name, part in value.items()}

    return read


def _list_reader(shape: Shape) -> _Read:
    assert shape.item is not None
    inner = _reader(shape.item)
    least, most = shape.least or 0, shape.most
    differ = bool(shape.keys or shape.distinct)
    alone = Shape("list", shape.go, Shape("any", ""), keys=shape.keys, distinct=shape.distinct)

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) < least:
            raise _UnprovenError
        if most is not None and len(value) > most:
            raise _UnprovenError
        found = [inner(part) for part in value]
        if differ and len(found) > 1 and next(check_lists(found, alone), None) is not None:
            raise _UnprovenError
        return found

    return read
