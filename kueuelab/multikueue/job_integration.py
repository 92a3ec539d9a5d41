"""Kueue's job reconciler: creates the Workload of a job, starts and stops the job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kueuelab.manifests.jobs import Conversion, workloads_for
from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.model import PriorityClassRef, ReclaimablePod, Workload
from kueuelab.multikueue.crds import WORKLOAD
from kueuelab.multikueue.jobs import MADE_OF_PODS, MULTIKUEUE_CONTROLLER, PRIORITY_CLASS, Job
from kueuelab.multikueue.workqueue import WorkQueue
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import set_workload
from kueuelab.simulation.eviction import release_quota
from kueuelab.simulation.pods_ready import set_pods_ready, wait_for_start
from kueuelab.simulation.reconcile import finish
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["JobIntegration"]

_KUEUE: Final = "kueue.x-k8s.io"


class JobIntegration:
    """Kueue's webhook and reconciler for jobs. Each pass writes one thing at most."""

    __slots__ = ("_held", "_member", "queue")

    def __init__(self, member: MemberCluster) -> None:
        self._member = member
        self._held: dict[str, int] = {}
        self.queue = WorkQueue(member.loop, member.timing, member.timing.job, self._reconcile)

    # --- the webhook -------------------------------------------------------------------

    def default(self, job: Job) -> None:
        """Suspend a job that Kueue manages; hand it to MultiKueue if its queue says so."""
        conversion = self._convert(job)
        if not conversion.managed:
            return
        job.suspend = True
        support = job.kind.multikueue
        if support is None or support.delegation != "ManagedBy":
            return
        may_overwrite = job.managed_by in ("", support.default_controller)
        if may_overwrite and self._goes_to_multikueue(job):
            job.managed_by = MULTIKUEUE_CONTROLLER

    def _goes_to_multikueue(self, job: Job) -> bool:
        plane = self._member.plane
        name = plane.queueing.get(f"{job.namespace}/{job.queue_name}", "")
        status = plane.statuses.get(name)
        if status is None or not plane.gates["MultiKueue"]:
            return False
        checks = (plane.objects.admission_checks.get(check) for check in status.checks)
        return any(c is not None and c.controller_name == MULTIKUEUE_CONTROLLER for c in checks)

    def _convert(self, job: Job) -> Conversion:
        if job.made:
            return Conversion(job.made, managed=True)
        if job.pods_are_jobs:
            return Conversion((), managed=False)
        context, known = self._member.job_context, job.converted
        if known is not None and known[0] is context and known[1] == job.labels:
            return known[2]
        conversion = workloads_for(job.as_manifest(), context)
        job.converted = (context, job.labels, conversion)
        return conversion

    # --- the reconciler ----------------------------------------------------------------

    def hold(self, key: str) -> None:
        """Delay the reconciliation of a job."""
        self._held[key] = self._member.loop.now + self._member.timing.slow_start

    def _reconcile(self, key: str) -> None:
        member = self._member
        if not member.kueue_up:
            return
        if member.loop.now < self._held.get(key, 0):
            self.queue.add_after(key, self._held.pop(key) - member.loop.now)
            return
        job = member.jobs.get(key)
        if job is None:
            self._finalize(key)
            return
        if not self.is_enabled_for(job):
            return
        keys = job.workload_keys
        states = self._workloads_of(job, keys)
        complete = bool(states) and len(states) == len(keys)
        if not complete:
            self._without_workload(job)
        for state in states:
            if state.key in member.deleting:
                self._stop(job)
                member.finalize(state.key)
            elif not state.is_finished:
                self._follow(job, state, complete and all(s.is_admitted for s in states))

    def _has_not_seen(self, key: str) -> bool:
        """Tell whether a Workload was written just now, so that acting on it would fail."""
        member = self._member
        return member.loop.now - member.written.get(key, 0) < member.timing.informer

    def _finalize(self, key: str) -> None:
        """Release the Workloads of a deleted job."""
        member = self._member
        for workload in [w for w, job in member.by_workload.items() if job == key]:
            state = member.workloads.get(workload)
            if state is None:
                member.by_workload.pop(workload)
            elif workload in member.deleting:
                member.finalize(workload)
            elif (
                not state.is_finished
                and state.obj.metadata.owner_references
                and member.plane.gates["FinishOrphanedWorkloads"]
            ):
                _finish(member, workload, "OwnerNotFound", "The workload's owner no longer exists")
            else:
                member.finalized.pop(workload, None)

    def _workloads_of(self, job: Job, keys: tuple[str, ...]) -> list[WorkloadState]:
        """Return the job's Workloads, after making sure that the job owns them."""
        member = self._member
        found = []
        for key in keys:
            state = member.workloads.get(key)
            if state is None:
                continue
            owners = state.obj.metadata.owner_references
            if not owners:
                member.own(key, job)
            elif owners[0].uid != job.uid:
                continue
            if not job.origin and self._priority_changed(job, state):
                self._set_priority(job, state)
            found.append(state)
        return found

    def _without_workload(self, job: Job) -> None:
        if job.prebuilt_workload or job.origin or job.status.end is not None:
            self._stop(job)
            return
        conversion = self._convert(job)
        if not conversion.managed or not conversion.workloads:
            return
        if WORKLOAD in self._member.missing_crds:
            return
        if not job.suspend:
            self._stop(job)
        member = self._member
        job.workloads = tuple(made.key for made in conversion.workloads)
        job.size = sum(ps.count for made in conversion.workloads for ps in made.pod_sets)
        for made in conversion.workloads:
            if made.key in member.workloads:
                continue
            uid = member.new_uid("Workload", made.name)
            meta = replace(
                made.metadata,
                uid=uid,
                creation_timestamp=member.now,
                labels={**made.metadata.labels, JOB_UID: job.uid},
                owner_references=(job.reference(),),
            )
            workload = Workload(
                meta,
                made.pod_sets,
                made.queue_name,
                made.priority,
                made.priority_class_ref,
                maximum_execution_time_seconds=made.maximum_execution_time_seconds,
            )
            member.by_workload[workload.key] = job.key
            member.finalized[workload.key] = None
            member.create_workload(workload)
            member.plane.emit(
                "Normal", "CreatedWorkload", f"Created Workload: {workload.key}", workload.key
            )
        self.queue.add(job.key)

    def _follow(self, job: Job, state: WorkloadState, all_admitted: bool) -> None:
        """Do the next step for a job and its Workload."""
        member, key = self._member, state.key
        end = job.status.end
        if end is not None:
            reason = "Succeeded" if end.type == "Complete" else "Failed"
            _finish(member, key, reason, end.message)
            return
        if self._reclaim(job, state) or self._say_ready(job, state):
            return
        if state.is_evicted:
            self._stop(job)
            active = job.status.active and not self.runs_on_worker(job, state)
            if not state.has_quota_reservation or active:
                return
            if self._has_not_seen(key):
                self.queue.add(job.key)
            else:
                member.write(key, _release)
        elif job.suspend and all_admitted:
            if not self.runs_on_worker(job, state):
                member.write_job(job, suspend=False)
        elif not job.suspend and not all_admitted:
            self._stop(job)

    def is_enabled_for(self, job: Job) -> bool:
        """Tell whether this Kueue manages jobs of a kind."""
        enabled = self._member.plane.configuration.enabled_frameworks
        if job.kind.framework in enabled:
            return True
        return job.kind.kind == "Pod" and any(name in enabled for name in MADE_OF_PODS)

    def runs_on_worker(self, job: Job, state: WorkloadState) -> bool:
        """Tell whether the pods stay gated on the manager, because a worker runs their copies."""
        if not job.waits_in_pods:
            return False
        checks = self._member.plane.objects.admission_checks
        found = (checks.get(name) for name in state.admission_checks)
        return any(c is not None and c.controller_name == MULTIKUEUE_CONTROLLER for c in found)

    def _stop(self, job: Job) -> None:
        """Suspend a job; then forget when it started, so that its pods may change."""
        if job.status.end is not None:
            return
        if not job.suspend:
            self._member.write_job(job, suspend=True)
        if job.status.start_time is not None:
            self._member.write_job(job, status=job.status._replace(start_time=None))

    def _reclaim(self, job: Job, state: WorkloadState) -> bool:
        """Report pods that are done as reclaimable."""
        if not job.is_batch or not self._member.plane.gates["ReclaimablePods"]:
            return False
        pods: tuple[ReclaimablePod, ...] = ()
        succeeded = job.status.succeeded
        if succeeded > 0:
            remaining, places = max(job.completions - succeeded, 0), job.parallelism
            if places > 1 and remaining < places:
                pods = (ReclaimablePod(state.obj.pod_sets[0].name, places - remaining),)
        if pods == state.reclaimable_pods:
            return False

        def reclaim(plane: ControlPlane, state: WorkloadState) -> bool:
            state.reclaimable_pods = pods
            state.refresh()
            plane.changed(state.key)
            return True

        return self._member.write(state.key, reclaim)

    def _say_ready(self, job: Job, state: WorkloadState) -> bool:
        """Update the condition PodsReady."""
        if self._member.plane.gates["DisableWaitForPodsReady"]:
            return False
        status = job.status
        ready = status.ready + status.succeeded >= min(job.parallelism, job.completions)

        def say(plane: ControlPlane, state: WorkloadState) -> bool:
            if state.is_admitted:
                return set_pods_ready(plane, state, ready)
            return wait_for_start(plane, state)

        return self._member.write(state.key, say)

    # --- priority ----------------------------------------------------------------------

    def _priority_changed(self, job: Job, state: WorkloadState) -> bool:
        name = job.labels.get(PRIORITY_CLASS, "")
        ref = state.obj.priority_class_ref
        if not name or state.is_finished:
            return False
        if ref is None:
            # The API rejects a new class for a workload that has quota reserved.
            return not state.has_quota_reservation
        return ref.kind == "WorkloadPriorityClass" and ref.name != name

    def _set_priority(self, job: Job, state: WorkloadState) -> None:
        name = job.labels[PRIORITY_CLASS]
        found = self._member.plane.objects.priority_classes.get(name)
        if found is None:
            return
        value = found.value

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            written = plane.written(state)
            ref = PriorityClassRef(_KUEUE, "WorkloadPriorityClass", name)
            set_workload(plane, state, replace(written, priority=value, priority_class_ref=ref))
            plane.changed(state.key)
            return True

        self._member.write(state.key, change)


def _finish(member: MemberCluster, key: str, reason: str, message: str) -> None:
    def write(plane: ControlPlane, state: WorkloadState) -> bool:
        finish(plane, state, reason, message)
        return True

    member.write(key, write)


def _release(plane: ControlPlane, state: WorkloadState) -> bool:
    release_quota(plane, state)
    return True
