"""Holding what a scenario expects against what happened."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.manifests.scenario import Expectation
from kueuelab.model import Condition, amount_string
from kueuelab.simulation.cluster import Cluster
from kueuelab.workload import WorkloadState

__all__ = ["Outcome", "check"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An expectation and what was found instead: nothing, where it holds."""

    expectation: Expectation
    differences: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the expectation holds."""
        return not self.differences

    @property
    def subject(self) -> str:
        """What it is about, as ``kind name``."""
        expectation = self.expectation
        if expectation.workload:
            return f"workload {expectation.workload}"
        return f"ClusterQueue {expectation.cluster_queue_name}"


def check(expectation: Expectation, cluster: Cluster) -> Outcome:
    """Hold an expectation against the cluster as it is now."""
    if expectation.workload:
        return Outcome(expectation, tuple(_workload_differences(expectation, cluster)))
    return Outcome(expectation, tuple(_queue_differences(expectation, cluster)))


def _workload_differences(expectation: Expectation, cluster: Cluster) -> list[str]:
    state = cluster.workloads.get(expectation.workload)
    if state is None:
        return [] if expectation.state == "deleted" else ["there is no such workload"]
    found: list[str] = []
    if expectation.state is not None and not _is(state, expectation.state):
        found.append(f"is {_where(state)}, not {expectation.state}")
    conditions = _conditions_for(state, expectation.state)
    reasons = [condition.reason for condition in conditions]
    if expectation.reason is not None and expectation.reason not in reasons:
        found.append(f"reason is {' / '.join(reasons) or 'none'}, not {expectation.reason}")
    messages = [condition.message for condition in conditions]
    wanted = expectation.message
    if wanted is not None and not any(wanted in message for message in messages):
        found.append(f"message is {' / '.join(messages) or 'empty'!r}, without {wanted!r}")
    if expectation.cluster_queue is not None and state.cluster_queue != expectation.cluster_queue:
        found.append(f"is in {state.cluster_queue or 'no ClusterQueue'}")
    found += _admission_differences(expectation, state)
    return found


def _admission_differences(expectation: Expectation, state: WorkloadState) -> list[str]:
    found = []
    assignments = () if state.admission is None else state.admission.pod_set_assignments
    for resource, flavor in (expectation.flavors or {}).items():
        given = {assignment.flavors.get(resource) for assignment in assignments}
        if given != {flavor}:
            shown = ", ".join(sorted(name for name in given if name)) or "no flavor"
            found.append(f"{resource} is of {shown}, not {flavor}")
    if expectation.count is not None:
        count = sum(assignment.count or 0 for assignment in assignments)
        if count != expectation.count:
            found.append(f"has {count} pods, not {expectation.count}")
    return found


def _is(state: WorkloadState, name: str) -> bool:
    match name:
        case "pending":
            return not state.has_quota_reservation and not state.is_finished
        case "reserved":
            return state.has_quota_reservation and not state.is_finished
        case "admitted":
            return state.is_admitted and not state.is_evicted and not state.is_finished
        case "evicted":
            return state.is_evicted
        case "finished":
            return state.is_finished
        case "deactivated":
            return not state.active
    return False


def _where(state: WorkloadState) -> str:
    order = ("finished", "deactivated", "evicted", "admitted", "reserved", "pending")
    return next(name for name in order if _is(state, name))


def _conditions_for(state: WorkloadState, name: str | None) -> list[Condition]:
    types = {
        "pending": ("QuotaReserved",),
        "reserved": ("QuotaReserved",),
        "admitted": ("Admitted",),
        "evicted": ("Evicted", "Preempted"),
        "finished": ("Finished",),
        "deactivated": ("Evicted", "DeactivationTarget"),
    }.get(name or "", tuple(state.conditions))
    return [state.conditions[type_] for type_ in types if type_ in state.conditions]


def _queue_differences(expectation: Expectation, cluster: Cluster) -> list[str]:
    name = expectation.cluster_queue_name
    node = cluster.tree.cluster_queues.get(name)
    if node is None:
        return ["there is no such ClusterQueue"]
    found = []
    for fr, amount in (expectation.usage or {}).items():
        used = node.usage.get(fr, 0)
        if used != amount:
            found.append(
                f"uses {amount_string(fr[1], used)} {fr[1]} of {fr[0]}, "
                f"not {amount_string(fr[1], amount)}"
            )
    pending = len(cluster.queues.pending_active(name)) + len(cluster.queues.inadmissible(name))
    if expectation.pending is not None and pending != expectation.pending:
        found.append(f"{pending} workloads are pending, not {expectation.pending}")
    admitted = sum(state.is_admitted for state in node.workloads.values())
    if expectation.admitted is not None and admitted != expectation.admitted:
        found.append(f"{admitted} workloads are admitted, not {expectation.admitted}")
    return found
