"""What the scheduler needs of a simulated cluster: heads, and the effects of its decisions.

Heads are popped in the first step of a cycle, and requeued in the sixth. Reservations and
preemptions are written in the order in which Kueue writes them. With
``waitForPodsReady.blockAdmission`` an admission may have to wait until all pods are ready.
"""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.model import Admission
from kueuelab.model.times import SECOND
from kueuelab.queues import Head, RequeueReason, is_admissible
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler import Assignment, ClusterAccess, Entry, Inadmissible
from kueuelab.simulation import status
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.admission_fair_sharing import charge_penalty
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.devices import drop_device_charges
from kueuelab.simulation.elastic import finish_replaced
from kueuelab.simulation.events import truncated_for_condition
from kueuelab.simulation.eviction import evict
from kueuelab.simulation.preempt import preempt
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.second_pass import queue_second_pass
from kueuelab.simulation.status_at_pop import StatusAtPop
from kueuelab.trace.steps import Admitted, Pending, PodsPlaced, QuotaReserved
from kueuelab.workload import WorkloadState

__all__ = ["SchedulerAccess"]


class SchedulerAccess(ClusterAccess):
    """The cluster as its scheduler sees it.

    Parameters
    ----------
    plane
        The cluster.
    """

    __slots__ = ("_at_pop", "_at_start", "_heads", "_plane")

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._heads: list[Head] = []
        #: Workloads with a second pass as they are when the cycle begins.
        self._at_start: dict[str, WorkloadState] = {}
        #: The status of the heads when they were popped, once an admission has to wait; and of
        #: those with a second pass when they began to wait for it.
        self._at_pop: dict[str, StatusAtPop] = {}

    # --- heads and nomination ----------------------------------------------------------

    def heads(self) -> list[Head]:
        """Pop the second passes that are due, and the head of every ClusterQueue that can admit."""
        plane = self._plane
        self._heads = plane.queues.heads(plane.inactive)
        self._at_pop, self._at_start = {}, {}
        for head in self._heads:
            if not head.second_pass:
                break  # Second passes come first.
            key = head.workload.key
            self._at_pop[key] = StatusAtPop(head.workload, with_checks=True)
            self._at_start[key] = plane.workloads[key].snapshot()
        if self._heads and plane.recorder is not None:
            plane.recorder.time = plane.clock.now
        return self._heads

    def is_inactive(self, cluster_queue: str) -> bool:
        """Tell whether a ClusterQueue can't admit, or its cohorts form a cycle."""
        plane = self._plane
        return cluster_queue in plane.inactive or plane.tree.in_cycle(cluster_queue)

    def obstacle(self, workload: WorkloadState, queue: ClusterQueueNode) -> Inadmissible | None:
        """Return what is wrong with a head: its namespace, its requests, a LimitRange."""
        return obstacle(self._plane, workload, queue.namespace_selector)

    def delays_topology(self, workload: WorkloadState, cluster_queue: str, flavor: str) -> bool:
        """Tell whether domains of a flavor are assigned later, or by a worker cluster."""
        queue, objects = self._plane.statuses.get(cluster_queue), self._plane.objects
        first = not workload.has_quota_reservation
        return queue is not None and queue.delays_topology(objects, flavor, first_pass=first)

    # --- decisions take effect ---------------------------------------------------------

    def preempt(self, entry: Entry) -> None:
        """Evict the targets of an entry.

        What the cycle wrote on a target before is lost: targets are written as they were when it
        began.
        """
        for target in entry.preempted:
            if (before := self._at_start.get(target.workload.key)) is not None:
                target.workload.restore_status(before)
                self._plane.tree.refresh_workload(target.workload)
        preempt(self._plane, entry)

    def migrate(self, entry: Entry) -> None:
        """Evict the variant that a workload migrates from."""
        sibling = entry.migrates_from
        if sibling is not None:
            message = (
                f"Evicted to accommodate a workload (UID: {entry.workload.uid}) "
                "due to migration to more favorable resource flavor"
            )
            evict(self._plane, sibling, "FlavorMigration", message)

    def wait_for_pods_ready(self, entry: Entry) -> Iterator[Entry]:
        """Yield an entry until all pods are ready; write on the workload that it waits."""
        plane = self._plane
        if entry.second_pass or not plane.block_admission:
            return
        if entry.key not in self._at_pop:
            self._at_pop = {head.workload.key: StatusAtPop(head.workload) for head in self._heads}
        self._write_waiting(entry)
        while plane.block_admission:
            yield entry

    def admit(self, entry: Entry) -> None:
        """Reserve quota; admit at once if there is no check to wait for."""
        plane = self._plane
        state, assignment = self._current(entry), entry.assignment
        if state is None or assignment is None:
            return
        queue = plane.statuses.get(entry.cluster_queue)
        if queue is None:
            entry.status = "nominated"
            entry.message = (
                f"Failed to admit workload: workload {state.key} could not be added to the cache"
            )
            return
        prefixes = plane.gates["TASAssignmentsEncodingByHostnamePrefix"]
        admission = assignment.to_admission(entry.cluster_queue, hostname_prefixes=prefixes)
        requests = state.requests
        # A second pass reserves nothing, so that nothing is charged for it.
        is_charged = plane.fair_usage is not None and not entry.workload.has_quota_reservation
        if state.key in self._at_pop:
            with self._at_pop[state.key].written_over(state):
                _reserve(plane, state, admission, queue)
        else:
            _reserve(plane, state, admission, queue)
        if entry.second_pass:
            # Written with the status that the scheduler saw, whatever was marked since then.
            state.unhealthy_nodes = ()
            # An eviction may be among what is lost: it is a candidate like others again.
            plane.tree.refresh_workload(state)
        plane.hold(state)
        plane.changed(state.key)
        if plane.recorder is not None:
            # It is in no queue any more; the queues remove it when its change is delivered.
            plane.recorder.change(("workloads", state.key, "queue"), None)
            plane.record(
                _placed(state, entry) if entry.second_pass else _reserved(state), state.key
            )
        if is_charged:
            charge_penalty(plane, state, requests, queue.spec)
        _emit_reserved(plane, entry, state, assignment)
        if (replaced := entry.replaced) is not None:
            finish_replaced(plane, state, replaced.workload)

    def evict_unreplaced(self, entry: Entry) -> None:
        """Evict a workload with pods on a failed node that no other node replaces."""
        state = self._current(entry)
        if state is not None:
            nodes = ",".join(entry.workload.unhealthy_nodes)
            words = "Workload was evicted as there was no replacement for unhealthy node(s)"
            # It is written as it was when it began to wait for its second pass.
            with self._at_pop[entry.key].written_over(state):
                evict(self._plane, state, "NodeFailures", f"{words}: {nodes}")

    def requeue(self, entry: Entry) -> None:
        """Give a head back to its queue, and write on the workload why it is pending."""
        plane, state = self._plane, self._current(entry)
        if state is None:
            # It was deleted while the cycle waited for pods. The scheduler doesn't know, and says
            # why it is pending all the same.
            if not (entry.second_pass or entry.status == "nominated" or entry.skip_status_update):
                _emit_pending(plane, entry)
            return
        reason = entry.requeue_reason
        if entry.status != "" and reason is RequeueReason.GENERIC:
            reason = RequeueReason.FAILED_AFTER_NOMINATION
        if queue_second_pass(plane, entry.workload, entry.second_pass):
            plane.emit("Warning", "SecondPassFailed", entry.message, state.key)
            return
        drop_device_charges(plane, state)
        plane.queues.requeue(state, reason, entry.quota_reserved_reason)
        if entry.status == "nominated" or entry.skip_status_update:
            return
        before = self._at_pop.get(entry.key)
        # A workload that can't be queued any more is written as it was when popped.
        if before is not None and not (
            is_admissible(state, plane.gates) and state.queue_key in plane.queueing
        ):
            with before.written_over(state) as write:
                write.changed = _write_pending(plane, entry, state)
        else:
            _write_pending(plane, entry, state)

    def _current(self, entry: Entry) -> WorkloadState | None:
        """Return the entry's workload unless it was deleted in the meantime."""
        workload = entry.workload
        state = self._plane.workloads.get(workload.key)
        if state is None or (entry.second_pass and state.uid == workload.uid):
            return state
        return state if state is workload else None

    def _write_waiting(self, entry: Entry) -> None:
        plane, state = self._plane, self._current(entry)
        if state is None:
            return
        reason = status.unadmitted_reason(plane.gates, "WaitingForPodsReady", "Waiting")
        message = "waiting for all admitted workloads to be in PodsReady condition"
        with self._at_pop[entry.key].written_over(state) as write:
            write.changed = status.unset_reservation(state, reason, message, plane.gates, plane.now)
        if write.changed:
            plane.changed(state.key)
            if plane.recorder is not None:
                plane.record(Pending(reason, message), state.key, entry.cluster_queue)


