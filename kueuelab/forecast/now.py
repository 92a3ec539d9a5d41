"""What happens to a job at once: it is admitted, preempts, or is pending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from kueuelab.forecast.baseline import Baseline
from kueuelab.messages import Catalog, Message
from kueuelab.model import FlavorResource, TopologyAssignment, Workload
from kueuelab.queues.pending import PendingWorkloads
from kueuelab.simulation import Cluster
from kueuelab.trace.pending_workloads import one_sentence
from kueuelab.trace.wording import MessageParts, amount_text, span_text
from kueuelab.trace.workload_moment import workload_moment
from kueuelab.workload import WorkloadState

__all__ = ["Displaced", "Now", "Outcome", "Place", "Watch", "displaced_line"]

#: ``reserved``: it has quota, and waits for admission checks.
Outcome: TypeAlias = Literal["admitted", "reserved", "pending"]


@dataclass(frozen=True, slots=True)
class Place:
    """What a pod set got.

    Attributes
    ----------
    name, count
        The pod set, and how many of its pods are admitted.
    flavors
        Resource to flavor.
    domains
        The label values of each topology domain that its pods go to, and how many go there.
    """

    name: str
    count: int
    flavors: Mapping[str, str]
    domains: tuple[tuple[tuple[str, ...], int], ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        domains = [{"values": list(values), "pods": pods} for values, pods in self.domains]
        return {
            "name": self.name,
            "count": self.count,
            "flavors": dict(self.flavors),
            "domains": domains,
        }


@dataclass(frozen=True, slots=True)
class Displaced:
    """A workload that is evicted at once because the jobs are submitted.

    Attributes
    ----------
    workload, cluster_queue, priority
        The workload, and where it holds quota.
    reason
        Why, in Kueue's words: ``InClusterQueue``, ``InCohortReclamation``, ...
    preemptor
        The workload for which it is evicted.
    ran
        For how long it ran, in nanoseconds: so much work is lost unless it saves its progress.
    usage
        What it used: flavor and resource to amount.
    returns
        Whether it is admitted again at once, in another place.
    """

    workload: str
    cluster_queue: str
    priority: int
    reason: str
    preemptor: str
    ran: int
    usage: Mapping[FlavorResource, int]
    returns: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "workload": self.workload,
            "clusterQueue": self.cluster_queue,
            "priority": self.priority,
            "reason": self.reason,
            "preemptor": self.preemptor,
            "ranSeconds": self.ran / 1e9,
            "usage": [
                {"flavor": flavor, "resource": resource, "amount": amount_text(resource, amount)}
                for (flavor, resource), amount in self.usage.items()
            ],
            "returns": self.returns,
        }


@dataclass(frozen=True, slots=True)
class Now:
    """What happens to one job at once.

    Attributes
    ----------
    workload
        ``namespace/name``.
    job
        What the Workload is made from: ``Job/default/train``.
    outcome
        ``admitted``, ``reserved`` or ``pending``.
    cluster_queue, local_queue, priority
        Where it queues; ``""`` where there is no such ClusterQueue.
    places
        What its pod sets got; empty if it is pending.
    position, pending
        Its position among the pending workloads of its ClusterQueue, counted from 1, and how many
        there are; 0 if it is not pending there.
    message
        Kueue's own message, or ``""``.
    why
        One sentence why it is pending, with the numbers; Kueue's message in a cluster that is too
        large to record. Empty if it is admitted.
    checks
        The admission checks that are not ``Ready``.
    behind
        Pending workloads of its ClusterQueue that it goes before: their turn comes later.
    """

    workload: str
    job: str
    outcome: Outcome
    cluster_queue: str
    local_queue: str
    priority: int
    places: tuple[Place, ...] = ()
    position: int = 0
    pending: int = 0
    message: str = ""
    why: str = ""
    checks: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "outcome": self.outcome,
            "places": [place.as_data() for place in self.places],
            "position": self.position,
            "pending": self.pending,
            "message": self.message,
            "why": self.why,
            "checks": list(self.checks),
            "behind": list(self.behind),
        }

    def lines(self, words: MessageParts) -> Iterator[str]:
        """Yield what happens, in sentences."""
        values: dict[str, Any] = {"queue": self.cluster_queue}
        if self.outcome != "pending":
            given = [(each.name, each.count, each.flavors) for each in self.places]
            values["assignment"] = words.assignment(given)
            values["checks"] = words.listed(self.checks)
            values["count"] = len(self.checks)
            yield words(f"forecast.now.{self.outcome}", **values)
            yield from self._domains(words)
            return
        if not self.position:
            yield words("forecast.now.not-queued", why=self.why)
            return
        values |= {"position": self.position, "pending": self.pending, "why": self.why}
        form = "forecast.now.pending" if self.why else "forecast.now.waiting"
        yield words(form, count=self.pending, **values)
        if self.message and self.message not in self.why:
            yield words("forecast.now.message", message=self.message)
        if self.behind:
            named = words.several(self.behind)
            yield words("forecast.now.behind", count=len(self.behind), workloads=named)

    def _domains(self, words: MessageParts) -> Iterator[str]:
        for place in self.places:
            if place.domains:
                found = [
                    words("pods.on", count=words("pods.count", count=count), domain="/".join(names))
                    for names, count in place.domains
                ]
                domains = words.several(found)
                yield words("forecast.now.domains", podSet=place.name, domains=domains)


class Watch:
    """Sees what happens in a cluster from a moment on.

    Parameters
    ----------
    baseline
        The cluster before the jobs are submitted.
    """

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        cluster = baseline.player.cluster
        self._events = len(cluster.events)
        self._cycles = len(baseline.player.cycles)
        self._holding = {
            key: (state.cluster_queue, state.usage, _admitted_at(state))
            for key, state in cluster.workloads.items()
            if state.has_quota_reservation and not state.is_evicted and not state.is_finished
        }

    def displaced(self) -> tuple[Displaced, ...]:
        """Return the workloads that were evicted since, and had quota before."""
        player, now = self._baseline.player, self._baseline.now
        targets = {
            target.workload.key: (target.reason, entry.key)
            for cycle in player.cycles[self._cycles :]
            for entry in cycle.entries
            if entry.preempting
            for target in entry.targets
        }
        found = []
        evicted = dict.fromkeys(
            event.object
            for event in player.cluster.events[self._events :]
            if event.reason.startswith("EvictedDueTo") and event.object in self._holding
        )
        for key in evicted:
            state = player.cluster.workloads.get(key)
            queue, usage, admitted = self._holding[key]
            reason, preemptor = targets.get(key, ("", ""))
            priority = 0 if state is None else state.priority
            ran = 0 if admitted is None else max(0, now - admitted)
            back = state is not None and state.is_admitted and not state.is_evicted
            found.append(Displaced(key, queue, priority, reason, preemptor, ran, usage, back))
        return tuple(found)

    def also_admitted(self, submitted: Iterable[str]) -> tuple[str, ...]:
        """Return the workloads, other than these, that got quota since and had none before."""
        known, cluster = set(submitted), self._baseline.player.cluster
        reserved = dict.fromkeys(
            event.object
            for event in cluster.events[self._events :]
            if event.reason == "QuotaReserved"
        )
        return tuple(
            key
            for key in reserved
            if key not in known and key not in self._holding and key in cluster.workloads
            if cluster.workloads[key].has_quota_reservation
        )

    def now(self, workload: Workload, words: Catalog) -> Now:
        """Return what happened to a workload that was submitted since."""
        cluster = self._baseline.player.cluster
        state = cluster.workload(workload.key)
        queue = cluster.plane.queue_of(state)[0]
        outcome: Outcome = "pending"
        if state.has_quota_reservation and not state.is_evicted:
            outcome = "admitted" if state.is_admitted else "reserved"
        position, pending, why = 0, 0, ""
        behind: tuple[str, ...] = ()
        left = [name for name, check in state.admission_checks.items() if check.state != "Ready"]
        reserved = state.conditions.get("QuotaReserved")
        message = "" if reserved is None or outcome != "pending" else reserved.message
        if outcome == "pending":
            position, pending, behind = _position(cluster, queue, state)
            why = self._why(state.key, words) or message or _set_aside(cluster, state.key)
        return Now(
            workload.key,
            _job(workload),
            outcome,
            state.cluster_queue or queue,
            workload.queue_name,
            state.priority,
            _places(state),
            position,
            pending,
            message,
            why,
            tuple(sorted(left)) if outcome == "reserved" else (),
            behind,
        )

    def _why(self, key: str, words: Catalog) -> str:
        trace = self._baseline.trace
        if trace is None:
            return ""
        return one_sentence(workload_moment(trace, key, None, words))[0]


def displaced_line(each: Displaced, words: MessageParts) -> str:
    """Return what a workload loses, as a sentence."""
    amounts = words.listed(
        words("forecast.displaced.amount", amount=amount_text(resource, amount), resource=resource)
        for (_, resource), amount in each.usage.items()
    )
    values = {
        "workload": each.workload,
        "queue": each.cluster_queue,
        "priority": each.priority,
        "reason": each.reason,
        "ran": span_text(each.ran),
        "amounts": amounts,
    }
    return words("forecast.displaced.returns" if each.returns else "forecast.displaced", **values)


def _places(state: WorkloadState) -> tuple[Place, ...]:
    if state.admission is None:
        return ()
    return tuple(
        Place(each.name, each.count or 0, each.flavors, _domains(each.topology_assignment))
        for each in state.admission.pod_set_assignments
    )


def _domains(assignment: Mapping[str, Any] | None) -> tuple[tuple[tuple[str, ...], int], ...]:
    if assignment is None:
        return ()
    found = TopologyAssignment.of(assignment).domains
    return tuple((domain.values, domain.count) for domain in found)


def _position(
    cluster: Cluster, name: str, state: WorkloadState
) -> tuple[int, int, tuple[str, ...]]:
    """Return a workload's position in its queue, how many are there, and which come after it."""
    queue = next((each for each in cluster.queues.cluster_queues() if each.name == name), None)
    if queue is None or queue.place(state.key) is None:
        return 0, 0, ()
    keys = [key for key, _ in sorted(_ordered(queue), key=lambda each: each[1])]
    if state.key not in keys:
        return 1, len(keys) + 1, ()
    place = keys.index(state.key)
    return place + 1, len(keys), tuple(keys[place + 1 :])


def _ordered(queue: PendingWorkloads) -> Iterator[tuple[str, Any]]:
    """Yield the pending workloads of a queue, each with what orders them."""
    usage = dict(queue.usages())
    for active in (True, False):
        for entry in queue.entries(active=active):
            used = usage.get(entry.workload.queue_key, 0.0)
            yield entry.key, (used, entry.key != queue.preemptor, entry.order)


def _set_aside(cluster: Cluster, key: str) -> str:
    """Return why a workload is not looked at: one that asks for the same does not fit."""
    reason = cluster.queues.no_fit_reason(key)
    return "" if reason is None else Message("forecast.now.set-aside", reason=reason)


def _admitted_at(state: WorkloadState) -> int | None:
    admitted = state.conditions.get("Admitted")
    if admitted is None or admitted.status != "True":
        return None
    return admitted.last_transition_time


def _job(workload: Workload) -> str:
    meta = workload.metadata
    owner = next(iter(meta.owner_references), None)
    if owner is None:
        return f"Workload/{meta.key}"
    return f"{owner.kind}/{meta.namespace}/{owner.name}"
