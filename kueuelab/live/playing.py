"""Playing a scenario on a cluster: create, follow, and leave nothing behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError
from kueuelab.live.following import Following
from kueuelab.live.mirror import Mirror
from kueuelab.live.requests import RUN_LABEL, Request, requests_of, setup_of
from kueuelab.live.resources import JOBS, READ, Json, resource_of
from kueuelab.manifests import ScenarioSpec

__all__ = ["clean", "play"]

#: In which order things are removed: who refers to others goes first.
_REMOVED: Final = ("Job", "LocalQueue", "ClusterQueue", "Cohort", "AdmissionCheck")


def play(
    api: ClusterApi,
    spec: ScenarioSpec,
    *,
    seconds: float = 600.0,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Mirror:
    """Play a scenario's timeline on a cluster, and return what followed it.

    Parameters
    ----------
    api
        The cluster; it may be written, and is closed at the end.
    spec
        The scenario.
    seconds
        How long it may take; then it is ended, whatever still runs.
    tell
        Told what is done.

    Raises
    ------
    InputError
        If the scenario can't be played on a cluster; nothing has been written then.
    LiveError
        If the cluster refuses something. What was created is removed all the same.
    """
    requests, setup = requests_of(spec), setup_of(spec)
    created: list[Json] = []
    following: Following | None = None
    try:
        for obj in setup:
            _create(api, obj, created)
        tell(f"{len(created)} objects are created")
        following = Following(api)
        _follow_timeline(api, following, requests, created, seconds, tell)
        mirror = following.mirror
        mirror.settle()
        return mirror
    finally:
        try:
            tell("clean up")
            _remove(api, created)
        finally:
            if following is not None:
                following.close()
            else:
                api.close()


def _create(api: ClusterApi, obj: Json, created: list[Json]) -> None:
    try:
        created.append({**api.create(obj), "apiVersion": obj["apiVersion"], "kind": obj["kind"]})
    except LiveError as error:
        # A namespace may be shared; it stays when the run is over.
        if error.trouble == "exists" and obj["kind"] == "Namespace":
            return
        if error.trouble == "exists":
            name = f"{obj['kind']}/{obj['metadata']['name']}"
            hint = "Rename it in the scenario; or, left from an earlier run: kueuelab live clean"
            message = "it is there already, and nothing that is there is touched"
            raise LiveError(message, "exists", object=name, hint=hint) from error
        raise


def _follow_timeline(
    api: ClusterApi,
    following: Following,
    requests: list[Request],
    created: list[Json],
    seconds: float,
    tell: Callable[[str], None],
) -> None:
    began = time.monotonic()
    for request in requests:
        following.follow(max(0.0, began + request.at / 1e9 - time.monotonic()))
        meta = request.job["metadata"]
        name = f"{meta['namespace']}/{meta['name']}"
        tell(f"{time.monotonic() - began:5.1f}s {'delete' if request.deletes else 'submit'} {name}")
        if request.deletes:
            api.delete(JOBS, meta["name"], meta["namespace"])
        else:
            _create(api, request.job, created)
    wanted = {_name(each.job) for each in requests if not each.deletes}
    wanted -= {_name(each.job) for each in requests if each.deletes}
    if not _all_finished(following, wanted):
        for _ in following.changes(began + seconds - time.monotonic()):
            if _all_finished(following, wanted):
                return
    if not _all_finished(following, wanted):
        tell(f"ended after {seconds:g} s, before all jobs have finished")


def _name(job: Json) -> str:
    return f"{job['metadata']['namespace']}/{job['metadata']['name']}"


def _all_finished(following: Following, jobs: set[str]) -> bool:
    finished: set[str] = set()
    for workload in following.mirror.seen.values():
        if any(c.type == "Finished" and c.status == "True" for c in workload.status.conditions):
            owners = workload.metadata.owner_references
            finished.update(f"{workload.namespace}/{owner.name}" for owner in owners)
    return jobs <= finished


def _rank(obj: Json) -> int:
    kind = obj["kind"]
    if kind == "Namespace":
        return len(_REMOVED) + 1
    return _REMOVED.index(kind) if kind in _REMOVED else len(_REMOVED)


def _remove(api: ClusterApi, created: list[Json]) -> None:
    """Remove exactly what was created: by uid, so that nothing else of that name goes."""
    failed: LiveError | None = None
    for obj in sorted(created, key=_rank):
        meta = obj["metadata"]
        resource = resource_of(obj)
        uid = str(meta.get("uid") or "")
        try:
            api.delete(resource, meta["name"], meta.get("namespace", ""), uid)
        except LiveError as error:
            # By now there is another one of that name, or the rest can still be removed.
            if error.trouble != "conflict":
                failed = failed or error
    if failed is not None:
        hint = f"Then run: kueuelab live clean --context {api.context}"
        message = f"not everything could be removed: {failed.problem.message}"
        raise LiveError(message, failed.trouble, hint=hint)


def clean(api: ClusterApi) -> list[str]:
    """Remove what runs left behind, and nothing else; return what was removed.

    Raises
    ------
    LiveError
        If something can't be removed.
    """
    left: list[Json] = []
    for resource in served(api, READ):
        if resource.kind == "Workload":
            continue  # they go with their jobs
        try:
            items = api.list(resource, query={"labelSelector": RUN_LABEL}).items
        except LiveError as error:
            if error.trouble not in ("forbidden", "missing"):
                raise
            continue
        left += [{**item, "kind": resource.kind} for item in items if _is_ours(item)]
    _remove(api, left)
    return [f"{obj['kind']}/{obj['metadata']['name']}" for obj in sorted(left, key=_rank)]


def _is_ours(obj: Json) -> bool:
    labels = obj["metadata"].get("labels") or {}
    return RUN_LABEL in labels and labels.get("app.kubernetes.io/managed-by") == "kueuelab"
