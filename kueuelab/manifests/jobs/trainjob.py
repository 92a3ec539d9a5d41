"""Kubeflow Trainer's TrainJob: the JobSet of its runtime, with what the job changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.jobs.builder import PodSetDraft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.jobset import replicated_job_pod_sets
from kueuelab.manifests.jobs.merge import merge_job_template
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.templates import read_template
from kueuelab.messages import Message, verbatim

__all__ = ["pod_sets"]

_ANCESTOR: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_TRAINER: Final = "trainer"
_INITIALIZERS: Final = ("dataset-initializer", "model-initializer")
_NODE: Final = "node"
_KUEUE_MANAGER: Final = "kueue.x-k8s.io/manager"
_POD_GROUP_LABEL: Final = "scheduling.x-k8s.io/pod-group"


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return one pod set per replicated job of the runtime's JobSet."""
    runtime = _find_runtime(job, cluster_context)
    if runtime is None:
        return []
    jobs = [
        {
            "name": entry["name"].text(),
            "replicas": entry["replicas"].value,
            "template": _read_job_template(entry["template"]),
        }
        for entry in runtime.at("template", "spec", "replicatedJobs").items()
    ]
    _apply_patches(job, jobs)
    for replicated in jobs:
        _apply_trainer(job, runtime, replicated)
        _apply_pod_group(job, runtime, replicated)
    spec = Field({"replicatedJobs": jobs}, f"{runtime.path}.template.spec", runtime.report)
    return replicated_job_pod_sets(spec)


def _read_job_template(field: Field, *, patch: bool = False) -> dict[str, Any]:
    """Return a copy of a Job's template, as far as it says which pods there are."""
    spec = field["spec"]
    job_spec: dict[str, Any] = {"template": read_template(spec["template"], patch=patch)}
    for name in ("parallelism", "completions"):
        if spec[name].present:
            job_spec[name] = spec[name].count(1)
    return {"metadata": {"labels": field["metadata"]["labels"].texts()}, "spec": job_spec}


def _find_runtime(job: Job, cluster_context: ClusterContext) -> Field | None:
    """Return ``spec`` of the runtime that the job names."""
    reference = job.spec["runtimeRef"]
    kind = reference["kind"].text("ClusterTrainingRuntime")
    name = reference["name"].text()
    if kind == "ClusterTrainingRuntime":
        found = cluster_context.find_in_cluster(kind, name)
    else:
        found = cluster_context.find(kind, job.namespace, name)
    if found is None:
        reference.problem(
            verbatim(f"runtime '{name}' not found"),
            Message("manifests.trainjob.no-runtime.hint", kind=kind, name=name),
        )
        return None
    return Field(found.get("spec"), f"spec.runtimeRef({kind}/{name}).spec", job.report)


def _apply_patches(job: Job, jobs: Iterable[dict[str, Any]]) -> None:
    """Merge ``runtimePatches`` into the runtime's jobs; Kueue's own patch doesn't count."""
    for patch in job.spec["runtimePatches"].items():
        if patch["manager"].text() == _KUEUE_MANAGER:
            continue
        patched = patch.at("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for change in patched.items():
            name = change["name"].text()
            target = next((entry for entry in jobs if entry["name"] == name), None)
            if target is None:
                change["name"].problem(
                    "Invalid value: must not have replicated job that doesn't exist in the "
                    "runtime job template"
                )
            else:
                patch_template = _read_job_template(change["template"], patch=True)
                target["template"] = merge_job_template(target["template"], patch_template)


def _ancestor(replicated: Mapping[str, Any]) -> str | None:
    step: str | None = replicated["template"]["metadata"]["labels"].get(_ANCESTOR)
    return step


def _apply_trainer(job: Job, runtime: Field, replicated: dict[str, Any]) -> None:
    """Set the number of nodes, the resources and the image of the job's trainer."""
    ancestor = _ancestor(replicated)
    job_spec = replicated["template"]["spec"]
    count = max(_nodes(job, runtime, replicated, ancestor, job_spec), 1)
    job_spec["parallelism"] = job_spec["completions"] = count
    if ancestor == _TRAINER or ancestor in _INITIALIZERS:
        replicated["replicas"] = 1
    trainer = job.spec["trainer"]
    launcher_is_node = runtime.at("mlPolicy", "mpi", "runLauncherAsNode").flag()
    gets_resources = ancestor == _TRAINER or (launcher_is_node and replicated["name"] == _NODE)
    for container in _node_containers(job_spec):
        if ancestor == _TRAINER:
            for field in ("image", "command", "args"):
                if trainer[field].present:
                    container[field] = trainer[field].value
        resources = trainer["resourcesPerNode"].mapping()
        if gets_resources and any(resources.get(name) for name in ("limits", "requests")):
            container["resources"] = {
                name: resources[name] for name in ("limits", "requests") if resources.get(name)
            }


def _nodes(
    job: Job,
    runtime: Field,
    replicated: Mapping[str, Any],
    ancestor: str | None,
    job_spec: Mapping[str, Any],
) -> int:
    """Return how many pods a replicated job has: for the trainer, the number of nodes."""
    policy, wanted = runtime["mlPolicy"], job.spec["trainer"]["numNodes"]
    count: int = job_spec.get("parallelism", 1)
    if ancestor == _TRAINER and policy.present:
        count = policy["numNodes"].count(1)
    if not wanted.present:
        return count
    if policy["mpi"].present:
        if replicated["name"] != _NODE:
            return count
        # With runLauncherAsNode one of the nodes is the launcher.
        return wanted.count(1) - int(policy["mpi"]["runLauncherAsNode"].flag())
    return wanted.count(1) if ancestor == _TRAINER else count


def _node_containers(job_spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    containers = job_spec["template"]["spec"].get("containers") or ()
    return [container for container in containers if container["name"] == _NODE]


def _apply_pod_group(job: Job, runtime: Field, replicated: dict[str, Any]) -> None:
    """Name the pod group that gang scheduling outside of Kueue asks for."""
    if runtime["podGroupPolicy"]["coscheduling"].present:
        labels = replicated["template"]["spec"]["template"]["metadata"]["labels"]
        labels[_POD_GROUP_LABEL] = job.name
