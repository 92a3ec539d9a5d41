"""The tables of shapes in ``tables``; ``kubernetes/core.shapes`` explains how they look."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.shapes.shape import ABSENT, PATTERNS, Field, Shape
from kueuelab.messages import Message
from kueuelab.model import RELEASE, RELEASES, V0_19_2, Release

__all__ = [
    "KUEUE_KINDS",
    "checked_shape_of",
    "known_versions",
    "record_of",
    "shape_of",
    "status_shape",
    "tables_of",
]

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
#: Those of 2022, in v1alpha1 and v1alpha2.
OLD_KINDS: Final = (
    *("Queue", "LocalQueue", "ClusterQueue", "ResourceFlavor", "Workload", "QueuedWorkload"),
    *("Cohort", "Topology", "MultiKueueConfig", "MultiKueueCluster"),
)
_JUDGED: Final[Mapping[str, tuple[str, ...]]] = {"batch/v1": ("Job",), "v1": ("Pod",)}
#: Kinds of dynamic resource allocation, and their versions that have what Kueue reads.
DEVICE_KINDS: Final = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice")
_DEVICES: Final = tuple(f"resource.k8s.io/{version}" for version in ("v1", "v1beta2", "v1beta1"))
_CHECKED: Final[Mapping[str, tuple[str, ...]]] = {
    "kueue.x-k8s.io/v1alpha2": OLD_KINDS,
    "kueue.x-k8s.io/v1alpha1": OLD_KINDS,
    "v1": ("Namespace", "Node", "LimitRange"),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "node.k8s.io/v1": ("RuntimeClass",),
    **dict.fromkeys(_DEVICES, DEVICE_KINDS),
}
#: The minor version whose tables are whole; each other one has what is different in it.
_WHOLE: Final = V0_19_2.minor
_FOLDER: Final = files(__package__) / "tables"


@cache
def tables_of(minor: str) -> Mapping[str, tuple[str, ...]]:
    """Return the tables of each API version in a minor version; later ones come before earlier.

    Raises
    ------
    UnknownObjectError
        If the minor version has no tables.
    """
    core = "kubernetes/core"
    pods = (core, "kubernetes/containers", "kubernetes/volumes")
    other = (core, "kubernetes/cluster")
    old = (*pods, "kubernetes/cluster", "lab/v1alpha1")
    different = _different_in(minor)

    def kueue(*names: str) -> Iterator[str]:
        for name in names:
            yield f"{_WHOLE}/{name}"
            if name in different:
                yield f"{minor}/{name}"

    return {
        "kueue.x-k8s.io/v1beta2": (*pods, *kueue("kueue", "workload")),
        "kueue.x-k8s.io/v1beta1": (*pods, *kueue("kueue", "workload", "v1beta1")),
        "kueue.x-k8s.io/v1alpha2": old,
        "kueue.x-k8s.io/v1alpha1": old,
        "batch/v1": (*pods, "kubernetes/jobs"),
        "v1": (*pods, "kubernetes/cluster", "kubernetes/jobs"),
        "scheduling.k8s.io/v1": other,
        "node.k8s.io/v1": other,
        **dict.fromkeys(_DEVICES, (*other, "kubernetes/devices")),
        "status": (*other, *kueue("kueue", "workload", "status")),
        "config.kueue.x-k8s.io/v1beta2": (core, *kueue("configuration")),
        "config.kueue.x-k8s.io/v1beta1": (core, *kueue("configuration", "configuration-v1beta1")),
        "kueuelab/v1": (*other, "lab/scenario"),
    }


def _different_in(minor: str) -> frozenset[str]:
    if minor == _WHOLE:
        return frozenset()
    folder = _FOLDER / minor
    if not folder.is_dir():
        known = {release.minor for release in RELEASES.values()}
        there = [each for each in sorted(known) if (_FOLDER / each).is_dir()]
        raise UnknownObjectError(Message("manifests.shapes.tables"), minor, there)
    return frozenset(file.name.removesuffix(".shapes") for file in folder.iterdir())


_WITH_STATUS: Final = (
    *("Workload", "ClusterQueue", "Cohort", "LocalQueue", "AdmissionCheck", "MultiKueueCluster"),
)

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

    def amending(self, other: _Definition | None) -> _Definition:
        """Return this definition with what one that ``amends`` another leaves as it is."""
        first, _, rest = self.text.partition(" ")
        if first != "amends":
            return self
        assert other is not None
        without = _words(rest).get("without", "").split(",")
        fields = {_name_of(line): line for line in (*other.lines, *self.lines)}
        lines = tuple(line for name, line in fields.items() if name not in without)
        text = rest if "check" in _words(rest) else other.text
        return _Definition(other.package, text, lines)


def shape_of(api_version: str, kind: str, release: Release = RELEASE) -> Shape | None:
    """Return the shape of what the API server judges, ``None`` if the kind is unknown.

    Parameters
    ----------
    api_version, kind : str
        What the object says it is.
    release : Release, optional
        The release of Kueue, which may not serve the version.

    Examples
    --------
    >>> shape_of("kueue.x-k8s.io/v1beta2", "Topology").fields["spec"].shape.required
    ('levels',)
    >>> shape_of("v1", "Job") is None
    True
    """
    kinds = KUEUE_KINDS if release.serves(api_version) else _JUDGED.get(api_version, ())
    return record_of(api_version, kind, release) if kind in kinds else None


def checked_shape_of(api_version: str, kind: str) -> Shape | None:
    """Return the shape of a manifest that only the lab checks, ``None`` if the kind is unknown.

    Examples
    --------
    >>> checked_shape_of("v1", "Node").required, checked_shape_of("v1", "Pod")
    (('metadata',), None)
    """
    return record_of(api_version, kind) if kind in _CHECKED.get(api_version, ()) else None


def status_shape(kind: str) -> Shape | None:
    """Return what the lab reads of the status of a kind of Kueue's, ``None`` if nothing.

    Examples
    --------
    >>> status_shape("Cohort").open, status_shape("Topology")
    (True, None)
    """
    if kind not in _WITH_STATUS:
        return None
    return record_of("status", kind).fields["status"].shape


def known_versions(kind: str, release: Release = RELEASE) -> tuple[str, ...]:
    """Return the versions that a kind is known in, the newest first.

    Examples
    --------
    >>> known_versions("LocalQueue")[0]
    'kueue.x-k8s.io/v1beta2'
    >>> known_versions("ConfigMap"), known_versions("Job")
    ((), ())
    """
    served = (release.api_version, *release.older_api_versions)
    kueue = served if kind in KUEUE_KINDS else ()
    return (*kueue, *(version for version, kinds in _CHECKED.items() if kind in kinds))


def record_of(api_version: str, name: str, release: Release = RELEASE) -> Shape:
    """Return a record of the tables of an API version.

    Raises
    ------
    UnknownObjectError
        If the tables of the release are not there.
    """
    return _record(api_version, name, release.minor)


@cache
def _record(api_version: str, name: str, minor: str) -> Shape:
    return _tables(tables_of(minor)[api_version], api_version).record(name)


@cache
def _tables(names: tuple[str, ...], api_version: str) -> _Tables:
    found: dict[str, _Definition] = {}
    for name in names:
        for key, definition in _definitions((_FOLDER / f"{name}.shapes").read_text("utf-8")):
            found[key] = definition.amending(found.get(key))
    if api_version == "kueue.x-k8s.io/v1beta1":
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
        words = _words(definition.text)
        rules = tuple(words["check"].split(",")) if "check" in words else ()
        if "like" in words:
            # What both have is of a type of its own in Go, embedded in the one named here.
            common = self.record(words["like"]).fields
            for field in common.values():
                fields[field.name] = replace(field, inside=(f"{name}Common",))
        for line in definition.lines:
            match = _FIELD.match(line)
            assert match is not None, line
            shape, default = self._limited(match["type"], definition.package)
            inside = (match["inside"],) if match["inside"] else ()
            required, always = bool(match["required"]), bool(match["always"])
            fields[match["name"]] = Field(match["name"], shape, required, always, default, inside)
        go = f"{definition.package}.{name}"
        return Shape("record", go, fields=fields, rules=rules, open="open" in words)

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
        if "|" in text:
            first, second = text.split("|")
            return replace(self.record(first), kind="either", item=self.record(second))
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


def _name_of(line: str) -> str:
    match = _FIELD.match(line)
    assert match is not None, line
    return match["name"]


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
    "number": Shape("number", "float64"),
    "duration": Shape("duration", "v1.Duration"),
    "moment": Shape("moment", ""),
    "any": Shape("any", ""),
    "meta": Shape("meta", "v1.ObjectMeta"),
}
