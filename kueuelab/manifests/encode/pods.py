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

__all__ = ["pod_template"]


def pod_template(template: PodTemplate) -> dict[str, Any]:
    """Return a pod template."""
    return compact(
        metadata=compact(labels=dict(template.labels), annotations=dict(template.annotations)),
        spec=_pod_spec(template.spec),
    )


def _pod_spec(spec: PodSpec) -> dict[str, Any]:
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
    if spec.required_node_affinity is not None and "affinity" not in spec.extra:
        written["affinity"] = _affinity(spec.required_node_affinity)
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


def _affinity(terms: tuple[NodeSelectorTerm, ...]) -> dict[str, Any]:
    required = {
        "nodeSelectorTerms": [
            compact(
                matchExpressions=_requirements(term.match_expressions),
                matchFields=_requirements(term.match_fields),
            )
            for term in terms
        ]
    }
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def _requirements(found: tuple[NodeSelectorRequirement, ...]) -> list[dict[str, Any]]:
    return [compact(key=r.key, operator=r.operator, values=list(r.values)) for r in found]
