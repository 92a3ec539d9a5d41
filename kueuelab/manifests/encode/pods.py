"""Pod templates to dicts."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests.encode.parts import compact, resource_list, tolerations
from kueuelab.model import (
    Container,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    PodTemplate,
    ResourceRequirements,
)

__all__ = ["pod_spec", "pod_template"]


def pod_template(template: PodTemplate) -> dict[str, Any]:
    """Return a pod template."""
    return compact(
        metadata=compact(labels=dict(template.labels), annotations=dict(template.annotations)),
        spec=pod_spec(template.spec),
    )


def pod_spec(spec: PodSpec) -> dict[str, Any]:
    """Return a pod spec."""
    written: dict[str, Any] = {
        # The one field of a pod that must be there, even if it is empty.
        "containers": [_container(container) for container in spec.containers],
    }
    written |= compact(
        initContainers=[_container(container) for container in spec.init_containers],
        nodeSelector=dict(spec.node_selector),
        tolerations=tolerations(spec.tolerations),
        overhead=resource_list(spec.overhead),
        runtimeClassName=spec.runtime_class_name,
        priorityClassName=spec.priority_class_name,
        priority=spec.priority,
        restartPolicy=spec.restart_policy,
    )
    if spec.resources is not None:
        written["resources"] = _resources(spec.resources)
    if "affinity" not in spec.extra and (affinity := _node_affinity(spec)):
        written["affinity"] = {"nodeAffinity": affinity}
    return {**written, **spec.extra}


def _container(container: Container) -> dict[str, Any]:
    extra = dict(container.extra)
    resources = {**_resources(container.resources), **extra.pop("resources", {})}
    head = compact(name=container.name, restartPolicy=container.restart_policy)
    return {**head, **extra, **({"resources": resources} if resources else {})}


def _resources(resources: ResourceRequirements) -> dict[str, Any]:
    return compact(
        requests=resource_list(resources.requests), limits=resource_list(resources.limits)
    )


def _node_affinity(spec: PodSpec) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if spec.required_node_affinity is not None:
        terms = [_term(term) for term in spec.required_node_affinity]
        found["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    if spec.preferred_node_affinity:
        found["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": each.weight, "preference": _term(each.preference)}
            for each in spec.preferred_node_affinity
        ]
    return found


def _term(term: NodeSelectorTerm) -> dict[str, Any]:
    return compact(
        matchExpressions=_requirements(term.match_expressions),
        matchFields=_requirements(term.match_fields),
    )


def _requirements(found: tuple[NodeSelectorRequirement, ...]) -> list[dict[str, Any]]:
    return [compact(key=r.key, operator=r.operator, values=list(r.values)) for r in found]