def _emit_reserved(
    plane: ControlPlane, entry: Entry, state: WorkloadState, assignment: Assignment
) -> None:
    """Emit the Events of a reservation, and of the admission if there is no check.

    A second pass reserves nothing; one that replaces a node admits nothing either.
    """
    cluster_queue = entry.cluster_queue
    if not entry.second_pass:
        _emit_quota_reserved(plane, state, assignment, cluster_queue)
    if state.is_admitted and not (entry.second_pass and entry.workload.unhealthy_nodes):
        if plane.recorder is not None:
            plane.record(Admitted(), state.key)
        plane.emit(
            "Normal",
            "Admitted",
            f"Admitted by ClusterQueue {cluster_queue}, wait time since reservation was 0s",
            state.key,
        )


def _emit_quota_reserved(
    plane: ControlPlane, state: WorkloadState, assignment: Assignment, cluster_queue: str
) -> None:
    waited = (plane.clock.now - status.queued_since(state)) / SECOND
    message = (
        f"Quota reserved in ClusterQueue {cluster_queue}, wait time since queued was {waited:.0f}s"
    )
    considered = assignment.flavors_considered
    if considered:
        message += f"; Flavors considered: {considered}"
    plane.emit("Normal", "QuotaReserved", message, state.key)


def _reserved(state: WorkloadState) -> QuotaReserved:
    assert state.admission is not None
    assigned = state.admission.pod_set_assignments
    return QuotaReserved(tuple((each.name, each.count or 0, each.flavors) for each in assigned))


