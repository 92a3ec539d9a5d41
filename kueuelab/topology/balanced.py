"""Balanced placement: as many slices in the emptiest domain of the solution as possible.

It is for preferred topologies, with the feature gate ``TASBalancedPlacement`` (KEP-2724). If it
finds nothing, best fit is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log2

from kueuelab.topology.capacity import Capacity
from kueuelab.topology.level import Group
from kueuelab.topology.order import by_room, by_room_beside_leader
from kueuelab.topology.tree import TopologyTree

__all__ = ["Balanced", "balance"]


@dataclass(frozen=True, slots=True)
class Balanced:
    """Domains of a level, and a capacity in which they have room for just what they get."""

    level: int
    domains: tuple[int, ...]
    capacity: Capacity


@dataclass(frozen=True, slots=True)
class _Greedy:
    """The domains that a greedy choice uses: how many, and the last with and without leader."""

    used: int
    last_with_leader: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Domains of the requested level, without those that get too few slices."""

    threshold: int
    used: int
    domains: range
    capacity: Capacity


def balance(tree: TopologyTree, capacity: Capacity, group: Group) -> Balanced | None:
    """Return a balanced choice of domains, ``None`` if there is none."""
    best: _Candidates | None = None
    for siblings in _sibling_sets(tree, group.level):
        found = _candidates(tree, capacity, group, siblings, 0 if best is None else best.threshold)
        if found is None:
            continue
        if (
            best is None
            or found.threshold > best.threshold
            or (found.threshold == best.threshold and found.used < best.used)
        ):
            best = found
    if best is None or best.threshold <= 0:
        return None
    return _spread(tree, group, best)


def _sibling_sets(tree: TopologyTree, level: int) -> Iterator[range]:
    """Yield the domains of the level that share a domain above it."""
    if level == 0:
        yield range(len(tree.values[0]))
    else:
        yield from tree.children[level - 1]


def _candidates(
    tree: TopologyTree, capacity: Capacity, group: Group, siblings: range, least: int
) -> _Candidates | None:
    """Return siblings that hold the group, each with at least a threshold of slices."""
    level: int = group.level
    lower: Sequence[int] = siblings
    if level < group.slice_level:
        level, lower = level + 1, _children(tree, level, siblings)
    greedy = _greedy(capacity, level, lower, group)
    if greedy is None or greedy.used == 0:
        return None
    threshold = group.slices // greedy.used
    if greedy.last_with_leader is not None:
        beside = capacity.slices_with_leader[level][greedy.last_with_leader]
        threshold = min(threshold, beside)
    if greedy.last is not None:
        threshold = min(threshold, capacity.slices[level][greedy.last])
    with_reserve = threshold
    if group.leaders and greedy.last is not None:
        with_reserve = min(threshold, capacity.slices_with_leader[level][greedy.last])
    if threshold < least:
        return None
    found = _pruned(tree, capacity, group, siblings, threshold)
    if found is None and max(least, 1) <= with_reserve < threshold:
        # With a lower threshold, the leader's domain has room for it.
        found = _pruned(tree, capacity, group, siblings, with_reserve)
    return found


def _pruned(
    tree: TopologyTree, capacity: Capacity, group: Group, siblings: range, threshold: int
) -> _Candidates | None:
    """Leave out domains with room for fewer slices than the threshold, if the rest will do."""
    copied, level = capacity.copy(), group.level
    below = _children(tree, level, siblings) if level < len(tree.levels) - 1 else []
    for child in below:
        _leave_out(copied, group, level + 1, child, threshold)
    for domain in siblings:
        copied.recount(level, domain)
        _leave_out(copied, group, level, domain, threshold)
    greedy = _greedy(copied, level, siblings, group)
    return None if greedy is None else _Candidates(threshold, greedy.used, siblings, copied)


def _leave_out(capacity: Capacity, group: Group, level: int, domain: int, threshold: int) -> None:
    if capacity.slices[level][domain] < threshold:
        capacity.clear(level, domain)
    elif (
        group.leaders
        and capacity.leaders[level][domain] > 0
        and capacity.slices_with_leader[level][domain] < threshold
    ):
        capacity.clear(level, domain, leader_only=True)


