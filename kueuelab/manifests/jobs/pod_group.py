"""Pod groups: pods that are admitted together, one pod set per role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.builder import (
    build_pod_sets,
    build_workload,
    copied_labels,
    most_pod_sets,
)
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.pod import group_name, pod_draft, role_of
from kueuelab.messages import Message, verbatim
from kueuelab.model import OwnerReference, ReclaimablePod, Workload, WorkloadStatus

__all__ = ["pod_group_workload"]

_FOREVER: Final = 2**63


def pod_group_workload(pods: Sequence[Job], cluster_context: ClusterContext) -> Workload | None:
    """Return the Workload of a pod group, ``None`` where Kueue waits for more or rejects it.

    The first pod speaks for the group: its labels and annotations are the Workload's.
    """
    first = pods[0]
    total = _total_count(first)
    if total is None:
        return None
    runnable = [pod for pod in pods if pod.status["phase"].text() != "Failed"]
    fast = first.annotations.get(constants.POD_GROUP_FAST_ADMISSION) == "true"
    if not fast and len(runnable) < total:
        first.report.note(
            Message(
                "manifests.pod-group.too-few",
                group=group_name(first),
                runnable=len(runnable),
                total=total,
            )
        )
        return None
    if not runnable or not _agree(runnable, total):
        return None
    kept = _without_excess(runnable, total)
    roles = _roles(kept[:1] if fast else kept, cluster_context)
    drafts = [
        pod_draft(members[0], role, total if fast else len(members))
        for role, members in sorted(roles.items())
    ]
    most = most_pod_sets(first.gates.release)
    if len(drafts) > most:
        first.root.problem(verbatim(f"pod group can't include more than {most} roles"))
        return None
    pod_sets = tuple(
        replace(pod_set, template=replace(pod_set.template, annotations={}))
        for pod_set in build_pod_sets(first, drafts)
    )
    workload = build_workload(
        first,
        pod_sets,
        cluster_context,
        name=group_name(first),
        labels=_labels(kept, cluster_context),
        annotations={constants.IS_GROUP_WORKLOAD: "true"},
        owners=tuple(_owner(pod) for pod in kept),
    )
    return replace(workload, status=_status(first, kept, roles, workload))


def _total_count(pod: Job) -> int | None:
    """Return how many pods the group has; what is no positive number is a problem."""
    field = pod.root["metadata"]["annotations"].key(constants.POD_GROUP_TOTAL_COUNT)
    text = pod.annotations.get(constants.POD_GROUP_TOTAL_COUNT)
    if text is None:
        field.problem(
            f"Required value: both the '{constants.POD_GROUP_TOTAL_COUNT}' annotation and the "
            f"'{constants.POD_GROUP_NAME}' label should be set"
        )
        return None
    if not text.lstrip("+-").isdecimal():
        field.problem(f'Invalid value: "{text}": strconv.Atoi: parsing "{text}": invalid syntax')
        return None
    if int(text) < 1:
        field.problem(
            f'Invalid value: "{text}": incorrect annotation value '
            f"'{constants.POD_GROUP_TOTAL_COUNT}={text}': "
            "group total count should be greater than zero"
        )
        return None
    return int(text)


def _agree(pods: Sequence[Job], total: int) -> bool:
    """Tell whether all pods name the same queue and total count; report those that don't."""
    first = pods[0]
    for pod in pods[1:]:
        if pod.queue_name != first.queue_name:
            pod.root["metadata"]["labels"].key(constants.QUEUE_NAME).problem(
                verbatim(
                    f"pods '{first.name}' and '{pod.name}' has different queue names: "
                    f"{first.queue_name}!={pod.queue_name}"
                )
            )
            return False
        count = _total_count(pod)
        if count is None:
            return False
        if count != total:
            pod.root["metadata"]["annotations"].key(constants.POD_GROUP_TOTAL_COUNT).problem(
                verbatim(
                    f"pods '{first.name}' and '{pod.name}' has different "
                    f"'{constants.POD_GROUP_TOTAL_COUNT}' values: {total}!={count}"
                )
            )
            return False
    return True


def _without_excess(pods: Sequence[Job], total: int) -> list[Job]:
    """Return as many pods as the group has; Kueue deletes the youngest of the others."""
    if len(pods) <= total:
        return list(pods)
    by_age = sorted(pods, key=_keep_first)
    for pod in by_age[total:]:
        pod.report.note(Message("manifests.pod-group.too-many", group=group_name(pod)))
    kept = {pod.name for pod in by_age[:total]}
    return [pod for pod in pods if pod.name in kept]


def _keep_first(pod: Job) -> tuple[bool, bool, int]:
    finalizers = [entry.text() for entry in pod.root["metadata"]["finalizers"].items()]
    gates = [entry["name"].text() for entry in pod.spec["schedulingGates"].items()]
    return (
        constants.MANAGED not in finalizers,
        constants.ADMISSION_GATE in gates,
        _FOREVER if pod.created is None else pod.created,
    )


def _roles(pods: Sequence[Job], cluster_context: ClusterContext) -> dict[str, list[Job]]:
    roles: dict[str, list[Job]] = {}
    for pod in pods:
        roles.setdefault(role_of(pod, cluster_context), []).append(pod)
    return roles


def _labels(pods: Sequence[Job], cluster_context: ClusterContext) -> dict[str, str]:
    """Return the labels to copy; Kueue rejects a group whose pods differ in one of them."""
    labels: dict[str, str] = {}
    for pod in pods:
        for name, value in copied_labels(pod.labels, cluster_context).items():
            if labels.setdefault(name, value) != value:
                pod.root["metadata"]["labels"].key(name).problem(
                    verbatim("constructing workload: pods have different label values")
                )
    return labels


def _owner(pod: Job) -> OwnerReference:
    return pod.reference(controller=False)


def _status(
    first: Job, pods: Sequence[Job], roles: dict[str, list[Job]], workload: Workload
) -> WorkloadStatus:
    """Return the pods of each role that have succeeded, whose quota may be given back."""
    if first.annotations.get(constants.POD_GROUP_SERVING) == "true":
        return workload.status
    if not first.gates["ReclaimablePods"]:
        return workload.status
    succeeded = [
        ReclaimablePod(role, count)
        for role, members in sorted(roles.items())
        if (count := sum(pod.status["phase"].text() == "Succeeded" for pod in members))
    ]
    return replace(workload.status, reclaimable_pods=tuple(succeeded))
