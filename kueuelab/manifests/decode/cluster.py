"""Namespaces, priorities, checks, MultiKueue, nodes and their neighbours, from dicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kueuelab.manifests.decode.meta import conditions, metadata
from kueuelab.manifests.decode.pods import pod_spec, resource_list, taints
from kueuelab.model import (
    AdmissionCheck,
    LimitRange,
    LimitRangeItem,
    MultiKueueCluster,
    MultiKueueConfig,
    Namespace,
    Node,
    ObjectRef,
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


def namespace(obj: Mapping[str, Any]) -> Namespace:
    """Return a Namespace."""
    return Namespace(metadata(obj))


def workload_priority_class(obj: Mapping[str, Any]) -> WorkloadPriorityClass:
    """Return a WorkloadPriorityClass."""
    return WorkloadPriorityClass(
        metadata(obj), value=obj.get("value") or 0, description=obj.get("description") or ""
    )


def priority_class(obj: Mapping[str, Any]) -> PriorityClass:
    """Return Kubernetes' own PriorityClass."""
    return PriorityClass(
        metadata(obj),
        value=obj.get("value") or 0,
        global_default=bool(obj.get("globalDefault")),
    )


def admission_check(obj: Mapping[str, Any]) -> AdmissionCheck:
    """Return an AdmissionCheck."""
    spec = obj.get("spec") or {}
    status = obj.get("status") or {}
    parameters = spec.get("parameters")
    return AdmissionCheck(
        metadata(obj),
        controller_name=spec.get("controllerName") or "",
        parameters=None
        if not parameters
        else ObjectRef(
            api_group=parameters.get("apiGroup") or "",
            kind=parameters.get("kind") or "",
            name=parameters.get("name") or "",
        ),
        conditions=conditions(status) if status.get("conditions") or _was_read(obj) else None,
    )


def _was_read(obj: Mapping[str, Any]) -> bool:
    """Tell whether an API server gave the object: only a server sets these fields."""
    meta = obj.get("metadata") or {}
    return bool(meta.get("uid") or meta.get("resourceVersion"))


def multi_kueue_config(obj: Mapping[str, Any]) -> MultiKueueConfig:
    """Return a MultiKueueConfig."""
    spec = obj.get("spec") or {}
    return MultiKueueConfig(
        metadata(obj),
        clusters=tuple(spec.get("clusters") or ()),
        quota_management=spec.get("quotaManagement"),
    )


def multi_kueue_cluster(obj: Mapping[str, Any]) -> MultiKueueCluster:
    """Return a MultiKueueCluster."""
    source = (obj.get("spec") or {}).get("clusterSource") or {}
    kubeconfig = source.get("kubeConfig") or {}
    profile = source.get("clusterProfileRef") or {}
    return MultiKueueCluster(
        metadata(obj),
        kubeconfig_location=kubeconfig.get("location"),
        kubeconfig_location_type=kubeconfig.get("locationType") or "Secret",
        cluster_profile=profile.get("name"),
        conditions=conditions(obj.get("status") or {}),
    )


def provisioning_request_config(obj: Mapping[str, Any]) -> ProvisioningRequestConfig:
    """Return a ProvisioningRequestConfig."""
    spec = obj.get("spec") or {}
    retry = spec.get("retryStrategy") or {}
    limit = retry.get("backoffLimitCount")
    base = retry.get("backoffBaseSeconds")
    longest = retry.get("backoffMaxSeconds")
    return ProvisioningRequestConfig(
        metadata(obj),
        provisioning_class_name=spec.get("provisioningClassName") or "",
        managed_resources=tuple(spec.get("managedResources") or ()),
        retry_backoff_limit_count=3 if limit is None else limit,
        retry_backoff_base_seconds=60 if base is None else base,
        retry_backoff_max_seconds=1800 if longest is None else longest,
        spec=spec,
    )


def topology(obj: Mapping[str, Any]) -> Topology:
    """Return a Topology."""
    levels = (obj.get("spec") or {}).get("levels") or ()
    return Topology(metadata(obj), levels=tuple(level["nodeLabel"] for level in levels))


def node(obj: Mapping[str, Any]) -> Node:
    """Return a Node. Without ``status.allocatable`` all of its capacity is."""
    spec = obj.get("spec") or {}
    status = obj.get("status") or {}
    return Node(
        metadata(obj),
        allocatable=resource_list(status.get("allocatable") or status.get("capacity")),
        taints=taints(spec.get("taints")),
        unschedulable=bool(spec.get("unschedulable")),
        conditions=conditions(status),
    )


def pod(obj: Mapping[str, Any], namespace: str) -> Pod:
    """Return a Pod as its node sees it."""
    spec = pod_spec(obj.get("spec") or {})
    rest = {name: value for name, value in spec.extra.items() if name != "nodeName"}
    return Pod(
        metadata(obj, namespace),
        spec=replace(spec, extra=rest),
        node_name=spec.extra.get("nodeName") or "",
        phase=(obj.get("status") or {}).get("phase") or "",
        is_terminating=bool((obj.get("metadata") or {}).get("deletionTimestamp")),
    )


def limit_range(obj: Mapping[str, Any], namespace: str) -> LimitRange:
    """Return a LimitRange."""
    limits = (obj.get("spec") or {}).get("limits") or ()
    return LimitRange(
        metadata(obj, namespace),
        limits=tuple(
            LimitRangeItem(
                type=item.get("type") or "",
                max=resource_list(item.get("max")),
                min=resource_list(item.get("min")),
                default=resource_list(item.get("default")),
                default_request=resource_list(item.get("defaultRequest")),
            )
            for item in limits
        ),
    )


def runtime_class(obj: Mapping[str, Any]) -> RuntimeClass:
    """Return a RuntimeClass."""
    return RuntimeClass(
        metadata(obj),
        overhead=resource_list((obj.get("overhead") or {}).get("podFixed")),
        handler=obj.get("handler") or "",
    )
