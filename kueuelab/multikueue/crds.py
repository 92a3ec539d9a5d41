"""CRDs that a worker lacks: without one of them, the manager cannot connect to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS, JobKind
from kueuelab.model import RELEASE
from kueuelab.multikueue.adapters import has_adapter

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["WORKLOAD", "install_crd", "missing_crd", "remove_crd"]

WORKLOAD: Final = "Workload"


def missing_crd(manager: Manager, name: str) -> tuple[str, str] | None:
    """Return kind and version of a CRD that the manager watches on a worker that lacks it.

    The manager is connected once it watches Workloads and every kind that its integrations
    delegate. If one kind is missing, no job is dispatched to that worker, of whatever kind.
    Kueue tries the kinds of jobs in random order; here it is the order of the integrations.
    """
    worker = manager.cluster_set.workers.get(name)
    if worker is None or not worker.missing_crds:
        return None
    if WORKLOAD in worker.missing_crds:
        return WORKLOAD, RELEASE.api_version
    for kind in JOB_KINDS.values():
        if kind.kind in worker.missing_crds and _is_watched(manager, kind):
            return kind.kind, kind.api_version
    return None


def _is_watched(manager: Manager, kind: JobKind) -> bool:
    enabled = manager.member.cluster.configuration.enabled_frameworks
    return has_adapter(kind) and kind.framework in enabled


def remove_crd(manager: Manager, worker: MemberCluster, kind: str) -> None:
    """Delete a CRD on a worker; Kubernetes also deletes the objects of that kind."""
    if kind in worker.missing_crds:
        return
    before = missing_crd(manager, worker.name)
    worker.missing_crds = (*worker.missing_crds, kind)
    if kind == WORKLOAD:
        for key in tuple(worker.workloads):
            worker.delete_workload(key)
    for job in tuple(worker.jobs.values()):
        if job.kind.kind == kind:
            worker.delete_job(job.key)
    if missing_crd(manager, worker.name) != before:
        manager.connections.watches_ended(worker.name)


def install_crd(worker: MemberCluster, kind: str) -> None:
    """Install a CRD on a worker; its Kueue reconciles all jobs of the kind."""
    worker.missing_crds = tuple(known for known in worker.missing_crds if known != kind)
    if kind == WORKLOAD:
        for key in worker.jobs:
            worker.integration.queue.add(key)
