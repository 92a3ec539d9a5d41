"""The result of nomination: flavors per pod set, how they fit, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from kueuelab.model import (
    Admission,
    FlavorResource,
    PodSetAssignment,
    TopologyAssignment,
)
from kueuelab.topology import NOTHING_WANTED, Wanted
from kueuelab.workload import LastAssignment, PodSetRequests, WorkloadState

__all__ = [
    "MODE_NAMES",
    "Assignment",
    "FlavorAssignment",
    "FlavorAttempt",
    "Mode",
    "PodSetResult",
    "PreemptionMode",
    "most_severe",
]


class Mode(IntEnum):
    """How a flavor could be assigned, from worst to best, in Kueue's words."""

    NoFit = 0
    Preempt = 1
    DeferredFit = 2
    Fit = 3


# Looking up a member of an Enum takes long, and its name; every entry of a cycle asks for these.
_NO_FIT, _FIT, _PREEMPT = Mode.NoFit, Mode.Fit, Mode.Preempt
#: The names of modes, by their values.
MODE_NAMES: Final = tuple(Mode.__members__)


class PreemptionMode(IntEnum):
    """The finer view of :class:`Mode` that flavors are compared by.

    Attributes
    ----------
    mode
        The mode that users see.
    possibility
        What preemption could do, ``""`` if it is not needed or does not help.
    """

    mode: Mode
    possibility: str

    NoFit = 0, _NO_FIT, ""
    NoCandidates = 1, _PREEMPT, "NoCandidates"
    Preempt = 2, _PREEMPT, "Preempt"
    Reclaim = 3, _PREEMPT, "Reclaim"
    Fit = 4, _FIT, ""

    def __new__(cls, value: int, mode: Mode, possibility: str) -> PreemptionMode:
        """Return a member by its rank and what it stands for."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.mode, member.possibility = mode, possibility
        return member


@dataclass(slots=True)
class FlavorAssignment:
    """A flavor given to one resource of a pod set.

    ``tried_flavor_idx`` is the flavor after which the next scan continues; -1 starts over.
    """

    name: str
    mode: Mode
    borrow: int = 0
    tried_flavor_idx: int = 0


class FlavorAttempt(NamedTuple):
    """One flavor that was considered, with the worst outcome over its resources."""

    flavor: str
    mode: Mode
    borrow: int = 0
    possibility: str = ""
    reasons: tuple[str, ...] = ()
    no_fit_reason: str = ""

    def merged(self, other: FlavorAttempt) -> FlavorAttempt:
        """Return the worse of two verdicts on the same flavor, with the reasons of both."""
        possibilities = [p for p in (self.possibility, other.possibility) if p]
        worst = min(possibilities, key=lambda p: PreemptionMode[p], default="")
        return FlavorAttempt(
            self.flavor,
            min(self.mode, other.mode),
            max(self.borrow, other.borrow),
            worst,
            tuple(sorted({*self.reasons, *other.reasons})),
            most_severe(self.no_fit_reason, other.no_fit_reason),
        )

    def __str__(self) -> str:
        outcome = f"preemptionMode={self.possibility}" if self.possibility else self.mode.name
        parts = [outcome]
        if self.borrow > 0:
            parts.append(f"borrow={self.borrow}")
        return f"{self.flavor}({';'.join([*parts, *self.reasons])})"


#: Why a workload can't get quota, from the mildest obstacle to the hardest.
_SEVERITY = (
    "TopologyPlacementFailed",
    "WaitingForQuota",
    "ExceedsMaxQuota",
    "NoMatchingFlavor",
)


def severity(reason: str) -> int:
    """Return how hard an obstacle is; 0 for none."""
    return _SEVERITY.index(reason) + 1 if reason in _SEVERITY else 0


def most_severe(left: str, right: str) -> str:
    """Return the harder of two obstacles."""
    return left if severity(left) >= severity(right) else right


@dataclass(slots=True)
class PodSetResult:
    """Flavors found for one pod set; empty if one of its resources has none.

    Attributes
    ----------
    topology
        The domains of its pods, with a flavor that has a topology.
    delayed_topology
        ``Pending`` if domains are assigned in a second pass, ``Ready`` once they are.
    """

    name: str
    count: int
    requests: Mapping[str, int]
    flavors: dict[str, FlavorAssignment] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    error: str = ""
    attempts: tuple[FlavorAttempt, ...] = ()
    topology: TopologyAssignment | None = None
    delayed_topology: str | None = None

    @property
    def mode(self) -> Mode:
        """The worst mode among the flavors."""
        if self.error:
            return _NO_FIT
        if not self.reasons:
            return _FIT
        return min([flavor.mode for flavor in self.flavors.values()], default=_NO_FIT)

    @property
    def failed(self) -> bool:
        """Whether it requests something and no flavor was found."""
        return bool(self.error) or (bool(self.requests) and not self.flavors)

    def as_assigned(self, *, hostname_prefixes: bool) -> PodSetAssignment:
        """Return what the workload's status has of it; see :meth:`Assignment.to_admission`."""
        flavors: dict[str, str] = {}
        usage: dict[str, int] = {}
        for resource, flavor in self.flavors.items():
            flavors[resource] = flavor.name
            usage[resource] = self.requests[resource]
        places = None
        if self.topology is not None:
            places = self.topology.stored(by_hostname_prefix=hostname_prefixes)
        return PodSetAssignment(
            self.name, flavors, usage, self.count, places, self.delayed_topology
        )


