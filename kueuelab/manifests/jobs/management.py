"""Which jobs Kueue manages, and which run within the Workload of another job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import (
    ClusterContext,
    controller_of,
    labels_of,
    metadata_of,
)
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.kinds import JobKind, kind_of_reference
from kueuelab.messages import Message
from kueuelab.model import OwnerReference

__all__ = ["Ancestor", "Management", "find_ancestor", "management", "with_defaults"]

#: Kueue walks up at most this many owners.
_OWNERS_CHAIN_LIMIT: Final = 10
_REPLICA_SET: Final = "ReplicaSet"
#: Kubeflow's training jobs of the first generation.
_TRAINING_V1: Final = "kubeflow.org/v1"


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The topmost owner of a job that Kueue manages. ``missing`` is one that was not read."""

    kind: str
    name: str
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Management:
    """Whether Kueue manages a job, whether the job has its own Workload, and why not."""

    managed: bool
    own_workload: bool
    why: str = ""


_OWN_WORKLOAD: Final = Management(managed=True, own_workload=True)


def management(job: Job, cluster_context: ClusterContext) -> Management:
    """Tell whether Kueue manages a job and makes a Workload for it."""
    if not _framework_enabled(job, cluster_context):
        return _unmanaged(
            job,
            _framework_not_enabled(job, cluster_context),
        )
    if not cluster_context.namespace_is_managed(job.namespace):
        return _unmanaged(
            job,
            Message(
                "manifests.management.namespace-not-selected",
                namespace=job.namespace,
            ),
        )
    ancestor = None if _passed_the_webhook(job) else find_ancestor(job, cluster_context)
    if ancestor is not None:
        why: str = Message(
            "manifests.management.runs-within-owner", kind=ancestor.kind, name=ancestor.name
        )
        if ancestor.missing and job.queue_name:
            why = Message(
                "manifests.management.runs-within-absent", kind=ancestor.kind, name=ancestor.name
            )
        elif job.kind.kind == "Pod" or ancestor.missing:
            why = ""  # the usual case, not worth a word
        return Management(managed=True, own_workload=False, why=why)
    if not job.queue_name and not cluster_context.manages_jobs_without_queue:
        form = "annotation" if constants.QUEUE_NAME in job.annotations else "no-queue-name"
        return _unmanaged(
            job, Message(f"manifests.management.{form}", queue_name=constants.QUEUE_NAME)
        )
    return _OWN_WORKLOAD


def _framework_not_enabled(job: Job, cluster_context: ClusterContext) -> Message:
    """Say which integrations are enabled instead, and why just those."""
    configuration, framework = cluster_context.context.configuration, job.kind.framework
    if configuration.frameworks:
        return Message(
            "manifests.management.framework-not-enabled",
            framework=framework,
            enabled=", ".join(configuration.frameworks),
        )
    form = "training-v1" if job.kind.api_version == _TRAINING_V1 else "framework-not-installed"
    return Message(
        f"manifests.management.{form}",
        framework=framework,
        enabled=", ".join(configuration.enabled_frameworks),
        release=configuration.release.minor,
        version=configuration.release.version,
    )


def _unmanaged(job: Job, why: str) -> Management:
    # Most pods of a cluster were not submitted to a queue.
    meant = job.queue_name or constants.QUEUE_NAME in job.annotations
    silent = job.kind.group in ("", "apps") and not meant
    form = "suspended" if _is_suspended(job) else "runs"
    why = "" if silent else Message(f"manifests.management.not-managed.{form}", why=why)
    return Management(managed=False, own_workload=False, why=why)


def _is_suspended(job: Job) -> bool:
    """Tell whether a job starts only when its ``suspend`` is set to false."""
    return job.spec["suspend"].flag() or job.spec.at("runPolicy", "suspend").flag()


def _framework_enabled(job: Job, cluster_context: ClusterContext) -> bool:
    """Tell whether Kueue manages jobs of this kind; pods of a Deployment count with it."""
    if cluster_context.framework_enabled(job.kind):
        return True
    parent = job.annotations.get(constants.SUSPENDED_BY_PARENT)
    return job.kind.kind == "Pod" and parent in cluster_context.context.configuration.frameworks


