"""KubeRay's RayCluster, RayJob and RayService."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.builder import PodSetDraft, draft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import Template, add_gate
from kueuelab.messages import Message
from kueuelab.quantity import Quantity

__all__ = ["pod_sets", "uses_existing_cluster", "validate", "workload_name_extra"]

_HEAD: Final = "head"
_SUBMITTER: Final = "submitter"
_SUBMITTER_CONTAINER: Final = "ray-job-submitter"
_FAULT_TOLERANCE: Final = "ray.io/ft-enabled"
_CLUSTER_GENERATION: Final = "kueue.x-k8s.io/raycluster-generation"
_K8S_JOB_MODE: Final = "K8sJobMode"

# What KubeRay gives to the containers that it adds, where the user says nothing.
_SUBMITTER_RESOURCES: Final = {
    "limits": {"cpu": "1", "memory": "1Gi"},
    "requests": {"cpu": "500m", "memory": "200Mi"},
}
_AUTOSCALER_RESOURCES: Final = {
    "limits": {"cpu": "500m", "memory": "512Mi"},
    "requests": {"cpu": "500m", "memory": "512Mi"},
}
_REDIS_CLEANUP_REQUESTS: Final[Mapping[str, str]] = MappingProxyType(
    {"cpu": "200m", "memory": "256Mi"}
)


def _cluster_spec(job: Job) -> Field:
    match job.kind.kind:
        case "RayJob":
            return job.spec["rayClusterSpec"]
        case "RayService":
            return job.spec["rayClusterConfig"]
    return job.spec


def uses_existing_cluster(job: Job) -> bool:
    """Tell whether a RayJob runs in a cluster that is already there; Kueue leaves it alone."""
    return (
        job.kind.kind == "RayJob"
        and bool(job.spec["clusterSelector"].mapping())
        and not job.spec["rayClusterSpec"].present
    )


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return the head, the worker groups, and the submitter of a RayJob."""
    cluster = _cluster_spec(job)
    head = _head(job, cluster)
    drafts = [head, *(_workers(job, group) for group in cluster["workerGroupSpecs"].items())]
    if job.kind.kind == "RayJob":
        match job.spec["submissionMode"].text(_K8S_JOB_MODE):
            case "K8sJobMode":
                drafts.append(_submitter(job, head.template))
            case "SidecarMode":
                _append_container(head.template, _SUBMITTER_CONTAINER, _SUBMITTER_RESOURCES)
    return drafts


def _head(job: Job, cluster: Field) -> PodSetDraft:
    head = draft(_HEAD, 1, cluster.at("headGroupSpec", "template"))
    if _fault_tolerant(job, cluster):
        _account_for_redis_cleanup(head.template)
    if cluster["enableInTreeAutoscaling"].flag():
        chosen = cluster["autoscalerOptions"]["resources"]
        resources = chosen.mapping() if chosen.present else _AUTOSCALER_RESOURCES
        _append_container(head.template, "autoscaler", resources)
    if job.elastic and job.kind.kind == "RayCluster":
        add_gate(head.template["spec"], constants.ELASTIC_JOB_GATE)
    return head


def _workers(job: Job, group: Field) -> PodSetDraft:
    """Return a worker group: each replica has as many pods as hosts."""
    if not group["replicas"].present:
        job.report.note(Message("manifests.ray.no-replicas", text=group["groupName"].text()))
    count = group["replicas"].count(0) * max(group["numOfHosts"].count(1), 1)
    item = draft(group["groupName"].text(), count, group["template"])
    if job.elastic and job.kind.kind == "RayCluster":
        add_gate(item.template["spec"], constants.ELASTIC_JOB_GATE)
    return item


def _submitter(job: Job, head: Template) -> PodSetDraft:
    field = job.spec["submitterPodTemplate"]
    if field.present:
        return draft(_SUBMITTER, 1, field)
    containers = head["spec"].get("containers") or [{}]
    template: Template = {
        "metadata": {"labels": {}, "annotations": {}},
        "spec": {
            "containers": [
                {
                    "name": _SUBMITTER_CONTAINER,
                    "image": containers[0].get("image", ""),
                    "resources": _SUBMITTER_RESOURCES,
                }
            ],
            "restartPolicy": "Never",
        },
    }
    return PodSetDraft(_SUBMITTER, 1, template, field)


def _append_container(template: Template, name: str, resources: Mapping[str, Any]) -> None:
    template["spec"].setdefault("containers", []).append({"name": name, "resources": resources})


def _fault_tolerant(job: Job, cluster: Field) -> bool:
    annotated = job.annotations.get(_FAULT_TOLERANCE, "").lower() == "true"
    return annotated or cluster["gcsFaultToleranceOptions"].present


def _account_for_redis_cleanup(head: Template) -> None:
    """Let the head request at least what KubeRay's cleanup of Redis will need."""
    containers = head["spec"].get("containers")
    if not containers:
        return
    resources = containers[0].setdefault("resources", {})
    requests = resources["requests"] = dict(resources.get("requests") or {})
    for name, least in _REDIS_CLEANUP_REQUESTS.items():
        if name not in requests or Quantity.parse(requests[name]) < Quantity.parse(least):
            requests[name] = least


def validate(job: Job) -> None:
    """Report what Kueue's webhooks reject in Ray's kinds."""
    if job.kind.kind == "RayJob" and not _check_ray_job(job):
        return
    cluster = _cluster_spec(job)
    if cluster["enableInTreeAutoscaling"].flag() and not job.elastic:
        cluster["enableInTreeAutoscaling"].problem(_autoscaling_message(job))
    for group in cluster["workerGroupSpecs"].items():
        if group["groupName"].text() == _HEAD:
            group["groupName"].problem(f'Forbidden: "{_HEAD}" is reserved for the head group')


def _autoscaling_message(job: Job) -> str:
    if job.kind.kind == "RayCluster":
        return (
            "Invalid value: true: a kueue-managed RayCluster can use autoscaling only as an "
            "elastic job: enable the ElasticJobsViaWorkloadSlices feature gate and set the "
            f'"{constants.ELASTIC_JOB}": "true" annotation'
        )
    return (
        "Invalid value: true: a kueue managed job should only use autoscaling when workload "
        "slicing is enabled"
    )


def _check_ray_job(job: Job) -> bool:
    """Check what only a RayJob has; tell whether it is worth looking further."""
    cluster, selector = job.spec["rayClusterSpec"], job.spec["clusterSelector"]
    if selector.mapping():
        selector.problem(
            f"Invalid value: {dict(selector.mapping())}: "
            "a kueue managed job should not use an existing cluster"
        )
        return False
    if not cluster.present:
        cluster.problem(
            "Required value: rayClusterSpec is required for Kueue-managed jobs that don't "
            "use clusterSelector"
        )
        return False
    if not job.spec["shutdownAfterJobFinishes"].flag():
        job.spec["shutdownAfterJobFinishes"].problem(
            "Invalid value: false: a kueue managed job should delete the cluster after finishing",
            Message("manifests.ray.must-be-true.hint"),
        )
    return True


def workload_name_extra(job: Job) -> str:
    """Return what the name of an elastic job's Workload hashes besides the job."""
    extra = str(job.generation)
    if job.kind.kind != "RayCluster" and (cluster := job.annotations.get(_CLUSTER_GENERATION, "")):
        extra += f"_{cluster}"
    return extra
