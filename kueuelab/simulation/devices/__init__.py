"""Dynamic resource allocation: devices that pods claim are counted against quota (KEP-2941)."""

from kueuelab.simulation.devices.accounting import DeviceAccounting
from kueuelab.simulation.devices.counting import count_devices, uncounted
from kueuelab.simulation.devices.queueing import (
    drop_device_charges,
    go_on_after_devices,
    needs_devices_counted,
    queue_without_devices,
    says_the_same,
)

__all__ = [
    "DeviceAccounting",
    "count_devices",
    "drop_device_charges",
    "go_on_after_devices",
    "needs_devices_counted",
    "queue_without_devices",
    "says_the_same",
    "uncounted",
]
