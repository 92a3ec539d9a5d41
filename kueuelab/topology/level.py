"""The level at which the pods of a group share a domain, and the domains that take them.

See https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ and KEP-2724.
"""

from __future__ import annotations

from typing import NamedTuple

from kueuelab.model import SliceLayer
from kueuelab.topology.capacity import Capacity
from kueuelab.topology.order import Units, best_fit, by_room, by_room_beside_leader, leader_first
from kueuelab.topology.tree import TopologyTree

__all__ = ["Found", "Group", "find_domains"]


class Group(NamedTuple):
    """The pods that are placed together.

    Attributes
    ----------
    pods, leaders
        How many workers and leaders.
    slice_size, slice_level
        The outermost slices; a pod is one, in a leaf, without slices.
    inner_sizes
        Level to the size of the slices within a domain of that level.
    layers
        The layers of slices as they were asked for, if there are several.
    level
        Where a domain is sought first.
    required
        Whether all pods must share a domain of that level.
    unconstrained
        Whether any domains will do.
    least_free
        Whether domains with the least room go first, in place of best fit.
    """

    pods: int
    leaders: int
    slice_size: int
    slice_level: int
    inner_sizes: tuple[tuple[int, int], ...]
    layers: tuple[SliceLayer, ...]
    level: int
    required: bool
    unconstrained: bool
    least_free: bool

    @property
    def slices(self) -> int:
        """The number of slices."""
        return self.pods // self.slice_size


class Found(NamedTuple):
    """The domains that take a group, or how many of its slices fit where it does not."""

    level: int
    domains: tuple[int, ...] = ()
    fitting: int = 0
    reason: str = ""

    @property
    def fits(self) -> bool:
        """Whether there are domains for the whole group."""
        return bool(self.domains)


def find_domains(
    tree: TopologyTree, capacity: Capacity, group: Group, *, by_preference: bool
) -> Found:
    """Find one domain for all pods, or where that is only preferred, several.

    Parameters
    ----------
    by_preference
        The feature gate ``TASRespectNodeAffinityPreferred``: the first domain may not be the one
        with the most room.
    """
    level = group.level
    while True:
        if not tree.values[level]:
            return Found(level, reason=f"no topology domains at level: {tree.levels[level]}")
        found = _at_level(tree, capacity, group, level, by_preference=by_preference)
        if found is not None:
            return found
        level -= 1


def _at_level(
    tree: TopologyTree, capacity: Capacity, group: Group, level: int, *, by_preference: bool
) -> Found | None:
    """Return the domains at a level, or what fits; ``None`` if the level above may do."""
    every = range(len(tree.values[level]))
    ordered = by_room_beside_leader(capacity, level, every, least_free=group.least_free)
    units = Units.slices(capacity, level, group.slice_size)

    slices, leaders = group.slices, group.leaders
    room = units.beside_leader if leaders else units.fit

    def takes_all(domain: int) -> bool:
        return room[domain] >= slices and units.leaders[domain] >= leaders

    if group.least_free:
        whole = next((domain for domain in ordered if takes_all(domain)), None)
        if whole is not None:
            return Found(level, (whole,))
        if group.required:
            return Found(level, fitting=capacity.pods[level][ordered[-1]])
    elif takes_all(ordered[0]):
        return Found(level, (best_fit(units, ordered, group.slices, group.leaders),))
    if group.required:
        rest = range(1, len(ordered)) if by_preference else ()
        place = next((place for place in rest if takes_all(ordered[place])), None)
        if place is None:
            return Found(level, fitting=units.fit[ordered[0]])
        return Found(level, (best_fit(units, ordered[place:], group.slices, group.leaders),))
    if level > 0 and not group.unconstrained:
        return None
    return _several(capacity, group, level, units, ordered)


def _several(
    capacity: Capacity, group: Group, level: int, units: Units, ordered: list[int]
) -> Found:
    """Return as many domains as the group needs: first those of leaders, then by room."""
    ordered = leader_first(units, ordered, group.slices, group.leaders)
    chosen: list[int] = []
    slices, leaders, place = group.slices, group.leaders, 0
    while leaders > 0 and place < len(ordered) and units.leaders[ordered[place]] > 0:
        domain = ordered[place]
        if not group.least_free and units.beside_leader[domain] >= slices:
            domain = best_fit(units, ordered[place:], slices, leaders)
        chosen.append(domain)
        leaders -= units.leaders[domain]
        slices -= units.beside_leader[domain]
        place += 1
    if leaders > 0:
        return Found(level, fitting=group.leaders - leaders)
    rest = by_room(capacity, level, ordered[place:], least_free=group.least_free)
    for place, domain in enumerate(rest):
        if slices <= 0:
            break
        if not group.least_free and units.fit[domain] >= slices:
            domain = best_fit(units, rest[place:], slices, 0)
        chosen.append(domain)
        slices -= units.fit[domain]
    if slices > 0:
        return Found(level, fitting=group.slices - slices)
    return Found(level, tuple(chosen))
