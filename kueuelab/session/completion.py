"""What may be written at a place of a draft: fields and values, by the schema of Kueue's kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import yaml

from kueuelab.manifests.scenario import SCENARIO_VERSION
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.manifests.shapes.tables import (
    KUEUE_KINDS,
    checked_shape_of,
    known_versions,
    record_of,
    shape_of,
)
from kueuelab.messages import Catalog
from kueuelab.model import RELEASE
from kueuelab.session.build_answers import Choice, Completions
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.fields import FIELDS, QUOTA_FIELDS

__all__ = ["completions"]

_MOST: Final = 60
#: It stands for the word at the place.
_MARK: Final = "kueuelab-cursor"
_WORD: Final = re.compile(r"[\w./*-]*\Z")
#: The records of the scenario file that its own table leaves open, by the way to them.
_PARTS: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {
        ("spec", "timeline", "*"): "Action",
        ("spec", "timeline", "*", "submit"): "Submit",
        ("spec", "expect", "*"): "Expectation",
        ("spec", "nodes", "*"): "NodePool",
        ("spec", "nodes"): "NodePool",
        ("spec", "queues", "*"): "QueueForm",
    }
)
#: Fields that name an object of the draft.
_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cohortName": "Cohort",
        "parentName": "Cohort",
        "cohort": "Cohort",
        "clusterQueue": "ClusterQueue",
        "queue": "LocalQueue",
        "queueName": "LocalQueue",
        "flavor": "ResourceFlavor",
        "topologyName": "Topology",
        "priorityClass": "WorkloadPriorityClass",
        "check": "AdmissionCheck",
    }
)
_RESOURCES: Final = ("cpu", "memory", "nvidia.com/gpu", "pods", "ephemeral-storage")


class _Cursor(NamedTuple):
    """Where the word is: values from the document down to it, the way, and whether it is a key."""

    values: list[Any]
    path: tuple[str, ...]
    is_key: bool


def completions(draft: Draft, line: int, column: int, words: Catalog) -> Completions:
    r"""Return what may be written at a place of the text of a draft.

    Parameters
    ----------
    draft
        The draft; its text may be broken behind the place.
    line, column
        The place; both count from 0.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> text = Draft.new().added("ClusterQueue", "a").text
    >>> text = text.replace("  timeline: []\n", "      stopP\n")
    >>> found = completions(Draft(text), text.count("\n") - 1, 11, english())
    >>> found.column, [each.text for each in found.choices]
    (6, ['stopPolicy'])
    """
    lines = draft.text.split("\n")
    if not 0 <= line < len(lines):
        return Completions(column, ())
    before = lines[line][:column]
    match = _WORD.search(before)
    word = match[0] if match else ""
    start = len(before) - len(word)
    cursor = _cursor(lines, line, start, column)
    if cursor is None:
        return Completions(start, ())
    _, shape, _ = _shape_at(cursor.values, cursor.path)
    # A word alone where a mapping belongs is the beginning of its first field.
    begins = shape is not None and shape.kind in ("record", "meta")
    is_field = cursor.is_key or begins
    found = _fields(cursor, words) if is_field else _values(cursor, draft)
    lowered = word.lower()
    fitting = [each for each in found if lowered in each.text.lower() and each.text != word]
    fitting.sort(key=lambda each: not each.text.lower().startswith(lowered))
    return Completions(start, tuple(fitting[:_MOST]))


# --- where the place is ------------------------------------------------------------------


def _cursor(lines: list[str], line: int, start: int, column: int) -> _Cursor | None:
    """Return where the word is; what follows it may be broken, and is left out then."""
    head, tail = lines[line][:start], lines[line][column:]
    rest = re.sub(r"\A[\w./*-]*", "", tail)
    for behind in (lines[line + 1 :], []):
        for marked in (f"{head}{_MARK}{rest}", f"{head}{_MARK}:", f"{head}{_MARK}"):
            text = "\n".join([*lines[:line], marked, *behind])
            found = _marked(text)
            if found is not None:
                return found
    return None


def _marked(text: str) -> _Cursor | None:
    try:
        for document in yaml.safe_load_all(text):
            for values, path, is_key in _walk(document, [document], ()):
                return _Cursor(values, path, is_key)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return None
    return None


def _walk(
    value: Any, values: list[Any], path: tuple[str, ...]
) -> Iterator[tuple[list[Any], tuple[str, ...], bool]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == _MARK:
                yield values, path, True
            else:
                yield from _walk(inner, [*values, inner], (*path, str(key)))
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, [*values, inner], (*path, "*"))
    elif value == _MARK:
        yield values, path, False


# --- what may be there -------------------------------------------------------------------


def _shape_at(
    values: list[Any], path: tuple[str, ...]
) -> tuple[str, Shape | None, tuple[str, ...]]:
    """Return the kind that encloses a place, the shape there, and the way inside the kind."""
    for depth in range(len(path), -1, -1):
        value = values[depth]
        if not isinstance(value, dict) or "kind" not in value or "apiVersion" not in value:
            continue
        kind, version = str(value["kind"]), str(value["apiVersion"])
        shape = _shape_of(version, kind)
        inside = path[depth:]
        for at in range(len(inside) + 1):
            part = _PARTS.get(inside[:at]) if version == SCENARIO_VERSION else None
            if part is not None:
                shape = record_of(SCENARIO_VERSION, part)
            if at == len(inside) or shape is None:
                break
            shape = _inner(shape, inside[at])
        return kind, shape, inside
    return "", None, path


def _shape_of(version: str, kind: str) -> Shape | None:
    if version == SCENARIO_VERSION and kind == "Scenario":
        return record_of(version, kind)
    return shape_of(version, kind) or checked_shape_of(version, kind)


def _inner(shape: Shape, name: str) -> Shape | None:
    if shape.kind in ("list", "map"):
        return shape.item
    if name in shape.fields:
        return shape.fields[name].shape
    # What is left open goes on: a part of the scenario may be known further down.
    return shape if shape.kind == "any" else None


def _fields(cursor: _Cursor, words: Catalog) -> Iterator[Choice]:
    kind, shape, inside = _shape_at(cursor.values, cursor.path)
    there = cursor.values[-1] if isinstance(cursor.values[-1], dict) else {}
    if shape is None or shape.kind == "any":
        head = ("apiVersion", "kind", "metadata", "spec")
        yield from (Choice(name, "field", "", "") for name in head if name not in there)
        return
    if shape.kind == "list" and shape.item is not None:
        shape = shape.item
    if shape.kind == "meta":
        yield from (Choice(name, "field", "", "") for name in _META if name not in there)
        return
    meanings = _meanings(kind, words)
    for name, field in shape.fields.items():
        if name in there or name == "status":
            continue
        path = ".".join((*(each for each in inside if each != "*"), name))
        info = meanings.get(path, meanings.get(name, ""))
        detail = _detail(field.shape) + (" *" if field.required else "")
        yield Choice(name, "field", detail, info)


_META: Final = ("name", "namespace", "labels", "annotations")


def _meanings(kind: str, words: Catalog) -> Mapping[str, str]:
    found = {each.path: words.text(each.meaning) for each in FIELDS.get(kind, ())}
    return found | {each.path: words.text(each.meaning) for each in QUOTA_FIELDS}


def _detail(shape: Shape) -> str:
    if shape.choices:
        return " | ".join(shape.choices)
    if shape.kind == "list" and shape.item is not None:
        return f"[{_detail(shape.item)}]"
    return "{…}" if shape.kind in ("record", "map", "meta") else shape.kind


def _values(cursor: _Cursor, draft: Draft) -> Iterator[Choice]:
    name = next((each for each in reversed(cursor.path) if each != "*"), "")
    found = dict.fromkeys(_known(name, cursor, draft))
    yield from (Choice(each, "value", "", "") for each in found)


def _known(name: str, cursor: _Cursor, draft: Draft) -> Iterator[str]:
    above = cursor.path[:-1]
    match name:
        case "apiVersion":
            yield from (RELEASE.api_version, SCENARIO_VERSION, "v1", "batch/v1")
            return
        case "kind" if len(cursor.values) > 1:
            yield from (
                each for each in (*KUEUE_KINDS, "Namespace", "Node") if known_versions(each)
            )
            yield "Scenario"
            return
        case "coveredResources":
            yield from _RESOURCES
            return
        case "name" if above[-2:] == ("flavors", "*"):
            yield from draft.names("ResourceFlavor")
            return
        case "name" if above[-2:] == ("resources", "*"):
            yield from _RESOURCES
            return
        case "name" if above[-2:] == ("admissionChecks", "*"):
            yield from draft.names("AdmissionCheck")
            return
    if name in _NAMES:
        yield from draft.cohorts if _NAMES[name] == "Cohort" else draft.names(_NAMES[name])
    _, shape, _ = _shape_at(cursor.values[:-1], cursor.path[:-1])
    if cursor.path and shape is not None:
        inner = _inner(shape, cursor.path[-1])
        if inner is not None:
            yield from inner.choices
            if inner.kind == "boolean":
                yield from ("true", "false")
