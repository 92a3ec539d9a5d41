"""The API objects of one simulated cluster, other than Workloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from kueuelab.errors import UnknownObjectError
from kueuelab.frozen import EMPTY
from kueuelab.model import (
    AdmissionCheck,
    ClusterObject,
    ClusterQueue,
    Cohort,
    LimitRange,
    LocalQueue,
    ModelObject,
    Namespace,
    Node,
    ObjectMeta,
    Pod,
    ResourceFlavor,
    RuntimeClass,
    Topology,
    WorkloadPriorityClass,
)

__all__ = ["NAMESPACED", "ObjectStore", "kind_of", "with_defaults"]

AnyObject = TypeVar("AnyObject", bound=ModelObject)

#: Kinds of objects that live in a namespace.
NAMESPACED: Final = (
    "LimitRange",
    "LocalQueue",
    "Pod",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "Workload",
)


def kind_of(obj: ModelObject) -> str:
    """Return an object's kind."""
    return type(obj).__name__


def _defaulted(meta: ObjectMeta, kind: str, now: int) -> ObjectMeta:
    namespace = meta.namespace or ("default" if kind in NAMESPACED else "")
    created = now if meta.creation_timestamp is None else meta.creation_timestamp
    return replace(
        meta,
        namespace=namespace,
        uid=meta.uid or f"uid-{namespace}-{meta.name}",
        creation_timestamp=created,
    )


def with_defaults(obj: AnyObject, now: int) -> AnyObject:
    """Return ``obj`` with namespace, uid and creation time filled in where absent."""
    meta = obj.metadata
    created = meta.creation_timestamp
    if meta.namespace and meta.uid and created is not None:
        return obj
    return replace(obj, metadata=_defaulted(meta, kind_of(obj), now))


class ObjectStore:
    """Objects by kind and key, and which of them are being deleted."""

    __slots__ = (
        "_kinds",
        "admission_checks",
        "cluster_queues",
        "cohorts",
        "flavors",
        "limit_ranges",
        "local_queues",
        "namespaces",
        "nodes",
        "pods",
        "priority_classes",
        "runtime_classes",
        "terminating",
        "topologies",
    )

    def __init__(self) -> None:
        self.namespaces: dict[str, Namespace] = {}
        self.flavors: dict[str, ResourceFlavor] = {}
        self.cluster_queues: dict[str, ClusterQueue] = {}
        self.cohorts: dict[str, Cohort] = {}
        self.local_queues: dict[str, LocalQueue] = {}
        self.admission_checks: dict[str, AdmissionCheck] = {}
        self.priority_classes: dict[str, WorkloadPriorityClass] = {}
        self.runtime_classes: dict[str, RuntimeClass] = {}
        self.topologies: dict[str, Topology] = {}
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, Pod] = {}
        self.limit_ranges: dict[str, LimitRange] = {}
        self.terminating: dict[tuple[str, str], None] = {}
        self._kinds: dict[str, dict[str, Any]] = {
            "Namespace": self.namespaces,
            "ResourceFlavor": self.flavors,
            "ClusterQueue": self.cluster_queues,
            "Cohort": self.cohorts,
            "LocalQueue": self.local_queues,
            "AdmissionCheck": self.admission_checks,
            "WorkloadPriorityClass": self.priority_classes,
            "RuntimeClass": self.runtime_classes,
            "Topology": self.topologies,
            "Node": self.nodes,
            "Pod": self.pods,
            "LimitRange": self.limit_ranges,
        }

    def put(self, obj: ClusterObject) -> ClusterObject | None:
        """Create or replace an object; return what was there before."""
        objects = self._kinds.setdefault(kind_of(obj), {})
        before = objects.get(obj.metadata.key)
        objects[obj.metadata.key] = obj
        return before

    def get(self, kind: str, key: str) -> ClusterObject | None:
        """Return an object, ``None`` if there is none."""
        return self._kinds.get(kind, {}).get(key)

    def of_kind(self, kind: type[AnyObject]) -> Iterator[AnyObject]:
        """Go through the objects of a kind, sorted by key."""
        objects = self._kinds.get(kind.__name__, {})
        for key in sorted(objects):
            yield objects[key]

    def drop(self, kind: str, key: str) -> None:
        """Forget an object."""
        self._kinds.get(kind, {}).pop(key, None)
        self.terminating.pop((kind, key), None)

    def require(self, kind: str, key: str) -> ClusterObject:
        """Return an object that must be there.

        Raises
        ------
        UnknownObjectError
            If there is none.
        """
        obj = self.get(kind, key)
        if obj is None:
            raise UnknownObjectError(kind, key, self._kinds.get(kind, {}))
        return obj

    def is_terminating(self, kind: str, key: str) -> bool:
        """Tell whether the object is being deleted but still held by a finalizer."""
        return (kind, key) in self.terminating

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return a namespace's labels; one without a manifest has none."""
        namespace = self.namespaces.get(name)
        return EMPTY if namespace is None else namespace.metadata.labels

    def limit_ranges_of(self, namespace: str) -> list[LimitRange]:
        """Return the LimitRanges of a namespace, sorted by name."""
        found = [lr for lr in self.limit_ranges.values() if lr.metadata.namespace == namespace]
        return sorted(found, key=lambda lr: lr.metadata.name)

    def local_queues_of(self, cluster_queue: str) -> list[LocalQueue]:
        """Return the LocalQueues that point to a ClusterQueue, sorted by key."""
        found = [lq for lq in self.local_queues.values() if lq.cluster_queue == cluster_queue]
        return sorted(found, key=lambda lq: lq.key)

    def __iter__(self) -> Iterator[ClusterObject]:
        for objects in self._kinds.values():
            yield from objects.values()
