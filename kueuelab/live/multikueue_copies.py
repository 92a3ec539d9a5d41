"""Copies of Workloads on workers: which job each stands for."""

from __future__ import annotations

from collections.abc import Mapping

from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.model import Workload

__all__ = ["is_copy", "job_name"]


def is_copy(workload: Workload) -> bool:
    """Tell whether a manager created a Workload."""
    return MULTIKUEUE_ORIGIN in workload.metadata.labels


def job_name(workload: Workload, originals: Mapping[str, Workload] | None = None) -> str:
    """Return the name of the job that a Workload stands for, its own where it has none.

    A copy has no owner as long as its job is not on the worker. It bears the name of the
    manager's Workload, which has one.

    Parameters
    ----------
    workload
        The Workload.
    originals
        The manager's Workloads by key; nothing for one that is on the manager.
    """
    owners = workload.metadata.owner_references
    if not owners and originals and is_copy(workload) and workload.key in originals:
        owners = originals[workload.key].metadata.owner_references
    return owners[0].name if owners else workload.name
