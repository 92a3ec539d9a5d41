"""One cluster while a scenario is played: what was created there, who follows, who plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.copies import job_name
from kueuelab.live.following import Following
from kueuelab.live.job_player import JobPlayer, marked_as_played
from kueuelab.live.lease import RunLease
from kueuelab.live.ledger import Ledger, edit
from kueuelab.live.leftovers import left_on_worker
from kueuelab.live.resources import KUEUE_GROUP, WORKLOADS, Json, resource_of
from kueuelab.model import Workload

__all__ = ["Stage"]

_ACTIVE: Final = {"type": "Active", "status": "True", "reason": "Active"}


class Stage:
    """A cluster on which a scenario, or a part of it, is played.

    Parameters
    ----------
    name
        The name of the worker; ``""`` for the manager or the only cluster.
    api
        The cluster; it may be written.
    played
        Whether the status of Jobs is written here.
    patience
        How many seconds what was created may take to go.
    lease
        Tells others that the run is still going.

    Attributes
    ----------
    manager
        The manager's stage, where this is a worker's.
    """

    def __init__(
        self, name: str, api: ClusterApi, *, played: bool, patience: float, lease: RunLease
    ) -> None:
        self.name, self.api, self.played, self.lease = name, api, played, lease
        self.ledger = Ledger(api, lease.run_id, patience)
        self.player = JobPlayer(api, played=played)
        self.following: Following
        self.manager: Stage | None = None

    def set_up(self, objects: Iterable[Json]) -> None:
        """Create objects; be the controller of the admission checks among them."""
        for obj in objects:
            self.ledger.create(obj)
            self.activate(obj)

    def activate(self, obj: Json) -> None:
        """Say that an admission check is looked after, if Kueue itself doesn't do that."""
        if obj["kind"] != "AdmissionCheck":
            return
        if str(obj["spec"].get("controllerName", "")).startswith(KUEUE_GROUP):
            return

        def change(there: Json) -> bool:
            text = "kueuelab reports on it as the scenario says"
            time = there["metadata"]["creationTimestamp"]
            condition = {**_ACTIVE, "message": text, "lastTransitionTime": time}
            there["status"] = {"conditions": [condition]}
            return True

        edit(self.api, resource_of(obj), obj["metadata"]["name"], "", change, part="status")

    def submit(self, body: Json, *, managed: bool) -> Json:
        """Create a job, or a Workload without one; return what was created."""
        if self.played and body["kind"] == "Job":
            body = marked_as_played(body, managed=managed)
        self.ledger.create(body)
        return body

    def tick(self) -> None:
        """Take what has come from the cluster, and do for jobs what is due."""
        self.following.catch_up()
        self.player.tick(dict(self.following.mirror.workloads))

    def workload_of(self, body: Json) -> Workload | None:
        """Return the Workload that stands for a body, once it was seen."""
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
    ) -> None:
        """Change a Workload of the run."""
        edit(self.api, WORKLOADS, workload.name, workload.namespace, change, part=part)

    def adopt_copies(self) -> None:
        """Have copies of the run's jobs removed that MultiKueue leaves on a worker."""
        manager = self.manager
        if manager is None or getattr(manager, "following", None) is None:
            return
        originals = manager.following.mirror.seen
        self.ledger.adopt(left_on_worker(self.api, originals, manager.ledger.run_id))

    def close(self) -> None:
        """End what follows, the lease, and the connection."""
        self.lease.release()
        following: Following | None = getattr(self, "following", None)
        if following is not None:
            following.close()
        else:
            self.api.close()
