"""What happens between clusters: the kinds of steps that only MultiKueue has."""

from __future__ import annotations

from dataclasses import dataclass, field

from kueuelab.trace.step import Facts

__all__ = [
    "CheckActivityChanged",
    "ClusterNameRefused",
    "ClustersNominated",
    "CopyCreated",
    "CopyRemoved",
    "MultiKueueCheck",
    "PreemptionGateOpened",
    "RaceDrawn",
    "RemoteJobCreated",
    "StatusRefused",
    "WorkerChosen",
    "WorkerConnectionChanged",
]


@dataclass(frozen=True, slots=True)
class ClustersNominated(Facts):
    """A dispatcher nominated workers; ``before`` are those it had nominated already.

    ``round_length`` are nanoseconds until it is asked again, if nothing happens before that;
    ``None`` if it isn't.
    """

    clusters: tuple[str, ...]
    before: tuple[str, ...]
    round_length: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CopyCreated(Facts):
    """The manager created a copy of a workload on a worker."""

    worker: str


@dataclass(frozen=True, slots=True)
class CopyRemoved(Facts):
    """The manager removed its copy, and the job if there was one, from a worker."""

    worker: str


@dataclass(frozen=True, slots=True)
class RemoteJobCreated(Facts):
    """The manager created the job on the worker that admitted its copy."""

    worker: str


@dataclass(frozen=True, slots=True)
class WorkerChosen(Facts):
    """``clusterName`` was set: this worker runs the job."""

    worker: str


@dataclass(frozen=True, slots=True)
class RaceDrawn(Facts):
    """Workers tied, to the second; luck decided, and could have decided for others."""

    about: str
    winner: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PreemptionGateOpened(Facts):
    """A worker may preempt for its copy."""

    worker: str


@dataclass(frozen=True, slots=True)
class MultiKueueCheck(Facts):
    """MultiKueue reported on a workload with its admission check."""

    state: str
    message: str


@dataclass(frozen=True, slots=True)
class ClusterNameRefused(Facts):
    """The API refused to set ``clusterName`` to a worker that admitted; ``current`` stays."""

    worker: str
    current: str


@dataclass(frozen=True, slots=True)
class StatusRefused(Facts):
    """Kubernetes refused the job status that came from a worker: it started at another time."""

    worker: str


@dataclass(frozen=True, slots=True)
class WorkerConnectionChanged(Facts):
    """A MultiKueueCluster became active or inactive.

    ``missing_crd`` is a kind that the manager watches and the worker lacks, ``""`` if there is
    none.
    """

    worker: str
    active: bool
    reason: str
    message: str
    missing_crd: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class CheckActivityChanged(Facts):
    """MultiKueue's admission check became active or inactive, or is so for another reason."""

    check: str
    active: bool
    reason: str
    message: str
