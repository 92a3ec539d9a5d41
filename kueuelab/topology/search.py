"""What is sought for one group of pods in a flavor: derived once, however often it is sought."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from kueuelab.model import SliceLayer
from kueuelab.topology.capacity import PodShape
from kueuelab.topology.feasible import Selection
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.level import Group
from kueuelab.topology.request import PlacementRequest, PlacementRules

__all__ = ["NOTHING_WANTED", "GroupSearch", "Wanted", "inner_sizes", "searches"]

_NO_GROUP: Final = Group(0, 0, 1, 0, (), (), 0, False, False, False)


@dataclass(frozen=True, slots=True)
class GroupSearch:
    """A group of pod sets of one flavor, in terms of its levels.

    Attributes
    ----------
    members
        The pod sets, as the workload has them.
    workers, leader
        The one with more pods, and the other one, if any.
    obstacle
        Kueue's message, if the group can't be sought at all.
    group
        What is sought.
    shape, shape_if_empty
        How its pods count, and how they do if workloads use nothing.
    key
        What decides, beside the free capacity, what is found.
    """

    flavor: TopologyFlavor
    rules: PlacementRules
    members: tuple[PlacementRequest, ...]
    workers: PlacementRequest
    leader: PlacementRequest | None
    obstacle: str
    group: Group
    shape: PodShape
    shape_if_empty: PodShape
    key: Hashable
    _selection: Selection
    _without_preferences: Selection

    @classmethod
    def of(
        cls, flavor: TopologyFlavor, rules: PlacementRules, members: Sequence[PlacementRequest]
    ) -> GroupSearch:
        """Return what is sought for one pod set, or for a leader and its workers."""
        workers, leader = _workers_and_leader(members)
        node_selector, tolerations, conflict = workers.node_selector_and_tolerations()
        group = _group(flavor.levels, workers, leader, rules)
        obstacle = group if isinstance(group, str) else ""
        if conflict:
            obstacle = f"invalid podSetUpdate for PodSet {workers.pod_set}, error: {conflict}"
        if isinstance(group, str):
            group = _NO_GROUP
        shape = PodShape(
            workers.room,
            None if leader is None else leader.room,
            group.slice_size,
            group.slice_level,
            group.inner_sizes,
        )
        selection = Selection()
        if flavor.assigns_nodes:
            selection = Selection(
                tuple(sorted(node_selector.items())),
                workers.pod.required_node_affinity,
                workers.pod.preferred_node_affinity if rules.by_preference else (),
                (*tolerations, *flavor.tolerations),
            )
        return cls(
            flavor,
            rules,
            tuple(members),
            workers,
            leader,
            obstacle,
            group,
            shape,
            shape._replace(empty=True),
            (group, rules, workers.pod_set, None if leader is None else leader.pod_set),
            selection,
            selection._replace(preferred=()),
        )

    def selection(self, uid: str) -> Selection:
        """Return what the pods of a workload ask of their nodes.

        Kueue keeps which nodes match a pod set for the rest of the cycle, but not what they are
        worth to it: only the first look at a pod set respects its preferences.
        """
        rules = self.rules
        if not (rules.by_preference and rules.keeps_matches and uid and self.flavor.assigns_nodes):
            return self._selection
        looked = (uid, self.workers.pod_set)
        if looked in self.flavor.matched:
            return self._without_preferences
        self.flavor.matched.add(looked)
        return self._selection


#: What a workload seeks: by flavor, group by group.
Wanted: TypeAlias = tuple[GroupSearch, ...]

#: No pod set needs a place.
NOTHING_WANTED: Final[Wanted] = ()


def searches(
    flavors: Mapping[str, TopologyFlavor],
    wanted: Mapping[str, Sequence[PlacementRequest]],
    rules: PlacementRules,
) -> Wanted:
    """Return what is sought for pod sets, which are given by flavor, in the order of the search."""
    found: list[GroupSearch] = []
    for name in sorted(wanted):
        groups: dict[str, list[PlacementRequest]] = {}
        for index, each in enumerate(wanted[name]):
            groups.setdefault(each.request.group or f"#{index}", []).append(each)
        found += (GroupSearch.of(flavors[name], rules, members) for members in groups.values())
    return tuple(found)


def _workers_and_leader(
    group: Sequence[PlacementRequest],
) -> tuple[PlacementRequest, PlacementRequest | None]:
    """Return the two pod sets of a group: the leader's has fewer pods, or comes second."""
    if len(group) == 1:
        return group[0], None
    first, second = group[0], group[1]
    return (second, first) if second.count > first.count else (first, second)


def _group(
    levels: tuple[str, ...],
    workers: PlacementRequest,
    leader: PlacementRequest | None,
    rules: PlacementRules,
) -> Group | str:
    """Return what is asked for in terms of these levels, or why it can't be."""
    request = workers.request
    slices = request.slices
    size = slices[0].size if slices else 1
    if size <= 0:
        return "slice topology requested, but slice size not provided"
    level = workers.level(levels)
    if level is None:
        return "topology level not specified"
    if level not in levels:
        return f"no requested topology level: {level}"
    slice_level = slices[0].level if slices else levels[-1]
    if slice_level not in levels:
        return f"no requested topology level for slices: {slice_level}"
    if levels.index(level) > levels.index(slice_level):
        return f"podset slice topology {slice_level} is above the podset topology {level}"
    inner = inner_sizes(levels, slices) if rules.in_layers else ()
    if isinstance(inner, str):
        return inner
    return Group(
        pods=workers.count,
        leaders=0 if leader is None else 1,
        slice_size=size,
        slice_level=levels.index(slice_level),
        inner_sizes=inner,
        layers=slices if inner else (),
        level=levels.index(level),
        required=request.required is not None,
        unconstrained=workers.is_unconstrained,
        least_free=workers.is_unconstrained and rules.mixed_profile,
    )


def inner_sizes(
    levels: tuple[str, ...], layers: tuple[SliceLayer, ...]
) -> tuple[tuple[int, int], ...] | str:
    """Return the slice size at each level below the outermost layer, or what is wrong."""
    sizes: dict[int, int] = {}
    for outer, inner in pairwise(layers):
        if inner.level not in levels:
            return f"no requested topology level for additional slice layer: {inner.level}"
        above, at = levels.index(outer.level), levels.index(inner.level)
        if at <= above:
            return (
                f"additional slice layer topology {inner.level} "
                f"must be at a lower level than {outer.level}"
            )
        if outer.size % inner.size != 0:
            return (
                f"additional slice layer size {inner.size} "
                f"must evenly divide parent layer size {outer.size}"
            )
        sizes.update(dict.fromkeys(range(above + 1, at + 1), inner.size))
    return tuple(sizes.items())
