"""What Kueue's controllers do when an object other than a Workload is created or changed.

One function per kind, called with what was there before (``None`` if it is new) and what
is there now. See :mod:`kueuelab.simulation.removal` for deletions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from kueuelab.frozen import EMPTY
from kueuelab.model import (
    AdmissionCheck,
    ClusterQueue,
    Cohort,
    LabelSelector,
    LimitRange,
    LocalQueue,
    Namespace,
    ResourceFlavor,
    RuntimeClass,
    Topology,
    WorkloadPriorityClass,
)
from kueuelab.queues import is_admissible
from kueuelab.simulation.admission_fair_sharing import look_at, usage_in
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import set_priority, set_workload
from kueuelab.simulation.devices import needs_devices_counted
from kueuelab.simulation.devices.reactions import (
    on_claim_or_template,
    on_device_class,
    on_resource_slice,
)
from kueuelab.simulation.nodes import on_node, on_pod
from kueuelab.simulation.queue_reports import is_nested, republish_all, wake_tree
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.trace.steps import QueueStatusChanged
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import is_labelled_parent

__all__ = ["REACTIONS", "refresh_statuses"]


def on_cluster_queue(plane: ControlPlane, before: ClusterQueue | None, now: ClusterQueue) -> None:
    """Take over quota, parent, checks and stop policy; wake the tree if the spec changed.

    One that is being deleted keeps what it had; only the controller of workloads sees the edit.
    """
    name = now.name
    queue = plane.statuses.get(name)
    if queue is not None and plane.objects.is_terminating("ClusterQueue", name):
        queue.write(now)
        reconcile_cluster_queue_workloads(plane, name)
        return
    if queue is None:
        queue = plane.statuses[name] = QueueStatus(now)
    else:
        queue.set_spec(now)
    plane.tree.set_cluster_queue(now)
    plane.tree.cluster_queues[name].candidates.usage = usage_in(plane, now)
    _refresh(plane, queue)
    if before is None:
        for state in _with_admission_in(plane, name):
            plane.hold(state)
    plane.queues.set_cluster_queue(now)
    plane.touched[name] = None
    if is_nested(plane, plane.tree.cluster_queues[name].parent):
        wake_tree(plane, name)
    if plane.gates["ConcurrentAdmission"] and before is not None:
        _reconcile_families(plane, before, now)
    if (
        before is None
        or before.admission_checks != now.admission_checks
        or before.stop_policy != now.stop_policy
    ):
        reconcile_cluster_queue_workloads(plane, name)


def _reconcile_families(plane: ControlPlane, before: ClusterQueue, now: ClusterQueue) -> None:
    """Let workloads have a variant for each flavor, where the flavors are others now."""
    if _flavor_names(before) != _flavor_names(now):
        queues = {each.key for each in plane.objects.local_queues_of(now.name)}
        for key in sorted(plane.workloads):
            state = plane.workloads[key]
            if state.queue_key in queues and is_labelled_parent(state.obj):
                plane.enqueue_family(state)


def _flavor_names(queue: ClusterQueue) -> list[list[str]]:
    return [[flavor.name for flavor in group.flavors] for group in queue.resource_groups]


def _with_admission_in(plane: ControlPlane, cluster_queue: str) -> list[WorkloadState]:
    return [s for s in plane.workloads.values() if s.cluster_queue == cluster_queue]


def reconcile_cluster_queue_workloads(plane: ControlPlane, cluster_queue: str) -> None:
    """Reconcile all workloads of the LocalQueues that point to a ClusterQueue."""
    if plane.workloads:
        for local_queue in plane.objects.local_queues_of(cluster_queue):
            reconcile_local_queue_workloads(plane, local_queue.key)


def reconcile_local_queue_workloads(plane: ControlPlane, key: str) -> None:
    """Reconcile all workloads of a LocalQueue."""
    keys = [state.key for state in plane.workloads.values() if state.queue_key == key]
    for workload in sorted(keys):
        plane.enqueue(workload)


def on_cohort(plane: ControlPlane, before: Cohort | None, now: Cohort) -> None:
    """Take over quota and parent; wake the tree."""
    if before is not None and replace(before, metadata=now.metadata) == now:
        return
    plane.tree.set_cohort(now)
    plane.queues.set_cohort(now.name, now.parent_name)
    if now.parent_name and not plane.has_nested_cohorts:
        republish_all(plane)


def on_local_queue(plane: ControlPlane, before: LocalQueue | None, now: LocalQueue) -> None:
    """Start or stop queueing its workloads, perhaps in another ClusterQueue."""
    queue_workloads(plane, now, plane.workloads.values())
    if before is None or before.stop_policy != now.stop_policy:
        reconcile_local_queue_workloads(plane, now.key)


def queue_workloads(
    plane: ControlPlane, local_queue: LocalQueue, workloads: Iterable[WorkloadState]
) -> None:
    """Queue the workloads of a LocalQueue, or stop queueing them if it is stopped."""
    if local_queue.stop_policy == "None":
        plane.queueing[local_queue.key] = local_queue.cluster_queue
    else:
        plane.queueing.pop(local_queue.key, None)
    plane.queues.set_local_queue(local_queue, workloads, partial(_later, plane))
    look_at(plane, local_queue.key)


def _later(plane: ControlPlane, state: WorkloadState) -> bool:
    """Tell whether the reconciler queues a workload once its devices are counted; ask it to."""
    if not needs_devices_counted(plane, state):
        return False
    plane.enqueue(state.key)
    return True


def on_flavor(plane: ControlPlane, before: ResourceFlavor | None, now: ResourceFlavor) -> None:
    """Retry what waited for this flavor, or didn't match it as it was."""
    follow_topologies(plane)
    woken = refresh_statuses(plane)
    if before is not None and (
        before.node_taints != now.node_taints
        or before.tolerations != now.tolerations
        or dict(before.node_labels) != dict(now.node_labels)
    ):
        name = now.metadata.name
        woken += [q.spec.name for q in plane.statuses.values() if name in q.all_flavors]
    follows = plane.configuration.release.topology_flavors_may_change
    if plane.gates["TopologyAwareScheduling"] and _has_new_topology(before, now, follows):
        woken += [q.spec.name for q in plane.statuses.values() if q.active]
    plane.wake(sorted(set(woken)))


