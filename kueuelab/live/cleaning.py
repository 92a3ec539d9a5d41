"""Removing the objects that ended runs left on a cluster, and nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kueuelab.live.api import ClusterApi
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError
from kueuelab.live.job_player import is_nodeless
from kueuelab.live.lease import going_runs, leases_of_runs
from kueuelab.live.removal import removal_rank, remove
from kueuelab.live.requests import RUN_LABEL
from kueuelab.live.resources import LEASES, NODE_LEASES, READ, WORKLOADS, Json
from kueuelab.live.run_identity import run_of
from kueuelab.messages import Message

__all__ = ["Cleaned", "clean"]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was removed, and the runs that are still going and keep their objects.

    Attributes
    ----------
    removed
        The objects, as ``Kind/name``.
    going
        A sentence for each run that is still going.
    """

    removed: tuple[str, ...] = ()
    going: tuple[str, ...] = ()


def clean(api: ClusterApi, patience: float = 60.0, *, force: bool = False) -> Cleaned:
    """Remove the objects that runs left, and nothing else.

    Parameters
    ----------
    api
        The cluster; it may be written.
    patience
        How many seconds objects may take to go.
    force
        Whether objects of runs that are still going are removed, too.

    Raises
    ------
    LiveError
        If something can't be removed.
    """
    leases = leases_of_runs(api)
    going = set() if force else going_runs(api, leases)
    found = _objects(api)
    spared = [obj for obj in found if run_of(obj) in going]
    # A namespace of an ended run can contain objects of a run that is still going.
    homes = {obj["metadata"].get("namespace") for obj in spared} - {None}
    dead = [
        obj
        for obj in found
        if run_of(obj) not in going
        and not (obj["kind"] == "Namespace" and obj["metadata"]["name"] in homes)
    ]
    dead += _workloads_in_namespaces(api, dead)
    try:
        played = bool(dead) and is_nodeless(api)
    except LiveError as error:
        if error.trouble != "forbidden":
            raise
        played = False
    try:
        remove(api, dead, patience=patience, without_controllers=played)
        expired = [lease for lease in leases if run_of(lease) not in going]
        remove(api, expired, patience=patience)
    except LiveError as error:
        message = Message("live.remove.incomplete", error=error.problem.message)
        raise LiveError(message, error.trouble, hint=Message("live.remove.again")) from error
    counts = Counter(run_of(obj) for obj in spared)
    names = {run_of(lease): lease["metadata"]["labels"][RUN_LABEL] for lease in leases}
    return Cleaned(
        tuple(f"{obj['kind']}/{obj['metadata']['name']}" for obj in sorted(dead, key=removal_rank)),
        tuple(
            Message("live.remove.in-progress", run=names[run], count=counts[run])
            for run in sorted(going)
        ),
    )


def _objects(api: ClusterApi) -> list[Json]:
    """Return all objects of runs."""
    found: list[Json] = []
    for resource in served(api, READ):
        try:
            items = api.list(resource, query={"labelSelector": RUN_LABEL}).items
        except LiveError as error:
            if error.trouble not in ("forbidden", "missing"):
                raise
            continue
        found += [{**item, "kind": resource.kind} for item in items if _is_ours(item)]
    return [*found, *_leases_of_nodes(api)]


def _leases_of_nodes(api: ClusterApi) -> list[Json]:
    """Return the Leases of the nodes that runs created."""
    try:
        items = api.list(LEASES, NODE_LEASES, {"labelSelector": RUN_LABEL}).items
    except LiveError as error:
        if error.trouble not in ("forbidden", "missing"):
            raise
        return []
    kind = {"apiVersion": LEASES.api_version, "kind": LEASES.kind}
    return [{**item, **kind} for item in items if _is_ours(item)]


def _workloads_in_namespaces(api: ClusterApi, objects: list[Json]) -> list[Json]:
    """Return the objects of jobs in namespaces that are removed: they can block the removal."""
    known = {obj["metadata"]["uid"] for obj in objects}
    return [
        {**item, "kind": "Workload"}
        for obj in objects
        if obj["kind"] == "Namespace"
        for item in api.list(WORKLOADS, obj["metadata"]["name"]).items
        if item["metadata"]["uid"] not in known
    ]


def _is_ours(obj: Json) -> bool:
    labels = obj["metadata"].get("labels") or {}
    return RUN_LABEL in labels and labels.get("app.kubernetes.io/managed-by") == "kueuelab"
