"""What a run created on a cluster: the only objects that it ever changes or removes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any, Final

from kueuelab.live.access import clean_command
from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import NAMESPACES, WORKLOADS, Json, Resource, resource_of

__all__ = ["RUN_ID", "Ledger", "edit", "not_removed"]

#: Tells the objects of one run from those of another one of the same scenario.
RUN_ID: Final = "kueuelab/run-id"
#: In which order things are removed: who refers to others goes first.
_REMOVED: Final = ("Job", "Workload", "LocalQueue", "ClusterQueue", "Cohort", "AdmissionCheck")
#: How long objects may take to go, and how often they are looked for.
_PATIENCE: Final = 60.0
_PAUSE: Final = 0.5
#: How long a namespace waits for its controller before it is taken for absent.
_CONTROLLER: Final = 10.0
_TRIES: Final = 8
#: Troubles after which it is unknown whether a request was carried out.
_UNANSWERED: Final = ("cut", "timeout", "unreachable", "unavailable")


def edit(
    api: ClusterApi,
    resource: Resource,
    name: str,
    namespace: str,
    change: Callable[[Json], bool],
    *,
    part: str = "",
) -> Json | None:
    """Read an object, change it and write it; again if somebody else was faster.

    Parameters
    ----------
    api
        The cluster.
    resource, name, namespace
        Which object.
    change
        Changes it in place; ``False`` leaves it as it is.
    part
        Which part of it is written, ``"status"`` for instance; the rest if empty.

    Returns
    -------
    dict or None
        The object as it is now; ``None`` if there is none.
    """
    for attempt in range(_TRIES):
        try:
            obj = api.get(resource.path(namespace, name))
        except LiveError as error:
            if error.trouble == "missing":
                return None
            raise
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
        if not change(obj):
            return obj
        try:
            return api.replace(obj, part)
        except LiveError as error:
            if error.trouble == "missing":
                return None
            if error.trouble != "conflict" or attempt == _TRIES - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


class Ledger:
    """Creates objects, and remembers them.

    Parameters
    ----------
    api
        The cluster; it may be written.
    run_id
        What every object of this run bears; made up if empty.
    patience
        How many seconds objects may take to go.
    """

    def __init__(self, api: ClusterApi, run_id: str = "", patience: float = _PATIENCE) -> None:
        self.api = api
        self.run_id = run_id or uuid.uuid4().hex[:12]
        self._patience = patience
        self._objects: dict[tuple[str, str, str], Json] = {}
        #: What was sent and not answered yet: it may be there or not.
        self._unanswered: dict[tuple[str, str, str], Json] = {}

    def __len__(self) -> int:
        return len(self._objects)

    def adopt(self, objects: Iterable[Json]) -> None:
        """Take over what Kueue created for this run, so that it is removed, too."""
        self._objects.update((_key(obj), obj) for obj in objects)

    def find(self, kind: str, name: str, namespace: str = "") -> Json | None:
        """Return an object that this run created."""
        return self._objects.get((kind, namespace, name))

    def create(self, obj: Json) -> Json | None:
        """Create an object; ``None`` if it is a namespace that is there, and stays.

        Raises
        ------
        LiveError
            If there is one, or it is refused.
        """
        meta = obj["metadata"]
        annotations = {**(meta.get("annotations") or {}), RUN_ID: self.run_id}
        sent = {**obj, "metadata": {**meta, "annotations": annotations}}
        key = _key(sent)
        self._unanswered[key] = sent
        try:
            made = self._created(sent)
        except LiveError as error:
            # A 4xx answer means: not created. Without an answer it is unknown.
            if error.trouble not in _UNANSWERED:
                del self._unanswered[key]
            raise
        del self._unanswered[key]
        if made is not None:
            self._objects[key] = {**made, "apiVersion": obj["apiVersion"], "kind": obj["kind"]}
        return made

    def _created(self, obj: Json) -> Json | None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return self.api.create(obj)
            except LiveError as error:
                if error.trouble != "exists":
                    raise
                there = self._read(resource_of(obj), obj["metadata"])
                if there is not None and self._is_mine(there):
                    return there  # the answer to the first attempt was lost
                going = there is None or there["metadata"].get("deletionTimestamp")
                if not going and obj["kind"] == "Namespace":
                    return None
                if not going or time.monotonic() > deadline:
                    name = f"{obj['kind']}/{obj['metadata']['name']}"
                    command = clean_command(self.api.context)
                    hint = f"Rename it; or, left from an earlier run: {command}"
                    message = "it is there already, and nothing that is there is touched"
                    raise LiveError(message, "exists", object=name, hint=hint) from error
            time.sleep(_PAUSE)

    def _is_mine(self, obj: Json) -> bool:
        return (obj["metadata"].get("annotations") or {}).get(RUN_ID) == self.run_id

    def _read(self, resource: Resource, meta: Json) -> Json | None:
        try:
            return self.api.get(resource.path(meta.get("namespace", ""), meta["name"]))
        except LiveError as error:
            if error.trouble == "missing":
                return None
            raise

    def replace(self, obj: Json) -> None:
        """Give an object of this run another spec and other labels; create it if there is none.

        Raises
        ------
        LiveError
            If it is not of this run, or refused.
        """
        meta = obj["metadata"]
        if _key(obj) not in self._objects:
            self.create(obj)
            return

        def change(there: Json) -> bool:
            for field in [f for f in there if f not in _KEPT]:
                del there[field]
            there.update({f: value for f, value in obj.items() if f not in _KEPT})
            there["metadata"]["labels"] = meta["labels"]
            return True

        namespace = meta.get("namespace", "")
        if edit(self.api, resource_of(obj), meta["name"], namespace, change) is None:
            del self._objects[_key(obj)]
            self.create(obj)

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object of this run.

        Raises
        ------
        LiveError
            If it is not of this run.
        """
        obj = self.find(kind, name, namespace)
        if obj is None:
            message = "this run did not create it, so it is not removed"
            raise LiveError(message, "guarded", object=f"{kind}/{name}")
        self.api.delete(resource_of(obj), name, namespace, _uid(obj))

    # --- the end -----------------------------------------------------------------------

    def remove(self, *, without_controllers: bool = False) -> None:
        """Remove exactly what was created, by uid, and wait until it is gone.

        Parameters
        ----------
        without_controllers
            Whether nobody may be there who finishes the removal of a namespace: then that
            is done here, once the namespace is empty.

        Raises
        ------
        LiveError
            If something is still there in the end.
        """
        try:
            self._settle_unanswered()
            remove(
                self.api,
                list(self._objects.values()),
                patience=self._patience,
                without_controllers=without_controllers,
            )
        except LiveError as error:
            raise not_removed(self.api, error) from error
        self._objects.clear()

    def _settle_unanswered(self) -> None:
        for key, obj in list(self._unanswered.items()):
            there = self._read(resource_of(obj), obj["metadata"])
            if there is not None and self._is_mine(there):
                self._objects[key] = {**obj, "metadata": there["metadata"]}
            del self._unanswered[key]


