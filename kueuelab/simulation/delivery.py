"""What queues and quota do when a Workload was created, changed or deleted.

These are the event handlers of Kueue's workload controller; the reconciler comes after
them. See ``Create``, ``Update`` and ``Delete`` there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kueuelab.errors import SimulationError
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.model.times import SECOND
from kueuelab.queues import is_admissible, is_on_hold
from kueuelab.simulation import status
from kueuelab.simulation.admission_fair_sharing import follow_workload, waive_penalty
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.devices import needs_devices_counted, queue_without_devices
from kueuelab.simulation.second_pass import queue_second_pass
from kueuelab.simulation.seen import Seen
from kueuelab.simulation.ungating import follow_pods
from kueuelab.trace.steps import PriorityChanged, QuotaReleased, WorkloadCreated, WorkloadDeleted
from kueuelab.workload import WorkloadState
from kueuelab.workload.slices import only_shrinks
from kueuelab.workload.variants import PARENT_LABEL, is_labelled_parent, is_variant

__all__ = [
    "create_workload",
    "delete_workload",
    "deliver",
    "edit_workload",
    "mark_parent",
    "set_priority",
    "set_workload",
]


def create_workload(
    plane: ControlPlane, workload: Workload, like: WorkloadState | None = None
) -> WorkloadState:
    """Create a Workload object and let queues and quota know of it.

    ``like`` is the same workload in another cluster, if there is one; else one with the very same
    pod sets is looked for.

    Raises
    ------
    SimulationError
        If there is one of this name already.
    """
    adjusted = workload if _is_adjusted(plane, workload, like) else plane.adjusted(workload)
    state = WorkloadState(
        adjusted,
        plane.configuration.resources,
        hashing=plane.gates["SchedulingEquivalenceHashing"],
        concurrent=plane.gates["ConcurrentAdmission"],
        priority_boost=_boost(plane, adjusted),
        like=like or plane.same_pod_sets.latest(adjusted),
    )
    if state.reclaimable_pods and not plane.gates["ReclaimablePods"]:
        state.reclaimable_pods = ()
        state.refresh()
    key = state.key
    if key in plane.workloads:
        raise SimulationError(Message("simulation.exists"), object=f"Workload/{key}")
    if adjusted is not workload:
        plane.as_written[key] = workload
    plane.workloads[key] = state
    if like is None:
        plane.same_pod_sets.note(state)
    plane.writes += 1
    if plane.on_write is not None:
        plane.on_write(key)
    past = workload.status.accumulated_past_execution_time_seconds
    if past:
        plane.past_execution[key] = past
    plane.seen[key] = seen = Seen.of(state)
    if state.is_evicted and state.has_quota_reservation and not state.is_finished:
        plane.evicting[key] = None
    plane.touch(seen)
    if seen.phase != "finished":
        if is_admissible(state, plane.gates):
            if not needs_devices_counted(plane, state):
                plane.queues.add_or_update(state)
        else:
            plane.hold(state)
            queue_second_pass(plane, state)
    plane.enqueue(key)
    plane.enqueue_family(state)
    if plane.recorder is not None:
        plane.record(WorkloadCreated(state.obj.queue_name, state.priority), key)
    return state


def _is_adjusted(plane: ControlPlane, workload: Workload, like: WorkloadState | None) -> bool:
    """Tell whether pod sets stay as they are: they did elsewhere, and nothing here changes them."""
    objects = plane.objects
    return (
        like is not None
        and like.obj.pod_sets is workload.pod_sets
        and not objects.limit_ranges
        and not objects.runtime_classes
    )


def set_workload(plane: ControlPlane, state: WorkloadState, workload: Workload) -> None:
    """Give a workload a new spec, as written."""
    adjusted = plane.adjusted(workload)
    if adjusted is workload:
        plane.as_written.pop(state.key, None)
    else:
        plane.as_written[state.key] = workload
    state.set_obj(adjusted, priority_boost=_boost(plane, adjusted))


def edit_workload(plane: ControlPlane, state: WorkloadState, **values: Any) -> None:
    """Write other values into a workload's spec, as the API server does: a generation on."""
    written = plane.written(state)
    meta = replace(written.metadata, generation=written.metadata.generation + 1)
    set_workload(plane, state, replace(written, metadata=meta, **values))
    plane.changed(state.key)


def mark_parent(plane: ControlPlane, state: WorkloadState) -> bool:
    """Label a workload of a queue with concurrent admission as a parent, unless it is one."""
    _, queue = plane.queue_of(state)
    if queue is None or queue.spec.concurrent_admission is None:
        return False
    if is_labelled_parent(state.obj) or is_variant(state.obj):
        return False
    written = plane.written(state)
    labels = {**written.metadata.labels, PARENT_LABEL: "true"}
    set_workload(plane, state, replace(written, metadata=replace(written.metadata, labels=labels)))
    plane.changed(state.key)
    return True


def set_priority(plane: ControlPlane, state: WorkloadState, priority: int) -> bool:
    """Set ``spec.priority``; tell whether it was another one."""
    before = plane.written(state).priority
    if before == priority:
        return False
    edit_workload(plane, state, priority=priority)
    if plane.recorder is not None:
        plane.record(PriorityChanged(priority, before), state.key)
    return True


