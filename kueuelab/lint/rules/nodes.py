"""Rules about nodes: which flavors they are of, and what they hold. Most need nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from kueuelab.lint.rule import Found, Level, Rule
from kueuelab.lint.rules.advised import advised
from kueuelab.lint.rules.checks import PROVISIONING
from kueuelab.lint.subject import Subject
from kueuelab.manifests.jobs import constants
from kueuelab.model import (
    AdmissionCheck,
    Node,
    Pod,
    ResourceFlavor,
    Taint,
    amount_string,
    request_amount,
)
from kueuelab.model.topology import HOSTNAME
from kueuelab.whatif.advice import topologies
from kueuelab.whatif.references import Reference
from kueuelab.workload.node_match import untolerated_taint
from kueuelab.workload.requests import pod_requests

__all__ = ["RULES"]

#: Taints that Kubernetes itself puts on nodes, and takes away again.
_OF_KUBERNETES: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")


def _listed(subject: Subject) -> Iterator[ResourceFlavor]:
    """Yield the flavors that ClusterQueues list, if nodes are known."""
    if not subject.nodes:
        return
    names = {
        flavor.name
        for queue in subject.queues.values()
        for group in queue.resource_groups
        for flavor in group.flavors
    }
    for name, flavor in subject.setting.flavors.items():
        if name in names:
            yield flavor


def _nodes_of(subject: Subject, flavor: ResourceFlavor) -> list[Node]:
    """Return the nodes that have a flavor's labels."""
    return [
        node
        for node in subject.nodes
        if all(node.metadata.labels.get(key) == v for key, v in flavor.node_labels.items())
    ]


def _is_provisioned(subject: Subject, flavor: ResourceFlavor) -> bool:
    """Tell whether nodes of a flavor are made on demand: an admission check asks for them."""
    checks = {
        check.metadata.name
        for check in subject.of_kind(AdmissionCheck)
        if check.controller_name == PROVISIONING
    }
    return any(
        rule.name in checks and (not rule.on_flavors or flavor.metadata.name in rule.on_flavors)
        for queue in subject.queues.values()
        for rule in queue.admission_checks
    )


def _unless_provisioned(
    check: Callable[[Subject], Iterator[Found]],
) -> Callable[[Subject], Iterator[Found]]:
    """Return a check that says nothing where nodes are made on demand: there may be more then."""

    def known(subject: Subject) -> Iterator[Found]:
        if not any(_is_provisioned(subject, each) for each in subject.setting.flavors.values()):
            yield from check(subject)

    return known


def _without_nodes(subject: Subject) -> Iterator[Found]:
    """A flavor whose labels no node has."""
    for flavor in _listed(subject):
        if not flavor.node_labels or _nodes_of(subject, flavor):
            continue
        if not _is_provisioned(subject, flavor):
            labels = ", ".join(f"{k}={v}" for k, v in sorted(flavor.node_labels.items()))
            values = {"flavor": flavor.metadata.name, "labels": labels}
            yield Found(Reference.of(flavor), "spec.nodeLabels", values)


def _resource_not_on_nodes(subject: Subject) -> Iterator[Found]:
    """Quota of a resource that no node of the flavor has."""
    outputs = {
        name for rule in subject.configuration.resources.transformations for name in rule.outputs
    }
    # Devices that are allocated dynamically are no resources of nodes.
    written = str(subject.written_configuration.get("resources") or "")
    for flavor in _listed(subject):
        nodes = _nodes_of(subject, flavor)
        held = {name for node in nodes for name, each in node.allocatable.items() if each.nano}
        if not held or _is_provisioned(subject, flavor):
            continue
        known = {*held, *outputs, "pods"}
        for queue in subject.queues.values():
            for path, (name, resource) in subject.setting.quotas(queue):
                node = subject.tree.cluster_queues[queue.name]
                if name != flavor.metadata.name or not node.quota((name, resource)).nominal:
                    continue
                if resource not in known and resource not in written:
                    values = {"flavor": name, "resource": resource}
                    yield Found(Reference.of(queue), f"{path}.name", values)


