"""Nodes of a scenario on a cluster: Node objects that no kubelet stands for.

They carry what Kueue places pods by: labels, taints, what they can hold, and whether they are
ready. No pod runs there. A cluster's node controller takes a node whose kubelet is silent for not
ready, so each node has a Lease that is renewed as long as the run goes on. Nodes and Leases are
objects of the run: they are removed with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.conditions import is_true_of
from kueuelab.live.created_objects import CreatedObjects
from kueuelab.live.editing import update_object
from kueuelab.live.errors import LiveError
from kueuelab.live.lease import micro_time
from kueuelab.live.requests import MANAGED_BY, RUN_LABEL
from kueuelab.live.resources import LEASES, NODE_LEASES, NODES, Json
from kueuelab.model.times import format_time

__all__ = ["FakeNodes"]

#: How often the Leases are renewed. A node controller waits 50 s for that.
_RENEWED: Final = 10.0
_DURATION: Final = 40
#: Taints that the cluster itself sets and takes away.
_OF_CLUSTER: Final = "node.kubernetes.io/"
_NOT_READY: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class FakeNodes:
    """The nodes of a run on one cluster.

    Parameters
    ----------
    api
        The cluster; it may be written.
    created
        Remembers what is created, so that it is removed with the run.
    """

    def __init__(self, api: ClusterApi, created: CreatedObjects) -> None:
        self._api, self._created = api, created
        self._names: dict[str, None] = {}
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None

    def create(self, node: Json) -> None:
        """Create a node with its Lease, and report its status as a kubelet does.

        Raises
        ------
        LiveError
            If there is one of that name, or it is refused.
        """
        meta = node["metadata"]
        made = self._created.create({**_without_status(node), "spec": _spec(node)})
        owner = {
            "apiVersion": NODES.api_version,
            "kind": NODES.kind,
            "name": meta["name"],
            "uid": "" if made is None else made["metadata"]["uid"],
        }
        self._created.create(_lease(meta["name"], meta.get("labels") or {}, owner))
        self._report(node)
        with self._lock:
            self._names[meta["name"]] = None
        if self._thread is None:
            thread = Thread(target=self._renew, name="fake-nodes", daemon=True)
            thread.start()  # an interrupt in here leaves one that cannot be joined
            self._thread = thread

    def change(self, node: Json) -> None:
        """Give a node of the run other labels, taints or another status; create it if it is new.

        Raises
        ------
        LiveError
            If it is refused.
        """
        name = node["metadata"]["name"]
        if self._created.find("Node", name) is None:
            self.create(node)
            return
        self._report(node)

    def remove(self, name: str) -> None:
        """Remove a node of the run, and its Lease.

        Raises
        ------
        LiveError
            If it is not of the run.
        """
        with self._lock:
            self._names.pop(name, None)
        self._created.delete("Node", name)
        self._created.delete("Lease", name, NODE_LEASES)

    def close(self) -> None:
        """Stop renewing the Leases."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    # --- what a kubelet does -----------------------------------------------------------

    def _report(self, node: Json) -> None:
        """Write the status, then the rest: a node that is ready has no taint that says otherwise.

        An API server gives a new node the taint ``not-ready``. A node controller takes it away,
        where there is one.
        """
        name, ready = node["metadata"]["name"], is_true_of(node, "Ready")

        def status(there: Json) -> bool:
            known = there.get("status") or {}
            wanted = _status(node, known.get("conditions") or ())
            there["status"] = {**known, **wanted}
            return True

        def rest(there: Json) -> bool:
            spec = there.get("spec") or {}
            kept = [
                taint
                for taint in spec.get("taints") or ()
                if taint["key"].startswith(_OF_CLUSTER)
                and not (ready and taint["key"] in _NOT_READY)
            ]
            there["spec"] = {**spec, **_spec(node)}
            there["spec"]["taints"] = [*_spec(node)["taints"], *kept]
            there["metadata"]["labels"] = {
                **(there["metadata"].get("labels") or {}),
                **(node["metadata"].get("labels") or {}),
            }
            return True

        update_object(self._api, NODES, name, "", status, part="status")
        update_object(self._api, NODES, name, "", rest)

    def _renew(self) -> None:
        def change(lease: Json) -> bool:
            lease["spec"]["renewTime"] = micro_time(time.time_ns())
            return True

        while not self._stop.wait(_RENEWED):
            with self._lock:
                names = list(self._names)
            for name in names:
                if self._stop.is_set():
                    return
                # What fails is tried again the next time.
                with suppress(LiveError):
                    update_object(self._api, LEASES, name, NODE_LEASES, change)


def _without_status(node: Json) -> Json:
    return {field: value for field, value in node.items() if field != "status"}


def _spec(node: Json) -> Json:
    spec = node.get("spec") or {}
    unschedulable = bool(spec.get("unschedulable"))
    return {"taints": list(spec.get("taints") or ()), "unschedulable": unschedulable}


def _status(node: Json, before: Iterable[Json]) -> Json:
    """Return what a kubelet reports; the time of a condition changes with its status only."""
    written = node.get("status") or {}
    now, known = format_time(time.time_ns()), {each["type"]: each for each in before}
    conditions = []
    for each in written.get("conditions") or ():
        old = known.get(each["type"], {})
        same = old.get("status") == each["status"]
        since = old.get("lastTransitionTime", now) if same else now
        times = {"lastTransitionTime": since, "lastHeartbeatTime": now}
        conditions.append({"reason": "Reported", "message": "", **each, **times})
    allocatable = written.get("allocatable") or {}
    return {"allocatable": allocatable, "capacity": allocatable, "conditions": conditions}


def _lease(name: str, labels: Json, owner: Json) -> Json:
    ours = {key: labels[key] for key in (RUN_LABEL, MANAGED_BY) if key in labels}
    return {
        "apiVersion": LEASES.api_version,
        "kind": LEASES.kind,
        "metadata": {
            "name": name,
            "namespace": NODE_LEASES,
            "labels": ours,
            "ownerReferences": [owner],
        },
        "spec": {
            "holderIdentity": name,
            "leaseDurationSeconds": _DURATION,
            "renewTime": micro_time(time.time_ns()),
        },
    }
