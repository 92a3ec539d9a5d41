"""What Kueue's controllers do when DeviceClasses, ResourceSlices or claims change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kueuelab.model import DeviceClass, ResourceSlice
from kueuelab.model.times import SECOND
from kueuelab.queues import is_admissible
from kueuelab.simulation.devices.counting import retry_counting
from kueuelab.simulation.devices.queueing import (
    extended_resources,
    needs_devices_counted,
    queue_without_devices,
)

if TYPE_CHECKING:
    from kueuelab.simulation.control_plane import ControlPlane

__all__ = ["on_claim_or_template", "on_device_class", "on_resource_slice"]


def on_device_class(
    plane: ControlPlane, before: DeviceClass | None, now: DeviceClass | None
) -> None:
    """Look again at workloads that request what the class stands for, or stood for."""
    devices = plane.devices
    retry_counting(plane)
    if not devices.extended:
        return
    names = []
    for device_class in (before, now):
        if device_class is not None and (resource := device_class.extended_resource_name):
            names.append(resource)
            backing = devices.backed.setdefault(resource, {})
            if device_class is now:
                backing[now.metadata.name] = None
            else:
                backing.pop(device_class.metadata.name, None)
    for resource in names:
        if not devices.backed.get(resource, True):
            del devices.backed[resource]
    for resource in dict.fromkeys(names):
        _look_again(plane, resource)


def _look_again(plane: ControlPlane, resource: str) -> None:
    for key in sorted(plane.workloads):
        state = plane.workloads[key]
        if state.has_quota_reservation or resource not in extended_resources(plane.written(state)):
            continue
        if not needs_devices_counted(plane, state) and is_admissible(state, plane.gates):
            queue_without_devices(plane, state)
        due = plane.now + SECOND
        plane.clock.set_timer(("deviceClass", key), due, partial(plane.enqueue, key))


def on_resource_slice(
    plane: ControlPlane, before: ResourceSlice | None, now: ResourceSlice | None
) -> None:
    """Retry all that is inadmissible if a driver whose devices are counted published something."""
    retry_counting(plane)
    published = now or before
    devices = plane.devices
    if not (devices.partitionable or devices.consumable) or published is None:
        return
    if published.driver in devices.mapper.drivers:
        plane.wake(sorted(plane.statuses))


def on_claim_or_template(plane: ControlPlane, before: Any, now: Any) -> None:
    """Nothing tells Kueue of claims: those that could not be counted are tried when due."""
    retry_counting(plane)
