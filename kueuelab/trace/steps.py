"""What a trace is made of: steps, the facts each one states, the changes it makes.

A step's facts are one of the frozen dataclasses below; its changes say which values of
the visible state (:mod:`kueuelab.trace.timetravel`) it turned from what into what, so
that a cursor can apply or undo them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

__all__ = [
    "Change",
    "Facts",
    "Step",
]

#: ``("workloads", "default/a", "conditions", "Evicted")``: a place in the state.
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One value of the state that a step changed; ``None`` stands for absent.

    Values are plain JSON values.
    """

    path: Path
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Facts:
    """What a step states. Each subclass is one kind of step."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls.kind = cls.__name__


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace.

    Attributes
    ----------
    index
        Position in the trace, from 0.
    time
        Virtual time in nanoseconds since 1970.
    cycle
        Number of the scheduling cycle it belongs to; 0 outside of cycles.
    workload
        Key of the workload that it is about, or ``""``.
    cluster_queue
        Name of the ClusterQueue that it is about, or ``""``.
    facts
        What happened, with the numbers.
    changes
        What it changed in the visible state.
    """

    index: int
    time: int
    cycle: int
    workload: str
    cluster_queue: str
    facts: Facts
    changes: tuple[Change, ...] = ()

    @property
    def kind(self) -> str:
        """The name of the kind of step, for instance ``"CandidateConsidered"``."""
        return type(self.facts).__name__


# --- inside a scheduling cycle ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CycleStarted(Facts):
    """The scheduler took the heads of the queues."""

    heads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NominationStarted(Facts):
    """The scheduler looks for flavors for one head."""

    requests: tuple[tuple[str, int, Mapping[str, int]], ...]
    priority: int


@dataclass(frozen=True, slots=True)
class NotNominated(Facts):
    """A head was turned away before its flavors were looked at."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class FlavorRejected(Facts):
    """A flavor doesn't suit a pod set: taint, affinity, missing flavor, ..."""

    pod_sets: tuple[str, ...]
    flavor: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlavorConsidered(Facts):
    """One resource of one flavor was held against the quota.

    Amounts are in Kueue's integer unit. ``requested`` includes what earlier pod sets of
    the same workload took (``assumed``). ``used`` and ``nominal`` are those of the
    ClusterQueue, ``available`` what it could use now, ``potential`` what it could ever
    use. ``borrowing`` is the height of the subtree that the quota would come from.
    ``mode`` is ``Fit``, ``Preempt`` or ``NoFit``; ``possibility`` says what preemption
    could do (``NoCandidates``, ``Preempt``, ``Reclaim``, or ``""``).
    """

    pod_sets: tuple[str, ...]
    flavor: str
    resource: str
    requested: int
    assumed: int
    nominal: int
    used: int
    available: int
    potential: int
    borrowing_limit: int | None
    lending_limit: int | None
    borrowing: int
    mode: str
    possibility: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlavorChosen(Facts):
    """The scan of a resource group ended: what was chosen, and why it stopped there."""

    pod_sets: tuple[str, ...]
    resources: tuple[str, ...]
    flavor: str
    mode: str
    borrowing: int
    rule: str


@dataclass(frozen=True, slots=True)
class PreemptionStarted(Facts):
    """A search for workloads to preempt began.

    ``purpose`` is ``"flavor"`` where one flavor and resource is tried out, or
    ``"targets"`` where the targets for the whole assignment are sought.
    """

    purpose: str
    needed: tuple[tuple[str, str, int], ...]
    contested: tuple[tuple[str, str], ...]
    strategies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CandidateConsidered(Facts):
    """A workload was included in, or excluded from, the candidates for preemption.

    ``rule`` names the rule that decided (see :mod:`kueuelab.trace.rules`), ``numbers``
    what it compared.
    """

    candidate: str
    candidate_queue: str
    included: bool
    rule: str
    variant: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueueSkipped(Facts):
    """All workloads of a ClusterQueue or Cohort were excluded at once."""

    queue: str
    rule: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidatesOrdered(Facts):
    """The candidates in the order in which they will be tried."""

    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttemptStarted(Facts):
    """One attempt at a set of targets, with or without borrowing."""

    borrowing: bool
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class CandidatePassedOver(Facts):
    """A candidate was not taken in this attempt."""

    candidate: str
    rule: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SharesCompared(Facts):
    """Fair sharing held the shares of preemptor and target against each other."""

    candidate: str
    candidate_queue: str
    strategy: str
    preemptor_new_share: float
    target_old_share: float
    target_new_share: float | None
    passed: bool


@dataclass(frozen=True, slots=True)
class WorkloadRemoved(Facts):
    """A candidate's usage was taken out of the simulated quota tree."""

    candidate: str
    reason: str


