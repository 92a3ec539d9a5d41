"""Rules about topologies, the nodes that they have, and what is asked of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kueuelab.messages import Message
from kueuelab.model import Node, ResourceFlavor, Topology, amount_string, request_amount
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.most_placed import PlacedTogether, most_placed, placed_together
from kueuelab.whatif.advice.names import author_of
from kueuelab.whatif.advice.setting import Setting
from kueuelab.whatif.references import Reference

__all__ = ["levels_without_nodes", "never_placed", "quota_exceeds_nodes"]


def levels_without_nodes(setting: Setting) -> Iterator[Finding]:
    """A level of a topology that no node of its flavors has."""
    for flavor, topology in _placing(setting):
        nodes = [node for node in _nodes(setting) if _selected(node, flavor)]
        for index, level in enumerate(topology.levels):
            if not any(level in node.metadata.labels for node in nodes):
                yield Finding(
                    Reference.of(topology),
                    f"spec.levels[{index}].nodeLabel",
                    Message("whatif.advice.level", level=level),
                    Message("whatif.advice.level.why", flavor=flavor.metadata.name),
                    Message("whatif.advice.level.do"),
                )


def quota_exceeds_nodes(setting: Setting) -> Iterator[Finding]:
    """More quota of a flavor than its nodes hold."""
    for flavor, topology in _placing(setting):
        held: Counter[str] = Counter()
        for node in _nodes_of(setting, flavor, topology):
            for resource, quantity in node.allocatable.items():
                held[resource] += request_amount(resource, quantity)
        if not held:
            continue
        for resource, amount in _quota_of(setting, flavor.metadata.name).items():
            if amount > held[resource]:
                values = {"resource": resource, "flavor": flavor.metadata.name}
                quota = amount_string(resource, amount)
                has = amount_string(resource, held[resource])
                yield Finding(
                    Reference.of(flavor),
                    "",
                    Message("whatif.advice.more-quota", amount=quota, **values),
                    Message("whatif.advice.more-quota.why", amount=has, resource=resource),
                    Message("whatif.advice.more-quota.do"),
                )


def never_placed(setting: Setting) -> Iterator[Finding]:
    """A workload whose pods find no place even on empty nodes."""
    for workload in setting.workloads:
        queue = setting.queue_of(workload)
        if queue is None:
            continue
        names = {each.name for group in queue.resource_groups for each in group.flavors}
        offered = [pair for pair in _placing(setting) if pair[0].metadata.name in names]
        if not names or len(offered) != len(names):
            continue  # another flavor may take it
        for wanted in placed_together(workload):
            if wanted.request.required is None and not wanted.request.slices:
                continue
            most = max(
                most_placed(_nodes_of(setting, *pair), pair[1].levels, wanted) for pair in offered
            )
            if most < wanted.least:
                about, _ = author_of(workload)
                field = "spec.podSets" if about.kind == "Workload" else ""
                yield Finding(about, field, *_never_placed(wanted, queue.name, most))


def _never_placed(wanted: PlacedTogether, queue: str, most: int) -> tuple[str, str, str]:
    """Return what is asked for, why it has no place, and what to do."""
    request = wanted.request
    kind = "no-place"
    values: dict[str, Any] = {"level": request.required, "count": wanted.least}
    if request.slices:
        kind = "no-slices" if request.required is None else "no-place-for-slices"
        values |= {"size": wanted.size, "sliceLevel": request.slices[0].level}
    why = Message(f"whatif.advice.{kind}.why", queue=queue, count=most)
    if wanted.leader is not None:
        why = Message("whatif.advice.beside-leader", why=why)
    do = "no-slices" if request.slices else "no-place"
    return Message(f"whatif.advice.{kind}", **values), why, Message(f"whatif.advice.{do}.do")


def _placing(setting: Setting) -> Iterator[tuple[ResourceFlavor, Topology]]:
    """Yield the flavors whose topology is there, if nodes are known at all."""
    if not any(True for _ in _nodes(setting)):
        return
    topologies = {o.metadata.name: o for o in setting.objects if isinstance(o, Topology)}
    for flavor in setting.flavors.values():
        topology = topologies.get(flavor.topology_name or "")
        if topology is not None:
            yield flavor, topology


def _nodes(setting: Setting) -> Iterator[Node]:
    return (obj for obj in setting.objects if isinstance(obj, Node))


def _selected(node: Node, flavor: ResourceFlavor) -> bool:
    labels = node.metadata.labels
    return all(labels.get(key) == value for key, value in flavor.node_labels.items())


def _nodes_of(setting: Setting, flavor: ResourceFlavor, topology: Topology) -> Iterator[Node]:
    for node in _nodes(setting):
        if _selected(node, flavor) and all(
            each in node.metadata.labels for each in topology.levels
        ):
            yield node


def _quota_of(setting: Setting, flavor: str) -> Counter[str]:
    """Return the nominal quota of a flavor in all ClusterQueues and cohorts."""
    total: Counter[str] = Counter()
    holders = [
        *(setting.tree.cluster_queues[name] for name in setting.queues),
        *(setting.tree.cohorts[name] for name in setting.cohorts),
    ]
    for holder in holders:
        for (name, resource), quota in holder.quotas.items():
            if name == flavor:
                total[resource] += quota.nominal
    return total
