"""A flavor with a topology: its nodes as a tree of domains, and what is known of its capacity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.model import Node, ResourceFlavor, Topology
from kueuelab.model.topology import HOSTNAME, belongs_to
from kueuelab.topology.capacity import Capacity, PodShape
from kueuelab.topology.feasible import Exclusions, Feasible, Selection, feasible_leaves
from kueuelab.topology.tree import Amounts, TopologyTree, domain_id

__all__ = ["TopologyFlavor"]

#: So many kinds of pods have their counts kept.
_KEPT: Final = 64


class TopologyFlavor:
    """One flavor's nodes, domain by domain.

    Parameters
    ----------
    flavor, topology
        As they were when both were there first. In releases in which what counts of them may
        change, another one takes its place.

    Attributes
    ----------
    usage
        Domain name to what admitted workloads use there, also of domains without nodes.
    """

    __slots__ = (
        "_capacities",
        "_feasible",
        "_node_labels",
        "_tree",
        "levels",
        "matched",
        "name",
        "tolerations",
        "topology_name",
        "usage",
    )

    def __init__(self, flavor: ResourceFlavor, topology: Topology) -> None:
        self.name = flavor.metadata.name
        self.topology_name = topology.metadata.name
        self.levels = topology.levels
        self.tolerations = flavor.tolerations
        self.usage: dict[str, dict[str, int]] = {}
        #: Pod sets, by the workload's uid, that looked for feasible nodes in this cycle.
        self.matched: set[tuple[str, str]] = set()
        self._node_labels = flavor.node_labels
        self._tree: TopologyTree | None = None
        self._feasible: dict[Selection, Feasible] = {}
        self._capacities: dict[tuple[PodShape, Selection], Capacity] = {}

    def has_rules_of(self, flavor: ResourceFlavor) -> bool:
        """Tell whether a flavor still has the node labels and tolerations that count here."""
        labels, tolerations = dict(flavor.node_labels), flavor.tolerations
        return (dict(self._node_labels), self.tolerations) == (labels, tolerations)

    # --- nodes -------------------------------------------------------------------------

    def selects(self, node: Node) -> bool:
        """Tell whether a node has the flavor's labels, and one for each level."""
        return belongs_to(node.metadata.labels, self._node_labels, self.levels)

    @property
    def assigns_nodes(self) -> bool:
        """Whether the lowest level is the hostname: a pod is assigned to a node."""
        return bool(self.levels) and self.levels[-1] == HOSTNAME

    @property
    def tree(self) -> TopologyTree:
        """The domains; :meth:`grow` must have been called."""
        assert self._tree is not None
        return self._tree

    @property
    def is_grown(self) -> bool:
        """Whether the domains are known."""
        return self._tree is not None

    def grow(
        self,
        nodes: Mapping[str, Node],
        used_by_pods: Mapping[str, Amounts],
        usage: Mapping[str, Amounts],
    ) -> None:
        """Derive the domains from the nodes that are ready and schedulable.

        Parameters
        ----------
        nodes
            All nodes by name.
        used_by_pods
            Node to what pods outside of topology-aware scheduling use there.
        usage
            Domain name to what workloads use there.
        """
        selected = [
            node
            for node in nodes.values()
            if node.is_ready and not node.unschedulable and self.selects(node)
        ]
        self._tree = TopologyTree(self.levels, selected, used_by_pods)
        for name, leaf in self._tree.leaf_of.items():
            leaf.usage.update(usage.get(name, {}))

    def uproot(self) -> None:
        """Forget the domains: nodes or pods on them changed."""
        self._tree = None
        self._feasible.clear()
        self._capacities.clear()

    # --- capacity ----------------------------------------------------------------------

    def capacity(self, shape: PodShape, selection: Selection) -> Capacity:
        """Return what fits into each domain now."""
        self._shorten_changes()
        key = (shape, selection)
        known = self._capacities.pop(key, None)
        if known is None:
            known = Capacity(self.tree, shape, self._feasible_for(selection))
            if len(self._capacities) >= _KEPT:
                del self._capacities[next(iter(self._capacities))]
        else:
            known.refresh()
        # The last one used is the last to be dropped.
        self._capacities[key] = known
        return known

    def capacity_within(
        self, shape: PodShape, selection: Selection, domain: str
    ) -> tuple[Capacity, Exclusions]:
        """Return what fits into the leaves of one domain, and what excludes all others."""
        tree, feasible = self.tree, self._feasible_for(selection)
        inside = {
            position: score
            for position, score in feasible.scores.items()
            if _belongs(domain_id(tree.leaves[position].values), domain)
        }
        capacity = Capacity(tree, shape, Feasible(inside, feasible.exclusions))
        outside = len(feasible.scores) - len(inside)
        return capacity, capacity.exclusions(outside=outside)

    def kept_capacities(self) -> list[tuple[tuple[PodShape, Selection], Capacity]]:
        """Return the counts that are kept, with what they were asked for."""
        return list(self._capacities.items())

    def _feasible_for(self, selection: Selection) -> Feasible:
        known = self._feasible.get(selection)
        if known is None:
            known = self._feasible[selection] = feasible_leaves(self.tree, selection)
        return known

    def _shorten_changes(self) -> None:
        changes = self.tree.changes
        if len(changes) <= 2 * len(self.tree.leaves) + 1_000:
            return
        for capacity in self._capacities.values():
            capacity.refresh()
        changes.clear()
        for capacity in self._capacities.values():
            capacity.forget_changes()

    def __repr__(self) -> str:
        return f"<TopologyFlavor {self.name}: {' > '.join(self.levels)}>"


def _belongs(name: str, domain: str) -> bool:
    return name == domain or name.startswith(f"{domain},")
