"""The JSON Schema of a trace, made from the kinds of steps themselves.

``python -m kueuelab.trace.schema > docs/trace.schema.json`` brings the file up to date.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Container, Mapping
from dataclasses import MISSING, fields
from inspect import cleandoc
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from kueuelab.trace.coding import camel_case
from kueuelab.trace.export import FORMAT, VERSION
from kueuelab.trace.step import Facts
from kueuelab.trace.steps import KINDS

__all__ = ["schema", "schema_text"]

_ANY: Final[dict[str, Any]] = {}
_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}


def schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12).

    Examples
    --------
    >>> schema()["$defs"]["Requeued"]["properties"]
    {'reason': {'type': 'string'}, 'active': {'type': 'boolean'}}
    """
    kinds = sorted(KINDS)
    step = _object(
        {
            "index": {**_COUNT, "description": "Position in the trace, from 0."},
            "time": {"type": "integer", "description": "Virtual time, nanoseconds since 1970."},
            "cycle": {**_COUNT, "description": "Number of the latest scheduling cycle."},
            "workload": {**_TEXT, "description": "namespace/name, or empty."},
            "clusterQueue": {**_TEXT, "description": "Its name, or empty."},
            "cluster": {**_TEXT, "description": "Where; empty if there is only one cluster."},
            "kind": {"enum": kinds},
            "facts": {"type": "object", "description": "What happened; depends on the kind."},
            "changes": {"type": "array", "items": {"$ref": "#/$defs/Change"}},
        }
    )
    step["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}},
            "then": {"properties": {"facts": {"$ref": f"#/$defs/{kind}"}}},
        }
        for kind in kinds
    ]
    change = _object({"path": {"type": "array", "items": _TEXT}, "before": _ANY, "after": _ANY})
    change["description"] = "A value of the visible state that changed; null stands for absent."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kueuelab trace",
        "description": "Every step of a simulated run of Kueue, with facts and state changes. "
        "Saved files hold the same compactly: docs/saved-runs.md.",
        **_object(
            {
                "format": {"const": FORMAT},
                "version": {"const": VERSION},
                "kueueVersion": _TEXT,
                "name": {**_TEXT, "description": "Of the scenario."},
                "title": {**_TEXT, "description": "Of the scenario."},
                "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
                "until": {
                    "type": "integer",
                    "description": "When the run ended, in nanoseconds since 1970, "
                    "if that was after its last step.",
                },
            },
            optional=("until",),
        ),
        "$defs": {
            "Step": step,
            "Change": change,
            **{kind: _facts(KINDS[kind]) for kind in kinds},
        },
    }


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _object(properties: dict[str, Any], optional: Container[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _facts(kind: type[Facts]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    found = _object({camel_case(each.name): _type(hints[each.name]) for each in fields(kind)})
    found["required"] = [
        camel_case(each.name)
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    ]
    found["description"] = cleandoc(kind.__doc__ or "").replace("``", "`")
    return found


def _type(hint: Any) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple and arguments[-1] is Ellipsis:
        return {"type": "array", "items": _type(arguments[0])}
    if origin is tuple:
        return {
            "type": "array",
            "prefixItems": [_type(each) for each in arguments],
            "items": False,
            "minItems": len(arguments),
        }
    if origin in (Union, types.UnionType):
        return {
            "anyOf": [{"type": "null"} if each is type(None) else _type(each) for each in arguments]
        }
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(arguments[1])}
    if hint is float:
        return {"anyOf": [{"type": "number"}, {"const": "+Inf"}]}
    names = {str: "string", int: "integer", bool: "boolean"}
    return {"type": names[hint]} if hint in names else dict(_ANY)


if __name__ == "__main__":
    sys.stdout.write(schema_text())
