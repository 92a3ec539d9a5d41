"""What the controllers of a cluster keep about devices."""

from __future__ import annotations

from collections.abc import Mapping

from kueuelab.model import Condition, Configuration
from kueuelab.simulation.devices.mapper import DeviceMapper
from kueuelab.simulation.devices.retries import Retries
from kueuelab.workload import DeviceCharges

__all__ = ["DeviceAccounting"]


class DeviceAccounting:
    """Gates, mappings and caches of Kueue's accounting of devices.

    Attributes
    ----------
    enabled, rejects
        Whether devices are counted (``KueueDRAIntegration``); if not, whether workloads that
        claim some are rejected (``KueueDRARejectWorkloadsWhenDRADisabled``).
    extended, partitionable, consumable
        Whether extended resources, counters and capacities of devices count.
    admin_access
        Whether a request for administrative access is accepted, and counts nothing.
    mapper
        What the Configuration says of DeviceClasses.
    backed
        Extended resources that stand for devices, each with the DeviceClasses that say so.
    retries
        Workloads whose devices could not be counted, and when that is tried again.
    assumed
        What Kueue counted for workloads of a dump that lacks the templates they name.
    set_aside
        The conditions of the workload that is being reconciled, before its devices were counted.
    """

    __slots__ = (
        "admin_access",
        "assumed",
        "backed",
        "consumable",
        "enabled",
        "extended",
        "mapper",
        "partitionable",
        "rejects",
        "retries",
        "set_aside",
    )

    def __init__(self, configuration: Configuration) -> None:
        gates = configuration.gates
        self.enabled = gates["KueueDRAIntegration"]
        self.rejects = not self.enabled and gates["KueueDRARejectWorkloadsWhenDRADisabled"]
        self.extended = self.enabled and gates["KueueDRAIntegrationExtendedResource"]
        self.partitionable = self.enabled and gates["KueueDRAIntegrationPartitionableDevices"]
        self.consumable = self.enabled and gates["KueueDRAIntegrationConsumableCapacity"]
        self.admin_access = configuration.release.admin_access_counts_nothing
        self.mapper = DeviceMapper.of(configuration.resources.device_class_mappings)
        self.backed: dict[str, dict[str, None]] = {}
        self.retries = Retries()
        self.assumed: dict[str, DeviceCharges] = {}
        self.set_aside: Mapping[str, Condition] | None = None
