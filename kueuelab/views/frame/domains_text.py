"""The topology view as plain text: domains with what is free, and the pods that are there."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.messages import Catalog, Message, clauses, english, listed, separated
from kueuelab.trace.wording import amount_text
from kueuelab.views.frame.domain_sums import DomainSum, domain_sums, resource_amount
from kueuelab.views.merge_patch import Json

__all__ = ["domain_text", "problem_text", "topology_text"]

_MOST_HOSTS = 200


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
        amounts = listed([resource_amount(*pair) for pair in each["each"].items()])
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
    found = domain_sums(frame, flavor)
    hosts = 0
    for path in sorted(found):
        depth = len(path)
        hosts += depth == len(levels)
        if hosts > _MOST_HOSTS:
            more = Message("views.domains.more-hosts", most=_MOST_HOSTS)
            yield Message("views.indented", text=more)
            return
        label = levels[depth - 1].rsplit("/", 1)[-1].removeprefix("topology-")
        name = f"{'  ' * depth}{label} {path[-1]}"
        text = domain_text(found[path], is_host=depth == len(levels))
        yield Message("views.domains.line", domain=name, text=text)


def domain_text(domain: DomainSum, *, is_host: bool) -> str:
    """Return what is free in a domain, and what uses the rest."""
    amounts = [
        Message(
            "views.domains.free",
            free=resource_amount(resource, domain.free[resource]),
            room=amount_text(resource, room),
        )
        for resource, room in domain.room.items()
        if resource != "pods"
    ]
    parts = [listed(amounts)] if amounts else []
    if not is_host:
        parts.append(Message("views.domains.hosts", count=domain.hosts))
    if domain.problem and is_host:
        parts.append(separated(map(problem_text, domain.problem.split(", "))))
    if is_host and domain.outside:
        taken = [resource_amount(*pair) for pair in domain.outside.items()]
        parts.append(Message("views.domains.outside", amounts=listed(taken)))
    if is_host and domain.pods:
        pods = [
            Message("views.domains.pods", count=count, workload=workload)
            for workload, count in sorted(domain.pods.items())
        ]
        parts.append(listed(pods))
    return clauses(parts)


def problem_text(code: str) -> str:
    """Return why a host takes no pods, by the code that a frame has."""
    if code in ("notReady", "cordoned"):
        return Message(f"frontend.domains.problem.{code}")
    return Message("frontend.domains.problem.taint", taint=code)
