"""The registry: what turns jobs of each kind into Workloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from kueuelab.manifests.jobs import (
    appwrapper,
    batch_job,
    jobset,
    kubeflow,
    ray,
    spark,
    trainjob,
)
from kueuelab.manifests.jobs.builder import PodSetDraft, build_pod_sets, build_workload, name_for
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.deployment import deployment_workloads
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.pod import pod_workload
from kueuelab.manifests.jobs.progress import status_of
from kueuelab.manifests.jobs.serving import leader_worker_set_workloads, stateful_set_workloads
from kueuelab.model import Workload

__all__ = ["make_workloads", "validate_kind"]

_MakeWorkloads: TypeAlias = Callable[[Job, ClusterContext], list[Workload]]


@dataclass(frozen=True, slots=True)
class _Integration:
    """A kind whose jobs are one Workload each: its pod sets, and what else is special."""

    pod_sets: Callable[[Job, ClusterContext], Sequence[PodSetDraft]]
    priority_class: Callable[[Job], str] | None = None
    validate: Callable[[Job], None] | None = None
    name_extra: Callable[[Job], str] = lambda job: str(job.generation)


_KUBEFLOW: Final = _Integration(kubeflow.pod_sets, kubeflow.priority_class)
_RAY: Final = _Integration(ray.pod_sets, validate=ray.validate, name_extra=ray.workload_name_extra)

_INTEGRATIONS: Final[Mapping[str, _Integration]] = MappingProxyType(
    {
        "Job": _Integration(batch_job.pod_sets, validate=batch_job.validate),
        "JobSet": _Integration(jobset.pod_sets),
        "PyTorchJob": _KUBEFLOW,
        "TFJob": _KUBEFLOW,
        "XGBoostJob": _KUBEFLOW,
        "PaddleJob": _KUBEFLOW,
        "JAXJob": _KUBEFLOW,
        "MPIJob": _KUBEFLOW,
        "TrainJob": _Integration(trainjob.pod_sets),
        "RayJob": _RAY,
        "RayCluster": _RAY,
        "RayService": _RAY,
        "AppWrapper": _Integration(appwrapper.pod_sets),
        "SparkApplication": _Integration(spark.pod_sets, validate=spark.validate),
    }
)

#: Kinds that are no single Workload, or one that looks different.
_MAKERS: Final[Mapping[str, _MakeWorkloads]] = MappingProxyType(
    {
        "Pod": lambda job, cluster_context: [pod_workload(job, cluster_context)],
        "Deployment": deployment_workloads,
        "StatefulSet": stateful_set_workloads,
        "LeaderWorkerSet": leader_worker_set_workloads,
    }
)


def validate_kind(job: Job) -> None:
    """Report what Kueue's webhook of the kind rejects."""
    integration = _INTEGRATIONS.get(job.kind.kind)
    if integration is not None and integration.validate is not None:
        integration.validate(job)


def make_workloads(job: Job, cluster_context: ClusterContext) -> list[Workload]:
    """Return the Workloads of a job that Kueue manages."""
    if maker := _MAKERS.get(job.kind.kind):
        workloads = maker(job, cluster_context)
    else:
        workloads = [_single(job, cluster_context, _INTEGRATIONS[job.kind.kind])]
    return [_with_status(job, workload) for workload in workloads]


def _single(job: Job, cluster_context: ClusterContext, integration: _Integration) -> Workload:
    drafts = integration.pod_sets(job, cluster_context)
    own_class = integration.priority_class(job) if integration.priority_class else None
    return build_workload(
        job,
        build_pod_sets(job, drafts),
        cluster_context,
        name=name_for(job, extra=integration.name_extra(job) if job.elastic else ""),
        own_priority_class=own_class,
    )


def _with_status(job: Job, workload: Workload) -> Workload:
    counts = {pod_set.name: pod_set.count for pod_set in workload.pod_sets}
    return replace(workload, status=status_of(job, counts))
