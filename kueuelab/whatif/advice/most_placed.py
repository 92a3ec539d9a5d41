"""How many pods or slices have a place at most: on nodes where nothing else runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kueuelab.model import Node, PodSet, Workload, request_amount
from kueuelab.model.topology import SliceLayer, TopologyRequest
from kueuelab.topology.search import inner_sizes
from kueuelab.workload.requests import pod_requests

__all__ = ["PlacedTogether", "most_placed", "placed_together"]


@dataclass(frozen=True, slots=True)
class PlacedTogether:
    """A pod set, and the one with its leader if both are of one group.

    Attributes
    ----------
    workers, leader
        The pod sets.
    request
        What is asked of the topology.
    """

    workers: PodSet
    leader: PodSet | None
    request: TopologyRequest

    @property
    def least(self) -> int:
        """How many slices have to be placed; without slices, each pod is one."""
        workers = self.workers
        pods = workers.count if workers.min_count is None else workers.min_count
        return pods // self.size

    @property
    def size(self) -> int:
        """The number of pods of a slice."""
        slices = self.request.slices
        return max(1, slices[0].size) if slices else 1


def placed_together(workload: Workload) -> Iterator[PlacedTogether]:
    """Yield what of a workload is placed together."""
    groups: dict[str, list[PodSet]] = {}
    for index, pod_set in enumerate(workload.pod_sets):
        group = TopologyRequest.of(pod_set.topology_request).group
        groups.setdefault(f"#{index}" if group is None else group, []).append(pod_set)
    for members in groups.values():
        leader, workers = None, members[0]
        if len(members) > 1:
            # As many pods each: the second one is the leader.
            workers, leader = sorted(members[:2], key=lambda each: -each.count)
        yield PlacedTogether(workers, leader, TopologyRequest.of(workers.topology_request))


def most_placed(nodes: Iterable[Node], levels: tuple[str, ...], wanted: PlacedTogether) -> int:
    """Return how many slices have room in one domain of the required level, beside the leader.

    Without a required level, all domains count as one.
    """
    slices = wanted.request.slices
    slice_level = slices[0].level if slices else levels[-1]
    required = wanted.request.required
    if slice_level not in levels or (required is not None and required not in levels):
        return 0
    if isinstance(inner_sizes(levels, slices), str):
        return 0  # Kueue rejects the layers within the slices.
    depth = levels.index(slice_level) + 1
    wide = 0 if required is None else min(depth, levels.index(required) + 1)
    below: defaultdict[tuple[str, ...], list[Node]] = defaultdict(list)
    for node in nodes:
        below[tuple(node.metadata.labels[each] for each in levels[:depth])].append(node)
    domains: defaultdict[tuple[str, ...], list[tuple[int, int | None]]] = defaultdict(list)
    for values, members in below.items():
        domains[values[:wide]].append(_slices(members, levels, wanted))
    return max((_beside_leader(parts, wanted) for parts in domains.values()), default=0)


def _beside_leader(parts: Sequence[tuple[int, int | None]], wanted: PlacedTogether) -> int:
    """Return how many slices fit in all, with the leader where it costs the least."""
    total = sum(fits for fits, _ in parts)
    if wanted.leader is None:
        return total
    return max((total - fits + beside for fits, beside in parts if beside is not None), default=0)


def _slices(
    nodes: Sequence[Node], levels: Sequence[str], wanted: PlacedTogether
) -> tuple[int, int | None]:
    """Return how many slices fit into a domain, and how many beside the leader if it fits."""
    pod = _amounts(wanted.workers)
    if wanted.leader is None:
        return _in_layers(nodes, levels, wanted.request.slices[1:], pod) // wanted.size, None
    room = [_holds(node) for node in nodes]
    fits = [_times(each, pod) for each in room]
    total = sum(fits)
    leader = _amounts(wanted.leader)
    lost = [
        pods - _times({name: held - leader.get(name, 0) for name, held in each.items()}, pod)
        for each, pods in zip(room, fits, strict=True)
        if _times(each, leader)
    ]
    return total // wanted.size, (total - min(lost)) // wanted.size if lost else None


def _in_layers(
    nodes: Sequence[Node],
    levels: Sequence[str],
    layers: Sequence[SliceLayer],
    pod: Mapping[str, int],
) -> int:
    """Return how many pods fit in whole slices of all layers."""
    if not layers:
        return sum(_times(_holds(node), pod) for node in nodes)
    depth, size = levels.index(layers[0].level) + 1, layers[0].size
    inside: defaultdict[tuple[str, ...], list[Node]] = defaultdict(list)
    for node in nodes:
        inside[tuple(node.metadata.labels[each] for each in levels[:depth])].append(node)
    pods = (_in_layers(members, levels, layers[1:], pod) for members in inside.values())
    return sum(each // size * size for each in pods)


def _amounts(pod_set: PodSet) -> dict[str, int]:
    requested = pod_requests(pod_set.template.spec).items()
    amounts = {name: request_amount(name, quantity) for name, quantity in requested}
    return {**amounts, "pods": 1}


def _holds(node: Node) -> dict[str, int]:
    return {name: request_amount(name, each) for name, each in node.allocatable.items()}


def _times(held: Mapping[str, int], requests: Mapping[str, int]) -> int:
    return min(held.get(name, 0) // amount for name, amount in requests.items() if amount)
