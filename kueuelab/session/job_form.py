"""The form of a job: what it begins with, and the manifests that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import encode_object
from kueuelab.manifests.loading.jobs import RUNS
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, LocalQueue, ModelObject, Workload, WorkloadPriorityClass
from kueuelab.session.job_messages import JobForm

__all__ = ["covered_resources", "form_of", "local_queues", "manifests_of", "new_form"]

_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
_JOB_LABEL = "kueue.x-k8s.io/job-uid"
#: What a new job of the form asks for, of the resources that quotas cover.
_REQUESTS: Mapping[str, str] = {"cpu": "1", "memory": "1Gi"}


def local_queues(objects: Iterable[ModelObject]) -> tuple[str, ...]:
    """Return the LocalQueues as ``namespace/name``."""
    return tuple(sorted(each.metadata.key for each in objects if isinstance(each, LocalQueue)))


def covered_resources(objects: Iterable[ModelObject]) -> tuple[str, ...]:
    """Return the resources that quotas of ClusterQueues cover, those of a new job first."""
    found = dict.fromkeys(
        resource
        for each in objects
        if isinstance(each, ClusterQueue)
        for group in each.resource_groups
        for resource in group.covered_resources
    )
    return tuple(sorted(found, key=lambda each: (each not in _REQUESTS, each)))


def new_form(queues: tuple[str, ...], resources: tuple[str, ...], taken: Iterable[str]) -> JobForm:
    """Return the form of a new job in the first queue, with a name that is free."""
    requests = {each: _REQUESTS.get(each, "1") for each in resources[:1]}
    queue = queues[0] if queues else "default/"
    return JobForm(_free("new-job", queue, set(taken)), queue, 1, requests, 0, "")


def form_of(workload: Workload, taken: Iterable[str]) -> JobForm | None:
    """Return the form of a workload; ``None`` if it has several pod sets or containers."""
    data = encode_object(workload)
    pod_sets = data["spec"]["podSets"]
    containers = [each for pods in pod_sets for each in _containers(pods)]
    if len(containers) != 1:
        return None
    meta = workload.metadata
    queue = f"{meta.namespace}/{workload.queue_name}"
    return JobForm(
        _free(meta.name, queue, set(taken)),
        queue,
        pod_sets[0].get("count", 1),
        dict(containers[0].get("resources", {}).get("requests", {})),
        workload.priority or 0,
        meta.annotations.get(RUNS, ""),
    )


def manifests_of(
    form: JobForm, classes: Iterable[WorkloadPriorityClass], workload: Workload | None = None
) -> str:
    """Return the manifests of a form: a Job, or a workload that is changed as the form says.

    A priority that no WorkloadPriorityClass has gets one of its own.

    Raises
    ------
    InputError
        If the form names no queue.

    Examples
    --------
    >>> form = JobForm("train", "default/main", 2, {"cpu": "1"}, 0, "2h")
    >>> "kueue.x-k8s.io/queue-name: main" in manifests_of(form, ())
    True
    """
    namespace, _, queue = form.queue.partition("/")
    if not (namespace and queue):
        raise InputError(Problem(Message("session.job.no-queue"), field="form.queue"))
    if workload is not None:
        return write_yaml([_changed(form, workload, namespace, queue)])
    return write_yaml(list(_new(form, tuple(classes), namespace, queue)))


def _new(
    form: JobForm, classes: tuple[WorkloadPriorityClass, ...], namespace: str, queue: str
) -> Iterator[dict[str, Any]]:
    labels = {_QUEUE_LABEL: queue}
    if form.priority:
        named = next((each for each in classes if each.value == form.priority), None)
        name = f"priority-{form.priority}" if named is None else named.metadata.name
        labels[_PRIORITY_LABEL] = name
        if named is None:
            yield {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "WorkloadPriorityClass",
                "metadata": {"name": name},
                "value": form.priority,
            }
    metadata = {"name": form.name, "namespace": namespace, "labels": labels}
    container = {"name": "main", "image": "example.com/train"}
    resources = {"resources": {"requests": dict(form.requests)}}
    pod = {"restartPolicy": "Never", "containers": [{**container, **resources}]}
    yield {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, **_annotations(form, {})},
        "spec": {
            "parallelism": form.pods,
            "completions": form.pods,
            "template": {"spec": pod},
        },
    }


def _changed(form: JobForm, workload: Workload, namespace: str, queue: str) -> dict[str, Any]:
    """Return a workload without what a cluster wrote into it, changed as the form says."""
    data: dict[str, Any] = encode_object(workload)
    del data["metadata"]
    data.pop("status", None)
    meta = workload.metadata
    metadata: dict[str, Any] = {"name": form.name, "namespace": namespace}
    # Kueue would look for the job that the workload was made from.
    labels = {name: value for name, value in meta.labels.items() if name != _JOB_LABEL}
    if labels:
        metadata["labels"] = labels
    metadata |= _annotations(form, meta.annotations)
    spec = dict(data.pop("spec"))
    spec["queueName"] = queue
    if form.priority != (workload.priority or 0):
        spec.pop("priorityClassRef", None)
        spec["priority"] = form.priority
    pods, *more = spec["podSets"]
    [container] = _containers(pods)
    container["resources"] = {**container.get("resources", {}), "requests": dict(form.requests)}
    spec["podSets"] = [{**pods, "count": form.pods}, *more]
    return {**data, "metadata": metadata, "spec": spec}


def _annotations(form: JobForm, written: Mapping[str, str]) -> dict[str, Any]:
    found = {name: value for name, value in written.items() if name != RUNS}
    if form.runs:
        found[RUNS] = form.runs
    return {"annotations": found} if found else {}


def _containers(pod_set: Mapping[str, Any]) -> list[dict[str, Any]]:
    spec = pod_set["template"]["spec"]
    return [*spec.get("initContainers", ()), *spec["containers"]]


def _free(name: str, queue: str, taken: set[str]) -> str:
    """Return a name that no workload of the namespace has."""
    namespace = queue.partition("/")[0]
    found, number = name, 2
    while f"{namespace}/{found}" in taken:
        found, number = f"{name}-{number}", number + 1
    return found
