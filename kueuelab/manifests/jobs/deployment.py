"""apps/v1 Deployment: each of its pods is a Workload of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import ClusterContext, controller_of
from kueuelab.manifests.jobs.job import Job, read_job
from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.jobs.pod import pod_workload
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import read_template
from kueuelab.messages import Message
from kueuelab.model import Workload

__all__ = ["deployment_workloads", "has_pods", "pods_of"]

_PARENT: Final = "deployment"
_POD: Final = JOB_KINDS["", "Pod"]
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def deployment_workloads(job: Job, cluster_context: ClusterContext) -> list[Workload]:
    """Return a Workload per replica, unless the pods are among the manifests themselves."""
    if has_pods(job, cluster_context):
        job.report.note(Message("manifests.deployment.pods-in-manifests"))
        return []
    replicas = job.spec["replicas"].count(1)
    if not replicas:
        return []
    job.report.note(Message("manifests.deployment.numbered-pods"))
    labels = {constants.MANAGED: "true"}
    for name in (constants.QUEUE_NAME, constants.PRIORITY_CLASS):
        if value := job.labels.get(name, ""):
            labels[name] = value
    annotations = {constants.SUSPENDED_BY_PARENT: _PARENT}
    pods = pods_of(job, replicas, labels, annotations)
    return [pod_workload(pod, cluster_context) for pod in pods]


def has_pods(job: Job, cluster_context: ClusterContext) -> bool:
    """Tell whether a pod of this Deployment or StatefulSet is among the manifests."""
    return any(_is_of(pod, job) for pod in cluster_context.all("Pod", job.namespace))


def _is_of(pod: Mapping[str, Any], job: Job) -> bool:
    owner = controller_of(pod)
    if owner is None:
        return False
    if owner.kind == job.kind.kind:
        return owner.name == job.name
    # A ReplicaSet's name is that of its Deployment and a hash.
    return owner.kind == "ReplicaSet" and owner.name.rpartition("-")[0] == job.name


def pods_of(
    job: Job,
    replicas: int,
    labels: Mapping[str, str] = _NOTHING,
    annotations: Mapping[str, str] = _NOTHING,
) -> Iterator[Job]:
    """Yield the pods that a job's template makes, with the labels and annotations Kueue adds."""
    field = job.spec["template"]
    template = read_template(field)
    labels = {**template["metadata"]["labels"], **labels}
    annotations = {**template["metadata"]["annotations"], **annotations}
    for index in range(replicas):
        metadata: dict[str, Any] = {
            "name": f"{job.name}-{index}",
            "namespace": job.namespace,
            "labels": labels,
            "annotations": annotations,
        }
        if job.root["metadata"]["creationTimestamp"].present:
            metadata["creationTimestamp"] = job.root["metadata"]["creationTimestamp"].value
        pod = read_job(
            {"metadata": metadata, "spec": template["spec"]},
            _POD,
            job.gates,
            default_namespace=job.namespace,
        )
        yield _reporting_to(pod, field)


def _reporting_to(pod: Job, template: Field) -> Job:
    """Return the pod, reporting mistakes where the template was written."""
    return replace(pod, root=Field(pod.root.value, template.path, template.report))
