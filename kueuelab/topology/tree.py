"""The tree of domains of one flavor: blocks, racks, nodes, and what is free in each leaf.

Domains of a level are numbered in the order of their label values, and so the children of a
domain are neighbours. An algorithm names a domain by its level and its position there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kueuelab.model import Node, request_amount
from kueuelab.model.topology import HOSTNAME

__all__ = ["Amounts", "Leaf", "TopologyTree", "domain_id"]

#: Resource to amount in Kueue's unit; ``pods`` is a resource like others.
Amounts = Mapping[str, int]

_SEPARATOR: Final = ","


def domain_id(values: Sequence[str]) -> str:
    """Return the name of a domain: its label values, joined."""
    return _SEPARATOR.join(values)


class Leaf:
    """A domain of the lowest level.

    Attributes
    ----------
    position
        Its number among the leaves.
    values
        Its label values, from the widest level down.
    node
        The node, if the lowest level is the hostname.
    free
        What its nodes can hold, less what pods outside of topology-aware scheduling use.
    usage
        What admitted workloads use of it.
    assumed
        What pod sets of the workload that is being placed will use of it.
    """

    __slots__ = ("_changes", "assumed", "free", "node", "position", "usage", "values")

    def __init__(self, position: int, values: tuple[str, ...], changes: list[int]) -> None:
        self.position = position
        self.values = values
        self.node: Node | None = None
        self.free: dict[str, int] = {}
        self.usage: dict[str, int] = {}
        self.assumed: dict[str, int] = {}
        self._changes = changes

    def remaining(self, resource: str, *, empty: bool = False) -> int:
        """Return what is left of a resource; ``empty``: as if no workload used any of it."""
        left = self.free.get(resource, 0) - self.assumed.get(resource, 0)
        return left if empty else left - self.usage.get(resource, 0)

    def touch(self) -> None:
        """Note that what is left has changed."""
        self._changes.append(self.position)

    def restore(self, key: str, before: int) -> None:
        """Set the usage of a resource to what it was."""
        self.usage[key] = before
        self._changes.append(self.position)

    def __repr__(self) -> str:
        return f"<Leaf {domain_id(self.values)}>"


class TopologyTree:
    """The domains of a flavor's nodes.

    Parameters
    ----------
    levels
        The node labels of the levels, from the widest down.
    nodes
        The nodes of the flavor; each has all of the labels.
    used_by_pods
        Node to what pods outside of topology-aware scheduling use there.

    Attributes
    ----------
    values
        Per level the label values of its domains, sorted.
    children
        Per level, but the lowest, the range of each domain's children in the next level.
    parents
        Per level, but the widest, the position of each domain's parent.
    leaves
        The domains of the lowest level.
    leaf_of
        Domain name, as assignments have it, to leaf.
    leaf_of_node
        Node name to leaf.
    by_node
        Whether the lowest level is the hostname: a leaf is a node.
    changes
        The positions of leaves whose usage changed, one after another.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> from kueuelab.quantity import Quantity
    >>> nodes = [
    ...     Node(
    ...         ObjectMeta(name, labels={"rack": rack, "kubernetes.io/hostname": name}),
    ...         allocatable={"cpu": Quantity.parse("4")},
    ...     )
    ...     for name, rack in (("n1", "r1"), ("n2", "r1"), ("n3", "r2"))
    ... ]
    >>> tree = TopologyTree(("rack", "kubernetes.io/hostname"), nodes)
    >>> tree.values[0], tree.children[0]
    ([('r1',), ('r2',)], [range(0, 2), range(2, 3)])
    >>> tree.leaf_of["n3"].remaining("cpu")
    4000
    """

    __slots__ = (
        "by_node",
        "changes",
        "children",
        "leaf_of",
        "leaf_of_node",
        "leaves",
        "levels",
        "parents",
        "values",
    )

    def __init__(
        self,
        levels: Sequence[str],
        nodes: Iterable[Node],
        used_by_pods: Mapping[str, Amounts] | None = None,
    ) -> None:
        self.levels = tuple(levels)
        self.by_node = bool(self.levels) and self.levels[-1] == HOSTNAME
        self.changes: list[int] = []
        members = self._members(nodes)
        self.values = self._values_per_level(members)
        self.parents, self.children = self._edges()
        self.leaves = [
            Leaf(position, values, self.changes) for position, values in enumerate(self.values[-1])
        ]
        self.leaf_of: dict[str, Leaf] = {}
        self.leaf_of_node: dict[str, Leaf] = {}
        # Nodes come in few sizes: each amount is converted once.
        sizes: dict[tuple[str, int], int] = {}
        for leaf in self.leaves:
            self._fill(leaf, members[leaf.values], used_by_pods or {}, sizes)

    def _members(self, nodes: Iterable[Node]) -> dict[tuple[str, ...], list[Node]]:
        """Return the nodes of each leaf; nodes with the same hostname share one."""
        found: dict[tuple[str, ...], list[Node]] = {}
        known: dict[str, tuple[str, ...]] = {}
        for node in sorted(nodes, key=lambda node: node.metadata.name):
            labels = node.metadata.labels
            values = tuple(labels[level] for level in self.levels)
            if self.by_node:
                values = known.setdefault(values[-1], values)
            found.setdefault(values, []).append(node)
        return found

    def _values_per_level(self, leaves: Iterable[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
        found = sorted(leaves)
        return [
            list(dict.fromkeys(values[: level + 1] for values in found))
            for level in range(len(self.levels))
        ]

    def _edges(self) -> tuple[list[list[int]], list[list[range]]]:
        parents: list[list[int]] = [[]]
        children: list[list[range]] = []
        for level in range(1, len(self.levels)):
            above = {values: place for place, values in enumerate(self.values[level - 1])}
            own = [above[values[:-1]] for values in self.values[level]]
            ends = [0] * len(above)
            for position, parent in enumerate(own):
                ends[parent] = position + 1
            starts = [0, *ends][: len(ends)]
            parents.append(own)
            children.append([range(*bounds) for bounds in zip(starts, ends, strict=True)])
        return parents, children

    def _fill(
        self,
        leaf: Leaf,
        nodes: list[Node],
        used_by_pods: Mapping[str, Amounts],
        sizes: dict[tuple[str, int], int],
    ) -> None:
        self.leaf_of[self.id_of(leaf)] = leaf
        if self.by_node:
            leaf.node = nodes[0]
        free = leaf.free
        for node in nodes:
            self.leaf_of_node[node.metadata.name] = leaf
            for name, quantity in node.allocatable.items():
                size = sizes.get((name, quantity.nano))
                if size is None:
                    size = sizes[name, quantity.nano] = request_amount(name, quantity)
                free[name] = free.get(name, 0) + size
            for name, amount in used_by_pods.get(node.metadata.name, {}).items():
                free[name] = free.get(name, 0) - amount

    def id_of(self, leaf: Leaf) -> str:
        """Return the name of a leaf in assignments: of a node, its hostname alone."""
        return leaf.values[-1] if self.by_node else domain_id(leaf.values)

    def ancestor(self, leaf: Leaf, level: int) -> int:
        """Return the position of the domain of ``level`` that a leaf belongs to."""
        position = leaf.position
        for below in range(len(self.levels) - 1, level, -1):
            position = self.parents[below][position]
        return position

    def leaves_below(self, level: int, position: int) -> range:
        """Return the leaves of a domain."""
        first, last = position, position
        for at in range(level, len(self.levels) - 1):
            first, last = self.children[at][first].start, self.children[at][last].stop - 1
        return range(first, last + 1)
