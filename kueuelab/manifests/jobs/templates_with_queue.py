"""Pod templates that name a queue which their owner does not name: pods that Kueue queues alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.deployment import has_pods, pods_of
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.jobs.pod import pod_workload
from kueuelab.messages import Message
from kueuelab.model import Workload

__all__ = ["pods_with_queue", "queue_names_in"]

#: Kinds whose pods are as many as ``replicas`` says, from the first moment on.
_REPLICATED: Final = ("Deployment", "StatefulSet")
#: Manifests nest less deep.
_DEEPEST: Final = 24


def pods_with_queue(job: Job, cluster_context: ClusterContext) -> list[Workload] | None:
    """Return the Workloads of the pods of a job that is not managed, if its template names a queue.

    Kueue manages pods that have the label, whatever made them (its integration ``pod``).
    ``None`` where the template names no queue, or Kueue manages no pods. For kinds that make
    their pods one after the other this is said, and there are no Workloads.
    """
    queues = sorted(set(queue_names_in(job.spec.value)))
    if job.kind.kind == "Pod" or not queues:
        return None
    if not cluster_context.framework_enabled(JOB_KINDS["", "Pod"]):
        return None
    if not cluster_context.namespace_is_managed(job.namespace):
        return None
    template = job.spec.at("template", "metadata", "labels").mapping()
    made = job.kind.kind in _REPLICATED and constants.QUEUE_NAME in template
    form = "pods-of-template" if made else "pods-of-template.left-out"
    values = {"kind": job.kind.kind, "queues": ", ".join(queues), "label": constants.QUEUE_NAME}
    job.report.caution(Message(f"manifests.management.{form}", **values))
    if not made:
        return []
    if has_pods(job, cluster_context):
        job.report.note(Message("manifests.deployment.pods-in-manifests"))
        return []
    replicas = job.spec["replicas"].count(1)
    return [pod_workload(pod, cluster_context) for pod in pods_of(job, replicas)]


def queue_names_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the queues that labels name, at any depth of a manifest or a part of one.

    Examples
    --------
    >>> template = {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "team-a"}}}
    >>> list(queue_names_in({"jobTemplate": {"spec": {"template": template}}}))
    ['team-a']
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        labels = value.get("labels")
        if isinstance(labels, Mapping) and (queue := labels.get(constants.QUEUE_NAME)):
            yield str(queue)
        for part in value.values():
            yield from queue_names_in(part, depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from queue_names_in(part, depth + 1)
