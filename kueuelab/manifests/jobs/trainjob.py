"""Kubeflow Trainer's TrainJob: the JobSet of its runtime, with what the job changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from kueuelab.manifests.jobs.builder import PodSetDraft
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.jobset import replicated_job_pod_sets
from kueuelab.manifests.jobs.merge import merge_job_template
from kueuelab.manifests.jobs.reading import Field
from kueuelab.manifests.jobs.surroundings import Surroundings

__all__ = ["pod_sets"]

_ANCESTOR: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_TRAINER: Final = "trainer"
_INITIALIZERS: Final = ("dataset-initializer", "model-initializer")
_NODE: Final = "node"
_KUEUE_MANAGER: Final = "kueue.x-k8s.io/manager"
_POD_GROUP_LABEL: Final = "scheduling.x-k8s.io/pod-group"


def pod_sets(job: Job, surroundings: Surroundings) -> Sequence[PodSetDraft]:
    """Return one pod set per replicated job of the runtime's JobSet."""
    runtime = _find_runtime(job, surroundings)
    if runtime is None:
        return []
    jobs: list[dict[str, Any]] = [
        deepcopy(dict(entry.mapping()))
        for entry in runtime.at("template", "spec", "replicatedJobs").items()
    ]
    _apply_patches(job, jobs)
    for replicated in jobs:
        _apply_trainer(job, runtime, replicated)
        _apply_pod_group(job, runtime, replicated)
    spec = Field({"replicatedJobs": jobs}, f"{runtime.path}.template.spec", runtime.report)
    return replicated_job_pod_sets(spec)


def _find_runtime(job: Job, surroundings: Surroundings) -> Field | None:
    """Return ``spec`` of the runtime that the job names."""
    reference = job.spec["runtimeRef"]
    kind = reference["kind"].text("ClusterTrainingRuntime")
    name = reference["name"].text()
    if kind == "ClusterTrainingRuntime":
        found = surroundings.find_in_cluster(kind, name)
    else:
        found = surroundings.find(kind, job.namespace, name)
    if found is None:
        reference.problem(f"runtime '{name}' not found", f"Add a {kind} named '{name}'")
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
            target = next((entry for entry in jobs if entry.get("name") == name), None)
            if target is None:
                change["name"].problem(
                    "Invalid value: must not have replicated job that doesn't exist in the "
                    "runtime job template"
                )
            elif change["template"].present:
                target["template"] = merge_job_template(
                    target.get("template") or {}, change["template"].mapping()
                )


def _ancestor(replicated: Mapping[str, Any]) -> str | None:
    metadata = (replicated.get("template") or {}).get("metadata") or {}
    step = (metadata.get("labels") or {}).get(_ANCESTOR)
    return str(step) if step is not None else None


def _apply_trainer(job: Job, runtime: Field, replicated: dict[str, Any]) -> None:
    """Set the number of nodes, the resources and the image of the job's trainer."""
    ancestor = _ancestor(replicated)
    job_spec = replicated.setdefault("template", {}).setdefault("spec", {})
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
    count = Field(job_spec.get("parallelism"), "parallelism", job.report).count(1)
    if ancestor == _TRAINER and policy.present:
        count = policy["numNodes"].count(1)
    if not wanted.present:
        return count
    if policy["mpi"].present:
        if replicated.get("name") != _NODE:
            return count
        # With runLauncherAsNode one of the nodes is the launcher.
        return wanted.count(1) - int(policy["mpi"]["runLauncherAsNode"].flag())
    return wanted.count(1) if ancestor == _TRAINER else count


def _node_containers(job_spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    spec = (job_spec.get("template") or {}).get("spec") or {}
    return [entry for entry in spec.get("containers") or () if entry.get("name") == _NODE]


def _apply_pod_group(job: Job, runtime: Field, replicated: dict[str, Any]) -> None:
    """Name the pod group that gang scheduling outside of Kueue asks for."""
    policy = runtime["podGroupPolicy"]
    template = replicated["template"]["spec"].setdefault("template", {})
    if policy["coscheduling"].present:
        _metadata(template, "labels")[_POD_GROUP_LABEL] = job.name


def _metadata(template: dict[str, Any], name: str) -> dict[str, Any]:
    metadata: dict[str, Any] = template.setdefault("metadata", {})
    entries: dict[str, Any] = metadata.setdefault(name, {})
    return entries
