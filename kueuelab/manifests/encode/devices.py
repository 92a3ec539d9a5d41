"""DeviceClasses, claims, their templates and ResourceSlices, to dicts."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests.encode.parts import compact
from kueuelab.model import DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from kueuelab.model.devices import DeviceClassMapping, DeviceSource

__all__ = ["as_written", "device_class_mapping"]


def as_written(
    obj: DeviceClass | ResourceClaim | ResourceClaimTemplate | ResourceSlice,
) -> dict[str, Any]:
    """Return what an object says beside its metadata."""
    return {"spec": dict(obj.spec)}


def device_class_mapping(mapping: DeviceClassMapping) -> dict[str, Any]:
    """Return an entry of ``resources.deviceClassMappings``."""
    return compact(
        name=mapping.name,
        deviceClassNames=list(mapping.device_class_names),
        sources=[_source(source) for source in mapping.sources],
    )


def _source(source: DeviceSource) -> dict[str, Any]:
    selector = {"cel": {"expression": source.selector}} if source.selector else None
    return {
        source.kind: compact(name=source.name, driver=source.driver, deviceSelector=selector),
    }
