"""Quota trees from few words, small enough to reckon by hand."""

from __future__ import annotations

from collections.abc import Mapping

from kueuelab.model import (
    ClusterQueue,
    Cohort,
    FlavorQuotas,
    ObjectMeta,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.quota import Node, QuotaTree

FR, OTHER, UNKNOWN = ("default", "cpu"), ("default", "memory"), ("spot", "cpu")

#: Nominal quota, borrowing limit, lending limit.
Amounts = tuple[int, int | None, int | None]


def groups(cpu: Amounts | None, memory: int | None = None) -> tuple[ResourceGroup, ...]:
    quotas = [] if cpu is None else [ResourceQuota("cpu", *cpu)]
    if memory is not None:
        quotas.append(ResourceQuota("memory", memory))
    names = tuple(each.name for each in quotas)
    return (ResourceGroup(names, (FlavorQuotas("default", tuple(quotas)),)),) if quotas else ()


def build(
    queues: Mapping[str, tuple[str, Amounts]],
    cohorts: Mapping[str, tuple[str, Amounts | None]] | None = None,
) -> QuotaTree:
    """Build a tree from each node's parent and quota."""
    tree = QuotaTree()
    for name, (parent, quota) in (cohorts or {}).items():
        tree.set_cohort(Cohort(ObjectMeta(name), parent, groups(quota)))
    for name, (parent, quota) in queues.items():
        tree.set_cluster_queue(ClusterQueue(ObjectMeta(name), groups(quota), parent))
    return tree


def use(tree: QuotaTree, **amounts: int) -> None:
    for name, amount in amounts.items():
        tree.add_usage(tree.cluster_queues[name], {FR: amount})


def used(tree: QuotaTree) -> dict[str, int | None]:
    nodes: dict[str, Node] = {**tree.cohorts, **tree.cluster_queues}
    return {name: node.usage.get(FR) for name, node in sorted(nodes.items())}
