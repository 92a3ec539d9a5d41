"""The workload that is to be admitted, where it queues, and what is possible for it there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any

from kueuelab.messages import Message
from kueuelab.model import (
    ClusterQueue,
    FlavorResource,
    LocalQueue,
    PodSet,
    ResourceGroup,
    TopologyRequest,
)
from kueuelab.queues.admissibility import NEVER, backs_off_until
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.placement import flavor_mismatch
from kueuelab.simulation import Cluster
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import allowed_flavors

__all__ = ["Demand", "Subject", "back_off_ends"]

_NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked of one resource group, all pod sets together.

    Attributes
    ----------
    group
        The resource group.
    requests
        Resource to amount.
    flavors
        The flavors that suit, in their order.
    mismatches
        Why the others don't.
    """

    group: ResourceGroup
    requests: Mapping[str, int]
    flavors: tuple[str, ...]
    mismatches: tuple[str, ...]


class Subject:
    """A workload in a cluster.

    Attributes
    ----------
    cluster
        A cluster that nothing records; it may be simulated in, and is left as it was.
    state
        The workload.
    local_queue, queue, node
        Where it queues, as far as that exists.
    demands
        What it asks of each resource group.
    uncovered
        Resources that no group covers.
    """

    def __init__(self, cluster: Cluster, key: str) -> None:
        self.cluster = cluster
        self.state: WorkloadState = cluster.workload(key)
        objects = cluster.objects
        self.local_queue: LocalQueue | None = objects.local_queues.get(self.state.queue_key)
        name = "" if self.local_queue is None else self.local_queue.cluster_queue
        self.queue: ClusterQueue | None = objects.cluster_queues.get(name)
        # Where cohorts form a cycle, a ClusterQueue has no quota to speak of.
        self.node: ClusterQueueNode | None = (
            None if cluster.tree.in_cycle(name) else cluster.tree.cluster_queues.get(name)
        )
        self.requests = _totals(self.state)
        self._units: dict[str, int] = {}
        self.demands: tuple[Demand, ...] = ()
        self.uncovered: tuple[str, ...] = ()
        if self.queue is not None:
            self.demands = tuple(self._demands(self.queue))
            covered = {name for demand in self.demands for name in demand.requests}
            self.uncovered = tuple(name for name in self.requests if name not in covered)

    @property
    def key(self) -> str:
        """``namespace/name`` of the workload."""
        return self.state.key

    def _demands(self, queue: ClusterQueue) -> Iterator[Demand]:
        for group in queue.resource_groups:
            covered = group.covered_resources
            requests = {name: self.requests[name] for name in covered if self.requests.get(name)}
            if not requests:
                continue
            found = {flavor.name: self._mismatch(flavor.name, requests) for flavor in group.flavors}
            yield Demand(
                group,
                requests,
                tuple(name for name, mismatch in found.items() if not mismatch),
                tuple(mismatch for mismatch in found.values() if mismatch),
            )

    def _mismatch(self, name: str, requests: Mapping[str, int]) -> str:
        flavor = self.cluster.objects.flavors.get(name)
        if flavor is None:
            return Message("whatif.obstacle.flavor-missing", flavor=name)
        if (allowed := allowed_flavors(self.state.obj)) is not None and name not in allowed:
            values = {"workload": self.key, "flavor": name}
            return Message("whatif.obstacle.flavor-not-allowed", **values)
        pod_sets = {pod_set.name: pod_set for pod_set in self.state.obj.pod_sets}
        for asked in self.state.requests:
            if any(asked.requests.get(resource) for resource in requests):
                spec = pod_sets[asked.name].template.spec
                if mismatch := flavor_mismatch(flavor, spec):
                    return mismatch
        return ""

    # --- room ----------------------------------------------------------------------------

    def lacking(self, demand: Demand, flavor: str) -> dict[str, int]:
        """Return what is missing in a flavor, per resource of a demand; 0 where it fits."""
        assert self.node is not None
        return {
            resource: max(0, amount - self.node.available((flavor, resource)))
            for resource, amount in demand.requests.items()
        }

    def best_flavor(self, demand: Demand) -> str:
        """Return the suitable flavor in which the least is missing, by part of the request."""

        def missing(flavor: str) -> float:
            lacking = self.lacking(demand, flavor)
            return max(lacking[name] / amount for name, amount in demand.requests.items())

        return min(demand.flavors, key=missing)

    def fits_without(self, others: Iterable[WorkloadState]) -> bool:
        """Tell whether there is room for it if these workloads give up their quota."""
        tree = self.cluster.tree
        with tree.simulation(), tree.without(list(others)):
            return all(
                any(not any(self.lacking(demand, flavor).values()) for flavor in demand.flavors)
                for demand in self.demands
            )

    @property
    def contested(self) -> tuple[FlavorResource, ...]:
        """The flavors and resources that it could use."""
        return tuple(
            (flavor, resource)
            for demand in self.demands
            for flavor in demand.flavors
            for resource in demand.requests
        )

    @property
    def tree_queues(self) -> list[str]:
        """The ClusterQueues of its cohort tree, its own among them."""
        if self.node is None:
            return []
        return self.cluster.tree.cluster_queues_in_tree(self.node.name)

    def holders(self) -> list[WorkloadState]:
        """Return the admitted workloads of the tree that hold what it could use."""
        wanted = set(self.contested)
        nodes = self.cluster.tree.cluster_queues
        return [
            state
            for name in self.tree_queues
            for state in nodes[name].workloads.values()
            if state.is_admitted and not state.is_evicted and wanted & state.usage.keys()
        ]

    def waiting(self) -> list[WorkloadState]:
        """Return the pending workloads of the tree, without this one."""
        queues = self.cluster.queues
        keys = [
            key
            for name in self.tree_queues
            for key in (*queues.pending_active(name), *queues.inadmissible(name))
        ]
        return [self.cluster.workloads[key] for key in keys if key != self.key]

    @property
    def topology_requests(self) -> list[tuple[PodSet, TopologyRequest]]:
        """Each pod set with what it asks of a topology."""
        return list(zip(self.state.obj.pod_sets, self.state.topology_requests, strict=True))

    # --- numbers ---------------------------------------------------------------------------

    def unit(self, resource: str) -> int:
        """Return an amount of which all quotas, limits and requests of the tree are multiples.

        What fits changes only at multiples of it.
        """
        if resource not in self._units:
            self._units[resource] = self._unit(resource)
        return self._units[resource]

    def _unit(self, resource: str) -> int:
        found = 0
        queues = self.cluster.tree.cluster_queues
        holders = [state for name in self.tree_queues for state in queues[name].workloads.values()]
        for state in holders:
            for fr, amount in state.usage.items():
                found = gcd(found, amount if fr[1] == resource else 0)
        for state in (*self.waiting(), self.state):
            partly = {pods.name for pods in state.obj.pod_sets if pods.min_count is not None}
            for asked in state.requests:
                amount = asked.requests.get(resource, 0)
                if asked.name in partly and asked.count:
                    # With partial admission it takes what some of its pods ask for.
                    amount //= asked.count
                found = gcd(found, amount)
        nodes: list[Any] = [queues[name] for name in self.tree_queues]
        nodes += self.cluster.tree.cohorts.values()
        for node in nodes:
            for fr, quota in node.quotas.items():
                if fr[1] == resource:
                    for value in (quota.nominal, quota.borrowing_limit, quota.lending_limit):
                        found = gcd(found, value if value and value < _NO_LIMIT else 0)
        return max(1, found)


def back_off_ends(state: WorkloadState, now: int) -> int | None:
    """Return when a workload that backs off is tried again, ``None`` if it doesn't."""
    until: int | None = backs_off_until(state)
    if until == NEVER:
        # Kueue says so until the back-off is over.
        until = None if state.requeue_state is None else state.requeue_state.requeue_at
    return until if until is not None and until > now else None


def _totals(state: WorkloadState) -> dict[str, int]:
    found: dict[str, int] = {}
    for asked in state.requests:
        for resource, amount in asked.requests.items():
            found[resource] = found.get(resource, 0) + amount
    return {name: amount for name, amount in found.items() if amount}
