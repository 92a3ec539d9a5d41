"""The pending workloads of one ClusterQueue.

Each is active (it competes to be the head), inadmissible (until something changes), or in
flight (the scheduler has it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kueuelab.model import ClusterQueue
from kueuelab.queues.admissibility import backs_off_until
from kueuelab.queues.cohorts import CohortTree
from kueuelab.queues.entry import Moved, PendingEntry, SortKey
from kueuelab.queues.pool import ORDER
from kueuelab.queues.reasons import (
    BULK_MOVE_REASONS,
    IMMEDIATE_REASONS,
    PENDING_EVALUATION,
    PREEMPTOR_REASONS,
    RequeueReason,
)
from kueuelab.queues.shared_state import SharedQueueState
from kueuelab.queues.store import EntryStore
from kueuelab.trace.steps import Woken
from kueuelab.workload import WorkloadState

__all__ = ["PendingWorkloads", "Place"]

Place = Literal["active", "inadmissible", "inflight"]


@dataclass(frozen=True, slots=True)
class _Preemptor:
    """The workload that waits for the workloads it preempted; it stays the head if sticky."""

    key: str
    generation: int
    sticky: bool


class PendingWorkloads:
    """The queue of a ClusterQueue.

    Attributes
    ----------
    tree
        The cohort tree that the ClusterQueue belongs to.
    inflight
        Key of the workload popped last, until it is requeued or deleted.
    queue_inadmissible_cycle
        As in :class:`CohortTree`, for the trees that the queue belonged to before, and for
        heads that were popped while it could not admit.
    """

    __slots__ = (
        "_bulk_move_reasons",
        "_moved",
        "_preemptor",
        "_shape_of",
        "_shapes",
        "_shared",
        "_store",
        "_usage",
        "cluster_queue",
        "inflight",
        "name",
        "queue_inadmissible_cycle",
        "tree",
    )

    def __init__(self, cluster_queue: ClusterQueue, shared: SharedQueueState) -> None:
        self.name = cluster_queue.name
        self.cluster_queue = cluster_queue
        self.tree = CohortTree()
        self.inflight: str | None = None
        self.queue_inadmissible_cycle = -1
        self._shared = shared
        self._store = EntryStore(shared.clock)
        # As in Kueue, it is settled for good when the ClusterQueue is created.
        by_usage = cluster_queue.admission_mode == "UsageBasedAdmissionFairSharing"
        self._usage = shared.usage if by_usage else None
        self._preemptor: _Preemptor | None = None
        self._bulk_move_reasons: dict[str, str] = {}
        # For the record alone: a short name of each scheduling hash, and those of workloads.
        self._shapes: dict[str, str] = {}
        self._shape_of: dict[str, str] = {}
        # For the record alone, too: those of a scheduling hash that moved together last.
        self._moved: dict[str, Moved] = {}

    # --- reading -----------------------------------------------------------------------

    def place(self, key: str) -> Place | None:
        """Return where a workload is, or ``None`` if it isn't here."""
        entry = self._store.get(key)
        if entry is not None:
            return "active" if entry.is_active else "inadmissible"
        return "inflight" if key == self.inflight else None

    def pending_active(self) -> list[str]:
        """Return the active workloads in the order in which they would be popped."""
        active = self._store.entries(active=True)
        plain = self._usage is None and self._sticky() is None
        active.sort(key=ORDER if plain else self._rank())
        return [entry.key for entry in active]

    def entries(self, *, active: bool) -> list[PendingEntry]:
        """Return the active or the inadmissible entries, in no particular order."""
        return self._store.entries(active=active)

    def order_of(self, workload: WorkloadState) -> SortKey:
        """Return where a workload comes in the queue."""
        return self._shared.sort_key(workload)

    def first_by_order(self) -> PendingEntry | None:
        """Return the active entry that comes first, usage and preemptor aside."""
        return self._store.first()

    def has_active(self) -> bool:
        """Tell whether a workload competes to be the head."""
        return self._store.first() is not None

    def usages(self) -> tuple[tuple[str, float], ...]:
        """Return the LocalQueues that compete for the head, and the usage that orders them.

        Empty unless the ClusterQueue takes workloads by the usage of their LocalQueues.
        """
        if self._usage is None:
            return ()
        queues = {entry.workload.queue_key for entry in self._store.entries(active=True)}
        usages = [(queue, self._usage(queue)) for queue in sorted(queues)]
        return tuple(sorted(usages, key=lambda pair: pair[1]))

    def inadmissible(self) -> list[str]:
        """Return the inadmissible workloads, sorted."""
        return sorted(entry.key for entry in self._store.entries(active=False))

    @property
    def count(self) -> int:
        """How many workloads are pending: active, inadmissible or in flight."""
        return len(self._store) + (self.inflight is not None)

    def no_fit_reason(self, key: str) -> str | None:
        """Return why all workloads like this one became inadmissible, if they did."""
        entry = self._store.get(key)
        if entry is None or entry.is_active:
            return None
        return self._bulk_move_reasons.get(entry.hash)

    def is_preemptor(self, workload: WorkloadState) -> bool:
        """Tell whether this is the queue's preemptor, and unchanged since it became that."""
        preemptor = self._preemptor
        return (
            preemptor is not None
            and preemptor.key == workload.key
            and preemptor.generation == workload.obj.metadata.generation
        )

    @property
    def preemptor(self) -> str | None:
        """The key of the workload that waits for the workloads it preempted, if there is one."""
        return None if self._preemptor is None else self._preemptor.key

    @property
    def may_have_inadmissible(self) -> bool:
        """Whether there may be something for :meth:`wake` to do."""
        return self._store.has_inadmissible or bool(self._bulk_move_reasons)

    def was_woken_since(self, pop_cycle: int) -> bool:
        """Tell whether its inadmissible workloads were queued after that pop of heads."""
        return max(self.tree.queue_inadmissible_cycle, self.queue_inadmissible_cycle) == pop_cycle

    # --- what happens to a workload ----------------------------------------------------

    def pop(self) -> WorkloadState | None:
        """Pop the head; it is in flight until it is requeued or deleted."""
        self.inflight = None
        entry = self._first()
        if entry is None:
            self._end_without_head()
            return None
        self._store.remove(entry)
        workload = entry.workload
        self.inflight = workload.key
        workload.last_evaluated_generation = workload.obj.metadata.generation
        return workload

    def push_or_update(self, workload: WorkloadState) -> None:
        """Queue a workload that was created or changed.

        An inadmissible one becomes active only if it changed in a way that could make it
        admissible. The scheduler's requeueing sees to the one in flight.
        """
        key = workload.key
        if key == self.inflight:
            return
        entry = self._store.get(key)
        if entry is not None:
            if entry.is_active or not entry.may_have_become_admissible(workload):
                self._update(entry, workload)
                return
            self._store.remove(entry)
        self._shared.moves += 1
        if self._backs_off(workload) or self._was_bulk_moved(workload):
            self._record_shape(self._park(workload))
        else:
            self._activate(workload)

    def push_if_untracked(self, workload: WorkloadState) -> None:
        """Make a workload active that is not here yet, whether or not it backs off."""
        key = workload.key
        if key != self.inflight and self._store.get(key) is None:
            self._shared.moves += 1
            self._activate(workload)

    def requeue(
        self,
        workload: WorkloadState,
        reason: str,
        quota_reserved_reason: str,
        *,
        woken: bool,
    ) -> bool:
        """Take back a workload that was not admitted; tell whether it moved.

        It is tried again at once if ``reason`` says so, if the queue was woken since the
        workload was popped (``woken``), or if flavors are left to try. Otherwise it becomes
        inadmissible; in a BestEffortFIFO queue, so may all of its scheduling hash.
        """
        key = workload.key
        if reason in PREEMPTOR_REASONS:
            generation = workload.last_evaluated_generation
            preemptor = _Preemptor(key, generation, self._is_best_effort)
            self._shared.moves += preemptor != self._preemptor
            self._preemptor = preemptor
            self._record_preemptor(key)
        was_popped = key == self.inflight
        if was_popped:
            self.inflight = None
        entry = self._store.get(key)
        if (woken or self._is_retried_at_once(workload, reason)) and not self._backs_off(workload):
            if entry is not None:
                if entry.is_active:
                    return False
                self._store.remove(entry)
            self._shared.moves += not was_popped
            self._activate(workload)
            return True
        if entry is not None:
            return False
        self._shared.moves += 1
        self._park(workload)
        hash_ = workload.scheduling_hash
        if hash_ and reason in BULK_MOVE_REASONS and self._is_best_effort:
            self._bulk_move(hash_, quota_reserved_reason or PENDING_EVALUATION, key)
        self._end_without_head()
        return True

    def delete(self, key: str) -> None:
        """Remove a workload, wherever it is."""
        entry = self._store.get(key)
        self._shared.moves += entry is not None or key == self.inflight
        if entry is not None:
            self._store.remove(entry)
        self._shape_of.pop(key, None)
        if key == self.inflight:
            self.inflight = None
            self._end_without_head()
        if self._preemptor is not None and self._preemptor.key == key:
            self._preemptor = None
            self._record_preemptor(None)

    def wake(self, why: str) -> int:
        """Make inadmissible workloads active; return how many.

        A workload stays inadmissible if the ClusterQueue doesn't select its namespace, or if it
        still backs off.
        """
        recorder = self._shared.recorder
        if recorder is not None:
            for hash_ in self._bulk_move_reasons:
                self._record_no_fit(hash_, None)
        self._bulk_move_reasons.clear()
        entries: list[PendingEntry] = []
        woken = self._store.wake(self._selects, None if recorder is None else entries)
        if woken:
            self._shared.moves += 1
            self._shared.ready[self.name] = self
        if recorder is not None and entries:
            moved = Moved.of(entries)
            moved.announce(recorder, "active")
            recorder.record(Woken(moved.keys, why), cluster_queue=self.name)
        return woken

    # --- order -------------------------------------------------------------------------

    def _first(self) -> PendingEntry | None:
        """Return the active entry that goes next."""
        if self._usage is not None:
            return min(self._store.entries(active=True), key=self._rank(), default=None)
        sticky = self._sticky()
        return sticky if sticky is not None and sticky.is_active else self._store.first()

    def _rank(self) -> Callable[[PendingEntry], tuple[float, bool, SortKey]]:
        """Return what orders entries now: usage of the LocalQueue (if it counts), then the rest."""
        sticky = self._sticky()
        usage = dict(self.usages())
        return lambda entry: (
            usage.get(entry.workload.queue_key, 0.0),
            entry is not sticky,
            entry.order,
        )

    # --- how it happens ----------------------------------------------------------------

    def _activate(self, workload: WorkloadState) -> None:
        self._store.activate(self._entry(workload))
        self._shared.ready[self.name] = self

    def _end_without_head(self) -> None:
        """Let the next cycle pass a queue by in which none is in flight or active any more."""
        if self.inflight is None and not self.has_active():
            self._shared.ready.pop(self.name, None)

    def _park(self, workload: WorkloadState) -> PendingEntry:
        entry = self._entry(workload)
        self._store.park(entry)
        self.tree.with_inadmissible[self.name] = self
        return entry

    def _entry(self, workload: WorkloadState) -> PendingEntry:
        recorder, key, order = self._shared.recorder, workload.key, self._shared.sort_key(workload)
        if recorder is None:
            return PendingEntry(workload, order)
        recorded = recorder.value(("workloads", key, "queue"))
        return PendingEntry(workload, order, recorded, self._shape_of.get(key))

    def _update(self, entry: PendingEntry, workload: WorkloadState) -> None:
        """Take over what changed; active stays active, inadmissible stays inadmissible."""
        if (
            entry.order == self._shared.sort_key(workload)
            and entry.hash == workload.scheduling_hash
            and entry.backs_off == self._backs_off(workload)
        ):
            entry.look_at(workload)
            return
        self._shared.moves += 1
        was_active = entry.is_active
        self._store.remove(entry)
        if was_active:
            self._activate(workload)
        else:
            self._park(workload)

    def _bulk_move(self, hash_: str, reason: str, mover: str) -> None:
        """Make all active workloads of a scheduling hash inadmissible: ``mover`` did not fit."""
        self._bulk_move_reasons[hash_] = reason
        recorder = self._shared.recorder
        if recorder is not None:
            self._record_no_fit(hash_, mover)
            self._record_moved(self._store.active_of(hash_), hash_)
        self._store.park_all(hash_)

    def _record_moved(self, entries: list[PendingEntry], hash_: str) -> None:
        """Record that workloads became inadmissible, and the shape of each that it is new for."""
        recorder, shape, moved = self._shared.recorder, self._shapes[hash_], self._moved.get(hash_)
        assert recorder is not None
        start = 0
        # Half of the time it is the same ones as before: their shapes are recorded.
        if moved is None or moved.entries != entries:
            moved = self._moved[hash_] = Moved.of(entries)
            if {entry.shape for entry in entries} != {shape}:
                for at, entry in enumerate(entries, 1):
                    if entry.shape != shape:
                        moved.announce(recorder, "inadmissible", start, at)
                        self._record_shape(entry)
                        start = at
        moved.announce(recorder, "inadmissible", start)

    def _record_no_fit(self, hash_: str, mover: str | None) -> None:
        """Record that a workload did not fit, and that others became inadmissible with it."""
        recorder = self._shared.recorder
        assert recorder is not None
        # Named after the queue, too: a workload may come to wait in another one.
        shape = self._shapes.setdefault(hash_, f"{self.name}/{len(self._shapes)}")
        recorder.change(("clusterQueues", self.name, "noFit", shape), mover)

    def _record_preemptor(self, key: str | None) -> None:
        """Record, if there is a recorder, which workload stays in front of all others."""
        recorder = self._shared.recorder
        if recorder is not None and self._is_best_effort:
            recorder.change(("clusterQueues", self.name, "preemptor"), key)

    def _record_shape(self, entry: PendingEntry) -> None:
        """Record, if there is a recorder, the shape that a workload shares with others."""
        recorder = self._shared.recorder
        if recorder is None:
            return
        shape = self._shapes.get(entry.hash)
        if shape is not None and shape != entry.shape:
            recorder.change(("workloads", entry.key, "shape"), shape)
            entry.shape = self._shape_of[entry.key] = shape

    # --- questions ---------------------------------------------------------------------

    @property
    def _is_best_effort(self) -> bool:
        return self.cluster_queue.queueing_strategy == "BestEffortFIFO"

    def _is_retried_at_once(self, workload: WorkloadState, reason: str) -> bool:
        if self._is_best_effort:
            at_once = reason in IMMEDIATE_REASONS
        else:
            at_once = reason != RequeueReason.NAMESPACE_MISMATCH
        last = workload.last_assignment
        return at_once or (last is not None and last.has_pending_flavors)

    def _backs_off(self, workload: WorkloadState) -> bool:
        return backs_off_until(workload) > self._shared.clock()

    def _was_bulk_moved(self, workload: WorkloadState) -> bool:
        reasons = self._bulk_move_reasons
        return bool(reasons) and workload.scheduling_hash in reasons and self._is_best_effort

    def _selects(self, namespace: str) -> bool:
        labels = self._shared.namespace_labels(namespace)
        selector = self.cluster_queue.namespace_selector
        return labels is not None and selector is not None and selector.matches(labels)

    def _sticky(self) -> PendingEntry | None:
        """Return the preemptor's entry if it goes before all others."""
        preemptor = self._preemptor
        if preemptor is None or not preemptor.sticky:
            return None
        return self._store.get(preemptor.key)
