"""What a search for domains considers, collected for the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from kueuelab.topology.capacity import Capacity
from kueuelab.topology.distribute import Share
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.level import Found, Group
from kueuelab.topology.order import by_room_beside_leader
from kueuelab.topology.request import PlacementRequest
from kueuelab.topology.tree import domain_id
from kueuelab.trace.step import Facts
from kueuelab.trace.steps import DomainsSearched

__all__ = ["Record", "SearchLog"]

#: Takes the facts of a step.
Record: TypeAlias = Callable[[Facts], None]

#: So many domains of a level are listed; chosen ones all are.
_LISTED: Final = 40


class SearchLog:
    """The domains of one search, level by level.

    Parameters
    ----------
    flavor
        Where domains are sought.
    workers, leader
        The pod sets.
    empty
        Whether the usage of workloads is left out of account.
    """

    def __init__(
        self,
        flavor: TopologyFlavor,
        workers: PlacementRequest,
        leader: PlacementRequest | None,
        *,
        empty: bool,
    ) -> None:
        self._flavor = flavor
        self._workers = workers
        self._leader = leader
        self._empty = empty
        self._profile = "best-fit"
        self._rows: list[tuple[str, str, int, int, int, str]] = []
        self._more: dict[str, int] = {}

    def level_searched(
        self, capacity: Capacity, group: Group, found: Found, shares: Iterable[Share] = ()
    ) -> None:
        """Note the domains of the levels that were searched, from the first up to the last."""
        self._profile = "least-free-capacity" if group.least_free else "best-fit"
        tree, given = self._flavor.tree, {share.domain: share.pods for share in shares}
        for level in range(group.level, found.level - 1, -1):
            every = range(len(tree.values[level]))
            ordered = by_room_beside_leader(capacity, level, every, least_free=group.least_free)
            at_found = given if level == found.level else {}
            self._add(capacity, level, ordered, at_found, group, descending=False)

    def went_down(
        self,
        capacity: Capacity,
        group: Group,
        level: int,
        ordered: Sequence[int],
        shares: Iterable[Share],
    ) -> None:
        """Note the domains of a level below the chosen ones."""
        given = {share.domain: share.pods for share in shares}
        self._add(capacity, level, ordered, given, group, descending=True)

    def balanced(
        self, capacity: Capacity, group: Group, level: int, shares: Sequence[Share]
    ) -> None:
        """Note the domains that balanced placement chose."""
        self._profile = "balanced"
        given = {share.domain: share.pods for share in shares}
        self._add(capacity, level, list(given), given, group, descending=True)

    def _add(
        self,
        capacity: Capacity,
        level: int,
        ordered: Sequence[int],
        given: Mapping[int, int],
        group: Group,
        *,
        descending: bool,
    ) -> None:
        tree, left = self._flavor.tree, max(0, _LISTED - len(given))
        name = tree.levels[level]
        for domain in ordered:
            if domain not in given:
                if left == 0:
                    self._more[name] = self._more.get(name, 0) + 1
                    continue
                left -= 1
            verdict = _verdict(capacity, level, domain, given, group, descending=descending)
            self._rows.append(
                (
                    name,
                    domain_id(tree.values[level][domain]),
                    capacity.pods[level][domain],
                    capacity.slices[level][domain],
                    given.get(domain, 0),
                    verdict,
                )
            )

    def facts(self, reason: str) -> DomainsSearched:
        """Return what was found; ``reason`` is Kueue's message if there is no place."""
        workers, leader, request = self._workers, self._leader, self._workers.request
        columns = list(zip(*self._rows, strict=True)) or [()] * 6
        return DomainsSearched(
            flavor=self._flavor.name,
            topology=self._flavor.topology_name,
            pod_sets=tuple(each.pod_set for each in (leader, workers) if each is not None),
            count=workers.count,
            leaders=0 if leader is None else 1,
            slice_size=request.slices[0].size if request.slices else 1,
            level=workers.level(self._flavor.levels) or "",
            request="required"
            if request.required is not None
            else "unconstrained"
            if workers.is_unconstrained
            else "preferred",
            profile=self._profile,
            empty=self._empty,
            levels=columns[0],
            domains=columns[1],
            pods=columns[2],
            slices=columns[3],
            given=columns[4],
            verdicts=columns[5],
            more=self._more,
            reason=reason,
        )


def _verdict(
    capacity: Capacity,
    level: int,
    domain: int,
    given: Mapping[int, int],
    group: Group,
    *,
    descending: bool,
) -> str:
    if domain in given:
        return "chosen"
    if group.leaders and not capacity.leaders[level][domain] and not given:
        return "no-leader"
    if descending or len(given) > 1:
        return "not-needed" if capacity.pods[level][domain] else "too-small"
    beside = capacity.slices_with_leader if group.leaders else capacity.slices
    return "less-tight" if beside[level][domain] >= group.slices else "too-small"
