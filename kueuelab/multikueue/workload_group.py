"""A Workload on the manager with its copies on the workers, and the writes to them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kueuelab.manifests.jobs.constants import JOB_UID, MULTIKUEUE_ORIGIN
from kueuelab.model import Condition, ObjectMeta, Workload
from kueuelab.model.times import to_seconds
from kueuelab.multikueue.jobs import Job
from kueuelab.multikueue.views import CopyView, View
from kueuelab.multikueue.workqueue import ReconcileError
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import set_workload
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["GATE", "Pause", "WorkloadGroup"]

#: Work that waits for other clusters.
Pause = Generator[int, None, None]

#: The gate that a manager closes on copies, to decide itself which copy may preempt.
GATE: Final = "kueue.x-k8s.io/multikueue"


@dataclass(slots=True)
class WorkloadGroup:
    """The input of one reconciliation.

    Attributes
    ----------
    local
        The Workload here.
    workers
        The workers that the manager is connected to, in the order of the config; the others
        are in ``unavailable``.
    copies
        Those of them that have a copy, with it.
    check
        The name of MultiKueue's admission check.
    job_key
        The job that the Workload belongs to.
    owed
        How long pending answers take.
    """

    manager: Manager
    local: View
    workers: tuple[str, ...]
    copies: dict[str, CopyView]
    unavailable: tuple[str, ...]
    check: str
    job_key: str
    owed: int = 0
    _labels: Mapping[str, str] | None = None

    def worker(self, name: str) -> MemberCluster:
        """Return a worker, if requests get through to it.

        Raises
        ------
        ReconcileError
            If they don't.
        """
        worker = self.manager.connections.reached(name)
        if worker is None:
            raise ReconcileError(f"{name} is out of reach")
        return worker

    def oldest(self, condition: str) -> tuple[Condition, str] | None:
        """Return the condition that has been true longest on any worker, and that worker."""
        tied: dict[str, Condition] = {}
        first = 0
        for name, view in self.copies.items():
            held = view.conditions.get(condition)
            if held is None or held.status != "True":
                continue
            # Read from another cluster's API server: whole seconds.
            since = to_seconds(held.last_transition_time)
            if not tied or since < first:
                tied, first = {name: held}, since
            elif since == first:
                tied[name] = held
        if not tied:
            return None
        name = next(iter(tied))
        if len(tied) > 1:
            races = self.manager.cluster_set.races
            name = races.draw(first, self.local.key, condition, tuple(tied))
            self.manager.race_drawn(races.drawn[-1])
        return tied[name], name

    # --- writes to copies ------------------------------------------------------------

    def call(self) -> int:
        """Return how long a request to a worker takes, with earlier answers."""
        owed, self.owed = self.owed, 0
        return owed + self.manager.one_way

    def arrive(self) -> Pause:
        """Wait for pending answers."""
        owed, self.owed = self.owed, 0
        if owed:
            yield owed

    def answer(self) -> None:
        """Add a pending answer; nothing more is done before it arrives."""
        self.owed += self.manager.one_way

    def remove(self, name: str) -> Pause:
        """Delete a worker's job, if it came from here, then its copy."""
        yield self.call()
        worker = self.worker(name)
        job = worker.jobs.get(self.job_key)
        if job is not None and job.origin == self.manager.origin:
            worker.delete_job(self.job_key)
            self.answer()
            yield self.call()
            worker = self.worker(name)
        if name in self.copies:
            self.manager.copy_removed(self.local.key, name)
            worker.finalized.pop(self.local.key, None)
            worker.delete_workload(self.local.key)
            del self.copies[name]
            self.answer()

    def places(self) -> Iterator[str]:
        """Yield the workers that have something to :meth:`remove`: a copy, or the job."""
        copies, job, members = self.copies, self.job_key, self.manager.cluster_set.workers
        for name in self.workers:
            if name in copies or job in members[name].jobs:
                yield name

    def create(self, name: str, *, gated: bool) -> Pause:
        """Create a copy.

        Raises
        ------
        ReconcileError
            If the worker is out of reach, or has no such namespace.
        """
        yield self.call()
        worker, manager = self.worker(name), self.manager
        original = self.local.obj
        meta = original.metadata
        if meta.namespace in worker.absent_namespaces or self.local.key in worker.workloads:
            raise ReconcileError(f"no copy on {name}")
        gates = original.preemption_gates
        if gated and manager.member.plane.gates["MultiKueueOrchestratedPreemption"]:
            gates = (GATE,)
        copy = Workload(
            ObjectMeta(
                meta.name,
                meta.namespace,
                worker.new_uid("Workload", meta.name),
                self._labels_of_copies(),
                meta.annotations,
                worker.now,
            ),
            original.pod_sets,
            original.queue_name,
            original.priority,
            original.priority_class_ref,
            self.local.active,
            original.maximum_execution_time_seconds,
            gates,
        )
        worker.create_workload(copy, manager.member.workloads.get(self.local.key))
        manager.copy_created(self.local.key, name)
        self.answer()

    def _labels_of_copies(self) -> Mapping[str, str]:
        """Return the labels of copies: the same mapping for all of them."""
        if self._labels is None:
            labels = {**self.local.obj.metadata.labels, MULTIKUEUE_ORIGIN: self.manager.origin}
            labels.pop(JOB_UID, None)
            self._labels = labels
        return self._labels

    def update_priority(self, name: str) -> Pause:
        """Write a new priority to a copy."""
        yield self.call()
        worker = self.worker(name)
        original = self.local.obj

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            written = plane.written(state)
            new = replace(
                written, priority=original.priority, priority_class_ref=original.priority_class_ref
            )
            set_workload(plane, state, new)
            plane.changed(state.key)
            return True

        worker.write(self.local.key, change)

    def deactivate(self, name: str, message: str) -> Pause:
        """Deactivate the copy on a worker, because the Workload was evicted on the manager."""
        yield self.call()
        worker = self.worker(name)

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            changed = state.set_condition(
                "DeactivationTarget", "True", "EvictedOnManagerCluster", message, plane.now
            )
            if changed:
                plane.changed(state.key)
            return changed

        worker.write(self.local.key, change)

    def open_gate(self, name: str) -> Pause:
        """Open the preemption gate of a copy."""
        yield self.call()
        worker = self.worker(name)

        def change(plane: ControlPlane, state: WorkloadState) -> bool:
            state.preemption_gates = {**state.preemption_gates, GATE: "Open"}
            plane.changed(state.key)
            return True

        if worker.write(self.local.key, change):
            self.manager.gate_opened(self.local.key, name)

    def remote_job(self, name: str) -> Job | None:
        """Return the worker's job.

        Raises
        ------
        ReconcileError
            If the worker is out of reach, or the job isn't from here.
        """
        job = self.worker(name).jobs.get(self.job_key)
        if job is not None and job.origin != self.manager.origin:
            raise ReconcileError(f"the job on {name} is not from here")
        return job
