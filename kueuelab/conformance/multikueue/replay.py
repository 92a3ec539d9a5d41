"""Replaying the timeline of a recorded scenario on a cluster set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from typing import Any, Final

from kueuelab.conformance.cases import Json
from kueuelab.conformance.multikueue.recording import RaceOutcomes, Recording
from kueuelab.errors import NotModelledError
from kueuelab.manifests import read_object
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.jobs import kind_of
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSet, PodPlan
from kueuelab.multikueue.fact_texts import plain_name
from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["check_operations", "replay"]

_FIELD_MANAGER: Final = "kueue-admission"


def replay(recording: Recording, outcomes: RaceOutcomes | None = None) -> ClusterSet:
    """Play a recorded timeline to its end; the facts are in the cluster set's log."""
    cluster_set = recording.cluster_set(outcomes)
    start = cluster_set.now
    for operation in recording.timeline:
        act = partial(_OPERATIONS[operation["op"]], cluster_set, recording, operation)
        cluster_set.loop.at(start + round(float(operation["at"]) * SECOND), act)
    cluster_set.run_until(start + round(recording.end * SECOND))
    return cluster_set


def _create(cluster_set: ClusterSet, recording: Recording, operation: Json) -> None:
    obj = deepcopy(operation["object"])
    cluster = operation["cluster"]
    if kind_of(str(obj.get("apiVersion")), str(obj.get("kind"))) is not None:
        obj["metadata"].setdefault("namespace", recording.namespace)
        cluster_set.submit(cluster, obj, PodPlan.of(operation.get("pods") or {}))
    else:
        cluster_set.apply(cluster, read_object(obj, namespace=recording.namespace))  # type: ignore[arg-type]


def _delete(cluster_set: ClusterSet, recording: Recording, operation: Json) -> None:
    kind, name = _target(operation)
    cluster = operation["cluster"]
    namespace, _, plain = name.rpartition("/")
    if kind == "Workload":
        cluster_set.delete_workload(cluster, _workload(cluster_set.member(cluster), name))
    elif f"{kind}/{name}" in cluster_set.member(cluster).jobs:
        cluster_set.delete_job(cluster, f"{kind}/{name}")
    else:
        cluster_set.remove(cluster, kind, plain, namespace)


def _patch(cluster_set: ClusterSet, recording: Recording, operation: Json) -> None:
    kind, name = _target(operation)
    member, patch = cluster_set.member(operation["cluster"]), operation["patch"]
    if kind == "Workload":
        _patch_workload(cluster_set, member, _workload(member, name), operation)
    elif f"{kind}/{name}" in member.jobs:
        _patch_job(member, f"{kind}/{name}", patch)
    else:
        obj = member.cluster.objects.require(kind, name)
        merged = _merged(encode_object(obj), patch)
        cluster_set.apply(member.name, read_object(merged, namespace=recording.namespace))  # type: ignore[arg-type]


def _patch_job(member: MemberCluster, key: str, patch: Mapping[str, Any]) -> None:
    labels = (patch.get("metadata") or {}).get("labels") or {}
    if labels:
        member.relabel_job(member.job(key), labels)
    suspend = (patch.get("spec") or {}).get("suspend")
    if suspend is not None:
        member.write_job(member.job(key), suspend=bool(suspend))


def _patch_workload(
    cluster_set: ClusterSet, member: MemberCluster, key: str, operation: Json
) -> None:
    patch = operation["patch"]
    active = (patch.get("spec") or {}).get("active")
    if active is not None:
        cluster_set.set_active(member.name, key, bool(active))
    status = patch.get("status") or {}
    if "nominatedClusterNames" in status:
        # Kueue can reset what was applied in its name, and nothing else.
        applied = str(operation.get("patchType", "merge")).startswith("apply")
        by_dispatcher = applied and operation.get("fieldManager") == _FIELD_MANAGER
        cluster_set.nominate(key, status["nominatedClusterNames"] or [], foreign=not by_dispatcher)


def _merged(value: Any, patch: Any) -> Any:
    """Apply a JSON merge patch."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(value) if isinstance(value, Mapping) else {}
    for name, part in patch.items():
        if part is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), part)
    return merged


def _set_check(cluster_set: ClusterSet, recording: Recording, operation: Json) -> None:
    member = cluster_set.member(operation["cluster"])
    key = _workload(member, _target(operation)[1])
    cluster_set.set_check(
        member.name, key, operation["check"], operation["state"], operation.get("message", "")
    )


def _target(operation: Json) -> tuple[str, str]:
    kind, _, name = str(operation["target"]).partition(" ")
    return kind, name


def _workload(member: MemberCluster, name: str) -> str:
    """Return the key of a Workload that is named without its hash."""
    namespace, _, plain = name.rpartition("/")
    for key in member.workloads:
        if key == name or key == f"{namespace}/{plain}":
            return key
        if key.startswith(f"{namespace}/") and plain_name(key.rpartition("/")[2]) == plain:
            return key
    return name


def _on_cluster(method: str) -> Callable[[ClusterSet, Recording, Json], None]:
    def act(cluster_set: ClusterSet, recording: Recording, operation: Json) -> None:
        getattr(cluster_set, method)(operation["cluster"])

    return act


def _set_kubeconfig(cluster_set: ClusterSet, recording: Recording, operation: Json) -> None:
    cluster_set.set_kubeconfig(operation["cluster"], operation["kubeconfig"])


_OPERATIONS: Final[Mapping[str, Callable[[ClusterSet, Recording, Json], None]]] = {
    "create": _create,
    "delete": _delete,
    "patch": _patch,
    "set-check": _set_check,
    "disconnect": _on_cluster("disconnect"),
    "reconnect": _on_cluster("reconnect"),
    "set-kubeconfig": _set_kubeconfig,
    "restart-kueue": _on_cluster("restart_kueue"),
    "stop-kueue": _on_cluster("stop_kueue"),
    "start-kueue": _on_cluster("start_kueue"),
}


def check_operations(recording: Recording) -> None:
    """Make sure that all operations are known.

    Raises
    ------
    NotModelledError
        Naming the first that isn't.
    """
    for operation in recording.timeline:
        if operation.get("op") not in _OPERATIONS:
            raise NotModelledError(str(operation.get("op")))
