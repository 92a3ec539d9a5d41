"""Room for the pods of a workload in the domains of the level that it requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kueuelab.topology import PlacementRequest, TopologyFlavor
from kueuelab.topology.capacity import Capacity, PodShape
from kueuelab.topology.feasible import Selection, feasible_leaves
from kueuelab.topology.search import inner_sizes
from kueuelab.topology.tree import domain_id
from kueuelab.whatif.subject import Subject

__all__ = ["DomainRoom", "domain_rooms"]


@dataclass(frozen=True, slots=True)
class DomainRoom:
    """A pod set that requires one domain of a level, and a flavor that has quota for it.

    Attributes
    ----------
    flavor
        The flavor, with its tree of domains.
    level
        The level that is required.
    least
        The number of pods that have to be placed.
    requests
        What one pod requests.
    """

    flavor: TopologyFlavor
    level: str
    least: int
    requests: Mapping[str, int]
    _shape: PodShape
    _selection: Selection

    @property
    def _capacity(self) -> Capacity:
        return self.flavor.capacity(self._shape, self._selection)

    @property
    def best(self) -> tuple[str, int]:
        """The domain that has room for the most pods, and for how many; in whole slices."""
        slices = self._capacity.slices[self._at]
        position = max(range(len(slices)), key=lambda each: (slices[each], -each))
        return self._names[position], slices[position] * self._shape.slice_size

    @property
    def is_enough(self) -> bool:
        """Whether a domain has room for all pods, in whole slices."""
        needed = self.least // self._shape.slice_size
        return max(self._capacity.slices[self._at], default=0) >= needed

    def free(self, resource: str) -> dict[str, int]:
        """Return what is free of a resource in each domain, on nodes that take the pods."""
        tree = self.flavor.tree
        takes = feasible_leaves(tree, self._selection).scores
        found: dict[str, int] = {}
        for position, name in enumerate(self._names):
            leaves = [
                tree.leaves[each] for each in tree.leaves_below(self._at, position) if each in takes
            ]
            found[name] = sum(max(0, leaf.remaining(resource)) for leaf in leaves)
        return found

    @property
    def tightest(self) -> str | None:
        """The resource of which the pods need the largest part of what is free in all.

        ``None`` if all that is free would not do for them either.
        """
        parts: dict[str, float] = {}
        for resource, amount in self.requests.items():
            total = sum(self.free(resource).values())
            if amount * self.least > total:
                return None
            if amount:
                parts[resource] = amount * self.least / total
        return max(sorted(parts), key=parts.__getitem__, default=None)

    @property
    def _at(self) -> int:
        return self.flavor.levels.index(self.level)

    @property
    def _names(self) -> list[str]:
        """The domains' own label values; all of them for one whose own another has, too."""
        domains = self.flavor.tree.values[self._at]
        often = Counter(values[-1] for values in domains)
        return [values[-1] if often[values[-1]] == 1 else domain_id(values) for values in domains]


def domain_rooms(subject: Subject) -> Iterator[DomainRoom]:
    """Yield each pod set that requires one domain, with each flavor that has quota for it."""
    state, forest = subject.state, subject.cluster.plane.forest
    if not state.asks_for_topology or subject.node is None:
        return
    names = _flavors_with_quota(subject)
    # Domains are derived from the nodes as a scheduling cycle begins.
    forest.begin_cycle()
    asked = {each.name: each.count for each in state.requests}
    for pod_set, request in subject.topology_requests:
        for name in names:
            flavor, level = forest.flavors[name], request.required
            if level is None or level not in flavor.levels or not flavor.tree.leaves:
                continue
            count = asked.get(pod_set.name, pod_set.count)
            requests = state.pod_amounts[pod_set.name]
            wanted = PlacementRequest(
                pod_set.name, name, request, pod_set.template.spec, requests, count
            )
            yield DomainRoom(
                flavor,
                level,
                count if pod_set.min_count is None else min(count, pod_set.min_count),
                requests,
                _shape(wanted, flavor.levels),
                Selection.of(wanted.pod, flavor_tolerations=flavor.tolerations),
            )


def _shape(wanted: PlacementRequest, levels: tuple[str, ...]) -> PodShape:
    """Return how pods count: one by one, or in the slices that they ask for."""
    slices = wanted.request.slices
    inner = inner_sizes(levels, slices)
    if not slices or slices[0].size < 2 or slices[0].level not in levels or isinstance(inner, str):
        return PodShape(wanted.room, slice_level=len(levels) - 1)
    at = levels.index(slices[0].level)
    return PodShape(wanted.room, slice_size=slices[0].size, slice_level=at, inner_sizes=inner)


def _flavors_with_quota(subject: Subject) -> list[str]:
    """Return the flavors with a topology that have quota for all that is asked of them."""
    known = subject.cluster.plane.forest.flavors
    fitting = [
        [name for name in demand.flavors if not any(subject.lacking(demand, name).values())]
        for demand in subject.demands
    ]
    if not all(fitting):
        return []
    return list(dict.fromkeys(name for names in fitting for name in names if name in known))
