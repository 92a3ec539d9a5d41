"""What must hold of where pods are placed, at every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import TypeAlias

from kueuelab.model import Node, TopologyAssignment, request_amount
from kueuelab.model.topology import HOSTNAME
from kueuelab.simulation import Cluster
from kueuelab.simulation.tas_pods import takes_room
from kueuelab.workload import WorkloadState
from kueuelab.workload.requests import pod_requests

__all__ = ["PlacementWatch", "misplaced"]


#: A workload and one of its pod sets.
_PodSet: TypeAlias = tuple[str, str]

#: A node and a resource.
_Place: TypeAlias = tuple[str, str]


class PlacementWatch:
    """Looks at a cluster before and after each cycle, and remembers what explains a place.

    Kueue itself leaves the rules in two cases, and the watch says nothing then:

    - It replaces the pods of a failed node pod set by pod set, each in the domain of its other
      pods. A pod set without other pods goes anywhere, also away from the rest of its group.
    - It compares each pod set of an entry, without the pods themselves, with what earlier entries
      of the cycle left on a node. So several entries of one cycle may put too many pods on it; if
      one of them puts two pod sets there, also too much of a resource.

    Otherwise nodes may be too full only if they, or pods outside of Kueue, changed.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: object = None
        self._excess: dict[_Place, int] = {}
        self._hosts: dict[_PodSet, Counter[str]] = {}
        self._apart: set[_PodSet] = set()

    def look(self) -> list[str]:
        """Return what is wrong now."""
        cluster = self._cluster
        hosts = {
            (state.key, name): _by_node(assignment)
            for state in _placed(cluster)
            for name, assignment in state.topology_assignments.items()
        }
        self._apart = (self._apart | self._replaced_whole(hosts)) & hosts.keys()
        found = list(misplaced(cluster, self._apart))
        known = (dict(cluster.objects.nodes), dict(cluster.objects.pods))
        excess = {place: more for place, more in _excess(cluster) if more > 0}
        if known == self._known:
            found += [
                f"node {place[0]} holds {more} too much {place[1]}"
                for place, more in excess.items()
                if more > self._excess.get(place, 0) and not self._overlooked(place, more, hosts)
            ]
        self._known, self._excess, self._hosts = known, excess, hosts
        return found

    def _replaced_whole(self, hosts: Mapping[_PodSet, Counter[str]]) -> set[_PodSet]:
        """Return the pod sets all of whose pods were on one host, and are on others now."""
        return {
            pod_set
            for pod_set, before in self._hosts.items()
            if len(before) == 1 and before.keys().isdisjoint(hosts.get(pod_set, before))
        }

    def _overlooked(
        self, place: _Place, excess: int, hosts: Mapping[_PodSet, Counter[str]]
    ) -> bool:
        """Tell whether several entries of the last cycle explain the excess.

        Each of their pod sets alone has to fit into what was there before.
        """
        node, resource = place
        added = {
            pod_set: pods[node] - self._hosts.get(pod_set, Counter())[node]
            for pod_set, pods in hosts.items()
            if pods[node] > self._hosts.get(pod_set, Counter())[node]
        }
        entries = Counter(key for key, _ in added)
        if len(entries) < 2:
            return False
        if resource == "pods":
            return True
        amounts = [
            count * self._cluster.workloads[key].pod_amounts[name].get(resource, 0)
            for (key, name), count in added.items()
        ]
        return max(entries.values()) > 1 and excess - sum(amounts) + max(amounts) <= 0


def misplaced(cluster: Cluster, apart: Container[_PodSet] = ()) -> Iterator[str]:
    """Yield what is wrong with the places of admitted workloads.

    Parameters
    ----------
    cluster
        The cluster.
    apart
        Workloads and pod sets that may be in another domain than the rest of their group: all
        their pods were replaced.

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
                is_apart = request.group is None or (state.key, pod_set.name) in apart
                group = pod_set.name if is_apart else request.group or pod_set.name
                groups.setdefault(group, set()).update(domains)
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
