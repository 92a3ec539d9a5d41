"""What the timeline does to nodes: they fail, are cordoned or tainted, and other pods use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kueuelab.manifests.decode import decode_object
from kueuelab.manifests.decode.pods import resource_list, taints
from kueuelab.manifests.loading.node_pools import resources_of
from kueuelab.model import Condition, Node, Pod

__all__ = ["node_changed", "pod_on_node"]


def node_changed(before: Node, change: Mapping[str, Any]) -> Node:
    """Return a node as it is after a checked change; what is not named stays."""
    node = before
    if "ready" in change:
        others = tuple(each for each in node.conditions if each.type != "Ready")
        node = replace(node, conditions=(*others, _ready(change["ready"])))
    if "cordoned" in change:
        node = replace(node, unschedulable=change["cordoned"])
    if "taints" in change:
        node = replace(node, taints=taints(change["taints"]))
    if "labels" in change:
        labels = {**node.metadata.labels, **change["labels"]}
        node = replace(node, metadata=replace(node.metadata, labels=labels))
    if resources := resources_of(change):
        node = replace(node, allocatable={**node.allocatable, **resource_list(resources)})
    return node


def _ready(ready: bool) -> Condition:
    """Return the condition; when it changed is known once it is applied."""
    if ready:
        return Condition("Ready", "True", "KubeletReady")
    return Condition("Ready", "False", "KubeletNotReady")


def pod_on_node(written: Mapping[str, Any], namespace: str) -> Pod:
    """Return the pod of a checked short form: it runs on a node, and Kueue does not manage it."""
    container = {"name": "main", "resources": {"requests": written.get("requests") or {}}}
    pod = decode_object(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": written["name"],
                "namespace": written.get("namespace") or namespace,
            },
            "spec": {"nodeName": written["node"], "containers": [container]},
            "status": {"phase": "Running"},
        }
    )
    assert isinstance(pod, Pod)
    return pod
