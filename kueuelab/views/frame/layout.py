"""What of a frame depends on objects only: the tree, and the bars without their use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from kueuelab.model import UNLIMITED
from kueuelab.trace.cohort_tree import NodeId
from kueuelab.trace.reading import State
from kueuelab.views.frame.keys import bar_key, node_key
from kueuelab.views.merge_patch import Json
from kueuelab.views.tree import Node, Tree

__all__ = ["Layout", "Place"]

#: A flavor and a resource.
Place = tuple[str, str]

#: So many chips of one line are shown one by one; fewer where there are many lines.
_MOST_CHIPS: Final = 30
_FEWEST_CHIPS: Final = 3
#: So many chips of all lines together.
_ALL_CHIPS: Final = 3_000


@dataclass(frozen=True)
class Layout:
    """A tree with the quotas of its nodes.

    Attributes
    ----------
    tree
        The tree.
    bars
        For each node its bars by flavor and resource: the numbers that don't change.
    chain
        For each ClusterQueue and Cohort itself and the cohorts above it.
    """

    tree: Tree
    bars: dict[NodeId, dict[Place, Json]] = field(default_factory=dict)
    chain: dict[NodeId, tuple[NodeId, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: Tree) -> Layout:
        """Lay out a tree."""
        found = cls(tree)
        for node in tree.nodes:
            above = found.chain[node.parent] if node.parent else ()
            found.chain[node.key] = (node.key, *above)
        nominal = found._nominal()
        for node in tree.nodes:
            found.bars[node.key] = {
                (lane.quota.flavor, lane.quota.resource): _bar(
                    node, (lane.quota.flavor, lane.quota.resource), lane.line, nominal
                )
                for lane in node.lanes
                if lane.quota is not None
            }
        return found

    def _nominal(self) -> dict[tuple[NodeId, Place], int]:
        """Return the nominal quota of each node with all below it."""
        total: dict[tuple[NodeId, Place], int] = {}
        for node in self.tree.nodes:
            for own in node.own:
                place = (own.flavor, own.resource)
                for each in self.chain[node.key]:
                    total[each, place] = total.get((each, place), 0) + own.nominal
        return total

    def root(self, node: NodeId) -> NodeId:
        """Return the top of a node's tree."""
        return self.chain[node][-1]

    @cached_property
    def most_chips(self) -> int:
        """How many chips of one line are shown one by one."""
        return max(_FEWEST_CHIPS, min(_MOST_CHIPS, _ALL_CHIPS // max(1, self.tree.lines)))

    @cached_property
    def local_queues(self) -> dict[str, int]:
        """The LocalQueues with their place in the tree."""
        return {
            node.name: order
            for order, node in enumerate(self.tree.nodes)
            if node.kind == "LocalQueue"
        }

    def nodes(self, state: State) -> Json:
        """Return the nodes as a frame has them."""
        return {
            node_key(node.key): {"order": order, **dict(_node(node, state))}
            for order, node in enumerate(self.tree.nodes)
        }


def _node(node: Node, state: State) -> Iterator[tuple[str, Any]]:
    yield "kind", node.kind
    yield "name", node.name
    yield "depth", node.depth
    yield "parent", node_key(node.parent) if node.parent else ""
    if node.kind == "ClusterQueue":
        queue = state.cluster_queue(node.name)
        yield "strategy", queue.queueing_strategy
        if policies := {field: str(policy) for field, policy in queue.preemption_policies}:
            yield "policies", policies


def _bar(node: Node, place: Place, line: int, nominal: dict[tuple[NodeId, Place], int]) -> Json:
    flavor, resource = place
    bar: Json = {
        "node": node_key(node.key),
        "flavor": flavor,
        "resource": resource,
        "order": line,
        "nominal": min(nominal.get((node.key, place), 0), UNLIMITED),
        "used": 0,
    }
    limits = next((own for own in node.own if (own.flavor, own.resource) == place), None)
    if limits is not None and limits.borrowing_limit is not None:
        bar["borrowingLimit"] = limits.borrowing_limit
    if limits is not None and limits.lending_limit is not None:
        bar["lendingLimit"] = limits.lending_limit
    return bar


def key_of(node: NodeId, place: Place) -> str:
    """Return the key of the bar of a node at a place."""
    return bar_key(node, *place)
