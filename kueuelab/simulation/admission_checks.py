"""Admission checks: which ones a workload needs, and acting on what they report.

See https://kueue.sigs.k8s.io/docs/concepts/admission_check/.
"""

from __future__ import annotations

from kueuelab.model import AdmissionCheckState
from kueuelab.model.times import SECOND
from kueuelab.simulation import status
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.eviction import evict
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.requeue_backoff import requeue_not_before
from kueuelab.trace.steps import CheckStateChanged
from kueuelab.workload import WorkloadState

__all__ = ["act_on_checks", "back_off_for_checks", "sync_checks"]


def sync_checks(plane: ControlPlane, state: WorkloadState, queue: QueueStatus) -> bool:
    """Bring the workload's admission checks in line with those of its ClusterQueue."""
    flavors = None
    if state.admission is not None:
        assignments = state.admission.pod_set_assignments
        flavors = frozenset(flavor for a in assignments for flavor in a.flavors.values())
    wanted = queue.checks_of(flavors)
    current = state.admission_checks
    if current.keys() == set(wanted):
        return False
    now = plane.now
    state.admission_checks = {
        name: current.get(name) or AdmissionCheckState(name, "Pending", "", now) for name in wanted
    }
    plane.changed(state.key)
    if plane.recorder is not None:
        for name in wanted:
            if name not in current:
                plane.record(CheckStateChanged(name, "Pending", ""), state.key)
    return True


def back_off_for_checks(plane: ControlPlane, state: WorkloadState) -> bool:
    """Back off for as long as a check that wants a retry asks for."""
    times = (_retry_time(check) for check in state.admission_checks.values())
    until = max((time for time in times if time is not None), default=None)
    if until is None or until <= plane.clock.now:
        return False
    current = state.requeue_state.requeue_at if state.requeue_state is not None else None
    if current is not None and current >= until:
        return False
    requeue_not_before(state, until)
    plane.changed(state.key)
    return True


def _retry_time(check: AdmissionCheckState) -> int | None:
    if check.state != "Retry" or check.requeue_after_seconds is None:
        return None
    return check.last_transition_time + check.requeue_after_seconds * SECOND


def act_on_checks(plane: ControlPlane, state: WorkloadState) -> bool:
    """Deactivate a workload with a rejected check; evict one that is to be tried again."""
    if state.is_evicted:
        return False
    rejected = status.checks_in(state, "Rejected")
    if rejected:
        message = _checks_text(rejected, "Rejected")
        state.set_condition("DeactivationTarget", "True", "AdmissionCheck", message, plane.now)
        plane.changed(state.key)
        plane.emit("Warning", "AdmissionCheckRejected", f"Deactivated due to {message}", state.key)
        return True
    retried = status.checks_in(state, "Retry")
    if retried:
        evict(plane, state, "AdmissionCheck", f"Evicted due to {_checks_text(retried, 'Retry')}")
        return True
    return False


def _checks_text(checks: list[AdmissionCheckState], check_state: str) -> str:
    noun = "AdmissionCheck" if len(checks) == 1 else "AdmissionChecks"
    parts = [
        f'"{check.name}" ({check.message})' if check.message else f'"{check.name}"'
        for check in checks
    ]
    return f"{noun} in {check_state} state: {'; '.join(parts)}"
