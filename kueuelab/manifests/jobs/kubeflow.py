"""Kubeflow's training jobs and MPIJob: replica types in the order Kueue gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.builder import PodSetDraft, draft
from kueuelab.manifests.jobs.cluster_context import ClusterContext
from kueuelab.manifests.jobs.job import Job
from kueuelab.manifests.jobs.reading import Field
from kueuelab.messages import Message

__all__ = ["pod_sets", "priority_class"]

_REPLICA_INDEX_LABEL: Final = "training.kubeflow.org/replica-index"


@dataclass(frozen=True, slots=True)
class _Replicas:
    """Where a kind keeps its replicas, and the order of their types."""

    field: str
    types: tuple[str, ...]


_MASTER_WORKER: Final = ("Master", "Worker")
_REPLICAS: Final[Mapping[str, _Replicas]] = MappingProxyType(
    {
        "PyTorchJob": _Replicas("pytorchReplicaSpecs", _MASTER_WORKER),
        "TFJob": _Replicas("tfReplicaSpecs", ("Chief", "Master", "PS", "Worker", "Evaluator")),
        "XGBoostJob": _Replicas("xgbReplicaSpecs", _MASTER_WORKER),
        "PaddleJob": _Replicas("paddleReplicaSpecs", _MASTER_WORKER),
        "JAXJob": _Replicas("jaxReplicaSpecs", ("Worker",)),
        "MPIJob": _Replicas("mpiReplicaSpecs", ("Launcher", "Worker")),
    }
)


def _replicas(job: Job) -> list[tuple[str, Field]]:
    replicas = _REPLICAS[job.kind.kind]
    specs = job.spec[replicas.field]
    return [(name, specs[name]) for name in replicas.types if specs[name].present]


def pod_sets(job: Job, cluster_context: ClusterContext) -> Sequence[PodSetDraft]:
    """Return one pod set per replica type."""
    _check_types(job)
    drafts = [
        draft(
            name,
            spec["replicas"].count(1),
            spec["template"],
            pod_index_label=_REPLICA_INDEX_LABEL,
        )
        for name, spec in _replicas(job)
    ]
    if job.kind.kind == "MPIJob" and job.spec["runLauncherAsWorker"].flag():
        _offset_workers(job, drafts)
    return drafts


def _check_types(job: Job) -> None:
    replicas = _REPLICAS[job.kind.kind]
    specs = job.spec[replicas.field]
    for name in specs.mapping():
        if name not in replicas.types:
            specs[name].problem(f'Unsupported value: "{name}"', _known_types(replicas.types))
    if not any(name in replicas.types for name in specs.mapping()):
        specs.problem("Required value", _known_types(replicas.types))


def _known_types(types: Sequence[str]) -> str:
    return Message("manifests.kubeflow.replica-types.hint", types=", ".join(types))


def _offset_workers(job: Job, drafts: Sequence[PodSetDraft]) -> None:
    """Shift the workers' ranks by one: the launcher has rank 0."""
    if not job.gates["TopologyAwareScheduling"] or len(drafts) != 2:
        return
    launcher, worker = (item.template["metadata"]["annotations"] for item in drafts)
    if constants.POD_SET_GROUP not in launcher:
        worker[constants.POD_INDEX_OFFSET] = "1"


def priority_class(job: Job) -> str:
    """Return the PriorityClass of the scheduling policy, or the first that a replica names."""
    policy = job.spec["runPolicy"]["schedulingPolicy"]["priorityClass"].text()
    if policy:
        return policy
    names = (spec.at("template", "spec", "priorityClassName").text() for _, spec in _replicas(job))
    return next((name for name in names if name), "")
