"""Placing a slice of an elastic job that replaces another one: its pods stay where they are.

A job that grows gets places for the difference only; one that shrinks gives up its last
domains. Feature gate ``ElasticJobsViaWorkloadSlicesWithTAS``, KEP-77.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kueuelab.model import TopologyAssignment, TopologyDomain
from kueuelab.topology.group import leaf_name
from kueuelab.topology.search import GroupSearch

if TYPE_CHECKING:
    from kueuelab.topology.tree import TopologyTree

__all__ = ["difference", "keeps_places", "truncated"]


def keeps_places(search: GroupSearch) -> bool:
    """Tell whether the pods of the replaced slice can stay: their domains are all there."""
    if search.workers.previous is None:
        return False
    members = (search.workers, search.leader)
    tree = search.flavor.tree
    return not any(_is_stale(each.previous, tree) for each in members if each is not None)


def _is_stale(assignment: TopologyAssignment | None, tree: TopologyTree) -> bool:
    return assignment is not None and any(
        leaf_name(domain) not in tree.leaf_of for domain in assignment.domains
    )


def difference(search: GroupSearch, count: int) -> GroupSearch:
    """Return what is sought for ``count`` more workers; a leader that has its place keeps it."""
    workers = replace(search.workers, count=count, previous=None)
    leader = search.leader
    members = (workers,) if leader is None or leader.previous is not None else (workers, leader)
    return GroupSearch.of(search.flavor, search.rules, members)


def truncated(assignment: TopologyAssignment, count: int) -> TopologyAssignment:
    """Return the first ``count`` pods of an assignment.

    Examples
    --------
    >>> hosts = tuple(TopologyDomain((name,), 2) for name in ("n1", "n2", "n3"))
    >>> found = truncated(TopologyAssignment(("kubernetes.io/hostname",), hosts), 3)
    >>> [(domain.values, domain.count) for domain in found.domains]
    [(('n1',), 2), (('n2',), 1)]
    """
    kept: list[TopologyDomain] = []
    for domain in assignment.domains:
        pods = min(domain.count, count)
        if pods <= 0:
            break
        kept.append(TopologyDomain(domain.values, pods))
        count -= pods
    return TopologyAssignment(assignment.levels, tuple(kept))
