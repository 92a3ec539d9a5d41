"""The manager cluster: MultiKueue's controllers and what they write."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kueuelab.model import AdmissionCheckState
from kueuelab.model.workload import CheckState
from kueuelab.multikueue.checks import Checks
from kueuelab.multikueue.connections import Connections
from kueuelab.multikueue.crds import missing_crd
from kueuelab.multikueue.dispatch_controller import DispatchController
from kueuelab.multikueue.dispatchers import (
    ALL_AT_ONCE,
    INCREMENTAL,
    Dispatcher,
    Incremental,
    nomination_refusal,
)
from kueuelab.multikueue.jobs import MULTIKUEUE_CONTROLLER, Job
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.multikueue.quota_automation import QuotaAutomation
from kueuelab.multikueue.races import Race
from kueuelab.multikueue.reconciler import Reconciler
from kueuelab.multikueue.views import View
from kueuelab.multikueue.workqueue import ReconcileError
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.events import truncated_for_condition
from kueuelab.simulation.reconcile import finish
from kueuelab.trace import steps
from kueuelab.trace.steps import Facts
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.cluster_set import ClusterSet

__all__ = ["Manager"]


class Manager:
    """MultiKueue's controllers on the manager.

    Attributes
    ----------
    cluster
        The cluster it runs in.
    connections, checks, reconciler, dispatching
        Its controllers; ``dispatching`` is ``None`` if all are nominated at once.
    one_way
        How long a request takes to a worker's API server, and the answer from there.
    """

    __slots__ = (
        "_deleted",
        "_gates",
        "_runs",
        "_starts",
        "_states",
        "_until_noticed",
        "checks",
        "cluster_set",
        "connections",
        "dispatches_all_at_once",
        "dispatching",
        "gc_interval",
        "member",
        "one_way",
        "origin",
        "quota_automation",
        "reconciler",
        "worker_lost_timeout",
    )

    def __init__(
        self, cluster_set: ClusterSet, member: MemberCluster, dispatcher: Dispatcher | None
    ) -> None:
        self.cluster_set = cluster_set
        self.member = member
        settings = member.cluster.configuration.multi_kueue
        self.origin = settings.origin
        self.worker_lost_timeout = settings.worker_lost_timeout
        self.gc_interval = settings.gc_interval
        self.one_way = member.timing.remote_call // 2
        self._until_noticed = member.timing.watch + member.timing.batch
        self.dispatches_all_at_once = settings.dispatcher_name == ALL_AT_ONCE and dispatcher is None
        self.connections = Connections(self)
        self.checks = Checks(self)
        self.reconciler = Reconciler(self)
        self.quota_automation = QuotaAutomation(self)
        chosen = dispatcher or self._own_dispatcher(settings.dispatcher_name)
        self.dispatching = None if chosen is None else DispatchController(self, chosen)
        self._states: dict[str, WorkloadState] = {}
        self._deleted: dict[str, View] = {}
        self._gates: dict[tuple[str, str], int] = {}
        self._starts = 0
        self._runs = self.is_enabled

    def _own_dispatcher(self, name: str) -> Dispatcher | None:
        if name != INCREMENTAL:
            return None
        gates = self.member.cluster.configuration.gates
        step = self.member.cluster.configuration.multi_kueue.incremental_step_size
        return Incremental(
            step if gates["MultiKueueIncrementalDispatcherConfig"] else 3,
            self.member.timing.round,
            alphabetical=not gates["MultiKueueIncrementalDispatcherRespectConfigOrder"],
        )

    # --- start and stop ----------------------------------------------------------------

    @property
    def is_enabled(self) -> bool:
        """Whether Kueue has MultiKueue's controllers at all: the gate ``MultiKueue``."""
        return self.member.plane.gates["MultiKueue"]

    @property
    def is_up(self) -> bool:
        """Whether MultiKueue's controllers run."""
        return self.is_enabled and self.member.kueue_up

    def settle(self) -> None:
        """Start in the state in which the controllers have settled."""
        if not self.is_enabled:
            self.checks.leave_inactive()
            return
        objects = self.member.cluster.objects
        names = tuple(o.metadata.name for o in objects if type(o).__name__ == "MultiKueueCluster")
        self.connections.connect_at_start(names)
        self.checks.settle()
        self.quota_automation.settle()

    def open(self) -> None:
        """Start the timers."""
        if not self.is_enabled:
            return
        self._collect_later(self.member.timing.since_collection)
        for key in self.member.workloads:
            self.workload_written(self.member, key)

    def stop(self) -> None:
        """Stop with Kueue: everything in memory is lost."""
        self._starts += 1
        self.connections.stop()
        self.checks.queue.clear()
        self.reconciler.queue.clear()
        self.quota_automation.queue.clear()
        if self.dispatching is not None:
            self.dispatching.stop()
        self._deleted.clear()

    def start(self) -> None:
        """Start with Kueue: reconcile everything."""
        if not self.is_enabled:
            return
        self.connections.start()
        self.checks.add_all()
        self.quota_automation.start()
        for key in self.member.workloads:
            self.reconciler.queue.add_after(key, 2 * self.member.timing.connect)
            if self.dispatching is not None:
                self.dispatching.queue.add(key)
        self._collect_later()

    def _collect_later(self, since: int = 0) -> None:
        """Collect garbage when the interval is over, of which this time has passed."""
        starts = self._starts
        if self.gc_interval <= 0:
            return

        def collect() -> None:
            if starts == self._starts:
                self.connections.collect_garbage()
                self._collect_later()

        self.member.loop.after(self.gc_interval - since % self.gc_interval, collect)

    # --- events ------------------------------------------------------------------------

    def workload_written(self, member: MemberCluster, key: str) -> None:
        """Reconcile a Workload that was written here, or, one batch later, on a worker."""
        if member is not self.member:
            if member.name in self.connections.connected:
                self.noticed(key)
            return
        state = member.workloads.get(key)
        if state is not None:
            self._states[key] = state
        elif key in self._states:
            self._deleted[key] = View.of(member, self._states.pop(key))
        if member.kueue_up and self._runs:
            self.reconciler.queue.add(key)
            if self.dispatching is not None:
                self.dispatching.queue.add(key)

    def job_written(self, member: MemberCluster, job: Job, gone: bool) -> None:
        """Handle a change of a job on a worker."""
        from_here = (
            member is not self.member and job.prebuilt_workload and job.origin == self.origin
        )
        if from_here and member.name in self.connections.connected:
            self.noticed(f"{job.namespace}/{job.prebuilt_workload}")

    def objects_written(self, member: MemberCluster) -> None:
        """Update the quota, if that is automated."""
        self.quota_automation.add_all()

    def noticed(self, key: str) -> None:
        """Reconcile a Workload one batch after its copy changed on a worker."""
        member = self.member
        if key in member.workloads and member.kueue_up:
            self.reconciler.queue.add_after(key, self._until_noticed)

    def cluster_changed(self, name: str) -> None:
        """A MultiKueueCluster has a new condition."""
        condition = self.connections.conditions[name]
        active = condition.status == "True"
        kind = None if active else missing_crd(self, name)
        self.record(
            steps.WorkerConnectionChanged(
                name, active, condition.reason, condition.message, kind[0] if kind else ""
            )
        )
        self.cluster_set.status_written(self.member, "MultiKueueCluster", name, condition)
        self.checks.add_all()
        self.quota_automation.add_all()

    def check_changed(self, name: str) -> None:
        """An AdmissionCheck has a new condition."""
        condition = self.checks.conditions[name]
        self.record(
            steps.CheckActivityChanged(
                name, condition.status == "True", condition.reason, condition.message
            )
        )
        self.cluster_set.status_written(self.member, "AdmissionCheck", name, condition)

    def config_changed(self, checks: tuple[str, ...]) -> None:
        """Reconcile the Workloads of checks whose config changed, a batch later."""
        self.checks.add_all()
        self.notice_workloads_of(checks)

    def notice_workloads_of(self, checks: tuple[str, ...]) -> None:
        """Reconcile the Workloads that have one of these checks, a batch later."""
        for key, state in self.member.workloads.items():
            if any(name in state.admission_checks for name in checks):
                self.noticed(key)

    # --- reading -----------------------------------------------------------------------

    def read(self, key: str) -> View | None:
        """Return a Workload as it is, or as it was when it was deleted."""
        state = self.member.workloads.get(key)
        if state is not None:
            return View.of(self.member, state)
        gone = self._deleted.get(key)
        return None if gone is None else gone._replace(deleting=True)

    def forget_deleted(self, key: str) -> None:
        """Nothing is left to do for a deleted Workload."""
        self._deleted.pop(key, None)

    def check_of(self, view: View) -> AdmissionCheckState | None:
        """Return the state of MultiKueue's check."""
        known, names = self.member.plane.objects.admission_checks, view.checks
        for name in sorted(names) if len(names) > 1 else names:
            check = known.get(name)
            if check is not None and check.controller_name == MULTIKUEUE_CONTROLLER:
                return view.checks[name]
        return None

    def job_key_of(self, view: View) -> str:
        """Return the job that a Workload belongs to, ``""`` if it has no owner."""
        owners = view.obj.metadata.owner_references
        if not owners:
            return ""
        return f"{owners[0].kind}/{view.obj.namespace}/{owners[0].name}"

    def gate_open_since(self, key: str, name: str) -> int:
        """Return when a worker was allowed to preempt."""
        return self._gates.get((key, name), 0)

    # --- writing -----------------------------------------------------------------------

    def _patch(self, view: View, change: Callable[[ControlPlane, WorkloadState], bool]) -> None:
        """Write the Workload here, unless it was written in the meantime."""
        if self.member.versions.get(view.key, 0) != view.version:
            raise ReconcileError("conflict")
        self.member.write(view.key, change)

    def set_check(
        self, view: View, check: AdmissionCheckState, state: CheckState, message: str
    ) -> None:
        """Write the state of MultiKueue's check, with its previous state."""
        text = truncated_for_condition(f'{message}, Previously: "{check.state}"')
        self._report(view, check, state, text)

    def _report(
        self, view: View, check: AdmissionCheckState, check_state: CheckState, text: str
    ) -> None:
        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            state.set_check(_reported(check, check_state, text, plane.now))
            plane.changed(state.key)
            return True

        self._patch(view, change)
        self.record(steps.MultiKueueCheck(check_state, text), view.key)

    def evicted_on_worker(self, view: View, check: AdmissionCheckState) -> None:
        """Set the check to Retry, because the worker evicted its copy."""
        text = (
            f'Workload evicted on worker cluster: "{view.cluster_name}", '
            f'resetting for re-admission. Previously: "{check.state}"'
        )
        self._report(view, check, "Retry", text)
        self.member.plane.emit("Normal", "MultiKueue", text, view.key)

    def admitted_on(self, view: View, check: AdmissionCheckState, name: str) -> None:
        """Write that a worker admitted its copy, and its name.

        Raises
        ------
        ReconcileError
            If the API server rejects that: the worker isn't nominated, or another one runs it.
        """
        text = f'The workload was admitted on "{name}"'
        gates = self.member.plane.gates
        state = self.member.workloads[view.key]
        if view.cluster_name not in (None, name):
            self.record(steps.ClusterNameRefused(name, view.cluster_name or ""), view.key)
            raise ReconcileError("clusterName is immutable")
        if view.cluster_name is None and name not in state.nominated_cluster_names:
            self.record(steps.ClusterNameRefused(name, ""), view.key)
            raise ReconcileError("not nominated")
        stays = state.foreign_nomination and not gates["WorkloadRequestUseMergePatch"]
        if stays and state.nominated_cluster_names:
            self.record(steps.ClusterNameRefused(name, ""), view.key)
            raise ReconcileError("clusterName and nominatedClusterNames are mutually exclusive")

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            new = _reported(check, "Ready", text, plane.now)
            nothing = new == state.admission_checks.get(check.name) and state.cluster_name == name
            if nothing and not state.nominated_cluster_names:
                return False
            state.set_check(new)
            state.cluster_name, state.nominated_cluster_names = name, ()
            state.foreign_nomination = False
            plane.changed(state.key)
            return True

        self._patch(view, change)
        if check.state != "Ready":
            self.record(steps.WorkerChosen(name), view.key)
        self.member.plane.emit("Normal", "MultiKueue", text, view.key)

    def nominate(self, view: View, names: tuple[str, ...], round_length: int | None = None) -> None:
        """Write which workers may run a Workload.

        Raises
        ------
        ReconcileError
            If the API server rejects it: a worker runs it already, or there are too many.
        """
        state = self.member.workloads.get(view.key)
        refusal = "" if state is None else nomination_refusal(state, names)
        if refusal:
            raise ReconcileError(refusal)

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            state.nominated_cluster_names = names
            state.foreign_nomination = False
            plane.changed(state.key)
            return True

        self._patch(view, change)
        self.record(steps.ClustersNominated(names, view.nominated, round_length), view.key)

    def finish(self, key: str, reason: str, message: str) -> None:
        """Write that a Workload finished, since it did on a worker."""

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            finish(plane, state, reason, message)
            return True

        self.member.write(key, change)

    # --- recording ---------------------------------------------------------------------

    def record(self, facts: Facts, workload: str = "") -> None:
        """Record a step of the manager."""
        self.member.plane.record(facts, workload)

    def copy_created(self, key: str, name: str) -> None:
        """A copy was created."""
        if self.member.plane.recorder is not None:
            self.record(steps.CopyCreated(name), key)

    def copy_removed(self, key: str, name: str) -> None:
        """A copy is about to be removed."""
        self._gates.pop((key, name), None)
        if self.member.plane.recorder is not None:
            self.record(steps.CopyRemoved(name), key)

    def job_created(self, key: str, name: str) -> None:
        """The job was created on a worker."""
        self.record(steps.RemoteJobCreated(name), key)

    def status_refused(self, key: str, name: str) -> None:
        """Kubernetes refused a status from a worker."""
        self.record(steps.StatusRefused(name), key)

    def gate_opened(self, key: str, name: str) -> None:
        """The preemption gate of a copy was opened."""
        self._gates[key, name] = self.member.now
        self.record(steps.PreemptionGateOpened(name), key)

    def race_drawn(self, race: Race) -> None:
        """A tie was decided at random."""
        self.record(steps.RaceDrawn(race.about, race.winner, race.others), race.workload)


def _reported(
    check: AdmissionCheckState, state: CheckState, text: str, now: int
) -> AdmissionCheckState:
    since = check.last_transition_time if check.state == state else now
    return AdmissionCheckState(
        check.name, state, text, since, check.requeue_after_seconds, check.retry_count
    )
