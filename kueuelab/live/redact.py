"""Other names for everything that has one, the same wherever the same name stands."""

from __future__ import annotations

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

#: Names that everybody uses tell nothing.
_COMMON: Final = frozenset({"main", "default", "kube-system", "kueue-system"})


class _Names:
    """What is called what from now on; a name is one name, whichever kinds bear it."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def give(self, name: str, stem: str) -> str:
        if not name or name in _COMMON:
            return name
        if name not in self._new:
            self._counts[stem] = number = self._counts.get(stem, 0) + 1
            self._new[name] = f"{stem}-{number:04}"
        return self._new[name]

    def within(self, text: str) -> str:
        """Return a text with every name in it replaced, the longest first."""
        if text in self._new:
            return self._new[text]
        if not self._pattern_is_current:
            self._compile()
        return self._pattern.sub(lambda found: self._new[found[0]], text)

    _size = -1

    @property
    def _pattern_is_current(self) -> bool:
        return self._size == len(self._new)

    def _compile(self) -> None:
        import re

        longest_first = sorted(self._new, key=lambda name: (-len(name), name))
        joined = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._pattern = re.compile(rf"(?<![\w-])(?:{joined})(?![\w-])")
        self._size = len(self._new)


def redacted(objects: Iterable[Json]) -> tuple[Json, ...]:
    """Return objects under other names.

    Names of objects, of what they refer to, and of labels' values are replaced, in messages
    too. Amounts, times, uids, label keys and the order of objects stay, so that the same
    is decided.

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
    names = _Names()
    for obj in listed:
        _learn(obj, names)
    return tuple(_renamed(obj, names) for obj in listed)


def _learn(obj: Json, names: _Names) -> None:
    if obj.get("kind") == "Configuration":
        return
    meta = obj["metadata"]
    names.give(meta.get("namespace", ""), "namespace")
    names.give(meta["name"], _STEMS.get(obj["kind"], "object"))
    for owner in meta.get("ownerReferences") or ():
        names.give(owner.get("name", ""), "job")
    _learn_values(obj, names)


def _learn_values(value: Any, names: _Names) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key in _NAMING:
                names.give(inner, _STEMS[_NAMING[key]])
            elif key in ("labels", "matchLabels", "nodeLabels", "nodeSelector"):
                for text in (inner or {}).values():
                    names.give(str(text), "label")
            elif key == "values" and isinstance(inner, list):
                for text in inner:
                    names.give(str(text), "label")
            else:
                _learn_values(inner, names)
    elif isinstance(value, list):
        for inner in value:
            _learn_values(inner, names)


#: Words of the API, not names: they stay even where something is called like them.
_WORDS: Final = frozenset(
    {"apiVersion", "kind", "type", "reason", "status", "operator", "effect", "uid", "group"}
)


def _renamed(value: Any, names: _Names) -> Any:
    if isinstance(value, dict):
        return {
            key: inner if key in _WORDS and isinstance(inner, str) else _renamed(inner, names)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_renamed(inner, names) for inner in value]
    return names.within(value) if isinstance(value, str) else value
