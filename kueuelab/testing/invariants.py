"""What must hold in every cluster at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from kueuelab.quota import ClusterQueueNode, CohortNode, Node
from kueuelab.simulation import Cluster
from kueuelab.simulation.devices import needs_devices_counted
from kueuelab.testing.kept_state import wrong_activity
from kueuelab.workload import WorkloadState
from kueuelab.workload.slices import is_slice, job_of
from kueuelab.workload.variants import is_labelled_parent, is_variant, parent_name

__all__ = ["Watch", "violations"]

_Place: TypeAlias = tuple[str, str, tuple[str, str]]


class Watch:
    """Looks at a cluster again and again, and remembers what explains too much usage.

    Only a quota cut explains that a queue uses more than the limits allow; so what is too
    much may never grow while quotas stay as they are. A cycle that waits for pods to be ready
    (``blockAdmission``) goes on with what it decided before the cut, as Kueue's does. A cycle in
    which a slice of an elastic job is replaced may admit too much: to the entries after it, Kueue
    offers what the replaced slice held.

    The controller of an elastic job keeps its slices in order: no two of them hold quota. Of the
    variants of a workload, no two are admitted.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._quotas: object = None
        self._excess: dict[_Place, int] = {}
        self._replaced = 0
        self._decided_before = False

    def look(self) -> list[str]:
        """Return what is wrong now."""
        found = [*violations(self._cluster), *_two_slices(self._cluster)]
        found += _two_variants(self._cluster)
        quotas = _quotas(self._cluster)
        excess = dict(_excess(self._cluster))
        is_cut = quotas != self._quotas
        self._decided_before = self._decided_before or (is_cut and self._cluster.is_blocked)
        replaced = sum(map(_is_replaced, self._cluster.workloads.values()))
        is_explained = is_cut or replaced != self._replaced
        self._replaced = replaced
        if not is_explained and not self._decided_before:
            found += [
                f"{kind} {name} uses {more} too much of {fr}"
                for (kind, name, fr), more in excess.items()
                if more > self._excess.get((kind, name, fr), 0)
            ]
        self._quotas, self._excess = quotas, excess
        self._decided_before = self._decided_before and self._cluster.is_blocked
        return found


def violations(cluster: Cluster) -> Iterator[str]:
    """Yield what is wrong with a cluster between two operations or cycles.

    Examples
    --------
    >>> list(violations(Cluster()))
    []
    """
    yield from _wrong_usage(cluster)
    yield from wrong_activity(cluster.plane)
    for state in cluster.workloads.values():
        if not _is_parent(cluster, state):
            yield from _wrong_place(cluster, state)
        yield from _wrong_flags(state)


def _nodes(cluster: Cluster) -> Iterator[Node]:
    yield from cluster.tree.cluster_queues.values()
    yield from cluster.tree.cohorts.values()


def _wrong_usage(cluster: Cluster) -> Iterator[str]:
    for node in _nodes(cluster):
        if isinstance(node, CohortNode) and node.is_in_cycle:
            continue
        wanted = _positive(_sum_of(cluster, node))
        got = _positive(node.usage)
        if wanted != got:
            yield f"{_kind(node)} {node.name} has usage {got}, its workloads {wanted}"


def _sum_of(cluster: Cluster, node: Node) -> dict[tuple[str, str], int]:
    """Return the usage of a node from what is below it."""
    total: dict[tuple[str, str], int] = {}
    if isinstance(node, ClusterQueueNode):
        # Not from what the tree says is in it, but from what the workloads themselves say.
        for state in cluster.workloads.values():
            if _is_parent(cluster, state):
                continue
            if _holds_quota(state) and state.cluster_queue == node.name:
                for fr, amount in state.usage.items():
                    total[fr] = total.get(fr, 0) + amount
        return total
    assert isinstance(node, CohortNode)
    for child in (*node.child_cohorts.values(), *node.child_queues.values()):
        for fr, used in child.usage.items():
            total[fr] = total.get(fr, 0) + max(0, used - child.local_quota(fr))
    return total


