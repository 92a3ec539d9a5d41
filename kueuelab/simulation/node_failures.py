"""What becomes of workloads whose nodes fail, are tainted or deleted.

A workload with pods on such a node is marked: ``status.unhealthyNodes`` names the node, and its
second pass looks for another place for them. A second failed node evicts it. This is Kueue's
controller of nodes; see https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ and
KEP-2724.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from kueuelab.model import Condition, Node, Pod, Taint, Toleration
from kueuelab.model.times import SECOND
from kueuelab.model.topology import HOSTNAME
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.eviction import evict
from kueuelab.simulation.tas_pods import is_placed_by_topology, workload_key
from kueuelab.simulation.ungating import lose_pods
from kueuelab.trace.steps import NodeMarkedUnhealthy, NodeRecovered
from kueuelab.workload import WorkloadState
from kueuelab.workload.node_match import untolerated_taint

__all__ = ["enqueue_nodes", "reconcile_node", "workloads_by_node"]

#: How long a node may be not ready before it counts as failed, where a fixed time decides.
_DELAY: Final = 30 * SECOND
#: How long Kubernetes leaves pods on a node that is not ready.
_PODS_STAY: Final = 300 * SECOND
_GATE: Final = "kueue.x-k8s.io/topology"


def enqueue_nodes(plane: ControlPlane) -> None:
    """Ask for the nodes to be reconciled about which there is something to do at the start."""
    marked = {name for state in plane.workloads.values() for name in state.unhealthy_nodes}
    awaited = {pod.spec.node_selector.get(HOSTNAME) for pod in plane.objects.pods.values()}
    for name, node in sorted(plane.objects.nodes.items()):
        if name in marked or name in awaited or node.taints or not node.is_ready:
            plane.enqueue_node(name)


def reconcile_node(plane: ControlPlane, name: str) -> None:
    """Mark or evict the workloads on a node that failed; forget marks of one that recovered."""
    if _is_on(plane):
        _reconcile(plane, name, _workloads_on(plane, name))


def _is_on(plane: ControlPlane) -> bool:
    return plane.gates["TopologyAwareScheduling"] and plane.gates["TASFailedNodeReplacement"]


def _nodes_of(state: WorkloadState) -> set[str]:
    """Return the nodes that pods of a workload are assigned to, as long as it is admitted."""
    if not state.is_admitted or state.is_finished or state.is_evicted:
        return set()
    return {name for found in state.topology_assignments.values() for name in found.nodes}


def _workloads_on(plane: ControlPlane, name: str) -> list[str]:
    writes, by_node = plane.assigned_by_node
    if writes != plane.writes:
        by_node = workloads_by_node(plane)
        plane.assigned_by_node = (plane.writes, by_node)
    return by_node.get(name, [])


def workloads_by_node(plane: ControlPlane) -> dict[str, list[str]]:
    """Return the workloads with pods on each node, by name."""
    found: dict[str, list[str]] = {}
    for key in sorted(plane.workloads):
        for node in _nodes_of(plane.workloads[key]):
            found.setdefault(node, []).append(key)
    return found


def _reconcile(plane: ControlPlane, name: str, assigned: Sequence[str]) -> None:
    node, gates = plane.objects.nodes.get(name), plane.gates
    plane.clock.cancel(("node", name))
    ready = None
    if node is not None:
        ready = next((each for each in node.conditions if each.type == "Ready"), None)
    if node is None or ready is None:
        _mark(plane, name, assigned)
        return
    if ready.status != "True":
        fails_at = ready.last_transition_time + _DELAY
        failed = fails_at <= plane.clock.now
        if not failed and not gates["TASReplaceNodeOnPodTermination"]:
            plane.clock.set_timer(("node", name), fails_at, partial(plane.enqueue_node, name))
            return
        if failed and gates["TASReplaceNodeDueToNotReadyOverFixedTime"]:
            evicted = _mark(plane, name, assigned)
            assigned = [key for key in assigned if key not in evicted]
        if plane.pods_follow_assignments:
            _watch_pods(plane, name, ready)
    late = _late_pods(plane, name)
    affected = sorted({*assigned, *(key for key in late if _is_running(plane, key))})
    _act(plane, node, affected, late)


def _is_running(plane: ControlPlane, key: str) -> bool:
    state = plane.workloads.get(key)
    return state is not None and not state.is_finished and not state.is_evicted


def _act(
    plane: ControlPlane, node: Node, affected: Iterable[str], late: dict[str, list[Pod]]
) -> None:
    """Mark the workloads that must leave a node, and take the mark from those that need not."""
    name = node.metadata.name
    leaving: list[str] = []
    staying: list[str] = []
    lost: list[str] = []
    for key in affected:
        must_leave, pods_lost = _judge(plane, plane.workloads[key], node)
        (leaving if must_leave else staying).append(key)
        if pods_lost:
            lost.append(key)
    evicted = _mark(plane, name, leaving)
    for key in staying:
        _unmark(plane, plane.workloads[key], name)
    for key in lost:
        if key not in evicted:
            for pod in late.get(key, ()):
                plane.objects.put(replace(pod, phase="Failed"))


def _judge(plane: ControlPlane, state: WorkloadState, node: Node) -> tuple[bool, bool]:
    """Tell whether a workload must leave a node, and whether its late pods there are lost."""
    name, gates = node.metadata.name, plane.gates
    with_pods = gates["TASReplaceNodeOnPodTermination"]
    if name not in _nodes_of(state):
        return False, True
    if not node.is_ready:
        return (not _has_pods(plane, state, node), True) if with_pods else (True, False)
    if not gates["TASReplaceNodeOnNodeTaints"]:
        return False, False
    tolerations = _tolerations(plane, state, name)
    hard = [each for each in node.taints if each.effect in ("NoExecute", "NoSchedule")]
    if any(untolerated_taint((taint,), found) for taint in hard for found in tolerations):
        return (not _has_pods(plane, state, node), True) if with_pods else (True, False)
    if any(_for_a_time(taint, found) for taint in hard for found in tolerations):
        return not _has_pods(plane, state, node), True
    return False, False


def _for_a_time(taint: Taint, tolerations: Sequence[Toleration]) -> bool:
    """Tell whether a taint that is tolerated is so only for some seconds."""
    lasting = [each for each in tolerations if each.toleration_seconds is None]
    return untolerated_taint((taint,), lasting) is not None


def _tolerations(
    plane: ControlPlane, state: WorkloadState, name: str
) -> list[tuple[Toleration, ...]]:
    """Return what the pods of each pod set on a node tolerate; flavors and checks add to it."""
    found: list[tuple[Toleration, ...]] = []
    assignments = state.topology_assignments
    admitted = () if state.admission is None else state.admission.pod_set_assignments
    pod_sets = {pod_set.name: pod_set for pod_set in state.obj.pod_sets}
    for each in admitted:
        assignment, pod_set = assignments.get(each.name), pod_sets.get(each.name)
        if assignment is None or pod_set is None or name not in assignment.nodes:
            continue
        given = [*pod_set.template.spec.tolerations]
        for flavor in dict.fromkeys(each.flavors.values()):
            if flavor in plane.objects.flavors:
                given += plane.objects.flavors[flavor].tolerations
        for check in state.admission_checks.values():
            for update in check.pod_set_updates:
                if update.name == pod_set.name:
                    given += update.tolerations
        found.append(tuple(given))
    return found


# --- pods -------------------------------------------------------------------------------


def _late_pods(plane: ControlPlane, name: str) -> dict[str, list[Pod]]:
    """Return the pods that are to go to a node but wait, by workload."""
    found: dict[str, list[Pod]] = {}
    for pod in plane.objects.pods.values():
        key = workload_key(pod)
        if (
            key
            and pod.spec.node_selector.get(HOSTNAME) == name
            and is_placed_by_topology(pod)
            and not pod.node_name
            and pod.phase == "Pending"
            and _GATE not in pod.scheduling_gates
        ):
            found.setdefault(key, []).append(pod)
    return found


def _watch_pods(plane: ControlPlane, name: str, ready: Condition) -> None:
    """Look again when Kubernetes deletes the pods of a node that is not ready."""
    gone_at = ready.last_transition_time + _PODS_STAY
    if gone_at > plane.clock.now:
        again = partial(plane.enqueue_node, name)
        plane.clock.set_timer(("node", name), gone_at, again)


def _pods_stay(plane: ControlPlane, state: WorkloadState, node: Node) -> bool:
    """Tell whether pods that run where they are assigned stay on a node.

    Kubernetes deletes them at once where a taint ``NoExecute`` is not tolerated, and after five
    minutes where the node is not ready.
    """
    tolerations = _tolerations(plane, state, node.metadata.name)
    hard = [taint for taint in node.taints if taint.effect == "NoExecute"]
    if any(untolerated_taint(hard, found) is not None for found in tolerations):
        return False
    ready = next((each for each in node.conditions if each.type == "Ready"), None)
    if ready is None or ready.status == "True":
        return True
    return ready.last_transition_time + _PODS_STAY > plane.clock.now


def _has_pods(plane: ControlPlane, state: WorkloadState, node: Node) -> bool:
    """Tell whether pods of a workload still run on a node."""
    name = node.metadata.name
    if plane.pods_follow_assignments:
        return _pods_stay(plane, state, node)
    return any(
        pod.node_name == name
        and not pod.is_terminated
        and not pod.is_terminating
        and workload_key(pod) == state.key
        for pod in plane.objects.pods.values()
    )


# --- marks ------------------------------------------------------------------------------


def _mark(plane: ControlPlane, name: str, keys: Iterable[str]) -> set[str]:
    """Mark a node as failed on workloads; those with another mark are evicted. Return them."""
    evicted = set()
    for key in keys:
        state = plane.workloads[key]
        known = state.unhealthy_nodes
        if known and name not in known and not state.is_evicted:
            words = "Workload eviction triggered due to multiple TAS assigned node failures"
            nodes = ", ".join((*known, name))
            evict(plane, state, "NodeFailures", f"{words}, including: {nodes}")
        if state.is_evicted:
            evicted.add(key)
        elif name not in known:
            state.unhealthy_nodes = (*known, name)
            plane.changed(key)
            if plane.recorder is not None:
                lose_pods(plane, key, name)
                plane.record(NodeMarkedUnhealthy(name), key)
    return evicted


def _unmark(plane: ControlPlane, state: WorkloadState, name: str) -> None:
    if name in state.unhealthy_nodes:
        state.unhealthy_nodes = tuple(each for each in state.unhealthy_nodes if each != name)
        plane.changed(state.key)
        if plane.recorder is not None:
            plane.record(NodeRecovered(name), state.key)
