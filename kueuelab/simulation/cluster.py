"""One simulated cluster: its objects, its clock, Kueue's scheduler and controllers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.result import PastEvent
from kueuelab.manifests.scenario import ChangeJob
from kueuelab.model import ClusterObject, Configuration, ReclaimablePod, Workload
from kueuelab.model.times import SECOND
from kueuelab.model.workload import CheckState
from kueuelab.queues import QueueManager
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.chances import Chances
from kueuelab.simulation import jobs
from kueuelab.simulation.admission_fair_sharing import SAMPLING
from kueuelab.simulation.concurrent_admission import reconcile_next_family
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.cycle_record import CycleRecord
from kueuelab.simulation.cycles import Cycles
from kueuelab.simulation.delivery import create_workload, delete_workload, deliver
from kueuelab.simulation.elastic import (
    current_slice,
    finish_slices,
    scale_job,
    slices_of,
    sync_slices,
)
from kueuelab.simulation.events import Event
from kueuelab.simulation.eviction import release_quota
from kueuelab.simulation.loading import load, put
from kueuelab.simulation.node_failures import reconcile_node
from kueuelab.simulation.objects import NAMESPACED, ObjectStore, with_defaults
from kueuelab.simulation.pods_ready import start_over
from kueuelab.simulation.queue_reports import publish
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.reconcile import reconcile
from kueuelab.simulation.reconfigure import reconfigure
from kueuelab.simulation.removal import discard, remove, sweep
from kueuelab.simulation.state import cluster_state
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState
from kueuelab.workload.slices import is_slice, job_of
from kueuelab.workload.variants import is_variant

__all__ = ["Cluster"]


class Cluster:
    """A Kubernetes cluster with Kueue, in virtual time.

    Every operation carries its effects through: when it returns, the controllers have
    nothing left to do until the next operation, cycle or timer.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time at the start, in nanoseconds since 1970.
    recorder
        Records every step, if given.
    on_cycle
        Called with every cycle (also one that resumed) at its end.
    chances
        The order of what Kueue takes in random order; without, that of names.

    Examples
    --------
    >>> from kueuelab.model import *
    >>> quota = ResourceGroup(("cpu",), (FlavorQuotas("default", (ResourceQuota("cpu", 1000),)),))
    >>> cluster = Cluster()
    >>> cluster.load(
    ...     [
    ...         ResourceFlavor(ObjectMeta("default")),
    ...         ClusterQueue(ObjectMeta("cq"), (quota,), namespace_selector=LabelSelector()),
    ...         LocalQueue(ObjectMeta("lq"), "cq"),
    ...     ]
    ... )
    >>> cluster.create_workload(Workload(ObjectMeta("a"), (PodSet(),), "lq")).key
    'default/a'
    >>> cluster.cycle().heads
    ('default/a',)
    >>> [event.reason for event in cluster.events]
    ['QuotaReserved', 'Admitted']
    """

    __slots__ = ("_cycles", "_plane", "on_work")

    def __init__(
        self,
        configuration: Configuration | None = None,
        *,
        start: int = 0,
        recorder: Recorder | None = None,
        on_cycle: Callable[[CycleRecord], None] | None = None,
        chances: Chances | None = None,
    ) -> None:
        configuration = configuration or Configuration()
        self._plane = ControlPlane(configuration, start, recorder)
        self._cycles = Cycles(self._plane, on_cycle, chances)
        #: If set, controllers act only when :meth:`work` is called; called when there is work.
        self.on_work: Callable[[], None] | None = None
        if recorder is not None:
            recorder.time = start

    # --- reading -----------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The time on the clock, in nanoseconds since 1970."""
        return self._plane.clock.now

    @property
    def configuration(self) -> Configuration:
        """Kueue's Configuration."""
        return self._plane.configuration

    @property
    def events(self) -> list[Event]:
        """All Events emitted so far, in order."""
        return self._plane.events

    @property
    def workloads(self) -> Mapping[str, WorkloadState]:
        """Workloads by ``namespace/name``."""
        return MappingProxyType(self._plane.workloads)

    @property
    def objects(self) -> ObjectStore:
        """All other objects."""
        return self._plane.objects

    @property
    def cluster_queues(self) -> Mapping[str, QueueStatus]:
        """Whether each ClusterQueue can admit, by name."""
        return MappingProxyType(self._plane.statuses)

    @property
    def tree(self) -> QuotaTree:
        """Quota and usage of ClusterQueues and cohorts."""
        return self._plane.tree

    @property
    def queues(self) -> QueueManager:
        """The queues: what is pending where, and in which order."""
        return self._plane.queues

    def is_active(self, cluster_queue: str) -> bool:
        """Tell whether a ClusterQueue can admit."""
        queue = self._plane.statuses.get(cluster_queue)
        return queue is not None and queue.active

    @property
    def plane(self) -> ControlPlane:
        """What the controllers share; for tests and other rooms."""
        return self._plane

    @property
    def is_blocked(self) -> bool:
        """Whether a cycle waits for pods to become ready."""
        return self._cycles.held is not None

    def state(self) -> dict[str, Any]:
        """Return workloads, ClusterQueues and cohorts as a document of plain values."""
        return cluster_state(self._plane)

    def workload(self, key: str) -> WorkloadState:
        """Return a workload by ``namespace/name``.

        Raises
        ------
        UnknownObjectError
            If there is none.
        """
        state = self._plane.workloads.get(key)
        if state is None:
            raise UnknownObjectError("Workload", key, self._plane.workloads)
        return state

    # --- objects -----------------------------------------------------------------------

    def load(
        self, objects: Iterable[ClusterObject | Workload], events: Iterable[PastEvent] = ()
    ) -> None:
        """Take objects over as if the controllers had just been restarted.

        Workloads with quota hold it, pending ones queue, and every controller has
        reconciled. Events of this phase are dropped; ``events`` are those of a dump, and only
        tell what happened before.
        """
        load(self._plane, objects, events)
        self._carry_through()
        self._plane.muted = False

    def apply(self, obj: ClusterObject) -> None:
        """Create an object, or replace its spec and labels; controllers react."""
        if put(self._plane, obj):
            self._carry_through()

    def remove(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object other than a Workload, honouring finalizers."""
        remove(self._plane, kind, _key(kind, name, namespace))
        self._carry_through()

    def discard(self, kind: str, name: str, namespace: str = "") -> None:
        """Take an object away at once: in the cluster that this one follows it is gone.

        What uses it stays, and is held by an object of the same name that follows.
        """
        discard(self._plane, kind, _key(kind, name, namespace))
        self._carry_through()

    def configure(self, configuration: Configuration) -> None:
        """Start Kueue again with another Configuration; admitted workloads stay admitted.

        Raises
        ------
        NotModelledError
            If more is different than which resources count and whether admission blocks.
        """
        reconfigure(self._plane, configuration)
        self._cycles.configure(configuration)
        self._carry_through()

    def create_workload(
        self, workload: Workload, like: WorkloadState | None = None
    ) -> WorkloadState:
        """Create a Workload; ``like`` is the same one in another cluster.

        Raises
        ------
        SimulationError
            If there is one of this name already.
        """
        plane = self._plane
        workload = with_defaults(workload, plane.clock.now)
        state = create_workload(plane, workload, like)
        self._carry_through()
        return state

    def delete_workload(self, key: str) -> bool:
        """Delete a Workload; tell whether there was one."""
        state = self._plane.workloads.get(key)
        if state is None:
            return False
        delete_workload(self._plane, state)
        self._carry_through()
        return True

    # --- what jobs, checks and people do -----------------------------------------------

    def finish(self, key: str) -> bool:
        """Let a job succeed. Like the following: ``False`` if that doesn't apply now."""
        return self._do(jobs.finish_job, key)

    def delete_job(self, key: str) -> bool:
        """Delete a job, and with it its Workload; tell whether there was one."""
        self._do(jobs.delete_job, key)
        return self.delete_workload(key)

    def set_check(
        self,
        key: str,
        check: str,
        state: CheckState,
        message: str = "",
        requeue_after_seconds: int | None = None,
    ) -> bool:
        """Let an admission check's controller report."""
        return self._do(jobs.set_check, key, check, state, message, requeue_after_seconds)

    def set_all_checks(
        self,
        check: str,
        state: CheckState,
        message: str = "",
        requeue_after_seconds: int | None = None,
    ) -> bool:
        """Let an admission check's controller report on every workload, in order of their keys."""
        plane, values = self._plane, (check, state, message, requeue_after_seconds)
        states = [plane.workloads[key] for key in sorted(plane.workloads)]
        done = [jobs.set_check(plane, each, *values) for each in states]
        if any(done):
            self._carry_through()
        return any(done)

    def pods_ready(self, key: str, ready: bool = True) -> bool:
        """Let the pods become ready, or stop being so."""
        return self._do(jobs.pods_ready, key, ready)

    def set_active(self, key: str, active: bool) -> bool:
        """Set ``spec.active``."""
        return self._do(jobs.activate, key, active)

    def set_priority(self, key: str, priority: int) -> bool:
        """Set ``spec.priority``."""
        return self._do(jobs.prioritize, key, priority)

    def change_job(self, key: str, change: ChangeJob) -> bool:
        """Change a job, as its user does; tell whether there is one.

        Raises
        ------
        SimulationError
            If the job may not be changed so: a running one stays in its queue.
        """
        key = self.current_slice(key)
        state = self._plane.workloads.get(key)
        if state is None or state.is_finished:
            return False
        if change.pods is not None and self._is_elastic(state):
            scaled = self.scale(job_of(state.obj), change.pods)
            return self.change_job(key, replace(change, pods=None)) or scaled
        new = jobs.changed_job(self._plane, state, change)
        if new is None:
            return False
        if not (state.has_quota_reservation and change.pods is not None):
            return self._do(jobs.change, key, new)
        # Its Workload is of other pods than it has now: another one takes its place.
        self.delete_workload(key)
        self.create_workload(new)
        return True

    def scale(self, job: str, pods: int | Mapping[str, int], name: str = "") -> bool:
        """Give an elastic job (``namespace/name``) other pod counts; a new slice has this name.

        A number of ``pods`` is for the first pod set.

        Raises
        ------
        SimulationError
            If a new slice is needed while another one waits to replace one with quota.
        """
        try:
            return scale_job(self._plane, job, pods, name)
        finally:
            self._carry_through()

    def scale_job(self, key: str, pods: int | Mapping[str, int]) -> bool:
        """Give the elastic job of a slice other pod counts; tell whether there is such a slice.

        Where the feature gate is off, a job is changed like any other.
        """
        state = self._plane.workloads.get(key)
        if state is None:
            return False
        if self._is_elastic(state):
            return self.scale(job_of(state.obj), pods)
        first = pods if isinstance(pods, int) else pods.get(state.obj.pod_sets[0].name)
        return self.change_job(key, ChangeJob(key, first))

    def _is_elastic(self, state: WorkloadState) -> bool:
        return self._plane.gates["ElasticJobsViaWorkloadSlices"] and is_slice(state.obj)

    def sync_slices(self, job: str) -> bool:
        """Finish the slices of an elastic job that are out of date; tell whether there are any."""
        found = sync_slices(self._plane, job)
        if found:
            self._carry_through()
        return found

    def finish_slices(self, key: str) -> bool:
        """Let a job succeed, an elastic one with all its slices."""
        return self._do(finish_slices, self.current_slice(key))

    def slices_of(self, key: str) -> list[str]:
        """Return the keys of all slices of the job of a slice, the oldest first; else ``key``."""
        state = self._plane.workloads.get(key)
        if state is None or not is_slice(state.obj):
            return [key]
        return [each.key for each in slices_of(self._plane, job_of(state.obj))]

    def current_slice(self, key: str) -> str:
        """Return the key of the slice that stands for an elastic job now; else ``key``."""
        return current_slice(self._plane, key)

    def reclaim(self, key: str, pods: Iterable[ReclaimablePod]) -> bool:
        """Set ``status.reclaimablePods``."""
        return self._do(jobs.reclaim, key, tuple(pods))

    def _do(self, operation: Callable[..., bool], key: str, *arguments: Any) -> bool:
        state = self._plane.workloads.get(key)
        if state is None or not operation(self._plane, state, *arguments):
            return False
        self._carry_through()
        return True

    def complete_evictions(self, keys: Iterable[str] | None = None) -> int:
        """Let the pods of evicted workloads (all, or these) be gone; return how many.

        One workload comes after the other, with all that follows from it. Without ``keys``,
        those are among them which are evicted in the meantime.
        """
        evicting, count = self._plane.evicting, 0
        waiting = None if keys is None else set(keys)
        plane = self._plane
        if plane.gates["ConcurrentAdmission"]:
            # The controller of their parent looks after variants.
            for key in [each for each in evicting if is_variant(plane.workloads[each].obj)]:
                del evicting[key]
        while left := (evicting.keys() if waiting is None else evicting.keys() & waiting):
            key = min(left)
            if waiting is not None:
                waiting.discard(key)
            count += self._complete_eviction(key)
        return count

    def _complete_eviction(self, key: str) -> bool:
        plane, state = self._plane, self._plane.workloads[key]
        if not (state.is_evicted and state.has_quota_reservation):
            del plane.evicting[key]
            return False
        release_quota(plane, state)
        self._carry_through()
        # The job says in a second write that its pods are to start anew.
        if plane.workloads.get(key) is state and start_over(plane, state):
            self._carry_through()
        return True

    def requeue_restarted(self) -> bool:
        """Let evicted workloads of restarted queues queue again; tell whether there were any."""
        found = self._plane.requeue_restarted()
        if found:
            self._carry_through()
        return found

    # --- time --------------------------------------------------------------------------

    def advance(self, duration: int) -> None:
        """Move the clock on by some nanoseconds, firing timers."""
        self.advance_to(self.now + duration)

    def advance_to(self, when: int) -> None:
        """Move the clock on to a time, firing timers."""
        clock, recorder = self._plane.clock, self._plane.recorder
        while clock.has_timers and (due := clock.next_due()) is not None and due <= when:
            if recorder is not None:
                recorder.time = max(clock.now, due)
            clock.fire_next()
            self._carry_through()
        if when > clock.now:
            clock.now = when
        if recorder is not None:
            recorder.time = clock.now

    def next_timer(self) -> int | None:
        """Return when the next timer is due that may change a decision.

        Sampling usage for admission fair sharing can't, as long as no workload is active.
        """
        plane = self._plane
        if plane.fair_usage is not None and not plane.queues.has_heads():
            return plane.clock.next_due(but_for=SAMPLING)
        return plane.clock.next_due()

    # --- scheduling --------------------------------------------------------------------

    def cycle(self) -> CycleRecord:
        """Run one scheduling cycle and carry its effects through."""
        record = self._cycles.run()
        self._work_off()
        self._cycles.note(record)
        return record

    @property
    def at_rest(self) -> bool:
        """Whether another cycle would change nothing until something else happens."""
        return self._cycles.at_rest()

    def settle(self, max_cycles: int) -> int:
        """Run rounds of a cycle, completed evictions and one second, until nothing changes.

        Returns how many rounds it took, the one that changed nothing included.
        """
        before = self.state()
        for round_ in range(1, max_cycles + 1):
            self.cycle()
            self.complete_evictions()
            self.advance(SECOND)
            after = self.state()
            if after == before:
                return round_
            before = after
        return max_cycles

    # --- controllers at work -----------------------------------------------------------

    def write(self, key: str, change: Callable[[ControlPlane, WorkloadState], bool]) -> bool:
        """Write a Workload from outside; ``change`` tells whether it changed it."""
        return self._do(change, key)

    def wake(self, cluster_queues: Iterable[str]) -> None:
        """Offer quota that was freed: what is inadmissible in these ClusterQueues is active."""
        self._plane.queues.wake(cluster_queues)
        self._cycles.retry_heads()

    def work(self) -> None:
        """Let the controllers do one thing. See ``on_work``."""
        self._cycles.retry_heads()
        if not self._plane.reconcile_next(reconcile, reconcile_node):
            reconcile_next_family(self._plane)
        self._deliver()

    def _carry_through(self) -> None:
        """Let the controllers react to what happened; heads are worth trying again."""
        self._cycles.retry_heads()
        self._work_off()

    def _work_off(self) -> None:
        """Let the controllers work until they have nothing left to do."""
        plane = self._plane
        self._deliver()
        if self.on_work is not None:
            if plane.has_work:
                self.on_work()
            return
        while plane.has_work:
            if not (plane.todo or plane.nodes_todo):
                reconcile_next_family(plane)
            elif self.is_blocked:
                plane.reconcile_next(reconcile, reconcile_node)
            else:
                # Most often there is nothing to do. What else is to be done waits for the last.
                plane.reconcile_until_changed(reconcile, reconcile_node)
            self._deliver()
        if plane.recorder is not None:
            plane.recorder.cycle = 0

    def _deliver(self) -> None:
        """Bring queues and quota up to date; let go of what is unused; resume a held cycle."""
        plane = self._plane
        if not (
            plane.changes
            or plane.touched
            or plane.objects.terminating
            or plane.fair_usage is not None
            or self._cycles.held is not None
        ):
            return
        while True:
            plane.deliver_changes(deliver, publish)
            if not (plane.objects.terminating and sweep(plane)) and not self._resume():
                return

    def _resume(self) -> bool:
        return self._cycles.held is not None and self._cycles.resume()


def _key(kind: str, name: str, namespace: str) -> str:
    return f"{namespace or 'default'}/{name}" if kind in NAMESPACED else name
