"""Placing all pod sets of a workload, flavor by flavor and group by group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kueuelab.model import TopologyAssignment
from kueuelab.topology.elastic import difference, keeps_places, truncated
from kueuelab.topology.forest import DomainUsage, TopologyForest
from kueuelab.topology.group import leaf_name, place_group
from kueuelab.topology.replace import merged_assignment, replace_node
from kueuelab.topology.request import Placed, PlacementRequest
from kueuelab.topology.search import GroupSearch, Wanted
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
        Its groups of pod sets, flavor by flavor.
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
    placement = _Placement(forest, workload, empty, record)
    found: dict[str, Placed] = {}
    try:
        failed = ""
        for index, search in enumerate(wanted, 1):
            if search.flavor.name == failed:
                continue
            # What the last group gets need not be assumed.
            of_group = placement.of_group(search, assume=index < len(wanted))
            found |= of_group
            if any(placed.reason for placed in of_group.values()):
                failed = search.flavor.name
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
        empty: bool,
        record: Record | None,
    ) -> None:
        self._forest = forest
        self._workload = workload
        self._empty = empty
        self._record = record
        self._assumed: dict[int, Leaf] = {}

    def of_group(self, search: GroupSearch, *, assume: bool) -> dict[str, Placed]:
        """Place a group; ``assume``: others follow, which can't use what it gets."""
        if self._workload.unhealthy_nodes:
            return self._replaced(search)
        if keeps_places(search):
            return self._elastic(search)
        log = self._log(search, search.workers, search.leader)
        placement = place_group(search, uid=self._workload.uid, empty=self._empty, log=log)
        if log is not None and self._record is not None:
            self._record(log.facts(placement.reason))
        if assume and not placement.reason:
            for each in search.members:
                self._assume(search.flavor, placement.assignments[each.pod_set], each.requests)
        return {
            each.pod_set: Placed(
                placement.assignments.get(each.pod_set), placement.reason, search.flavor.name
            )
            for each in search.members
        }

    def _elastic(self, search: GroupSearch) -> dict[str, Placed]:
        """Place a slice of an elastic job, whose pods so far stay where they are.

        They count as usage of their own in addition to what the replaced slice uses, as in Kueue.
        """
        flavor, workers, leader = search.flavor, search.workers, search.leader
        assert workers.previous is not None
        before = sum(domain.count for domain in workers.previous.domains)
        placed = {} if leader is None else {leader.pod_set: leader.previous}
        if workers.count <= before:
            placed[workers.pod_set] = truncated(workers.previous, workers.count)
            self._assume_all(search, placed)
        else:
            kept = {**placed, workers.pod_set: workers.previous}
            self._assume_all(search, kept)
            more = difference(search, workers.count - before)
            log = self._log(more, more.workers, more.leader)
            found = place_group(more, uid=self._workload.uid, empty=self._empty, log=log)
            if log is not None and self._record is not None:
                self._record(log.facts(found.reason))
            if found.reason:
                return {workers.pod_set: Placed(None, found.reason, flavor.name)}
            placed.update(found.assignments)
            self._assume_all(search, found.assignments)
            placed[workers.pod_set] = merged_assignment(
                flavor.tree, found.assignments[workers.pod_set], workers.previous.domains
            )
        return {name: Placed(assigned, "", flavor.name) for name, assigned in placed.items()}

    def _assume_all(
        self, search: GroupSearch, placed: Mapping[str, TopologyAssignment | None]
    ) -> None:
        for each in search.members:
            if (assignment := placed.get(each.pod_set)) is not None:
                self._assume(search.flavor, assignment, each.requests)

    def _log(
        self, search: GroupSearch, workers: PlacementRequest, leader: PlacementRequest | None
    ) -> SearchLog | None:
        if self._record is None:
            return None
        return SearchLog(search.flavor, workers, leader, empty=self._empty)

    def _replaced(self, search: GroupSearch) -> dict[str, Placed]:
        flavor, rules = search.flavor, search.rules
        found: dict[str, Placed] = {}
        for each in search.members:
            assigned = self._workload.topology_assignments.get(each.pod_set)
            if assigned is None:
                continue
            if rules.keeps_pod_owned and self._workload.is_owned_by_single_pod:
                found[each.pod_set] = Placed(assigned, "", flavor.name)
                continue
            node = self._workload.unhealthy_nodes[0]
            log = self._log(search, each, None)
            merged, new, reason = replace_node(
                flavor, each, assigned, node, rules, self._workload.uid, log
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
