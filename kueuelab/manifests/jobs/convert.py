"""Jobs in, Workloads out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kueuelab.manifests.jobs import ray, serving
from kueuelab.manifests.jobs.cluster_context import ClusterContext, metadata_of
from kueuelab.manifests.jobs.conversion import Conversion, JobContext
from kueuelab.manifests.jobs.integrations import make_workloads, validate_kind
from kueuelab.manifests.jobs.job import Job, read_job
from kueuelab.manifests.jobs.kinds import kind_of
from kueuelab.manifests.jobs.management import management, with_defaults
from kueuelab.manifests.jobs.pod import group_name, runs_within_parent
from kueuelab.manifests.jobs.pod_group import pod_group_workload
from kueuelab.manifests.jobs.templates_with_queue import pods_with_queue
from kueuelab.manifests.jobs.validation import validate_job
from kueuelab.messages import Message
from kueuelab.model import Workload

__all__ = ["workloads_for", "workloads_for_all"]


def workloads_for(obj: Mapping[str, Any], context: JobContext | None = None) -> Conversion:
    """Return the Workloads that Kueue makes for one job.

    Parameters
    ----------
    obj : mapping
        The manifest of the job. Its Workloads keep parts of it, so don't change it later.
    context : JobContext, optional
        The cluster it is submitted to. Other pods of its group and its owners are
        looked up in ``context.objects``.

    Returns
    -------
    Conversion
        Its workloads, and what is to be said about them. Manifests of other kinds are
        not managed.

    Examples
    --------
    >>> conversion = workloads_for(
    ...     {
    ...         "apiVersion": "batch/v1",
    ...         "kind": "Job",
    ...         "metadata": {"name": "pi", "labels": {"kueue.x-k8s.io/queue-name": "team-a"}},
    ...         "spec": {
    ...             "parallelism": 3,
    ...             "template": {"spec": {"containers": [{"name": "pi"}]}},
    ...         },
    ...     }
    ... )
    >>> workload = conversion.workloads[0]
    >>> workload.key, workload.queue_name, workload.pod_sets[0].count
    ('default/job-pi-f2f8d', 'team-a', 3)
    """
    context = context or JobContext()
    cluster_context = ClusterContext(context, [obj])
    others = [other for other in context.objects if other is not obj]
    jobs = _read_all([obj, *others], cluster_context)
    return _convert_all(jobs, cluster_context, wanted=1)[0]


def workloads_for_all(
    objs: Iterable[Mapping[str, Any]], context: JobContext | None = None
) -> tuple[Conversion, ...]:
    """Return the Workloads of many manifests, which may own or group each other.

    Parameters
    ----------
    objs : iterable of mapping
        Manifests; those that are no jobs are not managed, but may own jobs.
    context : JobContext, optional
        The cluster they are submitted to.

    Returns
    -------
    tuple of Conversion
        One for each manifest, in the same order. The Workload of a pod group is with
        the first pod of the group.
    """
    context = context or JobContext()
    objs = tuple(objs)
    cluster_context = ClusterContext(context, objs)
    given = {id(obj) for obj in objs}
    others = [other for other in context.objects if id(other) not in given]
    jobs = _read_all([*objs, *others], cluster_context)
    return _convert_all(jobs, cluster_context, wanted=len(objs))


def _read_all(
    objs: Sequence[Mapping[str, Any]], cluster_context: ClusterContext
) -> list[Job | None]:
    """Read the jobs among the manifests, each with the labels that Kueue adds."""
    seen: Counter[tuple[str, str]] = Counter()
    jobs: list[Job | None] = []
    for obj in objs:
        api_version, kind_name = str(obj.get("apiVersion") or ""), str(obj.get("kind") or "")
        kind = kind_of(api_version, kind_name)
        if kind is None:
            jobs.append(None)
            continue
        prefix = str(metadata_of(obj).get("generateName") or "")
        job = read_job(
            obj,
            kind,
            cluster_context.gates,
            default_namespace=cluster_context.context.default_namespace,
            occurrence=seen[kind_name, prefix],
        )
        seen[kind_name, prefix] += 1
        if api_version != kind.api_version:
            job.report.note(
                Message(
                    "manifests.convert.read-as-version",
                    api_version=api_version,
                    api_version2=kind.api_version,
                )
            )
        jobs.append(replace(job, labels=with_defaults(job, cluster_context)))
    return jobs


def _convert_all(
    jobs: Sequence[Job | None], cluster_context: ClusterContext, *, wanted: int
) -> tuple[Conversion, ...]:
    groups = _pod_groups(jobs)
    return tuple(
        Conversion() if job is None else _convert(job, groups, cluster_context)
        for job in jobs[:wanted]
    )


def _pod_groups(jobs: Iterable[Job | None]) -> dict[tuple[str, str], list[Job]]:
    """Return the pods of each group, in the order they were given."""
    groups: dict[tuple[str, str], dict[str, Job]] = {}
    for job in jobs:
        if job is not None and job.kind.kind == "Pod" and (name := group_name(job)):
            groups.setdefault((job.namespace, name), {}).setdefault(job.name, job)
    return {key: list(members.values()) for key, members in groups.items()}


def _convert(
    job: Job, groups: Mapping[tuple[str, str], Sequence[Job]], cluster_context: ClusterContext
) -> Conversion:
    if reason := _left_alone(job):
        job.report.note(reason)
        return _conversion(job, [], managed=False)
    decision = management(job, cluster_context)
    if not decision.own_workload:
        pods = None if decision.managed else pods_with_queue(job, cluster_context)
        if pods is not None:
            return _conversion(job, pods)
        if decision.why and decision.managed:
            job.report.note(decision.why)
        elif decision.why:
            job.report.caution(decision.why)
        return _conversion(job, [], managed=decision.managed)
    validate_job(job)
    validate_kind(job)
    if (name := job.prebuilt_workload) and job.kind.prebuilt_workload:
        job.report.note(Message("manifests.convert.prebuilt-workload", name=name))
        return _conversion(job, [], prebuilt_workload=name)
    if job.kind.kind == "Pod" and runs_within_parent(job):
        return _conversion(job, [])
    group = groups.get((job.namespace, group_name(job)))
    if job.kind.kind == "Pod" and group is not None:
        return _conversion(job, _of_group(job, group, cluster_context))
    return _conversion(job, make_workloads(job, cluster_context))


def _left_alone(job: Job) -> str:
    """Return why Kueue looks away from this job, empty where it doesn't."""
    if ray.uses_existing_cluster(job):
        return Message("manifests.convert.ray-cluster-selector")
    if job.kind.kind == "StatefulSet" and (parent := serving.managed_by_another_framework(job)):
        return Message("manifests.convert.other-framework", parent=parent)
    return ""


def _of_group(job: Job, group: Sequence[Job], cluster_context: ClusterContext) -> list[Workload]:
    """Return the group's Workload with its first pod, nothing with the others."""
    if group[0] is not job:
        return []
    workload = pod_group_workload(group, cluster_context)
    return [workload] if workload is not None else []


def _conversion(
    job: Job, workloads: list[Workload], *, managed: bool = True, prebuilt_workload: str = ""
) -> Conversion:
    problems = tuple(job.report.problems)
    return Conversion(
        workloads=() if problems else tuple(workloads),
        notes=tuple(job.report.notes),
        cautions=tuple(job.report.cautions),
        problems=problems,
        managed=managed,
        prebuilt_workload=prebuilt_workload,
    )
