"""Pod templates, resource lists, taints and tolerations, from dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from kueuelab.frozen import EMPTY, FrozenDict
from kueuelab.model import (
    Container,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    PodTemplate,
    PreferredSchedulingTerm,
    ResourceRequirements,
    Taint,
    Toleration,
)
from kueuelab.model.pods import ResourceList
from kueuelab.quantity import Quantity

__all__ = ["pod_spec", "pod_template", "resource_list", "taints", "tolerations"]

# A parsed quantity is immutable, and dumps repeat few of them many times.
_quantity = lru_cache(maxsize=4096, typed=True)(Quantity.parse)

_NO_RESOURCES: Final = ResourceRequirements()
_MODELLED: Final = frozenset(
    (
        "containers",
        "initContainers",
        "nodeSelector",
        "tolerations",
        "overhead",
        "resources",
        "runtimeClassName",
        "priorityClassName",
        "priority",
        "restartPolicy",
    )
)
_OF_CONTAINER: Final = frozenset(("name", "resources", "restartPolicy"))


def resource_list(value: Mapping[str, Any] | None) -> ResourceList:
    """Return resource names with their quantities."""
    if not value:
        return EMPTY
    if all(type(quantity) is str for quantity in value.values()):
        return _of_texts(tuple(value.items()))
    return {name: _quantity(quantity) for name, quantity in value.items()}


@lru_cache(maxsize=4096)
def _of_texts(items: tuple[tuple[str, str], ...]) -> ResourceList:
    """Return a list of resources; equal ones are the same."""
    return FrozenDict((name, _quantity(quantity)) for name, quantity in items)


def taints(value: Iterable[Mapping[str, Any]] | None) -> tuple[Taint, ...]:
    """Return node taints."""
    if not value:
        return ()
    return tuple(
        Taint(entry["key"], entry.get("value") or "", entry.get("effect") or "") for entry in value
    )


def tolerations(value: Iterable[Mapping[str, Any]] | None) -> tuple[Toleration, ...]:
    """Return tolerations; an absent operator is ``Equal``."""
    if not value:
        return ()
    return tuple(
        Toleration(
            key=entry.get("key") or "",
            operator=entry.get("operator") or "Equal",
            value=entry.get("value") or "",
            effect=entry.get("effect") or "",
            toleration_seconds=entry.get("tolerationSeconds"),
        )
        for entry in value
    )


def pod_template(value: Mapping[str, Any] | None) -> PodTemplate:
    """Return a pod template."""
    if not value:
        return PodTemplate()
    meta = value.get("metadata") or EMPTY
    return PodTemplate(
        spec=pod_spec(value.get("spec") or EMPTY),
        labels=meta.get("labels") or EMPTY,
        annotations=meta.get("annotations") or EMPTY,
    )


def pod_spec(spec: Mapping[str, Any]) -> PodSpec:
    """Return a pod spec. What scheduling doesn't look at stays in ``extra`` as written."""
    resources, affinity = spec.get("resources"), spec.get("affinity")
    return PodSpec(
        containers=_containers(spec.get("containers")),
        init_containers=_containers(spec.get("initContainers")),
        node_selector=spec.get("nodeSelector") or EMPTY,
        required_node_affinity=_required_node_affinity(affinity) if affinity else None,
        preferred_node_affinity=_preferred_node_affinity(affinity) if affinity else (),
        tolerations=tolerations(spec.get("tolerations")),
        overhead=resource_list(spec.get("overhead")),
        resources=_resources(resources) if resources is not None else None,
        runtime_class_name=spec.get("runtimeClassName") or "",
        priority_class_name=spec.get("priorityClassName") or "",
        priority=spec.get("priority"),
        restart_policy=spec.get("restartPolicy") or "",
        extra={name: part for name, part in spec.items() if name not in _MODELLED},
    )


def _containers(value: Iterable[Mapping[str, Any]] | None) -> tuple[Container, ...]:
    return tuple([_container(entry) for entry in value]) if value else ()


def _container(entry: Mapping[str, Any]) -> Container:
    name = entry.get("name") or ""
    resources = entry.get("resources")
    extra = {key: part for key, part in entry.items() if key not in _OF_CONTAINER}
    if resources and (claims := resources.get("claims")):
        extra["resources"] = {"claims": claims}
    return Container(
        name=name,
        resources=_resources(resources) if resources else _NO_RESOURCES,
        restart_policy=entry.get("restartPolicy") or "",
        extra=extra,
    )


def _resources(value: Mapping[str, Any]) -> ResourceRequirements:
    return ResourceRequirements(
        resource_list(value.get("requests")), resource_list(value.get("limits"))
    )


def _required_node_affinity(affinity: Mapping[str, Any]) -> tuple[NodeSelectorTerm, ...] | None:
    node_affinity = affinity.get("nodeAffinity")
    if not node_affinity:
        return None
    required = node_affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return None
    return tuple(map(_term, required.get("nodeSelectorTerms") or ()))


def _preferred_node_affinity(
    affinity: Mapping[str, Any],
) -> tuple[PreferredSchedulingTerm, ...]:
    node_affinity = affinity.get("nodeAffinity")
    if not node_affinity:
        return ()
    return tuple(
        PreferredSchedulingTerm(entry.get("weight") or 0, _term(entry.get("preference") or EMPTY))
        for entry in node_affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    )


def _term(term: Mapping[str, Any]) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        match_expressions=_requirements(term.get("matchExpressions")),
        match_fields=_requirements(term.get("matchFields")),
    )


def _requirements(
    value: Iterable[Mapping[str, Any]] | None,
) -> tuple[NodeSelectorRequirement, ...]:
    return tuple(
        NodeSelectorRequirement(entry["key"], entry["operator"], tuple(entry.get("values") or ()))
        for entry in value or ()
    )
