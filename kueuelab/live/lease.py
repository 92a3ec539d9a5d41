"""A lease for each run: it shows that the run is still going.

It is an ordinary Lease of Kubernetes in the namespace ``default``. The run renews it, and
deletes it when it ends; a run that was killed stops renewing it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.created_objects import CreatedObjects
from kueuelab.live.editing import update_object
from kueuelab.live.errors import LiveError
from kueuelab.live.requests import RUN_LABEL
from kueuelab.live.resources import LEASES, Json
from kueuelab.live.run_identity import run_of
from kueuelab.model.times import SECOND, parse_time

__all__ = ["RunLease", "going_runs", "leases_of_runs", "micro_time"]

_NAMESPACE: Final = "default"
#: How often a lease is renewed.
_RENEWED: Final = 5.0
#: After how many seconds without renewal it expires: a server may be unavailable shortly.
_DURATION: Final = 40
#: How long to wait for the renewal of a lease that has not expired.
_LOOKED: Final = 15.0
_PAUSE: Final = 0.5


class RunLease:
    """The lease of one run on one cluster.

    Parameters
    ----------
    api
        The cluster; it may be written.
    run_id
        What every object of the run bears.
    labels
        What else every object of the run bears.

    Attributes
    ----------
    run_id
        The same.
    """

    def __init__(self, api: ClusterApi, run_id: str, labels: dict[str, str]) -> None:
        self._api, self.run_id, self._labels = api, run_id, labels
        self._name = f"kueuelab-{run_id}"
        self._created = CreatedObjects(api, run_id)
        self._stop = Event()
        self._thread: Thread | None = None

    def take(self) -> None:
        """Create the lease, and renew it from now on.

        Raises
        ------
        LiveError
            If it is refused.
        """
        meta = {"name": self._name, "namespace": _NAMESPACE, "labels": self._labels}
        spec = {
            "holderIdentity": self.run_id,
            "leaseDurationSeconds": _DURATION,
            "renewTime": micro_time(_now(self._api)),
        }
        kind = {"apiVersion": LEASES.api_version, "kind": LEASES.kind}
        self._created.create({**kind, "metadata": meta, "spec": spec})
        thread = Thread(target=self._renew, name=f"lease-{self.run_id}", daemon=True)
        thread.start()  # an interrupt in here leaves one that cannot be joined
        self._thread = thread

    def release(self) -> None:
        """Stop renewing it, and delete it; if that fails, it expires."""
        self.abandon()
        with suppress(LiveError):
            self._created.remove()

    def abandon(self) -> None:
        """Stop renewing it."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _renew(self) -> None:
        def change(lease: Json) -> bool:
            lease["spec"]["renewTime"] = micro_time(_now(self._api))
            return True

        while not self._stop.wait(_RENEWED):
            try:
                update_object(self._api, LEASES, self._name, _NAMESPACE, change)
            except LiveError:
                continue  # it is renewed once the server answers


def leases_of_runs(api: ClusterApi) -> list[Json]:
    """Return the leases of all runs on a cluster."""
    try:
        items = api.list(LEASES, _NAMESPACE, {"labelSelector": RUN_LABEL}).items
    except LiveError as error:
        if error.trouble != "missing":
            raise
        return []
    return [{**item, "apiVersion": LEASES.api_version, "kind": LEASES.kind} for item in items]


def going_runs(api: ClusterApi, leases: Iterable[Json]) -> set[str]:
    """Return the runs that are still going: their leases are renewed in the meantime."""
    open_ = {run_of(lease): _renewed(lease) for lease in leases if not _has_expired(api, lease)}
    going: set[str] = set()
    deadline = time.monotonic() + _LOOKED
    while open_ and time.monotonic() < deadline:
        time.sleep(_PAUSE)
        now = {run_of(lease): _renewed(lease) for lease in leases_of_runs(api)}
        going |= {run for run, renewed in open_.items() if now.get(run, renewed) != renewed}
        open_ = {run: at for run, at in open_.items() if run in now and run not in going}
    return going


def _renewed(lease: Json) -> str:
    return str((lease.get("spec") or {}).get("renewTime") or "")


def _has_expired(api: ClusterApi, lease: Json) -> bool:
    if not _renewed(lease):
        return True
    passed = (_now(api) - parse_time(_renewed(lease))) / SECOND
    return passed > int(lease["spec"].get("leaseDurationSeconds") or _DURATION)


def _now(api: ClusterApi) -> int:
    """Return the server's time, so that clocks of clients don't matter."""
    return api.server_time or time.time_ns()


def micro_time(moment: int) -> str:
    """Return a time in the format of Leases."""
    seconds = datetime.fromtimestamp(moment // SECOND, UTC)
    return f"{seconds:%Y-%m-%dT%H:%M:%S}.{moment % SECOND // 1000:06}Z"
