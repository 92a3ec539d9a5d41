"""Copies jobs to workers and their status back: one adapter for each kind of job."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from kueuelab.manifests.jobs import JobKind
from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.multikueue.jobs import (
    MULTIKUEUE_CONTROLLER,
    PREBUILT_WORKLOAD,
    Job,
    JobStatus,
)
from kueuelab.multikueue.workqueue import ReconcileError

if TYPE_CHECKING:
    from kueuelab.multikueue.member_cluster import MemberCluster
    from kueuelab.multikueue.workload_group import WorkloadGroup

__all__ = ["has_adapter", "start_is_refused", "sync_job", "unmanaged_reason"]


def has_adapter(kind: JobKind) -> bool:
    """Tell whether MultiKueue can delegate jobs of a kind."""
    return kind.multikueue is not None and kind.multikueue.delegation != "ThroughPods"


def unmanaged_reason(job: Job) -> str:
    """Return why a job can't be delegated, ``""`` if it can.

    Examples
    --------
    >>> job = Job({"kind": "Job", "metadata": {"name": "pi"}}, "team", "uid", 0)
    >>> unmanaged_reason(job)
    'Expecting spec.managedBy to be "kueue.x-k8s.io/multikueue" not ""'
    """
    support = job.kind.multikueue
    if support is None or support.delegation != "ManagedBy":
        return ""
    if job.managed_by == MULTIKUEUE_CONTROLLER:
        return ""
    return f'Expecting {support.managed_by} to be "{MULTIKUEUE_CONTROLLER}" not "{job.managed_by}"'


def sync_job(group: WorkloadGroup, name: str) -> Generator[int, None, bool]:
    """Create the job on a worker, or copy its status to the manager.

    Tells whether the status could not be written yet, since the job here is still suspended.

    Raises
    ------
    ReconcileError
        If the worker is out of reach, or Kubernetes refuses the status.
    """
    manager = group.manager
    # One request reads the owner of the job, the next one the job.
    yield group.call()
    group.remote_job(name)
    group.answer()
    yield group.call()
    remote = group.remote_job(name)
    local = manager.member.jobs.get(group.job_key)
    if local is None:
        raise ReconcileError("the job is gone")
    if remote is None:
        _create(group, name, local)
        group.answer()
        yield from group.arrive()
        return False
    if not local.reports_status:
        return False
    status, deferred = _status_for(manager.member, local, remote)
    if status != local.status:
        if start_is_refused(local, status):
            manager.status_refused(group.local.key, name)
            raise ReconcileError("status.startTime is immutable")
        manager.member.write_job(local, status=status)
    return deferred


def start_is_refused(local: Job, status: JobStatus) -> bool:
    """Tell whether Kubernetes refuses a status: a running Job's start time can't change.

    The CRDs of other kinds have no such rule.
    """
    if not local.is_batch or local.suspend or local.status.start_time is None:
        return False
    return local.status.start_time != status.start_time


def _create(group: WorkloadGroup, name: str, local: Job) -> None:
    worker = group.worker(name)
    several = len(local.workloads) > 1
    if worker.jobs.get(group.job_key) is not None:
        if several:  # the job can have several Workloads, and this is one of them
            return
        raise ReconcileError("the job is there already")
    manifest = local.as_manifest()
    _drop_manager(manifest, local.kind)
    labels = {**local.labels, MULTIKUEUE_ORIGIN: group.manager.origin}
    if not several:
        labels[PREBUILT_WORKLOAD] = group.local.obj.name
    manifest["metadata"]["labels"] = labels
    job = Job(
        manifest,
        local.namespace,
        worker.new_uid(local.kind.kind, local.name),
        worker.now,
        local.plan,
    )
    job.suspend = True
    job.controller = local.controller
    job.size = local.size
    job.workloads = local.workloads if several else ()
    worker.create_job(job, slow=local.key in group.manager.cluster_set.slow_starts)
    group.manager.job_created(group.local.key, name)


def _drop_manager(manifest: dict[str, Any], kind: JobKind) -> None:
    """Clear ``managedBy``, so that the worker's own controller manages the job."""
    support = kind.multikueue
    if support is None or support.managed_by is None:
        return
    *way, last = support.managed_by.split(".")
    place = manifest
    for step in way:
        inner = place.get(step)
        if not isinstance(inner, Mapping):
            return
        copied = dict(inner)
        place[step] = copied
        place = copied
    place.pop(last, None)


def _status_for(member: MemberCluster, local: Job, remote: Job) -> tuple[JobStatus, bool]:
    """Return the status for the job on the manager, and whether parts of it are left out."""
    if not local.is_batch or not local.suspend or remote.suspend or remote.status.end is not None:
        return remote.status, False
    # While the job on the manager is suspended, a start time would forbid changes of its spec.
    if local.status.has("Suspended"):
        return local.status, True
    with_suspended = local.status.with_condition(
        "Suspended", "True", "MultiKueueAdapter", "Set by MultiKueue adapter", member.now
    )
    return with_suspended, True
