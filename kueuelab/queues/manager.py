"""All queues of a cluster: LocalQueues, and what is pending in each ClusterQueue."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial

from kueuelab.frozen import new_tuple
from kueuelab.model import ClusterQueue, Configuration, LocalQueue
from kueuelab.queues.admissibility import is_admissible
from kueuelab.queues.cohorts import CohortForest
from kueuelab.queues.entry import sort_key
from kueuelab.queues.head import Head
from kueuelab.queues.local_queue import LocalQueueItems
from kueuelab.queues.pending import PendingWorkloads, Place
from kueuelab.queues.reasons import RequeueReason
from kueuelab.queues.second_pass import SecondPassQueue
from kueuelab.queues.shared_state import SharedQueueState
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Requeued
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import is_labelled_parent, is_variant

__all__ = ["QueueManager"]


class QueueManager:
    """Pending workloads: the heads, the inadmissible ones, and what makes these active again.

    Parameters
    ----------
    configuration
        Its feature gates and the requeuing timestamp count here.
    clock
        Returns the time in nanoseconds since 1970.
    namespace_labels
        Returns the labels of a namespace, ``None`` if there is no such namespace.
    recorder
        Records what moves, if given.
    usage
        Returns what a LocalQueue has used lately, with admission fair sharing.

    Examples
    --------
    >>> from kueuelab.model import LabelSelector, ObjectMeta, Resources, Workload
    >>> queues = QueueManager(Configuration(), lambda: 0, lambda namespace: {})
    >>> everywhere = LabelSelector()
    >>> queues.set_cluster_queue(ClusterQueue(ObjectMeta("cq"), namespace_selector=everywhere))
    >>> queues.set_local_queue(LocalQueue(ObjectMeta("lq", namespace="default"), "cq"))
    >>> for name, priority in ("a", 0), ("b", 5):
    ...     meta = ObjectMeta(name, namespace="default")
    ...     state = WorkloadState(
    ...         Workload(meta, queue_name="lq", priority=priority), Resources()
    ...     )
    ...     queues.add_or_update(state)
    True
    True
    >>> queues.pending_active("cq")
    ['default/b', 'default/a']
    >>> [head.workload.key for head in queues.heads()]
    ['default/b']
    """

    __slots__ = (
        "_assigned",
        "_cluster_queues",
        "_forest",
        "_gates",
        "_keeps_scan_progress",
        "_local_queues",
        "_pop_cycle",
        "_popped",
        "_recorder",
        "_shared",
        "second_passes",
    )

    def __init__(
        self,
        configuration: Configuration,
        clock: Callable[[], int],
        namespace_labels: Callable[[str], Mapping[str, str] | None],
        recorder: Recorder | None = None,
        usage: Callable[[str], float] | None = None,
    ) -> None:
        self._gates = configuration.gates
        self._keeps_scan_progress = self._gates["FlavorFungibilityPreserveScanProgress"]
        self._recorder = recorder
        self._shared = SharedQueueState(
            partial(sort_key, configuration), clock, namespace_labels, recorder, usage
        )
        self._cluster_queues: dict[str, PendingWorkloads] = {}
        self._local_queues: dict[str, LocalQueueItems] = {}
        self._forest = CohortForest()
        # The LocalQueue of each workload as long as that exists, admitted or not.
        self._assigned: dict[str, str] = {}
        #: Workloads with quota that the scheduler has to look at again.
        self.second_passes = SecondPassQueue()
        #: How many times heads were popped.
        self._pop_cycle = 0
        # What the workloads in flight were popped from; some of them are no longer in flight.
        self._popped: dict[str, PendingWorkloads] = {}

    # --- queues and cohorts ------------------------------------------------------------

    def set_cluster_queue(self, cluster_queue: ClusterQueue) -> None:
        """Create or change a ClusterQueue; a change of its spec wakes its cohort tree."""
        name = cluster_queue.name
        queue = self._cluster_queues.get(name)
        if queue is None:
            queue = PendingWorkloads(cluster_queue, self._shared)
            self._cluster_queues[name] = queue
            self._forest.place(queue)
            for local_queue in self._local_queues.values():
                if local_queue.cluster_queue == name:
                    local_queue.fill(queue)
                    self._announce(*local_queue.items)
            changed = True
        else:
            old = queue.cluster_queue
            changed = replace(old, metadata=cluster_queue.metadata) != cluster_queue
            queue.cluster_queue = cluster_queue
            if old.cohort_name != cluster_queue.cohort_name:
                self._forest.place(queue)
        if changed:
            queue.tree.wake(self._pop_cycle, f"ClusterQueue {name} changed")

    def remove_cluster_queue(self, name: str) -> None:
        """Delete a ClusterQueue. Its workloads stay in their LocalQueues, pending."""
        queue = self._cluster_queues.get(name)
        if queue is None:
            return
        waiting = [lq for lq in self._local_queues.values() if lq.cluster_queue == name]
        keys = [key for local_queue in waiting for key in local_queue.items]
        if queue.inflight is not None:
            keys.append(queue.inflight)
        queue.tree.with_inadmissible.pop(name, None)
        self._shared.ready.pop(name, None)
        del self._cluster_queues[name]
        self._announce(*keys)

    def set_cohort(self, name: str, parent_name: str) -> None:
        """Create or change a Cohort, which wakes its whole tree."""
        self._forest.set_parent(name, parent_name, self._cluster_queues.values())
        self._forest.tree(name).wake(self._pop_cycle, f"Cohort {name} changed")

    def remove_cohort(self, name: str) -> None:
        """Delete a Cohort; it stays as a root as long as something refers to it."""
        self._forest.set_parent(name, "", self._cluster_queues.values())

    def set_local_queue(
        self,
        local_queue: LocalQueue,
        workloads: Iterable[WorkloadState] = (),
        later: Callable[[WorkloadState], bool] = lambda workload: False,
    ) -> None:
        """Create or change a LocalQueue; one that is stopped holds nothing.

        ``workloads`` are all that there are, or at least all that name this queue, admitted
        or not. They are read only if the queue is new or no longer stopped. Those that ``later``
        is true for are its own, but are queued later.
        """
        key = local_queue.key
        if local_queue.stop_policy != "None":
            self.remove_local_queue(key)
            return
        known = self._local_queues.get(key)
        if known is None:
            known = self._local_queues[key] = LocalQueueItems(local_queue.cluster_queue)
            self._adopt(key, known, workloads, later)
        elif known.cluster_queue != local_queue.cluster_queue:
            known.empty(self._cluster_queues.get(known.cluster_queue))
            known.cluster_queue = local_queue.cluster_queue
            known.fill(self._cluster_queues.get(known.cluster_queue))
            self._announce(*known.items)

    def remove_local_queue(self, key: str) -> None:
        """Delete a LocalQueue, and take its pending workloads out of the ClusterQueue."""
        local_queue = self._local_queues.get(key)
        if local_queue is not None:
            local_queue.empty(self._cluster_queues.get(local_queue.cluster_queue))
            del self._local_queues[key]
            self._announce(*local_queue.items)

    def _adopt(
        self,
        key: str,
        local_queue: LocalQueueItems,
        workloads: Iterable[WorkloadState],
        later: Callable[[WorkloadState], bool],
    ) -> None:
        """Assign workloads that were there before their LocalQueue."""
        queue = self._cluster_queues.get(local_queue.cluster_queue)
        for workload in workloads:
            if workload.queue_key != key:
                continue
            self._assigned[workload.key] = key
            if self.is_parent(workload):
                continue
            if is_admissible(workload, self._gates) and not later(workload):
                if queue is None or queue.inflight != workload.key:
                    workload.last_assignment = None
                    workload.last_evaluated_generation = 0
                local_queue.items[workload.key] = workload
        local_queue.fill(queue)
        self._announce(*local_queue.items)

    # --- workloads ---------------------------------------------------------------------

    def add_or_update(self, workload: WorkloadState) -> bool:
        """Queue a pending workload that was created, changed or evicted.

        Progress of the flavor scan is forgotten, unless the workload is queued already and
        still has the shape that the progress was made with. Tell whether the workload has
        queues to wait in; one that is not admissible has none.
        """
        if not is_admissible(workload, self._gates) or self.is_parent(workload):
            return False
        key, queue_key = workload.key, workload.queue_key
        assigned = self._assigned.get(key)
        if assigned is not None and assigned != queue_key:
            self.forget(key)
        local_queue = self._local_queues.get(queue_key)
        if local_queue is None:
            return False
        queue = self._cluster_queues.get(local_queue.cluster_queue)
        tracked = None if queue is None else queue.place(key)
        self._assigned[key] = queue_key
        local_queue.items[key] = workload
        if tracked != "inflight" and not (tracked and self._may_resume_scan(workload)):
            workload.last_assignment = None
        if queue is not None:
            queue.push_or_update(workload)
        if tracked != "inflight":
            # The queue has seen by it what changed since; from here on it starts anew.
            workload.last_evaluated_generation = 0
        self._announce(key)
        return queue is not None

    def assign(self, workload: WorkloadState) -> None:
        """Note the LocalQueue of a workload that does not queue itself, if it is there."""
        if workload.queue_key in self._local_queues:
            self._assigned[workload.key] = workload.queue_key

    def is_parent(self, workload: WorkloadState) -> bool:
        """Tell whether variants of a workload queue in its place (concurrent admission)."""
        if not self._gates["ConcurrentAdmission"] or is_variant(workload.obj):
            return False
        if is_labelled_parent(workload.obj):
            return True
        local_queue = self._local_queues.get(workload.queue_key)
        queue = None
        if local_queue is not None:
            queue = self._cluster_queues.get(local_queue.cluster_queue)
        return queue is not None and queue.cluster_queue.concurrent_admission is not None

    def requeue(
        self,
        workload: WorkloadState,
        reason: RequeueReason | str = RequeueReason.GENERIC,
        quota_reserved_reason: str = "",
    ) -> bool:
        """Give back a head that was not admitted.

        It becomes active or inadmissible. With it, workloads of the same scheduling hash may
        become inadmissible (see :meth:`no_fit_reason`). ``workload`` is the newest state.
        Tell whether it was put into the queue.
        """
        if not is_admissible(workload, self._gates):
            return False
        key, queue_key = workload.key, workload.queue_key
        local_queue = self._local_queues.get(queue_key)
        if local_queue is None:
            return False
        self._assigned[key] = queue_key
        local_queue.items[key] = workload
        queue = self._cluster_queues.get(local_queue.cluster_queue)
        if queue is None:
            return False
        woken = queue.was_woken_since(self._pop_cycle)
        added = queue.requeue(workload, reason, quota_reserved_reason, woken=woken)
        if self._recorder is not None:
            self._announce(key)
            active = queue.place(key) == "active"
            self._recorder.record(Requeued(str(reason), active), key, queue.name)
        return added

    def delete(self, key: str) -> None:
        """Remove a workload from its queues: it is admitted, finished or deactivated."""
        local_queue = self._local_queues.get(self._assigned.get(key, ""))
        if local_queue is None:
            return
        local_queue.items.pop(key, None)
        queue = self._cluster_queues.get(local_queue.cluster_queue)
        if queue is not None:
            queue.delete(key)
            self._announce(key)
        self.second_passes.delete(key)

    def forget(self, key: str) -> None:
        """Delete a workload for good: it is no longer assigned to a LocalQueue either."""
        self.delete(key)
        self._assigned.pop(key, None)

    def heads(self, inactive: Collection[str] = ()) -> list[Head]:
        """Pop the head of every ClusterQueue that has one, in order of ClusterQueue name.

        Workloads whose second pass is due come before them.
        The first step of Kueue's ``schedule()``. ClusterQueues whose names are in ``inactive``
        can't admit, and keep their heads.
        """
        self._keep_woken(inactive)
        self._pop_cycle += 1
        popped = self._popped = {
            key: queue for key, queue in self._popped.items() if queue.inflight == key
        }
        ready = self._shared.ready
        recorder = self._recorder
        heads = self.second_passes.heads()
        for name in sorted(ready):
            if name in inactive:
                continue
            queue = ready[name]
            lost = queue.inflight
            usages = () if recorder is None else queue.usages()
            workload = queue.pop()
            if lost is not None:
                self._announce(lost)
            if workload is None:
                continue
            key = workload.key
            popped[key] = queue
            if recorder is not None:
                recorder.change(("workloads", key, "queue"), "inflight")
            local_queue = self._local_queues.get(self._assigned.get(key, ""))
            if local_queue is not None:
                local_queue.items.pop(key, None)
            head = (workload, name, queue.is_preemptor(workload), usages, 0)
            heads.append(new_tuple(Head, head))
        return heads

    def _keep_woken(self, inactive: Collection[str]) -> None:
        """Let inactive queues that were woken since the last pop of heads still count as woken."""
        for name in inactive:
            queue = self._cluster_queues.get(name)
            if queue is not None and queue.was_woken_since(self._pop_cycle):
                queue.queue_inadmissible_cycle = self._pop_cycle + 1

    # --- waking ------------------------------------------------------------------------

    def wake(self, cluster_queue_names: Iterable[str], why: str = "") -> int:
        """Let inadmissible workloads of ClusterQueues and their whole cohort trees compete.

        Return how many became active.
        """
        found = map(self._cluster_queues.get, sorted(cluster_queue_names))
        return sum(queue.tree.wake(self._pop_cycle, why) for queue in found if queue is not None)

    def wake_for(self, key: str, why: str = "") -> int:
        """Wake the cohort tree of the ClusterQueue that a workload's LocalQueue points to."""
        queue = self._queue_of(key)
        return 0 if queue is None else queue.tree.wake(self._pop_cycle, why)

    # --- reading -----------------------------------------------------------------------

    def pending_active(self, cluster_queue: str) -> list[str]:
        """Return the keys of the active workloads in the order in which they would be popped."""
        queue = self._cluster_queues.get(cluster_queue)
        return [] if queue is None else queue.pending_active()

    def inadmissible(self, cluster_queue: str) -> list[str]:
        """Return the keys of the inadmissible workloads, sorted."""
        queue = self._cluster_queues.get(cluster_queue)
        return [] if queue is None else queue.inadmissible()

    def local_queues(self) -> dict[str, str]:
        """Return the LocalQueues that queue workloads, with their ClusterQueues."""
        return {key: queue.cluster_queue for key, queue in self._local_queues.items()}

    def cluster_queues(self) -> list[PendingWorkloads]:
        """Return what is pending in each ClusterQueue."""
        return list(self._cluster_queues.values())

    def may_have_head(self, cluster_queue: str) -> bool:
        """Tell whether the next pop of heads looks at a ClusterQueue."""
        return cluster_queue in self._shared.ready

    def preemptor(self, cluster_queue: str) -> str | None:
        """Return the key of the workload that waits for the workloads it preempted, if any."""
        queue = self._cluster_queues.get(cluster_queue)
        return None if queue is None else queue.preemptor

    def pending_count(self, cluster_queue: str) -> int:
        """Return how many workloads are pending, the one in flight included."""
        queue = self._cluster_queues.get(cluster_queue)
        return 0 if queue is None else queue.count

    def has_heads(self, inactive: Collection[str] = ()) -> bool:
        """Tell whether some ClusterQueue, other than the ``inactive`` ones, has a head.

        Also tell so if the second pass of some workload is due.
        """
        for name, queue in self._shared.ready.items():
            if name not in inactive and queue.has_active():
                return True
        return self.second_passes.has_heads()

    @property
    def moves(self) -> int:
        """A number that grows whenever a workload enters or leaves a queue, or changes place.

        It is the same after a scheduling cycle whose heads all return to where they were.
        """
        return self._shared.moves

    def no_fit_reason(self, key: str) -> str | None:
        """Return why all workloads like this one became inadmissible, if they did."""
        queue = self._queue_of(key)
        return None if queue is None else queue.no_fit_reason(key)

    def place(self, key: str) -> Place | None:
        """Return whether a workload is active, inadmissible or in flight in its queue."""
        queue = self._queue_of(key)
        place = None if queue is None else queue.place(key)
        if place is None:
            popped = self._popped.get(key)
            if (
                popped is not None
                and popped.inflight == key
                and self._cluster_queues.get(popped.name) is popped
            ):
                # Its LocalQueue was stopped or given another ClusterQueue in the meantime.
                return "inflight"
        return place

    def has_local_queue(self, key: str) -> bool:
        """Tell whether there is a LocalQueue with this key that isn't stopped."""
        return key in self._local_queues

    def cluster_queue_for(self, workload: WorkloadState) -> str | None:
        """Return the ClusterQueue that a workload is pending in, if both its queues exist."""
        local_queue = self._local_queues.get(workload.queue_key)
        if local_queue is None or local_queue.cluster_queue not in self._cluster_queues:
            return None
        return local_queue.cluster_queue

    def _queue_of(self, key: str) -> PendingWorkloads | None:
        local_queue = self._local_queues.get(self._assigned.get(key, ""))
        return None if local_queue is None else self._cluster_queues.get(local_queue.cluster_queue)

    def _may_resume_scan(self, workload: WorkloadState) -> bool:
        last = workload.last_assignment
        return (
            self._keeps_scan_progress
            and last is not None
            and last.scheduling_hash == workload.scheduling_hash
        )

    def _announce(self, *keys: str) -> None:
        """Record the places of workloads, if there is a recorder."""
        if self._recorder is not None:
            for key in keys:
                self._recorder.change(("workloads", key, "queue"), self.place(key))
