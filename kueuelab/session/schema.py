"""The protocol for other languages: its JSON Schema, and declarations in TypeScript."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from kueuelab.session import capacity_messages, job_messages, quota_messages
from kueuelab.session.answers import ANSWERS, Failure, Opened, Working
from kueuelab.session.build_answers import BUILD_ANSWERS
from kueuelab.session.commands import COMMANDS
from kueuelab.session.wire import camel, hints_of, is_optional

__all__ = ["classes_of", "declarations_text", "definitions", "schema_text"]

#: Where the schemas of dataclasses are in a document.
_PLACE: Final = "#/$defs/"
#: The answer to each command.
_ANSWERS: Final = MappingProxyType(
    {
        **ANSWERS,
        **BUILD_ANSWERS,
        **job_messages.ANSWERS,
        **quota_messages.ANSWERS,
        **capacity_messages.ANSWERS,
    }
)
_SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"
_JSON_TYPES: Final = MappingProxyType(
    {str: "string", int: "integer", float: "number", bool: "boolean"}
)
_SCRIPT_TYPES: Final = MappingProxyType(
    {str: "string", int: "number", float: "number", bool: "boolean"}
)


def schema_text() -> str:
    """Return the JSON Schema of messages in both directions."""
    found = definitions(_roots())
    # A command says what it is, and an answer repeats the id of its command.
    for name, cls in COMMANDS.items():
        body = found[cls.__name__]
        named = {"do": {"const": name}, "id": {"type": ["integer", "string"]}}
        body["properties"] = {**named, **body["properties"]}
        body["required"] = ["do", *body["required"]]
    document = {
        "$schema": _SCHEMA,
        "title": "kueuelab-session",
        "anyOf": [{"$ref": "#/$defs/Command"}, {"$ref": "#/$defs/Reply"}],
        "$defs": {
            "Command": {"anyOf": [_ref(cls) for cls in COMMANDS.values()]},
            "Reply": {
                "type": "object",
                "properties": {
                    "id": {"type": ["integer", "string", "null"]},
                    "answer": {"anyOf": [_ref(cls) for cls in dict.fromkeys(_ANSWERS.values())]},
                    "error": _ref(Failure),
                    # What is open, if the command decided or loaded an input on its way.
                    "opened": _ref(Opened),
                    "progress": _ref(Working),
                },
                "required": ["id"],
                "additionalProperties": False,
            },
            **found,
        },
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def definitions(roots: Iterable[type], place: str = _PLACE) -> dict[str, dict[str, Any]]:
    """Return the schemas of dataclasses, and of those that they hold, by name.

    The metadata of a field is a part of its schema: ``{"minimum": 0}``.

    Parameters
    ----------
    roots
        The dataclasses.
    place
        Where the schemas are in the document, for references.

    Examples
    --------
    >>> from kueuelab.session.answers import Amount
    >>> definitions([Amount])["Amount"]["properties"]
    {'value': {'type': 'integer'}, 'text': {'type': 'string'}}
    """
    return {cls.__name__: _object(cls, place) for cls in classes_of(roots)}


def declarations_text() -> str:
    """Return TypeScript declarations: each dataclass, and which command has which answer."""
    return "\n".join(_declarations()) + "\n"


def _declarations() -> Iterator[str]:
    yield "// Made of kueuelab/session/commands.py and answers.py by kueuelab/session/schema.py."
    for cls in classes_of(_roots()):
        yield f"\nexport interface {_script_name(cls)} {{"
        for each in fields(cls):
            mark = "?" if cls in COMMANDS.values() and is_optional(each) else ""
            yield f"  {camel(each.name)}{mark}: {_script_type(hints_of(cls)[each.name])};"
        yield "}"
    yield "\n/** The fields of each command. */\nexport interface Commands {"
    yield from (f"  {name}: {_script_name(cls)};" for name, cls in COMMANDS.items())
    yield "}\n\n/** The answer to each command. */\nexport interface Answers {"
    yield from (f"  {name}: {_script_name(cls)};" for name, cls in _ANSWERS.items())
    yield "}"


def _script_name(cls: type) -> str:
    return f"{cls.__name__}Command" if cls in COMMANDS.values() else cls.__name__


def _roots() -> Iterable[type]:
    return (*COMMANDS.values(), *_ANSWERS.values(), Failure, Working)


def classes_of(roots: Iterable[type]) -> Iterable[type]:
    """Return dataclasses, each after what it holds."""
    found: dict[type, None] = {}

    def add(type_: Any) -> None:
        if is_dataclass(type_) and isinstance(type_, type):
            if type_ not in found:
                for hint in hints_of(type_).values():
                    add(hint)
                found[type_] = None
        else:
            for each in get_args(type_):
                add(each)

    for cls in roots:
        add(cls)
    return found


def _ref(cls: type, place: str = _PLACE) -> dict[str, Any]:
    return {"$ref": f"{place}{cls.__name__}"}


def _object(cls: Any, place: str) -> dict[str, Any]:
    properties = {
        camel(each.name): {**_type(hints_of(cls)[each.name], place), **each.metadata}
        for each in fields(cls)
    }
    required = [camel(each.name) for each in fields(cls) if not is_optional(each)]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _type(type_: Any, place: str) -> dict[str, Any]:
    origin = get_origin(type_)
    if origin in (Union, UnionType):
        inner = [_type(each, place) for each in get_args(type_) if each is not NoneType]
        return {"anyOf": [*inner, {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _type(get_args(type_)[0], place)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object"}
    return {"type": _JSON_TYPES[type_]} if type_ in _JSON_TYPES else _ref(type_, place)


def _script_type(type_: Any) -> str:
    origin = get_origin(type_)
    if origin in (Union, UnionType):
        inner = [_script_type(each) for each in get_args(type_) if each is not NoneType]
        return " | ".join([*inner, "null"])
    if origin is tuple:
        return f"{_script_type(get_args(type_)[0])}[]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "Record<string, any>"
    return _SCRIPT_TYPES[type_] if type_ in _SCRIPT_TYPES else _script_name(type_)
