"""One workload and the nodes, as text: where its pods are, or what is free for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kueuelab.messages import Catalog, Message, english, listed, separated
from kueuelab.trace.names import short_name
from kueuelab.views.frame.domain_sums import (
    DomainSum,
    domain_sums,
    level_name,
    levels_of,
    resource_amount,
)
from kueuelab.views.merge_patch import Json

__all__ = ["room_text"]


def room_text(frame: Json, lacking: Json, workload: str, catalog: Catalog | None = None) -> str:
    """Return where the pods of a workload are, or what is free for those that found no place.

    Parameters
    ----------
    frame
        The frame of a step.
    lacking
        The pods that found no place once, by workload and pod set.
    workload
        The workload.
    catalog
        The language.

    Examples
    --------
    >>> room_text({}, {}, "default/a")
    ''
    """
    places = [each for each in frame.get("places", {}).values() if each["workload"] == workload]
    lines = [_placed(each) for each in places]
    if not places and _is_pending(frame, workload):
        for name, pods in lacking.get(workload, {}).items():
            lines += _lacking(frame, name, pods)
    words = catalog or english()
    return "\n".join(map(words.render, lines))


def _is_pending(frame: Json, workload: str) -> bool:
    chips = frame.get("chips", {}).values()
    return any(
        "queue" in each and (each["workload"] == workload or workload in each.get("parts", {}))
        for each in chips
    )


def _placed(place: Json) -> str:
    hosts = [
        Message("frontend.domains.placed.host", host=host.replace(",", "/"), count=count)
        for host, count in place["on"].items()
    ]
    return Message(
        "frontend.domains.placed",
        workload=short_name(place["workload"]),
        set=place["podSet"],
        places=separated(hosts),
    )


def _lacking(frame: Json, name: str, pods: Json) -> Iterator[str]:
    count, each, level = pods["count"], pods["each"], level_name(pods["level"])
    amounts = separated([resource_amount(*pair) for pair in each.items()])
    workload = short_name(pods["workload"])
    asked = Message(
        "frontend.domains.seeking", workload=workload, set=name, count=count, amounts=amounts
    )
    yield separated([asked, Message(f"frontend.domains.asks.{pods['request']}", level=level)])
    levels = levels_of(frame, pods["flavor"])
    found = domain_sums(frame, pods["flavor"])
    hosts = {path: at for path, at in found.items() if len(path) == len(levels)}
    rooms = {path: _room_for(host, each) for path, host in hosts.items()}
    fits = sum(rooms.values())
    free = [
        resource_amount(resource, sum(host.free.get(resource, 0) for host in hosts.values()))
        for resource, amount in each.items()
        if resource != "pods" and amount > 0
    ]
    yield Message("frontend.domains.room", free=listed(free), fits=fits, count=count)
    if any(rooms[path] and ":" in host.problem for path, host in hosts.items()):
        yield Message("frontend.domains.room.tainted")
    if pods["level"] not in levels or pods["request"] == "unconstrained" or not rooms:
        return
    depth = levels.index(pods["level"]) + 1
    totals: dict[tuple[str, ...], int] = {}
    for path in rooms:
        totals[path[:depth]] = totals.get(path[:depth], 0) + rooms[path]
    best = min(totals, key=lambda path: (-totals[path], path))
    values = {"level": level, "domain": best[-1], "fits": totals[best], "count": count}
    yield Message("frontend.domains.room.best", **values)
    if totals[best] < count <= fits:
        yield Message("frontend.domains.room.fragmented", level=level)


def _room_for(host: DomainSum, each: Mapping[str, int]) -> int:
    """Return how many pods fit into a host."""
    wanted = {**each, "pods": 1} if "pods" in host.free else each
    fits = [host.free.get(name, 0) // amount for name, amount in wanted.items() if amount > 0]
    return max(0, min(fits, default=0))
