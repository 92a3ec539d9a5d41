"""Placing one group of pods: workers, perhaps with a leader.

Phase 1 counts what fits into each domain, from the leaves up. Phase 2 finds the domains that take
the group, and goes down from them level by level with as few domains as possible (KEP-2724).
"""

from __future__ import annotations

from typing import NamedTuple

from kueuelab.model import TopologyAssignment, TopologyDomain
from kueuelab.topology.balanced import balance
from kueuelab.topology.capacity import Capacity
from kueuelab.topology.distribute import Share, distribute
from kueuelab.topology.feasible import Exclusions
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.level import Found, Group, find_domains
from kueuelab.topology.order import Units, by_room
from kueuelab.topology.reasons import not_fit_reason
from kueuelab.topology.request import PlacementRequest, PlacementRules
from kueuelab.topology.search import GroupSearch
from kueuelab.topology.search_log import SearchLog
from kueuelab.topology.tree import TopologyTree, domain_id

__all__ = ["GroupPlacement", "leaf_name", "place_group"]


class GroupPlacement(NamedTuple):
    """Pod set to assignment, or why the group has no place."""

    assignments: dict[str, TopologyAssignment]
    reason: str = ""


def place_group(
    search: GroupSearch,
    *,
    uid: str = "",
    empty: bool = False,
    within: str = "",
    log: SearchLog | None = None,
) -> GroupPlacement:
    """Place a group in a flavor's topology.

    Parameters
    ----------
    search
        The group, and what is sought for it.
    uid
        The workload's.
    empty
        Place it as if no workload used anything.
    within
        The domain that replacements have to stay in, if any.
    log
        Collects what is considered, if given.
    """
    if search.obstacle:
        return GroupPlacement({}, search.obstacle)
    flavor, group, rules = search.flavor, search.group, search.rules
    shape = search.shape_if_empty if empty else search.shape
    selection = search.selection(uid)
    if within:
        capacity, exclusions = flavor.capacity_within(shape, selection, within)
    else:
        capacity, exclusions = flavor.capacity(shape, selection), None
    known: GroupPlacement | None = capacity.found.get(search.key)
    if known is not None and log is None:
        return known
    shares = _choose(flavor, capacity, group, rules, exclusions, log)
    found = (
        GroupPlacement({}, shares)
        if isinstance(shares, str)
        else GroupPlacement(_assignments(flavor.tree, shares, search.workers, search.leader))
    )
    capacity.found[search.key] = found
    return found


def _choose(
    flavor: TopologyFlavor,
    capacity: Capacity,
    group: Group,
    rules: PlacementRules,
    exclusions: Exclusions | None,
    log: SearchLog | None,
) -> list[Share] | str:
    """Return how many pods each leaf gets, or why they don't fit."""
    tree = flavor.tree
    if rules.balanced and not group.required and not group.unconstrained:
        balanced = balance(tree, capacity, group)
        if balanced is not None:
            units = Units.slices(balanced.capacity, balanced.level, group.slice_size)
            shares = _distribute(units, list(balanced.domains), group)
            if log is not None:
                log.balanced(balanced.capacity, group, balanced.level, shares)
            return _down_each(tree, balanced.capacity, group, balanced.level, shares, log)
    found = find_domains(tree, capacity, group, by_preference=rules.by_preference)
    if not found.fits:
        if log is not None and not found.reason:
            log.level_searched(capacity, group, found)
        return found.reason or not_fit_reason(
            flavor.topology_name,
            tree,
            capacity,
            group,
            found,
            exclusions or capacity.exclusions(),
        )
    return _down(tree, capacity, group, found, log)


def _down(
    tree: TopologyTree, capacity: Capacity, group: Group, found: Found, log: SearchLog | None
) -> list[Share]:
    """Go down from the domains that take the group.

    Above the level of slices the domains of all parents are taken together, so that few are used.
    """
    level = found.level
    units = Units.slices(capacity, level, group.slice_size)
    shares = _distribute(units, list(found.domains), group)
    if log is not None:
        log.level_searched(capacity, group, found, shares)
    while level < min(len(tree.levels) - 1, group.slice_level):
        children = [child for s in shares for child in tree.children[level][s.domain]]
        level += 1
        ordered = by_room(capacity, level, children, least_free=group.least_free)
        units = Units.slices(capacity, level, group.slice_size)
        shares = _distribute(units, ordered, group)
        if log is not None:
            log.went_down(capacity, group, level, ordered, shares)
    return _down_each(tree, capacity, group, level, shares, log)


def _down_each(
    tree: TopologyTree,
    capacity: Capacity,
    group: Group,
    level: int,
    shares: list[Share],
    log: SearchLog | None,
) -> list[Share]:
    """Go down from each domain on its own, with the pods that it was given."""
    inner = dict(group.inner_sizes)
    for at in range(level, len(tree.levels) - 1):
        below = at + 1
        size = group.slice_size if at < group.slice_level else inner.get(below, 1)
        units = (
            Units.inner_slices(capacity, below, size) if size > 1 else Units.pods(capacity, below)
        )
        given: list[Share] = []
        for share in shares:
            children = tree.children[at][share.domain]
            ordered = by_room(capacity, below, children, least_free=group.least_free)
            found = distribute(
                units, ordered, share.pods, share.leaders, least_free=group.least_free
            )
            if log is not None:
                log.went_down(capacity, group, below, ordered, found)
            given += found
        shares = given
    return shares


def _distribute(units: Units, domains: list[int], group: Group) -> list[Share]:
    return distribute(units, domains, group.pods, group.leaders, least_free=group.least_free)


def _assignments(
    tree: TopologyTree,
    shares: list[Share],
    workers: PlacementRequest,
    leader: PlacementRequest | None,
) -> dict[str, TopologyAssignment]:
    ordered = sorted(shares, key=lambda share: share.domain)
    found: dict[str, TopologyAssignment] = {}
    if leader is not None:
        found[leader.pod_set] = _assignment(tree, [(s.domain, s.leaders) for s in ordered])
    found[workers.pod_set] = _assignment(tree, [(s.domain, s.pods) for s in ordered])
    return found


def _assignment(tree: TopologyTree, counts: list[tuple[int, int]]) -> TopologyAssignment:
    """Return an assignment; where domains are nodes, their hostnames say it all."""
    first = len(tree.levels) - 1 if tree.by_node else 0
    values = tree.values[-1]
    domains = (TopologyDomain(values[domain][first:], count) for domain, count in counts if count)
    return TopologyAssignment(tree.levels[first:], tuple(domains))


def leaf_name(assignment: TopologyDomain) -> str:
    """Return the name of a domain of an assignment."""
    return domain_id(assignment.values)
