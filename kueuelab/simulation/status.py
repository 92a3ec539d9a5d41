"""What a workload's status says of it, and the writes that Kueue's controllers share.

All functions change a :class:`~kueuelab.workload.WorkloadState` in place, tell whether
they changed anything, and leave it to the caller to let the controllers know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from kueuelab.model import Admission, AdmissionCheckState, FeatureGates
from kueuelab.model.times import to_seconds
from kueuelab.simulation.events import truncated_for_condition
from kueuelab.workload import WorkloadState

__all__ = ["Phase", "phase_of"]

Phase = Literal["pending", "quotaReserved", "admitted", "finished"]


def phase_of(state: WorkloadState) -> Phase:
    """Return how far a workload is: Kueue's ``workload.Status``."""
    if state.is_finished:
        return "finished"
    if state.is_admitted:
        return "admitted"
    return "quotaReserved" if state.has_quota_reservation else "pending"


def checks_in(state: WorkloadState, check_state: str) -> list[AdmissionCheckState]:
    """Return the admission checks in a state, sorted by name."""
    if not state.admission_checks:
        return []
    found = [check for check in state.admission_checks.values() if check.state == check_state]
    return sorted(found, key=lambda check: check.name)


def all_checks_ready(state: WorkloadState) -> bool:
    """Tell whether no admission check is outstanding."""
    return all(check.state == "Ready" for check in state.admission_checks.values())


def queued_since(state: WorkloadState) -> int:
    """Return since when the workload has been waiting in the queue."""
    requeued = state.conditions.get("Requeued")
    if requeued is not None:
        return requeued.last_transition_time
    return state.obj.metadata.creation_timestamp or 0


def unadmitted_reason(gates: FeatureGates, granular: str, fallback: str) -> str:
    """Return the finer reason if the gate ``UnadmittedWorkloadsObservability`` asks for it."""
    return granular if gates["UnadmittedWorkloadsObservability"] else fallback


def sync_admitted(state: WorkloadState, gates: FeatureGates, now: int) -> bool:
    """Bring ``Admitted`` in line with the quota reservation and the checks."""
    reserved = state.has_quota_reservation
    ready = not state.admission_checks or all_checks_ready(state)
    delayed = reserved and topology_pending(state)
    if not gates["UnadmittedWorkloadsObservability"]:
        if state.is_admitted == (reserved and ready and not delayed):
            return False
    elif (
        "QuotaReserved" not in state.conditions
        and "Admitted" not in state.conditions
        and not gates["UnadmittedWorkloadsExplicitStatus"]
    ):
        return False
    if reserved and ready and not delayed:
        return state.set_condition("Admitted", "True", "Admitted", "The workload is admitted", now)
    reason, message = _why_not_admitted(reserved, ready, gates)
    return state.set_condition("Admitted", "False", reason, message, now)


def _why_not_admitted(reserved: bool, ready: bool, gates: FeatureGates) -> tuple[str, str]:
    if not reserved and not ready and not gates["UnadmittedWorkloadsObservability"]:
        return (
            "NoReservationUnsatisfiedChecks",
            "The workload has no reservation and not all checks ready",
        )
    if not reserved:
        return "NoReservation", "The workload has no reservation"
    if not ready:
        reason = unadmitted_reason(gates, "UnsatisfiedAdmissionChecks", "UnsatisfiedChecks")
        return reason, "The workload has not all checks ready"
    return "PendingDelayedTopologyRequests", "There are pending delayed topology requests"


def topology_pending(state: WorkloadState) -> bool:
    """Tell whether pods are to be placed once all checks are ready."""
    if state.admission is None:
        return False
    for assignment in state.admission.pod_set_assignments:
        if (
            assignment.delayed_topology_request == "Pending"
            and assignment.topology_assignment is None
        ):
            return True
    return False


def reserve_quota(state: WorkloadState, admission: Admission, now: int) -> None:
    """Write a quota reservation; what spoke against it before is over."""
    state.admission = admission
    message = f"Quota reserved in ClusterQueue {admission.cluster_queue}"
    state.set_condition("QuotaReserved", "True", "QuotaReserved", message, now)
    for type_ in ("Evicted", "Preempted", "BlockedOnPreemptionGates"):
        condition = state.conditions.get(type_)
        if condition is not None and condition.status == "True":
            text = truncated_for_condition(f"Previously: {condition.message}")
            state.set_condition(type_, "False", "QuotaReserved", text, now)
    state.refresh()


def unset_reservation(
    state: WorkloadState, reason: str, message: str, gates: FeatureGates, now: int
) -> bool:
    """Say why the workload has no quota, and take away what it had."""
    text = truncated_for_condition(message)
    changed = state.set_condition("QuotaReserved", "False", reason, text, now)
    if state.admission is not None:
        state.admission = None
        state.refresh()
        changed = True
    return sync_admitted(state, gates, now) or changed


def set_requeued(state: WorkloadState, status: bool, reason: str, message: str, now: int) -> bool:
    """Write the condition ``Requeued``."""
    text = truncated_for_condition(message)
    return state.set_condition("Requeued", "True" if status else "False", reason, text, now)


def prepare_eviction(state: WorkloadState, reason: str, message: str, now: int) -> None:
    """Write what evicting a workload changes in its status at once."""
    text = truncated_for_condition(message)
    state.set_condition("Evicted", "True", reason, text, now)
    state.cluster_name = None
    state.unhealthy_nodes = ()
    if not state.foreign_nomination:
        state.nominated_cluster_names = ()
    state.admission_checks = {
        name: check if check.state == "Pending" else _reset_check(check, now)
        for name, check in state.admission_checks.items()
    }
    if state.condition_is("BlockedOnPreemptionGates", "True"):
        state.set_condition("BlockedOnPreemptionGates", "False", reason, text, now)
    state.preemption_gates = dict.fromkeys(state.preemption_gates, "Closed")


def read_back(state: WorkloadState) -> None:
    """Let the status be what the API server answers: all times in whole seconds."""
    state.set_conditions(
        {
            type_: each._replace(last_transition_time=to_seconds(each.last_transition_time))
            for type_, each in state.conditions.items()
        }
    )
    state.admission_checks = {
        name: replace(check, last_transition_time=to_seconds(check.last_transition_time))
        for name, check in state.admission_checks.items()
    }
    requeue = state.requeue_state
    if requeue is not None and requeue.requeue_at is not None:
        state.requeue_state = replace(requeue, requeue_at=to_seconds(requeue.requeue_at))


def _reset_check(check: AdmissionCheckState, now: int) -> AdmissionCheckState:
    return AdmissionCheckState(
        check.name,
        "Pending",
        f"Reset to Pending after eviction. Previously: {check.state}",
        now,
        check.requeue_after_seconds,
        (check.retry_count or 0) + 1 if check.state == "Retry" else None,
    )
