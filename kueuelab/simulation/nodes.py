"""What Kueue's controllers do when a Node or a Pod comes, changes or goes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from kueuelab.model import Node, Pod
from kueuelab.model.times import SECOND
from kueuelab.quantity import Quantity
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.tas_pods import is_placed_by_topology, takes_room
from kueuelab.workload import amounts_of_pod, pod_requests

__all__ = ["flavors_of_node", "on_node", "on_node_removed", "on_pod", "on_pod_removed"]

#: How often capacity that other pods gave back is offered to pending workloads.
_DRAIN: Final = 10 * SECOND
_NOTHING: Final = Quantity.parse("0")


def on_node(plane: ControlPlane, before: Node | None, now: Node) -> None:
    """Offer what the node adds to pending workloads; look after those whose pods it has."""
    if not plane.gates["TopologyAwareScheduling"]:
        return
    plane.forest.uproot()
    if before is None or _matters(before) != _matters(now):
        _wake(plane, before, now)
    if (
        before is None
        or before.is_ready != now.is_ready
        or (plane.gates["TASReplaceNodeOnNodeTaints"] and before.taints != now.taints)
    ):
        plane.enqueue_node(now.metadata.name)


def on_node_removed(plane: ControlPlane, before: Node) -> None:
    """Look after the workloads with pods on a node that is gone."""
    if plane.gates["TopologyAwareScheduling"]:
        plane.forest.uproot()
        _wake(plane, before, None)
        plane.enqueue_node(before.metadata.name)


def _matters(node: Node) -> tuple[object, ...]:
    """Return what of a node can change where pods fit."""
    conditions = {each.type: each.status for each in node.conditions}
    meta = node.metadata
    return (
        dict(node.allocatable),
        dict(meta.labels),
        dict(meta.annotations),
        node.taints,
        node.unschedulable,
        conditions,
    )


def _wake(plane: ControlPlane, before: Node | None, now: Node | None) -> None:
    """Retry everywhere if a flavor with a topology has, or had, the node."""
    if any(flavors_of_node(plane, node) for node in (before, now) if node is not None):
        plane.wake(sorted(name for name, queue in plane.statuses.items() if queue.active))


def flavors_of_node(plane: ControlPlane, node: Node) -> list[str]:
    """Return the flavors with a topology that a node belongs to."""
    labels = node.metadata.labels
    return [
        name
        for name, flavor in plane.objects.flavors.items()
        if flavor.topology_name in plane.objects.topologies
        and _has_all(labels, flavor.node_labels)
        and all(level in labels for level in plane.objects.topologies[flavor.topology_name].levels)
    ]


def _has_all(labels: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in wanted.items())


# --- pods that topology-aware scheduling does not place ----------------------------------


def on_pod(plane: ControlPlane, before: Pod | None, now: Pod) -> None:
    """Note what a pod gives back; look after the node of one that ends or waits."""
    if not plane.gates["TopologyAwareScheduling"]:
        return
    if before is not None:
        _count(plane, before, -1)
    _count(plane, now, 1)
    if is_placed_by_topology(now):
        _reconcile_node_of(plane, now)
    if before is not None and takes_room(before) and _gives_back(before, now):
        _freed(plane, before.node_name)


def on_pod_removed(plane: ControlPlane, before: Pod) -> None:
    """Note what a pod that is gone gives back."""
    if not plane.gates["TopologyAwareScheduling"]:
        return
    _count(plane, before, -1)
    if is_placed_by_topology(before):
        _reconcile_node_of(plane, before)
    elif takes_room(before):
        _freed(plane, before.node_name)


def _count(plane: ControlPlane, pod: Pod, sign: int) -> None:
    """Count what a pod takes of its node, or no longer takes."""
    if takes_room(pod):
        amounts = amounts_of_pod(pod.spec)
        amounts["pods"] = amounts.get("pods", 0) + 1
        plane.forest.count_pod(pod.node_name, amounts, sign)


def _reconcile_node_of(plane: ControlPlane, pod: Pod) -> None:
    wanted = pod.spec.node_selector.get("kubernetes.io/hostname")
    if not pod.node_name and wanted:
        plane.enqueue_node(wanted)
    elif pod.node_name and (pod.is_terminated or pod.is_terminating):
        plane.enqueue_node(pod.node_name)


def _gives_back(before: Pod, now: Pod) -> bool:
    if not takes_room(now) or before.node_name != now.node_name:
        return True
    old, new = pod_requests(before.spec), pod_requests(now.spec)
    return any(amount > new.get(name, _NOTHING) for name, amount in old.items())


def _freed(plane: ControlPlane, node: str) -> None:
    """Note that a node has room again; pending workloads are retried a little later."""
    plane.freed_nodes[node] = None
    elapsed = plane.clock.now - plane.start
    due = plane.start + (elapsed // _DRAIN + 1) * _DRAIN
    plane.clock.set_timer(("nodesWithRoom", ""), due, partial(_offer, plane))


def _offer(plane: ControlPlane) -> None:
    """Retry where workloads may use the nodes that have room again."""
    names: set[str] = set()
    for node in plane.freed_nodes:
        if node in plane.objects.nodes:
            flavors = set(flavors_of_node(plane, plane.objects.nodes[node]))
            names |= {name for name, queue in plane.statuses.items() if queue.all_flavors & flavors}
    plane.freed_nodes = {}
    if names:
        plane.wake(sorted(names))
