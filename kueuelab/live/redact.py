"""Other names for everything that has one, the same wherever the same name stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from kueuelab.live.resources import Json

__all__ = ["redacted"]

#: What each kind is called instead.
_STEMS: Final = {
    "Namespace": "namespace",
    "ClusterQueue": "queue",
    "LocalQueue": "local-queue",
    "Cohort": "cohort",
    "ResourceFlavor": "flavor",
    "Workload": "workload",
    "WorkloadPriorityClass": "priority",
    "PriorityClass": "priority",
    "AdmissionCheck": "check",
    "Topology": "topology",
    "MultiKueueCluster": "cluster",
    "MultiKueueConfig": "config",
    "Node": "node",
    "LimitRange": "limits",
    "Job": "job",
}

#: Fields that hold the name of something.
_NAMING: Final = {
    "cohort": "Cohort",
    "cohortName": "Cohort",
    "parent": "Cohort",
    "parentName": "Cohort",
    "clusterQueue": "ClusterQueue",
    "queueName": "LocalQueue",
    "namespace": "Namespace",
    "priorityClassName": "WorkloadPriorityClass",
    "topologyName": "Topology",
    "nodeName": "Node",
    "clusterName": "MultiKueueCluster",
}

#: Lists of things that have names, or of names, and what these are called instead.
_LISTS: Final = {
    "flavors": "flavor",
    "flavorsReservation": "flavor",
    "flavorsUsage": "flavor",
    "onFlavors": "flavor",
    "admissionChecks": "check",
    "clusters": "cluster",
    "podSets": "pod-set",
    "podSetAssignments": "pod-set",
    "podSetUpdates": "pod-set",
    "reclaimablePods": "pod-set",
    "containers": "container",
    "initContainers": "container",
}

#: Names that everybody uses tell nothing.
_COMMON: Final = frozenset({"main", "default", "kube-system", "kueue-system"})

#: Words of the API, not names: they stay even where something is called like them.
_WORDS: Final = frozenset(
    {"apiVersion", "kind", "type", "reason", "status", "operator", "effect", "uid", "group"}
)

#: Fields that name resources.
_RESOURCES: Final = ("requests", "limits", "allocatable", "overhead", "coveredResources")

#: Fields that map labels to values, and labels whose values are no names.
_LABELS: Final = ("labels", "matchLabels", "nodeLabels", "nodeSelector")
_KEPT_LABELS: Final = ("kueue.x-k8s.io/job-uid", "kubernetes.io/os", "kubernetes.io/arch")
_NAME_LABELS: Final = (
    "kubernetes.io/metadata.name",
    "kubernetes.io/hostname",
    "kueue.x-k8s.io/queue-name",
    "kueue.x-k8s.io/priority-class",
    "batch.kubernetes.io/job-name",
)


def redacted(objects: Iterable[Json]) -> tuple[Json, ...]:
    """Return objects under other names.

    Names of objects, of what they refer to, and values of labels are replaced, names in
    messages too. Amounts, times, uids, keys of labels and the order of objects stay, so
    that the same is decided.

    Examples
    --------
    >>> queue = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "kind": "ClusterQueue",
    ...     "metadata": {"name": "acme-research"},
    ...     "spec": {"cohortName": "acme"},
    ... }
    >>> redacted([queue])[0]["metadata"], redacted([queue])[0]["spec"]
    ({'name': 'queue-0001'}, {'cohortName': 'cohort-0001'})
    """
    listed = list(objects)
    return _Redaction(listed).of(listed)


class _Redaction:
    """What is called what from now on; the same name is the same, whichever kinds bear it."""

    def __init__(self, objects: list[Json]) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._kept = set(_COMMON)
        # What has an object is called after it; resources are no names, whatever is named so.
        for obj in objects:
            self._keep_resources(obj)
        named = [obj for obj in objects if "metadata" in obj]
        for obj in named:
            meta = obj["metadata"]
            self._name(meta.get("namespace", ""), "namespace")
            self._name(meta["name"], _STEMS.get(obj["kind"], "object"))
        for obj in named:
            for owner in obj["metadata"].get("ownerReferences") or ():
                self._name(owner.get("name", ""), "job")
            self._references(obj)
        longest_first = sorted(self._names, key=lambda name: (-len(name), name))
        joined = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._pattern = re.compile(rf"(?<![\w-])(?:{joined})(?![\w-])")

    def of(self, objects: list[Json]) -> tuple[Json, ...]:
        return tuple(obj if "metadata" not in obj else self._object(obj) for obj in objects)

    # --- learning ----------------------------------------------------------------------

    def _keep_resources(self, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if (
                    key in ("requests", "limits", "allocatable", "overhead")
                    or key == "coveredResources"
                ):
                    self._kept.update(inner or ())
                else:
                    self._keep_resources(inner)
        elif isinstance(value, list):
            for inner in value:
                self._keep_resources(inner)

    def _name(self, name: str, stem: str) -> None:
        if name and name not in self._names and name not in self._kept:
            self._counts[stem] = number = self._counts.get(stem, 0) + 1
            self._names[name] = f"{stem}-{number:04}"

    def _references(self, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, str) and key in _NAMING:
                    self._name(inner, _STEMS[_NAMING[key]])
                    continue
                if key in _LISTS and inner:
                    self._listed(inner, _LISTS[key])
                self._references(inner)
        elif isinstance(value, list):
            for inner in value:
                self._references(inner)

    def _listed(self, value: Any, stem: str) -> None:
        """Learn the names in a list, or those that resources are mapped to."""
        found = value.values() if isinstance(value, dict) else value
        for each in found:
            name = each.get("name") if isinstance(each, dict) else each
            if isinstance(name, str):
                self._name(name, stem)

    # --- renaming ----------------------------------------------------------------------

    def _object(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._field(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._object(inner) for inner in value]
        return self._text(value) if isinstance(value, str) else value

    def _field(self, key: str, value: Any) -> Any:
        if key in _WORDS and isinstance(value, str):
            return value
        if key in _LABELS and isinstance(value, dict):
            return {label: self._label(label, text) for label, text in value.items()}
        if key == "values" and isinstance(value, list):
            return [self._value(str(text)) for text in value]
        if key == "valuesPerLevel" and isinstance(value, list):
            return [self._level(level) for level in value]
        if key == "value" and isinstance(value, str):
            return self._value(value)
        return self._object(value)

    def _text(self, text: str) -> str:
        if text in self._names:
            return self._names[text]
        return self._pattern.sub(lambda found: self._names[found[0]], text)

    def _label(self, label: str, text: str) -> str:
        if label in _KEPT_LABELS:
            return text
        if label in _NAME_LABELS:
            return self._names.get(text, text if text in self._kept else self._value(text))
        return self._value(text)

    def _value(self, text: str) -> str:
        if text in self._names:
            return self._names[text]
        if text not in self._values:
            self._values[text] = f"value-{len(self._values) + 1:04}"
        return self._values[text]

    def _level(self, level: Json) -> Json:
        """Rename the values of a topology's level, which may be written as parts."""
        if "universal" in level:
            return {"universal": self._value(level["universal"])}
        parts = level.get("individual") or {}
        before, after = parts.get("prefix") or "", parts.get("suffix") or ""
        roots = [self._value(f"{before}{root}{after}") for root in parts.get("roots") or ()]
        return {"individual": {"roots": roots}}