def _greedy(capacity: Capacity, level: int, domains: Iterable[int], group: Group) -> _Greedy | None:
    """Take the domains with the most room until all fit; ``None`` if they never do."""
    slices, leaders, used = group.slices, group.leaders, 0
    last_with_leader = last = None
    ordered = list(domains)
    if leaders:
        ordered = by_room_beside_leader(capacity, level, ordered, least_free=False)
        while leaders > 0 and used < len(ordered) and capacity.leaders[level][ordered[used]] > 0:
            last_with_leader = ordered[used]
            leaders -= capacity.leaders[level][last_with_leader]
            slices -= capacity.slices_with_leader[level][last_with_leader]
            used += 1
        ordered = ordered[used:]
    if leaders > 0:
        return None
    for domain in by_room(capacity, level, ordered, least_free=False):
        if slices <= 0 or capacity.slices[level][domain] <= 0:
            break
        last = domain
        slices -= capacity.slices[level][domain]
        used += 1
    return None if slices > 0 else _Greedy(used, last_with_leader, last)


def _spread(tree: TopologyTree, group: Group, candidates: _Candidates) -> Balanced | None:
    """Give each domain of the best set the threshold, and the rest to those with room."""
    capacity, level = candidates.capacity, group.level
    domains: Sequence[int] = candidates.domains
    if level < group.slice_level:
        by_entropy = sorted(domains, key=lambda domain: _rank(tree, capacity, level, domain))
        chosen = _tightest_set(capacity, level, by_entropy, group)
        if chosen is None:
            return None
        domains = sorted(_children(tree, level, chosen))
        level += 1
    found = _tightest_set(capacity, level, sorted(domains), group)
    threshold = candidates.threshold
    if found is None or group.slices < len(found) * threshold:
        return None
    found = by_room_beside_leader(capacity, level, found, least_free=False)
    if not _assign(capacity, level, found, group, threshold):
        return None
    return Balanced(level, tuple(found), capacity)


def _assign(
    capacity: Capacity, level: int, domains: list[int], group: Group, threshold: int
) -> bool:
    """Set the room of each domain to what it gets; tell whether that is all."""
    extra, leaders = group.slices - len(domains) * threshold, group.leaders
    for domain in domains:
        leader = taken = 0
        if leaders > 0:
            taken = min(capacity.slices_with_leader[level][domain] - threshold, extra)
            leader = 1
            leaders -= 1
        elif extra > 0:
            taken = min(capacity.slices[level][domain] - threshold, extra)
        slices = threshold + taken
        capacity.leaders[level][domain] = leader
        capacity.pods[level][domain] = slices * group.slice_size
        capacity.pods_with_leader[level][domain] = slices * group.slice_size - leader
        capacity.slices[level][domain] = slices
        capacity.slices_with_leader[level][domain] = slices
        extra -= taken
    return extra <= 0 and leaders <= 0


def _tightest_set(
    capacity: Capacity, level: int, ordered: Sequence[int], group: Group
) -> list[int] | None:
    """Return the smallest set of domains that holds the group, the one with the least room.

    It is found by dynamic programming over how many leaders and pods are left to place.
    """
    greedy = _greedy(capacity, level, sorted(ordered), group)
    if greedy is None:
        return None
    plans: list[dict[tuple[int, int], tuple[int, ...]]] = [{} for _ in range(greedy.used + 1)]
    plans[0][group.leaders, group.slices * group.slice_size] = ()
    pods, beside = capacity.pods[level], capacity.pods_with_leader[level]
    for domain in ordered:
        for used in range(greedy.used, 0, -1):
            for leaders, left in sorted(plans[used - 1]):
                if leaders <= 0 and left <= 0:
                    continue
                plan = (*plans[used - 1][leaders, left], domain)
                if leaders > 0 and capacity.leaders[level][domain] > 0:
                    after = leaders - capacity.leaders[level][domain], left - beside[domain]
                    plans[used].setdefault(after, plan)
                if capacity.slices[level][domain] > 0:
                    plans[used].setdefault((leaders, left - pods[domain]), plan)
    done = {left: plan for (leaders, left), plan in plans[greedy.used].items() if leaders == 0}
    over = max((left for left in done if left <= 0), default=None)
    return None if over is None else list(done[over])


def _rank(
    tree: TopologyTree, capacity: Capacity, level: int, domain: int
) -> tuple[int, int, float, int]:
    """Return what orders domains: room beside the leader, then how evenly it is spread."""
    entropy = _entropy([capacity.pods[level + 1][child] for child in tree.children[level][domain]])
    leaders, slices = capacity.leaders[level][domain], capacity.slices_with_leader[level][domain]
    return -leaders, -slices, -entropy, domain


def _entropy(counts: Sequence[int]) -> float:
    total = sum(counts)
    found = 0.0
    for count in counts:
        if count > 0:
            part = count / total
            found += -part * log2(part)
    return found


def _children(tree: TopologyTree, level: int, domains: Iterable[int]) -> list[int]:
    return list(chain.from_iterable(tree.children[level][domain] for domain in domains))
