"""What the devices that a workload claims count against quota (KEP-2941)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kueuelab.model.pods import ResourceList
from kueuelab.quantity import Quantity
from kueuelab.workload.requests import sum_lists

__all__ = ["DeviceCharges"]


@dataclass(frozen=True, slots=True)
class DeviceCharges:
    """What counts for one pod of each pod set, beside its requests, and instead of which.

    ``added`` has quantities by pod set and resource of the quota; ``replaced`` the requested
    resources of a pod set that stand for devices, and don't count under their own name.

    Examples
    --------
    >>> charges = DeviceCharges({"main": {"gpus": Quantity.parse("2")}})
    >>> charges.applied("main", {"cpu": Quantity.parse("1")})
    {'cpu': Quantity('1'), 'gpus': Quantity('2')}
    """

    added: Mapping[str, ResourceList] = field(default_factory=dict)
    replaced: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def plus(self, other: DeviceCharges) -> DeviceCharges:
        """Return both together."""
        if not other.added and not other.replaced:
            return self
        names = dict.fromkeys((*self.added, *other.added))
        added = {
            name: sum_lists((self.added.get(name, {}), other.added.get(name, {}))) for name in names
        }
        return DeviceCharges(added, {**self.replaced, **other.replaced})

    def applied(self, pod_set: str, requests: ResourceList) -> dict[str, Quantity]:
        """Return what counts for a pod of a pod set that requests ``requests``."""
        replaced = self.replaced.get(pod_set, frozenset())
        kept = {name: quantity for name, quantity in requests.items() if name not in replaced}
        return sum_lists((kept, self.added.get(pod_set, {})))
