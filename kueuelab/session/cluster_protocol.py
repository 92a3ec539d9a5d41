"""What a page can ask of a run of several clusters, and what the handler answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "AddFault",
    "ClusterCommand",
    "ClusterInfo",
    "ClusterLine",
    "Clusters",
    "ClustersFound",
    "FaultInfo",
    "Faults",
    "FaultsFound",
    "HazardInfo",
    "Placement",
    "PlacementFound",
]


@dataclass(frozen=True, slots=True)
class Clusters:
    """Ask for the clusters of a branch at its end, hazards and races."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """Ask where a workload is in every cluster after a step, and why; after the last if omitted."""

    workload: str
    branch: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Faults:
    """Ask which faults a cluster can have after a step.

    Attributes
    ----------
    cluster
        The cluster; the manager if omitted.
    workload
        A workload of it, whose faults are offered as well.
    elapsed
        Milliseconds that have gone by since the step.
    """

    step: int
    branch: str = ""
    cluster: str = ""
    workload: str = ""
    elapsed: int = 0


@dataclass(frozen=True, slots=True)
class AddFault:
    """Make a branch in which a cluster has a fault right after a step.

    Attributes
    ----------
    fault
        Its id in the answer to ``faults``.
    """

    fault: str
    step: int
    branch: str = ""
    cluster: str = ""
    workload: str = ""
    elapsed: int = 0


ClusterCommand: TypeAlias = Clusters | Placement | Faults | AddFault


@dataclass(frozen=True, slots=True)
class ClusterInfo:
    """One of several clusters that decide together.

    Attributes
    ----------
    branch
        What commands about this cluster alone name as their branch.
    role
        What it is, as text.
    about
        How large its part of the run is, as text.
    topologies
        Whether it has topologies.
    """

    name: str
    branch: str
    role: str
    about: str
    steps: int
    workloads: int
    pending: int
    topologies: bool


@dataclass(frozen=True, slots=True)
class HazardInfo:
    """A problem that Kueue itself causes, and what an operator can do."""

    id: str
    workload: str
    cluster: str
    text: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ClustersFound:
    """The answer to ``clusters``.

    Attributes
    ----------
    races
        Ties that were drawn, as sentences.
    left_out
        Why actions of the scenario were left out, because of a fault for example.
    """

    sentence: str
    clusters: tuple[ClusterInfo, ...]
    hazards: tuple[HazardInfo, ...]
    races: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterLine:
    """What is said of a workload in one cluster."""

    cluster: str
    text: str


@dataclass(frozen=True, slots=True)
class PlacementFound:
    """The answer to ``placement``: the manager first."""

    workload: str
    step: int
    lines: tuple[ClusterLine, ...]
    hazards: tuple[HazardInfo, ...]


@dataclass(frozen=True, slots=True)
class FaultInfo:
    """A fault that can be added.

    Attributes
    ----------
    hint
        What it stands for on a real cluster.
    """

    id: str
    label: str
    hint: str


@dataclass(frozen=True, slots=True)
class FaultsFound:
    """The answer to ``faults``; ``time`` is when it would happen."""

    cluster: str
    time: str
    faults: tuple[FaultInfo, ...]
