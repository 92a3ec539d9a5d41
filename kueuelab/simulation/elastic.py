"""What the controller of an elastic job does to the slices of the job when its size changes.

See ``EnsureWorkloadSlices`` of Kueue and KEP-77.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.errors import SimulationError
from kueuelab.manifests.jobs.constants import ELASTIC_JOB, JOB_UID, WORKLOAD_SLICE_NAME
from kueuelab.messages import Message
from kueuelab.model import PodSet, Workload, WorkloadStatus
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import create_workload, edit_workload
from kueuelab.simulation.objects import with_defaults
from kueuelab.simulation.reconcile import finish
from kueuelab.workload import WorkloadState
from kueuelab.workload.slices import REPLACEMENT_FOR, only_shrinks, pod_counts, replacement_for

__all__ = ["finish_replaced", "scale_job"]

#: Why a slice finishes before its job does.
_REPLACED: Final = "WorkloadSliceReplaced"
_OUT_OF_SYNC: Final = "OutOfSync"


def _slices_of(plane: ControlPlane, job: str) -> list[WorkloadState]:
    """Return the slices of a job (``namespace/name``) that are not finished, the oldest first."""
    found = [
        state
        for state in plane.workloads.values()
        if not state.is_finished and _is_slice(state.obj) and _job_of(state.obj) == job
    ]
    found.sort(key=lambda state: (state.obj.metadata.creation_timestamp or 0, state.uid))
    return found


def _is_slice(workload: Workload) -> bool:
    """Tell whether a workload is a slice of an elastic job."""
    annotations = workload.metadata.annotations
    return annotations.get(ELASTIC_JOB) == "true" and WORKLOAD_SLICE_NAME in annotations


def _job_of(workload: Workload) -> str:
    """Return the ``namespace/name`` of the job that owns a workload; ``""`` if none does."""
    for owner in workload.metadata.owner_references:
        if owner.controller:
            return f"{workload.namespace}/{owner.name}"
    return ""


def scale_job(plane: ControlPlane, job: str, counts: Mapping[str, int], name: str) -> bool:
    """Give an elastic job other pod counts; tell whether it has a slice that is not finished.

    A slice without quota is changed in place, and so is one that only shrinks. A slice that has
    quota and grows is to be replaced by a new one, named ``name``.

    Raises
    ------
    SimulationError
        If a new slice is needed while another one waits to replace one with quota.
    """
    slices = _slices_of(plane, job)
    if not slices:
        return False
    newest = slices[-1]
    pod_sets = _resized(plane.written(newest).pod_sets, counts)
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
            return True
    _replace(plane, newest, [each for each in slices if not each.is_finished], pod_sets, name)
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
    create_workload(plane, with_defaults(workload, plane.clock.now))


def _resized(pod_sets: tuple[PodSet, ...], counts: Mapping[str, int]) -> tuple[PodSet, ...]:
    return tuple(replace(each, count=counts.get(each.name, each.count)) for each in pod_sets)
