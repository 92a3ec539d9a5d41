"""Steps as JSON values and back.

Field names become camelCase, tuples lists; an infinite share is ``"+Inf"``, and what is
unlimited is int64's maximum. Everything else is what it is.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from math import inf
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from kueuelab.errors import InputError
from kueuelab.messages import Message
from kueuelab.model import UNLIMITED
from kueuelab.trace.checking import check_change, check_type
from kueuelab.trace.step import Change, Step
from kueuelab.trace.steps import KINDS

__all__ = [
    "Decoder",
    "camel_case",
    "decode_step",
    "decoder_of",
    "encode_step",
    "encode_value",
    "fields_of",
]

_INFINITE: Final = "+Inf"


def camel_case(name: str) -> str:
    """Return a field's name as JSON has it.

    Examples
    --------
    >>> camel_case("borrowing_limit")
    'borrowingLimit'
    """
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def encode_step(step: Step) -> dict[str, Any]:
    """Return a step as JSON values.

    Examples
    --------
    >>> from kueuelab.trace.steps import Requeued
    >>> encode_step(Step(0, 5, 1, "default/a", "cq", Requeued("NoFit", active=False)))["facts"]
    {'reason': 'NoFit', 'active': False}
    """
    facts = step.facts
    return {
        "index": step.index,
        "time": step.time,
        "cycle": step.cycle,
        "workload": step.workload,
        "clusterQueue": step.cluster_queue,
        "cluster": step.cluster,
        "kind": step.kind,
        "facts": {key: encode_value(getattr(facts, name)) for name, key, _ in _fields(step.kind)},
        "changes": [
            {
                "path": list(change.path),
                "before": encode_value(change.before),
                "after": encode_value(change.after),
            }
            for change in step.changes
        ],
    }


def decode_step(value: Mapping[str, Any]) -> Step:
    """Return the step that :func:`encode_step` made ``value`` from.

    Raises
    ------
    InputError
        If it isn't one.
    """
    try:
        kind = KINDS.get(value["kind"])
        if kind is None:
            index, name = f"{value.get('index')!r:.40}", f"{value['kind']!r:.40}"
            raise InputError(Message("trace.file.no-kind", step=index, kind=name))
        found = value["facts"]
        facts = kind(
            **{
                name: decode(found[key])
                for name, key, decode in _fields(value["kind"])
                if key in found
            }
        )
        changes = tuple(_change(each) for each in _listed(value["changes"]))
        return Step(
            check_type(value["index"], int),
            check_type(value["time"], int),
            check_type(value["cycle"], int),
            check_type(value["workload"], str),
            check_type(value["clusterQueue"], str),
            facts,
            changes,
            check_type(value["cluster"], str),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        number = value.get("index", "?") if isinstance(value, Mapping) else "?"
        values = {"step": f"{number!r:.40}", "error": f"{error!r:.200}"}
        raise InputError(Message("trace.file.bad-step", **values)) from error


#: What JSON has as it is.
_PLAIN: Final = frozenset((str, int, bool, type(None)))


def encode_value(value: Any) -> Any:
    """Return a value of facts or changes as JSON values."""
    if type(value) in _PLAIN:
        return value  # Most are, and an abstract class like Mapping takes long to ask.
    if isinstance(value, list | tuple):
        return [encode_value(inner) for inner in value]
    if isinstance(value, Mapping):
        return {str(key): encode_value(inner) for key, inner in value.items()}
    if isinstance(value, float) and value in (inf, -inf):
        return _INFINITE if value > 0 else "-Inf"
    return value


#: Makes a value of a field from JSON values, or says by an error that it is none.
Decoder = Callable[[Any], Any]


@cache
def fields_of(kind: str) -> tuple[tuple[str, str, Any], ...]:
    """Return the fields of a kind of step: the name, the name in JSON, and the type."""
    cls = KINDS[kind]
    hints = get_type_hints(cls)
    return tuple((each.name, camel_case(each.name), hints[each.name]) for each in fields(cls))


@cache
def _fields(kind: str) -> tuple[tuple[str, str, Decoder], ...]:
    return tuple((name, key, decoder_of(hint)) for name, key, hint in fields_of(kind))


def decoder_of(hint: Any) -> Decoder:
    """Return what makes a value of a type from JSON values."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            inner = decoder_of(arguments[0])
            return lambda value: tuple(inner(each) for each in _listed(value))
        decoders = tuple(decoder_of(argument) for argument in arguments)
        return lambda value: tuple(
            decode(each) for decode, each in zip(decoders, _listed(value), strict=True)
        )
    if origin in (Union, types.UnionType):
        inner = decoder_of(next(each for each in arguments if each is not type(None)))
        return lambda value: None if value is None else inner(value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if arguments[1] is Any:
            return _decode_numbers
        inner = decoder_of(arguments[1])
        return lambda value: {key: inner(each) for key, each in value.items()}
    if hint is float:
        return lambda value: inf if value == _INFINITE else float(value)
    if hint is int:
        return lambda value: UNLIMITED if value == UNLIMITED else check_type(value, int)
    if hint is str or hint is bool:
        return lambda value: check_type(value, hint)
    return lambda value: value


def _decode_numbers(value: Any) -> dict[str, Any]:
    """Return what a rule compared; what is called a time is one."""
    found: dict[str, Any] = check_type(value, dict)
    for name, each in found.items():
        if name.endswith("At") and each is not None:
            check_type(each, int)
    return found


def _listed(value: Any) -> list[Any]:
    found: list[Any] = check_type(value, list)
    return found


def _change(value: Any) -> Change:
    path = tuple(check_type(name, str) for name in _listed(value["path"]))
    check_change(path, value["before"], value["after"])
    return Change(path, value["before"], value["after"])