def _positive(usage: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    return {fr: amount for fr, amount in usage.items() if amount}


def _kind(node: Node) -> str:
    return "ClusterQueue" if isinstance(node, ClusterQueueNode) else "Cohort"


def _wrong_place(cluster: Cluster, state: WorkloadState) -> Iterator[str]:
    """Yield an error if a workload is in two places, or holds quota that is not counted."""
    key = state.key
    places = []
    if cluster.tree.accounted(key):
        places.append("admitted")
    place = cluster.queues.place(key)
    if place is not None:
        places.append(f"queued ({place})")
    if state.is_finished:
        places.append("finished")
    if len(places) > 1:
        yield f"{key} is {' and '.join(places)}"
    elif not places and _belongs_somewhere(cluster, state):
        yield f"{key} is nowhere"
    known = _holds_quota(state) and state.cluster_queue in cluster.tree.cluster_queues
    if known != cluster.tree.accounted(key):
        yield f"{key} holds quota: {known}; is accounted for: {cluster.tree.accounted(key)}"


def _two_slices(cluster: Cluster) -> Iterator[str]:
    """Yield an error for each slice of an elastic job that holds quota next to another one."""
    seen: dict[str, str] = {}
    for state in cluster.workloads.values():
        if is_slice(state.obj) and _holds_quota(state):
            other = seen.setdefault(job_of(state.obj), state.key)
            if other != state.key:
                yield f"{other} and {state.key}, slices of one job, both hold quota"


def _two_variants(cluster: Cluster) -> Iterator[str]:
    """Yield an error for each variant that is admitted next to another one of its parent."""
    seen: dict[str, str] = {}
    for state in cluster.workloads.values():
        if is_variant(state.obj) and state.is_admitted and _runs(state):
            parent = f"{state.obj.namespace}/{parent_name(state.obj)}"
            other = seen.setdefault(parent, state.key)
            if other != state.key:
                yield f"{other} and {state.key}, variants of {parent}, are both admitted"


def _runs(state: WorkloadState) -> bool:
    return state.active and not state.is_evicted and not state.is_finished


def _is_replaced(state: WorkloadState) -> bool:
    finished = state.conditions.get("Finished")
    return finished is not None and finished.reason == "WorkloadSliceReplaced"


def _wrong_flags(state: WorkloadState) -> Iterator[str]:
    """Yield an error if what a workload tells at once is not what its status says."""
    told = {
        "QuotaReserved": state.has_quota_reservation,
        "Admitted": state.is_admitted,
        "Evicted": state.is_evicted,
        "Finished": state.is_finished,
    }
    for type_, is_true in told.items():
        if is_true is not state.condition_is(type_, "True"):
            yield f"{state.key} takes {type_} for {is_true}, and its condition says otherwise"
    queue = "" if state.admission is None else state.admission.cluster_queue
    if state.cluster_queue != queue:
        yield f"{state.key} names {state.cluster_queue!r}, and its admission {queue!r}"


def _is_parent(cluster: Cluster, state: WorkloadState) -> bool:
    """Tell whether variants of a workload queue and hold quota in its place."""
    return cluster.plane.gates["ConcurrentAdmission"] and is_labelled_parent(state.obj)


def _holds_quota(state: WorkloadState) -> bool:
    # Kueue takes the quota of a deactivated workload back at once, before its pods are gone.
    return state.admission is not None and not state.is_finished and state.active


def _belongs_somewhere(cluster: Cluster, state: WorkloadState) -> bool:
    """Tell whether nothing explains that a workload is in no queue and has no quota."""
    queue = cluster.queues.cluster_queue_for(state)
    if queue is None or not state.active or state.admission is not None:
        return False
    if needs_devices_counted(cluster.plane, state):
        return False  # Kueue may not be able to count what it claims.
    waits = state.requeue_state is not None and state.requeue_state.requeue_at is not None
    return cluster.is_active(queue) and not state.is_evicted and not waits


def _quotas(cluster: Cluster) -> object:
    """Return all quotas, limits and parents, to see whether they change."""
    return [
        (
            _kind(node),
            node.name,
            node.parent.name if node.parent else "",
            sorted(node.quotas.items(), key=str),
        )
        for node in _nodes(cluster)
    ]


def _excess(cluster: Cluster) -> Iterator[tuple[_Place, int]]:
    """Yield how much more than allowed is used where."""
    for node in _nodes(cluster):
        if isinstance(node, CohortNode) and node.is_in_cycle:
            continue
        for fr, used in node.usage.items():
            most = _most(node, fr)
            if most is not None and used > most:
                yield (_kind(node), node.name, fr), used - most


def _most(node: Node, fr: tuple[str, str]) -> int | None:
    """Return the most that a node may use of a flavor, ``None`` if others decide."""
    quota = node.subtree_quota.get(fr, 0)
    if node.parent is None:
        return quota
    limit = node.quota(fr).borrowing_limit
    return None if limit is None else quota + limit
