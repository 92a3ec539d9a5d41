"""API versions: which there are, what a manifest looks like in each, and how it converts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.manifests.server.tables import KUEUE_KINDS
from kueuelab.manifests.shapes.core import CORE_KINDS
from kueuelab.manifests.shapes.older import V1ALPHA1_KINDS
from kueuelab.manifests.shapes.shape import Record, Shape
from kueuelab.manifests.shapes.status import STATUSES
from kueuelab.manifests.versions import v1alpha1, v1beta1

__all__ = [
    "CURRENT",
    "QUEUE_NAME",
    "convert",
    "known_versions",
    "queue_label",
    "shape_of",
    "status_shape",
]

CURRENT: Final = "kueue.x-k8s.io/v1beta2"

#: The label that names a job's LocalQueue. In 2022 it was an annotation.
QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"

_CORE_VERSIONS: Final = {
    "v1": ("Namespace", "Node", "LimitRange"),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "node.k8s.io/v1": ("RuntimeClass",),
}

_SHAPES: Final[Mapping[str, Mapping[str, Record]]] = {
    "kueue.x-k8s.io/v1alpha2": V1ALPHA1_KINDS,
    "kueue.x-k8s.io/v1alpha1": V1ALPHA1_KINDS,
    **{
        version: {kind: CORE_KINDS[kind] for kind in kinds}
        for version, kinds in _CORE_VERSIONS.items()
    },
}

_CONVERTERS: Final = {
    "kueue.x-k8s.io/v1beta1": v1beta1.CONVERTERS,
    "kueue.x-k8s.io/v1alpha2": v1alpha1.CONVERTERS,
    "kueue.x-k8s.io/v1alpha1": v1alpha1.CONVERTERS,
}

_JUDGED: Final = (CURRENT, "kueue.x-k8s.io/v1beta1")


@dataclass(frozen=True, slots=True)
class Conversion:
    """A manifest in the current version, and what was changed for that."""

    obj: Mapping[str, Any]
    changes: tuple[str, ...] = ()


def shape_of(api_version: str, kind: str) -> Record | None:
    """Return what a manifest must look like that nobody judges, ``None`` if it is unknown."""
    return _SHAPES.get(api_version, {}).get(kind)


def status_shape(api_version: str, kind: str) -> Shape | None:
    """Return what the lab wants the status of an object to look like, ``None`` if it is free."""
    return STATUSES.get(kind) if api_version in _JUDGED else None


def known_versions(kind: str) -> tuple[str, ...]:
    """Return the versions that a kind is known in, the newest first.

    Examples
    --------
    >>> known_versions("LocalQueue")[0]
    'kueue.x-k8s.io/v1beta2'
    >>> known_versions("ConfigMap")
    ()
    """
    judged = _JUDGED if kind in KUEUE_KINDS else ()
    return (*judged, *(version for version, kinds in _SHAPES.items() if kind in kinds))


def convert(obj: Mapping[str, Any]) -> Conversion:
    """Return a checked manifest in the version that the model has.

    Examples
    --------
    >>> conversion = convert(
    ...     {
    ...         "apiVersion": "kueue.x-k8s.io/v1beta1",
    ...         "kind": "ClusterQueue",
    ...         "spec": {"cohort": "research"},
    ...     }
    ... )
    >>> conversion.obj["spec"], conversion.changes
    ({'cohortName': 'research'}, ('spec.cohort -> spec.cohortName',))
    """
    converters = _CONVERTERS.get(obj["apiVersion"])
    if converters is None:
        return Conversion(obj)
    converter = converters.get(obj["kind"])
    if converter is None:
        return Conversion({**obj, "apiVersion": CURRENT})
    converted, changes = converter(obj)
    return Conversion({**converted, "apiVersion": CURRENT}, tuple(changes))


def queue_label(job: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return a job that names its queue in the old annotation with the label instead.

    ``None`` where there is nothing to do.
    """
    metadata = job.get("metadata") or {}
    queue = (metadata.get("annotations") or {}).get(QUEUE_NAME)
    labels = metadata.get("labels") or {}
    if not queue or QUEUE_NAME in labels:
        return None
    annotations = {k: v for k, v in metadata["annotations"].items() if k != QUEUE_NAME}
    moved = {**metadata, "annotations": annotations, "labels": {**labels, QUEUE_NAME: queue}}
    return {**job, "metadata": moved}
