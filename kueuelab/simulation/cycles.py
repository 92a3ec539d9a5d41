"""Running scheduling cycles, and holding one that has to wait for pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler import Cycle, Entry, Inadmissible, Scheduler
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.outcome import CycleRecord, apply
from kueuelab.workload import WorkloadState

__all__ = ["Cycles"]

#: The record of a cycle that nobody came to.
_NOTHING: Final = CycleRecord(0, ())


class Cycles:
    """The scheduler of one cluster, one cycle after the other.

    A cycle decides everything at once, on what it sees at its start. What it decided is
    then applied; that may have to stop half way, and goes on when it can.

    Parameters
    ----------
    plane
        The cluster.
    on_cycle
        Told of every record.
    """

    def __init__(self, plane: ControlPlane, on_cycle: Callable[[CycleRecord], None] | None) -> None:
        self.scheduler = Scheduler(
            plane.configuration, plane.tree, plane.objects.flavors, plane.recorder
        )
        self._plane = plane
        self._on_cycle = on_cycle
        self._held: tuple[Cycle, Iterator[Entry]] | None = None
        #: What was tried since anything changed, and whether all that there is was tried.
        self._tried: set[object] = set()
        self._has_tried_all = False
        self._moves = self._events = 0

    @property
    def is_blocked(self) -> bool:
        """Whether a cycle waits for pods to become ready."""
        return self._held is not None

    def run(self) -> CycleRecord:
        """Run a cycle, unless one is held."""
        plane = self._plane
        if self._held is not None:
            return self._told(CycleRecord(0, (), blocked=True))
        self._moves, self._events = plane.queues.moves, len(plane.events)
        heads = plane.queues.heads(self._inactive())
        if not heads:
            return self._told(_NOTHING)
        if plane.recorder is not None:
            plane.recorder.time = plane.clock.now
        cycle = self.scheduler.begin(heads, self._is_inactive, self._obstacle)
        for _ in cycle.process():
            pass
        cycle.finish()
        return self._apply(cycle, apply(plane, cycle), resumed=False)

    # --- when another cycle is pointless -----------------------------------------------------

    @property
    def at_rest(self) -> bool:
        """Whether another cycle would leave everything as it is.

        No ClusterQueue that can admit has an active workload; or a cycle waits for pods; or
        the heads were tried as they are, and return to the queue each time.
        """
        return (
            self._held is not None
            or self._has_tried_all
            or not self._plane.queues.has_heads(self._inactive())
        )

    def stir(self) -> None:
        """Note that the cluster changed otherwise than by a cycle: heads are worth trying."""
        self._tried.clear()
        self._has_tried_all = False

    def note(self, record: CycleRecord) -> None:
        """Note what came of a cycle, when the controllers have carried its effects through."""
        moves, events = self._plane.queues.moves, self._plane.events
        # Targets whose pods are still going are not preempted once more.
        changed = (
            moves != self._moves
            or any(entry.status == "assumed" for entry in record.entries)
            or any(event.reason == "Preempted" for event in events[self._events :])
        )
        if changed:
            self.stir()
            return
        # A head that finds nothing may be tried again and again, from another flavor on.
        attempt = _attempt(record)
        self._has_tried_all = attempt in self._tried
        self._tried.add(attempt)

    def resume(self) -> bool:
        """Go on with a cycle that is held, if it can; tell whether it did."""
        if self._held is None or self._plane.not_ready:
            return False
        cycle, effects = self._held
        if self._plane.recorder is not None:
            self._plane.recorder.cycle = cycle.number
        self._apply(cycle, effects, resumed=True)
        return True

    def _apply(self, cycle: Cycle, effects: Iterator[Entry], *, resumed: bool) -> CycleRecord:
        """Apply effects as far as possible, and hold the rest."""
        if next(effects, None) is not None:
            self._held = (cycle, effects)
            return self._told(CycleRecord(cycle.number, cycle.heads, blocked=True, resumed=resumed))
        self._held = None
        return self._told(
            CycleRecord(
                cycle.number,
                cycle.heads,
                tuple(cycle.processed),
                tuple(sorted(cycle.inadmissible, key=lambda entry: entry.key)),
                resumed=resumed,
            )
        )

    def _told(self, record: CycleRecord) -> CycleRecord:
        if self._on_cycle is not None:
            self._on_cycle(record)
        return record

    def _inactive(self) -> list[str]:
        statuses = self._plane.statuses
        return [name for name, queue in statuses.items() if queue.status != "active"]

    def _is_inactive(self, name: str) -> bool:
        queue = self._plane.statuses.get(name)
        return queue is not None and (not queue.active or self._plane.tree.in_cycle(name))

    def _obstacle(self, state: WorkloadState, node: ClusterQueueNode) -> Inadmissible | None:
        return obstacle(self._plane, state.obj, node.namespace_selector)


def _attempt(record: CycleRecord) -> object:
    """Return the heads that were tried, and where the scan of flavors of each stands."""
    scans = tuple(
        (entry.key, tuple(tuple(sorted(tried.items())) for tried in last.tried))
        for entry in record.entries
        if (last := entry.workload.last_assignment) is not None
    )
    return record.heads, scans
