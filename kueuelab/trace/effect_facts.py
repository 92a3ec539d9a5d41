"""What follows from decisions, and what happens around the scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kueuelab.frozen import fast_init
from kueuelab.trace.step import Facts

__all__ = [
    "Admitted",
    "CheckStateChanged",
    "Deactivated",
    "DevicesCounted",
    "EventEmitted",
    "Evicted",
    "Finished",
    "JobResumed",
    "LoopFound",
    "NodeMarkedUnhealthy",
    "NodeRecovered",
    "ObjectApplied",
    "ObjectRemoved",
    "PenaltyCharged",
    "PenaltySettled",
    "PenaltyWaived",
    "Pending",
    "PodsPlaced",
    "PodsReadyChanged",
    "PodsUngated",
    "PriorityChanged",
    "QueueStatusChanged",
    "QuotaReleased",
    "QuotaReserved",
    "Requeued",
    "SliceCreated",
    "SliceScaled",
    "TimerFired",
    "UsageSampled",
    "VariantCreated",
    "Woken",
    "WorkloadCreated",
    "WorkloadDeleted",
]


@dataclass(frozen=True, slots=True)
class ObjectApplied(Facts):
    """An object was created or changed. ``object`` is ``Kind/name``."""

    object: str
    created: bool


@dataclass(frozen=True, slots=True)
class ObjectRemoved(Facts):
    """An object was deleted."""

    object: str


@fast_init
@dataclass(frozen=True, slots=True)
class WorkloadCreated(Facts):
    """A workload was submitted to a LocalQueue."""

    local_queue: str
    priority: int


@fast_init
@dataclass(frozen=True, slots=True)
class QuotaReserved(Facts):
    """Quota was reserved: pod set name, count and flavors."""

    assignment: tuple[tuple[str, int, Mapping[str, str]], ...]


@dataclass(frozen=True, slots=True)
class Admitted(Facts):
    """A workload was admitted: its pods may start."""


@fast_init
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


@fast_init
@dataclass(frozen=True, slots=True)
class QuotaReleased(Facts):
    """A workload's reservation is gone, and its quota with it.

    ``held`` is false where the quota was given back before, or never counted.
    """

    reason: str
    held: bool = True


@fast_init
@dataclass(frozen=True, slots=True)
class Requeued(Facts):
    """A workload went back to its queue: ``active`` to be tried again, or set aside."""

    reason: str
    active: bool


@fast_init
@dataclass(frozen=True, slots=True)
class Woken(Facts):
    """Workloads that were set aside became active again, and what woke them."""

    workloads: tuple[str, ...]
    why: str


@fast_init
@dataclass(frozen=True, slots=True)
class Pending(Facts):
    """The condition QuotaReserved=False says why a workload is pending."""

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
class DevicesCounted(Facts):
    """What devices count for a pod: pod set name, resource of the quota, and amount.

    ``replaced`` has the extended resources that count as devices, with their pod sets.
    """

    counted: tuple[tuple[str, str, int], ...]
    replaced: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PriorityChanged(Facts):
    """The priority of a workload was changed, from what it was before."""

    priority: int
    before: int


@dataclass(frozen=True, slots=True)
class JobResumed(Facts):
    """A user suspended an admitted job, and Kueue resumed it; all its pods start anew."""


@dataclass(frozen=True, slots=True)
class SliceScaled(Facts):
    """A slice of an elastic job was changed in place, from ``before`` to ``pods`` pods."""

    pods: int
    before: int


@dataclass(frozen=True, slots=True)
class SliceCreated(Facts):
    """A slice of an elastic job was created; ``replaces`` is the one with quota, if any.

    The job has ``pods`` pods in all then, and had ``before``.
    """

    job: str
    replaces: str
    pods: int
    before: int


@dataclass(frozen=True, slots=True)
class VariantCreated(Facts):
    """A variant of the workload ``parent`` was created: it may get ``flavor`` only."""

    parent: str
    flavor: str


@fast_init
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


@fast_init
@dataclass(frozen=True, slots=True)
class EventEmitted(Facts):
    """A Kubernetes Event, with Kueue's own words."""

    type: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class NodeMarkedUnhealthy(Facts):
    """A node failed, and pods of the workload are assigned to it: they need another place."""

    node: str


@dataclass(frozen=True, slots=True)
class NodeRecovered(Facts):
    """A node no longer counts as failed: the workload keeps its pods there."""

    node: str


@dataclass(frozen=True, slots=True)
class PodsPlaced(Facts):
    """A second pass placed the pods of a workload that has quota.

    Pod set name, then domain and number of pods for each domain; ``replaced`` are the nodes that
    failed, none if the workload was not placed before.
    """

    places: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    replaced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PodsUngated(Facts):
    """Kueue takes the topology gate from the pods of an admitted workload: they get their nodes.

    ``pods`` are pod set name, how pods get domains, and runs of pods: domain and number, in the
    order of ranks. Pods get domains by ``rank``; or those that run ``stay`` and the others go where
    there is room; or they have no rank and go in ``any`` order.
    """

    pods: tuple[tuple[str, str, tuple[tuple[str, int], ...]], ...]


@dataclass(frozen=True, slots=True)
class LoopFound(Facts):
    """The run came back to a state in which it was before, by its own decisions alone.

    ``workloads`` are those that were evicted on the way round.
    """

    first_cycle: int
    last_cycle: int
    workloads: tuple[str, ...]


# --- admission fair sharing: what LocalQueues have used ---------------------------------


@dataclass(frozen=True, slots=True)
class PenaltyCharged(Facts):
    """A LocalQueue pays for a reservation at once; ``usage`` is what orders it from now on."""

    local_queue: str
    penalty: Mapping[str, str]
    usage: float


@dataclass(frozen=True, slots=True)
class PenaltySettled(Facts):
    """A workload was admitted: its penalty became part of what its LocalQueue consumed."""

    local_queue: str
    penalty: Mapping[str, str]
    consumed: Mapping[str, str]
    usage: float


@dataclass(frozen=True, slots=True)
class PenaltyWaived(Facts):
    """A penalty was dropped: its workload will not be admitted."""

    local_queue: str
    penalty: Mapping[str, str]
    usage: float


@dataclass(frozen=True, slots=True)
class UsageSampled(Facts):
    """Past usage of a LocalQueue faded, and what it uses now took its place in part."""

    local_queue: str
    before: Mapping[str, str]
    consumed: Mapping[str, str]
    usage: float
