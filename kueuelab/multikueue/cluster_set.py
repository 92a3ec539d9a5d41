"""A MultiKueue cluster set: one manager and its workers on one clock, with faults."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kueuelab.collector import without_collection
from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model import ClusterObject, Condition, Configuration, ModelObject, Workload
from kueuelab.model.times import from_seconds
from kueuelab.model.workload import AdmissionCheckState, CheckState
from kueuelab.multikueue.connections import KUBECONFIG_STATES
from kueuelab.multikueue.crds import install_crd, remove_crd
from kueuelab.multikueue.dispatchers import Dispatcher, nomination_refusal
from kueuelab.multikueue.facts import FactLog
from kueuelab.multikueue.jobs import Job, PodPlan
from kueuelab.multikueue.loop import EventLoop
from kueuelab.multikueue.manager import Manager
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.multikueue.races import Races
from kueuelab.multikueue.reactions import object_applied, object_removed
from kueuelab.multikueue.recording import SharedRecorder
from kueuelab.multikueue.timing import Timing
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.jobs import prioritize
from kueuelab.simulation.reconcile import set_active
from kueuelab.workload import WorkloadState

__all__ = ["ClusterSet"]


class ClusterSet:
    """One manager cluster and any number of workers.

    Parameters
    ----------
    configurations
        Kueue's Configuration by cluster; the clusters there are, the manager first.
    manager
        Which of them is the manager; the first, if left out.
    start
        The clock at the start, nanoseconds since 1970.
    timing
        How long things take.
    seed, script
        How ties are drawn, see :class:`~kueuelab.multikueue.races.Races`.
    dispatcher
        Nominates workers in place of the one that the Configuration names.
    recorder
        Records every step of every cluster.
    slow_starts
        Jobs (``Kind/namespace/name``) that their worker starts only after the manager read
        them. On real clusters either can be faster.
    first_worker
        Kueue goes through the workers of a config in a ring that begins anywhere; here with
        this one, counted from 0.
    uids
        Makes a uid of cluster, kind and name; by default they are counted.

    Examples
    --------
    >>> cluster_set = ClusterSet({"manager": Configuration(), "w1": Configuration()})
    >>> cluster_set
    <ClusterSet manager + w1: 0 workloads>
    """

    __slots__ = (
        "_made",
        "cut_off",
        "first_worker",
        "kubeconfigs",
        "log",
        "loop",
        "manager",
        "members",
        "races",
        "recorder",
        "slow_starts",
        "timing",
        "workers",
    )

    def __init__(
        self,
        configurations: Mapping[str, Configuration],
        *,
        manager: str = "",
        start: int = 0,
        timing: Timing | None = None,
        seed: int = 0,
        script: Sequence[int] = (),
        dispatcher: Dispatcher | None = None,
        recorder: SharedRecorder | None = None,
        slow_starts: Container[str] = (),
        first_worker: int = 0,
        uids: Callable[[str, str, str], str] | None = None,
    ) -> None:
        if not configurations:
            raise InputError(Problem(Message("multikueue.no-manager")))
        self.loop = EventLoop(start)
        self.timing = timing or Timing()
        self.races = Races(seed, script)
        self.recorder = recorder
        self.slow_starts = slow_starts
        self.first_worker = first_worker
        self.cut_off: dict[str, None] = {}
        self.kubeconfigs: dict[str, str] = {}
        self._made: dict[tuple[str, str, str], int] = {}
        name = manager or next(iter(configurations))
        self.members: dict[str, MemberCluster] = {
            cluster: MemberCluster(
                cluster,
                self.loop,
                self.timing,
                configuration,
                uids or self._count_uid,
                None if recorder is None else recorder.of(cluster, lambda: self.loop.now),
            )
            for cluster, configuration in configurations.items()
        }
        self.workers = {n: member for n, member in self.members.items() if n != name}
        self.manager = Manager(self, self.members[name], dispatcher)
        self.log: FactLog | None = None

    def _count_uid(self, cluster: str, kind: str, name: str) -> str:
        place = (cluster, kind, name)
        count = self._made[place] = self._made.get(place, 0) + 1
        return f"{cluster}-{kind}-{name}-{count}".lower()[:63]

    # --- time --------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The time on the clock, in nanoseconds since 1970."""
        return self.loop.now

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self.run_until(self.loop.now + from_seconds(seconds))

    def run_until(self, when: int) -> None:
        """Advance the clock to ``when``, in nanoseconds since 1970."""
        with without_collection(circles=False):
            self.loop.run_until(when)

    # --- the start ---------------------------------------------------------------------

    def load(
        self,
        objects: Mapping[str, Iterable[ModelObject]],
        *,
        kubeconfigs: Mapping[str, str] | None = None,
        absent_namespaces: Mapping[str, Sequence[str]] | None = None,
        missing_crds: Mapping[str, Sequence[str]] | None = None,
        facts: bool = False,
    ) -> None:
        """Load the objects of each cluster; all controllers have settled when it returns.

        Parameters
        ----------
        objects
            By cluster.
        kubeconfigs
            What is wrong with the kubeconfigs of some workers; ``unreachable`` is none but
            a network that is cut.
        absent_namespaces
            Namespaces that don't exist, by cluster.
        missing_crds
            Kinds, of jobs or ``Workload``, that a worker does not know, by worker.
        facts
            Whether to write facts down, see ``log``.
        """
        for name, state in (kubeconfigs or {}).items():
            if state == "unreachable":
                self.cut_off[name] = None
            else:
                self.kubeconfigs[name] = state
        for name, namespaces in (absent_namespaces or {}).items():
            self.member(name).absent_namespaces = tuple(namespaces)
        for name, kinds in (missing_crds or {}).items():
            self._worker(name).missing_crds = tuple(kinds)
        for name, found in objects.items():
            self.member(name).load(found)
        self.manager.settle()
        if facts:
            self.log = FactLog(self)
        for member in self.members.values():
            if self.log is not None:
                member.observers.append(self.log)
            member.observers.append(self.manager)
            member.open()
        self.manager.open()

    def member(self, name: str) -> MemberCluster:
        """Return a cluster by name; ``""`` is the manager.

        Raises
        ------
        UnknownObjectError
            If there is none of that name.
        """
        if not name:
            return self.manager.member
        found = self.members.get(name)
        if found is None:
            raise UnknownObjectError("cluster", name, self.members)
        return found

    # --- what users do -----------------------------------------------------------------

    def submit(self, cluster: str, manifest: Mapping[str, Any], pods: PodPlan | None = None) -> Job:
        """Create a job, after Kueue's webhook."""
        member = self.member(cluster)
        metadata = manifest.get("metadata") or {}
        kind, name = str(manifest.get("kind")), str(metadata.get("name"))
        return self._create(
            member, Job(manifest, "default", member.new_uid(kind, name), member.now, pods)
        )

    def submit_workload(self, cluster: str, workload: Workload, pods: PodPlan) -> Job:
        """Create a job for which Kueue creates this Workload."""
        member = self.member(cluster)
        uid = member.new_uid("Job", workload.name)
        return self._create(member, Job.of_workload(workload, uid, member.now, pods))

    def _create(self, member: MemberCluster, job: Job) -> Job:
        member.integration.default(job)
        member.create_job(job)
        if job.pods_are_jobs and job.queue_name:
            for manifest in job.pod_manifests():
                uid = member.new_uid("Pod", manifest["metadata"]["name"])
                pod = Job(manifest, job.namespace, uid, member.now, job.plan)
                pod.controller = job.key
                self._create(member, pod)
        return job

    def delete_job(self, cluster: str, key: str) -> None:
        """Delete a job, by ``Kind/namespace/name``."""
        self.member(cluster).job(key)
        self.member(cluster).delete_job(key)

    def delete_workload(self, cluster: str, key: str) -> None:
        """Delete a Workload."""
        self._state(cluster, key)
        self.member(cluster).delete_workload(key)

    def finish_job(self, cluster: str, key: str) -> bool:
        """Let the running pods of a job succeed; tell whether there were any."""
        member = self.member(cluster)
        return member.kubernetes.finish(member.job(key))

    def relabel_job(self, cluster: str, key: str, labels: Mapping[str, str]) -> None:
        """Change labels of a job, for instance its priority class."""
        self.member(cluster).relabel_job(self.member(cluster).job(key), labels)

    def set_active(self, cluster: str, key: str, active: bool) -> None:
        """Set ``spec.active`` of a Workload."""

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            if state.active == active:
                return False
            set_active(plane, state, active)
            return True

        self._state(cluster, key)
        self.member(cluster).write(key, change)

    def set_priority(self, cluster: str, key: str, priority: int) -> None:
        """Set ``spec.priority`` of a Workload."""
        self._state(cluster, key)
        self.member(cluster).write(key, lambda plane, state: prioritize(plane, state, priority))

    def set_check(
        self, cluster: str, key: str, check: str, state: CheckState, message: str = ""
    ) -> None:
        """Let the controller of an admission check report on a Workload."""

        def change(plane: ControlPlane, workload: WorkloadState) -> bool:
            old = workload.admission_checks.get(check) or AdmissionCheckState(check)
            new = replace(old, state=state, message=message)
            if old.state != state:
                new = replace(new, last_transition_time=plane.now)
            if new == workload.admission_checks.get(check):
                return False
            workload.set_check(new)
            plane.changed(workload.key)
            return True

        self._state(cluster, key)
        self.member(cluster).write(key, change)

    def nominate(self, key: str, names: Sequence[str], *, foreign: bool = False) -> str:
        """Nominate workers as an external dispatcher does; return the API's refusal, if any.

        ``foreign`` is a nomination that Kueue can't reset: by another field manager than
        its own, or by anything but a server-side apply.
        """
        state = self._state("", key)
        refusal = nomination_refusal(state, names)
        if refusal:
            return refusal

        def change(plane: ControlPlane, workload: WorkloadState) -> bool:
            if workload.nominated_cluster_names == tuple(names):
                return False
            workload.nominated_cluster_names = tuple(names)
            workload.foreign_nomination = foreign
            plane.changed(workload.key)
            return True

        self.manager.member.write(key, change)
        return ""

    def _state(self, cluster: str, key: str) -> WorkloadState:
        member = self.member(cluster)
        state = member.workloads.get(key)
        if state is None:
            raise UnknownObjectError("Workload", key, member.workloads)
        return state

    def apply(self, cluster: str, obj: ClusterObject) -> None:
        """Create or change an object other than a job or a Workload."""
        member, manager = self.member(cluster), self.manager
        kind, name = type(obj).__name__, obj.metadata.name
        old = member.cluster.objects.get(kind, obj.metadata.key)
        member.apply(obj)
        if old is None and self.log is not None:
            self.log.object_came_or_went(member, kind, name, "created")
        if member is manager.member and manager.is_up:
            object_applied(manager, obj, old)

    def remove(self, cluster: str, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object other than a job or a Workload."""
        member, manager = self.member(cluster), self.manager
        member.remove(kind, name, namespace)
        if self.log is not None:
            self.log.object_came_or_went(member, kind, name, "deleted")
        if member is manager.member and manager.is_up:
            object_removed(manager, kind, name)

    # --- faults ------------------------------------------------------------------------

    def disconnect(self, worker: str) -> None:
        """Cut the network between the manager and a worker, which goes on by itself."""
        self._worker(worker)
        self.cut_off[worker] = None
        self.manager.connections.watches_ended(worker)

    def reconnect(self, worker: str) -> None:
        """Restore the network. The manager finds out with its next attempt."""
        self._worker(worker)
        self.cut_off.pop(worker, None)

    def set_kubeconfig(self, worker: str, state: str) -> None:
        """Change the kubeconfig of a worker; see ``KUBECONFIG_STATES``, or ``unreachable``."""
        self._worker(worker)
        if state == "unreachable":
            self.kubeconfigs[worker] = "valid"
            self.disconnect(worker)
            return
        if state not in KUBECONFIG_STATES:
            raise UnknownObjectError("kubeconfig", state, KUBECONFIG_STATES)
        self.kubeconfigs[worker] = state
        self.manager.connections.queue.add(worker)

    def remove_crd(self, worker: str, kind: str) -> None:
        """Delete the CRD of a kind on a worker, and with it all objects of that kind."""
        remove_crd(self.manager, self._worker(worker), kind)

    def install_crd(self, worker: str, kind: str) -> None:
        """Install the CRD of a kind. The manager finds out with its next attempt."""
        install_crd(self._worker(worker), kind)

    def _worker(self, name: str) -> MemberCluster:
        if name not in self.workers:
            raise UnknownObjectError(Message("multikueue.worker-cluster"), name, self.workers)
        return self.workers[name]

    def stop_kueue(self, cluster: str) -> None:
        """Stop Kueue on a cluster."""
        member = self.member(cluster)
        member.stop_kueue()
        if member is self.manager.member:
            self.manager.stop()

    def start_kueue(self, cluster: str) -> None:
        """Start Kueue on a cluster."""
        member = self.member(cluster)

        def start() -> None:
            member.start_kueue()
            if member is self.manager.member:
                self.manager.start()

        self.loop.after(self.timing.restart, start)

    def restart_kueue(self, cluster: str) -> None:
        """Stop Kueue on a cluster and start it again."""
        self.stop_kueue(cluster)
        self.start_kueue(cluster)

    # --- the log -----------------------------------------------------------------------

    def status_written(
        self, member: MemberCluster, kind: str, name: str, condition: Condition
    ) -> None:
        """Add a condition of an object other than a Workload to the log."""
        if self.log is not None:
            self.log.status_written(member, kind, name, condition)

    def status_removed(self, member: MemberCluster, kind: str, name: str, type_: str) -> None:
        """Add the removal of a condition to the log."""
        if self.log is not None:
            self.log.status_removed(member, kind, name, type_)

    def __repr__(self) -> str:
        workers = " + ".join(self.workers)
        count = len(self.manager.member.workloads)
        return f"<ClusterSet {self.manager.member.name} + {workers}: {count} workloads>"
