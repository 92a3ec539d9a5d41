"""Running scheduling cycles, and holding one that has to wait for pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kueuelab.model import Configuration
from kueuelab.scheduler import Cycle, Entry, Scheduler
from kueuelab.scheduler.chances import Chances
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.cycle_record import CycleRecord
from kueuelab.simulation.scheduler_access import SchedulerAccess

__all__ = ["Cycles"]


class Cycles:
    """The scheduling cycles of one cluster, one after the other.

    A cycle decides everything at once, on what it sees at its start. Then its decisions take
    effect; there it may have to wait for pods to become ready. It is held until then.

    Parameters
    ----------
    plane
        The cluster.
    on_cycle
        Called with every record.
    chances
        The order of what Kueue takes in random order.

    Attributes
    ----------
    held
        The cycle that waits for pods to become ready, if one does, and where it goes on.
    """

    __slots__ = (
        "_events",
        "_has_tried_all",
        "_moves",
        "_on_cycle",
        "_plane",
        "_scheduler",
        "_tried",
        "held",
    )

    def __init__(
        self,
        plane: ControlPlane,
        on_cycle: Callable[[CycleRecord], None] | None,
        chances: Chances | None = None,
    ) -> None:
        self._scheduler = Scheduler(
            plane.configuration,
            plane.tree,
            plane.objects.flavors,
            SchedulerAccess(plane),
            plane.recorder,
            plane.forest,
            chances,
        )
        self._plane = plane
        self._on_cycle = on_cycle
        self.held: tuple[Cycle, Iterator[Entry]] | None = None
        #: What was tried since anything changed, and whether all that there is was tried.
        self._tried: set[object] = set()
        self._has_tried_all = False
        self._moves = self._events = 0

    def configure(self, configuration: Configuration) -> None:
        """Decide by another Configuration from the next cycle on."""
        self._scheduler.configure(configuration)

    def run(self) -> CycleRecord:
        """Run a cycle, unless one is held."""
        plane = self._plane
        if self.held is not None:
            return self._keep(CycleRecord(0, (), blocked=True))
        self._moves, self._events = plane.queues.moves, len(plane.events)
        cycle = self._scheduler.next_cycle()
        return self._go_on(cycle, cycle.run(), resumed=False)

    # --- when another cycle is pointless -----------------------------------------------------

    def at_rest(self) -> bool:
        """Tell whether another cycle would leave everything as it is.

        No ClusterQueue that can admit has an active workload; or a cycle waits for pods; or
        the heads were tried as they are, and return to the queue each time.
        """
        if self.held is not None or self._has_tried_all:
            return True
        return not self._plane.queues.has_heads(self._plane.inactive)

    def retry_heads(self) -> None:
        """Note that the cluster changed otherwise than by a cycle: heads are worth trying."""
        if self._tried:
            self._tried.clear()
            self._has_tried_all = False

    def note(self, record: CycleRecord) -> None:
        """Note what a cycle changed, once the controllers have reacted to it."""
        moves, events = self._plane.queues.moves, self._plane.events
        # Targets whose pods are still going are not preempted once more.
        changed = (
            moves != self._moves
            or any(entry.status == "assumed" for entry in record.entries)
            or any(event.reason == "Preempted" for event in events[self._events :])
        )
        if changed:
            self.retry_heads()
            return
        # A head that finds nothing may be tried again and again, from another flavor on.
        attempt = _attempt(record)
        self._has_tried_all = attempt in self._tried
        self._tried.add(attempt)

    def resume(self) -> bool:
        """Go on with a cycle that is held, if it can; tell whether it did."""
        if self.held is None or self._plane.block_admission:
            return False
        cycle, waiting = self.held
        if self._plane.recorder is not None:
            self._plane.recorder.cycle = cycle.number
        self._go_on(cycle, waiting, resumed=True)
        return True

    def _go_on(self, cycle: Cycle, waiting: Iterator[Entry], *, resumed: bool) -> CycleRecord:
        """Run a cycle to its end, or hold it where an entry has to wait."""
        if next(waiting, None) is not None:
            self.held = (cycle, waiting)
            return self._keep(CycleRecord(cycle.number, cycle.heads, blocked=True, resumed=resumed))
        self.held = None
        return self._keep(CycleRecord.of(cycle, resumed=resumed))

    def _keep(self, record: CycleRecord) -> CycleRecord:
        if self._on_cycle is not None:
            self._on_cycle(record)
        return record


def _attempt(record: CycleRecord) -> object:
    """Return the heads that were tried, and where each scan of flavors goes on."""
    scans = tuple(
        (entry.key, tuple(tuple(sorted(tried.items())) for tried in last.tried))
        for entry in record.entries
        if (last := entry.workload.last_assignment) is not None
    )
    return record.heads, scans
