"""What a manager's Kueue created on a worker for a run, and did not remove."""

from __future__ import annotations

from collections.abc import Mapping

from kueuelab.live.api import ClusterApi
from kueuelab.live.requests import RUN_LABEL
from kueuelab.live.resources import JOBS, WORKLOADS, Json
from kueuelab.live.run_identity import run_of
from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.model import Workload

__all__ = ["left_on_worker"]


def left_on_worker(api: ClusterApi, originals: Mapping[str, Workload], run_id: str) -> list[Json]:
    """Return the copies of a run's jobs and Workloads that are on a worker.

    MultiKueue forgets copies on a worker that is taken out of the MultiKueueConfig, or whose
    MultiKueueCluster is deleted.

    Parameters
    ----------
    api
        The worker.
    originals
        The manager's Workloads by key, as they were seen last.
    run_id
        What every object of the run bears on the manager; Kueue copies it with a job.
    """
    found: list[Json] = []
    for namespace in sorted({workload.namespace for workload in originals.values()}):
        for job in api.list(JOBS, namespace, {"labelSelector": RUN_LABEL}).items:
            meta = job["metadata"]
            if run_of(job) == run_id and MULTIKUEUE_ORIGIN in (meta.get("labels") or {}):
                found.append({**job, "apiVersion": JOBS.api_version, "kind": JOBS.kind})
        for obj in api.list(WORKLOADS, namespace, {"labelSelector": MULTIKUEUE_ORIGIN}).items:
            if f"{namespace}/{obj['metadata']['name']}" in originals:
                found.append({**obj, "apiVersion": WORKLOADS.api_version, "kind": WORKLOADS.kind})
    return found
