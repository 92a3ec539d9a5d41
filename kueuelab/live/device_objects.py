"""Which objects of dynamic resource allocation matter for a cluster: only these are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kueuelab.live.resources import DEVICES, RESOURCE_SLICES, Json, Resource

__all__ = ["is_needed"]


def is_needed(resource: Resource, objects: Sequence[Json]) -> bool:
    """Tell whether a kind decides something where there are these objects.

    DeviceClasses and ResourceClaimTemplates do if devices are mapped to quota, or claimed;
    ResourceSlices if a mapping counts what devices consume, or a claim selects devices. Other
    kinds always do. ResourceClaims never do: Kueue refuses pods that name one.

    Examples
    --------
    >>> is_needed(RESOURCE_SLICES, [{"kind": "Namespace"}])
    False
    """
    if resource not in DEVICES:
        return True
    if resource is RESOURCE_SLICES:
        return any(mapping.get("sources") for mapping in _mappings(objects)) or any(
            "selectors" in _fields(obj.get("spec"))
            for obj in objects
            if obj.get("kind") == "ResourceClaimTemplate"
        )
    return any(True for _ in _mappings(objects)) or any(
        "resourceClaims" in _fields(obj.get("spec"))
        for obj in objects
        if obj.get("kind") in ("Workload", "Job")
    )


def _mappings(objects: Sequence[Json]) -> Iterator[Json]:
    for obj in objects:
        if obj.get("kind") == "Configuration":
            yield from (obj.get("resources") or {}).get("deviceClassMappings") or ()


def _fields(value: Any) -> Iterator[str]:
    """Yield the names of all fields with a value."""
    if isinstance(value, dict):
        for name, part in value.items():
            if part:
                yield name
                yield from _fields(part)
    elif isinstance(value, list):
        for part in value:
            yield from _fields(part)
