"""What a page can ask about topologies, and what the handler answers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DomainPods", "DomainRow", "PlacedWorkload", "Topology", "TopologyFound"]


@dataclass(frozen=True, slots=True)
class Topology:
    """Ask for the domains of a flavor after a step, and where the pods of workloads are.

    Attributes
    ----------
    step
        The step; if omitted, the last one after which pods have, or look for, a place.
    flavor, resource
        Which flavor's domains, and what is counted in them; the first ones if omitted.
    """

    branch: str = ""
    step: int | None = None
    flavor: str = ""
    resource: str = ""


@dataclass(frozen=True, slots=True)
class DomainPods:
    """How many pods of a workload a host has."""

    workload: str
    count: int


@dataclass(frozen=True, slots=True)
class DomainRow:
    """A domain of any level, its hosts added up.

    Attributes
    ----------
    id
        Its label values, joined by commas.
    used, outside, free, room
        What pods of workloads use, what other pods use, what is free, and all; as in the bars.
    text
        What is free, in words.
    pods
        Of a host, the pods that it has.
    problem
        Why a host takes no pods, as text; ``""`` if it does.
    """

    id: str
    name: str
    level: str
    depth: int
    hosts: int
    used: int
    outside: int
    free: int
    room: int
    text: str
    pods: tuple[DomainPods, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class PlacedWorkload:
    """A workload that asked for a place in a topology.

    Attributes
    ----------
    state
        ``placed``, ``without`` a place, or ``gone``: not there yet, or not any more.
    lines
        Where its pods are, or why they have no place.
    message
        Kueue's message of its last search up to the step; ``""`` if a place was found.
    step
        The step of that search; ``None`` before the first one.
    """

    workload: str
    state: str
    state_text: str
    tone: str
    lines: tuple[str, ...]
    message: str
    step: int | None


@dataclass(frozen=True, slots=True)
class TopologyFound:
    """The answer to ``topology``.

    Attributes
    ----------
    more
        How many domains are not listed.
    """

    sentence: str
    step: int
    flavors: tuple[str, ...]
    flavor: str
    resources: tuple[str, ...]
    resource: str
    domains: tuple[DomainRow, ...]
    more: int
    workloads: tuple[PlacedWorkload, ...]
