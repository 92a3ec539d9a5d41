"""Workloads with their status to dicts."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests.encode.parts import amount, compact, conditions, time, tolerations
from kueuelab.manifests.encode.pods import pod_template
from kueuelab.model import Admission, AdmissionCheckState, PodSet, Workload, WorkloadStatus

__all__ = ["encode_admission", "workload"]


def workload(obj: Workload) -> dict[str, Any]:
    """Return what a Workload says beside its metadata."""
    reference = obj.priority_class_ref
    return compact(
        spec=compact(
            queueName=obj.queue_name,
            priority=obj.priority,
            priorityClassRef=None
            if reference is None
            else compact(group=reference.group, kind=reference.kind, name=reference.name),
            active=None if obj.active else False,
            maximumExecutionTimeSeconds=obj.maximum_execution_time_seconds,
            preemptionGates=[{"name": name} for name in obj.preemption_gates],
            podSets=[_pod_set(pod_set) for pod_set in obj.pod_sets],
        ),
        status=_status(obj.status),
    )


def _pod_set(pod_set: PodSet) -> dict[str, Any]:
    return compact(
        name=pod_set.name,
        count=pod_set.count,
        minCount=pod_set.min_count,
        template=pod_template(pod_set.template),
        topologyRequest=pod_set.topology_request,
    )


def _status(status: WorkloadStatus) -> dict[str, Any]:
    requeue = status.requeue_state
    written = compact(
        conditions=conditions(status.conditions),
        admission=encode_admission(status.admission),
        reclaimablePods=[{"name": p.name, "count": p.count} for p in status.reclaimable_pods],
        admissionChecks=[_check(check) for check in status.admission_checks],
        accumulatedPastExecutionTimeSeconds=status.accumulated_past_execution_time_seconds or None,
        clusterName=status.cluster_name,
        nominatedClusterNames=list(status.nominated_cluster_names),
        preemptionGates=[
            compact(name=name, position=position)
            for name, position in status.preemption_gates.items()
        ],
        unhealthyNodes=[{"name": name} for name in status.unhealthy_nodes],
    )
    if requeue is not None:
        written["requeueState"] = compact(count=requeue.count, requeueAt=time(requeue.requeue_at))
    return {**written, **status.extra}


def encode_admission(admission: Admission | None) -> dict[str, Any] | None:
    """Return an admission as a Workload's status has it."""
    if admission is None:
        return None
    return compact(
        clusterQueue=admission.cluster_queue,
        podSetAssignments=[
            compact(
                name=assignment.name,
                flavors=dict(assignment.flavors),
                resourceUsage={
                    name: amount(name, value) for name, value in assignment.resource_usage.items()
                },
                count=assignment.count,
                topologyAssignment=assignment.topology_assignment,
                delayedTopologyRequest=assignment.delayed_topology_request,
            )
            for assignment in admission.pod_set_assignments
        ],
    )


def _check(check: AdmissionCheckState) -> dict[str, Any]:
    return compact(
        name=check.name,
        state=check.state,
        message=check.message,
        lastTransitionTime=time(check.last_transition_time or None),
        requeueAfterSeconds=check.requeue_after_seconds,
        retryCount=check.retry_count,
        podSetUpdates=[
            compact(
                name=update.name,
                labels=dict(update.labels),
                annotations=dict(update.annotations),
                nodeSelector=dict(update.node_selector),
                tolerations=tolerations(update.tolerations),
            )
            for update in check.pod_set_updates
        ],
    )
