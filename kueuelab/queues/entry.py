"""A workload's place in its ClusterQueue, and its state when it took that place."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kueuelab.model import Configuration
from kueuelab.queues.admissibility import backs_off_until
from kueuelab.workload import WorkloadState, queue_order_timestamp

if TYPE_CHECKING:
    from kueuelab.queues.pool import Pool
    from kueuelab.trace.recorder import RecordedValue, Recorder

__all__ = ["Moved", "PendingEntry", "SortKey", "sort_key"]

#: What orders a queue; smaller comes first. Keys of different workloads differ.
SortKey = tuple[Any, ...]

_spec: Final = attrgetter(
    "pod_sets",
    "queue_name",
    "priority",
    "priority_class_ref",
    "active",
    "maximum_execution_time_seconds",
    "preemption_gates",
)


def sort_key(configuration: Configuration, workload: WorkloadState) -> SortKey:
    """Return what orders a workload in its queue: priority, then the time it queues from."""
    timestamp = queue_order_timestamp(workload, configuration)
    return (-workload.priority, timestamp, workload.uid, workload.key)


class PendingEntry:
    """A workload in a queue. It is dead once ``pool`` is ``None`` and is never used again.

    A :class:`WorkloadState` changes while it is queued. So an entry keeps what could make
    the workload admissible, as it was when the queue last looked.

    Attributes
    ----------
    order
        Where it comes in its queue.
    key
        The workload's key.
    hash, namespace
        Its class: workloads that become inadmissible and active together.
    not_before
        The end of its back-off; a time long past if there is none.
    backs_off
        Whether that was still to come when the entry was filed; such entries are kept
        apart from their class, because they wake one by one.
    pool
        The pool that holds it.
    listed
        Whether its queue's heap of heads holds it too.
    recorded
        What the record says of where it is; ``None`` if there is no recorder.
    shape
        The shape that the record says it has; ``None`` if it says nothing of it.
    """

    __slots__ = (
        "_evicted",
        "_gated",
        "_obj",
        "_priority",
        "_reclaimable_pods",
        "_requests",
        "_requeued",
        "backs_off",
        "hash",
        "key",
        "listed",
        "namespace",
        "not_before",
        "order",
        "pool",
        "recorded",
        "shape",
        "workload",
    )

    def __init__(
        self,
        workload: WorkloadState,
        order: SortKey,
        recorded: RecordedValue | None = None,
        shape: str | None = None,
    ) -> None:
        self.order = order
        self.key = workload.key
        self.recorded = recorded
        self.shape = shape
        self.backs_off = False
        self.pool: Pool | None = None
        self.listed = False
        self.look_at(workload)

    def look_at(self, workload: WorkloadState) -> None:
        """Remember the workload as it is now."""
        conditions, obj = workload.conditions, workload.obj
        self.workload = workload
        self.hash = workload.scheduling_hash
        self.namespace = obj.metadata.namespace
        self.not_before = backs_off_until(workload)
        self._obj = obj
        self._priority = workload.priority
        self._evicted = conditions.get("Evicted")
        self._requeued = workload.requeued
        self._requests = workload.requests
        self._reclaimable_pods = workload.reclaimable_pods
        self._gated = bool(obj.preemption_gates) and workload.has_closed_preemption_gate

    def may_have_become_admissible(self, workload: WorkloadState) -> bool:
        """Tell whether the workload changed since the queue last looked in a way that counts.

        Its spec, effective priority, reclaimable pods, preemption gates, devices, and conditions
        ``Evicted`` and ``Requeued`` count; so does a generation other than the one that
        the scheduler evaluated.
        """
        obj = workload.obj
        evaluated = workload.last_evaluated_generation
        conditions = workload.conditions
        return (
            (evaluated != 0 and evaluated != obj.metadata.generation)
            or (obj is not self._obj and _spec(obj) != _spec(self._obj))
            or workload.priority != self._priority
            or workload.reclaimable_pods != self._reclaimable_pods
            or conditions.get("Evicted") != self._evicted
            or workload.requeued != self._requeued
            or (workload.requests is not self._requests and workload.requests != self._requests)
            or workload.has_closed_preemption_gate != self._gated
        )

    @property
    def is_active(self) -> bool:
        """Whether it competes to be the head."""
        return self.pool is not None and self.pool.active

    def __lt__(self, other: PendingEntry) -> bool:
        # A heap asks only when a dead entry of the same workload is left: either may be first.
        return False

    def __repr__(self) -> str:
        return f"<PendingEntry {self.key}>"


class Moved(NamedTuple):
    """Entries that move together, with their keys and what the record says of where they are."""

    entries: list[PendingEntry]
    keys: tuple[str, ...]
    recorded: list[RecordedValue]

    @classmethod
    def of(cls, entries: list[PendingEntry]) -> Moved:
        """Return recorded entries as those that move."""
        recorded: Any = [entry.recorded for entry in entries]
        return cls(entries, tuple([entry.key for entry in entries]), recorded)

    def announce(
        self, recorder: Recorder, place: str, start: int = 0, end: int | None = None
    ) -> None:
        """Announce where all of them are now, or those from one index to another."""
        recorded, keys = self.recorded, self.keys
        if start or end is not None:
            recorded, keys = recorded[start:end], keys[start:end]
        recorder.change_all(recorded, keys, place)
