"""What Kueue's workload controller makes of one workload, one thing at a time.

Each pass does the first thing that is due. If that writes the workload, the write brings
about the next pass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.model.meta import Condition
from kueuelab.model.times import SECOND
from kueuelab.queues import gated_by
from kueuelab.simulation import status
from kueuelab.simulation.admission_checks import (
    act_on_checks,
    back_off_for_checks,
    sync_checks,
)
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import delete_workload, edit_workload, mark_parent
from kueuelab.simulation.devices import (
    count_devices,
    go_on_after_devices,
    needs_devices_counted,
    queue_without_devices,
)
from kueuelab.simulation.eviction import evict
from kueuelab.simulation.execution_time import running_for_too_long
from kueuelab.simulation.pods_ready import not_ready_for_too_long
from kueuelab.simulation.requeue_backoff import clear_requeue_at
from kueuelab.simulation.stop_policy import stopped_queue
from kueuelab.simulation.unadmitted import report_why_not_reserved, why_not_reserved
from kueuelab.trace.steps import (
    Admitted,
    Deactivated,
    Finished,
    Pending,
    Requeued,
    TimerFired,
)
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import is_labelled_parent

__all__ = ["reconcile"]

_BACKED_OFF: Final = ("PodsReadyTimeout", "AdmissionCheck")


def reconcile(plane: ControlPlane, state: WorkloadState) -> None:
    """Do the next thing that is due for a workload, and start the timer for what follows."""
    clock = plane.clock
    if clock.has_timers:
        clock.cancel(("workload", state.key))
    if state.obj.metadata.labels.get(JOB_UID) and _finish_orphan(plane, state):
        return
    if plane.gates["ConcurrentAdmission"] and mark_parent(plane, state):
        return
    if state.is_finished:
        _delete_after_retention(plane, state)
        return
    if state.obj.preemption_gates or state.preemption_gates:
        _sync_preemption_gates(plane, state)
    if state.admission_checks and back_off_for_checks(plane, state):
        return
    if status.phase_of(state) == "pending" and needs_devices_counted(plane, state):
        if count_devices(plane, state):
            go_on_after_devices(plane, state, _go_on)
    else:
        _go_on(plane, state)


def _go_on(plane: ControlPlane, state: WorkloadState) -> None:
    """Do the next thing that is due for a workload that is not finished."""
    if (_requeue if state.active else _deactivate)(plane, state):
        return
    if _follow_queues(plane, state):
        return
    if not state.is_admitted:
        _sync_status(plane, state)
    if state.has_quota_reservation:
        _watch_reservation(plane, state)


def again_at(plane: ControlPlane, state: WorkloadState, when: int, what: str) -> None:
    """Reconcile the workload again at some time."""
    # No closure, so that a cluster can be copied while timers run.
    plane.clock.set_timer(("workload", state.key), when, partial(_fire, plane, state.key, what))


def _fire(plane: ControlPlane, key: str, what: str) -> None:
    if plane.recorder is not None:
        plane.record(TimerFired(what), key)
    plane.enqueue(key)


# --- the end of a workload -------------------------------------------------------------


def _finish_orphan(plane: ControlPlane, state: WorkloadState) -> bool:
    if state.obj.metadata.owner_references:
        return False
    if not plane.gates["FinishOrphanedWorkloads"] or state.is_finished:
        return False
    finish(plane, state, "OwnerNotFound", "The workload's owner no longer exists")
    return True


def finish(plane: ControlPlane, state: WorkloadState, reason: str, message: str) -> None:
    """Write that a workload finished."""
    state.set_condition("Finished", "True", reason, message, plane.now)
    plane.changed(state.key)
    if plane.recorder is not None:
        plane.record(Finished(reason, message), state.key)


def _delete_after_retention(plane: ControlPlane, state: WorkloadState) -> None:
    retention = plane.configuration.retention_after_finished
    if retention is None:
        return
    expires = state.conditions["Finished"].last_transition_time + retention
    if plane.clock.now < expires:
        again_at(plane, state, expires, "retention")
        return
    key = state.key
    delete_workload(plane, state)
    plane.emit("Normal", "Deleted", "Deleted finished workload due to elapsed retention", key)


# --- in and out of the queue -----------------------------------------------------------


def _sync_preemption_gates(plane: ControlPlane, state: WorkloadState) -> None:
    named = state.obj.preemption_gates
    if not plane.gates["MultiKueueOrchestratedPreemption"]:
        return
    wanted = {name: state.preemption_gates.get(name, "Closed") for name in named}
    if wanted != state.preemption_gates:
        state.preemption_gates = wanted
        plane.changed(state.key)


def _requeue(plane: ControlPlane, state: WorkloadState) -> bool:
    """Act on what an active workload waits for before it may queue again."""
    if state.condition_is("DeactivationTarget", "True"):
        set_active(plane, state, False)
        return True
    until = state.requeue_state.requeue_at if state.requeue_state is not None else None
    requeued = state.conditions.get("Requeued")
    if until is not None:
        if until > plane.clock.now:
            again_at(plane, state, until, "backoff")
            return True
        if status.phase_of(state) == "pending":
            clear_requeue_at(state)
            plane.changed(state.key)
            queue_without_devices(plane, state)
            # Where the condition still says so, it is about to be written, and recorded, too.
            if requeued is None or requeued.status != "False" or requeued.reason not in _BACKED_OFF:
                _record_requeued(plane, state, "BackoffFinished")
            return True
    if requeued is None or requeued.status != "False":
        return False
    now = plane.now
    if requeued.reason == "Deactivated":
        status.set_requeued(state, True, "Reactivated", "The workload was reactivated", now)
    elif requeued.reason in _BACKED_OFF:
        clear_requeue_at(state)
        status.set_requeued(
            state, True, "BackoffFinished", "The workload backoff was finished", now
        )
    else:
        return False
    plane.changed(state.key)
    _record_requeued(plane, state, state.conditions["Requeued"].reason)
    return True


def _record_requeued(plane: ControlPlane, state: WorkloadState, reason: str) -> None:
    if plane.recorder is not None:
        # Once this is delivered it is active, unless its like was found not to fit.
        active = plane.queues.no_fit_reason(state.key) is None
        plane.record(Requeued(reason, active), state.key, plane.queue_of(state)[0])


def set_active(plane: ControlPlane, state: WorkloadState, active: bool) -> None:
    """Set ``spec.active``."""
    edit_workload(plane, state, active=active)
    if plane.recorder is not None:
        target = state.conditions.get("DeactivationTarget")
        message = target.message if target is not None and not active else ""
        plane.record(Deactivated(active, message), state.key)


def _deactivate(plane: ControlPlane, state: WorkloadState) -> bool:
    """Evict a workload that is no longer active."""
    target = state.conditions.get("DeactivationTarget")

    def prepare(state: WorkloadState) -> None:
        left = {name: c for name, c in state.conditions.items() if name != "DeactivationTarget"}
        state.set_conditions(left)
        state.requeue_state = None

    if not state.is_evicted:
        cause, message = "", "The workload is deactivated"
        if target is not None:
            cause, message = target.reason, f"{message} due to {target.message}"
        evict(plane, state, "Deactivated", message, cause, prepare=prepare)
        return True
    if state.requeue_state is not None:
        prepare(state)
        # A merge patch, the only one among these writes: Kueue goes on with the answer to it.
        status.read_back(state)
        plane.changed(state.key)
        return True
    return False


# --- following the queues --------------------------------------------------------------


def _follow_queues(plane: ControlPlane, state: WorkloadState) -> bool:
    """Act on LocalQueue and ClusterQueue: restarts, gates, and the checks they ask for."""
    requeued = state.conditions.get("Requeued")
    waits = requeued is not None and requeued.status == "False"
    if waits and _restarted(plane, state, "LocalQueue"):
        return True
    if _follow_admission_gate(plane, state):
        return True
    _, queue = plane.queue_of(state)
    if queue is None:
        return False
    if waits and _restarted(plane, state, "ClusterQueue"):
        return True
    has_checks = (queue.checks or state.admission_checks) and not _is_parent(plane, state)
    return bool(has_checks) and sync_checks(plane, state, queue)


def _is_parent(plane: ControlPlane, state: WorkloadState) -> bool:
    """Tell whether admission checks are left to the variants of a workload."""
    return plane.gates["ConcurrentAdmission"] and is_labelled_parent(state.obj)


def _restarted(plane: ControlPlane, state: WorkloadState, kind: str) -> bool:
    """Let a workload queue again whose LocalQueue or ClusterQueue was stopped and no longer is."""
    requeued = state.conditions.get("Requeued")
    if requeued is None or requeued.status != "False" or requeued.reason != f"{kind}Stopped":
        return False
    if kind == "LocalQueue":
        local_queue = plane.objects.local_queues.get(state.queue_key)
        stopped = local_queue is None or local_queue.stop_policy != "None"
    else:
        _, queue = plane.queue_of(state)
        stopped = queue is None or queue.stopped
    if stopped:
        return False
    if plane.restarts_take_time and not plane.restarting.pop(state.key, False):
        plane.restarting[state.key] = False
        return True
    message = f"The {kind} was restarted after being stopped"
    status.set_requeued(state, True, f"{kind}Restarted", message, plane.now)
    plane.changed(state.key)
    _record_requeued(plane, state, f"{kind}Restarted")
    return True


def _follow_admission_gate(plane: ControlPlane, state: WorkloadState) -> bool:
    condition = state.conditions.get("QuotaReserved")
    is_reported = condition is not None and condition.reason == "AdmissionGated"
    if not is_reported and not state.obj.metadata.annotations:
        return False
    gate = gated_by(state, plane.gates)
    if bool(gate) == is_reported or not plane.gates["AdmissionGatedBy"]:
        return False
    if gate:
        # Kueue v0.19.2 writes the gate and what else keeps the workload from quota, a stopped
        # queue for instance, in turns, without end. Here each is written once.
        if condition is not None and _says(condition, *why_not_reserved(plane, state)):
            return False
        reason, event = "AdmissionGated", "AdmissionGated"
        message = f"Admission is gated by: {gate}"
        note = f"Workload admission is gated by: {gate}"
    else:
        reason = status.unadmitted_reason(plane.gates, "PendingEvaluation", "Pending")
        event = "AdmissionGateCleared"
        message = "AdmissionGatedBy cleared, waiting for quota reservation"
        note = "Admission gate cleared, workload is now admissible"
    status.unset_reservation(state, reason, message, plane.gates, plane.now)
    plane.changed(state.key)
    plane.emit("Normal", event, note, state.key)
    return True


def _says(condition: Condition, reason: str, message: str) -> bool:
    return (condition.reason, condition.message) == (reason, message)


# --- status ----------------------------------------------------------------------------


def _sync_status(plane: ControlPlane, state: WorkloadState) -> None:
    """Say why there is no quota if a queue is to blame; admit if nothing is missing."""
    now = plane.clock.now
    blamed = not state.has_quota_reservation and report_why_not_reserved(plane, state)
    if blamed and plane.recorder is not None:
        condition = state.conditions["QuotaReserved"]
        plane.record(Pending(condition.reason, condition.message), state.key)
    if status.sync_admitted(state, plane.gates, now) or blamed:
        plane.changed(state.key)
    if not state.is_admitted or state.admission is None:
        return
    reserved = state.conditions["QuotaReserved"].last_transition_time
    waited = (plane.clock.now - reserved) / SECOND
    if plane.recorder is not None:
        plane.record(Admitted(), state.key)
    plane.emit(
        "Normal",
        "Admitted",
        f"Admitted by ClusterQueue {state.admission.cluster_queue}, "
        f"wait time since reservation was {waited:.0f}s",
        state.key,
    )


def _watch_reservation(plane: ControlPlane, state: WorkloadState) -> None:
    """Evict or deactivate a workload with quota, if there is reason to."""
    has_checks = state.admission_checks and not _is_parent(plane, state)
    if (has_checks and act_on_checks(plane, state)) or stopped_queue(plane, state):
        return
    first: tuple[int, str] | None = None
    for watch, what in _TIME_LIMITS:
        due = watch(plane, state)
        if due is not None and (first is None or (due, what) < first):
            first = (due, what)
    if first is not None:
        again_at(plane, state, *first)


_TIME_LIMITS: Final[tuple[tuple[Callable[[ControlPlane, WorkloadState], int | None], str], ...]] = (
    (not_ready_for_too_long, "podsReadyTimeout"),
    (running_for_too_long, "maximumExecutionTime"),
)
