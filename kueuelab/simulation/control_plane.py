"""What the controllers of one simulated cluster share, and how changes reach them.

A controller writes an object and says so with :meth:`ControlPlane.changed`. Later, when
the effects are carried through (:meth:`ControlPlane.settle`), each change is delivered as
a watch would deliver it: first to the handlers that keep queues and quota up to date,
then to the reconciler.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from kueuelab.frozen import new_tuple
from kueuelab.model import ClusterObject, Configuration, Workload
from kueuelab.queues import QueueManager
from kueuelab.quota import QuotaTree
from kueuelab.simulation import adjust
from kueuelab.simulation.admission_fair_sharing import FairUsage, sample_due
from kueuelab.simulation.block_admission import BlockAdmission
from kueuelab.simulation.clock import Clock
from kueuelab.simulation.devices.accounting import DeviceAccounting
from kueuelab.simulation.events import Event, EventType, truncated_for_event
from kueuelab.simulation.objects import ObjectStore
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.recording import Announcer
from kueuelab.simulation.seen import Seen
from kueuelab.simulation.used_domains import used_domains
from kueuelab.topology import TopologyForest
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import EventEmitted, Facts
from kueuelab.workload import SamePodSets, WorkloadState
from kueuelab.workload.variants import is_labelled_parent, is_variant, parent_name, parent_uid

__all__ = ["ControlPlane"]


class ControlPlane:
    """Objects, quota, queues, clock and events of one cluster, and the work to be done.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time on the clock.
    recorder
        Where to record steps, if at all.
    """

    __slots__ = (
        "_admitted",
        "_announcer",
        "_changed",
        "_waiting",
        "admitted_in",
        "as_written",
        "assigned_by_node",
        "block_admission",
        "changes",
        "clock",
        "configuration",
        "devices",
        "events",
        "evicting",
        "fair_usage",
        "families_todo",
        "forest",
        "freed_nodes",
        "gates",
        "gates_opened",
        "has_nested_cohorts",
        "inactive",
        "muted",
        "nodes_todo",
        "objects",
        "on_wake",
        "on_write",
        "past_execution",
        "pods_follow_assignments",
        "queueing",
        "queues",
        "recorder",
        "reports",
        "restarting",
        "restarts_take_time",
        "same_pod_sets",
        "seen",
        "start",
        "statuses",
        "todo",
        "touched",
        "tree",
        "ungated",
        "wait_for_pods_ready",
        "workloads",
        "writes",
    )

    def __init__(
        self,
        configuration: Configuration,
        start: int,
        recorder: Recorder | None,
    ) -> None:
        self.configuration = configuration
        self.gates = configuration.gates
        self.recorder = recorder
        self.clock = Clock(start)
        self.start = start
        self.objects = ObjectStore()
        self.tree = QuotaTree(recorder)
        #: Flavors with a topology, and what workloads use of their domains.
        self.forest = TopologyForest(
            self.tree.journal,
            self.objects.nodes,
            overlapping=self.gates["TASHandleOverlappingFlavors"],
        )
        #: What LocalQueues have used lately; ``None`` without admission fair sharing.
        self.fair_usage = FairUsage.configured(configuration, self.objects)
        self.queues = QueueManager(
            configuration,
            self.clock.read,
            self.objects.namespace_labels,
            recorder,
            None if self.fair_usage is None else self.fair_usage.of,
        )
        #: What the controllers keep about devices that pods claim.
        self.devices = DeviceAccounting(configuration)
        self.statuses: dict[str, QueueStatus] = {}
        #: ClusterQueues whose status is not active.
        self.inactive: set[str] = set()
        self.workloads: dict[str, WorkloadState] = {}
        self.same_pod_sets = SamePodSets()
        #: Workloads as they were written, where the requests were adjusted.
        self.as_written: dict[str, Workload] = {}
        self.events: list[Event] = []
        self.muted = False
        #: LocalQueues that queue workloads, with their ClusterQueue; stopped ones don't.
        self.queueing: dict[str, str] = {}
        #: Evicted workloads whose pods have yet to go; they hold their quota until then.
        self.evicting: dict[str, None] = {}
        #: Whether pods run where workloads are assigned to; else there are only those written.
        self.pods_follow_assignments = False
        #: Where the pods of workloads run, as far as it is followed.
        self.ungated: dict[str, dict[str, tuple[tuple[str, ...], bool, bool]]] = {}
        #: Workloads by the nodes that their pods are assigned to, after so many writes.
        self.assigned_by_node: tuple[int, Mapping[str, list[str]]] = (-1, {})
        #: Nodes on which pods gave room back that was not offered to pending workloads yet.
        self.freed_nodes: dict[str, None] = {}
        #: Admitted workloads that hold quota, with their ClusterQueue; and how many per queue.
        self._admitted: dict[str, str] = {}
        self.admitted_in: dict[str, int] = {}
        #: Seconds that workloads ran in admissions before this one.
        self.past_execution: dict[str, int] = {}
        #: ClusterQueues in which something happened since their status was brought up to date.
        self.touched: dict[str, None] = {}
        #: Their status as it was then; kept only if cohorts are nested.
        self.reports: dict[str, Any] = {}
        self.has_nested_cohorts = False
        #: ``waitForPodsReady``, ``None`` if it is off.
        self.wait_for_pods_ready = (
            None
            if configuration.gates["DisableWaitForPodsReady"]
            else configuration.wait_for_pods_ready
        )
        wait = self.wait_for_pods_ready
        blocks = wait is not None and wait.block_admission
        #: ``None`` unless ``waitForPodsReady`` has ``blockAdmission``.
        self.block_admission = BlockAdmission() if blocks else None
        #: A queue that is no longer stopped has its waiting workloads at once. Those that were
        #: evicted need ``Requeued`` to be ``True``, which is a write to the API server; whether
        #: the scheduler is faster than that, and the workloads whose write is to come.
        self.restarts_take_time = False
        self.restarting: dict[str, bool] = {}
        self.seen: dict[str, Seen] = {}
        self._announcer = None if recorder is None else Announcer(recorder, configuration)
        #: Workloads whose changes wait to be delivered, in order.
        self.changes: deque[str] = deque()
        self._changed: set[str] = set()
        #: Workloads and nodes that wait to be reconciled, in order.
        self.todo: deque[str] = deque()
        self._waiting: set[str] = set()
        self.nodes_todo: dict[str, None] = {}
        #: Workloads whose variants wait to be reconciled; when gates of variants were opened.
        self.families_todo: dict[str, None] = {}
        self.gates_opened: dict[str, int] = {}
        #: How often a workload was written, created or deleted.
        self.writes = 0
        #: Called with the key of every Workload that is created, written or deleted.
        self.on_write: Callable[[str], None] | None = None
        #: Makes inadmissible workloads active again, later; reacts to ClusterQueues.
        self.on_wake: Callable[[list[str]], None] | None = None

    # --- time, events, recording -------------------------------------------------------

    @property
    def now(self) -> int:
        """The time on the clock, as Kueue writes it into objects and holds it in memory."""
        return self.clock.now

    def emit(self, type_: EventType, reason: str, message: str, workload: str) -> None:
        """Emit a Kubernetes Event about a workload."""
        if self.muted:
            return
        text = truncated_for_event(message)
        self.events.append(new_tuple(Event, (type_, reason, text, workload, self.clock.now)))
        if self.recorder is not None:
            self.record(EventEmitted(type_, reason, text), workload)

    def record(self, facts: Facts, workload: str = "", cluster_queue: str = "") -> None:
        """Record a step, with what it changed in the workload it is about."""
        recorder = self.recorder
        if recorder is None or self._announcer is None:
            return
        recorder.time = self.clock.now
        if workload:
            state = self.workloads.get(workload)
            self._announcer.workload(workload, state)
            if not cluster_queue and state is not None:
                cluster_queue = state.cluster_queue
        recorder.record(facts, workload, cluster_queue)

    def announce(self, kind: str, name: str, what: str, value: object) -> None:
        """Announce a value of the visible state, to go with the next step."""
        if self._announcer is not None:
            self._announcer.value((kind, name, what), value)

    def announce_object(self, kind: str, key: str, obj: ClusterObject | None) -> None:
        """Announce an API object as it is now, ``None`` if it is gone."""
        if self._announcer is not None:
            self._announcer.object(kind, key, obj)

    # --- workloads ---------------------------------------------------------------------

    def adjusted(self, workload: Workload) -> Workload:
        """Return a workload with the requests its pods would really have."""
        objects = self.objects
        ranges = objects.limit_ranges_of(workload.namespace) if objects.limit_ranges else ()
        return adjust.adjusted(workload, ranges, objects.runtime_classes)

    def written(self, state: WorkloadState) -> Workload:
        """Return the workload as its author wrote it."""
        return self.as_written.get(state.key, state.obj)

    def queue_of(self, state: WorkloadState) -> tuple[str, QueueStatus | None]:
        """Return the ClusterQueue that a workload queues for: name, and status if it exists."""
        name = self.queueing.get(state.queue_key, "")
        return name, self.statuses.get(name)

    def hold(self, state: WorkloadState) -> bool:
        """Account for a workload's quota, as the cache does; tell whether it counts."""
        if not (state.active and state.has_quota_reservation) or state.is_finished:
            self.release(state)
            return False
        if self.gates["ConcurrentAdmission"] and self._variant_holds(state):
            return False
        node, booked = self.tree.holding(state.key)
        if node is not None and node.name == state.cluster_queue and booked == state.usage:
            # Nothing to book; but Kueue books it anew all the same, and that counts.
            node.generation += 1
            node.candidates.refresh(state)
        elif not self.tree.add_workload(state):
            if self.block_admission is not None:
                self.block_admission.release(state.key)
            self._count_admitted(state, "")
            self.forest.release(state.key)
            return False
        if self.forest.flavors:
            self.book_domains(state)
        self._count_admitted(state, state.cluster_queue if state.is_admitted else "")
        if self.block_admission is not None:
            self.block_admission.hold(state)
        return True

    def _variant_holds(self, state: WorkloadState) -> bool:
        """Tell whether a variant of a workload holds its quota."""
        queue = self.statuses.get(state.cluster_queue)
        concurrent = queue is not None and queue.spec.concurrent_admission is not None
        return concurrent and not is_variant(state.obj)

    def release(self, state: WorkloadState) -> bool:
        """Release a workload's quota; tell whether it held any."""
        if self.block_admission is not None:
            self.block_admission.release(state.key)
        self._count_admitted(state, "")
        self.forest.release(state.key)
        return self.tree.remove_workload(state)

    def book_domains(self, state: WorkloadState) -> None:
        """Account for what an admitted workload uses of domains."""
        self.forest.book(state.key, used_domains(state))

    def _count_admitted(self, state: WorkloadState, now_in: str) -> None:
        before = self._admitted.get(state.key, "")
        if before == now_in:
            return
        if before:
            self.admitted_in[before] -= 1
            del self._admitted[state.key]
        if now_in:
            self.admitted_in[now_in] = self.admitted_in.get(now_in, 0) + 1
            self._admitted[state.key] = now_in

    def touch(self, seen: Seen) -> None:
        """Note that something happened to a workload in its ClusterQueue.

        The status of a ClusterQueue matters only to the cohorts above its own.
        """
        if self.has_nested_cohorts:
            name = seen.cluster_queue or self.queueing.get(seen.queue_key, "")
            if name:
                self.touched[name] = None
        if self.fair_usage is not None:
            self.fair_usage.due[seen.queue_key] = None

    def wake(self, cluster_queues: list[str]) -> None:
        """Retry the inadmissible workloads of these queues and of their cohort trees."""
        if not cluster_queues:
            return
        if self.on_wake is not None:
            self.on_wake(cluster_queues)
        else:
            self.queues.wake(cluster_queues)

    def wake_for(self, state: WorkloadState) -> None:
        """Retry what is inadmissible in the cohort tree that a workload queues for."""
        if self.on_wake is None:
            self.queues.wake_for(state.key)
            return
        name = self.queues.cluster_queue_for(state)
        if name is not None:
            self.on_wake([name])

    def variants_of(self, state: WorkloadState) -> list[WorkloadState]:
        """Return the variants of a workload, sorted by key."""
        uid, found = state.uid, self.workloads.values()
        return sorted((v for v in found if parent_uid(v.obj) == uid), key=lambda v: v.key)

    # --- work to be done ---------------------------------------------------------------

    def changed(self, key: str) -> None:
        """Note that a workload object was written."""
        self.writes += 1
        if self.on_write is not None:
            self.on_write(key)
        if key not in self._changed:
            self._changed.add(key)
            self.changes.append(key)
        if self._announcer is not None:
            self._announcer.workload(key, self.workloads.get(key))

    def enqueue(self, key: str) -> None:
        """Ask for a workload to be reconciled."""
        if key not in self._waiting:
            self._waiting.add(key)
            self.todo.append(key)

    def enqueue_node(self, name: str) -> None:
        """Ask for a node to be reconciled."""
        self.nodes_todo[name] = None

    def enqueue_family(self, state: WorkloadState) -> None:
        """Ask for the variants of a workload to be reconciled, if it is or has one."""
        if not self.gates["ConcurrentAdmission"]:
            return
        if is_labelled_parent(state.obj):
            self.families_todo[state.key] = None
        elif name := parent_name(state.obj):
            self.families_todo[f"{state.obj.namespace}/{name}"] = None

    @property
    def has_work(self) -> bool:
        """Whether anything waits to be reconciled."""
        return bool(self.todo or self.nodes_todo or self.families_todo)

    def requeue_restarted(self) -> bool:
        """Let the writes come for which restarts wait; tell whether there were any."""
        keys = [key for key, may_be_written in self.restarting.items() if not may_be_written]
        self.restarting = dict.fromkeys(keys, True)
        for key in keys:
            self.enqueue(key)
        return bool(keys)

    def forget(self, key: str) -> None:
        """Forget a workload that was deleted."""
        if self.clock.has_timers:
            self.clock.cancel(("workload", key))
        self.workloads.pop(key, None)
        self.writes += 1
        if self.on_write is not None:
            self.on_write(key)
        self.as_written.pop(key, None)
        self.seen.pop(key, None)
        self.past_execution.pop(key, None)
        self.evicting.pop(key, None)
        self.restarting.pop(key, None)
        self.gates_opened.pop(key, None)
        self.ungated.pop(key, None)
        self.devices.retries.succeeded(key)

    def deliver_changes(
        self,
        deliver: Callable[[ControlPlane, WorkloadState], None],
        publish: Callable[[ControlPlane], None],
    ) -> None:
        """Deliver changes to the handlers; what they are about is to be reconciled."""
        changes, workloads = self.changes, self.workloads
        while changes:
            key = changes.popleft()
            self._changed.discard(key)
            state = workloads.get(key)
            if state is not None:
                deliver(self, state)
                self.enqueue(key)
                self.enqueue_family(state)
        if self.touched:
            publish(self)
        if self.fair_usage is not None:
            sample_due(self)

    def reconcile_next(
        self,
        reconcile: Callable[[ControlPlane, WorkloadState], None],
        reconcile_node: Callable[[ControlPlane, str], None],
    ) -> bool:
        """Reconcile one node or workload; tell whether there was any to reconcile."""
        if self.nodes_todo:
            name = next(iter(self.nodes_todo))
            del self.nodes_todo[name]
            reconcile_node(self, name)
            return True
        if not self.todo:
            return False
        key = self.todo.popleft()
        self._waiting.discard(key)
        state = self.workloads.get(key)
        if state is not None:
            reconcile(self, state)
        return True

    def reconcile_until_changed(
        self,
        reconcile: Callable[[ControlPlane, WorkloadState], None],
        reconcile_node: Callable[[ControlPlane, str], None],
    ) -> None:
        """Reconcile until there are changes to be delivered, or nothing is left to reconcile."""
        while self.reconcile_next(reconcile, reconcile_node):
            if self.changes or self.touched or self.objects.terminating:
                return
