"""Devices of dynamic resource allocation: what is there, and what pods claim of it.

Kueue reads them to count claimed devices against quota (KEP-2941). See
https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kueuelab.model.meta import ObjectMeta
from kueuelab.quantity import Quantity

__all__ = [
    "CapacityPolicy",
    "Device",
    "DeviceCapacity",
    "DeviceClass",
    "DeviceClassMapping",
    "DeviceRequest",
    "DeviceSource",
    "ExactDevices",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceSlice",
]


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A class of devices: those that all selectors (CEL expressions) match.

    Pods that request ``extended_resource_name`` get a device of the class, too. ``spec`` is as
    it was written, here and below, so that nothing is lost on the way back to YAML.
    """

    metadata: ObjectMeta
    selectors: tuple[str, ...] = ()
    extended_resource_name: str = ""
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExactDevices:
    """A number of devices of one class, and what is to be consumed of the capacity of each."""

    device_class_name: str = ""
    selectors: tuple[str, ...] = ()
    allocation_mode: str = "ExactCount"
    count: int = 1
    admin_access: bool = False
    capacity: Mapping[str, Quantity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """One request of a claim: ``exactly`` some devices, or the ``first_available`` of others."""

    name: str = ""
    exactly: ExactDevices | None = None
    first_available: bool = False


@dataclass(frozen=True, slots=True)
class ResourceClaimTemplate:
    """The claims that are made for each pod that names the template."""

    metadata: ObjectMeta
    requests: tuple[DeviceRequest, ...] = ()
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResourceClaim:
    """A claim that all pods share that name it."""

    metadata: ObjectMeta
    requests: tuple[DeviceRequest, ...] = ()
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CapacityPolicy:
    """What may be consumed of a capacity (KEP-5075): the default, and values or a range."""

    default: Quantity | None = None
    valid_values: tuple[Quantity, ...] = ()
    has_range: bool = False
    minimum: Quantity | None = None
    maximum: Quantity | None = None
    step: Quantity | None = None


@dataclass(frozen=True, slots=True)
class DeviceCapacity:
    """How much a device has of something."""

    value: Quantity
    policy: CapacityPolicy | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """A device: attributes (by kind of value), capacity, and the counters it consumes (KEP-4815).

    ``counters`` has a mapping of counter to amount for each counter set.
    """

    name: str
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    capacity: Mapping[str, DeviceCapacity] = field(default_factory=dict)
    counters: tuple[Mapping[str, Quantity], ...] = ()
    allow_multiple_allocations: bool = False


@dataclass(frozen=True, slots=True)
class ResourceSlice:
    """Devices that a driver publishes, as a part of a pool of so many slices."""

    metadata: ObjectMeta
    driver: str = ""
    pool: str = ""
    pool_generation: int = 0
    pool_slices: int = 0
    devices: tuple[Device, ...] = ()
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeviceSource:
    """Counts a counter or a capacity of devices, instead of the devices themselves."""

    kind: Literal["counter", "capacity"]
    name: str
    driver: str
    selector: str = ""


@dataclass(frozen=True, slots=True)
class DeviceClassMapping:
    """The Configuration's name in quotas for devices of some classes."""

    name: str
    device_class_names: tuple[str, ...] = ()
    sources: tuple[DeviceSource, ...] = ()
