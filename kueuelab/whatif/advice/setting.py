"""What rules look at: queues and cohorts as a tree, workloads with their queues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Apply, Submit
from kueuelab.model import (
    ClusterQueue,
    Cohort,
    FlavorResource,
    LocalQueue,
    ModelObject,
    Namespace,
    ResourceFlavor,
    Workload,
)
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.placement import flavor_mismatch
from kueuelab.whatif.references import ObjectIndex, Reference
from kueuelab.workload import WorkloadState

__all__ = ["Setting", "local_queue_key"]


class Setting:
    """Everything that a scenario ever has, at its start or later.

    Attributes
    ----------
    configuration
        Kueue's Configuration.
    queues, cohorts, local_queues, flavors
        By name or key.
    workloads
        In the order in which they come.
    objects
        All objects, in the order in which they come.
    present
        What there is, with what the cluster has already.
    tree
        The quota tree, with nothing in use.
    """

    def __init__(self, spec: ScenarioSpec, existing: Iterable[ModelObject] = ()) -> None:
        index = ObjectIndex(spec.manifests)
        for action in spec.timeline:
            if isinstance(action, Submit | Apply):
                found = action.workloads if isinstance(action, Submit) else action.objects
                for obj in found:
                    index.put(obj)
        self.objects = tuple(index)
        self.present = {Reference.of(obj) for obj in (*existing, *self.objects)}
        self.configuration = spec.configuration
        self.queues = {o.name: o for o in index if isinstance(o, ClusterQueue)}
        self.cohorts = {o.name: o for o in index if isinstance(o, Cohort)}
        self.local_queues = {Reference.of(o).key: o for o in index if isinstance(o, LocalQueue)}
        self.flavors = {o.metadata.name: o for o in index if isinstance(o, ResourceFlavor)}
        self.namespaces = {o.metadata.name: o for o in index if isinstance(o, Namespace)}
        self.workloads = [o for o in index if isinstance(o, Workload)]
        self.tree = QuotaTree()
        with self.tree.growing():
            for cohort in self.cohorts.values():
                self.tree.set_cohort(cohort)
            for queue in self.queues.values():
                self.tree.set_cluster_queue(queue)

    def has_cycle(self, queue: str) -> bool:
        """Tell whether the cohorts above a queue form a cycle: nothing else is worth saying."""
        return self.tree.in_cycle(queue)

    def is_used(self, queue: ClusterQueue) -> bool:
        """Tell whether workloads can get into a queue at all."""
        if queue.namespace_selector is None:
            return False
        return any(each.cluster_queue == queue.name for each in self.local_queues.values())

    def neighbours(self, queue: ClusterQueue) -> list[str]:
        """Return the other ClusterQueues of the cohort tree."""
        if self.has_cycle(queue.name):
            return []
        return [name for name in self.tree.cluster_queues_in_tree(queue.name) if name != queue.name]

    def queue_of(self, workload: Workload) -> ClusterQueue | None:
        """Return the ClusterQueue that a workload queues for, if it is there."""
        local_queue = self.local_queues.get(local_queue_key(workload))
        return None if local_queue is None else self.queues.get(local_queue.cluster_queue)

    def quotas(self, queue: ClusterQueue | Cohort) -> Iterator[tuple[str, FlavorResource]]:
        """Yield the path and the flavor and resource of each quota."""
        for index, group in enumerate(queue.resource_groups):
            for place, flavor in enumerate(group.flavors):
                for number, quota in enumerate(flavor.resources):
                    path = f"spec.resourceGroups[{index}].flavors[{place}].resources[{number}]"
                    yield path, (flavor.name, quota.name)

    def never_fits(self, workload: Workload, queue: ClusterQueue) -> tuple[str, int, int] | None:
        """Return the resource of which a workload asks for more than its queue could ever use.

        With what it asks for, and the most that could be used of a flavor that suits.
        """
        node = self.tree.cluster_queues[queue.name]
        state = WorkloadState(workload, self.configuration.resources)
        for resource, amount in _least_requested(state).items():
            group = node.resource_group(resource)
            if group is None:
                continue
            suiting = [f.name for f in group.flavors if self._suits(f.name, workload)]
            most = max((node.potential_available((n, resource)) for n in suiting), default=None)
            if most is not None and amount > most:
                return resource, amount, most
        return None

    def _suits(self, name: str, workload: Workload) -> bool:
        flavor = self.flavors.get(name)
        if flavor is None:
            return True
        return not any(flavor_mismatch(flavor, pods.template.spec) for pods in workload.pod_sets)


def local_queue_key(workload: Workload) -> str:
    """Return the key of the LocalQueue that a workload names."""
    return f"{Reference.of(workload).namespace}/{workload.queue_name}"


def _least_requested(state: WorkloadState) -> dict[str, int]:
    """Return what a workload asks for in all, with as few pods as it can be admitted with."""
    minimum = {pods.name: pods.min_count for pods in state.obj.pod_sets}
    found: dict[str, int] = {}
    for asked in state.requests:
        least = minimum.get(asked.name)
        scaled = asked if least is None else asked.scaled_to(least)
        for resource, amount in scaled.requests.items():
            found[resource] = found.get(resource, 0) + amount
    return found
