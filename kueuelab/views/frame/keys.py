"""The keys of what a frame holds: nodes of the tree, bars of quota, chips of workloads."""

from __future__ import annotations

from typing import Final

from kueuelab.trace.cohort_tree import NodeId

__all__ = ["bar_key", "chip_key", "node_key"]

_LETTERS: Final = {"Cohort": "c", "ClusterQueue": "q", "LocalQueue": "l"}


def node_key(node: NodeId) -> str:
    """Return the key of a node.

    >>> node_key(("ClusterQueue", "team-a"))
    'q:team-a'
    """
    return f"{_LETTERS[node[0]]}:{node[1]}"


def bar_key(node: NodeId, flavor: str, resource: str) -> str:
    """Return the key of a node's bar.

    >>> bar_key(("Cohort", "all"), "default", "cpu")
    'c:all|default|cpu'
    """
    return f"{node_key(node)}|{flavor}|{resource}"


def chip_key(workload: str, flavor: str, resource: str) -> str:
    """Return the key of a workload's quota of a resource.

    >>> chip_key("default/a", "on-demand", "cpu")
    'default/a|on-demand|cpu'
    """
    return f"{workload}|{flavor}|{resource}"
