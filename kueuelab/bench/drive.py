"""Driving a simulated cluster through arrivals and completions in virtual time.

A workload that is admitted runs for its time and finishes. At each instant all that is
due then is done first; then the scheduler runs until a cycle changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from kueuelab.bench.shapes import Shape, WorkloadClass, pod_sets_of, queue_names, workload_of

if TYPE_CHECKING:
    from kueuelab.model import PodSet, Workload
    from kueuelab.simulation import Cluster

__all__ = ["Drive", "Tally", "arrive"]

Action: TypeAlias = Callable[[], None]


@dataclass(slots=True)
class Tally:
    """What happened, in numbers. ``heads`` counts a workload each time it is considered."""

    created: int = 0
    finished: int = 0
    cycles: int = 0
    heads: int = 0
    admissions: int = 0
    evictions: int = 0


class Drive:
    """Actions on a clock, and the scheduler in between.

    Parameters
    ----------
    cluster
        The cluster; its clock stands at the start.
    progress
        Called for each workload that finishes.
    """

    def __init__(self, cluster: Cluster, progress: Callable[[], object] = lambda: None) -> None:
        self.cluster = cluster
        self._progress = progress
        self.tally = Tally()
        self._runtimes: dict[str, int] = {}
        self._agenda: list[tuple[int, int, Action]] = []
        self._sequence = 0
        # When each running workload is due to finish; an eviction takes it out.
        self._due: dict[str, int] = {}

    def at(self, time: int, action: Action) -> None:
        """Put an action on the agenda; those due at the same time keep their order."""
        self._sequence += 1
        heappush(self._agenda, (time, self._sequence, action))

    def create(self, workload: Workload, runtime: int) -> None:
        """Create a workload that runs for so many nanoseconds once it is admitted."""
        self._runtimes[workload.key] = runtime
        self.cluster.create_workload(workload)
        self.tally.created += 1

    def run(self) -> Tally:
        """Go on until the agenda is empty."""
        agenda, cluster = self._agenda, self.cluster
        while agenda:
            now = agenda[0][0]
            cluster.advance_to(now)
            while agenda and agenda[0][0] == now:
                heappop(agenda)[2]()
            self._schedule()
        return self.tally

    def _schedule(self) -> None:
        """Run cycles until nothing changes any more."""
        cluster, tally = self.cluster, self.tally
        while not cluster.at_rest:
            record = cluster.cycle()
            tally.cycles += 1
            tally.heads += len(record.heads)
            admitted = evicted = 0
            for entry in record.entries:
                if entry.status == "assumed":
                    self._start(entry.key)
                    admitted += 1
                elif entry.preempting:
                    evicted += self._stop([target.workload.key for target in entry.preempted])
            tally.admissions += admitted
            tally.evictions += evicted
            if evicted:
                cluster.complete_evictions()

    def _start(self, key: str) -> None:
        due = self.cluster.now + self._runtimes[key]
        self._due[key] = due
        self.at(due, lambda: self._finish(key, due))

    def _stop(self, keys: list[str]) -> int:
        return sum(self._due.pop(key, None) is not None for key in keys)

    def _finish(self, key: str, due: int) -> None:
        # One that was evicted in the meantime finishes when it has run again, in full.
        if self._due.get(key) == due:
            del self._due[key]
            self.cluster.finish(key)
            self.tally.finished += 1
            self._progress()


def arrive(drive: Drive, shape: Shape, start: int) -> None:
    """Let the workloads of a shape arrive, those of each class in each queue one by one.

    Parameters
    ----------
    drive : Drive
        Gets each arrival on its agenda when the one before it has arrived.
    shape : Shape
        What arrives.
    start : int
        When the first interval begins, in nanoseconds since 1970.
    """
    for position, kind in enumerate(shape.classes):
        pod_sets = pod_sets_of(kind.cpu, kind.pods, kind.topology)
        for queue, _ in queue_names(shape):
            _Arrivals(drive, queue, kind, position, pod_sets).wait_from(start)


class _Arrivals:
    """The workloads of one class in one queue."""

    __slots__ = ("_created", "_drive", "_kind", "_pod_sets", "_position", "_queue")

    def __init__(
        self,
        drive: Drive,
        queue: str,
        kind: WorkloadClass,
        position: int,
        pod_sets: tuple[PodSet, ...],
    ) -> None:
        self._drive = drive
        self._queue = queue
        self._kind = kind
        self._position = position
        self._pod_sets = pod_sets
        self._created = 0

    def wait_from(self, time: int) -> None:
        if self._created < self._kind.count:
            due = time + self._kind.interval
            self._drive.at(due, lambda: self._arrive(due))

    def _arrive(self, now: int) -> None:
        kind = self._kind
        name = f"{kind.name}-{self._position}-{self._created}-0"
        workload = workload_of(self._queue, name, now, kind.priority, self._pod_sets)
        self._created += 1
        self._drive.create(workload, kind.runtime)
        self.wait_from(now)
