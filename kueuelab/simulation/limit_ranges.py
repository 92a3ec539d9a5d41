"""LimitRanges: defaults for what pods leave out, and bounds on what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from kueuelab.model import Container, LimitRange, PodSpec, ResourceRequirements, request_amount
from kueuelab.model.pods import ResourceList
from kueuelab.quantity import Quantity
from kueuelab.workload import pod_requests

__all__ = ["Bounds", "exceeding", "invalid_value", "summarize"]

ABOVE_MAX: Final = "requests must not be above the limitRange max"
BELOW_MIN: Final = "requests must not be below the limitRange min"


def invalid_value(path: str, resources: list[str], detail: str) -> str:
    """Return a field error as Kubernetes prints it."""
    names = ",".join(f'"{name}"' for name in resources)
    return f"{path}: Invalid value: [{names}]: {detail}"


def exceeding(left: ResourceList, right: ResourceList) -> list[str]:
    """Return the resources, sorted, of which ``left`` has more than ``right`` names.

    Examples
    --------
    >>> one, two = Quantity.parse("1"), Quantity.parse("2")
    >>> exceeding({"cpu": two, "memory": two}, {"cpu": one})
    ['cpu']
    """
    return sorted(
        name
        for name, quantity in left.items()
        if name in right and request_amount(name, quantity) > request_amount(name, right[name])
    )


def kept_first(left: ResourceList, right: ResourceList) -> ResourceList:
    """Return ``left`` with what only ``right`` names added."""
    return left if not right.keys() - left.keys() else {**right, **left}


def _merged(
    left: ResourceList, right: ResourceList, choose: Callable[[Quantity, Quantity], Quantity]
) -> ResourceList:
    both = {name: choose(left[name], right[name]) for name in left if name in right}
    return {**left, **right, **both}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What all LimitRanges of a namespace together say for one type (Container or Pod)."""

    max: ResourceList = field(default_factory=dict)
    min: ResourceList = field(default_factory=dict)
    default: ResourceList = field(default_factory=dict)
    default_request: ResourceList = field(default_factory=dict)


def summarize(limit_ranges: Iterable[LimitRange]) -> dict[str, Bounds]:
    """Merge LimitRanges by type: the tightest bounds count, and the first defaults."""
    summary: dict[str, Bounds] = {}
    for limit_range in limit_ranges:
        for item in limit_range.limits:
            bounds = summary.get(item.type, Bounds())
            summary[item.type] = Bounds(
                _merged(bounds.max, item.max, min),
                _merged(bounds.min, item.min, max),
                kept_first(bounds.default, item.default),
                kept_first(bounds.default_request, item.default_request),
            )
    return summary


def with_defaults(spec: PodSpec, summary: Mapping[str, Bounds]) -> PodSpec:
    """Fill in the limits and requests that a pod's containers leave out."""
    containers, pod = summary.get("Container"), summary.get("Pod")
    if containers is not None:
        spec = replace(
            spec,
            init_containers=tuple(_filled(c, containers) for c in spec.init_containers),
            containers=tuple(_filled(c, containers) for c in spec.containers),
        )
    if pod is not None and spec.resources is not None:
        spec = replace(spec, resources=_completed(spec.resources, pod))
    return spec


def _filled(container: Container, bounds: Bounds) -> Container:
    return replace(container, resources=_completed(container.resources, bounds))


def _completed(resources: ResourceRequirements, bounds: Bounds) -> ResourceRequirements:
    return ResourceRequirements(
        requests=kept_first(resources.requests, bounds.default_request),
        limits=kept_first(resources.limits, bounds.default),
    )


def violations(spec: PodSpec, path: str, summary: Mapping[str, Bounds]) -> list[str]:
    """Return how a pod breaks its namespace's bounds, as field errors."""
    found: list[str] = []
    containers, pod = summary.get("Container"), summary.get("Pod")
    if containers is not None:
        for kind, group in (
            ("initContainers", spec.init_containers),
            ("containers", spec.containers),
        ):
            for index, container in enumerate(group):
                at = f"{path}.{kind}[{index}]"
                requests, limits = container.resources.requests, container.resources.limits
                found += _out_of_bounds(
                    at, _merged(requests, limits, min), _merged(requests, limits, max), containers
                )
    if pod is not None:
        total = pod_requests(spec)
        found += _out_of_bounds(path, total, total, pod)
    return found


def _out_of_bounds(path: str, least: ResourceList, most: ResourceList, bounds: Bounds) -> list[str]:
    found: list[str] = []
    if above := exceeding(most, bounds.max):
        found.append(invalid_value(path, above, ABOVE_MAX))
    if below := exceeding(bounds.min, least):
        found.append(invalid_value(path, below, BELOW_MIN))
    return found
