"""What a cluster keeps up to date, held against what its objects say.

Quota, candidates, queues, domains of topologies, counters and the last values of the record are
kept up to date instead of computed, because every decision reads them. Each has a definition
here, computed from the objects alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, TypeVar

from kueuelab.model import Cohort, DeviceClass
from kueuelab.queues import is_admissible, is_on_hold
from kueuelab.queues.pending import PendingWorkloads
from kueuelab.queues.pool import ORDER
from kueuelab.queues.usage_ledger import total
from kueuelab.quota import ClusterQueueNode, CohortNode, Node, QuotaTree
from kueuelab.quota.candidates import candidate_key, uses_any
from kueuelab.quota.shares import share_with
from kueuelab.simulation import Cluster
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.devices import needs_devices_counted
from kueuelab.simulation.node_failures import workloads_by_node
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.recording import RecordedStatus, phase_name
from kueuelab.simulation.used_domains import used_domains
from kueuelab.topology.capacity import Capacity
from kueuelab.topology.feasible import feasible_leaves
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.forest import TopologyForest
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

__all__ = ["KEPT", "stale", "wrong_activity"]

K = TypeVar("K")

#: What differs, where: what is kept, and what the objects say.
Differences: TypeAlias = Iterator[str]


def stale(cluster: Cluster) -> Differences:
    """Yield what is kept in a cluster and is not what its objects say.

    Between two operations or cycles, when no change waits to be delivered.

    Examples
    --------
    >>> list(stale(Cluster()))
    []
    """
    for name, compare in KEPT.items():
        for difference in compare(cluster.plane):
            yield f"{name}: {difference}"


def _unlike(where: str, kept: object, defined: object) -> Differences:
    if kept != defined:
        yield f"{where}: kept {kept!r}, defined {defined!r}"


# --- quota -----------------------------------------------------------------------------


def defined_tree(plane: ControlPlane) -> QuotaTree:
    """Return the quota tree that follows from queues, cohorts and workloads."""
    tree = QuotaTree()
    with tree.growing():
        for status in plane.statuses.values():
            tree.set_cluster_queue(status.spec)
            tree.cluster_queues[status.spec.name].hidden = not status.active
        for cohort in plane.objects.cohorts.values():
            assert isinstance(cohort, Cohort)
            tree.set_cohort(cohort)
    for state in plane.workloads.values():
        if holds_quota(state):
            tree.add_workload(state)
    return tree


def holds_quota(state: WorkloadState) -> bool:
    """Tell whether a workload's quota counts."""
    return state.active and state.has_quota_reservation and not state.is_finished


def _quota(plane: ControlPlane) -> Differences:
    if any(node.is_in_cycle for node in plane.tree.cohorts.values()):
        return  # Kueue uses none of these cohorts, and the last edit decides which are left.
    kept, defined = plane.tree, defined_tree(plane)
    yield from _unlike("ClusterQueues", sorted(kept.cluster_queues), sorted(defined.cluster_queues))
    yield from _unlike("Cohorts", sorted(kept.cohorts), sorted(defined.cohorts))
    for name in kept.cluster_queues.keys() & defined.cluster_queues.keys():
        yield from _queue_node(kept.cluster_queues[name], defined.cluster_queues[name])
    for name in kept.cohorts.keys() & defined.cohorts.keys():
        own, other = kept.cohorts[name], defined.cohorts[name]
        yield from _node(own, other)
        yield from _unlike(f"height of {name}", own.height, other.height)
        yield from _unlike(f"{name} explicit", own.explicit, other.explicit)
        for kind in ("sorted_cohorts", "sorted_queues"):
            children = [[each.name for each in getattr(node, kind)] for node in (own, other)]
            yield from _unlike(f"{kind} of {name}", *children)
    for state in plane.workloads.values():
        booked = dict(kept.booked_usage(state.key))
        yield from _unlike(f"booked for {state.key}", booked, dict(defined.booked_usage(state.key)))


def _queue_node(kept: ClusterQueueNode, defined: ClusterQueueNode) -> Differences:
    yield from _node(kept, defined)
    name = kept.name
    yield from _unlike(f"workloads of {name}", kept.workloads, defined.workloads)
    yield from _unlike(f"{name} hidden", kept.hidden, defined.hidden)
    for fr in kept.quotas:
        yield from _unlike(f"available {fr} in {name}", kept.available(fr), defined.available(fr))


