"""The record of a followed cluster, bounded: its older part is given away while it goes on.

Two records are kept. The second one begins, with the objects as they are then, once the first is
as long as it has to be; when the second is as long, the first one is complete and the second one
takes its place. What is shown is the first one.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kueuelab.live.passive_cluster import passive_cluster
from kueuelab.model import ClusterObject, Configuration, Workload
from kueuelab.model.times import SECOND
from kueuelab.simulation import Cluster
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.trace import Trace
from kueuelab.trace.reading import State
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step import Step
from kueuelab.trace.steps import Facts
from kueuelab.workload import WorkloadState

__all__ = ["EVERYTHING", "LATEST", "Keep", "RecordWindow"]

#: Writes the state of a real workload to a simulated one.
Write = Callable[[ControlPlane, WorkloadState], bool]


@dataclass(frozen=True, slots=True)
class Keep:
    """How much of what is followed is kept: at least so much, and at most about twice.

    Attributes
    ----------
    decisions
        So many decisions; ``None`` for any number.
    minutes
        What happened in so many minutes; ``None`` for any time.
    steps
        So many steps of the record, whatever the other two say. A decision among many
        candidates has hundreds.

    Examples
    --------
    >>> Keep(minutes=30)
    Keep(decisions=None, minutes=30, steps=250000)
    """

    decisions: int | None = None
    minutes: float | None = None
    steps: int | None = 250_000

    def is_reached(self, decisions: int, nanoseconds: int, steps: int) -> bool:
        """Tell whether a record is as long as it has to be."""
        return (
            (self.decisions is not None and decisions >= self.decisions)
            or (self.minutes is not None and nanoseconds >= self.minutes * 60 * SECOND)
            or (self.steps is not None and steps >= self.steps)
        )


#: Keeps everything, for as long as it goes on.
EVERYTHING: Final = Keep(steps=None)
#: So much that a week of any load takes less than 1 GiB.
LATEST: Final = Keep(decisions=5_000)


class _Part:
    """A record from one moment on."""

    def __init__(self, configuration: Configuration, time: int, first: int) -> None:
        self.recorder = Recorder()
        self.cluster = passive_cluster(configuration, time, self.recorder)
        self.start = time
        #: The number of its first decision.
        self.first = first
        self.cycles = 0


class RecordWindow:
    """Records what a cluster does, and forgets what is older than has to be kept.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time, in nanoseconds since 1970.
    name
        The name of the trace.
    keep
        How much is kept.
    on_complete
        Takes each complete record before it is forgotten, one after another without a gap.

    Attributes
    ----------
    first
        The number of the first decision that is kept, counted from 0.
    """

    def __init__(
        self,
        configuration: Configuration,
        start: int,
        name: str = "",
        keep: Keep = EVERYTHING,
        on_complete: Callable[[Trace], None] | None = None,
    ) -> None:
        self._configuration = configuration
        self._name = name
        self._keep = keep
        self._on_complete = on_complete
        self._parts = [_Part(configuration, start, 0)]
        #: How many records were forgotten.
        self._forgotten = 0

    @property
    def first(self) -> int:
        """The number of the first decision that is kept, counted from 0."""
        return self._parts[0].first

    @property
    def cluster(self) -> Cluster:
        """The simulated cluster in its current state; do not change it."""
        return self._parts[0].cluster

    @property
    def now(self) -> int:
        """The time of the last change, in nanoseconds since 1970."""
        return self.cluster.now

    @property
    def trace(self) -> Trace:
        """The record that is kept."""
        return Trace.of(self._parts[0].recorder, self._name)

    @property
    def last_trace(self) -> Trace:
        """The record that follows on the last complete one."""
        return Trace.of(self._parts[self._forgotten % len(self._parts)].recorder, self._name)

    @property
    def state(self) -> State:
        """The visible state as it is now."""
        return self._parts[0].recorder.state()

    # --- changes -------------------------------------------------------------------------

    def load(self, objects: Iterable[ClusterObject | Workload]) -> None:
        """Load the objects that exist at the start."""
        found = list(objects)
        for part in self._parts:
            part.cluster.load(found)

    def advance_to(self, time: int) -> None:
        """Move the clock; timers of the simulated controllers do not fire."""
        for part in self._parts:
            clock = part.cluster.plane.clock
            part.recorder.time = clock.now = max(clock.now, time)

    def apply(self, obj: ClusterObject) -> None:
        """Replace an object by its new version."""
        for part in self._parts:
            part.cluster.apply(obj)

    def discard(self, kind: str, name: str, namespace: str) -> None:
        """Remove an object."""
        for part in self._parts:
            part.cluster.discard(kind, name, namespace)

    def create_workload(self, workload: Workload) -> None:
        """Add a workload."""
        for part in self._parts:
            part.cluster.create_workload(workload)

    def write(self, key: str, write: Write) -> None:
        """Change the state of a workload."""
        for part in self._parts:
            part.cluster.write(key, write)

    def delete_workload(self, key: str) -> None:
        """Remove a workload."""
        for part in self._parts:
            part.cluster.delete_workload(key)

    def record(self, facts: Facts, workload: str) -> None:
        """Record what happened to a workload."""
        for part in self._parts:
            part.cluster.plane.record(facts, workload)

    def record_cycle(self, steps: Sequence[Step]) -> None:
        """Record the steps of a cycle of the lab."""
        for part in self._parts:
            part.cycles += 1
            part.recorder.cycle = part.cycles
            for step in steps:
                part.recorder.record(step.facts, step.workload, step.cluster_queue)
            part.recorder.cycle = 0

    # --- forgetting ----------------------------------------------------------------------

    def roll(
        self,
        decisions: int,
        objects: Iterable[ClusterObject],
        workloads: Mapping[str, Workload],
    ) -> bool:
        """Begin another record if the last one is long enough; tell whether one is forgotten.

        Parameters
        ----------
        decisions
            How many decisions there were so far.
        objects, workloads
            What is there now.
        """
        last, now = self._parts[-1], self.now
        length = last.recorder.steps.length
        if not self._keep.is_reached(decisions - last.first, now - last.start, length):
            return False
        forgets = len(self._parts) > 1
        if forgets:
            complete = self._parts.pop(0)
            if self._on_complete is not None and self._forgotten % 2 == 0:
                self._on_complete(Trace.of(complete.recorder, self._name))
            self._forgotten += 1
            # A simulated cluster has circles of references, and following has few collections.
            del complete
            gc.collect()
        part = _Part(self._configuration, now, decisions)
        part.cluster.load([*objects, *workloads.values()])
        self._parts.append(part)
        return forgets
