"""How a cluster's state shows that it meets a known bug of Kueue, one function for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from kueuelab.model import Container, PodSet, PodSpec, TopologyAssignment, TopologyRequest
from kueuelab.quantity import Quantity
from kueuelab.simulation.adjust import LIMIT_RANGE_PROBLEM
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.admission_fair_sharing import usage_in
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.topology.feasible import Selection, feasible_leaves
from kueuelab.trace.attempt_message import SKIPPED
from kueuelab.workload import WorkloadState

__all__ = [
    "counts_pods_too_late",
    "excludes_an_input",
    "has_a_leader_without_node",
    "has_a_split_group",
    "has_limits_only",
    "has_smaller_pod_level",
    "is_a_spark_application",
    "is_admitted_though_rejected",
    "is_not_unconstrained",
    "is_reactivated",
    "is_unhealthy_without_quota",
    "keeps_domains",
    "shares_the_name_of_its_queue",
    "waits_for_a_limit_range",
]


def is_reactivated(plane: ControlPlane, state: WorkloadState) -> bool:
    """``Requeued`` stays ``False`` after a workload was activated again: no queue takes it."""
    requeued = state.conditions.get("Requeued")
    return (
        state.active
        and not state.has_quota_reservation
        and requeued is not None
        and requeued.status == "False"
        and requeued.reason.startswith("Deactivated")
    )


def waits_for_a_limit_range(plane: ControlPlane, state: WorkloadState) -> bool:
    """The LimitRange that refused it allows it now, and nothing makes Kueue look again."""
    reserved = state.conditions.get("QuotaReserved")
    if reserved is None or not reserved.message.startswith(LIMIT_RANGE_PROBLEM):
        return False
    _, queue = plane.queue_of(state)
    return queue is not None and obstacle(plane, state, queue.spec.namespace_selector) is None


def has_limits_only(plane: ControlPlane, state: WorkloadState) -> bool:
    """A container has a limit and no request, and a LimitRange has a default for requests."""
    defaults = {
        name
        for limit_range in plane.objects.limit_ranges_of(state.obj.metadata.namespace)
        for limit in limit_range.limits
        for name in limit.default_request
    }
    return bool(defaults) and any(
        name in defaults and name not in container.resources.requests
        for pod_set in plane.written(state).pod_sets
        for container in _containers(pod_set.template.spec)
        for name in container.resources.limits
    )


def keeps_domains(plane: ControlPlane, state: WorkloadState) -> bool:
    """All pods of a pod set are done, and their domains still count as used."""
    assigned = state.topology_assignments
    counts = {pod_set.name: pod_set.count for pod_set in state.obj.pod_sets}
    return any(
        pod.name in assigned and pod.count >= counts.get(pod.name, pod.count + 1)
        for pod in state.reclaimable_pods
    )


def has_smaller_pod_level(plane: ControlPlane, state: WorkloadState) -> bool:
    """The request of a pod as a whole is below that of its containers, which Kubernetes adds up."""
    for pod_set in plane.written(state).pod_sets:
        spec = pod_set.template.spec
        if spec.resources is None:
            continue
        for name, amount in spec.resources.requests.items():
            asked = [
                container.resources.requests[name].nano
                for container in spec.containers
                if name in container.resources.requests
            ]
            if sum(asked) > amount.nano:
                return True
    return False


def _containers(spec: PodSpec) -> tuple[Container, ...]:
    return (*spec.init_containers, *spec.containers)


def is_admitted_though_rejected(plane: ControlPlane, state: WorkloadState) -> bool:
    """It is admitted while a check of it is rejected."""
    checks = state.admission_checks.values()
    return state.is_admitted and any(check.state == "Rejected" for check in checks)


def shares_the_name_of_its_queue(plane: ControlPlane, state: WorkloadState) -> bool:
    """Candidates of LocalQueues of one name, in two namespaces, compare equal by usage."""
    queue = plane.objects.cluster_queues.get(state.cluster_queue)
    if not state.has_quota_reservation or queue is None or usage_in(plane, queue) is None:
        return False
    node = plane.tree.cluster_queues[queue.metadata.name]
    name = state.obj.queue_name
    return any(
        other.obj.queue_name == name and other.queue_key != state.queue_key
        for other in node.workloads.values()
    )


def is_unhealthy_without_quota(plane: ControlPlane, state: WorkloadState) -> bool:
    """Nodes of a pending workload are marked: it is admitted without a place."""
    return bool(state.unhealthy_nodes) and not state.has_quota_reservation


def excludes_an_input(plane: ControlPlane, state: WorkloadState) -> bool:
    """A resource is excluded and would be transformed: what it becomes is not charged either."""
    resources = plane.configuration.resources
    if not resources.exclude_resource_prefixes:
        return False
    inputs = {
        rule.input
        for rule in resources.transformations
        if rule.input.startswith(resources.exclude_resource_prefixes)
    }
    return any(inputs & _asked(pod_set) for pod_set in state.obj.pod_sets)


def _asked(pod_set: PodSet) -> set[str]:
    containers = _containers(pod_set.template.spec)
    return {
        name
        for container in containers
        for name, amount in container.resources.requests.items()
        if amount > Quantity(0)
    }


def has_a_split_group(plane: ControlPlane, state: WorkloadState) -> bool:
    """Pod sets of one group have others between them, and preemption mixes up their requests."""
    groups = [TopologyRequest.of(each.topology_request).group for each in state.obj.pod_sets]
    seen: set[str] = set()
    for one, other in pairwise(groups):
        if one is not None and one != other:
            seen.add(one)
        if other in seen:
            return True
    return False


def has_a_leader_without_node(plane: ControlPlane, state: WorkloadState) -> bool:
    """The domains of a group's leader have no node that takes it: only its workers were asked."""
    if state.admission is None or not state.topology_assignments:
        return False
    flavors = {each.name: each.flavors for each in state.admission.pod_set_assignments}
    return any(
        not _takes(plane, leader, state.topology_assignments[leader.name], flavors[leader.name])
        for leader in _leaders(state.obj.pod_sets)
        if leader.name in state.topology_assignments
    )


