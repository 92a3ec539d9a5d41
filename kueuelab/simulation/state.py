"""The state of a cluster as a document: workloads, ClusterQueues, cohorts, usage."""

from __future__ import annotations

from typing import Any

from kueuelab.model import Admission, FlavorResource, amount_string
from kueuelab.model.amount import UNLIMITED
from kueuelab.model.times import format_time
from kueuelab.quota import CohortNode, Node, dominant_resource_share
from kueuelab.simulation.admission_fair_sharing import local_queue_state
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

__all__ = ["cluster_state", "workload_state"]


def cluster_state(plane: ControlPlane) -> dict[str, Any]:
    """Return everything that can be seen of a cluster, names sorted."""
    found: dict[str, Any] = {
        "workloads": {key: workload_state(plane.workloads[key]) for key in sorted(plane.workloads)},
        "clusterQueues": {
            name: _cluster_queue(plane, name) for name in sorted(plane.tree.cluster_queues)
        },
        "cohorts": {
            name: _cohort(plane, plane.tree.cohorts[name]) for name in sorted(plane.tree.cohorts)
        },
    }
    if (usage := plane.fair_usage) is not None:
        found["localQueues"] = {
            key: local_queue_state(usage, key) for key in sorted(plane.objects.local_queues)
        }
    return found


def workload_state(state: WorkloadState) -> dict[str, Any]:
    """Return a workload's admission, conditions, checks and back-off."""
    conditions = state.conditions
    found: dict[str, Any] = {
        "admission": _admission(state.admission),
        "conditions": [
            {
                "type": type_,
                "status": conditions[type_].status,
                "reason": conditions[type_].reason,
                "message": conditions[type_].message,
            }
            for type_ in sorted(conditions)
        ],
        "admissionChecks": [
            {"name": name, "state": check.state, "message": check.message}
            if check.message
            else {"name": name, "state": check.state}
            for name, check in sorted(state.admission_checks.items())
        ],
        "requeueState": _requeue_state(state),
    }
    if not state.active:
        found["active"] = False
    return found


def _requeue_state(state: WorkloadState) -> dict[str, Any] | None:
    requeue = state.requeue_state
    if requeue is None:
        return None
    found: dict[str, Any] = {}
    if requeue.count is not None:
        found["count"] = requeue.count
    if requeue.requeue_at is not None:
        found["requeueAt"] = format_time(requeue.requeue_at)
    return found or None


def _admission(admission: Admission | None) -> dict[str, Any] | None:
    if admission is None:
        return None
    pod_sets = []
    for assignment in admission.pod_set_assignments:
        pod_set: dict[str, Any] = {
            "name": assignment.name,
            "count": assignment.count,
            "flavors": dict(assignment.flavors),
            "usage": {
                name: _amount(name, value) for name, value in assignment.resource_usage.items()
            },
        }
        if assignment.topology_assignment is not None:
            pod_set["topologyAssignment"] = assignment.topology_assignment
        if assignment.delayed_topology_request is not None:
            pod_set["delayedTopologyRequest"] = assignment.delayed_topology_request
        pod_sets.append(pod_set)
    return {"clusterQueue": admission.cluster_queue, "podSets": pod_sets}


def _amount(resource: str, value: int) -> str:
    return "unlimited" if value is UNLIMITED else amount_string(resource, value)


def _by_flavor(amounts: dict[FlavorResource, int], *, zeros: bool) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for (flavor, resource), value in sorted(amounts.items()):
        if value or zeros:
            found.setdefault(flavor, {})[resource] = _amount(resource, value)
    return found


def _cluster_queue(plane: ControlPlane, name: str) -> dict[str, Any]:
    node = plane.tree.cluster_queues[name]
    queue = plane.statuses.get(name)
    found: dict[str, Any] = {
        "active": queue is not None and queue.active,
        "usage": _by_flavor(node.usage, zeros=False),
        "pendingActive": plane.queues.pending_active(name),
        "inadmissible": plane.queues.inadmissible(name),
    }
    if plane.configuration.fair_sharing is not None:
        found.update(_shares(node))
    return found


def _cohort(plane: ControlPlane, node: CohortNode) -> dict[str, Any]:
    found: dict[str, Any] = {
        "usage": _by_flavor(node.usage, zeros=False),
        "subtreeQuota": _by_flavor(node.subtree_quota, zeros=True),
    }
    if plane.configuration.fair_sharing is not None:
        found.update(_shares(node))
    return found


def _shares(node: Node) -> dict[str, Any]:
    share = dominant_resource_share(node)
    return {"weightedShare": share.rounded, "preciseWeightedShare": share.precise}