def _node(kept: Node, defined: Node) -> Differences:
    name = kept.name
    parents = [None if node.parent is None else node.parent.name for node in (kept, defined)]
    yield from _unlike(f"parent of {name}", *parents)
    for what in ("quotas", "subtree_quota", "local_quotas", "lends_all", "fair_weight"):
        yield from _unlike(f"{what} of {name}", getattr(kept, what), getattr(defined, what))
    yield from _unlike(f"usage of {name}", _some(kept.usage), _some(defined.usage))
    for fr in kept.subtree_quota:
        most = kept.potential_available(fr), defined.potential_available(fr)
        yield from _unlike(f"potential {fr} of {name}", *most)
    yield from _unlike(f"lendable of {name}", kept.lendable(), defined.lendable())
    if kept.known_share is not None:
        yield from _unlike(f"share of {name}", kept.known_share, share_with(defined, {}))


def _candidates(plane: ControlPlane) -> Differences:
    for node in plane.tree.cluster_queues.values():
        index = node.candidates
        by_usage = plane.statuses[node.name].spec.admission_mode == "UsageBasedAdmissionFairSharing"
        is_by_usage = plane.fair_usage is not None and by_usage
        yield from _unlike(f"{node.name} by usage", index.usage is not None, is_by_usage)
        for evicted in (False, True):
            defined = sorted(
                (candidate_key(state), state.key)
                for state in node.workloads.values()
                if state.is_evicted is evicted
            )
            kept = [place[:2] for place in index.kept(evicted=evicted)]
            yield from _unlike(f"candidates in {node.name}, evicted: {evicted}", kept, defined)
        for (evicted, frs), places in index.kept_by_use().items():
            using = [place[:2] for place in index.kept(evicted=evicted) if uses_any(place[2], frs)]
            kept = [place[:2] for place in places]
            yield from _unlike(f"candidates in {node.name} that use {frs}", kept, using)


# --- queues ----------------------------------------------------------------------------


def _queues(plane: ControlPlane) -> Differences:
    queues = plane.queues
    queueing = {
        key: queue.cluster_queue
        for key, queue in plane.objects.local_queues.items()
        if queue.stop_policy == "None"
    }
    yield from _unlike("LocalQueues that queue", plane.queueing, queueing)
    yield from _unlike("LocalQueues of the queues", queues.local_queues(), queueing)
    by_name = {queue.name: queue for queue in queues.cluster_queues()}
    yield from _unlike("ClusterQueues of the queues", sorted(by_name), sorted(plane.statuses))
    for queue in by_name.values():
        yield from _queue(plane, queue, queueing)
    listed: dict[str, list[str]] = {}
    for queue in by_name.values():
        for active in (True, False):
            for entry in queue.entries(active=active):
                listed.setdefault(entry.key, []).append(queue.name)
    # A head stays in flight in the queue that it was popped from, also if its LocalQueue moves.
    in_flight = {queue.inflight for queue in by_name.values()}
    for state in plane.workloads.values():
        name = queueing.get(state.queue_key)
        is_due = _must_queue(plane, state) and name in by_name and state.key not in in_flight
        found = listed.get(state.key, [])
        if is_due or found:
            yield from _unlike(f"queue of {state.key}", found, [name])
    yield from _trees(plane, by_name)


def _must_queue(plane: ControlPlane, state: WorkloadState) -> bool:
    """Tell whether a workload waits in a queue for certain: nothing explains that it doesn't."""
    if not is_admissible(state, plane.gates) or is_on_hold(state) or state.is_evicted:
        return False
    waits = state.requeue_state is not None and state.requeue_state.requeue_at is not None
    if waits or state.key in plane.restarting:
        return False
    return not needs_devices_counted(plane, state)


def _queue(
    plane: ControlPlane, queue: PendingWorkloads, queueing: Mapping[str, str]
) -> Differences:
    active, inadmissible = queue.entries(active=True), queue.entries(active=False)
    for entry in (*active, *inadmissible):
        key = entry.key
        state = plane.workloads.get(key)
        if state is None or state is not entry.workload:
            yield f"{key} in {queue.name} is not a workload that there is"
            continue
        yield from _unlike(f"{queue.name} of {key}", queueing.get(state.queue_key), queue.name)
        if not needs_devices_counted(plane, state):
            # Kueue's queue knows such a workload as it was when its devices were last counted.
            yield from _unlike(f"order of {key}", entry.order, queue.order_of(state))
            yield from _unlike(f"hash of {key}", entry.hash, state.scheduling_hash)
        if not is_admissible(state, plane.gates):
            yield f"{key} in {queue.name} is not admissible"
        is_apart = entry.backs_off and not entry.is_active  # These are in a plain dict.
        if entry.pool is None or not (is_apart or entry in entry.pool.entries()):
            yield f"{key} in {queue.name} is in no pool"
    for pool in {id(entry.pool): entry.pool for entry in (*active, *inadmissible)}.values():
        if pool is not None and pool.active:
            entries = pool.entries()
            yield from _unlike(f"pool in {queue.name}", entries, sorted(entries, key=ORDER))
    first = min(active, key=ORDER, default=None)
    yield from _unlike(f"first of {queue.name}", queue.first_by_order(), first)
    has_head = bool(active) or queue.inflight is not None
    if has_head and not plane.queues.may_have_head(queue.name):
        yield f"{queue.name} has a head or one in flight, and is not among the ready ones"
    if inadmissible and not queue.may_have_inadmissible:
        yield f"{queue.name} has inadmissible workloads, and says that it has none"