@dataclass(frozen=True, slots=True)
class FitChecked(Facts):
    """Does the preemptor fit now? With the first flavor and resource that decided."""

    fits: bool
    borrowing_allowed: bool
    flavor: str
    resource: str
    requested: int
    available: int


@dataclass(frozen=True, slots=True)
class FilledBack(Facts):
    """A removed candidate was put back, and the preemptor still fits (or not)."""

    candidate: str
    kept: bool


@dataclass(frozen=True, slots=True)
class TargetsChosen(Facts):
    """The search ended: pairs of workload and reason, none if it found no way."""

    purpose: str
    targets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Nominated(Facts):
    """The outcome of nomination: pod set name to flavors, the mode and the message."""

    assignment: tuple[tuple[str, int, Mapping[str, str]], ...]
    mode: str
    borrowing: int
    targets: tuple[tuple[str, str], ...]
    message: str


@dataclass(frozen=True, slots=True)
class EntriesOrdered(Facts):
    """The order in which entries are processed.

    ``why`` says for each entry but the first which rule put it behind the one before.
    """

    entries: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TournamentWon(Facts):
    """Fair sharing chose the next entry: pairs of workload and share at the top level."""

    winner: str
    contenders: tuple[tuple[str, float], ...]
    why: str


@dataclass(frozen=True, slots=True)
class Recomputed(Facts):
    """The assignment was computed again, since targets overlapped with earlier entries."""

    mode: str
    targets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class QuotaHeld(Facts):
    """Quota was set aside in this cycle so that later entries don't take it."""

    usage: tuple[tuple[str, str, int], ...]
    why: str


@dataclass(frozen=True, slots=True)
class EntryProcessed(Facts):
    """What became of an entry: its status, message and requeue reason."""

    status: str
    mode: str
    message: str
    requeue_reason: str
    targets: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CycleEnded(Facts):
    """The cycle is over; what it simulated is undone, what it decided is applied next."""

    admitted: int
    preempting: int


# --- what follows from decisions, and what happens around the scheduler -----------------


@dataclass(frozen=True, slots=True)
class ObjectApplied(Facts):
    """An object was created or changed. ``object`` is ``Kind/name``."""

    object: str
    created: bool


@dataclass(frozen=True, slots=True)
class ObjectRemoved(Facts):
    """An object was deleted."""

    object: str


@dataclass(frozen=True, slots=True)
class WorkloadCreated(Facts):
    """A workload was submitted to a LocalQueue."""

    local_queue: str
    priority: int


@dataclass(frozen=True, slots=True)
class QuotaReserved(Facts):
    """Quota was reserved: pod set name, count and flavors."""

    assignment: tuple[tuple[str, int, Mapping[str, str]], ...]


@dataclass(frozen=True, slots=True)
class Admitted(Facts):
    """A workload was admitted: its pods may start."""


@dataclass(frozen=True, slots=True)
class Evicted(Facts):
    """A workload was evicted; it holds its quota until its pods are gone.

    ``preemptor`` is the workload that it makes room for, ``""`` unless it was preempted.
    """

    reason: str
    message: str
    preemptor: str = ""
    preemption_reason: str = ""
    preemptor_path: str = ""
    preemptee_path: str = ""


@dataclass(frozen=True, slots=True)
class QuotaReleased(Facts):
    """A workload's quota was given back."""

    reason: str


@dataclass(frozen=True, slots=True)
class Requeued(Facts):
    """A workload went back to its queue: ``active`` to be tried again, or set aside."""

    reason: str
    active: bool


@dataclass(frozen=True, slots=True)
class Woken(Facts):
    """Workloads that were set aside became active again, and what woke them."""

    workloads: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Pending(Facts):
    """A workload is told why it waits: the condition QuotaReserved=False."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckStateChanged(Facts):
    """An admission check reported on a workload."""

    check: str
    state: str
    message: str


@dataclass(frozen=True, slots=True)
class PodsReadyChanged(Facts):
    """The workload's pods became ready, or are no longer."""

    ready: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Deactivated(Facts):
    """A workload was deactivated (or, with ``active``, activated again)."""

    active: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class Finished(Facts):
    """A workload finished."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class WorkloadDeleted(Facts):
    """A workload was deleted."""


@dataclass(frozen=True, slots=True)
class QueueStatusChanged(Facts):
    """A ClusterQueue became active or inactive."""

    active: bool
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class TimerFired(Facts):
    """A delay ended: back-off, PodsReady timeout, maximum execution time, ..."""

    timer: str


@dataclass(frozen=True, slots=True)
class EventEmitted(Facts):
    """A Kubernetes Event, with Kueue's own words."""

    type: str
    reason: str
    message: str


def _all_kinds() -> dict[str, type[Facts]]:
    return {cls.__name__: cls for cls in Facts.__subclasses__()}


#: Every kind of step by name.
KINDS: Final[Mapping[str, type[Facts]]] = _all_kinds()

__all__ += list(KINDS)
__all__ += ["KINDS", "Path"]