@dataclass(slots=True)
class Assignment:
    """The flavors found for a whole workload.

    Attributes
    ----------
    pod_sets
        One result per pod set, up to the first that failed.
    borrowing
        Height of the smallest cohort subtree that holds the quota; 0: no borrowing.
    usage
        What it would use, per flavor and resource.
    last
        Where the flavor scan stopped.
    no_fit_reason
        The hardest obstacle, only with ``UnadmittedWorkloadsObservability``.
    wanted
        What is sought for the pod sets that need a place in the topology of their flavor.
    mode
        The worst mode among the pod sets.
    replaced
        The slice of an elastic job that the workload replaces: only what is needed beyond what
        that one holds counts. ``None`` for any other workload.
    """

    last: LastAssignment
    pod_sets: list[PodSetResult] = field(default_factory=list)
    borrowing: int = 0
    usage: dict[FlavorResource, int] = field(default_factory=dict)
    no_fit_reason: str = ""
    wanted: Wanted = NOTHING_WANTED
    mode: Mode = _NO_FIT
    replaced: WorkloadState | None = None

    def set_mode_of(self, pod_set: PodSetResult, mode: Mode) -> None:
        """Replace the mode of a pod set's flavors; it is the mode of the whole, too."""
        for flavor in pod_set.flavors.values():
            flavor.mode = mode
        self.mode = mode

    def fail(self, pod_set: PodSetResult, error: str) -> None:
        """Note that a pod set can't be assigned at all."""
        pod_set.error = error
        self.mode = _NO_FIT

    def pod_set(self, name: str) -> PodSetResult:
        """Return the result of a pod set."""
        return next(each for each in self.pod_sets if each.name == name)

    def set_mode(self, mode: Mode) -> None:
        """Replace the mode, of every flavor too."""
        self.mode = mode
        for pod_set in self.pod_sets:
            for flavor in pod_set.flavors.values():
                flavor.mode = mode

    def add(self, result: PodSetResult) -> None:
        """Add a pod set's result and account for what it would use."""
        mode = result.mode
        self.mode = min(self.mode, mode) if self.pod_sets else mode
        self.pod_sets.append(result)
        tried: dict[str, int] = {}
        for resource, flavor in result.flavors.items():
            if flavor.borrow > self.borrowing:
                self.borrowing = flavor.borrow
            fr = (flavor.name, resource)
            amount = result.requests.get(resource, 0)
            if self.replaced is not None:
                amount -= _held(self.replaced, result.name, resource)
            self.usage[fr] = self.usage.get(fr, 0) + amount
            tried[resource] = flavor.tried_flavor_idx
        self.last.tried = (*self.last.tried, tried)

    @property
    def message(self) -> str:
        """Why it can't be admitted now; empty if it can."""
        parts = []
        for pod_set in self.pod_sets:
            if pod_set.error:
                return f"failed to assign flavors to pod set {pod_set.name}: {pod_set.error}"
            if pod_set.reasons:
                reasons = ", ".join(sorted(pod_set.reasons))
                parts.append(f"couldn't assign flavors to pod set {pod_set.name}: {reasons}")
        return "; ".join(parts)

    @property
    def flavors_considered(self) -> str:
        """The text on considered flavors that goes into the QuotaReserved event."""
        parts = []
        for pod_set in self.pod_sets:
            notable = [a for a in pod_set.attempts if a.mode is not _FIT or a.borrow != 0]
            if notable:
                parts.append(f"{pod_set.name}: " + ", ".join(map(str, notable)))
        return " | ".join(parts)

    def contested(self) -> tuple[FlavorResource, ...]:
        """Return the flavors and resources that need preemption, sorted."""
        return tuple(
            sorted(
                {
                    (flavor.name, resource)
                    for pod_set in self.pod_sets
                    for resource, flavor in pod_set.flavors.items()
                    if flavor.mode is _PREEMPT
                }
            )
        )

    def total_requests(self, requests: Iterable[PodSetRequests]) -> dict[FlavorResource, int]:
        """Return what the workload needs in its assigned flavors, zero requests left out.

        Unlike ``usage`` this is without the ``pods`` resource that the ClusterQueue may count.
        """
        needed: dict[FlavorResource, int] = {}
        for index, (result, wanted) in enumerate(zip(self.pod_sets, requests, strict=False)):
            count = result.count
            if self.replaced is not None:
                count = wanted.count - self.replaced.requests[index].count
            for resource, value in wanted.scaled_to(count).requests.items():
                if value and resource in result.flavors:
                    fr = (result.flavors[resource].name, resource)
                    needed[fr] = needed.get(fr, 0) + value
        return needed

    def flavors_by_pod_set(self) -> dict[str, dict[str, str]]:
        """Return pod set to resource to flavor."""
        return {
            ps.name: {resource: flavor.name for resource, flavor in ps.flavors.items()}
            for ps in self.pod_sets
        }

    def to_admission(self, cluster_queue: str, *, hostname_prefixes: bool = True) -> Admission:
        """Return the admission that would be written into the workload's status.

        ``hostname_prefixes`` tells whether topology assignments are stored by them.
        """
        assigned = [each.as_assigned(hostname_prefixes=hostname_prefixes) for each in self.pod_sets]
        return Admission(cluster_queue, tuple(assigned))


def _held(replaced: WorkloadState, pod_set: str, resource: str) -> int:
    """Return what a replaced slice holds of a resource in a pod set."""
    for held in replaced.requests:
        if held.name == pod_set:
            return held.requests.get(resource, 0)
    return 0