def _trees(plane: ControlPlane, by_name: Mapping[str, PendingWorkloads]) -> Differences:
    """Hold against each other which queues wake together, and which share a root cohort."""
    trees: dict[int, str] = {}
    for name, queue in sorted(by_name.items()):
        if plane.tree.in_cycle(name):
            continue
        root = plane.tree.root_name(name) or f"ClusterQueue/{name}"
        yield from _unlike(f"tree of {name}", trees.setdefault(id(queue.tree), root), root)
        kept = queue.tree.with_inadmissible.get(name)
        if queue.entries(active=False) and kept is not queue:
            yield f"{name} has inadmissible workloads, and its tree does not know"
    yield from _unlike("trees", len(trees), len(set(trees.values())))


# --- topologies ------------------------------------------------------------------------


def _topologies(plane: ControlPlane) -> Differences:
    forest = plane.forest
    for key, state in plane.workloads.items():
        is_booked = bool(forest.flavors) and plane.tree.accounted(key)
        defined = used_domains(state) if is_booked else {}
        if is_booked or not plane.tree.accounted(key):
            yield from _unlike(f"domains of {key}", dict(forest.booked(key)), defined)
    for flavor in forest.flavors.values():
        if not flavor.is_grown:
            continue
        defined_flavor = _defined_flavor(forest, flavor, plane)
        names = sorted(flavor.tree.leaf_of)
        yield from _unlike(f"leaves of {flavor.name}", names, sorted(defined_flavor.tree.leaf_of))
        for name, leaf in flavor.tree.leaf_of.items():
            other = defined_flavor.tree.leaf_of.get(name)
            if other is not None:
                where = f"{name} of {flavor.name}"
                yield from _unlike(f"usage of {where}", _some(leaf.usage), _some(other.usage))
                yield from _unlike(f"free in {where}", _some(leaf.free), _some(other.free))
        yield from _capacities(flavor)


def _defined_flavor(
    forest: TopologyForest, flavor: TopologyFlavor, plane: ControlPlane
) -> TopologyFlavor:
    found = TopologyFlavor(
        plane.objects.flavors[flavor.name],
        plane.objects.topologies[flavor.topology_name or ""],
    )
    used: dict[str, dict[str, int]] = {}
    seen = {each.name for each in forest.flavors.values() if flavor in forest.seeing(each)}
    for key in plane.workloads:
        for name, parts in forest.booked(key).items():
            for part in parts if name in seen else ():
                used[part.domain] = total(used.get(part.domain, {}), part.amounts)
    found.grow(plane.objects.nodes, forest.used_by_pods, used)
    return found


def _capacities(flavor: TopologyFlavor) -> Differences:
    for (shape, selection), kept in flavor.kept_capacities():
        kept.refresh()
        defined = Capacity(flavor.tree, shape, feasible_leaves(flavor.tree, selection))
        for what in ("pods", "slices", "pods_with_leader", "slices_with_leader", "leaders"):
            where = f"{what} in {flavor.name} for {shape}"
            yield from _unlike(where, getattr(kept, what), getattr(defined, what))
        yield from _unlike(f"limits in {flavor.name}", kept.limited_by(), defined.limited_by())


def _some(amounts: Mapping[K, int]) -> dict[K, int]:
    return {name: amount for name, amount in amounts.items() if amount}


# --- counters and statuses -------------------------------------------------------------


