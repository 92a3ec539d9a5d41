"""Judging what a scenario expects by the record: the state that was visible at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from kueuelab.frozen import EMPTY
from kueuelab.manifests.scenario import Expectation
from kueuelab.messages import Message
from kueuelab.model import amount_string
from kueuelab.trace.reading import State, WorkloadView

__all__ = ["CONDITIONS", "STATES", "Outcome", "is_in", "judge"]

#: The conditions that have the reason for a state of a workload.
CONDITIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pending": ("QuotaReserved",),
        "reserved": ("QuotaReserved",),
        "admitted": ("Admitted",),
        "evicted": ("Evicted", "Preempted"),
        "finished": ("Finished",),
        "deactivated": ("Evicted", "DeactivationTarget"),
    }
)
#: The states that a workload can be in: the first that holds is named.
STATES: Final = ("finished", "deactivated", "evicted", "admitted", "reserved", "pending")


@dataclass(frozen=True, slots=True)
class Outcome:
    """An expectation, with the differences from it; none if it is met.

    Attributes
    ----------
    state
        The state that it was compared with; ``None`` where that is not the lab's.
    """

    expectation: Expectation
    differences: tuple[str, ...] = ()
    state: State | None = field(default=None, compare=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether the expectation is met."""
        return not self.differences

    @property
    def subject(self) -> str:
        """Its object, as ``kind name``."""
        expectation = self.expectation
        if expectation.workload:
            return Message("simulation.subject.workload", workload=expectation.workload)
        return f"ClusterQueue {expectation.cluster_queue_name}"


def judge(expectation: Expectation, state: State, keys: Mapping[str, str] = EMPTY) -> Outcome:
    """Compare an expectation with the state of its cluster.

    Parameters
    ----------
    expectation
        The expectation.
    state
        The state of the cluster at the time of the expectation.
    keys
        The keys of workloads in the record, by their keys in the scenario, where they differ.
    """
    if expectation.workload:
        workload = state.workload(keys.get(expectation.workload, expectation.workload))
        differences = tuple(_workload_differences(expectation, workload))
    else:
        differences = tuple(_queue_differences(expectation, state))
    return Outcome(expectation, differences, state)


def _workload_differences(expectation: Expectation, workload: WorkloadView) -> Iterator[str]:
    wanted = expectation.state
    if not workload:
        if wanted != "deleted":
            yield Message("simulation.expected.no-workload")
        return
    if wanted is not None and not is_in(workload, wanted):
        status = next(name for name in STATES if is_in(workload, name))
        yield Message("simulation.expected.status", found=status, wanted=wanted)
    types = CONDITIONS.get(wanted or "")
    found = list(workload.conditions) if types is None else map(workload.condition, types)
    conditions = [condition for condition in found if condition]
    reasons = [condition.reason for condition in conditions]
    if expectation.reason is not None and expectation.reason not in reasons:
        shown = " / ".join(reasons) or Message("simulation.expected.none")
        yield Message("simulation.expected.reason", found=shown, wanted=expectation.reason)
    messages = [condition.message for condition in conditions]
    text = expectation.message
    if text is not None and not any(text in message for message in messages):
        shown = " / ".join(messages)
        yield Message("simulation.expected.message", found=repr(shown), wanted=repr(text))
    yield from _admission_differences(expectation, workload)


def _admission_differences(expectation: Expectation, workload: WorkloadView) -> Iterator[str]:
    queue = workload.admission.cluster_queue
    if expectation.cluster_queue is not None and queue != expectation.cluster_queue:
        shown = queue or Message("simulation.expected.no-queue")
        yield Message("simulation.expected.queue", queue=shown)
    pod_sets = list(workload.admission.pod_sets)
    for resource, flavor in (expectation.flavors or {}).items():
        assigned = {pod_set.flavors.get(resource) for pod_set in pod_sets}
        if assigned != {flavor}:
            names = ", ".join(sorted(name for name in assigned if name))
            shown = names or Message("simulation.expected.no-flavor")
            yield Message(
                "simulation.expected.flavor", resource=resource, found=shown, wanted=flavor
            )
    count = sum(pod_set.count for pod_set in pod_sets)
    if expectation.count is not None and count != expectation.count:
        yield Message("simulation.expected.pods", count=count, wanted=expectation.count)
    yield from _place_differences(expectation, workload)
    yield from _rank_differences(expectation, workload)


def _place_differences(expectation: Expectation, workload: WorkloadView) -> Iterator[str]:
    if expectation.places is None:
        return
    found: Counter[str] = Counter()
    for pod_set in workload.admission.pod_sets:
        for values, count in pod_set.places:
            found[",".join(values)] += count
    if found != Counter(expectation.places):
        shown = _places(found) or Message("simulation.expected.nowhere")
        wanted = _places(expectation.places)
        yield Message("simulation.expected.places", found=shown, wanted=wanted)


def _rank_differences(expectation: Expectation, workload: WorkloadView) -> Iterator[str]:
    for name, wanted in (expectation.ranks or {}).items():
        runs = workload.pods.get(name, ())
        found = tuple(domain for domain, count in runs for _ in range(count))
        if found != tuple(wanted):
            shown = ", ".join(domain or "-" for domain in found)
            yield Message(
                "simulation.expected.ranks",
                podSet=name,
                found=shown or Message("simulation.expected.nowhere"),
                wanted=", ".join(wanted),
            )


def _places(places: Mapping[str, int]) -> str:
    return ", ".join(f"{count} on {name}" for name, count in sorted(places.items()))


def is_in(workload: WorkloadView, name: str) -> bool:
    """Tell whether a workload is in one of the :data:`STATES`."""
    finished = workload.condition("Finished").is_true
    evicted = workload.condition("Evicted").is_true
    match name:
        case "pending" | "reserved":
            reserved = workload.condition("QuotaReserved").is_true
            return not finished and reserved == (name == "reserved")
        case "admitted":
            return workload.condition("Admitted").is_true and not evicted and not finished
        case "evicted":
            return evicted
        case "finished":
            return finished
        case "deactivated":
            return not workload.active
    return False


def _queue_differences(expectation: Expectation, state: State) -> Iterator[str]:
    name = expectation.cluster_queue_name
    queue = state.cluster_queue(name)
    if not queue:
        yield Message("simulation.expected.no-cluster-queue")
        return
    for (flavor, resource), amount in (expectation.usage or {}).items():
        used = queue.usage.get((flavor, resource), 0)
        if used != amount:
            yield Message(
                "simulation.expected.usage",
                found=amount_string(resource, used),
                resource=resource,
                flavor=flavor,
                wanted=amount_string(resource, amount),
            )
    workloads = [each for each in state.workloads.values() if each.cluster_queue == name]
    pending = sum(each.active and is_in(each, "pending") for each in workloads)
    if expectation.pending is not None and pending != expectation.pending:
        yield Message("simulation.expected.pending", count=pending, wanted=expectation.pending)
    admitted = sum(
        bool(each.admission)
        and each.condition("Admitted").is_true
        and not each.condition("Finished").is_true
        for each in workloads
    )
    if expectation.admitted is not None and admitted != expectation.admitted:
        yield Message("simulation.expected.admitted", count=admitted, wanted=expectation.admitted)
