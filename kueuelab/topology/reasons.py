"""Why a group has no place, in Kueue's words."""

from __future__ import annotations

from kueuelab.topology.capacity import Capacity
from kueuelab.topology.feasible import Exclusions
from kueuelab.topology.level import Found, Group
from kueuelab.topology.tree import TopologyTree, domain_id

__all__ = ["not_fit_reason"]


def not_fit_reason(
    topology: str,
    tree: TopologyTree,
    capacity: Capacity,
    group: Group,
    found: Found,
    exclusions: Exclusions,
) -> str:
    """Return how many pods or slices fit, and what excludes nodes.

    Parameters
    ----------
    topology
        Its name.
    found
        How many fit.
    exclusions
        What excludes nodes.
    """
    if group.layers:
        text = f'topology "{topology}" doesn\'t allow to fit'
        return text + _layers(tree, capacity, group, found.level) + exclusions.text
    unit = "pod" if group.slice_size == 1 else "slice"
    if found.fitting == 0:
        text = f'topology "{topology}" doesn\'t allow to fit any of {group.slices} {unit}(s)'
    else:
        text = (
            f'topology "{topology}" allows to fit only {found.fitting} '
            f"out of {group.slices} {unit}(s)"
        )
    return text + exclusions.text


def _layers(tree: TopologyTree, capacity: Capacity, group: Group, level: int) -> str:
    """Return what of each layer of slices fits into the domain that takes the most."""
    best = min(
        range(len(tree.values[level])),
        key=lambda domain: (-capacity.slices[level][domain], domain_id(tree.values[level][domain])),
    )
    parts = []
    for layer in group.layers:
        at = tree.levels.index(layer.level)
        fits = sum(
            capacity.pods[at][domain] // layer.size
            for domain in range(len(tree.values[at]))
            if at >= level and _above(tree, at, domain, level) == best
        )
        needed = group.pods // layer.size
        parts.append(f"; {fits}/{needed} slice(s) fit on level {layer.level}")
    return "".join(parts)


def _above(tree: TopologyTree, level: int, domain: int, ancestor_level: int) -> int:
    while level > ancestor_level:
        domain = tree.parents[level][domain]
        level -= 1
    return domain
