"""All flavors with a topology: which workload uses what in which domain.

What a scheduling cycle only simulates goes to the same journal as quota, and is undone with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kueuelab.model import Node, ResourceFlavor, Topology
from kueuelab.quota import Journal
from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.tree import Amounts, Leaf

__all__ = ["DomainUsage", "FlavorUsage", "TopologyForest"]


@dataclass(frozen=True, slots=True)
class DomainUsage:
    """Pods of one kind in one domain.

    Attributes
    ----------
    domain
        Its name, as in assignments.
    requests
        What one pod requests.
    count
        The number of pods.
    """

    domain: str
    requests: Amounts
    count: int

    @property
    def amounts(self) -> dict[str, int]:
        """What all of them use; each is one of ``pods``."""
        total = {name: amount * self.count for name, amount in self.requests.items()}
        total["pods"] = total.get("pods", 0) + self.count
        return total


#: Flavor to what is used in its domains.
FlavorUsage = Mapping[str, tuple[DomainUsage, ...]]


class TopologyForest:
    """The topologies of a cluster's flavors, and their usage.

    Parameters
    ----------
    journal
        Where simulated changes are written, with those of quota.
    nodes
        Nodes by name, as they are at any moment.
    overlapping
        The feature gate ``TASHandleOverlappingFlavors``: what a workload uses of a node counts in
        every flavor that has the node.
    """

    __slots__ = ("_booked", "_journal", "_nodes", "_overlapping", "flavors", "used_by_pods")

    def __init__(
        self, journal: Journal, nodes: Mapping[str, Node], *, overlapping: bool = True
    ) -> None:
        self.flavors: dict[str, TopologyFlavor] = {}
        #: Node to what pods outside of topology-aware scheduling use there.
        self.used_by_pods: dict[str, dict[str, int]] = {}
        self._journal = journal
        self._nodes = nodes
        self._overlapping = overlapping
        self._booked: dict[str, FlavorUsage] = {}

    # --- flavors and nodes -------------------------------------------------------------

    def set_flavor(self, flavor: ResourceFlavor, topology: Topology) -> bool:
        """Add a flavor whose topology is there; tell whether it is new. A known one stays."""
        name = flavor.metadata.name
        if name in self.flavors or not topology.levels:
            return False
        added = self.flavors[name] = TopologyFlavor(flavor, topology)
        for usage in self._booked.values():
            for each in usage.get(name, ()):
                _add(added.usage.setdefault(each.domain, {}), each.amounts)
        return True

    def remove_flavor(self, name: str) -> None:
        """Remove a flavor, or one whose topology was removed."""
        if self.flavors.pop(name, None) is not None:
            self.uproot()

    def uproot(self) -> None:
        """Note that nodes, or pods on them, changed."""
        for flavor in self.flavors.values():
            flavor.uproot()

    def count_pod(self, node: str, amounts: Amounts, sign: int) -> None:
        """Count what a pod outside of topology-aware scheduling takes of a node, or gives back."""
        _add(self.used_by_pods.setdefault(node, {}), amounts, sign)
        for flavor in self.flavors.values():
            leaf = flavor.tree.leaf_of_node.get(node) if flavor.is_grown else None
            if leaf is not None:
                _add(leaf.free, amounts, -sign)
                leaf.touch()

    def begin_cycle(self) -> None:
        """Note that a scheduling cycle begins: derive the domains that changed."""
        for flavor in self.flavors.values():
            flavor.matched.clear()
            if not flavor.is_grown:
                flavor.grow(self._nodes, self.used_by_pods, self._usage_seen_by(flavor))

    def _usage_seen_by(self, flavor: TopologyFlavor) -> Mapping[str, Amounts]:
        if not self._shares_nodes(flavor):
            return flavor.usage
        total: dict[str, dict[str, int]] = {}
        for other in self.flavors.values():
            if self._shares_nodes(other):
                for domain, amounts in other.usage.items():
                    _add(total.setdefault(domain, {}), amounts)
        return total

    def _shares_nodes(self, flavor: TopologyFlavor) -> bool:
        """Tell whether usage counts in all flavors: where domains are nodes, with the gate."""
        return self._overlapping and flavor.assigns_nodes

    def seeing(self, flavor: TopologyFlavor) -> Iterable[TopologyFlavor]:
        """Yield the flavors in which usage of one flavor counts."""
        if not self._shares_nodes(flavor):
            yield flavor
            return
        yield from (other for other in self.flavors.values() if self._shares_nodes(other))

    # --- what workloads use ------------------------------------------------------------

    def book(self, key: str, usage: FlavorUsage) -> None:
        """Account for an admitted workload, in place of what was booked for it before."""
        if self._booked.get(key) == usage:
            return
        self.release(key)
        if usage:
            self._booked[key] = usage
            self._count(usage, 1)

    def release(self, key: str) -> bool:
        """Release what was booked for a workload; tell whether there was anything."""
        usage = self._booked.pop(key, None)
        if usage is None:
            return False
        self._count(usage, -1)
        return True

    def booked(self, key: str) -> FlavorUsage:
        """Return what is booked for a workload, by flavor."""
        return self._booked.get(key, {})

    def _count(self, usage: FlavorUsage, sign: int) -> None:
        for name, parts in usage.items():
            flavor = self.flavors.get(name)
            if flavor is None:
                continue
            for each in parts:
                amounts = each.amounts
                _add(flavor.usage.setdefault(each.domain, {}), amounts, sign)
                for seer in self.seeing(flavor):
                    leaf = seer.tree.leaf_of.get(each.domain) if seer.is_grown else None
                    if leaf is not None:
                        _add(leaf.usage, amounts, sign)
                        leaf.touch()

    # --- simulation --------------------------------------------------------------------

    def add(self, usage: FlavorUsage) -> None:
        """Simulate that something more is used, each in its own flavor only."""
        self._simulate(usage, 1)

    def _simulate(self, usage: FlavorUsage, sign: int) -> None:
        for name, parts in usage.items():
            flavor = self.flavors.get(name)
            if flavor is None:
                continue
            for each in parts:
                leaf = flavor.tree.leaf_of.get(each.domain)
                if leaf is not None:
                    self._change(leaf, each.amounts, sign)

    def _change(self, leaf: Leaf, amounts: Amounts, sign: int) -> None:
        entries = self._journal.entries if self._journal.is_open else None
        for name, amount in amounts.items():
            before = leaf.usage.get(name, 0)
            if entries is not None:
                entries.append((leaf, name, before))
            leaf.usage[name] = before + sign * amount
        leaf.touch()

    def add_workload(self, key: str) -> None:
        """Simulate that a workload uses what is booked for it."""
        usage = self._booked.get(key)
        if usage is not None:
            self._simulate(usage, 1)

    def remove_workload(self, key: str) -> None:
        """Simulate that a workload uses nothing."""
        usage = self._booked.get(key)
        if usage is not None:
            self._simulate(usage, -1)

    def fits(self, usage: FlavorUsage) -> bool:
        """Tell whether each part of ``usage`` has room in its domain.

        Pods that request nothing never fit, as in Kueue.
        """
        return all(
            (leaf := self.flavors[name].tree.leaf_of.get(each.domain)) is not None
            and _has_room(leaf, each)
            for name, parts in usage.items()
            for each in parts
        )


def _has_room(leaf: Leaf, usage: DomainUsage) -> bool:
    if not usage.requests:
        return usage.count <= 0
    return all(
        leaf.remaining(name) // amount >= usage.count
        for name, amount in usage.requests.items()
        if amount
    )


def _add(total: dict[str, int], amounts: Amounts, sign: int = 1) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + sign * amount
