"""The topology view as plain text: domains with what is free, and the pods that are there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kueuelab.messages import Catalog, Message, clauses, english, listed, separated
from kueuelab.trace.wording import amount_text
from kueuelab.views.merge_patch import Json

__all__ = ["topology_text"]

HOSTNAME = "kubernetes.io/hostname"
_MOST_HOSTS = 200


@dataclass(slots=True)
class _Domain:
    """A domain of any level, its hosts added up."""

    room: dict[str, int] = field(default_factory=dict)
    free: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)
    problem: str = ""
    hosts: int = 0


def topology_text(frame: Json, catalog: Catalog | None = None) -> str:
    """Return the domains of each flavor as an indented list, with the pods that look for a place.

    Examples
    --------
    >>> topology_text({})
    'No flavor has a topology at this step.'
    """
    topologies: Json = frame.get("topologies", {})
    lines: list[str] = []
    for flavor in sorted(topologies, key=lambda name: topologies[name]["order"]):
        lines += _flavor_lines(frame, flavor, list(topologies[flavor]["levels"].values()))
    for name, each in frame.get("seeking", {}).items():
        amounts = listed([_amount(*pair) for pair in each["each"].items()])
        lines.append(
            Message(
                "views.domains.seeking",
                workload=each["workload"],
                pod_set=name,
                count=each["count"],
                amounts=amounts,
                flavor=each["flavor"],
            )
        )
    words = catalog or english()
    return "\n".join(map(words.render, lines)) or words.text("views.domains.none")


def _flavor_lines(frame: Json, flavor: str, levels: list[str]) -> Iterator[str]:
    topology = frame["topologies"][flavor]["topology"]
    yield Message("views.domains.title", flavor=flavor, topology=topology)
    domains = _domains(frame, flavor, by_host=bool(levels) and levels[-1] == HOSTNAME)
    hosts = 0
    for path in sorted(domains):
        depth = len(path)
        hosts += depth == len(levels)
        if hosts > _MOST_HOSTS:
            more = Message("views.domains.more-hosts", most=_MOST_HOSTS)
            yield Message("views.indented", text=more)
            return
        label = levels[depth - 1].rsplit("/", 1)[-1].removeprefix("topology-")
        name = f"{'  ' * depth}{label} {path[-1]}"
        yield _line(name, domains[path], is_host=depth == len(levels))


def _line(name: str, domain: _Domain, *, is_host: bool) -> str:
    amounts = [
        Message(
            "views.domains.free",
            free=_amount(resource, domain.free[resource]),
            room=amount_text(resource, room),
        )
        for resource, room in domain.room.items()
        if resource != "pods"
    ]
    parts = [listed(amounts)] if amounts else []
    if not is_host:
        parts.append(Message("views.domains.hosts", count=domain.hosts))
    if domain.problem and is_host:
        parts.append(separated(map(_problem, domain.problem.split(", "))))
    if is_host and domain.outside:
        taken = [_amount(*pair) for pair in domain.outside.items()]
        parts.append(Message("views.domains.outside", amounts=listed(taken)))
    if is_host and domain.pods:
        pods = [
            Message("views.domains.pods", count=count, workload=workload)
            for workload, count in sorted(domain.pods.items())
        ]
        parts.append(listed(pods))
    return Message("views.domains.line", domain=name, text=clauses(parts))


def _problem(code: str) -> str:
    if code in ("notReady", "cordoned"):
        return Message(f"frontend.domains.problem.{code}")
    return Message("frontend.domains.problem.taint", taint=code)


def _domains(frame: Json, flavor: str, *, by_host: bool) -> dict[tuple[str, ...], _Domain]:
    """Return the domains of all levels of a flavor by their label values."""
    found: dict[tuple[str, ...], _Domain] = {}
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
            at = found.setdefault(values[:depth], _Domain())
            at.hosts += 1
            _add(at, host, used.get(domain, {}))
        leaf = found[values]
        leaf.pods, leaf.problem = pods.get(domain, {}), host.get("problem", "")
    return found


def _add(domain: _Domain, host: Json, used: dict[str, int]) -> None:
    outside = host.get("outside", {})
    for resource, room in host["room"].items():
        free = 0 if host.get("closed") else room - outside.get(resource, 0) - used.get(resource, 0)
        domain.room[resource] = domain.room.get(resource, 0) + room
        domain.free[resource] = domain.free.get(resource, 0) + free
    for resource, amount in outside.items():
        if resource != "pods":
            domain.outside[resource] = domain.outside.get(resource, 0) + amount


def _amount(resource: str, amount: int) -> str:
    return f"{amount_text(resource, amount)} {resource}"
