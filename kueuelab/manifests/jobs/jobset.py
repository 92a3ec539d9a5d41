"""jobset.x-k8s.io JobSet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kueuelab.manifests.jobs.batch_job import completion_index_label, pod_count
from kueuelab.manifests.jobs.builder import PodSetDraft, draft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.reading import Field
from kueuelab.messages import Message
from kueuelab.model import ReclaimablePod

__all__ = ["job_index_label", "pod_sets", "reclaimable_pods", "replicated_job_pod_sets"]

#: The label that holds a Job's index within its replicated job.
job_index_label: Final = "jobset.sigs.k8s.io/job-index"


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return one pod set per replicated job."""
    return replicated_job_pod_sets(job.spec)


def replicated_job_pod_sets(spec: Field) -> list[PodSetDraft]:
    """Return the pod sets of a JobSet's spec."""
    drafts = []
    for replicated in spec["replicatedJobs"].items():
        template = replicated["template"]["spec"]
        replicas = replicated["replicas"].count(1)
        drafts.append(
            draft(
                replicated["name"].text(),
                replicas * pod_count(template),
                template["template"],
                pod_index_label=completion_index_label,
                sub_group_index_label=job_index_label,
                sub_group_count=replicas,
            )
        )
    if not drafts:
        spec["replicatedJobs"].problem("Required value", Message("manifests.jobset.no-jobs.hint"))
    return drafts


def reclaimable_pods(job: Job) -> tuple[ReclaimablePod, ...]:
    """Return the pods of replicated jobs that have succeeded."""
    succeeded: Mapping[str, int] = {
        status["name"].text(): status["succeeded"].count(0)
        for status in job.status["replicatedJobsStatus"].items()
    }
    result = []
    for replicated in job.spec["replicatedJobs"].items():
        name = replicated["name"].text()
        if 0 < succeeded.get(name, 0) <= replicated["replicas"].count(1):
            count = succeeded[name] * pod_count(replicated["template"]["spec"])
            result.append(ReclaimablePod(name.lower(), count))
    return tuple(result)
