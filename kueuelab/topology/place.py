"""Placing all pod sets of a workload, flavor by flavor and group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kueuelab.model import TopologyAssignment
from kueuelab.topology.forest import DomainUsage, TopologyForest
from kueuelab.topology.group import leaf_name, place_group
from kueuelab.topology.replace import replace_node
from kueuelab.topology.request import Placed, PlacementRequest, PlacementRules, Wanted
from kueuelab.topology.search_log import Record, SearchLog
from kueuelab.topology.tree import Amounts, Leaf

if TYPE_CHECKING:
    from kueuelab.topology.flavor import TopologyFlavor
    from kueuelab.workload import WorkloadState

__all__ = ["domain_usage", "first_failure", "place"]


def place(
    forest: TopologyForest,
    wanted: Wanted,
    workload: WorkloadState,
    rules: PlacementRules,
    *,
    empty: bool = False,
    record: Record | None = None,
) -> dict[str, Placed]:
    """Find a place for each pod set, one after the other; what one gets, the next can't use.

    Parameters
    ----------
    forest
        The flavors' topologies; it is left as it was.
    wanted
        Flavor to the pod sets that were assigned it.
    workload
        Whose pod sets they are. With a node that failed, replacements are sought.
    empty
        Whether to place them as if no workload used anything.
    record
        Takes the facts of each search, if given.

    Returns
    -------
    dict
        Pod set to what came of it. After a group of a flavor that has no place, its others are
        not tried.
    """
    placement = _Placement(forest, workload, rules, empty, record)
    found: dict[str, Placed] = {}
    try:
        last = max(wanted, default="")
        for name in sorted(wanted):
            found |= placement.in_flavor(forest.flavors[name], wanted[name], is_last=name == last)
    finally:
        placement.forget_assumptions()
    return found


def first_failure(found: Mapping[str, Placed]) -> str | None:
    """Return the first pod set, by name, that has no place; ``None`` if all have one."""
    return next((name for name in sorted(found) if found[name].reason), None)


def domain_usage(assignment: TopologyAssignment, requests: Amounts) -> tuple[DomainUsage, ...]:
    """Return what the pods of an assignment use, domain by domain."""
    return tuple(
        DomainUsage(leaf_name(domain), requests, domain.count) for domain in assignment.domains
    )


class _Placement:
    """One attempt to place a workload."""

    def __init__(
        self,
        forest: TopologyForest,
        workload: WorkloadState,
        rules: PlacementRules,
        empty: bool,
        record: Record | None,
    ) -> None:
        self._forest = forest
        self._workload = workload
        self._rules = rules
        self._empty = empty
        self._record = record
        self._assumed: dict[int, Leaf] = {}

    def in_flavor(
        self, flavor: TopologyFlavor, wanted: Sequence[PlacementRequest], *, is_last: bool
    ) -> dict[str, Placed]:
        """Place the groups of a flavor, until one has no place.

        ``is_last``: no other flavor follows. What the last group gets needs not be assumed.
        """
        groups: dict[str, list[PlacementRequest]] = {}
        for index, each in enumerate(wanted):
            groups.setdefault(each.request.group or f"#{index}", []).append(each)
        found: dict[str, Placed] = {}
        for index, group in enumerate(groups.values(), 1):
            if self._workload.unhealthy_nodes:
                found |= self._replaced(flavor, group)
            else:
                more = not is_last or index < len(groups)
                found |= self._placed(flavor, group, assume=more)
            if any(placed.reason for placed in found.values()):
                break
        return found

    def _placed(
        self, flavor: TopologyFlavor, group: list[PlacementRequest], *, assume: bool
    ) -> dict[str, Placed]:
        workers, leader = _workers_and_leader(group)
        log = self._log(flavor, workers, leader)
        placement = place_group(
            flavor,
            workers,
            leader,
            self._rules,
            uid=self._workload.uid,
            empty=self._empty,
            log=log,
        )
        if log is not None and self._record is not None:
            self._record(log.facts(placement.reason))
        for each in group:
            if assume and not placement.reason:
                self._assume(flavor, placement.assignments[each.pod_set], each.requests)
        return {
            each.pod_set: Placed(
                placement.assignments.get(each.pod_set), placement.reason, flavor.name
            )
            for each in group
        }

    def _log(
        self, flavor: TopologyFlavor, workers: PlacementRequest, leader: PlacementRequest | None
    ) -> SearchLog | None:
        if self._record is None:
            return None
        return SearchLog(flavor, workers, leader, empty=self._empty)

    def _replaced(self, flavor: TopologyFlavor, group: list[PlacementRequest]) -> dict[str, Placed]:
        found: dict[str, Placed] = {}
        for each in group:
            assigned = self._workload.topology_assignments.get(each.pod_set)
            if assigned is None:
                continue
            if self._rules.keeps_pod_owned and self._workload.is_owned_by_single_pod:
                found[each.pod_set] = Placed(assigned, "", flavor.name)
                continue
            node = self._workload.unhealthy_nodes[0]
            log = self._log(flavor, each, None)
            merged, new, reason = replace_node(
                flavor, each, assigned, node, self._rules, self._workload.uid, log
            )
            if log is not None and self._record is not None:
                self._record(log.facts(reason))
            found[each.pod_set] = Placed(merged, reason, flavor.name)
            if new is None:
                break
            self._assume(flavor, new, each.requests)
        return found

    def _assume(
        self, flavor: TopologyFlavor, assignment: TopologyAssignment, requests: Amounts
    ) -> None:
        """Let later pod sets not use what this one gets."""
        for usage in domain_usage(assignment, requests):
            amounts = usage.amounts
            for seer in self._forest.seeing(flavor):
                leaf = seer.tree.leaf_of.get(usage.domain)
                if leaf is None:
                    continue
                for name, amount in amounts.items():
                    leaf.assumed[name] = leaf.assumed.get(name, 0) + amount
                leaf.touch()
                self._assumed[id(leaf)] = leaf

    def forget_assumptions(self) -> None:
        """Leave the domains as they were."""
        for leaf in self._assumed.values():
            leaf.assumed.clear()
            leaf.touch()
        self._assumed.clear()


def _workers_and_leader(
    group: list[PlacementRequest],
) -> tuple[PlacementRequest, PlacementRequest | None]:
    """Return the two pod sets of a group: the leader's has fewer pods, or comes second."""
    if len(group) == 1:
        return group[0], None
    first, second = group[0], group[1]
    return (second, first) if second.count > first.count else (first, second)