def delete_workload(plane: ControlPlane, state: WorkloadState) -> None:
    """Delete a Workload object: its quota is free, and others may fit now."""
    key, queue = state.key, state.cluster_queue
    plane.touch(plane.seen[key])
    held = plane.release(state)
    plane.wake_for(state)
    plane.queues.forget(key)
    plane.queues.second_passes.delete(key)
    waive_penalty(plane, key, state.queue_key)
    plane.forget(key)
    plane.enqueue_family(state)
    if plane.recorder is not None:
        if held:
            plane.record(QuotaReleased("deleted"), key, queue)
        plane.record(WorkloadDeleted(), key, queue)
    if plane.gates["ConcurrentAdmission"] and is_labelled_parent(state.obj):
        # The API server collects what a deleted object owns.
        for variant in plane.variants_of(state):
            delete_workload(plane, variant)


def deliver(plane: ControlPlane, state: WorkloadState) -> None:
    """Bring queues and quota up to date with a workload that was written."""
    key = state.key
    before, after = plane.seen[key], Seen.of(state)
    plane.seen[key] = after
    was, phase = before.phase, after.phase
    if plane.recorder is not None:
        follow_pods(plane, state)
    plane.touch(before)
    if before.queue_key != after.queue_key:
        plane.touch(after)
    if was == "admitted" and phase in ("quotaReserved", "pending"):
        _add_up_execution(plane, key, before)
    if phase == "finished" or not state.active:
        plane.queues.delete(key)
        lost = was in ("quotaReserved", "admitted") and phase == "pending"
        _let_go(plane, state, "Finished" if phase == "finished" else "Deactivated", lost)
        plane.wake_for(state)
    elif was == "pending":
        _was_pending(plane, state, phase)
    elif phase == "pending":
        _became_pending(plane, state)
    elif _changes_what_fits(plane, state, before, after):
        plane.hold(state)
        plane.wake_for(state)
    else:
        plane.hold(state)
    if state.is_finished:
        plane.evicting.pop(key, None)  # The reservation of a finished one stays as it is.
    elif state.is_evicted and state.has_quota_reservation:
        plane.evicting[key] = None
    if plane.fair_usage is not None:
        follow_workload(plane, state, before, after)
    queue_second_pass(plane, state)


def _was_pending(plane: ControlPlane, state: WorkloadState, phase: status.Phase) -> None:
    if phase != "pending":
        plane.queues.delete(state.key)
        plane.hold(state)
    elif is_on_hold(state):
        plane.queues.delete(state.key)
    elif not needs_devices_counted(plane, state):
        queue_without_devices(plane, state)


def _became_pending(plane: ControlPlane, state: WorkloadState) -> None:
    """Release the quota; queue again, unless it backs off; let others have a go."""
    _let_go(plane, state, _why_released(state), lost=True)
    requeue = state.requeue_state
    until = requeue.requeue_at if requeue is not None else None
    immediate = until is None or until <= plane.clock.now
    if immediate and plane.queues.is_parent(state):
        plane.queues.assign(state)
    elif immediate and not is_on_hold(state) and not needs_devices_counted(plane, state):
        queue_without_devices(plane, state)
    plane.queues.second_passes.delete(state.key)
    plane.wake_for(state)


def _why_released(state: WorkloadState) -> str:
    evicted = state.conditions.get("Evicted")
    if evicted is not None and evicted.status == "True":
        return evicted.reason
    reserved = state.conditions.get("QuotaReserved")
    return reserved.reason if reserved is not None else ""


def _let_go(plane: ControlPlane, state: WorkloadState, why: str, lost: bool) -> None:
    """Release the quota; ``lost`` tells that the reservation is gone, whether it counted or not."""
    held = plane.release(state)
    if (held or lost) and plane.recorder is not None:
        plane.record(QuotaReleased(why, held), state.key)


def _changes_what_fits(
    plane: ControlPlane, state: WorkloadState, before: Seen, after: Seen
) -> bool:
    """Tell whether quota became free although the workload stays, or its rank changed."""
    reclaimed = (
        before.phase == "admitted"
        and after.phase == "admitted"
        and before.reclaimable_pods != after.reclaimable_pods
    )
    shrunk = before.pods != after.pods and (
        plane.gates["ElasticJobsViaWorkloadSlices"]
        and only_shrinks(dict(before.pods), dict(after.pods))
    )
    return reclaimed or shrunk or _priority_changed(state, before, after)


def _priority_changed(state: WorkloadState, before: Seen, after: Seen) -> bool:
    ref = state.obj.priority_class_ref
    if ref is None or ref.kind != "WorkloadPriorityClass" or ref.group != "kueue.x-k8s.io":
        return False
    renamed = after.priority_class != "" and before.priority_class != after.priority_class
    return renamed or before.priority != after.priority


def _add_up_execution(plane: ControlPlane, key: str, before: Seen) -> None:
    ran = (plane.now - before.admitted_since) // SECOND
    plane.past_execution[key] = plane.past_execution.get(key, 0) + ran


def _boost(plane: ControlPlane, workload: Workload) -> int:
    annotations = workload.metadata.annotations
    if not annotations or not plane.gates["PriorityBoost"]:
        return 0
    text = annotations.get("kueue.x-k8s.io/priority-boost", "")
    try:
        return int(text or 0)
    except ValueError:
        return 0