def _passed_the_webhook(job: Job) -> bool:
    """Tell whether Kueue's webhook has already chosen to manage this pod."""
    return job.kind.kind == "Pod" and (
        constants.SUSPENDED_BY_PARENT in job.annotations
        or job.labels.get(constants.MANAGED) == "true"
    )


def find_ancestor(job: Job, cluster_context: ClusterContext) -> Ancestor | None:
    """Return the topmost owner that Kueue manages, ``None`` where there is none.

    An owner without a queue name counts only with ``manageJobsWithoutQueueName``. A
    known owner that isn't among the manifests is taken to be managed.
    """
    topmost: Ancestor | None = None
    owner = job.owner
    for _ in range(_OWNERS_CHAIN_LIMIT):
        if owner is None or not _is_known(owner, cluster_context):
            return topmost
        obj = cluster_context.find(owner.kind, job.namespace, owner.name)
        if obj is None and owner.kind == _REPLICA_SET:
            # Its name is that of its Deployment and a hash.
            owner = OwnerReference("apps/v1", "Deployment", owner.name.rpartition("-")[0])
            obj = cluster_context.find(owner.kind, job.namespace, owner.name)
            if obj is None:
                return topmost
        if obj is None:
            return topmost or Ancestor(owner.kind, owner.name, missing=True)
        if not _is_same(owner, obj):
            return topmost
        kind = kind_of_reference(owner.api_version, owner.kind)
        if _counts(kind, owner, obj, cluster_context):
            topmost = Ancestor(owner.kind, owner.name)
        owner = controller_of(obj)
    return topmost


def _is_known(owner: OwnerReference, cluster_context: ClusterContext) -> bool:
    if (owner.api_version, owner.kind) == ("apps/v1", _REPLICA_SET):
        return True  # the interim owner between a Deployment and its pods
    return kind_of_reference(
        owner.api_version, owner.kind
    ) is not None or cluster_context.is_external_framework(owner.api_version, owner.kind)


def _is_same(owner: OwnerReference, obj: Mapping[str, Any]) -> bool:
    """Tell whether the reference means this object and not a former one of that name."""
    uid = metadata_of(obj).get("uid")
    return not owner.uid or not uid or owner.uid == uid


def _counts(
    kind: JobKind | None,
    owner: OwnerReference,
    obj: Mapping[str, Any],
    cluster_context: ClusterContext,
) -> bool:
    enabled = (
        cluster_context.framework_enabled(kind)
        if kind is not None
        else cluster_context.is_external_framework(owner.api_version, owner.kind)
    )
    return enabled and (
        cluster_context.manages_jobs_without_queue or bool(labels_of(obj).get(constants.QUEUE_NAME))
    )


def with_defaults(job: Job, cluster_context: ClusterContext) -> dict[str, str]:
    """Return the job's labels with those that Kueue's webhooks add.

    A job without a queue name goes to the LocalQueue ``default`` of its namespace where
    there is one. With the gate ``WorkloadPriorityClassDefaulting``, one without a
    priority class gets the class ``default``.
    """
    labels = dict(job.labels)
    if _has_managed_owner(job, cluster_context):
        return labels
    if (
        not job.queue_name
        and cluster_context.has_default_queue(job.namespace)
        and cluster_context.namespace_is_managed(job.namespace)
    ):
        labels[constants.QUEUE_NAME] = constants.DEFAULT_LOCAL_QUEUE
    if (
        job.gates["WorkloadPriorityClassDefaulting"]
        and not labels.get(constants.PRIORITY_CLASS)
        and cluster_context.workload_priority_class(constants.DEFAULT_PRIORITY_CLASS) is not None
    ):
        labels[constants.PRIORITY_CLASS] = constants.DEFAULT_PRIORITY_CLASS
    return labels


def _has_managed_owner(job: Job, cluster_context: ClusterContext) -> bool:
    if job.owner is None:
        return False
    kind = kind_of_reference(job.owner.api_version, job.owner.kind)
    if kind is not None:
        return cluster_context.framework_enabled(kind)
    return cluster_context.is_external_framework(job.owner.api_version, job.owner.kind)
