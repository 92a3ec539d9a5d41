"""Pods as Kueue sees them: requests, where they may run, what they tolerate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.frozen import EMPTY, fast_init
from kueuelab.quantity import Quantity

__all__ = [
    "Container",
    "NodeSelectorRequirement",
    "NodeSelectorTerm",
    "PodSpec",
    "PodTemplate",
    "PreferredSchedulingTerm",
    "ResourceList",
    "ResourceRequirements",
    "Taint",
    "Toleration",
]

#: Resource name to quantity, as in ``resources.requests``.
ResourceList = Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class Taint:
    """A node taint; printed as Kubernetes prints it in messages."""

    key: str
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Toleration:
    """A pod's toleration. An empty ``key`` with ``Exists`` tolerates everything."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class NodeSelectorRequirement:
    """One ``matchExpressions`` entry of a node selector term."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """Requirements that must all hold. The terms of a node affinity are alternatives."""

    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()


@dataclass(frozen=True, slots=True)
class PreferredSchedulingTerm:
    """A preference of a node affinity: what a node that matches ``preference`` is worth."""

    weight: int
    preference: NodeSelectorTerm


@fast_init
@dataclass(frozen=True, slots=True)
class ResourceRequirements:
    """Requests and limits of a container or of a whole pod."""

    requests: ResourceList = field(default_factory=lambda: EMPTY)
    limits: ResourceList = field(default_factory=lambda: EMPTY)


@fast_init
@dataclass(frozen=True, slots=True)
class Container:
    """A container's share of what a pod requests.

    An init container with ``restart_policy`` ``Always`` is a sidecar: it keeps
    running, so its requests add to those of the main containers.
    """

    name: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    restart_policy: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@fast_init
@dataclass(frozen=True, slots=True)
class PodSpec:
    """The parts of a pod spec that scheduling looks at.

    ``required_node_affinity`` holds the terms of
    ``affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution``, ``None``
    where there is none; ``preferred_node_affinity`` those of
    ``preferredDuringSchedulingIgnoredDuringExecution``. ``resources`` are the pod-level ones
    (KEP-2837). ``extra``
    keeps every other field as it was written, so that nothing is lost on the way back
    to YAML and so that it counts in the scheduling equivalence hash.
    """

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_selector: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    required_node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    preferred_node_affinity: tuple[PreferredSchedulingTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    overhead: ResourceList = field(default_factory=lambda: EMPTY)
    resources: ResourceRequirements | None = None
    runtime_class_name: str = ""
    priority_class_name: str = ""
    priority: int | None = None
    restart_policy: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: EMPTY)

    @property
    def all_resources(self) -> list[ResourceRequirements]:
        """The requests and limits of each container, of init containers, and of the pod."""
        found = [container.resources for container in self.containers]
        if self.init_containers:
            found += [container.resources for container in self.init_containers]
        if self.resources is not None:
            found.append(self.resources)
        return found


@fast_init
@dataclass(frozen=True, slots=True)
class PodTemplate:
    """The template that all pods of a pod set are made from."""

    spec: PodSpec = PodSpec()
    labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    annotations: Mapping[str, str] = field(default_factory=lambda: EMPTY)
