"""The state of a cluster as a document: workloads, ClusterQueues, cohorts, usage."""

from __future__ import annotations

from typing import Any, Final

from kueuelab.model import FlavorResource, amount_string
from kueuelab.model.amount import UNLIMITED
from kueuelab.quota import CohortNode, Node, dominant_resource_share
from kueuelab.simulation.admission_fair_sharing import local_queue_state
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.recording import encode_status
from kueuelab.workload import WorkloadState

__all__ = ["cluster_state", "workload_state"]

_TOPOLOGY: Final = ("topologyAssignment", "delayedTopologyRequest")


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
    status = encode_status(state)
    found: dict[str, Any] = {
        "admission": _admission(status["admission"]),
        "conditions": _listed("type", status["conditions"]),
        "admissionChecks": [
            check if check["message"] else {"name": check["name"], "state": check["state"]}
            for check in _listed("name", status["admissionChecks"])
        ],
        "requeueState": status["requeueState"] or None,
    }
    if not state.active:
        found["active"] = False
    return found


def _listed(key: str, named: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: name, **named[name]} for name in sorted(named)]


def _admission(encoded: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an admission as recorded cases of Kueue have it."""
    if encoded is None:
        return None
    pod_sets = [
        {
            "name": each["name"],
            "count": each.get("count"),
            "flavors": each.get("flavors", {}),
            "usage": each.get("resourceUsage", {}),
            **{name: each[name] for name in _TOPOLOGY if name in each},
        }
        for each in encoded.get("podSetAssignments", ())
    ]
    return {"clusterQueue": encoded["clusterQueue"], "podSets": pod_sets}


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
