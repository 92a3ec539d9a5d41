"""The pending workloads of one ClusterQueue.

Each is active (it competes to be the head), inadmissible (set aside until something
changes), or in flight (the scheduler has it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kueuelab.model import ClusterQueue
from kueuelab.queues.admissibility import backs_off_until
from kueuelab.queues.cohorts import CohortTree
from kueuelab.queues.entry import PendingEntry, SortKey
from kueuelab.queues.reasons import (
    BULK_MOVE_REASONS,
    IMMEDIATE_REASONS,
    PENDING_EVALUATION,
    PREEMPTOR_REASONS,
    RequeueReason,
)
from kueuelab.queues.store import EntryStore
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import Woken
from kueuelab.workload import WorkloadState

__all__ = ["PendingWorkloads", "Place", "Surroundings"]

Place = Literal["active", "inadmissible", "inflight"]


@dataclass(slots=True)
class Surroundings:
    """What the queues of one cluster share.

    Attributes
    ----------
    sort_key
        The order of all queues. A key that changes while a workload is queued takes
        effect with the next :meth:`PendingWorkloads.push_or_update`.
    usage
        Returns what a LocalQueue has used lately; given only with admission fair sharing.
    ready
        The queues that may have a head or a workload in flight, by name.
    moves
        How many times a workload entered or left a queue, was set aside or woken, or took
        another place in its order. A head that returns to where it was taken from does not
        count.
    """

    sort_key: Callable[[WorkloadState], SortKey]
    clock: Callable[[], int]
    namespace_labels: Callable[[str], Mapping[str, str] | None]
    recorder: Recorder | None = None
    usage: Callable[[str], float] | None = None
    ready: dict[str, PendingWorkloads] = field(default_factory=dict)
    moves: int = 0


@dataclass(frozen=True, slots=True)
class _Preemptor:
    """The workload that waits for what it preempted to go; it keeps the head if sticky."""

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
    last_wake
        As in :class:`CohortTree`, for the trees that the queue belonged to before, and for
        heads that were taken while it could not admit.
    """

    __slots__ = (
        "_around",
        "_bulk_move_reasons",
        "_preemptor",
        "_shape_of",
        "_shapes",
        "_store",
        "_usage",
        "cluster_queue",
        "inflight",
        "last_wake",
        "name",
        "tree",
    )

    def __init__(self, cluster_queue: ClusterQueue, around: Surroundings) -> None:
        self.name = cluster_queue.name
        self.cluster_queue = cluster_queue
        self.tree = CohortTree()
        self.inflight: str | None = None
        self.last_wake = -1
        self._around = around
        self._store = EntryStore(around.clock)
        # As in Kueue, it is settled for good when the ClusterQueue is created.
        by_usage = cluster_queue.admission_mode == "UsageBasedAdmissionFairSharing"
        self._usage = around.usage if by_usage else None
        self._preemptor: _Preemptor | None = None
        self._bulk_move_reasons: dict[str, str] = {}
        # For the record alone: a short name of each scheduling hash, and those of workloads.
        self._shapes: dict[str, str] = {}
        self._shape_of: dict[str, str] = {}

    # --- reading -----------------------------------------------------------------------

    def place(self, key: str) -> Place | None:
        """Return where a workload is, or ``None`` if it isn't here."""
        entry = self._store.get(key)
        if entry is not None:
            return "active" if entry.is_active else "inadmissible"
        return "inflight" if key == self.inflight else None

    def pending_active(self) -> list[str]:
        """Return the active workloads in the order in which they would be taken."""
        active = sorted(self._store.entries(active=True), key=self._rank())
        return [entry.workload.key for entry in active]

    @property
    def has_active(self) -> bool:
        """Whether anybody competes to be the head."""
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
        """Return the workloads that are set aside, sorted."""
        return sorted(entry.workload.key for entry in self._store.entries(active=False))

    @property
    def count(self) -> int:
        """How many workloads are pending: active, inadmissible or in flight."""
        return len(self._store) + (self.inflight is not None)

    def no_fit_reason(self, key: str) -> str | None:
        """Return why all workloads like this inadmissible one were set aside, if they were."""
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
        """The key of the workload that waits for the room it has made, if there is one."""
        return None if self._preemptor is None else self._preemptor.key

    @property
    def sleeps(self) -> bool:
        """Whether there may be something for :meth:`wake` to do."""
        return self._store.has_inadmissible or bool(self._bulk_move_reasons)

    # --- what happens to a workload ----------------------------------------------------

    def pop(self) -> WorkloadState | None:
        """Take the head; it is in flight until it is requeued or deleted."""
        self.inflight = None
        entry = self._first()
        if entry is None:
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
        self._around.moves += 1
        if self._backs_off(workload) or self._was_bulk_moved(workload):
            self._park(workload)
            self._tell_shape(key, workload.scheduling_hash)
        else:
            self._activate(workload)

    def push_if_untracked(self, workload: WorkloadState) -> None:
        """Make a workload active that is not here yet, whether or not it backs off."""
        key = workload.key
        if key != self.inflight and self._store.get(key) is None:
            self._around.moves += 1
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

        It is tried again at once where that makes sense: ``reason`` says so, the queue was
        woken since the workload was taken (``woken``), or flavors are left to try. If not,
        it is set aside, and with it, in a BestEffortFIFO queue, all that would have met
        the same end.
        """
        key = workload.key
        if reason in PREEMPTOR_REASONS:
            generation = workload.last_evaluated_generation
            preemptor = _Preemptor(key, generation, self._is_best_effort)
            self._around.moves += preemptor != self._preemptor
            self._preemptor = preemptor
        was_taken = key == self.inflight
        if was_taken:
            self.inflight = None
        entry = self._store.get(key)
        if (woken or self._is_retried_at_once(workload, reason)) and not self._backs_off(workload):
            if entry is not None:
                if entry.is_active:
                    return False
                self._store.remove(entry)
            self._around.moves += not was_taken
            self._activate(workload)
            return True
        if entry is not None:
            return False
        self._around.moves += 1
        self._park(workload)
        hash_ = workload.scheduling_hash
        if hash_ and reason in BULK_MOVE_REASONS and self._is_best_effort:
            self._bulk_move(hash_, quota_reserved_reason or PENDING_EVALUATION, key)
        return True

    def delete(self, key: str) -> None:
        """Forget a workload, wherever it is."""
        entry = self._store.get(key)
        self._around.moves += entry is not None or key == self.inflight
        if entry is not None:
            self._store.remove(entry)
        self._shape_of.pop(key, None)
        if key == self.inflight:
            self.inflight = None
        if self._preemptor is not None and self._preemptor.key == key:
            self._preemptor = None

    def wake(self, why: str) -> int:
        """Make inadmissible workloads active; return how many.

        Those stay whose namespace the ClusterQueue doesn't select, or that back off still.
        """
        recorder = self._around.recorder
        if recorder is not None:
            for hash_ in self._bulk_move_reasons:
                self._tell_no_fit(hash_, None)
        self._bulk_move_reasons.clear()
        moved: list[PendingEntry] | None = None if recorder is None else []
        woken = self._store.wake(self._selects, moved)
        if woken:
            self._around.moves += 1
            self._around.ready[self.name] = self
        if recorder is not None and moved:
            moved.sort(key=lambda entry: entry.order)
            keys = tuple(entry.workload.key for entry in moved)
            for key in keys:
                recorder.change(("workloads", key, "queue"), "inadmissible", "active")
            recorder.record(Woken(keys, why), cluster_queue=self.name)
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
        self._store.activate(PendingEntry(workload, self._around.sort_key(workload)))
        self._around.ready[self.name] = self

    def _park(self, workload: WorkloadState) -> None:
        self._store.park(PendingEntry(workload, self._around.sort_key(workload)))
        self.tree.sleeping[self.name] = self

    def _update(self, entry: PendingEntry, workload: WorkloadState) -> None:
        """Take over what changed; active stays active, inadmissible stays inadmissible."""
        if (
            entry.order == self._around.sort_key(workload)
            and entry.hash == workload.scheduling_hash
            and entry.backs_off == self._backs_off(workload)
        ):
            entry.look_at(workload)
            return
        self._around.moves += 1
        file = self._activate if entry.is_active else self._park
        self._store.remove(entry)
        file(workload)

    def _bulk_move(self, hash_: str, reason: str, mover: str) -> None:
        """Set aside all active workloads with a scheduling hash, as ``mover`` did not fit."""
        self._bulk_move_reasons[hash_] = reason
        recorder = self._around.recorder
        if recorder is not None:
            self._tell_no_fit(hash_, mover)
            for entry in self._store.active_of(hash_):
                key = entry.workload.key
                recorder.change(("workloads", key, "queue"), "active", "inadmissible")
                self._tell_shape(key, hash_)
        self._store.park_all(hash_)

    def _tell_no_fit(self, hash_: str, mover: str | None) -> None:
        """Tell the recorder that a workload did not fit, and who else is set aside for that."""
        recorder = self._around.recorder
        assert recorder is not None
        # Named after the queue, too: a workload may come to wait in another one.
        shape = self._shapes.setdefault(hash_, f"{self.name}/{len(self._shapes)}")
        recorder.change(("clusterQueues", self.name, "noFit", shape), "", mover)

    def _tell_shape(self, key: str, hash_: str) -> None:
        """Tell the recorder, if there is one, which workloads are alike: those of a shape."""
        recorder = self._around.recorder
        shape = self._shapes.get(hash_)
        if recorder is not None and shape is not None and shape != self._shape_of.get(key):
            recorder.change(("workloads", key, "shape"), "", shape)
            self._shape_of[key] = shape

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
        return backs_off_until(workload) > self._around.clock()

    def _was_bulk_moved(self, workload: WorkloadState) -> bool:
        return workload.scheduling_hash in self._bulk_move_reasons and self._is_best_effort

    def _selects(self, namespace: str) -> bool:
        labels = self._around.namespace_labels(namespace)
        selector = self.cluster_queue.namespace_selector
        return labels is not None and selector is not None and selector.matches(labels)

    def _sticky(self) -> PendingEntry | None:
        """Return the preemptor's entry if it goes before all others."""
        preemptor = self._preemptor
        if preemptor is None or not preemptor.sticky:
            return None
        return self._store.get(preemptor.key)
