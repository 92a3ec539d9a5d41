"""Other names for everything that has one: a name is what stands in a field for names.

Which fields those are, and which are kept, is in :mod:`kueuelab.live.redact_fields`; what
that table does not have is left out. Names of a kind keep their order, since ties are
broken by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kueuelab.live.redact_fields import (
    KINDS,
    Apart,
    Field,
    Names,
    Special,
    stem_of,
)
from kueuelab.live.redact_messages import Messages
from kueuelab.live.resources import Json

__all__ = ["redacted"]

#: Names that Kubernetes and Kueue give by themselves, and refer to.
_THEIR_OWN: Final[Mapping[str, frozenset[str]]] = {
    "Namespace": frozenset({"kube-system", "kueue-system", "kube-public", "kube-node-lease"}),
    "PriorityClass": frozenset({"system-cluster-critical", "system-node-critical"}),
    "PodSet": frozenset({"main"}),
}
#: Values of labels that are no names: numbers are compared, flags switch something.
_PLAIN_VALUE: Final = re.compile(
    r"-?\d+(\.\d+)?|true|false|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"
)
#: Labels and annotations whose values are names, and of what.
_NAME_LABELS: Final[Mapping[str, str]] = {
    "kubernetes.io/metadata.name": "Namespace",
    "kubernetes.io/hostname": "Node",
    "metadata.name": "Node",  # in matchFields
    "batch.kubernetes.io/job-name": "Job",
    "job-name": "Job",
    "kueue.x-k8s.io/cluster-queue-name": "ClusterQueue",
    "kueue.x-k8s.io/job-owner-name": "Job",
    "kueue.x-k8s.io/local-queue-name": "LocalQueue",
    "kueue.x-k8s.io/pod-group-name": "Workload",
    "kueue.x-k8s.io/podset": "PodSet",
    "kueue.x-k8s.io/prebuilt-workload-name": "Workload",
    "kueue.x-k8s.io/priority-class": "WorkloadPriorityClass",
    "kueue.x-k8s.io/queue-name": "LocalQueue",
    "kueue.x-k8s.io/workload": "Workload",
}
#: Labels and annotations whose values are kinds or words of Kubernetes.
_KEPT_LABELS: Final = (
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "kueue.x-k8s.io/job-owner-gvk",
)
#: Annotations whose values are keys of labels.
_KEY_LABELS: Final = (
    "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology",
)


def redacted(objects: Iterable[Json]) -> tuple[Json, ...]:
    """Return objects under other names.

    Names of objects and of what they refer to are replaced, and labels but those of
    Kubernetes and Kueue, in Kueue's messages too; other messages and descriptions go.
    Amounts, times, uids, names of resources and the order of names stay, so that the same is
    decided.

    Examples
    --------
    >>> queue = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "kind": "ClusterQueue",
    ...     "metadata": {"name": "Any"},
    ...     "spec": {"cohortName": "acme", "preemption": {"reclaimWithinCohort": "Any"}},
    ... }
    >>> [found] = redacted([queue])
    >>> found["metadata"], found["spec"]["cohortName"]
    ({'name': 'queue-0001'}, 'cohort-0001')
    >>> found["spec"]["preemption"]
    {'reclaimWithinCohort': 'Any'}
    """
    listed = list(objects)
    names = _Collected()
    _Redaction(names).of(listed)
    return _Redaction(names.renamed()).of(listed)


class _Collected:
    """Names as they are met, by what they are names of; then what they are called instead."""

    def __init__(self) -> None:
        self._met: dict[str, set[str]] = {}

    def __call__(self, kind: str, name: str) -> str:
        self._met.setdefault(kind, set()).add(name)
        return name

    def renamed(self) -> Names:
        """Return what gives each name another one, in the same order among its kind."""
        others: dict[tuple[str, str], str] = {}
        for kind, met in self._met.items():
            # Namespaces are compared as the beginning of "namespace/name".
            end = "/" if kind == "Namespace" else ""
            width = max(4, len(str(len(met))))
            for number, name in enumerate(sorted(met, key=lambda each: each + end), start=1):
                others[kind, name] = f"{stem_of(kind)}-{number:0{width}}"
        return lambda kind, name: others[kind, name]


class _Redaction:
    """One pass over objects: every name goes through ``names``."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._messages = Messages(self._name, self._key, self._label)

    def of(self, objects: list[Json]) -> tuple[Json, ...]:
        for obj in objects:
            self._messages.learn(obj)
        fields = ((KINDS.get(obj.get("kind", "")), obj) for obj in objects)
        return tuple(self._field(table, obj) for table, obj in fields if table is not None)

    def _field(self, field: Field, value: Any, beside: Mapping[str, Any] | None = None) -> Any:
        """Return a value under other names; ``beside`` is the object that it is a field of."""
        if isinstance(value, list):
            return [self._field(field, each, beside) for each in value]
        if isinstance(field, Special):
            return self._special(field, value, beside or {})
        if isinstance(field, str):
            return self._name(field, value) if isinstance(value, str) else value
        if isinstance(field, Apart):
            return {key: self._field(field.values, each) for key, each in value.items()}
        if not isinstance(value, Mapping):
            return value
        known = ((key, each) for key, each in value.items() if key in field)
        return {key: self._field(field[key], each, value) for key, each in known}

    def _special(self, field: Special, value: Any, beside: Mapping[str, Any]) -> Any:
        match field:
            case Special.KEPT:
                return value
            case Special.LABELS:
                return {self._key(key): self._label(key, text) for key, text in value.items()}
            case Special.OWN_NAME:
                return self._name(self._kind_of(beside), value)
            case Special.MESSAGE:
                return self._messages.redacted(value)
            case Special.KEY:
                return self._key(value)
            case Special.VALUE_OF_KEY:
                return self._label(str(beside.get("key", "")), value)
            case Special.THEIRS:
                theirs = not value or self._is_theirs(value)
                return value if theirs else f"example.com/{self._name('Controller', value)}"
            case Special.TOPOLOGY:
                return self._topology(value)
            case Special.OBJECT:
                return self._object(value, beside)
        raise AssertionError(field)

    # --- names -------------------------------------------------------------------------

    def _name(self, kind: str, name: str) -> str:
        if not name or name in _THEIR_OWN.get(kind, ()):
            return name
        return self._names(kind, name)

    def _kind_of(self, reference: Mapping[str, Any]) -> str:
        """Return of what the name in a reference is; jobs of all kinds are jobs."""
        source = str(reference.get("priorityClassSource") or "")
        if "priorityClassName" in reference:
            pods = "scheduling.k8s.io" in source
            return "PriorityClass" if pods else "WorkloadPriorityClass"
        kind = str(reference.get("kind") or "Job")
        return kind if kind in KINDS or "Config" in kind else "Job"

    def _object(self, meta: Any, obj: Mapping[str, Any]) -> Any:
        """Return the metadata of an object, whose name is one of its kind."""
        found = self._field(KINDS["metadata"], meta)
        if meta.get("name"):
            found["name"] = self._name(str(obj.get("kind")), meta["name"])
        if "finalizers" in found:
            theirs = [each for each in meta["finalizers"] if self._is_theirs(each)]
            found["finalizers"] = theirs
        return found

    def _is_theirs(self, name: str) -> bool:
        """Tell whether a name with a domain is one of Kueue's or Kubernetes'."""
        domain, slash, _ = name.partition("/")
        return bool(slash) and f".{domain}".endswith((".k8s.io", ".x-k8s.io", ".kubernetes.io"))

    # --- labels ------------------------------------------------------------------------

    def _key(self, key: str) -> str:
        """Return the key of a label or taint; those of Kueue and Kubernetes stay."""
        if not key or key in _NAME_LABELS or self._is_theirs(key):
            return key
        return self._names("Key", key)

    def _label(self, key: str, text: Any) -> Any:
        if not isinstance(text, str) or key in _KEPT_LABELS:
            return text
        if key in _KEY_LABELS:
            return self._key(text)
        kind = _NAME_LABELS.get(key)
        return self._value(text) if kind is None else self._name(kind, text)

    def _value(self, text: str) -> str:
        return text if _PLAIN_VALUE.fullmatch(text) else self._names("Value", text)

    def _topology(self, assignment: Json) -> Json:
        """Return an assignment of domains: values of labels, level by level."""
        levels = assignment.get("levels") or []
        found: Json = {"levels": [self._key(key) for key in levels]}
        if assignment.get("domains"):
            found["domains"] = [
                {**domain, "values": self._by_level(levels, domain.get("values") or [])}
                for domain in assignment["domains"]
            ]
        if assignment.get("slices"):
            found["slices"] = [
                {
                    **slice_,
                    "valuesPerLevel": [
                        self._level(key, level)
                        for key, level in zip(levels, slice_["valuesPerLevel"], strict=False)
                    ],
                }
                for slice_ in assignment["slices"]
            ]
        return found

    def _by_level(self, levels: list[str], values: list[str]) -> list[str]:
        # With the lowest level only, that is the last one.
        return [
            self._label(key, text)
            for key, text in zip(levels[-len(values) :], values, strict=False)
        ]

    def _level(self, key: str, level: Json) -> Json:
        """Rename the values of a topology's level, which may be written as parts."""
        if "universal" in level:
            return {"universal": self._label(key, level["universal"])}
        parts = level.get("individual") or {}
        before, after = parts.get("prefix") or "", parts.get("suffix") or ""
        roots = [self._label(key, f"{before}{root}{after}") for root in parts.get("roots") or ()]
        return {"individual": {"roots": roots}}
