"""One of several clusters: a simulated cluster, its jobs, and its controllers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.jobs import JobContext
from kueuelab.manifests.loading.jobs import context_of
from kueuelab.model import ClusterObject, Configuration, ModelObject, Workload
from kueuelab.model.times import to_seconds
from kueuelab.multikueue.job_controller import JobController
from kueuelab.multikueue.job_integration import JobIntegration
from kueuelab.multikueue.jobs import Job, JobStatus
from kueuelab.multikueue.loop import EventLoop
from kueuelab.multikueue.observer import Observer
from kueuelab.multikueue.recording import announce_job
from kueuelab.multikueue.timing import Timing
from kueuelab.simulation import Cluster
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

__all__ = ["MemberCluster"]


class MemberCluster:
    """One of several clusters.

    Attributes
    ----------
    cluster, plane
        Kueue and its objects; what the controllers share.
    workloads
        By ``namespace/name``.
    jobs
        Jobs by ``Kind/namespace/name``.
    finalized
        Workloads with a finalizer of their job's controller.
    deleting
        Workloads that are being deleted.
    versions, written
        The version that each Workload got with its last write, and when that was. As in an API
        server, versions grow with each write of any of them.
    kueue_up
        Whether Kueue's controllers run.
    """

    __slots__ = (
        "_context",
        "_last_write",
        "_tick_due",
        "_tick_since",
        "_timer_due",
        "_uid",
        "_version",
        "_wakes",
        "_work_due",
        "absent_namespaces",
        "by_workload",
        "cluster",
        "deleting",
        "finalized",
        "integration",
        "jobs",
        "kubernetes",
        "kueue_up",
        "loop",
        "missing_crds",
        "name",
        "observers",
        "plane",
        "timing",
        "versions",
        "workloads",
        "written",
    )

    def __init__(
        self,
        name: str,
        loop: EventLoop,
        timing: Timing,
        configuration: Configuration,
        uid: Callable[[str, str, str], str],
        recorder: Recorder | None = None,
    ) -> None:
        self.name = name
        self.loop = loop
        self.timing = timing
        self.cluster = Cluster(configuration, start=loop.now, recorder=recorder)
        self.plane: Final[ControlPlane] = self.cluster.plane
        self.workloads: Final[Mapping[str, WorkloadState]] = self.plane.workloads
        self.jobs: dict[str, Job] = {}
        self.by_workload: dict[str, str] = {}
        self.finalized: dict[str, None] = {}
        self.deleting: dict[str, None] = {}
        self.versions: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.absent_namespaces: tuple[str, ...] = ()
        self.missing_crds: tuple[str, ...] = ()
        self.kueue_up = True
        self.observers: list[Observer] = []
        self.integration = JobIntegration(self)
        self.kubernetes = JobController(self)
        self._uid = uid
        self._context: JobContext | None = None
        self._version = 0
        self._tick_due = False
        self._tick_since = self._last_write = 0
        self._work_due = False
        self._timer_due: int | None = None
        self._wakes: dict[str, None] = {}

    # --- reading -----------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The time as the API server stores it."""
        return to_seconds(self.loop.now)

    @property
    def job_context(self) -> JobContext:
        """The cluster as far as it shapes Workloads of jobs."""
        if self._context is None:
            objects: list[Any] = list(self.cluster.objects)
            self._context = context_of(objects, self.cluster.configuration, "default")
        return self._context

    def job(self, key: str) -> Job:
        """Return a job by ``Kind/namespace/name``.

        Raises
        ------
        UnknownObjectError
            If there is none.
        """
        found = self.jobs.get(key)
        if found is None:
            raise UnknownObjectError("job", key, self.jobs)
        return found

    def job_of(self, workload_key: str) -> Job | None:
        """Return the job of a Workload, by what Kueue noted or by its owner."""
        return self.jobs.get(self.by_workload.get(workload_key, ""))

    def new_uid(self, kind: str, name: str) -> str:
        """Return a uid for a new object."""
        return self._uid(self.name, kind, name)

    # --- objects -----------------------------------------------------------------------

    def load(self, objects: Iterable[ModelObject]) -> None:
        """Load the objects that exist at the start."""
        self.cluster.load(list(objects))

    def open(self) -> None:
        """Start the controllers."""
        plane = self.plane
        plane.on_write = self._workload_written
        plane.on_wake = self._wake_later
        self.cluster.on_work = self._work_later
        self.settle()

    def apply(self, obj: ClusterObject) -> None:
        """Create or change an object other than a Workload."""
        self._context = None
        self.run(lambda cluster: cluster.apply(obj))

    def remove(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object other than a Workload or a job."""
        self._context = None
        self.run(lambda cluster: cluster.remove(kind, name, namespace))

    def run(self, operation: Callable[[Cluster], object]) -> None:
        """Change the cluster at the current time."""
        self.cluster.advance_to(self.loop.now)
        operation(self.cluster)
        self.settle()
        for observer in self.observers:
            observer.objects_written(self)

    # --- workloads ---------------------------------------------------------------------

    def create_workload(
        self, workload: Workload, like: WorkloadState | None = None
    ) -> WorkloadState:
        """Create a Workload, as if by its job's controller, or by a manager ``like`` its own."""
        cluster = self.cluster
        cluster.advance_to(self.loop.now)
        state = cluster.create_workload(workload, like)
        self.settle()
        return state

    def write(self, key: str, change: Callable[[ControlPlane, WorkloadState], bool]) -> bool:
        """Write a Workload; ``change`` tells whether it did."""
        cluster = self.cluster
        cluster.advance_to(self.loop.now)
        written = cluster.write(key, change)
        if written:
            self.settle()
        return written

    def delete_workload(self, key: str) -> None:
        """Delete a Workload; one with a finalizer stays until its job's controller removes that."""
        if key not in self.workloads:
            return
        if key in self.finalized and key not in self.deleting:
            self.deleting[key] = None
            self._workload_written(key)
            return
        self.finalize(key)

    def finalize(self, key: str) -> None:
        """Remove a Workload."""
        self.finalized.pop(key, None)
        self.deleting.pop(key, None)
        self.cluster.advance_to(self.loop.now)
        self.cluster.delete_workload(key)
        self.versions.pop(key, None)
        self.written.pop(key, None)
        if self.by_workload.get(key) not in self.jobs:
            self.by_workload.pop(key, None)
        self.settle()

    def _workload_written(self, key: str) -> None:
        self._version += 1
        self.versions[key] = self._version
        self.written[key] = self._last_write = self.loop.now
        job_key = self.by_workload.get(key)
        if job_key is not None:
            self.integration.queue.add(job_key)
        for observer in self.observers:
            observer.workload_written(self, key)

    # --- jobs --------------------------------------------------------------------------

    def create_job(self, job: Job, *, slow: bool = False) -> None:
        """Create a job; Kueue here may be ``slow`` to see it."""
        self.jobs[job.key] = job
        for workload in job.workload_keys:
            self.by_workload[workload] = job.key
        if slow:
            self.integration.hold(job.key)
        self._job_written(job)
        self.kubernetes.queue.add(job.key)

    def write_job(
        self, job: Job, *, suspend: bool | None = None, status: JobStatus | None = None
    ) -> None:
        """Write a job's spec or its status."""
        if suspend is not None and suspend != job.suspend:
            job.suspend = suspend
            job.generation += 1
            self.kubernetes.queue.add(job.key)
        if status is not None:
            job.status = status
            self.kubernetes.queue.add_after(job.key, self.timing.job_batch)
        self._job_written(job)

    def relabel_job(self, job: Job, labels: Mapping[str, str]) -> None:
        """Change labels of a job."""
        job.relabel(labels)
        self._job_written(job)

    def delete_job(self, key: str) -> None:
        """Delete a job and, in the background, what it owns."""
        job = self.jobs.pop(key, None)
        if job is None:
            return
        self._announce(job, gone=True)
        for observer in self.observers:
            observer.job_written(self, job, gone=True)
        if job.pods_are_jobs:
            for pod in [other.key for other in self.jobs.values() if other.controller == key]:
                self.delete_job(pod)
        self.integration.queue.add(key)
        for workload in sorted(self.workloads.keys() & set(job.workload_keys)):
            self.by_workload[workload] = key
            self.loop.after(self.timing.workload, partial(self._collect, workload, job))

    def _collect(self, key: str, job: Job) -> None:
        """Delete what a deleted job owned."""
        state = self.workloads.get(key)
        owners = () if state is None else state.obj.metadata.owner_references
        if owners and owners[0].uid == job.uid:
            self.delete_workload(key)

    def _job_written(self, job: Job) -> None:
        self._announce(job)
        self.integration.queue.add(job.key)
        for observer in self.observers:
            observer.job_written(self, job, gone=False)

    def _announce(self, job: Job, *, gone: bool = False) -> None:
        recorder = self.plane.recorder
        if recorder is not None:
            managed = self.integration.is_enabled_for(job)
            announce_job(recorder, job, managed=managed, gone=gone)

    def own(self, key: str, job: Job) -> None:
        """Make a job the owner of its prebuilt Workload."""
        self.by_workload[key] = job.key

        def adopt(plane: ControlPlane, state: WorkloadState) -> bool:
            meta = replace(state.obj.metadata, owner_references=(job.reference(),))
            state.obj = replace(state.obj, metadata=meta)
            written = plane.as_written.get(key)
            if written is not None:
                plane.as_written[key] = replace(written, metadata=meta)
            plane.changed(key)
            return True

        self.write(key, adopt)

    # --- controllers -------------------------------------------------------------------

    def stop_kueue(self) -> None:
        """Stop Kueue's controllers."""
        self.kueue_up = False
        self.integration.queue.clear()

    def start_kueue(self) -> None:
        """Start Kueue's controllers: they reconcile everything."""
        self.kueue_up = True
        plane = self.plane
        self.cluster.advance_to(self.loop.now)
        for key in sorted(plane.workloads):
            plane.enqueue(key)
        self.cluster.wake(sorted(plane.statuses))
        for key in sorted({*self.jobs, *self.by_workload.values()}):
            self.integration.queue.add(key)
        self._work_later()
        self.settle()

    def _schedule(self) -> None:
        """Run the scheduler, unless something is being written: then a little later."""
        now, latency = self.loop.now, self.timing.scheduler
        if now - self._last_write < latency and now - self._tick_since < 4 * latency:
            self.loop.after(self._last_write + latency - now, self._schedule)
            return
        self._tick_due = False
        if not self.kueue_up:
            return
        self.cluster.advance_to(now)
        if self.cluster.at_rest:
            self._settle_timers()
            return
        self.cluster.cycle()
        self.settle()

    def _work_later(self) -> None:
        if not self._work_due:
            self._work_due = True
            self.loop.after(self.timing.workload, self._work)

    def _work(self) -> None:
        self._work_due = False
        if not self.kueue_up:
            return
        cluster, plane = self.cluster, self.plane
        now, latency, worked = self.loop.now, self.timing.workload, False
        cluster.advance_to(now)
        while plane.todo:
            # A write is visible a little later.
            wait = self.written.get(plane.todo[0], 0) + latency - now
            if wait > 0:
                self._work_due = True
                self.loop.after(wait, self._work)
                break
            cluster.work()
            worked = True
        if worked:
            self.settle()

    def _wake_later(self, cluster_queues: list[str]) -> None:
        for name in cluster_queues:
            root = self.plane.tree.root_name(name) or name
            if root not in self._wakes:
                self._wakes[root] = None
                self.loop.after(self.timing.wake, partial(self._wake, root, name))

    def _wake(self, root: str, cluster_queue: str) -> None:
        self._wakes.pop(root, None)
        if self.kueue_up:
            self.cluster.advance_to(self.loop.now)
            self.cluster.wake([cluster_queue])
            self.settle()

    def settle(self) -> None:
        """Schedule the timers, and run the scheduler until nothing changes.

        It continues as long as a queue has an active workload that was not tried in the
        current state.
        """
        if not self._tick_due and not self.cluster.at_rest:
            self._tick_due = True
            self._tick_since = self.loop.now
            self.loop.after(self.timing.scheduler, self._schedule)
        if self.plane.clock.has_timers:
            self._settle_timers()

    def _settle_timers(self) -> None:
        due = self.cluster.next_timer()
        if due is None or (self._timer_due is not None and self._timer_due <= due):
            return
        self._timer_due = due
        self.loop.at(due, lambda: self._fire(due))

    def _fire(self, due: int) -> None:
        if self._timer_due == due:
            self._timer_due = None
        if self.kueue_up:
            self.cluster.advance_to(self.loop.now)
            self.settle()

    def __repr__(self) -> str:
        return (
            f"<MemberCluster {self.name}: {len(self.workloads)} workloads, {len(self.jobs)} jobs>"
        )
