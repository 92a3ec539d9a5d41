"""Plain pods: a single pod is a Workload of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.builder import PodSetDraft, build_pod_sets, build_workload, name_for
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.priority import pod_priority
from kueuelab.manifests.jobs.role_hash import role_hash
from kueuelab.manifests.jobs.templates import Template, add_gate, read_pod_spec
from kueuelab.model import Workload

__all__ = ["group_name", "pod_draft", "pod_workload", "role_of", "runs_within_parent"]

#: Integrations whose pods use the Workload that their parent made.
_PARENTS_WITH_WORKLOAD: Final = ("statefulset", "leaderworkerset.x-k8s.io/leaderworkerset")


def group_name(job: Job) -> str:
    """Return the pod group that a pod belongs to; empty where it belongs to none."""
    if job.gates["WorkloadIdentifierAnnotations"] and (
        name := job.annotations.get(constants.POD_GROUP_NAME, "")
    ):
        return name
    return job.labels.get(constants.POD_GROUP_NAME, "")


def runs_within_parent(job: Job) -> bool:
    """Tell whether a pod runs in the Workload that its parent has made."""
    return job.annotations.get(constants.SUSPENDED_BY_PARENT) in _PARENTS_WITH_WORKLOAD


def pod_draft(
    job: Job, name: str, count: int, annotations: Mapping[str, str] | None = None
) -> PodSetDraft:
    """Return the pod set of pods like this one.

    The template has the pod's spec, gated as Kueue's webhook leaves it, and nothing of
    its metadata; annotations are read for the topology request alone.
    """
    spec = read_pod_spec(job.spec)
    if constants.ROLE_HASH in job.annotations:
        spec.pop("nodeName", None)  # it was gated: the scheduler chose the node later
    add_gate(spec, constants.ADMISSION_GATE)
    if job.gates["TopologyAwareScheduling"]:
        add_gate(spec, constants.TOPOLOGY_GATE)
    template: Template = {
        "metadata": {"labels": {}, "annotations": dict(job.annotations)},
        "spec": spec,
    }
    return PodSetDraft(
        name, count, template, job.root, pod_index_label=constants.POD_GROUP_POD_INDEX
    )


def pod_workload(job: Job, cluster_context: ClusterContext) -> Workload:
    """Return the Workload of a single pod."""
    pod_sets = tuple(
        replace(pod_set, template=replace(pod_set.template, annotations={}))
        for pod_set in build_pod_sets(job, [pod_draft(job, "main", 1)])
    )
    return build_workload(job, pod_sets, cluster_context, name=name_for(job))


def role_of(job: Job, cluster_context: ClusterContext) -> str:
    """Return the role of a pod in its group."""
    if known := job.annotations.get(constants.ROLE_HASH, ""):
        return known
    spec: dict[str, Any] = read_pod_spec(job.spec)
    runtime_class = cluster_context.runtime_class(str(spec.get("runtimeClassName") or ""))
    overhead = {
        name: str(quantity)
        for name, quantity in (runtime_class.overhead if runtime_class else {}).items()
    }
    return role_hash(spec, priority=_priority(spec, cluster_context), overhead=overhead)


def _priority(spec: Mapping[str, Any], cluster_context: ClusterContext) -> int:
    if name := str(spec.get("priorityClassName") or ""):
        return pod_priority(name, cluster_context) or 0
    default = cluster_context.default_priority_class()
    return default.value if default is not None else 0
