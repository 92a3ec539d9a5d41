"""What stands for a workload of a scenario on a cluster: a Job, or the Workload itself.

A Job has one pod set, called ``main``. Whatever else a scenario asks for becomes a Workload
without a job; the player of the scenario then does what its job would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

from kueuelab.live.resources import Json
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.manifests.jobs.topology import topology_annotations
from kueuelab.manifests.server.pods.resources import may_be_overcommitted
from kueuelab.model import Workload
from kueuelab.model.times import SECOND
from kueuelab.model.topology import COMPLETION_INDEX
from kueuelab.workload.slices import ELASTIC_JOB, is_elastic

__all__ = ["IMAGE", "body_of", "priority_class_for"]

IMAGE: Final = "busybox:1.37"
_FOREVER: Final = 86_400


def priority_class_for(workload: Workload) -> str:
    """Return the class that a job of this priority needs, as none is named; else ``""``.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> priority_class_for(Workload(ObjectMeta("a", namespace="b"), (), priority=-5))
    'kueuelab-minus-5'
    """
    value = workload.priority
    if workload.priority_class_ref is not None or value == 0:
        return ""
    return f"kueuelab-{'minus-' if value < 0 else ''}{abs(value)}"


def body_of(workload: Workload, runs: int | None) -> Json:
    """Return what is created for a workload that runs for so many nanoseconds."""
    pod_sets = workload.pod_sets
    is_job = len(pod_sets) == 1 and pod_sets[0].name == "main" and workload.active
    return _job(workload, runs) if is_job else _bare(workload)


def _has_ranks(request: Mapping[str, Any], asked: Mapping[str, str]) -> bool:
    """Tell whether pods are placed by their index in the Job."""
    return bool(asked) and request.get("podIndexLabel") == COMPLETION_INDEX


def _bare(workload: Workload) -> Json:
    body = encode_object(workload)
    for pod_set in body["spec"]["podSets"]:
        for container in pod_set["template"]["spec"].get("containers") or ():
            container.setdefault("image", IMAGE)
    meta: Json = {"name": workload.metadata.name, "namespace": workload.namespace}
    labels = dict(workload.metadata.labels)
    labels.pop(JOB_UID, None)  # there is no job
    return {**body, "metadata": {**meta, "labels": labels}}


def _limited(container: Json) -> Json:
    """Return a container with the limits that the API server demands for its requests."""
    resources = container.get("resources") or {}
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    demanded = {r: amount for r, amount in requests.items() if not may_be_overcommitted(r)}
    if not demanded:
        return container
    return {**container, "resources": {**resources, "limits": {**demanded, **limits}}}


def _initial(container: Json) -> Json:
    """Return an init container that asks for the same, and ends at once unless it is a sidecar."""
    is_sidecar = container.get("restartPolicy") == "Always"
    command = ["sleep", str(_FOREVER)] if is_sidecar else ["true"]
    return {**container, "image": IMAGE, "command": command}


def _job(workload: Workload, runs: int | None) -> Json:
    """Return a Job that asks for what a workload asks for, and sleeps for its run time."""
    pod_set = workload.pod_sets[0]
    template: Json = encode_object(workload)["spec"]["podSets"][0]["template"]
    spec: dict[str, Any] = template["spec"]
    seconds = _FOREVER if runs is None else max(1, ceil(runs / SECOND))
    containers = spec.get("containers") or [{"name": "main"}]
    container = {**containers[0], "image": IMAGE, "command": ["sleep", str(seconds)]}
    rest = [{"image": IMAGE, **each} for each in containers[1:]]
    # Sleep ignores SIGTERM, so the grace period is short.
    pod = {**spec, "containers": [_limited(each) for each in (container, *rest)]}
    pod |= {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1}
    if spec.get("initContainers"):
        pod["initContainers"] = [_limited(_initial(each)) for each in spec["initContainers"]]
    labels = {"kueue.x-k8s.io/queue-name": workload.queue_name}
    if workload.maximum_execution_time_seconds is not None:
        limit = workload.maximum_execution_time_seconds
        labels["kueue.x-k8s.io/max-exec-time-seconds"] = str(limit)
    reference = workload.priority_class_ref
    if reference is not None and reference.kind == "WorkloadPriorityClass":
        labels["kueue.x-k8s.io/priority-class"] = reference.name
    elif reference is not None:
        pod["priorityClassName"] = reference.name
    elif priority_class_for(workload):
        labels["kueue.x-k8s.io/priority-class"] = priority_class_for(workload)
    owners = workload.metadata.owner_references
    name = owners[0].name if owners else workload.metadata.name
    meta: Json = {"name": name, "namespace": workload.namespace, "labels": labels}
    size = {"parallelism": pod_set.count, "completions": pod_set.count}
    if pod_set.min_count is not None:
        meta["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": str(pod_set.min_count)}
    elif is_elastic(workload):
        meta["annotations"] = {ELASTIC_JOB: "true"}
        # A number of completions can't be changed, and no more pods than that would run.
        del size["completions"]
    made: Json = {"spec": pod}
    if template.get("metadata"):
        made["metadata"] = template["metadata"]
    request = pod_set.topology_request or {}
    if asked := topology_annotations(request):
        annotations = {**(made.get("metadata", {}).get("annotations") or {}), **asked}
        made["metadata"] = {**made.get("metadata", {}), "annotations": annotations}
    ranked = {"completionMode": "Indexed"} if _has_ranks(request, asked) else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            **size,
            **ranked,
            "suspend": True,
            "template": made,
        },
    }
