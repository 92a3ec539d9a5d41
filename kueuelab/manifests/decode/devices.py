"""DeviceClasses, claims, their templates and ResourceSlices, from dicts.

``resource.k8s.io/v1`` has them; what ``v1beta1`` writes flatter (a request without ``exactly``,
a device in ``basic``) is read, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kueuelab.manifests.decode.meta import metadata
from kueuelab.model.devices import (
    CapacityPolicy,
    Device,
    DeviceCapacity,
    DeviceClass,
    DeviceClassMapping,
    DeviceRequest,
    DeviceSource,
    ExactDevices,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from kueuelab.quantity import Quantity

__all__ = [
    "device_class",
    "device_class_mappings",
    "resource_claim",
    "resource_claim_template",
    "resource_slice",
]

_Spec = Mapping[str, Any]


def device_class(obj: _Spec) -> DeviceClass:
    """Return a DeviceClass."""
    spec = obj.get("spec") or {}
    return DeviceClass(
        metadata=metadata(obj),
        selectors=_selectors(spec),
        extended_resource_name=spec.get("extendedResourceName") or "",
        spec=spec,
    )


def resource_claim_template(obj: _Spec, namespace: str) -> ResourceClaimTemplate:
    """Return a ResourceClaimTemplate."""
    spec = obj.get("spec") or {}
    return ResourceClaimTemplate(
        metadata(obj, namespace), tuple(_requests(spec.get("spec") or {})), spec
    )


def resource_claim(obj: _Spec, namespace: str) -> ResourceClaim:
    """Return a ResourceClaim; what was allocated for it changes nothing for Kueue."""
    spec = obj.get("spec") or {}
    return ResourceClaim(metadata(obj, namespace), tuple(_requests(spec)), spec)


def resource_slice(obj: _Spec) -> ResourceSlice:
    """Return a ResourceSlice."""
    spec = obj.get("spec") or {}
    pool = spec.get("pool") or {}
    return ResourceSlice(
        metadata=metadata(obj),
        driver=spec.get("driver") or "",
        pool=pool.get("name") or "",
        pool_generation=pool.get("generation") or 0,
        pool_slices=pool.get("resourceSliceCount") or 0,
        devices=tuple(_device(device) for device in spec.get("devices") or ()),
        spec=spec,
    )


def device_class_mappings(value: Iterable[_Spec]) -> tuple[DeviceClassMapping, ...]:
    """Return ``resources.deviceClassMappings`` of a Configuration."""
    return tuple(
        DeviceClassMapping(
            name=mapping["name"],
            device_class_names=tuple(mapping.get("deviceClassNames") or ()),
            sources=tuple(_sources(mapping.get("sources") or ())),
        )
        for mapping in value
    )


def _sources(sources: Iterable[_Spec]) -> Iterable[DeviceSource]:
    for source in sources:
        if counter := source.get("counter"):
            yield DeviceSource("counter", counter["name"], counter["driver"], _selector(counter))
        if capacity := source.get("capacity"):
            yield DeviceSource(
                "capacity", capacity["name"], capacity["driver"], _selector(capacity)
            )


def _selector(source: _Spec) -> str:
    cel = (source.get("deviceSelector") or {}).get("cel") or {}
    return cel.get("expression") or ""


def _selectors(spec: _Spec) -> tuple[str, ...]:
    cels = (selector.get("cel") for selector in spec.get("selectors") or ())
    return tuple(cel.get("expression") or "" for cel in cels if cel is not None)


def _requests(spec: _Spec) -> Iterable[DeviceRequest]:
    for request in (spec.get("devices") or {}).get("requests") or ():
        exactly = request.get("exactly") or (request if "deviceClassName" in request else None)
        yield DeviceRequest(
            name=request.get("name") or "",
            exactly=None if exactly is None else _exactly(exactly),
            first_available=request.get("firstAvailable") is not None,
        )


def _exactly(value: _Spec) -> ExactDevices:
    mode = value.get("allocationMode") or "ExactCount"
    count = value.get("count")
    if count is None:
        count = 1 if mode == "ExactCount" else 0
    return ExactDevices(
        device_class_name=value.get("deviceClassName") or "",
        selectors=_selectors(value),
        allocation_mode=mode,
        count=count,
        admin_access=bool(value.get("adminAccess")),
        capacity=_quantities((value.get("capacity") or {}).get("requests") or {}),
    )


def _device(value: _Spec) -> Device:
    parts = value.get("basic") or value
    return Device(
        name=value.get("name") or "",
        attributes=parts.get("attributes") or {},
        capacity={
            name: DeviceCapacity(Quantity.parse(each["value"]), _policy(each.get("requestPolicy")))
            for name, each in (parts.get("capacity") or {}).items()
        },
        counters=tuple(
            {
                name: Quantity.parse(counter["value"])
                for name, counter in (consumed.get("counters") or {}).items()
            }
            for consumed in parts.get("consumesCounters") or ()
        ),
        allow_multiple_allocations=bool(parts.get("allowMultipleAllocations")),
    )


def _policy(value: _Spec | None) -> CapacityPolicy | None:
    if value is None:
        return None
    limits = value.get("validRange")
    return CapacityPolicy(
        default=_optional(value.get("default")),
        valid_values=tuple(Quantity.parse(each) for each in value.get("validValues") or ()),
        has_range=limits is not None,
        minimum=_optional((limits or {}).get("min")),
        maximum=_optional((limits or {}).get("max")),
        step=_optional((limits or {}).get("step")),
    )


def _optional(value: Any) -> Quantity | None:
    return None if value is None else Quantity.parse(value)


def _quantities(values: _Spec) -> dict[str, Quantity]:
    return {name: Quantity.parse(value) for name, value in values.items()}
