"""The jobs that a timeline has submitted so far: which are there, and how many pods succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kueuelab.model import Workload

__all__ = ["JobChange", "SubmittedJobs", "change_between"]


class JobChange(NamedTuple):
    """What a second manifest of a job changes; ``None`` leaves each as it is."""

    pods: int | None = None
    queue: str | None = None
    priority_class: str | None = None


class _Size(NamedTuple):
    parallelism: int
    completions: int


@dataclass(slots=True)
class SubmittedJobs:
    """Keeps the jobs by the keys of their workloads.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, PodSet
    >>> jobs, wide = SubmittedJobs(), Workload(ObjectMeta("w", "default"), (PodSet("main", 4),))
    >>> jobs.add(wide, {"spec": {"parallelism": 6, "completions": 4}})
    >>> jobs.reclaimable("default/w", succeeded=1), jobs.reclaimable("default/w", succeeded=3)
    (3, None)
    """

    _sizes: dict[str, _Size]
    _succeeded: dict[str, int]

    def __init__(self) -> None:
        self._sizes = {}
        self._succeeded = {}

    def __contains__(self, key: str) -> bool:
        """Tell whether a job is there: submitted, and not deleted since."""
        return key in self._sizes

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def add(self, workload: Workload, manifest: Mapping[str, Any] | None = None) -> None:
        """Take a job, with the manifest if it has one."""
        count = sum(pods.count for pods in workload.pod_sets[:1])
        spec = (manifest or {}).get("spec") or {}
        parallelism = spec.get("parallelism", count)
        self._sizes[workload.key] = _Size(parallelism, spec.get("completions") or parallelism)
        self._succeeded.pop(workload.key, None)

    def remove(self, key: str) -> None:
        """Take note that a job was deleted."""
        self._sizes.pop(key, None)

    def succeed(self, key: str, pods: int) -> int:
        """Note that more pods have succeeded; return how many have by now."""
        self._succeeded[key] = self._succeeded.get(key, 0) + pods
        return self._succeeded[key]

    def completions(self, key: str) -> int:
        """Return how many pods of a job have to succeed."""
        return self._sizes[key].completions

    def reclaimable(self, key: str, succeeded: int) -> int | None:
        """Return how many pods Kueue takes as done; ``None`` if it changes nothing.

        That is parallelism less the pods still to succeed, also where parallelism is larger than
        completions: then running pods lose their quota too (kueue#16132, fixed in v0.19.6). More
        than the workload has pods is refused by Kueue's webhook. See KEP-78.
        """
        parallelism, completions = self._sizes[key]
        left = max(completions - succeeded, 0)
        found = parallelism - left
        if parallelism <= 1 or not 0 < found <= min(parallelism, completions):
            return None
        return found


def change_between(before: Workload, after: Workload) -> JobChange | None:
    """Return what a second manifest changes; ``None`` if a job can't be changed so."""
    first, count = before.pod_sets[:1], [pods.count for pods in after.pod_sets[:1]]
    resized = (*(replace(pods, count=count[0]) for pods in first), *before.pod_sets[1:])
    if len(count) != len(first) or resized != after.pod_sets:
        return None
    reference = after.priority_class_ref
    changed = reference is not None and reference != before.priority_class_ref
    return JobChange(
        count[0] if count[0] != first[0].count else None,
        after.queue_name if after.queue_name != before.queue_name else None,
        reference.name if reference is not None and changed else None,
    )
