"""The short form of a job (``submit: {job, queue, requests, ...}``) to a Workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.decode.workload import workload
from kueuelab.manifests.jobs import JobContext
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.model import Workload
from kueuelab.model.times import SECOND

__all__ = ["workload_of"]

_POD_SET: Final = ("requests", "count", "pods", "minCount", "nodeSelector", "tolerations")


def workload_of(submit: Mapping[str, Any], context: JobContext) -> Workload:
    """Return the Workload of a checked short form; it bears the job's name.

    Without ``namespace`` it goes to the namespace of the LocalQueue, if only one has a
    LocalQueue of that name, else to the default one.

    Raises
    ------
    UnknownObjectError
        If there is no such priority class.
    """
    seconds = submit.get("maximumExecutionTime")
    spec: dict[str, Any] = {
        "queueName": submit["queue"],
        "active": submit.get("active", True),
        "podSets": [_pod_set(entry) for entry in submit.get("podSets") or [submit]],
        "maximumExecutionTimeSeconds": seconds and nanoseconds(seconds) // SECOND,
        **_priority(submit, context),
    }
    metadata = {
        "name": submit["job"],
        "namespace": submit.get("namespace") or _namespace(submit["queue"], context),
        "labels": submit.get("labels"),
        "annotations": submit.get("annotations"),
    }
    return workload({"metadata": metadata, "spec": spec}, context.default_namespace)


def _namespace(queue: str, context: JobContext) -> str:
    homes = {key.partition("/")[0] for key in context.local_queues if key.endswith(f"/{queue}")}
    return homes.pop() if len(homes) == 1 else context.default_namespace


def _pod_set(entry: Mapping[str, Any]) -> dict[str, Any]:
    requests = entry.get("requests") or {}
    return {
        "name": entry.get("name") or "main",
        "count": entry.get("count", entry.get("pods", 1)),
        "minCount": entry.get("minCount"),
        "template": {
            "spec": {
                "containers": [{"name": "main", "resources": {"requests": requests}}],
                "nodeSelector": entry.get("nodeSelector"),
                "tolerations": entry.get("tolerations"),
                "restartPolicy": "Never",
            }
        },
    }


def _priority(submit: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    name = submit.get("priorityClass")
    if name is None:
        return {"priority": submit.get("priority", 0)}
    own, pods = context.workload_priority_classes, context.priority_classes
    if name in own:
        group, kind, value = "kueue.x-k8s.io", "WorkloadPriorityClass", own[name].value
    elif name in pods:
        group, kind, value = "scheduling.k8s.io", "PriorityClass", pods[name].value
    else:
        raise UnknownObjectError("WorkloadPriorityClass", name, (*own, *pods))
    reference = {"group": group, "kind": kind, "name": name}
    return {"priorityClassRef": reference, "priority": submit.get("priority", value)}
