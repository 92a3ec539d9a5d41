"""Reading the tables of shapes in ``tables/*.shapes``; ``core.shapes`` explains how they look."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from kueuelab.manifests.server.shape import ABSENT, PATTERNS, Field, Shape

__all__ = ["KUEUE_KINDS", "shape_of"]

#: Kueue's kinds; the tables have a record for each.
KUEUE_KINDS: Final = (
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "ResourceFlavor",
    "Workload",
    "WorkloadPriorityClass",
    "AdmissionCheck",
    "Topology",
    "MultiKueueConfig",
    "MultiKueueCluster",
    "ProvisioningRequestConfig",
)
_KUBERNETES: Final = ("core", "containers", "volumes")
#: The tables that describe the kinds of a version; later ones come before earlier ones.
_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "kueue.x-k8s.io/v1beta2": (*_KUBERNETES, "kueue", "workload"),
    "kueue.x-k8s.io/v1beta1": (*_KUBERNETES, "kueue", "workload", "v1beta1"),
    "batch/v1": (*_KUBERNETES, "jobs"),
    "v1": (*_KUBERNETES, "jobs"),
}
_KINDS: Final = {"batch/v1": ("Job",), "v1": ("Pod",)}

_FIELD: Final = re.compile(
    r"((?P<inside>\w+)\.)?(?P<name>\w+)(?P<required>!?)(?P<always>\+?)\s+(?P<type>.+)\Z"
)
_WORD: Final = re.compile(r"(?P<word>[a-z]+)(?:\((?P<inner>.*?)\))?(?=\s+[a-z]|\s*\Z)")
_TYPE: Final = re.compile(r"(?P<type>\[[^]]+\]|\{[^}]+\}(?::\S+)?|\S+)\s*(?P<rest>.*)\Z")
_NUMBERS: Final = {
    "longest": "longest",
    "shortest": "shortest",
    "most": "most",
    "least": "least",
    "min": "minimum",
}


@dataclass(frozen=True, slots=True)
class _Definition:
    """A record or a named type as it is written."""

    package: str
    text: str
    lines: tuple[str, ...] = ()


@cache
def shape_of(api_version: str, kind: str) -> Shape | None:
    """Return what an object of this version and kind looks like, ``None`` if it is unknown.

    Examples
    --------
    >>> shape_of("kueue.x-k8s.io/v1beta2", "Topology").fields["spec"].shape.required
    ('levels',)
    >>> shape_of("v1", "Job") is None
    True
    """
    if api_version not in _TABLES or kind not in _KINDS.get(api_version, KUEUE_KINDS):
        return None
    return _tables(_TABLES[api_version]).record(kind)


@cache
def _tables(names: tuple[str, ...]) -> _Tables:
    found: dict[str, _Definition] = {}
    for name in names:
        text = files(__package__).joinpath("tables", f"{name}.shapes").read_text("utf-8")
        found.update(_definitions(text))
    if "v1beta1" in names:
        # What both versions have in common is of the older one here.
        found = {
            name: replace(it, package=it.package.replace("v1beta2", "v1beta1"))
            for name, it in found.items()
        }
    return _Tables(found)


def _definitions(text: str) -> Iterator[tuple[str, _Definition]]:
    package = header = ""
    lines: list[str] = []
    for line in (*text.split("\n"), "end"):
        if not line or line.startswith("#"):
            continue
        if line.startswith(" "):
            lines.append(line.strip())
            continue
        if header:
            name, _, words = header.partition(" ")
            yield name, _Definition(package, words.strip(), tuple(lines))
        header, lines = line, []
        if line.startswith("package "):
            package, header = line.split()[1], ""


class _Tables:
    """Definitions by name, made into shapes when they are asked for."""

    def __init__(self, definitions: Mapping[str, _Definition]) -> None:
        self._definitions = definitions
        self._made: dict[str, Shape] = {}

    def record(self, name: str) -> Shape:
        """Return the shape of a record, or of a type with a name."""
        if name not in self._made:
            definition = self._definitions[name]
            if definition.text.startswith("="):
                self._made[name] = self._limited(definition.text[1:].strip(), definition.package)[0]
            else:
                self._made[name] = self._record(name, definition)
        return self._made[name]

    def _record(self, name: str, definition: _Definition) -> Shape:
        fields: dict[str, Field] = {}
        rules: tuple[str, ...] = ()
        if definition.text.startswith("like "):
            # What both have is of a type of its own in Go, embedded in the one named here.
            common = self.record(definition.text.split()[1]).fields
            for field in common.values():
                fields[field.name] = replace(field, inside=(f"{name}Common",))
        elif definition.text:
            rules = tuple(_words(definition.text)["check"].split(","))
        for line in definition.lines:
            match = _FIELD.match(line)
            assert match is not None, line
            shape, default = self._limited(match["type"], definition.package)
            inside = (match["inside"],) if match["inside"] else ()
            required, always = bool(match["required"]), bool(match["always"])
            fields[match["name"]] = Field(match["name"], shape, required, always, default, inside)
        return Shape("record", f"{definition.package}.{name}", fields=fields, rules=rules)

    def _limited(self, text: str, package: str) -> tuple[Shape, Any]:
        """Return the shape that a text such as ``[text] set most(8)`` means, and its default."""
        match = _TYPE.match(text)
        assert match is not None, text
        shape = self._typed(match["type"], package)
        words = _words(match["rest"])
        default = json.loads(words.pop("default")) if "default" in words else ABSENT
        changes: dict[str, Any] = {}
        for word, inner in words.items():
            if word in _NUMBERS:
                changes[_NUMBERS[word]] = int(inner)
            elif word == "like":
                changes["like"] = PATTERNS[inner]
            elif word == "one":
                changes["choices"] = tuple(inner.split("|"))
            elif word == "by":
                changes["keys"] = tuple(inner.split(","))
            elif word == "pointer":
                changes["pointer"] = True
            elif word == "set":
                changes["distinct"] = True
            elif word == "check":
                changes["rules"] = (*shape.rules, *inner.split(","))
            elif word == "go":
                changes["go"] = inner if "." in inner else f"{package}.{inner}"
            else:
                raise ValueError(f"{word} in {text}")
        return (replace(shape, **changes) if changes else shape), default

    def _typed(self, text: str, package: str) -> Shape:
        if text.startswith("["):
            item = self._typed(text[1:-1], package)
            return Shape("list", f"[]{item.go}", item=item)
        if text.startswith("{"):
            inner, _, go = text[1:].partition("}")
            item = self._typed(inner, package)
            named = go.removeprefix(":")
            if named and "." not in named:
                named = f"{package}.{named}"
            return Shape("map", named or f"map[string]{item.go}", item=item)
        base, _, go = text.partition(":")
        if base in _SCALARS:
            if go and "." not in go:
                go = f"{package}.{go}"
            scalar = _SCALARS[base]
            return replace(scalar, go=go) if go else scalar
        shape = self.record(base)
        known = self._definitions[base].text
        if known.startswith("=") and ":" in known and "." not in known.split()[1]:
            # A type belongs to the package of the record that uses it.
            return replace(shape, go=f"{package}.{shape.go.rpartition('.')[2]}")
        return shape


def _words(text: str) -> dict[str, str]:
    return {match["word"]: match["inner"] or "" for match in _WORD.finditer(text)}


_SCALARS: Final[Mapping[str, Shape]] = {
    "text": Shape("text", "string"),
    "int32": Shape("integer", "int32"),
    "int64": Shape("integer", "int64"),
    "bool": Shape("boolean", "bool"),
    "quantity": Shape("quantity", "resource.Quantity"),
    "port": Shape("port", "intstr.IntOrString"),
    "time": Shape("time", "v1.Time"),
    "any": Shape("any", ""),
    "meta": Shape("meta", "v1.ObjectMeta"),
}
