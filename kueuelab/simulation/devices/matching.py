"""Which devices of the cluster the selectors of classes and requests match."""

from __future__ import annotations

from collections.abc import Sequence

from kueuelab.model.devices import DeviceRequest
from kueuelab.simulation.devices.field_error import FieldError
from kueuelab.simulation.devices.mapper import DeviceMapper
from kueuelab.simulation.objects import ObjectStore

__all__ = ["Inventory", "check_selectors", "selectors_problem"]


class Inventory:
    """The devices of a cluster while one workload is looked at."""

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects


def selectors_problem(selectors: Sequence[str], path: str) -> str | None:
    """Return why selectors are no CEL expressions, ``None`` if they are."""
    return None


def check_selectors(
    mapper: DeviceMapper, inventory: Inventory, path: str, requests: Sequence[DeviceRequest]
) -> list[FieldError]:
    """Return which requests with selectors ask for more devices than there are."""
    return []