def _has_new_topology(before: ResourceFlavor | None, now: ResourceFlavor, follows: bool) -> bool:
    """Tell whether pods may be placed by the flavor's topology that could not be before.

    ``follows`` is whether its node labels and tolerations count as they are now.
    """
    if now.topology_name is None:
        return False
    return (
        before is None
        or before.topology_name != now.topology_name
        or before.node_taints != now.node_taints
        or (follows and before.tolerations != now.tolerations)
        or (follows and dict(before.node_labels) != dict(now.node_labels))
    )


def on_admission_check(
    plane: ControlPlane, before: AdmissionCheck | None, now: AdmissionCheck
) -> None:
    """Retry in ClusterQueues that became active."""
    plane.wake(refresh_statuses(plane))


def follow_topologies(plane: ControlPlane) -> None:
    """Let the scheduler know the flavors whose topology is there, and forget all others."""
    if not plane.gates["TopologyAwareScheduling"]:
        return
    flavors, topologies = plane.objects.flavors, plane.objects.topologies
    for name in list(plane.forest.flavors):
        if name not in flavors or plane.forest.flavors[name].topology_name not in topologies:
            plane.forest.remove_flavor(name)
    for flavor in flavors.values():
        topology = topologies.get(flavor.topology_name or "")
        if topology is None:
            continue
        if _is_outdated(plane, flavor, topology):
            plane.forest.remove_flavor(flavor.metadata.name)
        if plane.forest.set_flavor(flavor, topology):
            for state in plane.tree.workloads():
                plane.book_domains(state)


def _is_outdated(plane: ControlPlane, flavor: ResourceFlavor, topology: Topology) -> bool:
    """Tell whether a flavor counts by what it or its topology was before."""
    known, release = plane.forest.flavors.get(flavor.metadata.name), plane.configuration.release
    if known is None:
        return False
    if release.topology_levels_may_change and known.levels != topology.levels:
        return True
    return release.topology_flavors_may_change and not known.has_rules_of(flavor)


def on_topology(plane: ControlPlane, before: Topology | None, now: Topology) -> None:
    """Retry in ClusterQueues that became active, or that use a topology that is new."""
    follow_topologies(plane)
    woken = refresh_statuses(plane)
    follows = plane.configuration.release.topology_levels_may_change
    if before is None or (follows and before.levels != now.levels):
        flavors = {
            name
            for name, flavor in plane.objects.flavors.items()
            if flavor.topology_name == now.metadata.name
        }
        woken += [q.spec.name for q in plane.statuses.values() if q.all_flavors & flavors]
    plane.wake(sorted(set(woken)))


