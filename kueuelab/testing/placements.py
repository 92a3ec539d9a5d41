"""What must hold of where pods are placed, at every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from kueuelab.model import Node, TopologyAssignment, request_amount
from kueuelab.model.topology import HOSTNAME
from kueuelab.simulation import Cluster
from kueuelab.simulation.tas_pods import takes_room
from kueuelab.workload import WorkloadState
from kueuelab.workload.requests import pod_requests

__all__ = ["PlacementWatch", "misplaced"]


class PlacementWatch:
    """Looks at a cluster again and again: nodes may be too full only if they or pods changed."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: object = None
        self._excess: dict[tuple[str, str], int] = {}

    def look(self) -> list[str]:
        """Return what is wrong now."""
        cluster = self._cluster
        found = list(misplaced(cluster))
        known = (dict(cluster.objects.nodes), dict(cluster.objects.pods))
        excess = {place: more for place, more in _excess(cluster) if more > 0}
        if known == self._known:
            found += [
                f"node {node} holds {more} too much {resource}"
                for (node, resource), more in excess.items()
                if more > self._excess.get((node, resource), 0)
            ]
        self._known, self._excess = known, excess
        return found


def misplaced(cluster: Cluster) -> Iterator[str]:
    """Yield what is wrong with the places of admitted workloads.

    Examples
    --------
    >>> list(misplaced(Cluster()))
    []
    """
    nodes = cluster.objects.nodes
    for state in _placed(cluster):
        groups: dict[str, set[str]] = {}
        for index, pod_set in enumerate(state.obj.pod_sets):
            assignment = state.topology_assignments.get(pod_set.name)
            if assignment is None:
                continue
            request = state.topology_requests[index]
            counts = _by_node(assignment)
            if assignment.pods != _admitted_pods(state, pod_set.name):
                yield f"{state.key} {pod_set.name}: {assignment.pods} pods are placed"
            if request.required is not None:
                domains = _by_domain(counts, nodes, request.required)
                groups.setdefault(request.group or pod_set.name, set()).update(domains)
            for layer in request.slices:
                for domain, count in _by_domain(counts, nodes, layer.level).items():
                    if count % layer.size:
                        yield (
                            f"{state.key} {pod_set.name}: {count} pods in {domain}, "
                            f"slices are of {layer.size}"
                        )
        for group, used in groups.items():
            if len(used) > 1:
                yield f"{state.key} {group}: one domain is required, {sorted(used)} are used"


def _placed(cluster: Cluster) -> Iterator[WorkloadState]:
    for state in cluster.workloads.values():
        if state.admission is not None and state.active and not state.is_finished:
            yield state


def _admitted_pods(state: WorkloadState, pod_set: str) -> int:
    assert state.admission is not None
    return sum(a.count or 0 for a in state.admission.pod_set_assignments if a.name == pod_set)


def _by_node(assignment: TopologyAssignment) -> Counter[str]:
    found: Counter[str] = Counter()
    if assignment.levels and assignment.levels[-1] == HOSTNAME:
        for domain in assignment.domains:
            found[domain.values[-1]] += domain.count
    return found


def _by_domain(counts: Counter[str], nodes: Mapping[str, Node], level: str) -> Counter[str]:
    """Return the pods in each domain of a level; where nodes are gone that is not known."""
    found: Counter[str] = Counter()
    if all(name in nodes for name in counts):
        for name, count in counts.items():
            found[nodes[name].metadata.labels.get(level, "")] += count
    return found


def _excess(cluster: Cluster) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield how much more of each resource is used on a node than it has."""
    used: dict[str, Counter[str]] = {}
    for state in _placed(cluster):
        requests = {each.name: each for each in state.requests}
        for name, assignment in state.topology_assignments.items():
            pods = requests[name]
            for host, count in _by_node(assignment).items():
                at = used.setdefault(host, Counter())
                at["pods"] += count
                for resource, amount in pods.requests.items():
                    at[resource] += amount // max(pods.count, 1) * count
    for pod in cluster.objects.pods.values():
        if takes_room(pod):
            at = used.setdefault(pod.node_name, Counter())
            at["pods"] += 1
            for resource, quantity in pod_requests(pod.spec).items():
                at[resource] += request_amount(resource, quantity)
    for name, node in cluster.objects.nodes.items():
        for resource, quantity in node.allocatable.items():
            has = request_amount(resource, quantity)
            yield (name, resource), used.get(name, Counter())[resource] - has
