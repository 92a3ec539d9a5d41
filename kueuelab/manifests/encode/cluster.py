"""Namespaces, priorities, checks, MultiKueue, nodes and their neighbours to dicts."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests.encode.parts import compact, conditions, resource_list, taints
from kueuelab.manifests.encode.pods import pod_spec
from kueuelab.model import (
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

__all__ = [
    "admission_check",
    "limit_range",
    "multi_kueue_cluster",
    "multi_kueue_config",
    "namespace",
    "node",
    "pod",
    "priority_class",
    "provisioning_request_config",
    "runtime_class",
    "topology",
    "workload_priority_class",
]


def namespace(obj: Namespace) -> dict[str, Any]:
    """Return what a Namespace says beside its metadata."""
    return {}


def workload_priority_class(obj: WorkloadPriorityClass) -> dict[str, Any]:
    """Return what a WorkloadPriorityClass says beside its metadata."""
    return compact(value=obj.value, description=obj.description)


def priority_class(obj: PriorityClass) -> dict[str, Any]:
    """Return what a PriorityClass says beside its metadata."""
    return compact(value=obj.value, globalDefault=obj.global_default or None)


def admission_check(obj: AdmissionCheck) -> dict[str, Any]:
    """Return what an AdmissionCheck says beside its metadata."""
    given = obj.parameters
    parameters = (
        None
        if given is None
        else compact(apiGroup=given.api_group, kind=given.kind, name=given.name)
    )
    return compact(
        spec=compact(controllerName=obj.controller_name, parameters=parameters),
        status=compact(conditions=conditions(obj.conditions)),
    )


def multi_kueue_config(obj: MultiKueueConfig) -> dict[str, Any]:
    """Return what a MultiKueueConfig says beside its metadata."""
    return compact(spec=compact(clusters=list(obj.clusters), quotaManagement=obj.quota_management))


def multi_kueue_cluster(obj: MultiKueueCluster) -> dict[str, Any]:
    """Return what a MultiKueueCluster says beside its metadata."""
    source: dict[str, Any] = {}
    if obj.kubeconfig_location is not None:
        source["kubeConfig"] = {
            "location": obj.kubeconfig_location,
            "locationType": obj.kubeconfig_location_type,
        }
    if obj.cluster_profile is not None:
        source["clusterProfileRef"] = {"name": obj.cluster_profile}
    return compact(
        spec=compact(clusterSource=source),
        status=compact(conditions=conditions(obj.conditions)),
    )


def provisioning_request_config(obj: ProvisioningRequestConfig) -> dict[str, Any]:
    """Return what a ProvisioningRequestConfig says beside its metadata."""
    spec = dict(obj.spec)
    spec.setdefault("provisioningClassName", obj.provisioning_class_name)
    return {"spec": spec}


def topology(obj: Topology) -> dict[str, Any]:
    """Return what a Topology says beside its metadata."""
    return {"spec": {"levels": [{"nodeLabel": label} for label in obj.levels]}}


def node(obj: Node) -> dict[str, Any]:
    """Return what a Node says beside its metadata."""
    return compact(
        spec=compact(taints=taints(obj.taints), unschedulable=obj.unschedulable or None),
        status=compact(
            allocatable=resource_list(obj.allocatable), conditions=conditions(obj.conditions)
        ),
    )


def pod(obj: Pod) -> dict[str, Any]:
    """Return what a Pod says beside its metadata."""
    return compact(
        spec={**compact(nodeName=obj.node_name), **pod_spec(obj.spec)},
        status=compact(phase=obj.phase),
    )


def limit_range(obj: LimitRange) -> dict[str, Any]:
    """Return what a LimitRange says beside its metadata."""
    limits = [
        compact(
            type=item.type,
            max=resource_list(item.max),
            min=resource_list(item.min),
            default=resource_list(item.default),
            defaultRequest=resource_list(item.default_request),
        )
        for item in obj.limits
    ]
    return {"spec": {"limits": limits}}


def runtime_class(obj: RuntimeClass) -> dict[str, Any]:
    """Return what a RuntimeClass says beside its metadata."""
    return compact(
        handler=obj.handler or obj.metadata.name,
        overhead=compact(podFixed=resource_list(obj.overhead)),
    )
