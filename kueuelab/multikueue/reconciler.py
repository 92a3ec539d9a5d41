"""MultiKueue's Workload reconciler: what the manager does for one Workload, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kueuelab.model import AdmissionCheckState, Workload
from kueuelab.multikueue.adapters import has_adapter, sync_job, unmanaged_reason
from kueuelab.multikueue.checks import config_of
from kueuelab.multikueue.components import components_of
from kueuelab.multikueue.jobs import Job
from kueuelab.multikueue.views import CopyView, View, spec_of
from kueuelab.multikueue.workload_group import GATE, Pause, WorkloadGroup
from kueuelab.multikueue.workqueue import ReconcileError, Work, WorkQueue

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager

__all__ = ["Reconciler"]


class Reconciler:
    """Reconciles a Workload that waits for MultiKueue's check, or passed it."""

    __slots__ = ("_manager", "queue")

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        member = manager.member
        self.queue = WorkQueue(
            member.loop, member.timing, member.timing.multikueue, self._reconcile
        )

    def _reconcile(self, key: str) -> Work | None:
        manager = self._manager
        view = manager.read(key)
        if view is None:
            return None
        check = manager.check_of(view)
        if check is None or check.state == "Rejected":
            manager.forget_deleted(key)
            return None
        return self._handle(view, check)

    def _handle(self, view: View, check: AdmissionCheckState) -> Work:
        manager = self._manager
        job_key = manager.job_key_of(view)
        job = manager.member.jobs.get(job_key)
        if not view.deleting:
            problem = self._why_rejected(job, view)
            if problem:
                manager.set_check(view, check, "Rejected", problem)
                return 0
        yield manager.member.timing.read
        group = self._read_group(view, check, job_key)
        if view.deleting:
            for name in group.places():
                yield from group.remove(name)
            manager.forget_deleted(view.key)
            return 0
        again = yield from self._reconcile_group(group, check)
        yield from group.arrive()
        return again

    def _why_rejected(self, job: Job | None, view: View) -> str:
        owners = view.obj.metadata.owner_references
        if not owners:
            return "No multikueue adapter found"
        if job is None:
            raise ReconcileError("the owner is gone")
        if not has_adapter(job.kind):
            return f'No multikueue adapter found for owner kind "{job.kind.gvk}"'
        reason = unmanaged_reason(job)
        return f"The owner is not managed by Kueue: {reason}" if reason else ""

    def _read_group(self, view: View, check: AdmissionCheckState, job_key: str) -> WorkloadGroup:
        manager = self._manager
        config = config_of(manager, check.name)
        if config is None:
            raise ReconcileError("no config")
        connected, cut_off = manager.connections.connected, manager.cluster_set.cut_off
        workers = config.clusters
        if workers:
            turn = manager.cluster_set.first_worker % len(workers)
            workers = (*workers[turn:], *workers[:turn])
        unavailable: tuple[str, ...] = ()
        if not all(map(connected.__contains__, workers)):
            unavailable = tuple([name for name in workers if name not in connected])
            workers = tuple([name for name in workers if name in connected])
        if cut_off and not cut_off.keys().isdisjoint(workers):
            raise ReconcileError("a worker is out of reach")
        key = view.key
        copies = {
            name: CopyView.of(worker, worker.workloads[key])
            for name in workers
            if key in (worker := connected[name]).workloads
        }
        return WorkloadGroup(manager, view, workers, copies, unavailable, check.name, job_key)

    def _reconcile_group(self, group: WorkloadGroup, check: AdmissionCheckState) -> Work:
        manager, local = self._manager, group.local
        if local.is_finished or not local.has_quota:
            return (yield from self._clean_up(group))
        finished = group.oldest("Finished")
        if finished is not None:
            condition, name = finished
            if condition.reason == "OutOfSync":
                if check.state == "Ready":
                    text = (
                        f'Remote workload on worker cluster "{name}" is out of sync with its '
                        "user job, resetting for re-dispatch"
                    )
                    manager.set_check(local, check, "Retry", text)
                return 0
            yield from sync_job(group, name)
            manager.finish(local.key, condition.reason, condition.message)
            return 0
        evicted = group.oldest("Evicted")
        if evicted is not None:
            if local.condition("Evicted") is not None:
                deferred = yield from sync_job(group, evicted[1])
                return manager.member.timing.deferred_sync if deferred else 0
            if check.state == "Ready":
                manager.evicted_on_worker(local, check)
                return 0
        yield from self._remove_outdated(group)
        admitted = group.oldest("Admitted")
        if admitted is None and check.state == "Ready":
            return self._admitting_remote_is_missing(group, check)
        if admitted is not None:
            return (yield from self._converge(group, check, admitted[1]))
        again = yield from self._gates(group)
        if check.state != "Pending" or local.cluster_name is not None:
            return again
        yield from self._nominate(group)
        return again

    # --- steps -------------------------------------------------------------------------

    def _clean_up(self, group: WorkloadGroup) -> Work:
        """Delete all copies: the Workload is finished, or has no quota reserved."""
        failed = False
        for name in group.places():
            try:
                yield from group.remove(name)
            except ReconcileError:
                failed = True
        if failed:
            raise ReconcileError("some copies are left")
        return self._manager.worker_lost_timeout if group.unavailable else 0

    def _remove_outdated(self, group: WorkloadGroup) -> Pause:
        """Delete copies whose spec is not that of the Workload here; priorities are updated."""
        spec = spec_of(group.local)
        for name, copy in list(group.copies.items()):
            if spec_of(copy) == spec:
                continue
            if _priority_changed(group.local.obj, copy.obj):
                yield from group.update_priority(name)
            else:
                yield from group.remove(name)

    def _admitting_remote_is_missing(self, group: WorkloadGroup, check: AdmissionCheckState) -> int:
        """No worker runs the job: wait for a lost worker for a while, then dispatch it again."""
        manager, local = self._manager, group.local
        name = local.cluster_name or ""
        if not name:
            text = (
                "Admission check is Ready but no admitting cluster is recorded; "
                "this is unexpected, please report it"
            )
        elif name in group.unavailable:
            now = manager.member.loop.now
            since = manager.connections.lost_since(name)
            left = manager.worker_lost_timeout - (0 if since is None else now - since)
            if left > 0:
                return left
            text = "Admitting remote lost"
        else:
            text = "Admitting remote no longer exists"
        manager.set_check(local, check, "Retry", text)
        return 0

    def _converge(self, group: WorkloadGroup, check: AdmissionCheckState, winner: str) -> Work:
        """Keep one copy, create its job, and copy its status to the manager."""
        manager, local = self._manager, group.local
        for name in list(group.copies):
            if name != winner:
                yield from group.remove(name)
        evicted = local.condition("Evicted")
        if evicted is not None:
            yield from group.deactivate(winner, f"Evicted on manager: {evicted.message}")
            return 0
        deferred = yield from sync_job(group, winner)
        if check.state != "Retry":
            manager.admitted_on(local, check, winner)
            if check.state != "Ready":
                for key in components_of(manager, local, group.job_key).others:
                    manager.noticed(key)
        return manager.member.timing.deferred_sync if deferred else manager.worker_lost_timeout

    def _gates(self, group: WorkloadGroup) -> Work:
        """Open the preemption gate on one worker, and on the next one after some time."""
        manager = self._manager
        if not manager.member.plane.gates["MultiKueueOrchestratedPreemption"]:
            return 0
        key, now = group.local.key, manager.member.now
        opened = [
            manager.gate_open_since(key, name)
            for name, copy in group.copies.items()
            if copy.gates.get(GATE) == "Open"
        ]
        closed = {
            name: copy for name, copy in group.copies.items() if copy.gates.get(GATE) != "Open"
        }
        waiting = WorkloadGroup(
            manager, group.local, tuple(closed), closed, (), group.check, group.job_key
        )
        blocked = waiting.oldest("BlockedOnPreemptionGates")
        if blocked is None:
            return 0
        limit = manager.member.timing.single_cluster_preemption
        if opened and (left := limit - (now - max(opened))) > 0:
            return left
        yield from group.open_gate(blocked[1])
        return limit

    def _nominate(self, group: WorkloadGroup) -> Pause:
        """Keep copies on the nominated workers only."""
        manager, local = self._manager, group.local
        if any(c.state != "Ready" for c in local.checks.values() if c.name != group.check):
            return
        parts = components_of(manager, local, group.job_key)
        if not parts.complete:
            return
        for key in parts.others:
            manager.noticed(key)
        if parts.cluster:
            yield from self._join(group, parts.cluster)
            return
        if not parts.is_primary:
            return
        nominated = local.nominated
        if manager.dispatches_all_at_once:
            if sorted(nominated) != sorted(group.workers):
                manager.nominate(local, group.workers)
            nominated = group.workers
        wanted = set(nominated)
        failed = not wanted.issubset(group.workers)
        for name in group.workers:
            try:
                if name not in wanted:
                    if name in group.copies:
                        yield from group.remove(name)
                elif name not in group.copies:
                    yield from group.create(name, gated=True)
            except ReconcileError:
                failed = True
        if failed:
            raise ReconcileError("some nominated workers have no copy")

    def _join(self, group: WorkloadGroup, cluster: str) -> Pause:
        """Create a copy only on the worker that has another Workload of the job."""
        if cluster not in group.workers:
            raise ReconcileError(f"{cluster} is not available")
        if cluster not in group.local.nominated:
            self._manager.nominate(group.local, (cluster,))
        for name in list(group.copies):
            if name != cluster:
                yield from group.remove(name)
        if cluster not in group.copies:
            yield from group.create(cluster, gated=False)


def _priority_changed(original: Workload, copy: Workload) -> bool:
    ref = copy.priority_class_ref
    if ref is None or ref.kind != "WorkloadPriorityClass":
        return False
    return original.priority_class_ref != ref or original.priority != copy.priority
