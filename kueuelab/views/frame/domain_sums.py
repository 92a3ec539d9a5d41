"""Domains of all levels, their hosts added up: what a frame does not hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from kueuelab.model.topology import HOSTNAME
from kueuelab.trace.wording import amount_text
from kueuelab.views.merge_patch import Json

__all__ = ["DomainSum", "domain_sums", "level_name", "levels_of", "resource_amount"]


@dataclass(slots=True)
class DomainSum:
    """A domain of any level, its hosts added up."""

    room: dict[str, int] = field(default_factory=dict)
    free: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)
    problem: str = ""
    hosts: int = 0


def levels_of(frame: Json, flavor: str) -> list[str]:
    """Return the node labels of a flavor's levels, the widest first."""
    return list(frame.get("topologies", {}).get(flavor, {}).get("levels", {}).values())


def level_name(label: str) -> str:
    """Return what a level is called: the end of its node label.

    Examples
    --------
    >>> level_name("cloud.provider.com/topology-rack"), level_name(HOSTNAME)
    ('rack', 'host')
    """
    return "host" if label == HOSTNAME else label.rsplit("/", 1)[-1].removeprefix("topology-")


def domain_sums(frame: Json, flavor: str) -> dict[tuple[str, ...], DomainSum]:
    """Return the domains of all levels of a flavor by their label values."""
    by_host = levels_of(frame, flavor)[-1:] == [HOSTNAME]
    found: dict[tuple[str, ...], DomainSum] = {}
    hosts: dict[str, tuple[tuple[str, ...], Json]] = {}
    for key, host in frame.get("hosts", {}).items():
        name, _, path = key.rpartition("|")
        if name == flavor:
            values = tuple(path.split(","))
            hosts[values[-1] if by_host else path] = values, host
    used: dict[str, dict[str, int]] = {}
    pods: dict[str, dict[str, int]] = {}
    for place in frame.get("places", {}).values():
        if place["flavor"] != flavor and not by_host:
            continue
        for domain, count in place["on"].items():
            total, there = used.setdefault(domain, {}), pods.setdefault(domain, {})
            there[place["workload"]] = there.get(place["workload"], 0) + count
            for resource, amount in {**place["each"], "pods": 1}.items():
                total[resource] = total.get(resource, 0) + amount * count
    for domain, (values, host) in hosts.items():
        for depth in range(1, len(values) + 1):
            at = found.setdefault(values[:depth], DomainSum())
            at.hosts += 1
            _add(at, host, used.get(domain, {}))
        leaf = found[values]
        leaf.pods, leaf.problem = pods.get(domain, {}), host.get("problem", "")
    return found


def _add(domain: DomainSum, host: Json, used: dict[str, int]) -> None:
    outside = host.get("outside", {})
    for resource, room in host["room"].items():
        free = 0 if host.get("closed") else room - outside.get(resource, 0) - used.get(resource, 0)
        domain.room[resource] = domain.room.get(resource, 0) + room
        domain.free[resource] = domain.free.get(resource, 0) + free
    for resource, amount in outside.items():
        if resource != "pods":
            domain.outside[resource] = domain.outside.get(resource, 0) + amount


def resource_amount(resource: str, amount: int) -> str:
    """Return an amount with its resource.

    Examples
    --------
    >>> resource_amount("cpu", 1500)
    '1500m cpu'
    """
    return f"{amount_text(resource, amount)} {resource}"