def _leaders(pod_sets: tuple[PodSet, ...]) -> Iterator[PodSet]:
    """Yield the leader of each group: the one of two that has fewer pods, or comes second."""
    groups: dict[str, list[PodSet]] = {}
    for each in pod_sets:
        name = TopologyRequest.of(each.topology_request).group
        if name is not None:
            groups.setdefault(name, []).append(each)
    for first, *others in groups.values():
        for second in others[:1]:
            yield first if second.count > first.count else second


def _takes(
    plane: ControlPlane, pod_set: PodSet, assigned: TopologyAssignment, flavors: Mapping[str, str]
) -> bool:
    """Tell whether each of its domains has a node that takes a pod."""
    for name in set(flavors.values()):
        known, flavor = plane.forest.flavors.get(name), plane.objects.flavors.get(name)
        if known is None or flavor is None:
            continue
        pod = pod_set.template.spec
        selection = Selection.of(pod, flavor_tolerations=flavor.tolerations)
        tree = known.tree
        feasible = feasible_leaves(tree, selection).scores
        for domain in assigned.domains:
            leaves = [each for each in tree.leaves if _lies_in(each.values, domain.values)]
            if leaves and not any(each.position in feasible for each in leaves):
                return False
    return True


def _lies_in(leaf: tuple[str, ...], domain: tuple[str, ...]) -> bool:
    """Tell whether a leaf is in a domain, of which an assignment may have only the hostname."""
    return leaf[: len(domain)] == domain or leaf[-len(domain) :] == domain


def counts_pods_too_late(plane: ControlPlane, state: WorkloadState) -> bool:
    """Its targets are chosen without regard to the quota for pods, so that they free too little."""
    reserved = state.conditions.get("QuotaReserved")
    if state.has_quota_reservation or reserved is None or not reserved.message.startswith(SKIPPED):
        return False
    _, queue = plane.queue_of(state)
    if queue is None or queue.spec.preemption.within_cluster_queue == "Never":
        return False
    node = plane.tree.cluster_queues[queue.spec.metadata.name]
    group = node.resource_group("pods")
    wanted = sum(each.count for each in state.requests)
    return group is not None and all(
        node.available((flavor.name, "pods")) < wanted for flavor in group.flavors
    )


def is_a_spark_application(plane: ControlPlane, state: WorkloadState) -> bool:
    """Less is reserved than Spark asks for: cores and the overhead of memory do not count."""
    owners = state.obj.metadata.owner_references
    return any(owner.kind == "SparkApplication" for owner in owners)


def is_not_unconstrained(plane: ControlPlane, state: WorkloadState) -> bool:
    """An unconstrained topology is asked for with "false": Kueue takes it, and can't place it."""
    return not state.has_quota_reservation and any(
        request.unconstrained is False and request.required is request.preferred is None
        for request in (TopologyRequest.of(each.topology_request) for each in state.obj.pod_sets)
    )
