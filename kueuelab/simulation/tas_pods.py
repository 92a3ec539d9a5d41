"""Pods as topology-aware scheduling tells them apart: those that it places, and all others."""

from __future__ import annotations

from typing import Final

from kueuelab.model import Pod

__all__ = ["is_placed_by_topology", "takes_room", "workload_key"]

#: Annotations that ask for a place in a topology.
_ASK: Final = (
    "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology-constraints",
    "kueue.x-k8s.io/podset-unconstrained-topology",
)
_WORKLOAD: Final = ("kueue.x-k8s.io/workload-slice-name", "kueue.x-k8s.io/workload")


def is_placed_by_topology(pod: Pod) -> bool:
    """Tell whether the pod's place is in the topology assignment of a workload."""
    return any(name in pod.metadata.annotations for name in _ASK)


def takes_room(pod: Pod) -> bool:
    """Tell whether the pod takes room on a node that no topology assignment counts."""
    return bool(pod.node_name) and not pod.is_terminated and not is_placed_by_topology(pod)


def workload_key(pod: Pod) -> str:
    """Return the key of the workload that the pod belongs to, empty if it belongs to none."""
    annotations = pod.metadata.annotations
    name = next((annotations[each] for each in _WORKLOAD if each in annotations), "")
    return f"{pod.metadata.namespace}/{name}" if name else ""
