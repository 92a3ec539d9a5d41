"""Everything a job can refer to while it is converted: its cluster and the other jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kueuelab.manifests.jobs.conversion import JobContext
from kueuelab.manifests.jobs.kinds import JobKind
from kueuelab.model import (
    FeatureGates,
    LabelSelector,
    LabelSelectorRequirement,
    OwnerReference,
    PriorityClass,
    RuntimeClass,
    WorkloadPriorityClass,
)

__all__ = ["ClusterContext", "controller_of", "labels_of", "metadata_of"]

_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_DEFAULT_SELECTOR: Final = LabelSelector(
    match_expressions=(
        LabelSelectorRequirement(_NAME_LABEL, "NotIn", ("kube-system", "kueue-system")),
    )
)


def metadata_of(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata of a manifest that is not checked yet."""
    metadata = obj.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def labels_of(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the labels of a manifest that is not checked yet."""
    labels = metadata_of(obj).get("labels")
    return labels if isinstance(labels, Mapping) else {}


def controller_of(obj: Mapping[str, Any]) -> OwnerReference | None:
    """Return the owner that controls an object, ``None`` where there is none."""
    references = metadata_of(obj).get("ownerReferences")
    for entry in references if isinstance(references, list) else ():
        if isinstance(entry, Mapping) and entry.get("controller"):
            return OwnerReference(
                str(entry.get("apiVersion") or ""),
                str(entry.get("kind") or ""),
                str(entry.get("name") or ""),
                str(entry.get("uid") or ""),
                controller=True,
            )
    return None


class ClusterContext:
    """A `JobContext` with the manifests around, by kind and name."""

    __slots__ = ("_by_kind", "_objects", "context", "gates")

    def __init__(self, context: JobContext, objects: Iterable[Mapping[str, Any]] = ()) -> None:
        self.context = context
        self.gates: FeatureGates = context.configuration.gates
        self._objects: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        for obj in (*context.objects, *objects):
            self._objects[self._key_of(obj)] = obj
        self._by_kind: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for (kind, namespace, _), obj in self._objects.items():
            self._by_kind.setdefault((kind, namespace), []).append(obj)

    def _key_of(self, obj: Mapping[str, Any]) -> tuple[str, str, str]:
        metadata = metadata_of(obj)
        namespace = metadata.get("namespace") or self.context.default_namespace
        return str(obj.get("kind") or ""), str(namespace), str(metadata.get("name") or "")

    def find(self, kind: str, namespace: str, name: str) -> Mapping[str, Any] | None:
        """Return a manifest, ``None`` where there is none of that name."""
        return self._objects.get((kind, namespace, name))

    def find_in_cluster(self, kind: str, name: str) -> Mapping[str, Any] | None:
        """Return the manifest of an object that belongs to no namespace."""
        for (other_kind, _, other_name), obj in self._objects.items():
            if (other_kind, other_name) == (kind, name):
                return obj
        return None

    def all(self, kind: str, namespace: str) -> list[Mapping[str, Any]]:
        """Return the manifests of a kind in a namespace, in the order they were given."""
        return self._by_kind.get((kind, namespace), [])

    def framework_enabled(self, kind: JobKind) -> bool:
        """Tell whether Kueue is configured to manage jobs of this kind."""
        return kind.framework in self.context.configuration.enabled_frameworks

    def is_external_framework(self, api_version: str, kind: str) -> bool:
        """Tell whether ``integrations.externalFrameworks`` names this kind."""
        group, _, version = api_version.rpartition("/")
        names = self._integration("externalFrameworks")
        return f"{kind}.{version}.{group}" in names

    @property
    def copied_labels(self) -> tuple[str, ...]:
        """The labels that Workloads take over from their jobs."""
        return self._integration("labelKeysToCopy")

    def _integration(self, name: str) -> tuple[str, ...]:
        integrations = self.context.configuration.extra.get("integrations")
        values = integrations.get(name) if isinstance(integrations, Mapping) else None
        return tuple(str(value) for value in values or ())

    def has_default_queue(self, namespace: str) -> bool:
        """Tell whether the namespace has a LocalQueue named ``default``."""
        return f"{namespace}/default" in self.context.local_queues

    def namespace_is_managed(self, namespace: str) -> bool:
        """Tell whether ``managedJobsNamespaceSelector`` selects the namespace."""
        selector = self.context.configuration.managed_jobs_namespace_selector or _DEFAULT_SELECTOR
        known = self.context.namespaces.get(namespace)
        labels = {_NAME_LABEL: namespace, **(known.metadata.labels if known else {})}
        return selector.matches(labels)

    @property
    def manages_jobs_without_queue(self) -> bool:
        """``manageJobsWithoutQueueName``."""
        return self.context.configuration.manage_jobs_without_queue_name

    def workload_priority_class(self, name: str) -> WorkloadPriorityClass | None:
        """Return a WorkloadPriorityClass, ``None`` where there is none of that name."""
        return self.context.workload_priority_classes.get(name)

    def priority_class(self, name: str) -> PriorityClass | None:
        """Return a PriorityClass, ``None`` where there is none of that name."""
        return self.context.priority_classes.get(name)

    def default_priority_class(self) -> PriorityClass | None:
        """Return the global default; the one of lowest value where there are several."""
        defaults = [c for c in self.context.priority_classes.values() if c.global_default]
        return min(defaults, key=lambda c: (c.value, c.metadata.name), default=None)

    def runtime_class(self, name: str) -> RuntimeClass | None:
        """Return a RuntimeClass, ``None`` where there is none of that name."""
        return self.context.runtime_classes.get(name)
