"""What the service answers, where it is not an answer of the session itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.session.answers import (
    CauseGroup,
    Explained,
    LeverCost,
    LeversFound,
    LintPage,
    Trouble,
    WorkloadDetails,
)

__all__ = [
    "Basis",
    "Delay",
    "Displaced",
    "Domain",
    "InsteadFound",
    "JobFound",
    "JobNow",
    "JobWhen",
    "LeversWithCosts",
    "ManifestsLinted",
    "PendingFound",
    "PendingItem",
    "PodSetPlace",
    "Refusal",
    "StartsWithin",
    "SuggestedChange",
    "TryFound",
    "Usage",
    "WhyFound",
]


@dataclass(frozen=True, slots=True)
class PendingItem:
    """A pending workload; ``position`` is 0 if no queue holds it, or if its quota is reserved.

    Attributes
    ----------
    pending
        How many workloads are pending in its ClusterQueue.
    why
        One sentence, with the numbers.
    rule
        What decided, as one word; or ``""``.
    message
        Kueue's own message; ``""`` if there is none.
    """

    workload: str
    cluster_queue: str
    local_queue: str
    position: int
    pending: int
    priority: int
    age: str
    phase: str
    why: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class PendingFound:
    """Pending workloads, by cause and one by one.

    Attributes
    ----------
    count, found
        How many are pending, and how many of them match.
    causes
        The largest group first.
    workloads
        Those that match, from ``start`` on, by queue and position.
    """

    kueue_version: str
    sentence: str
    count: int
    causes: tuple[CauseGroup, ...]
    found: int
    start: int
    workloads: tuple[PendingItem, ...]


@dataclass(frozen=True, slots=True)
class WhyFound:
    """Why a workload is where it is."""

    kueue_version: str
    details: WorkloadDetails
    explanation: Explained


@dataclass(frozen=True, slots=True)
class LeversWithCosts:
    """What would admit a workload, and what that costs others, as far as it was asked for."""

    kueue_version: str
    found: LeversFound
    costs: tuple[LeverCost, ...]


@dataclass(frozen=True, slots=True)
class ManifestsLinted:
    """What rules find in manifests, and what the API server would refuse of them."""

    page: LintPage
    problems: tuple[Trouble, ...]


# --- what `kueuelab try --json` writes: docs/try.schema.json ---------------------------------


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the API server or a webhook would refuse; line 0 is unknown."""

    message: str
    object: str
    field: str
    file: str
    line: int
    column: int
    hint: str


@dataclass(frozen=True, slots=True)
class Domain:
    """A topology domain, and how many pods go there."""

    values: tuple[str, ...]
    pods: int


@dataclass(frozen=True, slots=True)
class PodSetPlace:
    """What a pod set gets: a flavor for each resource, and domains."""

    name: str
    count: int
    flavors: Mapping[str, str]
    domains: tuple[Domain, ...]


@dataclass(frozen=True, slots=True)
class JobNow:
    """What happens to a job at once; ``outcome`` is ``admitted``, ``reserved`` or ``pending``."""

    outcome: str
    places: tuple[PodSetPlace, ...]
    position: int
    pending: int
    message: str
    why: str
    checks: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StartsWithin:
    """Within how many seconds a part of the runs starts it; ``null`` is never."""

    p05: float | None
    p50: float | None
    p90: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Basis:
    """What a forecast rests on: running workloads by what is known of them, finished ones."""

    running_workloads: Mapping[str, int]
    finished_workloads: int


@dataclass(frozen=True, slots=True)
class PlayedWorkloads:
    """With how many workloads a forecast was played, and how many there are.

    Attributes
    ----------
    pending
        How many pending workloads of each other ClusterQueue were among these; 0 for all.
    """

    played: int
    total: int
    pending: int


@dataclass(frozen=True, slots=True)
class JobWhen:
    """When a job would start."""

    runs: int
    starts_within_seconds: StartsWithin
    never_before: tuple[str, ...]
    basis: Basis
    cut: bool
    workloads: PlayedWorkloads


@dataclass(frozen=True, slots=True)
class SuggestedChange:
    """A change of a job by which it would be admitted, and which workloads that evicts."""

    kind: str
    text: str
    after_seconds: float
    evicts: tuple[str, ...]
    changes: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class InsteadFound:
    """Changes of a job, what costs others least first."""

    tried: int
    complete: bool
    changes: tuple[SuggestedChange, ...]


@dataclass(frozen=True, slots=True)
class JobFound:
    """What would come of one job."""

    workload: str
    job: str
    cluster_queue: str
    local_queue: str
    priority: int
    now: JobNow
    when: JobWhen | None
    instead: InsteadFound | None


@dataclass(frozen=True, slots=True)
class Usage:
    """An amount of a resource in a flavor."""

    flavor: str
    resource: str
    amount: str


@dataclass(frozen=True, slots=True)
class Displaced:
    """A workload that is evicted at once because of the jobs."""

    workload: str
    cluster_queue: str
    priority: int
    reason: str
    preemptor: str
    ran_seconds: float
    usage: tuple[Usage, ...]
    returns: bool


@dataclass(frozen=True, slots=True)
class Delay:
    """Another workload that starts later, in half of the runs; ``null`` is never."""

    workload: str
    before_seconds: float | None
    after_seconds: float | None


@dataclass(frozen=True, slots=True)
class TryFound:
    """What would come of submitting jobs, as ``kueuelab try --json`` writes it, and as text.

    Attributes
    ----------
    text
        What ``kueuelab try`` writes.
    verdict
        ``admitted``, ``pending`` or ``refused``: the worst of the jobs counts.
    loop
        Workloads that preempt each other again and again, whatever is submitted.
    """

    format: str
    kueue_version: str
    verdict: str
    text: str
    problems: tuple[Refusal, ...]
    notes: tuple[str, ...]
    jobs: tuple[JobFound, ...]
    displaced: tuple[Displaced, ...]
    also_admitted: tuple[str, ...]
    delays: tuple[Delay, ...]
    loop: tuple[str, ...]
