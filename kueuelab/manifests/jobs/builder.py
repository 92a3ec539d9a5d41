"""From drafts of pod sets to Workloads: what all integrations do the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.names import workload_name
from kueuelab.manifests.jobs.priority import workload_priority
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import Template, decode_template, read_template
from kueuelab.manifests.jobs.topology import topology_request
from kueuelab.manifests.server.names import label_value
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message
from kueuelab.model import FeatureGates, ObjectMeta, OwnerReference, PodSet, Release, Workload

__all__ = [
    "PodSetDraft",
    "build_pod_set",
    "build_pod_sets",
    "build_workload",
    "draft",
    "most_pod_sets",
    "name_for",
]


@dataclass(frozen=True, slots=True)
class PodSetDraft:
    """A pod set before its template is decoded.

    ``field`` is where the template was written; the template itself may differ from it
    by what operators and webhooks add.
    """

    name: str
    count: int
    template: Template
    field: Field
    min_count: int | None = None
    pod_index_label: str | None = None
    sub_group_index_label: str | None = None
    sub_group_count: int | None = None


def draft(
    name: str,
    count: int,
    field: Field,
    *,
    pod_index_label: str | None = None,
    sub_group_index_label: str | None = None,
    sub_group_count: int | None = None,
) -> PodSetDraft:
    """Return the draft of a pod set whose template is used as it was written."""
    return PodSetDraft(
        name,
        count,
        read_template(field),
        field,
        pod_index_label=pod_index_label,
        sub_group_index_label=sub_group_index_label,
        sub_group_count=sub_group_count,
    )


def build_pod_set(item: PodSetDraft, gates: FeatureGates) -> PodSet:
    """Return the pod set of a draft. Names of pod sets are lower case."""
    request = None
    if gates["TopologyAwareScheduling"]:
        request = topology_request(
            item.template["metadata"]["annotations"],
            item.field["metadata"],
            pod_index_label=item.pod_index_label,
            sub_group_index_label=item.sub_group_index_label,
            sub_group_count=item.sub_group_count,
            multi_layer=gates["TASMultiLayerTopology"],
        )
    return PodSet(
        name=item.name.lower(),
        count=item.count,
        min_count=item.min_count if gates["PartialAdmission"] else None,
        template=decode_template(item.template, item.field),
        topology_request=request,
    )


def most_pod_sets(release: Release) -> int:
    """Return how many pod sets a Workload may have.

    Examples
    --------
    >>> from kueuelab.model import release_named
    >>> most_pod_sets(release_named("v0.18")), most_pod_sets(release_named("v0.19"))
    (10, 18)
    """
    spec = record_of(release.api_version, "WorkloadSpec", release)
    most = spec.fields["podSets"].shape.most
    assert most is not None
    return most


def build_pod_sets(job: Job, drafts: Sequence[PodSetDraft]) -> tuple[PodSet, ...]:
    """Return the pod sets of a job, at most as many as a Workload may have."""
    most = most_pod_sets(job.gates.release)
    if len(drafts) > most:
        job.spec.problem(
            f"Too many: {len(drafts)}: must have at most {most} items",
            Message("manifests.builder.too-many-pod-sets.hint"),
        )
    return tuple(build_pod_set(item, job.gates) for item in drafts)


def name_for(job: Job, *, name: str = "", uid: str = "", extra: str = "") -> str:
    """Return the name of a job's Workload; ``name`` and ``uid`` are the job's by default."""
    return workload_name(
        job.kind.group,
        job.kind.kind,
        name or job.name,
        uid or job.uid,
        extra=extra,
        short=job.gates["ShortWorkloadNames"],
    )


def build_workload(
    job: Job,
    pod_sets: tuple[PodSet, ...],
    cluster_context: ClusterContext,
    *,
    name: str,
    own_priority_class: str | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    owners: tuple[OwnerReference, ...] | None = None,
) -> Workload:
    """Return the Workload of a job.

    Parameters
    ----------
    job : Job
        The job, or the pod that speaks for its group.
    pod_sets : tuple of PodSet
        What it runs.
    cluster_context : ClusterContext
        Where priority classes are looked up.
    name : str
        The Workload's name.
    own_priority_class : str, optional
        The PriorityClass that the job itself names, for kinds that have such a field.
    labels : mapping, optional
        Instead of the labels that Kueue is configured to copy and the job's uid.
    annotations : mapping, optional
        What the integration adds.
    owners : tuple of OwnerReference, optional
        Instead of the job as the controller.
    """
    reference, priority = workload_priority(job, pod_sets, cluster_context, own_priority_class)
    all_annotations = _annotations(job)
    if job.elastic:
        all_annotations[constants.ELASTIC_JOB] = "true"
        all_annotations[constants.WORKLOAD_SLICE_NAME] = name
    all_annotations.update(annotations or {})
    return Workload(
        ObjectMeta(
            name=name,
            namespace=job.namespace,
            labels=_labels(job, cluster_context) if labels is None else labels,
            annotations=all_annotations,
            creation_timestamp=job.created,
            owner_references=(job.reference(),) if owners is None else owners,
        ),
        pod_sets=pod_sets,
        queue_name=job.queue_name,
        priority=priority,
        priority_class_ref=reference,
        maximum_execution_time_seconds=_maximum_execution_time(job),
    )


def _labels(job: Job, cluster_context: ClusterContext) -> dict[str, str]:
    labels = copied_labels(job.labels, cluster_context)
    if not label_value(job.uid):
        labels[constants.JOB_UID] = job.uid
    return labels


def copied_labels(labels: Mapping[str, str], cluster_context: ClusterContext) -> dict[str, str]:
    """Return those of ``labels`` that Workloads take over from their jobs."""
    return {key: labels[key] for key in cluster_context.copied_labels if key in labels}


def _annotations(job: Job) -> dict[str, str]:
    """Return the annotations that every Workload takes over."""
    annotations = {
        key: value
        for key, value in job.annotations.items()
        if key.startswith(constants.PROVISIONING_PREFIX)
    }
    gated_by = job.annotations.get(constants.ADMISSION_GATED_BY, "")
    if gated_by and job.gates["AdmissionGatedBy"]:
        annotations[constants.ADMISSION_GATED_BY] = gated_by
    return annotations


def _maximum_execution_time(job: Job) -> int | None:
    text = job.labels.get(constants.MAX_EXEC_TIME)
    if text is None or not text.lstrip("+").isdecimal():
        return None
    seconds = int(text)
    return seconds if 0 < seconds < 2**31 else None
