"""The short form of a job (``submit: {job, queue, requests, ...}``) to a Workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.decode.workload import workload
from kueuelab.manifests.jobs import JobContext
from kueuelab.manifests.jobs.topology import topology_annotations
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.manifests.loading.node_pools import level_label
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.server.advice import advice
from kueuelab.manifests.server.webhooks.topology import slice_size_errors, topology_errors
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.model import Workload
from kueuelab.model.times import SECOND
from kueuelab.model.topology import COMPLETION_INDEX, WORKER_INDEX
from kueuelab.workload.slices import ELASTIC_JOB, WORKLOAD_SLICE_NAME

__all__ = ["topology_mistakes", "workload_of"]


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
    metadata: dict[str, Any] = {
        "name": submit["job"],
        "namespace": submit.get("namespace") or _namespace(submit["queue"], context),
        "labels": submit.get("labels"),
        "annotations": submit.get("annotations"),
    }
    if submit.get("elastic"):
        slice_ = {ELASTIC_JOB: "true", WORKLOAD_SLICE_NAME: submit["job"]}
        metadata["annotations"] = {**(submit.get("annotations") or {}), **slice_}
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": submit["job"]}
        metadata["ownerReferences"] = [{**owner, "controller": True}]
    return workload({"metadata": metadata, "spec": spec}, context.default_namespace)


def topology_mistakes(submit: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    """Yield what Kueue's webhooks refuse of the annotations that a job like this would have."""
    pod_sets = submit.get("podSets")
    entries: list[tuple[Path, Mapping[str, Any]]] = (
        [((*path, "podSets", index), entry) for index, entry in enumerate(pod_sets)]
        if pod_sets
        else [(path, submit)]
    )
    for at, entry in entries:
        request = _topology_request(entry.get("topology"))
        if request is not None:
            annotations, where = topology_annotations(request), (*at, "topology")
            errors = [*topology_errors(annotations, where)]
            errors += slice_size_errors(
                annotations, entry.get("count", entry.get("pods", 1)), where
            )
            yield from (Mistake(where, each.message, advice(each)) for each in errors)


def _namespace(queue: str, context: JobContext) -> str:
    homes = {key.partition("/")[0] for key in context.local_queues if key.endswith(f"/{queue}")}
    return homes.pop() if len(homes) == 1 else context.default_namespace


def _pod_set(entry: Mapping[str, Any]) -> dict[str, Any]:
    requests = entry.get("requests") or {}
    claims = [
        {"name": name, "resourceClaimTemplateName": name} for name in entry.get("claims") or ()
    ]
    return {
        "name": entry.get("name") or "main",
        "count": entry.get("count", entry.get("pods", 1)),
        "minCount": entry.get("minCount"),
        "topologyRequest": _topology_request(entry.get("topology")),
        "template": {
            "spec": {
                "containers": [{"name": "main", "resources": {"requests": requests}}],
                "nodeSelector": entry.get("nodeSelector"),
                "tolerations": entry.get("tolerations"),
                "restartPolicy": "Never",
                **({"resourceClaims": claims} if claims else {}),
            }
        },
    }


def _topology_request(written: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return ``topologyRequest`` of a pod set; a single layer of slices has fields of its own."""
    if written is None:
        return None
    request: dict[str, Any] = {
        name: level_label(written[name]) for name in ("required", "preferred") if name in written
    }
    # The pods of an indexed Job; in a group they are counted as those of a LeaderWorkerSet.
    request["podIndexLabel"] = WORKER_INDEX if "group" in written else COMPLETION_INDEX
    if "unconstrained" in written:
        request["unconstrained"] = written["unconstrained"]
    slices = [(level_label(each["level"]), each["size"]) for each in written.get("slices") or ()]
    if len(slices) == 1:
        level, size = slices[0]
        request |= {"podSetSliceRequiredTopology": level, "podSetSliceSize": size}
    elif slices:
        layers = [{"topology": level, "size": size} for level, size in slices]
        request["podsetSliceRequiredTopologyConstraints"] = layers
    if "group" in written:
        request["podSetGroupName"] = written["group"]
    return request


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
