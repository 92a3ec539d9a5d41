"""Deleting objects: what finalizers hold back, and what follows when they are gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from kueuelab.model import ClusterQueue, DeviceClass, Node, Pod, ResourceSlice
from kueuelab.simulation.admission_fair_sharing import forget_local_queue
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.devices.reactions import (
    on_claim_or_template,
    on_device_class,
    on_resource_slice,
)
from kueuelab.simulation.nodes import on_node_removed, on_pod_removed
from kueuelab.simulation.queue_reports import wake_below
from kueuelab.simulation.reactions import (
    adjust_pending,
    announce_status,
    follow_topologies,
    reconcile_cluster_queue_workloads,
    reconcile_local_queue_workloads,
    refresh_statuses,
)
from kueuelab.trace.steps import ObjectRemoved

__all__ = ["discard", "remove", "sweep"]


def remove(plane: ControlPlane, kind: str, key: str) -> None:
    """Delete an object. As long as it is in use it stays, terminating."""
    plane.objects.require(kind, key)
    if plane.objects.is_terminating(kind, key):
        return
    if kind == "ClusterQueue":
        _terminate(plane, key)
    if kind in _IN_USE:
        plane.objects.terminating[kind, key] = None
        sweep(plane)
    else:
        _gone(plane, kind, key)


def discard(plane: ControlPlane, kind: str, key: str) -> None:
    """Take an object away at once, whatever uses it; none of this name: nothing happens."""
    if plane.objects.get(kind, key) is not None:
        _gone(plane, kind, key)


def sweep(plane: ControlPlane) -> bool:
    """Let go of terminating objects that nothing uses any more; tell whether there were any."""
    swept = False
    going = True
    while going:
        going = False
        for kind, key in list(plane.objects.terminating):
            if not _IN_USE[kind](plane, key):
                _gone(plane, kind, key)
                swept = going = True
    return swept


def _terminate(plane: ControlPlane, name: str) -> None:
    queue = plane.statuses[name]
    queue.terminate()
    plane.inactive.add(name)
    plane.tree.cluster_queues[name].hidden = True
    if plane.recorder is not None:
        announce_status(plane, queue)
    reconcile_cluster_queue_workloads(plane, name)


def _cluster_queue_in_use(plane: ControlPlane, name: str) -> bool:
    node = plane.tree.cluster_queues.get(name)
    return node is not None and bool(node.workloads)


def _flavor_in_use(plane: ControlPlane, name: str) -> bool:
    return any(
        name == flavor.name
        for queue in plane.statuses.values()
        for group in queue.spec.resource_groups
        for flavor in group.flavors
    )


def _check_in_use(plane: ControlPlane, name: str) -> bool:
    return any(
        name == rule.name
        for queue in plane.statuses.values()
        for rule in queue.spec.admission_checks
    )


def _topology_in_use(plane: ControlPlane, name: str) -> bool:
    return plane.gates["TopologyAwareScheduling"] and any(
        flavor.topology_name == name for flavor in plane.objects.flavors.values()
    )


_IN_USE: Final[Mapping[str, Callable[[ControlPlane, str], bool]]] = MappingProxyType(
    {
        "ClusterQueue": _cluster_queue_in_use,
        "ResourceFlavor": _flavor_in_use,
        "AdmissionCheck": _check_in_use,
        "Topology": _topology_in_use,
    }
)


def _gone(plane: ControlPlane, kind: str, key: str) -> None:
    before = plane.objects.get(kind, key)
    plane.objects.drop(kind, key)
    plane.announce_object(kind, key, None)
    match kind:
        case "ClusterQueue":
            plane.statuses.pop(key, None)
            plane.inactive.discard(key)
            plane.tree.remove_cluster_queue(key)
            plane.queues.remove_cluster_queue(key)
            plane.announce("clusterQueues", key, "active", None)
            if isinstance(before, ClusterQueue):
                wake_below(plane, before.cohort_name)
            reconcile_cluster_queue_workloads(plane, key)
        case "Cohort":
            plane.tree.remove_cohort(key)
            plane.queues.remove_cohort(key)
        case "LocalQueue":
            plane.queueing.pop(key, None)
            plane.queues.remove_local_queue(key)
            forget_local_queue(plane, key)
            reconcile_local_queue_workloads(plane, key)
        case "ResourceFlavor" | "AdmissionCheck" | "Topology":
            follow_topologies(plane)
            plane.wake(refresh_statuses(plane))
        case "LimitRange":
            assert before is not None
            adjust_pending(plane, namespace=before.metadata.namespace)
        case "RuntimeClass":
            adjust_pending(plane, runtime_class=key)
        case "DeviceClass":
            assert isinstance(before, DeviceClass)
            on_device_class(plane, before, None)
        case "ResourceSlice":
            assert isinstance(before, ResourceSlice)
            on_resource_slice(plane, before, None)
        case "ResourceClaimTemplate":
            on_claim_or_template(plane, before, None)
        case "Node":
            assert isinstance(before, Node)
            on_node_removed(plane, before)
        case "Pod":
            assert isinstance(before, Pod)
            on_pod_removed(plane, before)
    if plane.recorder is not None:
        plane.record(ObjectRemoved(f"{kind}/{key}"))
