"""A workload as the record has it: how far it is, its conditions, its admission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kueuelab.frozen import EMPTY
from kueuelab.model import TopologyAssignment, request_amount
from kueuelab.trace.object_views import ConditionView

__all__ = ["AdmissionView", "CheckView", "Holding", "PodSetView", "WorkloadView"]

_amount = lru_cache(maxsize=16384, typed=True)(request_amount)


@dataclass(frozen=True, slots=True)
class Holding:
    """Quota that a workload holds in its ClusterQueue."""

    workload: str
    cluster_queue: str
    flavor: str
    resource: str
    amount: int


@dataclass(frozen=True, slots=True)
class CheckView:
    """What an admission check says of a workload."""

    name: str
    state: str
    message: str


@dataclass(frozen=True, slots=True)
class PodSetView:
    """What a pod set was given; amounts in Kueue's integer unit."""

    name: str
    count: int
    flavors: Mapping[str, str]
    usage: Mapping[str, int]
    topology: Mapping[str, Any] | None = None

    @property
    def places(self) -> tuple[tuple[tuple[str, ...], int], ...]:
        """The label values of each domain that its pods go to, and how many go there."""
        if self.topology is None:
            return ()
        domains = TopologyAssignment.of(self.topology).domains
        return tuple((domain.values, domain.count) for domain in domains)


@dataclass(frozen=True, slots=True)
class AdmissionView:
    """Where a workload was given quota."""

    _raw: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self._raw)

    @property
    def cluster_queue(self) -> str:
        """The ClusterQueue; ``""`` without an admission."""
        return str(self._raw.get("clusterQueue", ""))

    @property
    def pod_sets(self) -> Iterator[PodSetView]:
        """What each pod set was given."""
        for each in self._raw.get("podSetAssignments", ()):
            usage = each.get("resourceUsage", EMPTY)
            yield PodSetView(
                each["name"],
                each.get("count") or 0,
                each.get("flavors", EMPTY),
                {resource: _amount(resource, value) for resource, value in usage.items()},
                each.get("topologyAssignment"),
            )

    @property
    def assignment(self) -> Iterator[tuple[str, int, Mapping[str, str]]]:
        """Name, count and flavors of each pod set, as sentences have them."""
        for each in self._raw.get("podSetAssignments", ()):
            yield each["name"], each.get("count") or 0, each.get("flavors", EMPTY)

    @property
    def rest(self) -> Iterator[tuple[str, str, Any]]:
        """All else that is said of a pod set: its name, what, and the value."""
        for each in self._raw.get("podSetAssignments", ()):
            for what, value in each.items():
                if what not in ("name", "count", "flavors"):
                    yield each["name"], what, value


@dataclass(frozen=True, slots=True)
class WorkloadView:
    """A workload; one that isn't there is false.

    Attributes
    ----------
    key
        ``namespace/name``.
    """

    key: str
    _raw: Mapping[str, Any]
    _objects: Mapping[str, Any] = field(compare=False)

    def __bool__(self) -> bool:
        return bool(self._raw)

    @property
    def phase(self) -> str:
        """How far it is; ``""`` if it isn't there."""
        return str(self._raw.get("phase", ""))

    @property
    def active(self) -> bool:
        """Whether it may be admitted: ``spec.active``."""
        return bool(self._raw.get("active", True))

    @property
    def priority(self) -> int:
        """Its priority."""
        found: int = self._raw.get("priority") or 0
        return found

    @property
    def queued_at(self) -> int:
        """The time that orders its queue, nanoseconds since 1970."""
        found: int = self._raw.get("queuedAt") or 0
        return found

    @property
    def place(self) -> str:
        """Where its queue keeps it: ``active``, ``inflight``, ``inadmissible`` or ``""``."""
        return str(self._raw.get("queue") or "")

    @property
    def shape(self) -> str:
        """Its scheduling hash by a short name, where its queue knows it; ``""`` elsewhere."""
        return str(self._raw.get("shape", ""))

    @property
    def queue_name(self) -> str:
        """The LocalQueue that it names."""
        return str(self._raw.get("queueName", ""))

    @property
    def local_queue(self) -> str:
        """The LocalQueue that it names, as ``namespace/name``; ``""`` if it names none."""
        name = self.queue_name
        return f"{self.key.partition('/')[0]}/{name}" if name else ""

    @property
    def cluster_queue(self) -> str:
        """The ClusterQueue that it holds quota in or queues for, or ``""``."""
        admission = self._raw.get("admission")
        if admission:
            return str(admission["clusterQueue"])
        found = self._objects.get(f"LocalQueue/{self.local_queue}", EMPTY)
        return str(found.get("spec", EMPTY).get("clusterQueue", ""))

    @property
    def admission(self) -> AdmissionView:
        """Where it was given quota; false if it wasn't."""
        return AdmissionView(self._raw.get("admission") or EMPTY)

    @property
    def holds_quota(self) -> bool:
        """Whether it holds quota now."""
        return bool(self._raw.get("admission")) and self.phase != "Finished"

    @property
    def pods_left(self) -> Mapping[str, int]:
        """How many pods are left of each pod set, where some gave their quota back."""
        found: Mapping[str, int] = self._raw.get("podsLeft", EMPTY)
        return found

    @property
    def pods(self) -> Mapping[str, tuple[tuple[str, int], ...]]:
        """The domains of the pods of each pod set: runs in the order of ranks, where these count.

        Pods that wait for a node have the domain ``""``.
        """
        found: Mapping[str, list[list[Any]]] = self._raw.get("pods", EMPTY)
        return {name: tuple((at, count) for at, count in runs) for name, runs in found.items()}

    @property
    def holdings(self) -> Iterator[Holding]:
        """What it was given; several pod sets count together.

        A finished workload has it still, although it gives its quota back.
        """
        amounts: dict[tuple[str, str], int] = {}
        left = self.pods_left
        for pod_set in self.admission.pod_sets:
            count = pod_set.count or 1
            part = min(left.get(pod_set.name, count), count)
            for resource, amount in pod_set.usage.items():
                place = (pod_set.flavors.get(resource, ""), resource)
                amounts[place] = amounts.get(place, 0) + amount * part // count
        queue = self.admission.cluster_queue
        for (flavor, resource), amount in amounts.items():
            if amount:
                yield Holding(self.key, queue, flavor, resource, amount)

    # --- conditions, checks, back-off --------------------------------------------------

    @property
    def conditions(self) -> Iterator[ConditionView]:
        """Its conditions."""
        for type_, raw in self._raw.get("conditions", EMPTY).items():
            yield ConditionView.of(type_, raw)

    def condition(self, type_: str) -> ConditionView:
        """Return a condition; one that isn't there is false."""
        return ConditionView.of(type_, self._raw.get("conditions", EMPTY).get(type_, EMPTY))

    @property
    def waiting(self) -> str:
        """Why quota is not reserved: the message of the condition, if that is false."""
        found = self.condition("QuotaReserved")
        return found.message if found.status == "False" else ""

    @property
    def checks(self) -> tuple[CheckView, ...]:
        """What its admission checks say, by name."""
        raw = self._raw.get("admissionChecks", EMPTY)
        return tuple(
            CheckView(name, raw[name].get("state", ""), raw[name].get("message", ""))
            for name in sorted(raw)
        )

    @property
    def requeue_state(self) -> Mapping[str, Any]:
        """``count`` and ``requeueAt`` of its back-off, as far as there are."""
        found: Mapping[str, Any] = self._raw.get("requeueState") or EMPTY
        return found
