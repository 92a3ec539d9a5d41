"""Scaling an elastic Job on a cluster: one change of ``spec.parallelism``; Kueue does the rest.

Kueue makes a slice for the new number of pods, or changes the slice in place (KEP-77).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kueuelab.live.api import ClusterApi
from kueuelab.live.editing import change_object
from kueuelab.live.resources import JOBS, Json

__all__ = ["parallelism_of", "scale_job"]


def parallelism_of(pods: int | Mapping[str, int]) -> int:
    """Return how many pods a Job is to have: its one pod set is called ``main``.

    Examples
    --------
    >>> parallelism_of(8), parallelism_of({"main": 6})
    (8, 6)
    """
    return pods if isinstance(pods, int) else pods["main"]


def scale_job(api: ClusterApi, job: Json, pods: int | Mapping[str, int]) -> bool:
    """Set the number of pods of a Job that was submitted; tell whether it is there."""
    meta = job["metadata"]
    namespace = meta.get("namespace") or "default"
    change = partial(_set_parallelism, parallelism_of(pods))
    return change_object(api, JOBS, meta["name"], namespace, change)


def _set_parallelism(count: int, job: Json) -> bool:
    if job["spec"].get("parallelism") == count:
        return False
    job["spec"]["parallelism"] = count
    return True
