"""Topologies: domains with what is free in them, where pods are, and why some have no place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model.topology import HOSTNAME
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.topology_protocol import (
    DomainPods,
    DomainRow,
    PlacedWorkload,
    Topology,
    TopologyFound,
)
from kueuelab.trace import steps
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import amount_text
from kueuelab.views.frame.domain_sums import DomainSum, domain_sums, level_name, levels_of
from kueuelab.views.frame.domains import has_topologies
from kueuelab.views.frame.domains_text import problem_text
from kueuelab.views.frame.lacking import pods_without_place
from kueuelab.views.frame.room_text import room_text
from kueuelab.views.merge_patch import Json

__all__ = ["topology_found"]

_MOST_DOMAINS: Final = 400
_MOST_WORKLOADS: Final = 200
_TONES: Final = {"placed": "ok", "without": "bad", "gone": "quiet"}


def topology_found(facts: RunFacts, asked: Topology) -> TopologyFound:
    """Return the domains of a flavor after a step, and where pods are.

    Raises
    ------
    InputError
        If the run has no topology.
    UnknownObjectError
        If there is no such step.
    """
    trace = facts.trace
    if not has_topologies(trace):
        raise InputError(Problem(Message("session.topology.none")))
    step = _last_with_pods(trace) if asked.step is None else asked.step
    if not 0 <= step < len(trace):
        raise UnknownObjectError("step", str(step))
    frame = facts.document.frame(step)
    topologies = frame.get("topologies", {})
    flavors = tuple(sorted(topologies, key=lambda name: topologies[name]["order"]))
    flavor = asked.flavor if asked.flavor in flavors else next(iter(flavors), "")
    sums = domain_sums(frame, flavor)
    used = _used(frame, flavor, sums)
    resources = _resources(sums)
    resource = asked.resource if asked.resource in resources else next(iter(resources), "")
    rows = list(_rows(facts, frame, flavor, resource, sums, used))
    workloads = tuple(_workloads(facts, frame, step))
    return TopologyFound(
        sentence=_sentence(facts, workloads),
        step=step,
        flavors=flavors,
        flavor=flavor,
        resources=resources,
        resource=resource,
        domains=tuple(rows[:_MOST_DOMAINS]),
        more=max(0, len(rows) - _MOST_DOMAINS),
        workloads=workloads[:_MOST_WORKLOADS],
    )


def _last_with_pods(trace: Trace) -> int:
    """Return the last step after which pods have just been placed, or found no place."""
    kinds = ("DomainsSearched", "QuotaReserved", "Admitted")
    return max((each[-1] for kind in kinds if (each := trace.of_kind(kind))), default=0)


def _sentence(facts: RunFacts, workloads: tuple[PlacedWorkload, ...]) -> str:
    placed = sum(each.state == "placed" for each in workloads)
    without = sum(each.state == "without" for each in workloads)
    return facts.words.text("session.topology.sentence", count=placed, without=without)


# --- domains -----------------------------------------------------------------------------


def _resources(sums: Mapping[tuple[str, ...], DomainSum]) -> tuple[str, ...]:
    """Return what nodes have: what is used most comes first."""
    room: dict[str, int] = {}
    free: dict[str, int] = {}
    for path, each in sums.items():
        if len(path) == 1:
            for name, amount in each.room.items():
                room[name] = room.get(name, 0) + amount
                free[name] = free.get(name, 0) + each.free.get(name, 0)
    named = [name for name in room if name != "pods" and room[name]]
    return tuple(sorted(named, key=lambda name: (free[name] / room[name], name)))


def _used(
    frame: Json, flavor: str, sums: Mapping[tuple[str, ...], DomainSum]
) -> Mapping[tuple[str, ...], Mapping[str, int]]:
    """Return what pods of workloads use in each domain."""
    by_host = levels_of(frame, flavor)[-1:] == [HOSTNAME]
    depth = max(map(len, sums), default=0)
    paths = {path[-1] if by_host else ",".join(path): path for path in sums if len(path) == depth}
    found: dict[tuple[str, ...], dict[str, int]] = {path: {} for path in sums}
    for place in frame.get("places", {}).values():
        if place["flavor"] != flavor and not by_host:
            continue
        for domain, count in place["on"].items():
            path = paths.get(domain, ())
            for end in range(1, len(path) + 1):
                total = found[path[:end]]
                for resource, amount in place["each"].items():
                    total[resource] = total.get(resource, 0) + amount * count
    return found


def _rows(
    facts: RunFacts,
    frame: Json,
    flavor: str,
    resource: str,
    sums: Mapping[tuple[str, ...], DomainSum],
    used: Mapping[tuple[str, ...], Mapping[str, int]],
) -> Iterator[DomainRow]:
    words, levels = facts.words, levels_of(frame, flavor)
    for path in sorted(sums):
        each, is_host = sums[path], len(path) == len(levels)
        room, free = each.room.get(resource, 0), each.free.get(resource, 0)
        text = words.text(
            "session.topology.free",
            free=amount_text(resource, free),
            room=amount_text(resource, room),
        )
        problem = each.problem.split(", ") if is_host and each.problem else []
        yield DomainRow(
            id=",".join(path),
            name=path[-1],
            level=level_name(levels[len(path) - 1]),
            depth=len(path) - 1,
            hosts=each.hosts,
            used=used[path].get(resource, 0),
            outside=each.outside.get(resource, 0),
            free=max(0, free),
            room=room,
            text=text,
            pods=tuple(DomainPods(*pair) for pair in sorted(each.pods.items())) if is_host else (),
            problem=words.separated([words.render(problem_text(code)) for code in problem]),
        )


# --- workloads ---------------------------------------------------------------------------


def _workloads(facts: RunFacts, frame: Json, step: int) -> Iterator[PlacedWorkload]:
    """Yield the workloads that asked for a place once: those without one first."""
    trace, words = facts.trace, facts.words
    last: dict[str, int | None] = {}
    for index in trace.of_kind("DomainsSearched"):
        workload, search = trace[index].workload, trace[index].facts
        # Whether pods would fit if no other pod was there says nothing of where they are.
        if isinstance(search, steps.DomainsSearched) and not search.empty:
            last[workload] = index if index <= step else last.get(workload)
    lacking = pods_without_place(trace)
    state = trace.state_at(step)
    found = []
    for workload, searched in last.items():
        said = room_text(frame, lacking, workload, words)
        message = "" if searched is None else _reason(trace, searched)
        is_placed = any(each["workload"] == workload for each in frame.get("places", {}).values())
        phase = state.workload(workload).phase
        is_waiting = phase == "Pending" and searched is not None
        kind = "placed" if is_placed else "without" if is_waiting else "gone"
        form = f"phase.{phase.lower()}" if kind == "gone" and phase else f"topology.{kind}"
        found.append(
            PlacedWorkload(
                workload=workload,
                state=kind,
                state_text=words.text(f"session.{form}"),
                tone=_TONES[kind],
                lines=tuple(said.splitlines()),
                message=message if kind == "without" else "",
                step=searched,
            )
        )
    order = ("without", "placed", "gone")
    yield from sorted(found, key=lambda each: order.index(each.state))


def _reason(trace: Trace, index: int) -> str:
    search = trace[index].facts
    return search.reason if isinstance(search, steps.DomainsSearched) else ""
