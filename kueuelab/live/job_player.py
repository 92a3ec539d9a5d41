"""Writes the status of jobs where no pods run.

On a cluster without nodes no pod of a Job runs, and without a job controller no pod is
created. Kueue admits and evicts Jobs there, too, but they would never finish. So kueuelab
writes the status of the run's own Jobs, and of no others: active once Kueue has resumed
them, stopped once Kueue has suspended them, complete after their run time. A Workload
without a job (see :mod:`kueuelab.live.submitted_objects`) has no controller on any cluster,
so kueuelab always writes its status.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from kueuelab.live.api import ClusterApi
from kueuelab.live.conditions import is_true, is_true_of
from kueuelab.live.editing import change_object
from kueuelab.live.requests import RUN_LABEL
from kueuelab.live.resources import JOBS, NODES, WORKLOADS, Json
from kueuelab.model import Workload
from kueuelab.model.times import format_time

__all__ = ["PLAYED_LABEL", "JobPlayer", "JobsMode", "is_nodeless"]

#: Marks a Job whose status is written here.
PLAYED_LABEL: Final = "kueuelab/jobs"
#: The ``managedBy`` of such a Job, so that no job controller creates its pods.
PLAYER: Final = "kueuelab/player"

#: ``pods``: jobs sleep in pods; ``played``: their status is written; ``auto``: by the nodes.
JobsMode = Literal["auto", "pods", "played"]

#: How long to wait between two reads.
_PAUSE: Final = 0.2
_MULTIKUEUE: Final = "kueue.x-k8s.io/multikueue"


def is_nodeless(api: ClusterApi) -> bool:
    """Tell whether a cluster has no node that could run a pod; those of a run cannot."""
    for node in api.list(NODES).items:
        if RUN_LABEL in (node["metadata"].get("labels") or {}):
            continue
        if is_true_of(node, "Ready"):
            return False
    return True


def marked_as_played(job: Json, *, managed: bool) -> Json:
    """Return a Job that is marked as played: kueuelab writes its status."""
    meta = job["metadata"]
    labels = {**(meta.get("labels") or {}), PLAYED_LABEL: "played"}
    spec = {**job["spec"], **({"managedBy": PLAYER} if managed else {})}
    return {**job, "metadata": {**meta, "labels": labels}, "spec": spec}


@dataclass(slots=True)
class _Job:
    """One played job: how long it runs, and its state."""

    key: str
    name: str
    namespace: str
    bare: bool
    runs: int | None
    started: float | None = None
    finished: bool = False


class JobPlayer:
    """Plays the jobs of a run on one cluster.

    Parameters
    ----------
    api
        The cluster.
    played
        Whether Jobs are played, not only Workloads without a job.
    waits
        Whether ready pods of Workloads without a job are reported to Kueue.
    clock
        Seconds that pass.
    """

    def __init__(
        self,
        api: ClusterApi,
        *,
        played: bool,
        waits: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api, self._played, self._clock = api, played, clock
        self.waits = waits
        self._last = clock() - _PAUSE
        # By the keys of the scenario's Workloads, and by the names of what was created.
        self._jobs: dict[str, _Job] = {}
        self._named: dict[tuple[str, str], _Job] = {}
        #: Jobs whose pods become ready only when the scenario says so.
        self.scripted: set[str] = set()

    def add(self, key: str, body: Json, runs: int | None) -> None:
        """Add a job, by its Workload in the scenario and its object."""
        meta = body["metadata"]
        namespace, name = meta.get("namespace") or "default", meta["name"]
        bare = body["kind"] == "Workload"
        self._jobs[key] = _Job(key, name, namespace, bare, runs)
        self._named[namespace, name] = self._jobs[key]

    def forget(self, key: str) -> None:
        """Remove a job from the played ones."""
        job = self._jobs.pop(key)
        del self._named[job.namespace, job.name]

    def tick(self, workloads: dict[str, Workload]) -> None:
        """Do what is due in the current state of the cluster, at limited frequency."""
        if self._clock() - self._last < _PAUSE:
            return
        self._last = self._clock()
        for workload in list(workloads.values()):
            owners = workload.metadata.owner_references
            name = owners[0].name if owners else workload.name
            job = self._named.get((workload.namespace, name))
            if job is not None and job.bare == (not owners) and not job.finished:
                self._play_bare(job, workload) if job.bare else self._play(job, workload)

    # --- Jobs --------------------------------------------------------------------------

    def _play(self, job: _Job, workload: Workload) -> None:
        if not self._played:
            return
        running = is_true(workload, "Admitted") and not is_true(workload, "Evicted")
        if running and job.started is None:
            self._edit_job(job, lambda obj: self._start(job, obj))
        elif not running and job.started is not None:
            self._edit_job(job, lambda obj: _stop(job, obj))
        elif running and self._is_due(job):
            self.finish(job.key)

    def _is_due(self, job: _Job) -> bool:
        if job.started is None or job.runs is None:
            return False
        return self._clock() - job.started >= job.runs / 1e9

    # What changes an object is called again where another writer was faster: it sets what is
    # remembered of the job from this reading of the object alone.

    def _start(self, job: _Job, obj: Json) -> bool:
        job.started = None
        spec, status = obj["spec"], obj.setdefault("status", {})
        if spec.get("suspend") or spec.get("managedBy") == _MULTIKUEUE:
            return False  # Kueue has not resumed it yet, or it runs on a worker
        if _has_controller(obj):
            # It creates pods that never run, and counts them; only the end is written here.
            job.started = self._clock() if "startTime" in status else None
            return False
        pods = int(spec.get("parallelism") or 1) - int(status.get("succeeded") or 0)
        ready = 0 if job.key in self.scripted else pods
        status.update(active=pods, ready=ready, terminating=0)
        status.setdefault("startTime", _now())
        job.started = self._clock()
        return True

    def finish(self, key: str) -> bool:
        """Let a job succeed, if it runs; tell whether it did."""
        job = self._jobs[key]
        if job.bare:
            self._finish_bare(job)
        else:
            self._edit_job(job, lambda obj: _complete(job, obj))
        return job.finished

    def ready(self, key: str, ready: bool) -> bool:
        """Set whether the pods of a running job are ready; tell whether it was done."""
        job = self._jobs[key]
        if job.started is None:
            return False
        if job.bare:
            return self._edit_bare(job, partial(_pods_are_ready, ready))

        def change(obj: Json) -> bool:
            status = obj.setdefault("status", {})
            status["ready"] = int(status.get("active") or 0) if ready else 0
            return True

        return self._edit_job(job, change)

    def reclaim(self, key: str, pods: dict[str, int]) -> bool:
        """Mark some pods of a running job as done, by pod set; tell whether it was done."""
        job = self._jobs[key]
        if job.started is None:
            return False
        if job.bare:
            counts = [{"name": name, "count": count} for name, count in pods.items()]
            return self._edit_bare(job, lambda obj: _set(obj["status"], "reclaimablePods", counts))
        done = sum(pods.values())

        def change(obj: Json) -> bool:
            status, spec = obj.setdefault("status", {}), obj["spec"]
            left = max(int(spec.get("parallelism") or 1) - done, 0)
            ready = min(left, int(status.get("ready") or 0))
            status.update(succeeded=done, active=left, ready=ready)
            return True

        return self._edit_job(job, change)

    def _edit_job(self, job: _Job, change: Callable[[Json], bool]) -> bool:
        def guarded(obj: Json) -> bool:
            # On a worker it is Kueue's copy of one of the run's jobs, with the same labels.
            return RUN_LABEL in (obj["metadata"].get("labels") or {}) and change(obj)

        return change_object(self._api, JOBS, job.name, job.namespace, guarded, part="status")

    # --- Workloads without a job -------------------------------------------------------

    def _play_bare(self, job: _Job, workload: Workload) -> None:
        evicted, holds = is_true(workload, "Evicted"), is_true(workload, "QuotaReserved")
        running = is_true(workload, "Admitted") and not evicted
        if evicted and holds:
            self._edit_bare(job, _release)
            job.started = None
        elif running and job.started is None:
            reports = self.waits and job.key not in self.scripted
            if not reports or self._edit_bare(job, partial(_pods_are_ready, True)):
                job.started = self._clock()
        elif running and self._is_due(job):
            self._finish_bare(job)
        elif not running:
            job.started = None

    def _finish_bare(self, job: _Job) -> None:
        def change(obj: Json) -> bool:
            job.finished = _runs(obj)
            if not job.finished:
                return False
            text = "Job finished successfully"
            return _condition(obj, "Finished", True, "Succeeded", text)

        self._edit_bare(job, change)

    def _edit_bare(self, job: _Job, change: Callable[[Json], bool]) -> bool:
        return change_object(self._api, WORKLOADS, job.name, job.namespace, change, part="status")


def _now() -> str:
    return format_time(time.time_ns())


def _set(obj: Json, field: str, value: Any) -> bool:
    obj[field] = value
    return True


def _stop(job: _Job, obj: Json) -> bool:
    """Report that the pods of a suspended Job are gone; Kueue then releases its quota."""
    status = obj.setdefault("status", {})
    if not obj["spec"].get("suspend"):
        return False  # Kueue has not suspended it yet
    job.started = None
    if _has_controller(obj):
        return False
    status.update(active=0, ready=0, terminating=0)
    return True


def _complete(job: _Job, obj: Json) -> bool:
    """Write what the job controller writes at the end, in the order that the API requires."""
    spec, status = obj["spec"], obj.setdefault("status", {})
    job.finished = not spec.get("suspend") and spec.get("managedBy") != _MULTIKUEUE
    if not job.finished or is_true_of(obj, "Complete"):
        return False  # the API server rejects a second completion time
    reason, text = "CompletionsReached", "Reached expected number of succeeded pods"
    for type_ in ("SuccessCriteriaMet", "Complete"):
        _condition(obj, type_, True, reason, text)
    status.setdefault("startTime", _now())
    status["completionTime"] = max(_now(), status["startTime"])
    pods = int(spec.get("completions") or spec.get("parallelism") or 1)
    status.update(succeeded=pods, active=0, ready=0, terminating=0)
    status.pop("uncountedTerminatedPods", None)
    return True


def _has_controller(obj: Json) -> bool:
    """Tell whether a job controller manages a Job.

    ``managedBy`` can't be set on the copies that MultiKueue makes on workers, so that a
    controller that runs there starts them. It adds a condition to every Job that begins suspended.
    """
    if obj["spec"].get("managedBy") == PLAYER:
        return False
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(c["type"] == "Suspended" for c in conditions)


def _release(obj: Json) -> bool:
    """Write what Kueue's reconciler of jobs writes once the pods of an evicted job are gone."""
    if not (is_true_of(obj, "Evicted") and is_true_of(obj, "QuotaReserved")):
        return False
    evicted = next(c for c in obj["status"]["conditions"] if c["type"] == "Evicted")
    again = evicted["reason"] in ("Preempted", "NodeFailures")
    _condition(obj, "QuotaReserved", False, "Pending", evicted["message"])
    if is_true_of(obj, "Admitted"):
        text = "The workload has no reservation"
        _condition(obj, "Admitted", False, "NoReservation", text)
    _condition(obj, "Requeued", again, evicted["reason"], evicted["message"])
    obj["status"].pop("admission", None)
    return True


def _pods_are_ready(ready: bool, obj: Json) -> bool:
    """Write what Kueue's reconciler of jobs writes about pods."""
    if not _runs(obj):
        return False
    if ready:
        text = "All pods reached readiness and the workload is running"
        return _condition(obj, "PodsReady", True, "Started", text)
    text = "Not all pods are ready or succeeded"
    return _condition(obj, "PodsReady", False, "WaitForStart", text)


def _runs(workload: Json) -> bool:
    return is_true_of(workload, "Admitted") and not is_true_of(workload, "Evicted")


def _condition(obj: Json, type_: str, status: bool, reason: str, message: str) -> bool:
    """Set a condition; its time changes with its status only."""
    conditions = obj.setdefault("status", {}).setdefault("conditions", [])
    found = next((c for c in conditions if c["type"] == type_), None)
    if found is None:
        found = {"type": type_, "status": "Unknown"}
        conditions.append(found)
    if found["status"] != str(status):
        found["lastTransitionTime"] = _now()
    found.update(status=str(status), reason=reason, message=message)
    return True
