"""What jobs, admission check controllers and people do to a workload.

Each function tells whether it applied: a job that isn't running can't finish.
"""

from __future__ import annotations

from dataclasses import replace

from kueuelab.errors import SimulationError
from kueuelab.manifests.scenario import ChangeJob
from kueuelab.messages import Message
from kueuelab.model import AdmissionCheckState, ReclaimablePod, Workload, WorkloadStatus
from kueuelab.model.workload import CheckState, PriorityClassRef
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import edit_workload, set_priority
from kueuelab.simulation.pods_ready import set_pods_ready
from kueuelab.simulation.reconcile import finish, set_active
from kueuelab.trace.steps import CheckStateChanged, PriorityChanged
from kueuelab.workload import WorkloadState

__all__ = [
    "activate",
    "change",
    "changed_job",
    "delete_job",
    "finish_job",
    "pods_ready",
    "prioritize",
    "reclaim",
    "set_check",
]


def _is_running(state: WorkloadState) -> bool:
    return state.is_admitted and not state.is_evicted and not state.is_finished


def finish_job(plane: ControlPlane, state: WorkloadState) -> bool:
    """Let the job succeed."""
    if not _is_running(state):
        return False
    finish(plane, state, "Succeeded", "Job finished successfully")
    return True


def delete_job(plane: ControlPlane, state: WorkloadState) -> bool:
    """Delete the job: Kueue says that its Workload finished before that is collected, too."""
    if state.is_finished or not plane.gates["FinishOrphanedWorkloads"]:
        return False
    finish(plane, state, "OwnerNotFound", "The workload's owner no longer exists")
    return True


def set_check(
    plane: ControlPlane,
    state: WorkloadState,
    name: str,
    check_state: CheckState,
    message: str,
    requeue_after_seconds: int | None,
) -> bool:
    """Let an admission check report on a workload that has quota."""
    check = state.admission_checks.get(name)
    if check is None or not state.has_quota_reservation or state.is_evicted or state.is_finished:
        return False
    since = check.last_transition_time if check.state == check_state else plane.now
    new = AdmissionCheckState(
        name, check_state, message, since, requeue_after_seconds, check.retry_count
    )
    if new == check:
        return True
    state.set_check(new)
    plane.changed(state.key)
    if plane.recorder is not None:
        plane.record(CheckStateChanged(name, check_state, message), state.key)
    return True


def pods_ready(plane: ControlPlane, state: WorkloadState, ready: bool) -> bool:
    """Let the pods of a running workload become ready, or stop being so."""
    if not _is_running(state):
        return False
    set_pods_ready(plane, state, ready)
    return True


def activate(plane: ControlPlane, state: WorkloadState, active: bool) -> bool:
    """Set ``spec.active`` of a workload that isn't finished."""
    if state.is_finished or state.active == active:
        return False
    set_active(plane, state, active)
    return True


def prioritize(plane: ControlPlane, state: WorkloadState, priority: int) -> bool:
    """Set ``spec.priority`` of a workload that isn't finished."""
    return not state.is_finished and set_priority(plane, state, priority)


def changed_job(plane: ControlPlane, state: WorkloadState, change: ChangeJob) -> Workload | None:
    """Return the Workload that a job has after a change; ``None`` if it has the same.

    Raises
    ------
    SimulationError
        If the API server refuses the change: a job that is not suspended stays in its queue.
    """
    written = plane.written(state)
    new = written
    if change.queue is not None and change.queue != written.queue_name:
        if state.is_admitted and not state.is_evicted:
            raise SimulationError(Message("simulation.change-job.queue"), object=state.key)
        new = replace(new, queue_name=change.queue)
    if change.pods is not None and change.pods != written.pod_sets[0].count:
        first, *others = new.pod_sets
        new = replace(new, pod_sets=(replace(first, count=change.pods), *others))
    known = plane.objects.priority_classes.get(change.priority_class or "")
    if known is not None:
        reference = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", known.metadata.name)
        new = replace(new, priority=known.value, priority_class_ref=reference)
    if new == written:
        return None
    if state.has_quota_reservation and change.pods is not None:
        # Kueue makes it anew.
        meta = replace(new.metadata, uid="", creation_timestamp=None, generation=1)
        return replace(new, metadata=meta, status=WorkloadStatus())
    return new


def change(plane: ControlPlane, state: WorkloadState, new: Workload) -> bool:
    """Update the Workload of a job that was changed."""
    before = plane.written(state).priority
    edit_workload(
        plane,
        state,
        pod_sets=new.pod_sets,
        queue_name=new.queue_name,
        priority=new.priority,
        priority_class_ref=new.priority_class_ref,
    )
    plane.tree.refresh_workload(state)
    if plane.recorder is not None and new.priority != before:
        plane.record(PriorityChanged(new.priority, before), state.key)
    return True


def reclaim(plane: ControlPlane, state: WorkloadState, pods: tuple[ReclaimablePod, ...]) -> bool:
    """Let pods of a running workload be done, so that their quota is free."""
    if not _is_running(state):
        return False
    if plane.gates["ReclaimablePods"]:
        state.reclaimable_pods = pods
        state.refresh()
        plane.changed(state.key)
    else:
        # The pods count as before, but pending workloads are tried again.
        plane.queues.wake_for(state.key)
    return True
