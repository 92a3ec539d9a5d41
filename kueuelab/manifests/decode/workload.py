"""Workloads with their status, from dicts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from kueuelab.frozen import EMPTY
from kueuelab.manifests.decode.meta import conditions, metadata, time
from kueuelab.manifests.decode.pods import pod_template, tolerations
from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    PodSet,
    PodSetAssignment,
    PodSetUpdate,
    PriorityClassRef,
    ReclaimablePod,
    RequeueState,
    Workload,
    WorkloadStatus,
    request_amount,
)

__all__ = ["admission", "pod_set", "workload"]

_amount = lru_cache(maxsize=4096, typed=True)(request_amount)

_NO_STATUS: Final = WorkloadStatus()
_MODELLED: Final = frozenset(
    (
        "conditions",
        "admission",
        "requeueState",
        "reclaimablePods",
        "admissionChecks",
        "accumulatedPastExecutionTimeSeconds",
        "clusterName",
        "nominatedClusterNames",
        "preemptionGates",
        "unhealthyNodes",
    )
)


def workload(obj: Mapping[str, Any], namespace: str) -> Workload:
    """Return a Workload."""
    spec = obj.get("spec") or EMPTY
    status = obj.get("status")
    active, gates = spec.get("active"), spec.get("preemptionGates")
    return Workload(
        metadata=metadata(obj, namespace),
        pod_sets=tuple([pod_set(entry) for entry in spec.get("podSets") or ()]),
        queue_name=spec.get("queueName") or "",
        priority=spec.get("priority") or 0,
        priority_class_ref=_priority_class_ref(spec.get("priorityClassRef")),
        active=True if active is None else active,
        maximum_execution_time_seconds=spec.get("maximumExecutionTimeSeconds"),
        preemption_gates=tuple([gate["name"] for gate in gates]) if gates else (),
        status=_status(status) if status else _NO_STATUS,
    )


def pod_set(entry: Mapping[str, Any]) -> PodSet:
    """Return a pod set; its name is ``main`` and its count 1 where it says nothing."""
    count = entry.get("count")
    return PodSet(
        name=entry.get("name") or "main",
        count=1 if count is None else count,
        min_count=entry.get("minCount"),
        template=pod_template(entry.get("template")),
        topology_request=entry.get("topologyRequest"),
    )


def admission(value: Mapping[str, Any]) -> Admission:
    """Return what a ClusterQueue gave to a workload."""
    return Admission(
        cluster_queue=value["clusterQueue"],
        pod_set_assignments=tuple(map(_assignment, value.get("podSetAssignments") or ())),
    )


def _assignment(entry: Mapping[str, Any]) -> PodSetAssignment:
    return PodSetAssignment(
        name=entry.get("name") or "main",
        flavors=entry.get("flavors") or EMPTY,
        resource_usage={
            name: _amount(name, quantity)
            for name, quantity in (entry.get("resourceUsage") or EMPTY).items()
        },
        count=entry.get("count"),
        topology_assignment=entry.get("topologyAssignment"),
        delayed_topology_request=entry.get("delayedTopologyRequest"),
    )


def _priority_class_ref(value: Mapping[str, Any] | None) -> PriorityClassRef | None:
    if not value:
        return None
    return PriorityClassRef(
        group=value.get("group") or "", kind=value.get("kind") or "", name=value.get("name") or ""
    )


def _status(status: Mapping[str, Any]) -> WorkloadStatus:
    given = status.get("admission")
    requeue = status.get("requeueState")
    checks, reclaimable = status.get("admissionChecks"), status.get("reclaimablePods")
    gates, unhealthy = status.get("preemptionGates"), status.get("unhealthyNodes")
    return WorkloadStatus(
        conditions=conditions(status),
        admission=admission(given) if given else None,
        requeue_state=None
        if requeue is None
        else RequeueState(count=requeue.get("count"), requeue_at=time(requeue.get("requeueAt"))),
        reclaimable_pods=tuple(
            [ReclaimablePod(entry["name"], entry["count"]) for entry in reclaimable]
        )
        if reclaimable
        else (),
        admission_checks=tuple(map(_check, checks)) if checks else (),
        accumulated_past_execution_time_seconds=status.get("accumulatedPastExecutionTimeSeconds")
        or 0,
        cluster_name=status.get("clusterName"),
        nominated_cluster_names=tuple(status.get("nominatedClusterNames") or ()),
        preemption_gates={gate["name"]: gate.get("position") or "" for gate in gates}
        if gates
        else EMPTY,
        unhealthy_nodes=tuple([node["name"] for node in unhealthy]) if unhealthy else (),
        extra={name: part for name, part in status.items() if name not in _MODELLED},
    )


def _check(entry: Mapping[str, Any]) -> AdmissionCheckState:
    return AdmissionCheckState(
        name=entry["name"],
        state=entry.get("state") or "Pending",
        message=entry.get("message") or "",
        last_transition_time=time(entry.get("lastTransitionTime")) or 0,
        requeue_after_seconds=entry.get("requeueAfterSeconds"),
        retry_count=entry.get("retryCount"),
        pod_set_updates=tuple(
            PodSetUpdate(
                name=update.get("name") or "",
                labels=update.get("labels") or EMPTY,
                annotations=update.get("annotations") or EMPTY,
                node_selector=update.get("nodeSelector") or EMPTY,
                tolerations=tolerations(update.get("tolerations")),
            )
            for update in entry.get("podSetUpdates") or ()
        ),
    )
