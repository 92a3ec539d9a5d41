"""One cluster of a running scenario: its created objects, its watch and its job player."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.created_objects import CreatedObjects
from kueuelab.live.editing import change_object, update_object
from kueuelab.live.fake_nodes import FakeNodes
from kueuelab.live.following import Following
from kueuelab.live.job_player import JobPlayer, marked_as_played
from kueuelab.live.lease import RunLease
from kueuelab.live.leftovers import left_on_worker
from kueuelab.live.multikueue_copies import job_name
from kueuelab.live.resources import KUEUE_GROUP, WORKLOADS, Json, resource_of
from kueuelab.messages import Message
from kueuelab.model import Workload

__all__ = ["ScenarioCluster"]

_ACTIVE: Final = {"type": "Active", "status": "True", "reason": "Active"}


class ScenarioCluster:
    """A cluster on which a scenario, or a part of it, is run.

    Parameters
    ----------
    name
        The name of the worker; ``""`` for the manager or the only cluster.
    api
        The cluster; it may be written.
    played
        Whether kueuelab writes the status of Jobs.
    patience
        How many seconds the removal of the created objects may take.
    lease
        The lease that shows that the run is still in progress.

    Attributes
    ----------
    manager
        The manager's cluster, where this is a worker's.
    """

    def __init__(
        self, name: str, api: ClusterApi, *, played: bool, patience: float, lease: RunLease
    ) -> None:
        self.name, self.api, self.played, self.lease = name, api, played, lease
        self.created = CreatedObjects(api, lease.run_id, patience)
        self.player = JobPlayer(api, played=played)
        self.nodes = FakeNodes(api, self.created)
        self.following: Following
        self.manager: ScenarioCluster | None = None

    def set_up(self, objects: Iterable[Json]) -> None:
        """Create objects, and act as the controller of the admission checks among them."""
        for obj in objects:
            if obj["kind"] == "Node":
                self.nodes.create(obj)
            else:
                self.created.create(obj)
            self.activate(obj)

    def apply(self, obj: Json) -> None:
        """Create an object of the run, or change it."""
        if obj["kind"] == "Node":
            self.nodes.change(obj)
        else:
            self.created.replace(obj)
        self.activate(obj)

    def remove(self, kind: str, name: str, namespace: str) -> None:
        """Delete an object of the run."""
        if kind == "Node":
            self.nodes.remove(name)
        else:
            self.created.delete(kind, name, namespace)

    def activate(self, obj: Json) -> None:
        """Write that an admission check is active, unless Kueue itself does that."""
        if obj["kind"] != "AdmissionCheck":
            return
        if str(obj["spec"].get("controllerName", "")).startswith(KUEUE_GROUP):
            return

        def change(there: Json) -> bool:
            text = Message("live.play.check-active")
            time = there["metadata"]["creationTimestamp"]
            condition = {**_ACTIVE, "message": text, "lastTransitionTime": time}
            there["status"] = {"conditions": [condition]}
            return True

        update_object(
            self.api, resource_of(obj), obj["metadata"]["name"], "", change, part="status"
        )

    def submit(self, body: Json, *, managed: bool) -> Json:
        """Create a job, or a Workload without one; return what was created."""
        if self.played and body["kind"] == "Job":
            body = marked_as_played(body, managed=managed)
        self.created.create(body)
        return body

    def tick(self) -> None:
        """Process the changes that have arrived, and update the status of jobs."""
        self.following.catch_up()
        self.player.tick(dict(self.following.mirror.workloads))

    def workload_of(self, body: Json) -> Workload | None:
        """Return the Workload of a submitted object, once it was seen."""
        meta = body["metadata"]
        namespace = meta.get("namespace") or "default"
        originals = None if self.manager is None else self.manager.following.mirror.seen
        for workload in self.following.mirror.workloads.values():
            found = workload.namespace, job_name(workload, originals)
            if found == (namespace, meta["name"]):
                return workload
        return None

    def edit_workload(
        self, workload: Workload, change: Callable[[Json], bool], *, part: str = ""
    ) -> bool:
        """Change a Workload of the run; tell whether it was written."""
        name, namespace = workload.name, workload.namespace
        return change_object(self.api, WORKLOADS, name, namespace, change, part=part)

    def adopt_copies(self) -> None:
        """Have the copies of the run's jobs removed that MultiKueue leaves on a worker."""
        manager = self.manager
        if manager is None or getattr(manager, "following", None) is None:
            return
        originals = manager.following.mirror.seen
        self.created.adopt(left_on_worker(self.api, originals, manager.created.run_id))

    def close(self) -> None:
        """Stop the watch, release the lease, and close the connection."""
        self.nodes.close()
        self.lease.release()
        following: Following | None = getattr(self, "following", None)
        if following is not None:
            following.close()
        else:
            self.api.close()
