"""Workloads of which one would have to end so that a domain has room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kueuelab.topology import DomainUsage
from kueuelab.whatif.domain_room import domain_rooms
from kueuelab.whatif.subject import Subject
from kueuelab.workload import WorkloadState

__all__ = ["those_that_free_a_domain"]


def those_that_free_a_domain(subject: Subject) -> list[WorkloadState]:
    """Return the workloads without which a domain has room, the smallest first.

    Only those of its cohort tree: when others end, Kueue does not try it again.
    """
    rooms = [room for room in domain_rooms(subject) if not room.is_enough]
    if not rooms:
        return []
    cluster, forest = subject.cluster, subject.cluster.plane.forest
    found: list[tuple[float, str, WorkloadState]] = []
    for state in subject.holders():
        key = state.key
        booked = [each for usage in forest.booked(key).values() for each in usage]
        with cluster.tree.simulation():
            forest.remove_workload(key)
            if any(room.is_enough for room in rooms):
                found.append((_pods_worth(booked, rooms[0].requests), key, state))
    # No two have the same key.
    return [state for _, _, state in sorted(found)]


def _pods_worth(usage: Iterable[DomainUsage], requests: Mapping[str, int]) -> float:
    """Return how large a usage is, counted in pods with these requests."""
    total: Counter[str] = Counter()
    for each in usage:
        total.update(each.amounts)
    parts = (total[name] / amount for name, amount in requests.items() if amount)
    return max(parts, default=0.0)
