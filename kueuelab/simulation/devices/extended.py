"""Extended resources that stand for devices (KEP-5004), counted by the name of their class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kueuelab.model import Container, DeviceClass, Workload
from kueuelab.model.pods import ResourceList
from kueuelab.quantity import MAX_INT64, Quantity
from kueuelab.simulation.devices.accounting import DeviceAccounting
from kueuelab.simulation.devices.field_error import DeviceCountError, FieldError, invalid
from kueuelab.simulation.devices.queueing import is_extended_resource
from kueuelab.simulation.objects import ObjectStore
from kueuelab.workload import DeviceCharges
from kueuelab.workload.requests import maximum, sum_lists

__all__ = ["extended_devices", "selected_class"]

_NANO = 10**9


class _Requests(NamedTuple):
    """The extended resources that a container requests."""

    path: str
    resources: ResourceList


def extended_devices(
    devices: DeviceAccounting, objects: ObjectStore, workload: Workload
) -> DeviceCharges:
    """Return what extended resources count that some DeviceClass backs, and which these are.

    Raises
    ------
    DeviceCountError
        If a request is no whole number, or of a class that counts by counters or capacity.
    """
    added: dict[str, ResourceList] = {}
    replaced: dict[str, frozenset[str]] = {}
    errors: list[FieldError] = []
    for index, pod_set in enumerate(workload.pod_sets):
        spec = pod_set.template.spec
        path = f"spec.podSets[{index}].template.spec"
        init = list(_requests(spec.init_containers, f"{path}.initContainers"))
        main = list(_requests(spec.containers, f"{path}.containers"))
        total, names = _counted(devices, objects, init, main, errors)
        if total:
            added[pod_set.name] = total
        if names:
            replaced[pod_set.name] = names
    if errors:
        raise DeviceCountError(*errors)
    return DeviceCharges(added, replaced)


def _requests(containers: Iterable[Container], path: str) -> Iterator[_Requests]:
    for index, container in enumerate(containers):
        found = {
            name: quantity
            for name, quantity in container.resources.requests.items()
            if quantity.nano > 0 and is_extended_resource(name)
        }
        if found:
            yield _Requests(f"{path}[{index}]", found)


def _counted(
    devices: DeviceAccounting,
    objects: ObjectStore,
    init: list[_Requests],
    main: list[_Requests],
    errors: list[FieldError],
) -> tuple[ResourceList, frozenset[str]]:
    """Return what a pod counts, and the resources that this replaces; add what is wrong.

    Init containers run one after the other, sidecars too as far as Kueue is concerned here.
    """
    peak: ResourceList = {}
    for each in init:
        peak = maximum(peak, each.resources)
    peak = maximum(peak, sum_lists(each.resources for each in main))
    total: ResourceList = {}
    replaced = set()
    # Kueue goes through them in any order; only that of several errors depends on it.
    for name in sorted(peak):
        requests = [each for each in (*init, *main) if name in each.resources]
        found = _class_problem(devices, objects, name, requests[0].path)
        if isinstance(found, FieldError):
            errors.append(found)
            continue
        if found is None:
            continue
        if problems := _fractions(name, requests, peak[name]):
            errors += problems
            continue
        replaced.add(name)
        total = sum_lists((total, {found: Quantity(peak[name].nano)}))
    return total, frozenset(replaced)


def _class_problem(
    devices: DeviceAccounting, objects: ObjectStore, resource: str, path: str
) -> str | FieldError | None:
    """Return the name that a resource counts under, ``None`` if no class backs it; or an error."""
    selected = selected_class(objects, resource)
    if selected is None:
        return None
    name, mapper = selected.metadata.name, devices.mapper
    resolved = f"extended resource {resource} resolves to DeviceClass {name} with"
    if name not in mapper.names:
        return resource
    if devices.partitionable and mapper.counters.get(name):
        advice = "use ResourceClaimTemplates with CEL selectors for counter-based quota"
        return invalid(path, resource, f"{resolved} counters configured; {advice}")
    if devices.consumable and mapper.capacities.get(name):
        advice = "use ResourceClaimTemplates with capacity.requests for capacity-based quota"
        return invalid(path, resource, f"{resolved} capacity sources configured; {advice}")
    return mapper.names[name]


def selected_class(objects: ObjectStore, resource: str) -> DeviceClass | None:
    """Return the DeviceClass that Kubernetes takes devices of for a resource.

    The one that was created last, of those created together the first by name.
    """
    classes = [
        each
        for each in objects.of_kind(DeviceClass)
        if resource and each.extended_resource_name == resource
    ]
    return min(
        classes,
        key=lambda each: (-(each.metadata.creation_timestamp or 0), each.metadata.name),
        default=None,
    )


def _fractions(name: str, requests: list[_Requests], total: Quantity) -> list[FieldError]:
    """Return which requests of devices are no whole numbers, or too many."""
    errors = [
        invalid(
            f"{each.path}.resources.requests.{name}",
            str(each.resources[name]),
            "extended resource quantity must be an integer",
        )
        for each in requests
        if each.resources[name].nano % _NANO
    ]
    if not errors and total.nano > MAX_INT64 * _NANO:
        path = f"{requests[0].path}.resources.requests.{name}"
        errors.append(invalid(path, str(total), "total extended resource quantity overflows int64"))
    return errors
