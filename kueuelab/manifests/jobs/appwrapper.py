"""CodeFlare's AppWrapper: the pod sets of the objects that it wraps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.manifests.jobs.batch_job import completion_index_label, pod_count
from kueuelab.manifests.jobs.builder import PodSetDraft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.jobset import job_index_label
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import Template, read_template
from kueuelab.messages import Message, verbatim

__all__ = ["pod_sets"]

_PREFIX: Final = "workload.codeflare.dev.appwrapper/"
_POD_INDEX: Final = f"{_PREFIX}tas-pod-index-label"
_SUB_GROUP_INDEX: Final = f"{_PREFIX}tas-sub-group-index-label"
_SUB_GROUP_COUNT: Final = f"{_PREFIX}tas-sub-group-count"
_REPLICA_INDEX_LABEL: Final = "training.kubeflow.org/replica-index"
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")

# What an AppWrapper hands on of the templates that it wraps.
_POD_FIELDS: Final = (
    "initContainers",
    "containers",
    "restartPolicy",
    "dnsPolicy",
    "nodeSelector",
    "nodeName",
    "securityContext",
    "affinity",
    "schedulerName",
    "tolerations",
    "priorityClassName",
    "preemptionPolicy",
    "overhead",
    "topologySpreadConstraints",
)
_CONTAINER_FIELDS: Final = (
    "name",
    "image",
    "command",
    "args",
    "resources",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "imagePullPolicy",
    "securityContext",
)
_POD_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "preemptionPolicy": "PreemptLowerPriority",
    }
)


@dataclass(frozen=True, slots=True)
class _WrappedPodSet:
    """Pods of a component: how many, where their template is, how they are ranked."""

    template: Field
    replicas: int
    annotations: Mapping[str, str]


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return the pod sets of all components, numbered through."""
    drafts: list[PodSetDraft] = []
    for component in job.spec["components"].items():
        for wrapped in _component_pod_sets(component):
            count = wrapped.annotations.get(_SUB_GROUP_COUNT, "")
            drafts.append(
                PodSetDraft(
                    f"{job.name}-{len(drafts)}",
                    wrapped.replicas,
                    _reduced_template(wrapped.template),
                    wrapped.template,
                    pod_index_label=wrapped.annotations.get(_POD_INDEX),
                    sub_group_index_label=wrapped.annotations.get(_SUB_GROUP_INDEX),
                    sub_group_count=int(count) if count.isdecimal() else None,
                )
            )
    if not drafts:
        job.spec["components"].problem(
            "Required value: no component has pods",
            Message("manifests.appwrapper.unknown-component.hint"),
        )
    return drafts


def _component_pod_sets(component: Field) -> list[_WrappedPodSet]:
    """Return the pod sets that a component declares, or those of its kind."""
    template = component["template"]
    declared = list(component["podSets"].items())
    if not declared:
        return list(_inferred(template))
    result = []
    for entry in declared:
        found = _at_path(template, entry["path"])
        if found is not None:
            count = entry["replicas"].count(1)
            result.append(_WrappedPodSet(found, count, entry["annotations"].texts()))
    return result


def _at_path(template: Field, path: Field) -> Field | None:
    """Return the field at a path such as ``template.spec.jobs[0].template``."""
    text = path.text()
    steps = text.removeprefix("template")
    if not text.startswith("template") or "".join(m[0] for m in _STEP.finditer(steps)) != steps:
        path.problem(
            f"Invalid value: '{text}': not a path",
            Message("manifests.appwrapper.template-path.hint"),
        )
        return None
    here = template
    for step in _STEP.finditer(steps):
        if step[1]:
            here = here[step[1]]
        else:
            entries = list(here.items())
            index = int(step[2])
            if index >= len(entries):
                path.problem(verbatim(f"at path position '{text}' out of bounds index '{index}'"))
                return None
            here = entries[index]
        if not here.present:
            path.problem(verbatim(f"at path position '{text}' missing field '{step[1]}'"))
            return None
    return here


def _inferred(template: Field) -> Iterator[_WrappedPodSet]:
    """Yield the pod sets of the kinds that AppWrapper knows."""
    spec = template["spec"]
    match template["apiVersion"].text(), template["kind"].text():
        case "v1", "Pod":
            yield _WrappedPodSet(template, 1, {})
        case "apps/v1", "Deployment" | "StatefulSet":
            yield _WrappedPodSet(spec["template"], spec["replicas"].count(1), {})
        case "batch/v1", "Job":
            ranks = {_POD_INDEX: completion_index_label}
            yield _WrappedPodSet(spec["template"], pod_count(spec), ranks)
        case "jobset.x-k8s.io/v1alpha2", "JobSet":
            yield from _of_jobset(spec)
        case "kubeflow.org/v1", "PyTorchJob":
            yield from _of_pytorch_job(spec["pytorchReplicaSpecs"])
        case "ray.io/v1", "RayCluster":
            yield from _of_ray_cluster(spec)
        case "ray.io/v1", "RayJob":
            yield from _of_ray_cluster(spec["rayClusterSpec"])


def _of_jobset(spec: Field) -> Iterator[_WrappedPodSet]:
    for replicated in spec["replicatedJobs"].items():
        job_spec = replicated["template"]["spec"]
        replicas = replicated["replicas"].count(1)
        ranks = {
            _POD_INDEX: completion_index_label,
            _SUB_GROUP_INDEX: job_index_label,
            _SUB_GROUP_COUNT: str(replicas),
        }
        yield _WrappedPodSet(job_spec["template"], replicas * pod_count(job_spec), ranks)


def _of_pytorch_job(specs: Field) -> Iterator[_WrappedPodSet]:
    for name in ("Master", "Worker"):
        if specs[name]["template"].present:
            ranks = {_POD_INDEX: _REPLICA_INDEX_LABEL}
            count = specs[name]["replicas"].count(1)
            yield _WrappedPodSet(specs[name]["template"], count, ranks)


def _of_ray_cluster(spec: Field) -> Iterator[_WrappedPodSet]:
    yield _WrappedPodSet(spec.at("headGroupSpec", "template"), 1, {})
    for group in spec["workerGroupSpecs"].items():
        if group["template"].present:
            # AppWrapper counts replicas, not hosts, and no default of KubeRay's.
            yield _WrappedPodSet(group["template"], group["replicas"].count(1), {})


def _reduced_template(field: Field) -> Template:
    """Return what an AppWrapper keeps of a pod template.

    Sidecars among the init containers lose their restart policy, so that they count as
    plain init containers.
    """
    template = read_template(field)
    written = template["spec"]
    spec = {**_POD_DEFAULTS}
    spec.update({name: written[name] for name in _POD_FIELDS if written.get(name)})
    for name in ("initContainers", "containers"):
        if name in spec:
            spec[name] = [_container(entry) for entry in spec[name]]
    return {"metadata": template["metadata"], "spec": spec}


def _container(container: Mapping[str, Any]) -> dict[str, Any]:
    return {name: container[name] for name in _CONTAINER_FIELDS if name in container}
