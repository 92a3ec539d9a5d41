"""Finding another node for the pods of a node that failed.

The other pods stay where they are. A required level, and slices that the failure broke, tie the
replacement to the domain of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as changed

from kueuelab.model import SliceLayer, TopologyAssignment, TopologyDomain
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.group import leaf_name, place_group
from kueuelab.topology.request import PlacementRequest, PlacementRules
from kueuelab.topology.search import GroupSearch
from kueuelab.topology.search_log import SearchLog
from kueuelab.topology.tree import TopologyTree, domain_id

__all__ = ["Replacement", "merged_assignment", "replace_node"]

#: The new assignment, the part of it that is new, and why there is none.
Replacement = tuple[TopologyAssignment | None, TopologyAssignment | None, str]


def replace_node(
    flavor: TopologyFlavor,
    wanted: PlacementRequest,
    assigned: TopologyAssignment,
    node: str,
    rules: PlacementRules,
    uid: str,
    log: SearchLog | None = None,
) -> Replacement:
    """Find a place for the pods of ``node``, and put it into the assignment.

    Parameters
    ----------
    wanted
        The pod set; its count does not matter here.
    assigned
        Where its pods are.
    """
    tree = flavor.tree
    affected = 0
    kept: list[TopologyDomain] = []
    for domain in assigned.domains:
        if domain.values[-1] == node:
            affected = domain.count
        else:
            kept.append(domain)
    stale = next((domain for domain in kept if leaf_name(domain) not in tree.leaf_of), None)
    if stale is not None:
        return _none(
            "Cannot replace the node, because the existing topologyAssignment is invalid, "
            f"as it contains the stale domain {stale.values[0]}"
        )
    wanted = changed(wanted, count=affected)
    within = _domain_to_stay_in(tree, wanted, kept)
    slices = wanted.request.slices
    if slices and slices[0].size <= 0:
        return _none("slice topology requested, but slice size not provided")
    if slices and within and affected % slices[0].size != 0:
        layer = next((each for each in reversed(slices) if affected % each.size == 0), None)
        request = changed(wanted.request, slices=() if layer is None else (layer,))
        wanted = changed(wanted, request=request)
    search = GroupSearch.of(flavor, rules, (wanted,))
    placed = place_group(search, uid=uid, within=within, log=log)
    if placed.reason:
        return _none(placed.reason)
    new = placed.assignments[wanted.pod_set]
    if not new.domains:
        return _none(f"cannot find replacement assignment for unhealthy node: {node}")
    return merged_assignment(tree, new, kept), new, ""


def _none(reason: str) -> Replacement:
    return None, None, reason


def _domain_to_stay_in(
    tree: TopologyTree, wanted: PlacementRequest, kept: list[TopologyDomain]
) -> str:
    """Return the name of the domain that the replacement must be in, ``""`` if any will do."""
    level = wanted.level(tree.levels)
    if level is None or level not in tree.levels or not kept:
        return ""
    slices = wanted.request.slices
    if slices and slices[0].size <= 0:
        return ""
    if slices and wanted.count % slices[0].size != 0:
        layer = slices[0]
        if len(slices) > 1:
            layer = next(each for each in reversed(slices) if wanted.count % each.size != 0)
        return _incomplete_slice(tree, wanted, kept, layer)
    if wanted.request.required is None:
        return ""
    return _name_above(tree, kept[0], tree.levels.index(level))


def _incomplete_slice(
    tree: TopologyTree,
    wanted: PlacementRequest,
    kept: Iterable[TopologyDomain],
    layer: SliceLayer,
) -> str:
    """Return the domain in which the missing pods make slices whole again."""
    if layer.level not in tree.levels:
        return ""
    pods: dict[str, int] = {}
    for domain in kept:
        name = _name_above(tree, domain, tree.levels.index(layer.level))
        pods[name] = pods.get(name, 0) + domain.count
    whole = (name for name, count in pods.items() if (count + wanted.count) % layer.size == 0)
    return next(whole, "")


def _name_above(tree: TopologyTree, domain: TopologyDomain, level: int) -> str:
    leaf = tree.leaf_of[leaf_name(domain)]
    if level == len(tree.levels) - 1:
        return tree.id_of(leaf)
    return domain_id(leaf.values[: level + 1])


def merged_assignment(
    tree: TopologyTree, new: TopologyAssignment, kept: Iterable[TopologyDomain]
) -> TopologyAssignment:
    """Return both together, in the order of domains, one entry for each."""
    pods: dict[str, TopologyDomain] = {}
    for domain in (*new.domains, *kept):
        known = pods.get(leaf_name(domain))
        count = domain.count + (0 if known is None else known.count)
        pods[leaf_name(domain)] = TopologyDomain(domain.values, count)
    ordered = sorted(pods.items(), key=lambda item: domain_id(tree.leaf_of[item[0]].values))
    return TopologyAssignment(new.levels, tuple(domain for _, domain in ordered))
