"""The order in which domains are considered, and which one fits best.

Best fit starts from the domain with the most room, and takes the tightest one for the last pods.
Least free capacity starts from the domain with the least room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kueuelab.topology.capacity import Capacity

__all__ = ["Units", "best_fit", "by_room", "by_room_beside_leader", "leader_first"]


class Units(NamedTuple):
    """What is distributed over the domains of a level: pods, or slices of some size.

    ``fit`` says how many fit into each domain, ``beside_leader`` how many beside a leader.
    """

    size: int
    fit: Sequence[int]
    beside_leader: Sequence[int]
    leaders: Sequence[int]
    scores: Sequence[int]

    @classmethod
    def pods(cls, capacity: Capacity, level: int) -> Units:
        """Return pods, one by one."""
        return cls(
            1,
            capacity.pods[level],
            capacity.pods_with_leader[level],
            capacity.leaders[level],
            capacity.scores[level],
        )

    @classmethod
    def slices(cls, capacity: Capacity, level: int, size: int) -> Units:
        """Return slices as they were counted."""
        return cls(
            size,
            capacity.slices[level],
            capacity.slices_with_leader[level],
            capacity.leaders[level],
            capacity.scores[level],
        )

    @classmethod
    def inner_slices(cls, capacity: Capacity, level: int, size: int) -> Units:
        """Return slices of another size than the one they were counted by."""
        return cls(
            size,
            [pods // size for pods in capacity.pods[level]],
            [pods // size for pods in capacity.pods_with_leader[level]],
            capacity.leaders[level],
            capacity.scores[level],
        )


def by_room(
    capacity: Capacity, level: int, domains: Iterable[int], *, least_free: bool
) -> list[int]:
    """Sort domains by how many slices fit: the most first, or the least.

    Of equal ones the domain goes first that has room for fewer pods, then by label values. A
    preferred node affinity goes before all of that.
    """
    found = sorted(domains)
    if capacity.slices is not capacity.pods:
        found.sort(key=capacity.pods[level].__getitem__)
    found.sort(key=capacity.slices[level].__getitem__, reverse=not least_free)
    if capacity.has_preferences:
        found.sort(key=capacity.scores[level].__getitem__, reverse=True)
    return found


def by_room_beside_leader(
    capacity: Capacity, level: int, domains: Iterable[int], *, least_free: bool
) -> list[int]:
    """Sort domains as :func:`by_room` does, by the room beside the leader.

    Those that have room for the leader go first.
    """
    if not capacity.has_leader:
        return by_room(capacity, level, domains, least_free=least_free)
    found = sorted(domains)
    found.sort(key=capacity.pods_with_leader[level].__getitem__)
    found.sort(key=capacity.slices_with_leader[level].__getitem__, reverse=not least_free)
    if capacity.has_preferences:
        found.sort(key=capacity.scores[level].__getitem__, reverse=True)
    found.sort(key=capacity.leaders[level].__getitem__, reverse=True)
    return found


def best_fit(units: Units, domains: Sequence[int], needed: int, leaders: int) -> int:
    """Return the tightest domain that has room for all, the first of ``domains`` if none has.

    Only domains as preferred as the first one count.
    """
    first, scores, fit = domains[0], units.scores, units.fit
    if leaders:
        fit = units.beside_leader
        domains = [domain for domain in domains if units.leaders[domain] >= leaders]
    rooms = [fit[d] for d in domains if fit[d] >= needed and scores[d] == scores[first]]
    if not rooms:
        return first
    tightest = min(rooms)
    return next(d for d in domains if fit[d] == tightest and scores[d] == scores[first])


def leader_first(units: Units, domains: list[int], needed: int, leaders: int) -> list[int]:
    """Move the first domain to the front that takes the leader and leaves room for the rest."""
    if not leaders or len(domains) < 2:
        return domains
    available = sum(units.fit[domain] for domain in domains)
    for place, domain in enumerate(domains):
        if units.leaders[domain] < leaders:
            continue
        if available - (units.fit[domain] - units.beside_leader[domain]) < needed:
            continue
        return [domain, *domains[:place], *domains[place + 1 :]]
    return domains