def _pods_quota(subject: Subject) -> Iterator[Found]:
    """Quota for pods that other pods on the nodes leave no room for."""
    others = Counter(
        pod.node_name
        for pod in subject.of_kind(Pod)
        if not pod.is_terminated and constants.MANAGED not in pod.metadata.labels
    )
    for flavor in _listed(subject):
        if not flavor.topology_name:
            continue
        nodes = _nodes_of(subject, flavor)
        room = sum(
            request_amount("pods", node.allocatable["pods"])
            for node in nodes
            if "pods" in node.allocatable
        )
        used = sum(others[node.metadata.name] for node in nodes)
        fr = (flavor.metadata.name, "pods")
        quota = sum(
            node.quotas[fr].nominal
            for node in subject.tree.cluster_queues.values()
            if fr in node.quotas
        )
        if used and room - used < quota <= room:
            values = {"flavor": fr[0], "quota": quota, "room": room - used, "count": used}
            yield Found(Reference.of(flavor), "", values)


def _untolerated(subject: Subject) -> Iterator[Found]:
    """A taint of all nodes of a flavor that the flavor says nothing of."""
    for flavor in _listed(subject):
        nodes = _nodes_of(subject, flavor)
        if not nodes or not flavor.node_labels:
            continue
        left = [_taint_of(node, flavor) for node in nodes]
        taint = left[0]
        if taint is not None and all(each is not None for each in left):
            shown = f"{taint.key}={taint.value}:{taint.effect}" if taint.value else ""
            values = {
                "flavor": flavor.metadata.name,
                "taint": shown or f"{taint.key}:{taint.effect}",
            }
            yield Found(Reference.of(flavor), "spec", values)


def _taint_of(node: Node, flavor: ResourceFlavor) -> Taint | None:
    """Return a taint of a node that its flavor neither names nor tolerates."""
    named = {(each.key, each.value, each.effect) for each in flavor.node_taints}
    taints = [
        each
        for each in node.taints
        if (each.key, each.value, each.effect) not in named
        and not each.key.startswith(_OF_KUBERNETES)
    ]
    return untolerated_taint(tuple(taints), flavor.tolerations)


def _unlabelled_beside_others(subject: Subject) -> Iterator[Found]:
    """A flavor without labels beside others: its pods run on their nodes, too."""
    if not subject.nodes:
        return
    for queue in subject.queues.values():
        for index, group in enumerate(queue.resource_groups):
            known = [subject.setting.flavors.get(each.name) for each in group.flavors]
            labelled = [each for each in known if each is not None and each.node_labels]
            for place, flavor in enumerate(known):
                if flavor is None or flavor.node_labels or flavor.node_taints:
                    continue
                shared = [each for each in labelled if _nodes_of(subject, each)]
                if shared:
                    values = {
                        "flavor": flavor.metadata.name,
                        "others": ", ".join(each.metadata.name for each in shared),
                    }
                    field = f"spec.resourceGroups[{index}].flavors[{place}].name"
                    yield Found(Reference.of(queue), field, values)


def _same_nodes(subject: Subject) -> Iterator[Found]:
    """Two flavors of one resource group that select the same nodes."""
    for queue in subject.queues.values():
        for index, group in enumerate(queue.resource_groups):
            known = [
                (place, found)
                for place, each in enumerate(group.flavors)
                if (found := subject.setting.flavors.get(each.name)) is not None
            ]
            for (_, one), (place, other) in combinations(known, 2):
                same = one.node_labels == other.node_labels and one.node_taints == other.node_taints
                if one.node_labels and same:
                    values = {"first": one.metadata.name, "second": other.metadata.name}
                    field = f"spec.resourceGroups[{index}].flavors[{place}].name"
                    yield Found(Reference.of(queue), field, values)


