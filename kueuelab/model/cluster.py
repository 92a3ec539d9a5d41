"""Objects around the queues: namespaces, priorities, checks, MultiKueue, nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.model.meta import Condition, ObjectMeta
from kueuelab.model.pods import PodSpec, ResourceList, Taint

__all__ = [
    "AdmissionCheck",
    "LimitRange",
    "LimitRangeItem",
    "MultiKueueCluster",
    "MultiKueueConfig",
    "Namespace",
    "Node",
    "ObjectRef",
    "Pod",
    "PriorityClass",
    "ProvisioningRequestConfig",
    "RuntimeClass",
    "Topology",
    "WorkloadPriorityClass",
]


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """A reference to another object by group, kind and name."""

    api_group: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace; its labels decide which ClusterQueues take its workloads."""

    metadata: ObjectMeta


@dataclass(frozen=True, slots=True)
class WorkloadPriorityClass:
    """A priority for queueing and preemption that leaves pod priority alone."""

    metadata: ObjectMeta
    value: int
    description: str = ""


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """Kubernetes' own PriorityClass, used where no WorkloadPriorityClass is named."""

    metadata: ObjectMeta
    value: int
    global_default: bool = False


@dataclass(frozen=True, slots=True)
class AdmissionCheck:
    """A condition outside of Kueue that a workload must meet after its quota is reserved.

    ``conditions`` is ``None`` where an author's manifest has no status, which counts as
    active: the lab plays its controller. It is empty where an API server has none, which
    counts as inactive, as Kueue has it.
    """

    metadata: ObjectMeta
    controller_name: str
    parameters: ObjectRef | None = None
    conditions: tuple[Condition, ...] | None = None


@dataclass(frozen=True, slots=True)
class MultiKueueConfig:
    """The worker clusters of a MultiKueue admission check, in order."""

    metadata: ObjectMeta
    clusters: tuple[str, ...] = ()
    quota_management: str | None = None


@dataclass(frozen=True, slots=True)
class MultiKueueCluster:
    """How to reach one worker: a kubeconfig (Secret or Path) or a ClusterProfile."""

    metadata: ObjectMeta
    kubeconfig_location: str | None = None
    kubeconfig_location_type: str = "Secret"
    cluster_profile: str | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvisioningRequestConfig:
    """How a ProvisioningRequest check asks for capacity. ``spec`` is kept as written."""

    metadata: ObjectMeta
    provisioning_class_name: str = ""
    managed_resources: tuple[str, ...] = ()
    retry_backoff_limit_count: int = 3
    retry_backoff_base_seconds: int = 60
    retry_backoff_max_seconds: int = 1800
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Topology:
    """Levels of a data centre, from the widest to the node, as node labels."""

    metadata: ObjectMeta
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A node: what it can hold and which pods it takes."""

    metadata: ObjectMeta
    allocatable: ResourceList = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    conditions: tuple[Condition, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether the condition ``Ready`` is true."""
        return any(each.type == "Ready" and each.status == "True" for each in self.conditions)


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod, as far as it takes room on a node.

    ``phase`` is ``status.phase``; ``is_terminating``: it is being deleted.
    """

    metadata: ObjectMeta
    spec: PodSpec = field(default_factory=PodSpec)
    node_name: str = ""
    phase: str = ""
    is_terminating: bool = False

    @property
    def scheduling_gates(self) -> tuple[str, ...]:
        """The names of the gates that keep the pod from being scheduled."""
        return tuple(gate["name"] for gate in self.spec.extra.get("schedulingGates") or ())

    @property
    def is_terminated(self) -> bool:
        """Whether all its containers are done."""
        return self.phase in ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class LimitRangeItem:
    """Bounds and defaults for containers or pods of a namespace."""

    type: str
    max: ResourceList = field(default_factory=dict)
    min: ResourceList = field(default_factory=dict)
    default: ResourceList = field(default_factory=dict)
    default_request: ResourceList = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LimitRange:
    """A namespace's LimitRange; Kueue applies it before counting requests."""

    metadata: ObjectMeta
    limits: tuple[LimitRangeItem, ...] = ()


@dataclass(frozen=True, slots=True)
class RuntimeClass:
    """A RuntimeClass; its overhead adds to the requests of pods that name it."""

    metadata: ObjectMeta
    overhead: ResourceList = field(default_factory=dict)
    handler: str = ""
