"""Replaying the timeline of a recorded scenario on a world."""

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
from kueuelab.multikueue import PodPlan, World
from kueuelab.multikueue.facts import plain_name
from kueuelab.multikueue.site import Site

__all__ = ["check_operations", "replay"]

_FIELD_MANAGER: Final = "kueue-admission"


def replay(recording: Recording, outcomes: RaceOutcomes | None = None) -> World:
    """Play a recorded timeline to its end; the facts are in the world's log."""
    world = recording.world(outcomes)
    start = world.now
    for operation in recording.timeline:
        act = partial(_OPERATIONS[operation["op"]], world, recording, operation)
        world.loop.at(start + round(float(operation["at"]) * SECOND), act)
    world.run_until(start + round(recording.end * SECOND))
    return world


def _create(world: World, recording: Recording, operation: Json) -> None:
    obj = deepcopy(operation["object"])
    cluster = operation["cluster"]
    if kind_of(str(obj.get("apiVersion")), str(obj.get("kind"))) is not None:
        obj["metadata"].setdefault("namespace", recording.namespace)
        world.submit(cluster, obj, PodPlan.of(operation.get("pods") or {}))
    else:
        world.apply(cluster, read_object(obj, namespace=recording.namespace))  # type: ignore[arg-type]


def _delete(world: World, recording: Recording, operation: Json) -> None:
    kind, name = _target(operation)
    cluster = operation["cluster"]
    namespace, _, plain = name.rpartition("/")
    if kind == "Workload":
        world.delete_workload(cluster, _workload(world.site(cluster), name))
    elif f"{kind}/{name}" in world.site(cluster).jobs:
        world.delete_job(cluster, f"{kind}/{name}")
    else:
        world.remove(cluster, kind, plain, namespace)


def _patch(world: World, recording: Recording, operation: Json) -> None:
    kind, name = _target(operation)
    site, patch = world.site(operation["cluster"]), operation["patch"]
    if kind == "Workload":
        _patch_workload(world, site, _workload(site, name), operation)
    elif f"{kind}/{name}" in site.jobs:
        _patch_job(site, f"{kind}/{name}", patch)
    else:
        obj = site.cluster.objects.require(kind, name)
        merged = _merged(encode_object(obj), patch)
        world.apply(site.name, read_object(merged, namespace=recording.namespace))  # type: ignore[arg-type]


def _patch_job(site: Site, key: str, patch: Mapping[str, Any]) -> None:
    labels = (patch.get("metadata") or {}).get("labels") or {}
    if labels:
        site.relabel_job(site.job(key), labels)
    suspend = (patch.get("spec") or {}).get("suspend")
    if suspend is not None:
        site.write_job(site.job(key), suspend=bool(suspend))


def _patch_workload(world: World, site: Site, key: str, operation: Json) -> None:
    patch = operation["patch"]
    active = (patch.get("spec") or {}).get("active")
    if active is not None:
        world.set_active(site.name, key, bool(active))
    status = patch.get("status") or {}
    if "nominatedClusterNames" in status:
        # Kueue can reset what was applied in its name, and nothing else.
        applied = str(operation.get("patchType", "merge")).startswith("apply")
        by_dispatcher = applied and operation.get("fieldManager") == _FIELD_MANAGER
        world.nominate(key, status["nominatedClusterNames"] or [], foreign=not by_dispatcher)


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


def _set_check(world: World, recording: Recording, operation: Json) -> None:
    site = world.site(operation["cluster"])
    key = _workload(site, _target(operation)[1])
    world.set_check(
        site.name, key, operation["check"], operation["state"], operation.get("message", "")
    )


def _target(operation: Json) -> tuple[str, str]:
    kind, _, name = str(operation["target"]).partition(" ")
    return kind, name


def _workload(site: Site, name: str) -> str:
    """Return the key of a Workload that is named without its hash."""
    namespace, _, plain = name.rpartition("/")
    for key in site.workloads:
        if key == name or key == f"{namespace}/{plain}":
            return key
        if key.startswith(f"{namespace}/") and plain_name(key.rpartition("/")[2]) == plain:
            return key
    return name


def _on_cluster(method: str) -> Callable[[World, Recording, Json], None]:
    def act(world: World, recording: Recording, operation: Json) -> None:
        getattr(world, method)(operation["cluster"])

    return act


def _set_kubeconfig(world: World, recording: Recording, operation: Json) -> None:
    world.set_kubeconfig(operation["cluster"], operation["kubeconfig"])


_OPERATIONS: Final[Mapping[str, Callable[[World, Recording, Json], None]]] = {
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
