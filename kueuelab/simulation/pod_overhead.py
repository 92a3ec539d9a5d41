"""Overhead of RuntimeClasses that a dump doesn't have.

``kubectl get workloads,clusterqueues,…`` leaves RuntimeClasses out, but a pending Workload's
``status.resourceRequests`` says what Kueue counted, overhead included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from kueuelab.model import (
    ObjectMeta,
    PodSpec,
    Resources,
    RuntimeClass,
    Workload,
    amount_string,
    request_amount,
)
from kueuelab.model.pods import ResourceList
from kueuelab.quantity import Quantity
from kueuelab.workload import PodSetRequests, requests_from_pod_sets

__all__ = ["difference", "needs_runtime_class", "reported", "runtime_classes_from_status"]


def needs_runtime_class(spec: PodSpec, known: Collection[str]) -> bool:
    """Tell whether pods name a RuntimeClass that is not ``known``, and state no overhead."""
    name = spec.runtime_class_name
    return bool(name) and not spec.overhead and name not in known


def runtime_classes_from_status(
    workloads: Iterable[Workload],
    known: Collection[str],
    resources: Resources,
    adjusted: Callable[[Workload], Workload],
) -> Iterator[tuple[RuntimeClass, Workload]]:
    """Yield the RuntimeClasses that are not ``known``, with the overhead that Kueue counted.

    Each comes with the workload that tells it.

    Parameters
    ----------
    workloads
        Those of the dump.
    known
        The names of the RuntimeClasses that are there.
    resources
        The Configuration's ``resources``. Transformations hide what was counted for what,
        so with them nothing is concluded.
    adjusted
        Returns a workload with the requests of its pods, without the unknown overhead.
    """
    found = set(known)
    if resources.transformations:
        return
    for workload in sorted(workloads, key=lambda each: each.key):
        known_requests = reported(workload)
        specs = [pod_set.template.spec for pod_set in workload.pod_sets]
        if not known_requests or not any(needs_runtime_class(spec, found) for spec in specs):
            continue
        reclaimable = workload.status.reclaimable_pods
        counted = requests_from_pod_sets(adjusted(workload), reclaimable, resources)
        for spec, requests in zip(specs, counted, strict=True):
            if not needs_runtime_class(spec, found):
                continue
            overhead = difference(known_requests.get(requests.name, {}), requests)
            if overhead:
                name = spec.runtime_class_name
                found.add(name)
                yield RuntimeClass(ObjectMeta(name), overhead, name), workload


def reported(workload: Workload) -> Mapping[str, Mapping[str, Any]]:
    """Return what Kueue counted for each pod set when it last looked at a workload."""
    entries = workload.status.extra.get("resourceRequests") or ()
    return {entry.get("name") or "main": entry.get("resources") or {} for entry in entries}


def difference(said: Mapping[str, Any], counted: PodSetRequests) -> ResourceList:
    """Return what was reported beyond what is counted, per pod."""
    if not counted.count:
        return {}
    more = {
        resource: request_amount(resource, amount) - counted.requests.get(resource, 0)
        for resource, amount in said.items()
    }
    return {
        resource: Quantity.parse(amount_string(resource, amount // counted.count))
        for resource, amount in more.items()
        if amount > 0
    }
