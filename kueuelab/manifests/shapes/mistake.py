"""A mistake in a manifest, and how the lab names values in its messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kueuelab.manifests.reading.paths import Path
from kueuelab.messages import Message

__all__ = ["Mistake", "Rule", "as_json", "closest", "describe", "unsupported"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong at a path. ``at_name``: the field itself, not its value, is wrong.

    ``field`` is the path as it is printed, if not as usual.
    """

    path: Path
    message: str
    hint: str = ""
    at_name: bool = False
    field: str = ""


#: Yields the mistakes of a value whose parts have the right types already.
Rule: TypeAlias = Callable[[Any, Path], Iterator[Mistake]]


def describe(value: Any) -> str:
    """Return what a value is, in the terms of YAML.

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
            return Message("manifests.mistake.number", value=f"{value!r:.40}")
        case str():
            shown = value if len(value) <= 40 else value[:37] + "..."
            return Message("manifests.mistake.text", shown=repr(shown))
        case Mapping():
            return Message("manifests.mistake.mapping")
        case _ if isinstance(value, Sequence):
            return Message("manifests.mistake.list")
    return f"a {type(value).__name__}"


def closest(name: str, known: Sequence[str]) -> str:
    """Return a hint that names what is most like ``name``, ``""`` if nothing is.

    Examples
    --------
    >>> closest("stopPolcy", ["stopPolicy", "cohortName"])
    "Did you mean 'stopPolicy'?"
    """
    from difflib import get_close_matches  # only a mistake needs it

    by_lower = {choice.lower(): choice for choice in known}
    close = get_close_matches(name.lower()[:80], list(by_lower), n=1)
    return Message("errors.unknown.close", name=by_lower[close[0]]) if close else ""


def unsupported(value: Any, choices: Sequence[str], path: Path) -> Iterator[Mistake]:
    """Yield the mistake that a value is none of the choices, if so."""
    if isinstance(value, str) and value in choices:
        return
    supported = ", ".join(f'"{choice}"' for choice in choices)
    if isinstance(value, str):
        words = f'Unsupported value: "{value:.80}": supported values: {supported}'
        yield Mistake(path, words, closest(value, choices))
    else:
        words = Message(
            "manifests.mistake.not-a-supported-text",
            describe=describe(value),
            supported=supported,
        )
        yield Mistake(path, words, Message("manifests.documents.field-name-not-text.hint"))


def as_json(value: Any, order: Sequence[str] = ()) -> str:
    """Return a value as Go prints it: keys of maps sorted, those of structs in their ``order``.

    Examples
    --------
    >>> as_json({"b": True, "a": [1]})
    '{"a":[1],"b":true}'
    >>> as_json({"key": "x", "operator": "In"}, ("operator", "key"))
    '{"operator":"In","key":"x"}'
    """
    return json.dumps(_ordered(value, order), separators=(",", ":"))


def _ordered(value: Any, order: Sequence[str]) -> Any:
    if isinstance(value, Mapping):
        rank = {name: place for place, name in enumerate(order)}
        names = sorted(value, key=lambda name: (rank.get(name, len(rank)), str(name)))
        return {name: _ordered(value[name], order) for name in names}
    if isinstance(value, list | tuple):
        return [_ordered(inner, order) for inner in value]
    return value
