"""What a run created on a cluster: the only objects that it changes or removes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from typing import Final

from kueuelab.live.access import clean_command
from kueuelab.live.api import ClusterApi
from kueuelab.live.editing import update_object
from kueuelab.live.errors import LiveError
from kueuelab.live.removal import REMOVAL_SECONDS, not_removed, remove, uid_of
from kueuelab.live.resources import Json, Resource, resource_of
from kueuelab.live.run_identity import RUN_ID, run_of
from kueuelab.messages import Message

__all__ = ["CreatedObjects"]

_POLL_INTERVAL: Final = 0.5
#: How many seconds after an interrupt a server may still carry out the request that it cut off.
_IN_FLIGHT: Final = 5.0
#: Errors after which it is unknown whether a request was carried out.
_OUTCOME_UNKNOWN: Final = ("cut", "timeout", "unreachable", "unavailable")
#: Fields that :meth:`CreatedObjects.replace` does not write.
_KEPT: Final = ("apiVersion", "kind", "metadata", "status")


class CreatedObjects:
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

    def __init__(
        self, api: ClusterApi, run_id: str = "", patience: float = REMOVAL_SECONDS
    ) -> None:
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
            if error.trouble not in _OUTCOME_UNKNOWN:
                del self._unanswered[key]
            raise
        # Known before it is no longer looked for: an interrupt may come in between.
        if made is not None:
            self._objects[key] = {**made, "apiVersion": obj["apiVersion"], "kind": obj["kind"]}
        del self._unanswered[key]
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
                going = _is_leaving(there)
                if there is not None and not going and self._is_mine(there):
                    return there  # the answer to the first attempt was lost
                if not going and obj["kind"] == "Namespace":
                    return None
                if not going or time.monotonic() > deadline:
                    name = f"{obj['kind']}/{obj['metadata']['name']}"
                    command = clean_command(self.api.context)
                    hint = Message("live.created.exists.hint", command=command)
                    message = Message("live.exists")
                    raise LiveError(message, "exists", object=name, hint=hint) from error
            time.sleep(_POLL_INTERVAL)

    def _is_mine(self, obj: Json) -> bool:
        return run_of(obj) == self.run_id

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
        if update_object(self.api, resource_of(obj), meta["name"], namespace, change) is None:
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
            message = Message("live.created.not-ours")
            raise LiveError(message, "guarded", object=f"{kind}/{name}")
        self.api.delete(resource_of(obj), name, namespace, uid_of(obj))

    # --- the end -----------------------------------------------------------------------

    def remove(self, *, without_controllers: bool = False) -> None:
        """Remove exactly what was created, by uid, and wait until it is gone.

        Parameters
        ----------
        without_controllers
            Whether the controller that finishes the removal of a namespace may be missing: then
            that is done here, once the namespace is empty.

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
        deadline = time.monotonic() + _IN_FLIGHT
        for key, obj in list(self._unanswered.items()):
            there = self._read(resource_of(obj), obj["metadata"])
            # An object of the same name that is being deleted hides one that comes after it.
            while _is_leaving(there) and time.monotonic() < deadline:
                time.sleep(_POLL_INTERVAL)
                there = self._read(resource_of(obj), obj["metadata"])
            if there is not None and self._is_mine(there):
                self._objects[key] = {**obj, "metadata": there["metadata"]}
            del self._unanswered[key]


def _is_leaving(obj: Json | None) -> bool:
    return obj is None or bool(obj["metadata"].get("deletionTimestamp"))


def _key(obj: Json) -> tuple[str, str, str]:
    meta = obj["metadata"]
    return obj["kind"], meta.get("namespace", ""), meta["name"]