def _counters(plane: ControlPlane) -> Differences:
    admitted: dict[str, int] = {}
    for key, state in plane.workloads.items():
        if plane.tree.accounted(key) and state.is_admitted:
            admitted[state.cluster_queue] = admitted.get(state.cluster_queue, 0) + 1
    kept = {name: count for name, count in plane.admitted_in.items() if count}
    yield from _unlike("admitted", kept, admitted)
    evicting = {
        key
        for key, state in plane.workloads.items()
        if state.is_evicted and state.has_quota_reservation and not state.is_finished
    }
    if not evicting <= plane.evicting.keys():
        yield f"evicted, and not kept as such: {sorted(evicting - plane.evicting.keys())}"
    if plane.block_admission is not None:
        not_ready = {
            key
            for key, state in plane.workloads.items()
            if plane.tree.accounted(key) and not state.condition_is("PodsReady", "True")
        }
        yield from _unlike("not ready", set(plane.block_admission.not_ready), not_ready)
    writes, by_node = plane.assigned_by_node
    if writes == plane.writes:
        yield from _unlike("workloads by node", dict(by_node), workloads_by_node(plane))


def _statuses(plane: ControlPlane) -> Differences:
    yield from wrong_activity(plane)
    for name, kept in plane.statuses.items():
        if plane.objects.is_terminating("ClusterQueue", name):
            continue
        defined = QueueStatus(plane.objects.cluster_queues[name])
        defined.refresh(plane.objects, plane.gates)
        for what in ("active", "reason", "message", "checks", "all_flavors", "spec"):
            yield from _unlike(f"{what} of {name}", getattr(kept, what), getattr(defined, what))


def wrong_activity(plane: ControlPlane) -> Differences:
    """Yield it if the ClusterQueues kept as inactive are not those whose status says so."""
    inactive = {name for name, status in plane.statuses.items() if not status.active}
    yield from _unlike("inactive ClusterQueues", plane.inactive, inactive)


def _books(plane: ControlPlane) -> Differences:
    """Hold the pending penalties of LocalQueues against the sum of those of workloads."""
    if plane.fair_usage is None:
        return
    for queue in plane.objects.local_queues:
        account = plane.fair_usage.ledger.get(queue)
        if account is None:
            continue
        defined = _some(total(*account.penalties.values()))
        yield from _unlike(f"penalties of {queue}", _some(account.pending), defined)
        if gone := account.penalties.keys() - plane.workloads.keys():
            yield f"penalties of {queue} are for workloads that are gone: {sorted(gone)}"


# --- the record ------------------------------------------------------------------------


def _record(plane: ControlPlane) -> Differences:
    recorder = plane.recorder
    if recorder is None:
        return
    nodes: list[tuple[str, Node]] = [
        *(("clusterQueues", node) for node in plane.tree.cluster_queues.values()),
        *(("cohorts", node) for node in plane.tree.cohorts.values()),
    ]
    for kind, node in nodes:
        if isinstance(node, CohortNode) and node.is_in_cycle:
            continue
        for fr, used in node.usage.items():
            kept = recorder.value((kind, node.name, "usage", *fr)).now or 0
            yield from _unlike(f"recorded usage of {fr} in {node.name}", kept, used)
    yield from _recorded_workloads(plane, recorder)


def _recorded_workloads(plane: ControlPlane, recorder: Recorder) -> Differences:
    shown = recorder.state()
    gone = [key for key in shown.workloads if key not in plane.workloads and shown.workload(key)]
    yield from _unlike("recorded workloads that are gone", gone, [])
    for key, state in plane.workloads.items():
        known = recorder.object(("workloads", key)).now
        values = None if known is None else known.values()
        defined = RecordedStatus(state, plane.configuration, {}).values()
        yield from _unlike(f"recorded status of {key}", values, defined)
        yield from _unlike(
            f"status of {key} in the state", shown.workload(key).phase, phase_name(state)
        )
        place = recorder.value(("workloads", key, "queue")).now
        yield from _unlike(f"recorded place of {key}", place, plane.queues.place(key))


# --- devices ---------------------------------------------------------------------------


def _devices(plane: ControlPlane) -> Differences:
    defined: dict[str, list[str]] = {}
    for each in plane.objects.of_kind(DeviceClass) if plane.devices.extended else ():
        if each.extended_resource_name:
            defined.setdefault(each.extended_resource_name, []).append(each.metadata.name)
    kept = {resource: sorted(names) for resource, names in plane.devices.backed.items()}
    yield from _unlike("extended resources", kept, defined)


#: What is kept up to date, by the names of the rooms that keep it, and how it is compared.
KEPT = {
    "quota": _quota,
    "candidates": _candidates,
    "queues": _queues,
    "topologies": _topologies,
    "counters": _counters,
    "devices": _devices,
    "statuses": _statuses,
    "penalties": _books,
    "record": _record,
}