def _whole_hosts(subject: Subject) -> Iterator[Found]:
    """Several pods that each take most of a host, in flavors without a topology."""
    for workload, queue, _ in subject.waiting:
        names = [each.name for group in queue.resource_groups for each in group.flavors]
        flavors = [each for each in _listed(subject) if each.metadata.name in names]
        if not flavors or any(each.topology_name for each in flavors):
            continue
        nodes = [node for flavor in flavors for node in _nodes_of(subject, flavor)]
        for pod_set in workload.pod_sets:
            asked = {
                name: request_amount(name, each)
                for name, each in pod_requests(pod_set.template.spec).items()
                if "/" in name  # devices, of which a host has few
            }
            resource = next((name for name in sorted(asked) if _fills(nodes, name, asked)), None)
            if pod_set.count > 1 and resource is not None:
                author, _ = subject.author_of(workload)
                values = {
                    "queue": queue.name,
                    "count": pod_set.count,
                    "amount": amount_string(resource, asked[resource]),
                    "resource": resource,
                }
                yield Found(author, "", values)
                break


def _fills(nodes: list[Node], resource: str, asked: dict[str, int]) -> bool:
    """Tell whether a pod takes more than half of what any node has of a resource."""
    held = [
        request_amount(resource, node.allocatable[resource])
        for node in nodes
        if resource in node.allocatable
    ]
    return len(held) > 1 and asked[resource] * 2 > max(held)


def _mixed(subject: Subject) -> Iterator[Found]:
    """Flavors with and without a topology in one ClusterQueue."""
    for queue in subject.queues.values():
        known = [
            (index, place, found)
            for index, group in enumerate(queue.resource_groups)
            for place, each in enumerate(group.flavors)
            if (found := subject.setting.flavors.get(each.name)) is not None
        ]
        if all(each.topology_name for _, _, each in known):
            continue
        for index, place, flavor in known:
            if flavor.topology_name:
                field = f"spec.resourceGroups[{index}].flavors[{place}].name"
                yield Found(Reference.of(queue), field, {"flavor": flavor.metadata.name})


def _no_hostname(subject: Subject) -> Iterator[Found]:
    """A topology whose lowest level is not the node."""
    for topology in subject.topologies.values():
        if topology.levels and topology.levels[-1] != HOSTNAME:
            field = f"spec.levels[{len(topology.levels) - 1}].nodeLabel"
            yield Found(Reference.of(topology), field, {"level": topology.levels[-1]})


RULES: Final = (
    Rule(
        "KL701", "flavor-without-nodes", Level.WARNING, _without_nodes, "concepts/resource_flavor"
    ),
    Rule(
        "KL702",
        "resource-not-on-nodes",
        Level.WARNING,
        _resource_not_on_nodes,
        "concepts/cluster_queue#quotas",
    ),
    Rule(
        "KL703",
        "quota-above-nodes",
        Level.WARNING,
        _unless_provisioned(advised(topologies.quota_exceeds_nodes)),
        "concepts/topology_aware_scheduling",
    ),
    Rule("KL704", "pods-quota-above-room", Level.WARNING, _pods_quota, "kueue#5998"),
    Rule(
        "KL705",
        "taint-without-toleration",
        Level.WARNING,
        _untolerated,
        "concepts/resource_flavor#resourceflavor-taints",
    ),
    Rule(
        "KL706",
        "unlabelled-flavor",
        Level.WARNING,
        _unlabelled_beside_others,
        "concepts/resource_flavor#resourceflavor-labels",
    ),
    Rule(
        "KL707",
        "flavors-of-the-same-nodes",
        Level.WARNING,
        _same_nodes,
        "concepts/resource_flavor#resourceflavor-labels",
    ),
    Rule("KL708", "whole-hosts-without-topology", Level.NOTE, _whole_hosts, "kueue#4329"),
    Rule(
        "KL711",
        "topology-level-without-nodes",
        Level.WARNING,
        _unless_provisioned(advised(topologies.levels_without_nodes)),
        "concepts/topology, kueue#5039",
    ),
    Rule(
        "KL712",
        "never-placed",
        Level.ERROR,
        _unless_provisioned(advised(topologies.never_placed)),
        "concepts/topology_aware_scheduling",
    ),
    Rule(
        "KL713",
        "topology-beside-flavors-without",
        Level.NOTE,
        _mixed,
        "KEP-2724, concepts/topology_aware_scheduling",
    ),
    Rule("KL714", "topology-without-hostname", Level.NOTE, _no_hostname, "KEP-2724"),
)
