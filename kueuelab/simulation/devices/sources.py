"""Devices that count by a counter they consume (KEP-4815), or by a capacity (KEP-5075)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kueuelab.model import Workload
from kueuelab.model.devices import CapacityPolicy, Device, DeviceSource, ExactDevices
from kueuelab.model.pods import ResourceList
from kueuelab.quantity import MAX_INT64, Quantity
from kueuelab.simulation.devices.accounting import DeviceAccounting
from kueuelab.simulation.devices.claims import claims_of
from kueuelab.simulation.devices.field_error import DeviceCountError, internal, invalid
from kueuelab.simulation.devices.matching import Inventory
from kueuelab.workload.requests import sum_lists

__all__ = ["capacity_charges", "counter_charges", "rounded"]

_NANO = 10**9

_Sources = Callable[[str], Sequence[tuple[str, DeviceSource]]]
_Charge = Callable[[DeviceSource, Sequence[Device], ExactDevices, str], Quantity]


def counter_charges(
    devices: DeviceAccounting, inventory: Inventory, workload: Workload
) -> dict[str, ResourceList]:
    """Return what claimed devices count by their counters: the largest that any of them consumes.

    Raises
    ------
    DeviceCountError
        If too few devices match, or none has the counter.
    """

    def sources(name: str) -> Sequence[tuple[str, DeviceSource]]:
        return devices.mapper.counters.get(name, ())

    return _charges(inventory, workload, sources, _consumed_counter)


def capacity_charges(
    devices: DeviceAccounting, inventory: Inventory, workload: Workload
) -> dict[str, ResourceList]:
    """Return what claimed devices count by what is consumed of their capacity.

    Raises
    ------
    DeviceCountError
        If too few devices match, or none has as much of the capacity as is asked for.
    """
    mapper = devices.mapper

    def sources(name: str) -> Sequence[tuple[str, DeviceSource]]:
        return [(mapper.names[name], source) for source in mapper.capacities.get(name, ())]

    return _charges(inventory, workload, sources, _consumed_capacity)


def _charges(
    inventory: Inventory, workload: Workload, sources: _Sources, charge: _Charge
) -> dict[str, ResourceList]:
    found: dict[str, ResourceList] = {}
    for index, pod_set in enumerate(workload.pod_sets):
        total: ResourceList = {}
        for claim in claims_of(inventory.objects, workload, index, in_pod_set=False):
            for position, request in enumerate(claim.requests):
                # Administrative access, where it is accepted at all, counts nothing.
                if request.exactly is not None and not request.exactly.admin_access:
                    path = f"{claim.path}.devices.requests[{position}]"
                    counted = _of_request(inventory, request.exactly, sources, charge, path)
                    total = sum_lists((total, counted))
        if total:
            found[pod_set.name] = total
    return found


def _of_request(
    inventory: Inventory, exactly: ExactDevices, sources: _Sources, charge: _Charge, path: str
) -> ResourceList:
    counting = sources(exactly.device_class_name)
    if not counting:
        return {}
    selectors = inventory.selectors(exactly, path)
    total: ResourceList = {}
    for resource, source in counting:
        matched = inventory.matched(source, selectors, path)
        if len(matched) < exactly.count:
            text = (
                f"insufficient matching devices for {source.kind} driver: "
                f"{len(matched)} device(s) match but {exactly.count} requested"
            )
            raise DeviceCountError(internal(path, text))
        total = sum_lists((total, {resource: charge(source, matched, exactly, path)}))
    return total


def _consumed_counter(
    source: DeviceSource, matched: Sequence[Device], exactly: ExactDevices, path: str
) -> Quantity:
    values = [
        counters[source.name]
        for device in matched
        for counters in device.counters
        if source.name in counters
    ]
    if not values:
        text = f'matched devices have no consumesCounters entry for counter "{source.name}"'
        raise DeviceCountError(internal(path, text))
    return _times(max(values), exactly.count)


def _consumed_capacity(
    source: DeviceSource, matched: Sequence[Device], exactly: ExactDevices, path: str
) -> Quantity:
    having = [device.capacity[source.name] for device in matched if source.name in device.capacity]
    if not having:
        text = f'matched devices have no capacity dimension "{source.name}"'
        raise DeviceCountError(internal(path, text))
    charges = []
    for capacity in having:
        policy = capacity.policy
        base = exactly.capacity.get(source.name)
        if base is None:
            default = None if policy is None else policy.default
            base = capacity.value if default is None else default
        if (charge := rounded(base, policy)) is not None:
            charges.append(charge)
    if not charges:
        text = (
            "capacity request cannot be satisfied by any matched device's RequestPolicy "
            f'for dimension "{source.name}"'
        )
        raise DeviceCountError(invalid(path, None, text))
    return _times(max(charges), exactly.count)


def _times(value: Quantity, count: int) -> Quantity:
    """Return an amount that counts so many times; what is below zero counts as zero."""
    total = min(max(value.value(), 0) * max(count, 1), MAX_INT64)
    return Quantity(total * _NANO, value.format)


def rounded(base: Quantity, policy: CapacityPolicy | None) -> Quantity | None:
    """Return what is consumed where ``base`` is asked for; ``None`` if the policy forbids that.

    Examples
    --------
    >>> quantity = Quantity.parse
    >>> steps = CapacityPolicy(
    ...     has_range=True, minimum=quantity("1Gi"), maximum=quantity("8Gi"), step=quantity("2Gi")
    ... )
    >>> [rounded(quantity(asked), steps) for asked in ("512Mi", "4Gi", "9Gi")]
    [Quantity('1Gi'), Quantity('5Gi'), None]
    >>> rounded(quantity("3"), CapacityPolicy(valid_values=(quantity("2"), quantity("4"))))
    Quantity('4')
    """
    if policy is None:
        return base
    if policy.valid_values:
        return next((value for value in policy.valid_values if value >= base), None)
    if not policy.has_range:
        return base
    value = base.value()
    if policy.minimum is not None:
        least = policy.minimum.value()
        value = max(value, least)
        step = 0 if policy.step is None else policy.step.value()
        if step > 0 and (value - least) % step:
            value = least + ((value - least) // step + 1) * step
    if policy.maximum is not None and value > policy.maximum.value():
        return None
    return Quantity(min(value, MAX_INT64) * _NANO, base.format)
