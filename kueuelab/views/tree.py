"""The tree of cohorts, ClusterQueues and LocalQueues, laid out line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kueuelab.model import UNLIMITED
from kueuelab.trace.cohort_tree import NodeId, parents_in
from kueuelab.trace.reading import Quota, State

__all__ = ["Lane", "Node", "NodeKind", "Tree", "below", "members", "nominal_below", "tree_of"]

NodeKind: TypeAlias = Literal["Cohort", "ClusterQueue", "LocalQueue"]

#: Cohorts stand below ClusterQueues of the same parent, as deeper things do in a file tree.
_RANK = {"LocalQueue": 0, "ClusterQueue": 1, "Cohort": 2}


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of the picture: a flavor and resource of a node, or the jobs that wait.

    ``quota`` is ``None`` for the line of a LocalQueue.
    """

    line: int
    quota: Quota | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree, with its lines from top to bottom; the first has its name.

    Attributes
    ----------
    kind, name
        The object; a LocalQueue's name is ``namespace/name``.
    parent
        Kind and name of the node above it, ``None`` at the top.
    depth
        How far it is from the top.
    lanes
        Its lines; at least one. A cohort has one for each flavor and resource below it.
    own
        The quotas that it has itself.
    """

    kind: NodeKind
    name: str
    parent: tuple[str, str] | None
    depth: int
    lanes: tuple[Lane, ...]
    own: tuple[Quota, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """``(kind, name)``."""
        return self.kind, self.name


@dataclass(frozen=True, slots=True)
class Tree:
    """All nodes in the order of their lines."""

    nodes: tuple[Node, ...]
    lines: int

    @property
    def depth(self) -> int:
        """How many levels there are."""
        return max((node.depth for node in self.nodes), default=-1) + 1


def tree_of(state: State) -> Tree:
    """Lay the tree out. It depends on objects only, so it stays while jobs come and go.

    Examples
    --------
    >>> queue = {"kind": "ClusterQueue", "spec": {"cohortName": "team"}}
    >>> tree_of(State({"": {"objects": {"ClusterQueue/a": queue}}})).nodes[0].key
    ('Cohort', 'team')
    """
    parents = parents_in(state)
    children: dict[NodeId | None, list[NodeId]] = {}
    for node in sorted(parents, key=_order):
        children.setdefault(parents[node], []).append(node)
    own = {(kind, name): _own(state, kind, name) for kind, name in parents}

    nodes: list[Node] = []
    line = 0
    for found, depth in _preorder(children):
        lanes = _lanes(quota for each in _subtree(children, found) for quota in own[each])
        placed = tuple(Lane(line + offset, quota) for offset, quota in enumerate(lanes))
        kind: NodeKind = found[0]  # type: ignore[assignment]
        nodes.append(Node(kind, found[1], parents[found], depth, placed, own[found]))
        line += len(placed)
    return Tree(tuple(nodes), line)


def _preorder(
    children: Mapping[NodeId | None, Sequence[NodeId]], top: NodeId | None = None
) -> Iterator[tuple[NodeId, int]]:
    """Yield what is below a node with its depth there, parents before their children."""
    waiting = [(node, 0) for node in reversed(children.get(top, ()))]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += [(child, depth + 1) for child in reversed(children.get(node, ()))]


def _subtree(children: Mapping[NodeId | None, Sequence[NodeId]], top: NodeId) -> Iterator[NodeId]:
    yield top
    yield from (node for node, _ in _preorder(children, top))


def _own(state: State, kind: str, name: str) -> tuple[Quota, ...]:
    if kind == "LocalQueue":
        return ()
    return (state.cohort(name) if kind == "Cohort" else state.cluster_queue(name)).quotas


def _lanes(found: Iterable[Quota]) -> list[Quota | None]:
    """Return one quota for each flavor and resource, the first one: that of the node itself."""
    lanes: dict[tuple[str, str], Quota | None] = {}
    for quota in found:
        lanes.setdefault((quota.flavor, quota.resource), quota)
    return list(lanes.values()) or [None]


def _order(node: NodeId) -> tuple[int, str]:
    return _RANK[node[0]], node[1]


def below(tree: Tree, top: Node) -> list[Node]:
    """Return the cohorts and ClusterQueues below a cohort."""
    inside = {top.key}
    found = []
    for node in tree.nodes:
        if node.parent in inside and node.kind != "LocalQueue":
            inside.add(node.key)
            found.append(node)
    return found


def nominal_below(tree: Tree, top: Node, place: tuple[str, str]) -> int:
    """Return the nominal quota of a cohort and all below it, of one flavor and resource."""
    total = sum(
        own.nominal
        for node in (top, *below(tree, top))
        for own in node.own
        if (own.flavor, own.resource) == place
    )
    return min(total, UNLIMITED)


def members(tree: Tree, name: str) -> list[str]:
    """Return the ClusterQueue of this name, or those below the cohort of this name."""
    for node in tree.nodes:
        if node.name == name and node.kind == "ClusterQueue":
            return [name]
    return [
        each.name
        for node in tree.nodes
        if node.name == name and node.kind == "Cohort"
        for each in below(tree, node)
        if each.kind == "ClusterQueue"
    ]
