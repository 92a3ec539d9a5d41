"""Any object that a manifest can hold, as a type."""

from __future__ import annotations

from typing import TypeAlias

from kueuelab.model.cluster import (
    AdmissionCheck,
    LimitRange,
    MultiKueueCluster,
    MultiKueueConfig,
    Namespace,
    Node,
    Pod,
    PriorityClass,
    ProvisioningRequestConfig,
    RuntimeClass,
    Topology,
    WorkloadPriorityClass,
)
from kueuelab.model.devices import (
    DeviceClass,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from kueuelab.model.queues import ClusterQueue, Cohort, LocalQueue, ResourceFlavor
from kueuelab.model.workload import Workload

__all__ = ["ClusterObject", "ModelObject"]

#: Any object of a cluster but a Workload.
ClusterObject: TypeAlias = (
    AdmissionCheck
    | ClusterQueue
    | Cohort
    | DeviceClass
    | LimitRange
    | LocalQueue
    | MultiKueueCluster
    | MultiKueueConfig
    | Namespace
    | Node
    | Pod
    | PriorityClass
    | ProvisioningRequestConfig
    | ResourceClaim
    | ResourceClaimTemplate
    | ResourceFlavor
    | ResourceSlice
    | RuntimeClass
    | Topology
    | WorkloadPriorityClass
)

#: Any object of the model that a manifest can hold.
ModelObject: TypeAlias = ClusterObject | Workload
