"""How much a workload asks for: pod requests, pod set totals, usage when admitted.

Sums follow Kubernetes' pod resource rules: main containers and sidecars add up, init
containers count by their maximum, overhead comes on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Final

from kueuelab.frozen import fast_init
from kueuelab.model import (
    Admission,
    FlavorResource,
    PodSet,
    PodSpec,
    ReclaimablePod,
    Resources,
    ResourceTransformation,
    Workload,
    request_amount,
)
from kueuelab.model.amount import saturate
from kueuelab.model.pods import Container, ResourceList
from kueuelab.quantity import Quantity

if TYPE_CHECKING:
    from kueuelab.workload.device_charges import DeviceCharges

__all__ = [
    "PodSetRequests",
    "amounts_of_pod",
    "flavor_resource_usage",
    "maximum",
    "pod_requests",
    "requests_from_admission",
    "requests_from_pod_sets",
    "resource_order",
    "sum_lists",
]

_NANO: Final = 10**9


@fast_init
@dataclass(frozen=True, slots=True)
class PodSetRequests:
    """What all pods of a pod set request together, and the flavors they were given.

    ``requests`` maps a resource to an amount in Kueue's unit for ``count`` pods;
    ``flavors`` is empty until quota is reserved.
    """

    name: str
    count: int
    requests: Mapping[str, int]
    flavors: Mapping[str, str]

    def scaled_to(self, count: int) -> PodSetRequests:
        """Return the same pod set with another number of pods."""
        if self.count in (0, count):
            return self
        return PodSetRequests(
            self.name,
            count,
            {name: _scaled(value, self.count, count) for name, value in self.requests.items()},
            self.flavors,
        )


def _scaled(value: int, old_count: int, new_count: int) -> int:
    """Scale a pod set's total to another number of pods."""
    if old_count == 0:
        return 0
    return saturate(value // old_count * new_count)


def _plus(left: Quantity, right: Quantity) -> Quantity:
    return Quantity(left.nano + right.nano, left.format)


def sum_lists(lists: Iterable[ResourceList]) -> dict[str, Quantity]:
    """Add up lists of resources."""
    total: dict[str, Quantity] = {}
    for resources in lists:
        for name, quantity in resources.items():
            total[name] = _plus(total[name], quantity) if name in total else quantity
    return total


def maximum(left: Mapping[str, Quantity], right: ResourceList) -> dict[str, Quantity]:
    """Return the larger quantity of each resource of two lists."""
    merged = dict(left)
    for name, quantity in right.items():
        if name not in merged or merged[name] < quantity:
            merged[name] = quantity
    return merged


def _is_sidecar(container: Container) -> bool:
    return container.restart_policy == "Always"


def pod_requests(spec: PodSpec) -> dict[str, Quantity]:
    """Return what one pod requests in all, as the Kubernetes scheduler counts it.

    Pod-level requests (KEP-2837) take the place of the containers' for the resources
    they name; overhead is added at the end.
    """
    total = sum_lists(container.resources.requests for container in spec.containers)
    sidecars: dict[str, Quantity] = {}
    peak: dict[str, Quantity] = {}
    for container in spec.init_containers:
        if _is_sidecar(container):
            sidecars = sum_lists((sidecars, container.resources.requests))
            peak = maximum(peak, sidecars)
        else:
            peak = maximum(peak, sum_lists((sidecars, container.resources.requests)))
    total = maximum(sum_lists((total, sidecars)), peak)
    if spec.resources is not None:
        total.update(spec.resources.requests)
    return sum_lists((total, spec.overhead)) if spec.overhead else total


def amounts_of_pod(spec: PodSpec) -> dict[str, int]:
    """Return what one pod requests of its node, in Kueue's units."""
    return {name: request_amount(name, q) for name, q in pod_requests(spec).items()}


def _without_excluded(
    requests: dict[str, Quantity], prefixes: tuple[str, ...]
) -> dict[str, Quantity]:
    if not prefixes:
        return requests
    return {name: q for name, q in requests.items() if not name.startswith(prefixes)}


def _transformed(
    requests: dict[str, Quantity],
    transformations: Mapping[str, ResourceTransformation],
) -> dict[str, Quantity]:
    """Apply ``resources.transformations``: what they generate never goes below zero."""
    if not any(name in transformations for name in requests):
        return requests
    retained: dict[str, Quantity] = {}
    generated: dict[str, Fraction] = {}
    formats: dict[str, Quantity] = {}
    for name, quantity in requests.items():
        rule = transformations.get(name)
        if rule is None:
            retained[name] = quantity
            continue
        value = Fraction(quantity.nano, _NANO)
        if rule.multiply_by and rule.multiply_by in requests:
            value *= Fraction(requests[rule.multiply_by].nano, _NANO)
        for output, factor in rule.outputs.items():
            generated[output] = generated.get(output, Fraction(0)) + value * factor
            formats.setdefault(output, quantity)
        if rule.strategy == "Retain":
            retained[name] = quantity
    produced = {
        name: Quantity(max(ceil(value * _NANO), 0), formats[name].format)
        for name, value in generated.items()
    }
    return sum_lists((retained, produced))


@lru_cache(maxsize=1024)
def resource_order(name: str) -> tuple[int, str]:
    """Return the key by which Kueue goes through requested resources.

    It keeps requests sorted by the 64-bit FNV-1a hash of the name (gate
    ``VectorizedResourceRequests``), so that is the order in which flavors are sought.
    """
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value, name


def _resource_key(item: tuple[str, Quantity]) -> tuple[int, str]:
    return resource_order(item[0])


def _counts_after_reclaim(
    pod_sets: Iterable[PodSet],
    reclaimable: tuple[ReclaimablePod, ...],
) -> dict[str, int]:
    done = {pod.name: pod.count for pod in reclaimable}
    return {ps.name: ps.count - min(done.get(ps.name, 0), ps.count) for ps in pod_sets}


def requests_from_pod_sets(
    workload: Workload,
    reclaimable: tuple[ReclaimablePod, ...],
    resources: Resources,
    devices: DeviceCharges | None = None,
) -> tuple[PodSetRequests, ...]:
    """Return what a workload without quota asks for, pod set by pod set."""
    counts = _counts_after_reclaim(workload.pod_sets, reclaimable)
    transformations = {rule.input: rule for rule in resources.transformations}
    result = []
    for pod_set in workload.pod_sets:
        count = counts[pod_set.name]
        wanted = pod_requests(pod_set.template.spec)
        wanted = _without_excluded(wanted, resources.exclude_resource_prefixes)
        wanted = _transformed(wanted, transformations)
        if devices is not None:
            wanted = devices.applied(pod_set.name, wanted)
        totals = {
            name: saturate(max(request_amount(name, quantity), 0) * count)
            for name, quantity in sorted(wanted.items(), key=_resource_key)
        }
        result.append(PodSetRequests(pod_set.name, count, totals, {}))
    return tuple(result)


def requests_from_admission(
    workload: Workload,
    admission: Admission,
    reclaimable: tuple[ReclaimablePod, ...],
) -> tuple[PodSetRequests, ...]:
    """Return what an admitted workload holds, less the pods that are done."""
    full = {ps.name: ps.count for ps in workload.pod_sets}
    current = _counts_after_reclaim(workload.pod_sets, reclaimable) if reclaimable else full
    result = []
    for assignment in admission.pod_set_assignments:
        count = full.get(assignment.name, 0) if assignment.count is None else assignment.count
        requests = PodSetRequests(
            assignment.name, count, assignment.resource_usage, assignment.flavors
        )
        left = current.get(assignment.name, 0)
        result.append(requests.scaled_to(left) if left < count else requests)
    return tuple(result)


def flavor_resource_usage(requests: Iterable[PodSetRequests]) -> dict[FlavorResource, int]:
    """Add up pod sets into usage per flavor and resource.

    A resource without a flavor counts under the flavor ``""``, as in Kueue.
    """
    usage: dict[FlavorResource, int] = {}
    for pod_set in requests:
        flavors = pod_set.flavors
        for name, value in pod_set.requests.items():
            key = (flavors.get(name, ""), name)
            usage[key] = usage.get(key, 0) + value
    return usage
