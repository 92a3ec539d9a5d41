"""StatefulSet and LeaderWorkerSet: Workloads that are made before their pods are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.builder import (
    PodSetDraft,
    build_pod_sets,
    build_workload,
    copied_labels,
    draft,
    name_for,
)
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.messages import verbatim
from kueuelab.model import Workload
from kueuelab.model.topology import WORKER_INDEX

__all__ = ["leader_worker_set_workloads", "managed_by_another_framework", "stateful_set_workloads"]

_POD_INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"
_WORKER_INDEX_LABEL: Final = WORKER_INDEX
_LWS_PREFIX: Final = "leaderworkerset.sigs.k8s.io"
_LWS_NAME: Final = "leaderworkerset.sigs.k8s.io/name"
_LWS_MOST_REPLICAS: Final = 1_000_000
_STATEFUL_SET: Final = "statefulset"


def managed_by_another_framework(job: Job) -> str:
    """Return the framework that suspends a StatefulSet's pods, if it isn't its own."""
    annotations = job.spec.at("template", "metadata", "annotations").mapping()
    parent = str(annotations.get(constants.SUSPENDED_BY_PARENT) or "")
    return "" if parent == _STATEFUL_SET else parent


def stateful_set_workloads(job: Job, cluster_context: ClusterContext) -> list[Workload]:
    """Return the one Workload of a StatefulSet, none where it has no replicas."""
    replicas = job.spec["replicas"].count(1)
    if replicas == 0 or _is_remote(job):
        return []
    item = draft("main", replicas, job.spec["template"], pod_index_label=_POD_INDEX_LABEL)
    pod_sets = tuple(
        replace(pod_set, template=replace(pod_set.template, labels={}, annotations={}))
        for pod_set in build_pod_sets(job, [item])
    )
    return [
        build_workload(
            job,
            pod_sets,
            cluster_context,
            name=name_for(job, uid=_owner_uid(job)),
            labels={constants.JOB_UID: job.uid},
            annotations=_group_annotations(job),
            owners=(job.reference(controller=False),),
        )
    ]


def leader_worker_set_workloads(job: Job, cluster_context: ClusterContext) -> list[Workload]:
    """Return a Workload per group of a leader and its workers."""
    replicas = job.spec["replicas"].integer(1)
    if not 0 <= replicas <= _LWS_MOST_REPLICAS:
        bound = (
            verbatim("must be >= 0")
            if replicas < 0
            else verbatim(f"must be <= {_LWS_MOST_REPLICAS}")
        )
        job.spec["replicas"].problem(
            f"Invalid value: {replicas}: invalid LeaderWorkerSet replicas: {bound}, got {replicas}"
        )
        return []
    if replicas == 0 or _is_remote(job):
        return []
    pod_sets = build_pod_sets(job, _leader_and_workers(job))
    labels = {**copied_labels(job.labels, cluster_context), constants.JOB_UID: job.uid}
    first = build_workload(
        job,
        pod_sets,
        cluster_context,
        name="",
        labels=labels,
        annotations=_group_annotations(job),
        owners=(job.reference(controller=False),),
    )
    return [_group(first, job, index) for index in range(replicas)]


def _group(workload: Workload, job: Job, index: int) -> Workload:
    """Return the Workload of one group; groups differ in name and index alone."""
    metadata = replace(
        workload.metadata,
        name=name_for(job, name=f"{job.name}-{index}", uid=_owner_uid(job)),
        annotations={**workload.metadata.annotations, constants.COMPONENT_INDEX: str(index)},
    )
    return replace(workload, metadata=metadata)


def _leader_and_workers(job: Job) -> Sequence[PodSetDraft]:
    """Return the pod sets of a group; without a leader template all pods are the same."""
    group = job.spec["leaderWorkerTemplate"]
    size = group["size"].count(1)
    leader = group["leaderTemplate"]
    if not leader.present:
        workers = draft("main", size, group["workerTemplate"], pod_index_label=_WORKER_INDEX_LABEL)
        return [_as_defaulted(workers, job, offset=False)]
    workers = draft(
        "worker", max(size - 1, 0), group["workerTemplate"], pod_index_label=_WORKER_INDEX_LABEL
    )
    return [
        _as_defaulted(draft("leader", 1, leader), job, offset=False),
        _as_defaulted(workers, job, offset=True),
    ]


def _as_defaulted(item: PodSetDraft, job: Job, *, offset: bool) -> PodSetDraft:
    """Label a template as Kueue's webhook does; what LeaderWorkerSet adds is left out."""
    labels, annotations = (item.template["metadata"][name] for name in ("labels", "annotations"))
    for entries in (labels, annotations):
        for name in [name for name in entries if name.startswith(_LWS_PREFIX)]:
            if name != _LWS_NAME:
                del entries[name]
    for name in (constants.QUEUE_NAME, constants.PRIORITY_CLASS):
        if value := job.labels.get(name, ""):
            labels[name] = value
    annotations[constants.SUSPENDED_BY_PARENT] = job.kind.framework
    annotations[constants.POD_GROUP_SERVING] = "true"
    grouped = constants.POD_SET_GROUP in annotations
    if offset and not grouped and job.gates["TopologyAwareScheduling"]:
        annotations[constants.POD_INDEX_OFFSET] = "1"  # the leader has index 0
    return item


def _group_annotations(job: Job) -> dict[str, str]:
    return {
        constants.IS_GROUP_WORKLOAD: "true",
        constants.JOB_OWNER_GVK: job.kind.gvk,
        constants.JOB_OWNER_NAME: job.name,
    }


def _is_remote(job: Job) -> bool:
    """Tell whether the job is MultiKueue's copy, whose Workload is MultiKueue's too."""
    return constants.MULTIKUEUE_ORIGIN in job.labels


def _owner_uid(job: Job) -> str:
    if _is_remote(job):
        return job.annotations.get(constants.MULTIKUEUE_ORIGIN_UID, job.uid)
    return job.uid
