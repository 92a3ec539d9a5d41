"""What happens inside a scheduling cycle: the kinds of steps that the scheduler records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.frozen import fast_init
from kueuelab.trace.step import Facts

__all__ = [
    "AttemptStarted",
    "CandidateConsidered",
    "CandidatePassedOver",
    "CandidatesOrdered",
    "CohortsTied",
    "CycleEnded",
    "CycleStarted",
    "EntriesOrdered",
    "EntryProcessed",
    "FewerPodsTried",
    "FilledBack",
    "FitChecked",
    "FlavorChosen",
    "FlavorConsidered",
    "FlavorRejected",
    "LocalQueuesCompared",
    "Nominated",
    "NominationStarted",
    "NotNominated",
    "PreemptionStarted",
    "QueueSkipped",
    "QuotaHeld",
    "Recomputed",
    "ReplacesSlice",
    "SharesCompared",
    "TargetsChosen",
    "TournamentWon",
    "WorkloadRemoved",
]


@dataclass(frozen=True, slots=True)
class CycleStarted(Facts):
    """The scheduler took the heads of the queues."""

    heads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocalQueuesCompared(Facts):
    """A head was taken by what LocalQueues have used: the first of these goes first."""

    usages: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class NominationStarted(Facts):
    """The scheduler looks for flavors for one head."""

    requests: tuple[tuple[str, int, Mapping[str, int]], ...]
    priority: int


@dataclass(frozen=True, slots=True)
class ReplacesSlice(Facts):
    """A head is a slice of an elastic job, and is to replace another one, which has quota.

    It gets the flavors of the ``replaced`` slice, and needs only what that one does not hold for
    its ``pods``.
    """

    replaced: str
    pods: int


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
    """The scan of a resource group ended: what was chosen, and why it stopped there.

    ``rule`` is ``stopped``, ``best-seen`` or ``none-fits``; ``fungibility`` holds the
    ClusterQueue's ``whenCanBorrow``, ``whenCanPreempt`` and ``preference``, ``tried``
    how many flavors were looked at, and ``of`` how many there are.
    """

    pod_sets: tuple[str, ...]
    resources: tuple[str, ...]
    flavor: str
    mode: str
    borrowing: int
    rule: str
    fungibility: Mapping[str, str] = field(default_factory=dict)
    tried: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class FewerPodsTried(Facts):
    """Partial admission: the scan starts over with fewer pods, per pod set."""

    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PreemptionStarted(Facts):
    """A search for workloads to preempt began.

    ``purpose`` is ``"flavor"`` where one flavor and resource is tried out, or
    ``"targets"`` where the targets for the whole assignment are sought. ``policies`` is
    the ClusterQueue's ``spec.preemption``; ``usage`` has, for each contested flavor and
    resource, what the ClusterQueue uses and its nominal quota.
    """

    purpose: str
    needed: tuple[tuple[str, str, int], ...]
    contested: tuple[tuple[str, str], ...]
    strategies: tuple[str, ...]
    policies: Mapping[str, Any] = field(default_factory=dict)
    usage: tuple[tuple[str, str, int, int], ...] = ()


@fast_init
@dataclass(frozen=True, slots=True)
class CandidateConsidered(Facts):
    """A workload was included in, or excluded from, the candidates for preemption.

    ``rule`` names the rule that decided (:mod:`kueuelab.messages` has a sentence for
    each), ``numbers`` what it compared.
    """

    candidate: str
    candidate_queue: str
    included: bool
    rule: str
    variant: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


@fast_init
@dataclass(frozen=True, slots=True)
class QueueSkipped(Facts):
    """All workloads of a ClusterQueue or Cohort were excluded at once.

    ``numbers["usage"]`` has, for each contested flavor and resource, what it uses and
    the quota of its subtree.
    """

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
    """Fair sharing held the shares of preemptor and target against each other.

    What is compared are the children of ``cohort``, the lowest one above both queues, on
    the way to each: ``preemptor_node`` and ``target_node``, as ``ClusterQueue/name`` or
    ``Cohort/name``. All three are empty in traces of before they were recorded.
    """

    candidate: str
    candidate_queue: str
    strategy: str
    preemptor_new_share: float
    target_old_share: float
    target_new_share: float | None
    passed: bool
    cohort: str = ""
    preemptor_node: str = ""
    target_node: str = ""


@dataclass(frozen=True, slots=True)
class CohortsTied(Facts):
    """Children of ``cohort`` have the same share, and Kueue takes targets from a random one."""

    cohort: str
    tied: tuple[str, ...]
    chosen: str


@fast_init
@dataclass(frozen=True, slots=True)
class WorkloadRemoved(Facts):
    """A candidate's usage was taken out of the simulated quota tree."""

    candidate: str
    reason: str


@fast_init
@dataclass(frozen=True, slots=True)
class FitChecked(Facts):
    """Does the preemptor fit now? With the first flavor and resource that decided.

    ``lacks_domains``: it has quota, but no place in a topology.
    """

    fits: bool
    borrowing_allowed: bool
    flavor: str
    resource: str
    requested: int
    available: int
    lacks_domains: bool = False


@fast_init
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

    ``why`` says for each entry but the first which rule put it behind the one before;
    ``numbers`` has what is compared, for each entry.
    """

    entries: tuple[str, ...]
    why: tuple[str, ...]
    numbers: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentWon(Facts):
    """Fair sharing chose the next entry: pairs of workload and share at the top level.

    ``why`` is the rule by which the winner goes before ``rival``, the next best.
    ``lost`` says where each of the others dropped out: the loser, the node it lost to,
    the cohort whose children were compared, the rule, and both shares there, the winning
    one first.
    """

    winner: str
    contenders: tuple[tuple[str, float], ...]
    why: str
    rival: str = ""
    numbers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lost: tuple[tuple[str, str, str, str, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Recomputed(Facts):
    """The assignment was computed again, since targets overlapped with earlier entries.

    ``lacks_domains``: since domains that it was to get are in use.
    """

    mode: str
    targets: tuple[tuple[str, str], ...]
    lacks_domains: bool = False


@fast_init
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
