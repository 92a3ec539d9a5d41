"""Where a Workload's priority comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.messages import Message
from kueuelab.model import PodSet, PriorityClassRef

__all__ = ["pod_priority", "workload_priority"]

_WORKLOAD_CLASS: Final = ("kueue.x-k8s.io", "WorkloadPriorityClass")
_POD_CLASS: Final = ("scheduling.k8s.io", "PriorityClass")
# Every cluster has these two.
_SYSTEM_CLASSES: Final[Mapping[str, int]] = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}


def workload_priority(
    job: Job,
    pod_sets: Sequence[PodSet],
    cluster_context: ClusterContext,
    own_class: str | None = None,
) -> tuple[PriorityClassRef | None, int]:
    """Return the class that a Workload's priority comes from, and the priority.

    The WorkloadPriorityClass that the job's label names comes first. Then the
    PriorityClass that the job names (``own_class``, for kinds that have such a field)
    or, for other kinds, the first that a pod set names. Then the global default.
    """
    if name := job.labels.get(constants.PRIORITY_CLASS, ""):
        found = cluster_context.workload_priority_class(name)
        if found is None:
            job.root["metadata"]["labels"].key(constants.PRIORITY_CLASS).problem(
                _not_found(job, name),
                Message("manifests.priority.no-workload-priority-class.hint", name=name),
            )
        return PriorityClassRef(*_WORKLOAD_CLASS, name), found.value if found else 0
    if own_class is None:
        names = (pod_set.template.spec.priority_class_name for pod_set in pod_sets)
        own_class = next((name for name in names if name), "")
    if not own_class:
        return _default(cluster_context)
    value = pod_priority(own_class, cluster_context)
    if value is None:
        value = _resolved_earlier(own_class, pod_sets)
    if value is None:
        job.root.problem(
            Message("errors.unknown", kind="PriorityClass", name=own_class),
            Message("manifests.priority.no-priority-class.hint", own_class=own_class),
        )
    return PriorityClassRef(*_POD_CLASS, own_class), value or 0


def _not_found(job: Job, name: str) -> Message:
    message = Message("errors.unknown", kind="WorkloadPriorityClass", name=name)
    if job.gates.release.tells_of_missing_class:
        return Message("manifests.priority.no-workload-priority-class.event", message=message)
    return message


def _default(cluster_context: ClusterContext) -> tuple[PriorityClassRef | None, int]:
    default = cluster_context.default_priority_class()
    if default is None:
        return None, 0
    return PriorityClassRef(*_POD_CLASS, default.metadata.name), default.value


def _resolved_earlier(name: str, pod_sets: Sequence[PodSet]) -> int | None:
    """Return the value that a cluster has already written next to the class's name."""
    for pod_set in pod_sets:
        spec = pod_set.template.spec
        if spec.priority_class_name == name and spec.priority is not None:
            return spec.priority
    return None


def pod_priority(name: str, cluster_context: ClusterContext) -> int | None:
    """Return what a PriorityClass stands for, ``None`` where it is unknown."""
    found = cluster_context.priority_class(name)
    return found.value if found is not None else _SYSTEM_CLASSES.get(name)