_KEPT: Final = ("apiVersion", "kind", "metadata", "status")


def not_removed(api: ClusterApi, error: LiveError) -> LiveError:
    """Return the error for objects that a run leaves behind; it names the command that helps."""
    message = f"not everything could be removed: {error.problem.message}"
    return LiveError(message, error.trouble, hint=f"Then run: {clean_command(api.context)}")


def _key(obj: Json) -> tuple[str, str, str]:
    meta = obj["metadata"]
    return obj["kind"], meta.get("namespace", ""), meta["name"]


def _uid(obj: Json) -> str:
    return str(obj["metadata"].get("uid") or "")


def rank(obj: Json) -> int:
    """Return when an object is removed: the lowest first."""
    kind = obj["kind"]
    if kind == "Namespace":
        return len(_REMOVED) + 1
    return _REMOVED.index(kind) if kind in _REMOVED else len(_REMOVED)


def remove(
    api: ClusterApi,
    objects: Iterable[Json],
    *,
    patience: float = _PATIENCE,
    without_controllers: bool = False,
) -> None:
    """Remove objects, what belongs to jobs among them too, and wait until they are gone.

    Raises
    ------
    LiveError
        If something could not be removed; the rest is.
    """
    ordered = sorted(objects, key=rank)
    failed: LiveError | None = None
    jobs = [obj for obj in ordered if obj["kind"] == "Job"]
    for obj in ordered:
        if rank(obj) > _REMOVED.index("Workload") and jobs:
            # Where nobody collects garbage, the Workloads of jobs would stay for ever.
            _delete_workloads_of(api, jobs)
            jobs = []
        try:
            _delete(api, obj)
        except LiveError as error:
            failed = failed or error
    if jobs:
        _delete_workloads_of(api, jobs)
    left = _wait_until_gone(api, ordered, patience, without_controllers)
    if failed is None and left:
        names = ", ".join(f"{obj['kind']}/{obj['metadata']['name']}" for obj in left)
        failed = LiveError(f"still there after {patience:g} s: {names}", "timeout")
    if failed is not None:
        raise failed


def _delete(api: ClusterApi, obj: Json) -> None:
    meta = obj["metadata"]
    try:
        api.delete(resource_of(obj), meta["name"], meta.get("namespace", ""), _uid(obj))
    except LiveError as error:
        if error.trouble != "conflict":  # then there is another one of that name by now
            raise


def _delete_workloads_of(api: ClusterApi, jobs: list[Json]) -> None:
    uids = {_uid(job) for job in jobs} - {""}
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
                if waited > min(_CONTROLLER, patience / 2):
                    _let_go(api, obj)
        time.sleep(_PAUSE)


def _is_there(api: ClusterApi, obj: Json) -> bool:
    meta = obj["metadata"]
    try:
        there = api.get(resource_of(obj).path(meta.get("namespace", ""), meta["name"]))
    except LiveError as error:
        return error.trouble != "missing"
    return not _uid(obj) or _uid(there) == _uid(obj)


def _let_go(api: ClusterApi, namespace: Json) -> None:
    """Finish the removal of an empty namespace that no controller looks after."""
    name = namespace["metadata"]["name"]

    def change(there: Json) -> bool:
        status: dict[str, Any] = there.get("status") or {}
        mine = _uid(there) == _uid(namespace) and there["metadata"].get("deletionTimestamp")
        if not mine or status.get("conditions") or api.list(WORKLOADS, name).items:
            return False  # somebody is at work on it, or it is not empty
        there["spec"] = {**(there.get("spec") or {}), "finalizers": []}
        return True

    edit(api, NAMESPACES, name, "", change, part="finalize")