def on_namespace(plane: ControlPlane, before: Namespace | None, now: Namespace) -> None:
    """Retry in ClusterQueues that select the namespace now but didn't before.

    A namespace without a manifest exists all the same, without labels.
    """
    old = before.metadata.labels if before is not None else EMPTY
    new = now.metadata.labels
    woken = [
        name
        for name, queue in plane.statuses.items()
        if _selects(queue.spec.namespace_selector, new)
        and not _selects(queue.spec.namespace_selector, old)
    ]
    plane.wake(sorted(woken))


def _selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    return selector is not None and selector.matches(labels)


def on_limit_range(plane: ControlPlane, before: LimitRange | None, now: LimitRange) -> None:
    """Count the requests of pending workloads of the namespace anew."""
    adjust_pending(plane, namespace=now.metadata.namespace)


def on_runtime_class(plane: ControlPlane, before: RuntimeClass | None, now: RuntimeClass) -> None:
    """Count the requests of pending workloads that name it anew."""
    adjust_pending(plane, runtime_class=now.metadata.name)


def adjust_pending(plane: ControlPlane, *, namespace: str = "", runtime_class: str = "") -> None:
    """Adjust the requests of workloads without quota again, and update the queues."""
    for key in sorted(plane.workloads):
        state = plane.workloads[key]
        if state.has_quota_reservation:
            continue
        if namespace and state.obj.metadata.namespace != namespace:
            continue
        pods = (pod_set.template.spec for pod_set in state.obj.pod_sets)
        if runtime_class and all(pod.runtime_class_name != runtime_class for pod in pods):
            continue
        set_workload(plane, state, plane.written(state))
        if needs_devices_counted(plane, state):
            plane.enqueue(key)
        elif is_admissible(state, plane.gates):
            plane.queues.add_or_update(state)


def on_priority_class(
    plane: ControlPlane, before: WorkloadPriorityClass | None, now: WorkloadPriorityClass
) -> None:
    """Give the workloads that name the class its new value."""
    if before is not None and before.value == now.value:
        return
    for key in sorted(plane.workloads):
        state = plane.workloads[key]
        ref = state.obj.priority_class_ref
        if ref is None or ref.kind != "WorkloadPriorityClass" or ref.name != now.metadata.name:
            continue
        set_priority(plane, state, now.value)


def refresh_statuses(plane: ControlPlane) -> list[str]:
    """Find out anew which ClusterQueues can admit; return those that became active."""
    return [name for name in sorted(plane.statuses) if _refresh(plane, plane.statuses[name])]


def _refresh(plane: ControlPlane, queue: QueueStatus) -> bool:
    known = queue.active, queue.reason, queue.message
    name = queue.spec.name
    became_active = queue.refresh(plane.objects, plane.gates)
    if queue.active:
        plane.inactive.discard(name)
    else:
        plane.inactive.add(name)
    node = plane.tree.cluster_queues.get(name)
    # An inactive ClusterQueue is not in the snapshot: no workload of it is preempted.
    if node is not None and node.hidden == queue.active:
        node.hidden = not queue.active
    if known != (queue.active, queue.reason, queue.message):
        plane.touched[name] = None
        if plane.fair_usage is not None:
            for local_queue in plane.objects.local_queues_of(name):
                look_at(plane, local_queue.key)
    if known != (queue.active, queue.reason, queue.message) and plane.recorder is not None:
        announce_status(plane, queue)
    return became_active


def announce_status(plane: ControlPlane, queue: QueueStatus) -> None:
    """Record whether a ClusterQueue can admit, and why not."""
    name = queue.spec.name
    plane.announce("clusterQueues", name, "active", queue.active)
    plane.record(QueueStatusChanged(queue.active, queue.reason, queue.message), "", name)


#: Kind to what happens when an object of it is created or changed.
REACTIONS: Final[Mapping[str, Callable[[ControlPlane, Any, Any], None]]] = MappingProxyType(
    {
        "AdmissionCheck": on_admission_check,
        "ClusterQueue": on_cluster_queue,
        "Cohort": on_cohort,
        "DeviceClass": on_device_class,
        "LimitRange": on_limit_range,
        "LocalQueue": on_local_queue,
        "Namespace": on_namespace,
        "Node": on_node,
        "Pod": on_pod,
        "ResourceClaim": on_claim_or_template,
        "ResourceClaimTemplate": on_claim_or_template,
        "ResourceFlavor": on_flavor,
        "ResourceSlice": on_resource_slice,
        "RuntimeClass": on_runtime_class,
        "Topology": on_topology,
        "WorkloadPriorityClass": on_priority_class,
    }
)
