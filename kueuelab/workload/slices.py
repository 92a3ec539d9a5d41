"""Slices of an elastic job: Workloads of which one replaces the other while the job runs.

A job that grows gets a new slice for all its pods. The slice names the one that it replaces,
competes for the difference only, and the replaced one finishes as soon as it has quota. See
KEP-77 and https://kueue.sigs.k8s.io/docs/concepts/elastic_workload/.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from itertools import count
from typing import Final

from kueuelab.model import PodSet, Workload

__all__ = [
    "ELASTIC_JOB",
    "REPLACEMENT_FOR",
    "WORKLOAD_SLICE_NAME",
    "is_elastic",
    "is_slice",
    "job_of",
    "next_slice_name",
    "only_shrinks",
    "pod_counts",
    "replacement_for",
]

#: On a job and on its slices: ``"true"`` lets the job change its size while it runs.
ELASTIC_JOB: Final = "kueue.x-k8s.io/elastic-job"
#: On a slice: the name of the job's first slice, by which its pods are found.
WORKLOAD_SLICE_NAME: Final = "kueue.x-k8s.io/workload-slice-name"

#: On a slice: ``namespace/name`` of the slice that it replaces.
REPLACEMENT_FOR: Final = "kueue.x-k8s.io/workload-slice-replacement-for"


def is_elastic(workload: Workload) -> bool:
    """Tell whether the job of a workload is elastic."""
    return workload.metadata.annotations.get(ELASTIC_JOB) == "true"


def is_slice(workload: Workload) -> bool:
    """Tell whether a workload is a slice of an elastic job that its controller looks after."""
    return is_elastic(workload) and WORKLOAD_SLICE_NAME in workload.metadata.annotations


def job_of(workload: Workload) -> str:
    """Return the ``namespace/name`` of the job that controls a workload; ``""`` if none does."""
    for owner in workload.metadata.owner_references:
        if owner.controller:
            return f"{workload.namespace}/{owner.name}"
    return ""


def next_slice_name(workload: Workload, known: Container[str]) -> str:
    """Return the name of the next slice of a job, which no workload of ``known`` keys has.

    Kueue hashes the generation of the job into it; here slices are counted.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> first = Workload(ObjectMeta("a", "default", annotations={WORKLOAD_SLICE_NAME: "a"}))
    >>> next_slice_name(first, {"default/a", "default/a-2"})
    'a-3'
    """
    meta = workload.metadata
    name = meta.annotations.get(WORKLOAD_SLICE_NAME, meta.name)
    numbered = (f"{name}-{number}" for number in count(2))
    return next(each for each in numbered if f"{meta.namespace}/{each}" not in known)


def replacement_for(workload: Workload) -> str:
    """Return the key of the slice that a workload replaces; ``""`` if it replaces none.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> meta = ObjectMeta("a-2", annotations={REPLACEMENT_FOR: "default/a-1"})
    >>> replacement_for(Workload(meta))
    'default/a-1'
    >>> replacement_for(Workload(ObjectMeta("b")))
    ''
    """
    annotations = workload.metadata.annotations
    return annotations.get(REPLACEMENT_FOR, "") if annotations else ""


def pod_counts(pod_sets: Iterable[PodSet]) -> dict[str, int]:
    """Return how many pods each pod set has."""
    return {pod_set.name: pod_set.count for pod_set in pod_sets}


def only_shrinks(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Tell whether some pod set gets smaller, and none larger.

    Examples
    --------
    >>> only_shrinks({"driver": 1, "worker": 4}, {"driver": 1, "worker": 2})
    True
    >>> only_shrinks({"driver": 1, "worker": 4}, {"driver": 2, "worker": 2})
    False
    """
    changes = [after.get(name, count) - count for name, count in before.items()]
    return min(changes, default=0) < 0 and max(changes) <= 0