def _placed(state: WorkloadState, entry: Entry) -> PodsPlaced:
    places = tuple(
        (name, tuple((",".join(domain.values), domain.count) for domain in found.domains))
        for name, found in state.topology_assignments.items()
    )
    return PodsPlaced(places, entry.workload.unhealthy_nodes)


def _reserve(
    plane: ControlPlane, state: WorkloadState, admission: Admission, queue: QueueStatus
) -> None:
    now = plane.clock.now
    _take_over_queued(state)
    status.reserve_quota(state, admission, now)
    state.resource_requests = ()
    if queue.checks:
        flavors = frozenset(f for a in admission.pod_set_assignments for f in a.flavors.values())
        if not state.admission_checks.keys() >= set(queue.checks_of(flavors)):
            return
    status.sync_admitted(state, plane.gates, now)


def _take_over_queued(state: WorkloadState) -> None:
    """Let the status be without what its copy in the queue is without: that one is written."""
    if state.queued_after_devices:
        if state.requeued is None and "Requeued" in state.conditions:
            state.set_conditions({n: c for n, c in state.conditions.items() if n != "Requeued"})
        state.queued_after_devices = False


def _write_pending(plane: ControlPlane, entry: Entry, state: WorkloadState) -> bool:
    condition = status.unadmitted_reason(plane.gates, entry.quota_reserved_reason, "Pending")
    message = entry.message
    changed = status.unset_reservation(state, condition, message, plane.gates, plane.now)
    if state.resource_requests != state.requests:
        state.resource_requests = state.requests
        changed = True
    if entry.status == "preemptionGated":
        text = truncated_for_condition(message)
        changed = state.set_condition(
            "BlockedOnPreemptionGates", "True", "PreemptionGated", text, plane.now
        )
    if changed:
        plane.changed(state.key)
        if plane.recorder is not None:
            plane.record(Pending(condition, message), state.key, entry.cluster_queue)
    _emit_pending(plane, entry)
    return changed


def _emit_pending(plane: ControlPlane, entry: Entry) -> None:
    condition = status.unadmitted_reason(plane.gates, entry.quota_reserved_reason, "Pending")
    plane.emit("Warning", condition, entry.message, entry.key)
