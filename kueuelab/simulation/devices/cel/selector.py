"""Selectors: expressions about a device that are true or false."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kueuelab.model.devices import Device
from kueuelab.simulation.devices.cel.errors import CelError
from kueuelab.simulation.devices.cel.evaluate import evaluate, unknown_names
from kueuelab.simulation.devices.cel.syntax import Node, parse
from kueuelab.simulation.devices.cel.version import Version

__all__ = ["compiled", "device_value", "matches"]

_VARIABLES = frozenset({"device"})


@lru_cache(maxsize=256)
def compiled(expression: str) -> Node:
    """Return the tree of a selector.

    Raises
    ------
    CelError
        If it is no expression, or names what there is not.
    """
    node = parse(expression)
    if unknown := unknown_names(node, _VARIABLES):
        raise CelError(f"undeclared reference to '{unknown[0]}' (in container '')")
    return node


def matches(selector: Node, device: Mapping[str, Any]) -> bool:
    """Tell whether a selector matches a device.

    Raises
    ------
    CelError
        If it has no value, because the device lacks an attribute for instance.

    Examples
    --------
    >>> device = device_value("gpu.example.com", Device("gpu-0", {"model": {"string": "a100"}}))
    >>> matches(compiled('device.attributes["gpu.example.com"].model == "a100"'), device)
    True
    """
    value = evaluate(selector, {"device": device})
    if not isinstance(value, bool):
        raise CelError("must evaluate to bool or the unknown type")
    return value


class _ByDomain(dict[str, dict[str, Any]]):
    """Attributes or capacities by domain; a domain that has none is empty, and not missing."""

    def __missing__(self, domain: str) -> dict[str, Any]:
        return {}


def device_value(driver: str, device: Device) -> Mapping[str, Any]:
    """Return what a selector sees as ``device``."""
    attributes, capacity = _ByDomain(), _ByDomain()
    for name, attribute in device.attributes.items():
        _put(attributes, driver, name, _attribute(attribute))
    for name, each in device.capacity.items():
        _put(capacity, driver, name, each.value)
    return {
        "driver": driver,
        "attributes": attributes,
        "capacity": capacity,
        "allowMultipleAllocations": device.allow_multiple_allocations,
    }


def _put(found: _ByDomain, driver: str, name: str, value: Any) -> None:
    domain, _, identifier = name.rpartition("/")
    found.setdefault(domain or driver, {})[identifier] = value


def _attribute(attribute: Mapping[str, Any]) -> Any:
    [(kind, value)] = attribute.items()
    return Version.parse(value) if kind == "version" else value
