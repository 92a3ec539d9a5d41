"""Devices that pods claim by ResourceClaimTemplates, counted by the name of their class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kueuelab.model import PodSet, ResourceClaimTemplate, Workload
from kueuelab.model.amount import saturate
from kueuelab.model.devices import DeviceRequest
from kueuelab.model.pods import ResourceList
from kueuelab.quantity import Quantity
from kueuelab.simulation.devices.accounting import DeviceAccounting
from kueuelab.simulation.devices.field_error import (
    DeviceCountError,
    FieldError,
    internal,
    invalid,
    not_found,
)
from kueuelab.simulation.devices.matching import Inventory, check_selectors, selectors_problem
from kueuelab.simulation.objects import ObjectStore
from kueuelab.workload.requests import resource_order, sum_lists

__all__ = ["Claim", "claimed_devices", "claims_of"]

_NANO = 10**9


class Claim(NamedTuple):
    """A claim of a pod by a template: where the pod spec names it, and what it asks for."""

    path: str
    template: str
    requests: tuple[DeviceRequest, ...]


def claims_of(
    objects: ObjectStore, workload: Workload, index: int, *, in_pod_set: bool
) -> Iterator[Claim]:
    """Yield the claims by templates of a workload's pod set, in order.

    ``in_pod_set`` is whether an error names the pod set.

    Raises
    ------
    DeviceCountError
        If there is no such template.
    """
    pod_set = workload.pod_sets[index]
    place = f"spec.podSets[{index}].template.spec.resourceClaims"
    for position, claim in enumerate(pod_set.template.spec.extra.get("resourceClaims") or ()):
        name = claim.get("resourceClaimTemplateName")
        if name is None:
            continue
        path = f"{place}[{position}]"
        template = objects.get("ResourceClaimTemplate", f"{workload.namespace}/{name}")
        if not isinstance(template, ResourceClaimTemplate):
            where = f" in podset {pod_set.name}" if in_pod_set else ""
            raise DeviceCountError(
                internal(
                    path,
                    f"failed to get claim spec for ResourceClaimTemplate {name}{where}: "
                    f'ResourceClaimTemplate.resource.k8s.io "{name}" not found',
                )
            )
        yield Claim(path, name, template.requests)


def claimed_devices(
    devices: DeviceAccounting, inventory: Inventory, workload: Workload
) -> dict[str, ResourceList]:
    """Return what the claims of each pod set count, a pod, where classes count by devices.

    Raises
    ------
    DeviceCountError
        If a claim asks for what Kueue does not count, or for a class without a mapping.
    """
    found: dict[str, ResourceList] = {}
    for index, pod_set in enumerate(workload.pod_sets):
        total: ResourceList = {}
        for claim in claims_of(inventory.objects, workload, index, in_pod_set=True):
            total = sum_lists((total, _counted(devices, inventory, pod_set, claim)))
        if total:
            found[pod_set.name] = total
    return found


def _counted(
    devices: DeviceAccounting, inventory: Inventory, pod_set: PodSet, claim: Claim
) -> ResourceList:
    about = f"ResourceClaimTemplate {claim.template}"
    try:
        counts = _by_class(devices, claim)
    except DeviceCountError as problem:
        raise DeviceCountError(
            *(each.about(claim.path, about) for each in problem.errors)
        ) from None
    if problems := check_selectors(devices.mapper, inventory, claim.path, claim.requests):
        raise DeviceCountError(*(each.about("", about) for each in problems))
    total: dict[str, Quantity] = {}
    for device_class in sorted(counts, key=resource_order):
        name = devices.mapper.names.get(device_class)
        if name is None:
            raise DeviceCountError(
                not_found(
                    f"{claim.path}.resourceClaimTemplateName",
                    f"DeviceClass {device_class} is not mapped in DRA configuration "
                    f"for podset {pod_set.name}",
                )
            )
        if devices.partitionable and devices.mapper.counters.get(device_class):
            continue
        if devices.consumable and devices.mapper.capacities.get(device_class):
            continue
        total = sum_lists((total, {name: Quantity(counts[device_class] * _NANO)}))
    return total


def _by_class(devices: DeviceAccounting, claim: Claim) -> dict[str, int]:
    """Return how many devices of each class a claim asks for."""
    counts: dict[str, int] = {}
    for index, request in enumerate(claim.requests):
        problem = _unsupported(devices, f"devices.requests[{index}]", request)
        if problem is not None:
            raise DeviceCountError(problem)
        assert request.exactly is not None
        name = request.exactly.device_class_name
        if name and not request.exactly.admin_access:
            counts[name] = saturate(counts.get(name, 0) + request.exactly.count)
    return counts


def _unsupported(devices: DeviceAccounting, path: str, request: DeviceRequest) -> FieldError | None:
    """Return why Kueue does not count a request, ``None`` if it does."""
    if request.first_available:
        return invalid(path, None, "FirstAvailable device selection is not supported")
    exactly = request.exactly
    if exactly is None:
        return invalid(path, None, "Exactly must be set if FirstAvailable is nil")
    selectors = f"{path}.exactly.selectors"
    if (problem := selectors_problem(exactly.selectors, selectors)) is not None:
        return invalid(selectors, None, problem)
    if exactly.admin_access and devices.admin_access:
        return None
    if exactly.admin_access:
        return invalid(f"{path}.exactly.adminAccess", None, "AdminAccess is not supported")
    mode = exactly.allocation_mode
    if mode == "All":
        return invalid(
            f"{path}.exactly.allocationMode", mode, "AllocationMode 'All' is not supported"
        )
    if mode != "ExactCount":
        return invalid(
            f"{path}.exactly.allocationMode", mode, f"unsupported allocation mode: {mode}"
        )
    return None
