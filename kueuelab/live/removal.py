"""Removing objects from a cluster, and waiting until they are gone."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

from kueuelab.live.access import clean_command
from kueuelab.live.api import ClusterApi
from kueuelab.live.editing import update_object
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import NAMESPACES, WORKLOADS, Json, resource_of
from kueuelab.live.run_identity import run_of
from kueuelab.messages import Message

__all__ = ["REMOVAL_SECONDS", "not_removed", "removal_rank", "remove", "uid_of"]

#: How many seconds the removal of objects may take.
REMOVAL_SECONDS: Final = 60.0
#: The order of removal: an object that refers to others is removed before them.
_REMOVAL_ORDER: Final = (
    "Job",
    "Workload",
    "LocalQueue",
    "ClusterQueue",
    "Cohort",
    "AdmissionCheck",
)
_POLL_INTERVAL: Final = 0.5
#: After how many seconds a namespace is taken to have no controller.
_CONTROLLER_SECONDS: Final = 10.0


def not_removed(api: ClusterApi, error: LiveError) -> LiveError:
    """Return the error for objects that a run leaves behind; it names the command that helps."""
    message = Message("live.remove.incomplete", error=error.problem.message)
    return LiveError(
        message,
        error.trouble,
        hint=Message("live.remove.command", command=clean_command(api.context)),
    )


def uid_of(obj: Json) -> str:
    """Return the uid of an object; ``""`` if it has none."""
    return str(obj["metadata"].get("uid") or "")


def removal_rank(obj: Json) -> int:
    """Return when an object is removed: the lowest first."""
    kind = obj["kind"]
    if kind == "Namespace":
        return len(_REMOVAL_ORDER) + 1
    return _REMOVAL_ORDER.index(kind) if kind in _REMOVAL_ORDER else len(_REMOVAL_ORDER)


def remove(
    api: ClusterApi,
    objects: Iterable[Json],
    *,
    patience: float = REMOVAL_SECONDS,
    without_controllers: bool = False,
) -> None:
    """Remove objects, what belongs to jobs among them too, and wait until they are gone.

    Raises
    ------
    LiveError
        If something could not be removed; the rest is.
    """
    ordered = sorted(objects, key=removal_rank)
    failed: LiveError | None = None
    deleted: list[Json] = []
    jobs = [obj for obj in ordered if obj["kind"] == "Job"]
    for obj in ordered:
        if removal_rank(obj) > _REMOVAL_ORDER.index("Workload") and jobs:
            # Without a garbage collector, the Workloads of jobs would never be removed.
            _delete_workloads_of(api, jobs)
            jobs = []
        try:
            _delete(api, obj)
            deleted.append(obj)
        except LiveError as error:
            failed = failed or error
    if jobs:
        _delete_workloads_of(api, jobs)
    left = _wait_until_gone(api, deleted, patience, without_controllers)
    if failed is None and left:
        names = ", ".join(f"{obj['kind']}/{obj['metadata']['name']}" for obj in left)
        failed = LiveError(
            Message("live.remove.timeout", patience=f"{patience:g}", names=names), "timeout"
        )
    if failed is not None:
        raise failed


def _delete(api: ClusterApi, obj: Json) -> None:
    meta = obj["metadata"]
    try:
        api.delete(resource_of(obj), meta["name"], meta.get("namespace", ""), uid_of(obj))
    except LiveError as error:
        if error.trouble != "conflict":  # then there is another one of that name by now
            raise


def _delete_workloads_of(api: ClusterApi, jobs: list[Json]) -> None:
    uids = {uid_of(job) for job in jobs} - {""}
    for namespace in sorted({job["metadata"].get("namespace", "") for job in jobs}):
        try:
            workloads = api.list(WORKLOADS, namespace).items
        except LiveError as error:
            if error.trouble in ("missing", "forbidden"):
                continue
            raise
        for workload in workloads:
            owners = workload["metadata"].get("ownerReferences") or ()
            if any(owner.get("uid") in uids for owner in owners):
                _delete(api, {**workload, "kind": "Workload"})


def _wait_until_gone(
    api: ClusterApi, objects: list[Json], patience: float, without_controllers: bool
) -> list[Json]:
    """Wait, and return what is still there."""
    began = time.monotonic()
    while True:
        objects = [obj for obj in objects if _is_there(api, obj)]
        waited = time.monotonic() - began
        if not objects or waited > patience:
            return objects
        if without_controllers and all(obj["kind"] == "Namespace" for obj in objects):
            for obj in objects:
                if waited > min(_CONTROLLER_SECONDS, patience / 2):
                    _finalize(api, obj)
        time.sleep(_POLL_INTERVAL)


def _is_there(api: ClusterApi, obj: Json) -> bool:
    meta = obj["metadata"]
    try:
        there = api.get(resource_of(obj).path(meta.get("namespace", ""), meta["name"]))
    except LiveError as error:
        return error.trouble != "missing"
    if not uid_of(obj) or uid_of(there) == uid_of(obj):
        return True
    if not run_of(obj) or run_of(there) != run_of(obj):
        return False
    # The creation was sent twice, and the first request was carried out after the second object
    # was deleted.
    _delete(api, {**there, "apiVersion": obj["apiVersion"], "kind": obj["kind"]})
    return True


def _finalize(api: ClusterApi, namespace: Json) -> None:
    """Finish the removal of an empty namespace that no controller looks after."""
    name = namespace["metadata"]["name"]

    def change(there: Json) -> bool:
        status: dict[str, Any] = there.get("status") or {}
        mine = uid_of(there) == uid_of(namespace) and there["metadata"].get("deletionTimestamp")
        if not mine or status.get("conditions") or api.list(WORKLOADS, name).items:
            return False  # another client is deleting it, or it is not empty
        there["spec"] = {**(there.get("spec") or {}), "finalizers": []}
        return True

    update_object(api, NAMESPACES, name, "", change, part="finalize")
