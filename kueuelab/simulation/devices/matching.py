"""Which devices of the cluster the selectors of classes and requests match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kueuelab.model import DeviceClass, ResourceSlice
from kueuelab.model.devices import Device, DeviceRequest, DeviceSource, ExactDevices
from kueuelab.simulation.devices.cel import CelError, compiled, device_value, matches
from kueuelab.simulation.devices.cel.syntax import Node
from kueuelab.simulation.devices.field_error import (
    DeviceCountError,
    FieldError,
    aggregate,
    internal,
    invalid,
)
from kueuelab.simulation.devices.mapper import DeviceMapper
from kueuelab.simulation.objects import ObjectStore

__all__ = ["Inventory", "Selectors", "check_selectors", "selectors_problem"]

_NOT_COMPILED = "CEL compilation failed"


class Selectors(NamedTuple):
    """The selectors of a class and of a request for devices of it."""

    of_class: list[Node]
    of_request: list[Node]


class Inventory:
    """The devices of a cluster, as long as one workload is looked at.

    Parameters
    ----------
    objects : ObjectStore
        Has DeviceClasses and ResourceSlices.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects
        self._values: dict[int, Mapping[str, Any]] = {}

    def slices(self, driver: str = "") -> list[ResourceSlice]:
        """Return the ResourceSlices of a driver, or all."""
        found = self.objects.of_kind(ResourceSlice)
        return [each for each in found if not driver or each.driver == driver]

    def class_selectors(self, name: str, path: str) -> list[Node]:
        """Return the selectors of a DeviceClass.

        Raises
        ------
        DeviceCountError
            If there is no such class, or a selector is no expression.
        """
        if not name:
            return []
        found = self.objects.get("DeviceClass", name)
        if not isinstance(found, DeviceClass):
            missing = f'DeviceClass.resource.k8s.io "{name}" not found'
            raise DeviceCountError(internal(path, f"failed to get DeviceClass {name}: {missing}"))
        return _compiled(found.selectors, path, f"DeviceClass {name} has invalid CEL selector")

    def selectors(self, exactly: ExactDevices, path: str) -> Selectors:
        """Return the selectors of a request and its class; ``path`` is that of the request.

        Raises
        ------
        DeviceCountError
            If they can't be read.
        """
        return Selectors(
            self.class_selectors(exactly.device_class_name, path),
            _compiled(exactly.selectors, f"{path}.exactly.selectors", _NOT_COMPILED),
        )

    def match(self, selectors: Iterable[Node], driver: str, device: Device) -> bool:
        """Tell whether all selectors match a device.

        Raises
        ------
        CelError
            If a selector has no value for the device.
        """
        value = self._values.get(id(device))
        if value is None:
            value = self._values[id(device)] = device_value(driver, device)
        return all(matches(selector, value) for selector in selectors)

    def matched(self, source: DeviceSource, selectors: Selectors, path: str) -> list[Device]:
        """Return the devices of a source of counters or capacity that the selectors match.

        Pools that are published in part only have none.

        Raises
        ------
        DeviceCountError
            If some selector is no expression, or has no value for a device.
        """
        own = (source.selector,) if source.selector else ()
        named = (
            ("deviceSelector", _compiled(own, path, "deviceSelector CEL compilation failed")),
            ("DeviceClass selector", selectors.of_class),
            ("request selector", selectors.of_request),
        )
        found = []
        for device in _complete_devices(self.slices(source.driver)):
            for what, nodes in named:
                try:
                    if not self.match(nodes, source.driver, device):
                        break
                except CelError as error:
                    where = f"CEL evaluation error in {what} for device {device.name}"
                    raise DeviceCountError(internal(path, f"{where}: {error}")) from None
            else:
                found.append(device)
        return found


def _complete_devices(slices: Iterable[ResourceSlice]) -> list[Device]:
    """Return the devices of all pools whose newest generation is there in full."""
    pools: dict[str, list[ResourceSlice]] = {}
    for each in slices:
        known = pools.get(each.pool)
        if known is None or each.pool_generation > known[0].pool_generation:
            pools[each.pool] = [each]
        elif each.pool_generation == known[0].pool_generation:
            known.append(each)
    return [
        device
        for pool in pools.values()
        if len(pool) == pool[0].pool_slices
        for each in pool
        for device in each.devices
    ]


def _compiled(selectors: Sequence[str], path: str, context: str) -> list[Node]:
    nodes: list[Node] = []
    errors = []
    for index, text in enumerate(selectors):
        try:
            nodes.append(compiled(text))
        except CelError as error:
            place = f"{path}[{index}].cel.expression"
            errors.append(invalid(place, text, f"{context}: compilation failed: {error}"))
    if errors:
        raise DeviceCountError(*errors)
    return nodes


def selectors_problem(selectors: Sequence[str], path: str) -> str | None:
    """Return why selectors are no CEL expressions, ``None`` if they are."""
    try:
        _compiled(selectors, path, _NOT_COMPILED)
    except DeviceCountError as problem:
        return aggregate(problem.errors)
    return None


def check_selectors(
    mapper: DeviceMapper, inventory: Inventory, path: str, requests: Sequence[DeviceRequest]
) -> list[FieldError]:
    """Return which requests with selectors ask for more devices than match in the cluster.

    A device that one request has is not there for the next one.
    """
    selecting = [
        (index, request.exactly)
        for index, request in enumerate(requests)
        if request.exactly is not None and request.exactly.selectors
    ]
    if not selecting:
        return []
    drivers = [mapper.drivers_of(exactly.device_class_name) for _, exactly in selecting]
    if all(drivers):
        named = dict.fromkeys(driver for each in drivers for driver in each)
        slices = [each for driver in named for each in inventory.slices(driver)]
    else:
        slices = inventory.slices()
    left = [(each.driver, device) for each in slices for device in each.devices]
    errors: list[FieldError] = []
    for index, exactly in selecting:
        try:
            left = _take(inventory, left, exactly, f"{path}.devices.requests[{index}]")
        except DeviceCountError as problem:
            errors += problem.errors
    return errors


def _take(
    inventory: Inventory, left: list[tuple[str, Device]], exactly: ExactDevices, path: str
) -> list[tuple[str, Device]]:
    """Return the devices that are left for other requests."""
    name, needed = exactly.device_class_name, exactly.count
    selectors = inventory.selectors(exactly, path)
    nodes = (*selectors.of_class, *selectors.of_request)
    rest: list[tuple[str, Device]] = []
    matching = 0
    try:
        for driver, device in left:
            if matching < needed and inventory.match(nodes, driver, device):
                matching += 1
            else:
                rest.append((driver, device))
    except CelError as error:
        text = f"CEL evaluation failed for DeviceClass {name}: {error}"
        raise DeviceCountError(invalid(f"{path}.exactly.selectors", None, text)) from None
    if matching < needed:
        text = (
            f"insufficient matching devices for CEL selector in DeviceClass {name}: "
            f"{matching} device(s) match in the cluster but {needed} requested"
        )
        raise DeviceCountError(internal(f"{path}.exactly.selectors", text))
    return rest
