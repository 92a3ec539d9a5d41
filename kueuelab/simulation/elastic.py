"""What the controller of an elastic job does to the slices of the job when its size changes.

See ``EnsureWorkloadSlices`` of Kueue and KEP-77.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.errors import SimulationError
from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.messages import Message
from kueuelab.model import PodSet, WorkloadStatus
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import create_workload, edit_workload
from kueuelab.simulation.jobs import finish_job
from kueuelab.simulation.objects import with_defaults
from kueuelab.simulation.reconcile import finish
from kueuelab.trace.steps import SliceCreated, SliceScaled
from kueuelab.workload import WorkloadState
from kueuelab.workload.slices import (
    ELASTIC_JOB,
    REPLACEMENT_FOR,
    WORKLOAD_SLICE_NAME,
    is_slice,
    job_of,
    next_slice_name,
    only_shrinks,
    pod_counts,
    replacement_for,
)

__all__ = [
    "current_slice",
    "finish_replaced",
    "finish_slices",
    "scale_job",
    "slices_of",
    "sync_slices",
]

#: Why a slice finishes before its job does.
_REPLACED: Final = "WorkloadSliceReplaced"
_OUT_OF_SYNC: Final = "OutOfSync"


def slices_of(plane: ControlPlane, job: str) -> list[WorkloadState]:
    """Return the slices of a job (``namespace/name``), the oldest first."""
    states = plane.workloads.values()
    found = [each for each in states if is_slice(each.obj) and job_of(each.obj) == job]
    found.sort(key=lambda state: (state.obj.metadata.creation_timestamp or 0, state.uid))
    return found


def _unfinished(plane: ControlPlane, job: str) -> list[WorkloadState]:
    return [state for state in slices_of(plane, job) if not state.is_finished]


def current_slice(plane: ControlPlane, key: str) -> str:
    """Return the key of the slice that stands for the job of a workload now.

    That is the one with quota, else the newest that is not finished. Any other workload, and the
    slice of a job that is over, stands for itself.
    """
    state = plane.workloads.get(key)
    if state is None or not is_slice(state.obj):
        return key
    slices = _unfinished(plane, job_of(state.obj))
    reserved = [each.key for each in slices if each.has_quota_reservation]
    return (reserved or [each.key for each in slices] or [key])[-1]


def scale_job(plane: ControlPlane, job: str, pods: int | Mapping[str, int], name: str = "") -> bool:
    """Give an elastic job other pod counts; tell whether it has a slice that is not finished.

    A slice without quota is changed in place, and so is one that only shrinks. A slice that has
    quota and grows is to be replaced by a new one, named ``name`` if that is given. A number of
    ``pods`` is for the first pod set.

    Raises
    ------
    SimulationError
        If a new slice is needed while another one waits to replace one with quota.
    """
    slices = _unfinished(plane, job)
    if not slices:
        return False
    newest = slices[-1]
    known = plane.written(newest).pod_sets
    pod_sets = _resized(known, {known[0].name: pods} if isinstance(pods, int) else pods)
    chosen: WorkloadState | None = newest
    if len(slices) > 1:
        chosen = _put_in_order(plane, slices)
    if chosen is not None:
        before = plane.written(chosen).pod_sets
        has, wanted = pod_counts(before), pod_counts(pod_sets)
        if has == wanted:
            return True
        if not chosen.has_quota_reservation or only_shrinks(has, wanted):
            edit_workload(plane, chosen, pod_sets=_resized(before, wanted))
            if plane.recorder is not None:
                facts = SliceScaled(sum(wanted.values()), sum(has.values()))
                plane.record(facts, chosen.key)
            return True
    name = name or next_slice_name(newest.obj, plane.workloads)
    _replace(plane, newest, [each for each in slices if not each.is_finished], pod_sets, name)
    return True


def sync_slices(plane: ControlPlane, job: str) -> bool:
    """Finish the slices of a job that are out of date; tell whether there are any.

    The controller of the job does so whenever one of them changes, as when one is evicted.
    """
    slices = _unfinished(plane, job)
    if len(slices) < 2:
        return False
    _put_in_order(plane, slices)
    return any(state.is_finished for state in slices)


def finish_slices(plane: ControlPlane, state: WorkloadState) -> bool:
    """Let a job succeed; the slices of an elastic one that wait finish with the one that runs."""
    if not finish_job(plane, state):
        return False
    for each in _unfinished(plane, job_of(state.obj)) if is_slice(state.obj) else ():
        finish(plane, each, "Succeeded", "Job finished successfully")
    return True


def finish_replaced(plane: ControlPlane, new: WorkloadState, old: WorkloadState) -> None:
    """Finish a slice whose replacement has quota, as the scheduler does."""
    if old.is_finished:
        return
    job = new.obj.metadata.labels.get(JOB_UID, "")
    message = (
        f"Replaced to accommodate a workload (UID: {new.uid}, JobUID: {job}) "
        "due to workload slice aggregation"
    )
    finish(plane, old, _REPLACED, message)
    plane.emit("Normal", _REPLACED, message, old.key)


@dataclass(slots=True)
class _Roles:
    """Which slice is what among several of one job."""

    reserved: WorkloadState | None = None
    replacement: WorkloadState | None = None
    newest: WorkloadState | None = None

    @property
    def chosen(self) -> WorkloadState | None:
        """The slice that is to have the size of the job."""
        return self.replacement or self.reserved or self.newest


def _put_in_order(plane: ControlPlane, slices: list[WorkloadState]) -> WorkloadState | None:
    """Finish all slices but the one with quota and the one that waits; return the chosen one.

    Slices that are being evicted always finish: they hold quota that is to be released.
    """
    replacements = _replacements(slices)
    roles = _roles(slices, replacements)
    for state in slices:
        if state is roles.chosen or state is roles.reserved:
            continue
        if state.key in replacements:
            finish(plane, state, _REPLACED, "Replaced to accommodate a new workload slice")
        else:
            message = "The workload slice is out of sync with its parent job"
            finish(plane, state, _OUT_OF_SYNC, message)
    return roles.chosen


def _replacements(slices: list[WorkloadState]) -> dict[str, WorkloadState]:
    """Return by which slice each one is replaced; one with quota goes first."""
    found: dict[str, WorkloadState] = {}
    for state in slices:
        key = replacement_for(state.obj)
        if not key or state.is_evicted:
            continue
        known = found.get(key)
        if known is None or (state.has_quota_reservation and not known.has_quota_reservation):
            found[key] = state
    return found


def _roles(slices: list[WorkloadState], replacements: Mapping[str, WorkloadState]) -> _Roles:
    roles = _Roles()
    for state in slices:
        if state.is_evicted:
            continue
        roles.newest = state
        by = replacements.get(state.key)
        if state.has_quota_reservation and not (by is not None and by.has_quota_reservation):
            roles.reserved = state
    if roles.reserved is not None:
        by = replacements.get(roles.reserved.key)
        if by is not None and not by.has_quota_reservation:
            roles.replacement = by
    return roles


def _replace(
    plane: ControlPlane,
    newest: WorkloadState,
    left: list[WorkloadState],
    pod_sets: tuple[PodSet, ...],
    name: str,
) -> None:
    """Create a slice of another size; the one that is left, if any, is to be replaced by it."""
    if len(left) > 1:
        raise SimulationError(Message("simulation.scale.slices", count=len(left)), object=name)
    before = plane.written(newest)
    meta = before.metadata
    annotations = {ELASTIC_JOB: "true", WORKLOAD_SLICE_NAME: name}
    if left:
        annotations[WORKLOAD_SLICE_NAME] = meta.annotations.get(WORKLOAD_SLICE_NAME, meta.name)
        annotations[REPLACEMENT_FOR] = left[0].key
    new_meta = replace(
        meta,
        name=name,
        uid=f"uid-{name}",
        creation_timestamp=None,
        generation=1,
        annotations=annotations,
    )
    workload = replace(
        before, metadata=new_meta, pod_sets=pod_sets, active=True, status=WorkloadStatus()
    )
    state = create_workload(plane, with_defaults(workload, plane.clock.now))
    if plane.recorder is not None:
        facts = SliceCreated(
            job_of(before),
            left[0].key if left else "",
            sum(pod_counts(pod_sets).values()),
            sum(pod_counts(before.pod_sets).values()),
        )
        plane.record(facts, state.key)


def _resized(pod_sets: tuple[PodSet, ...], counts: Mapping[str, int]) -> tuple[PodSet, ...]:
    return tuple(replace(each, count=counts.get(each.name, each.count)) for each in pod_sets)
