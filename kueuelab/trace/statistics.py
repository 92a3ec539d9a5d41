"""What a run comes to per ClusterQueue: preemptions, waiting, utilisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.model.times import format_duration
from kueuelab.trace import steps
from kueuelab.trace.reading import State
from kueuelab.trace.step_list import StepBlock
from kueuelab.trace.trace import Trace

__all__ = ["QueueStatistics", "statistics"]


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """One ClusterQueue over a whole run.

    Attributes
    ----------
    queue
        Its name.
    workloads
        How many workloads queued for it.
    admissions
        How often quota was reserved.
    preemptions
        How many of its workloads were preempted, each time counted.
    preempting
        How often its workloads preempted others.
    waiting
        For how long its workloads were pending on average, in nanoseconds.
    utilisation
        Flavor and resource to usage, averaged over time, as a part of the nominal quota
        that it has at the end. Only where that is not zero.
    """

    queue: str
    workloads: int = 0
    admissions: int = 0
    preemptions: int = 0
    preempting: int = 0
    waiting: int = 0
    utilisation: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """Return the numbers as plain JSON values."""
        return {
            "queue": self.queue,
            "workloads": self.workloads,
            "admissions": self.admissions,
            "preemptions": self.preemptions,
            "preempting": self.preempting,
            "waiting": format_duration(self.waiting),
            "utilisation": {
                f"{resource}/{flavor}": round(value, 6)
                for (flavor, resource), value in self.utilisation.items()
            },
        }


def statistics(trace: Trace, over: int = 0) -> dict[str, QueueStatistics]:
    """Return the statistics of every ClusterQueue, by name.

    Parameters
    ----------
    trace
        The record of the run.
    over
        The time to look at, in nanoseconds from the start, if that is longer than the run:
        all stays as it was at the end. So runs of different lengths can be compared.
    """
    if not len(trace):
        return {}
    counts = _Counts(trace, over)
    end = trace.state_at(len(trace) - 1)
    names = sorted({*counts.queue_of.values(), *end.names("ClusterQueue")} - {""})
    return {name: counts.of(name, end) for name in names}


class _Counts:
    """Goes through a trace once and adds up."""

    def __init__(self, trace: Trace, over: int) -> None:
        self.queue_of: dict[str, str] = {}
        #: What those wait for that were never at the head of a queue: their LocalQueues'
        #: ClusterQueues, as they were last.
        self._local_queue_of: dict[str, str] = {}
        self._cluster_queue_of: dict[str, str] = {}
        self._admissions: dict[str, int] = {}
        self._preemptions: dict[str, int] = {}
        self._preempting: dict[str, int] = {}
        self._waited: dict[str, int] = {}
        self._pending_since: dict[str, int] = {}
        self._pending: set[str] = set()
        self._inactive: set[str] = set()
        self._usage: dict[tuple[str, str, str], tuple[int, int, int]] = {}
        for step in trace.steps.stored:
            if step.workload and step.cluster_queue:
                self.queue_of[step.workload] = step.cluster_queue
            if isinstance(step, StepBlock):
                continue  # Verdicts on candidates are not counted.
            self._count(step.facts, step.cluster_queue)
            for change in step.changes:
                self._follow(change.path, change.after, step.time)
        for key, local_queue in self._local_queue_of.items():
            queue = self._cluster_queue_of.get(local_queue, "")
            if queue and key not in self.queue_of:
                self.queue_of[key] = queue
        self._start = trace[0].time
        self._end = max(trace[len(trace) - 1].time, self._start + over)
        for key, since in self._pending_since.items():
            self._waited[key] = self._waited.get(key, 0) + self._end - since

    def _count(self, facts: steps.Facts, queue: str) -> None:
        match facts:
            case steps.QuotaReserved():
                _increase(self._admissions, queue)
            case steps.Evicted() if facts.preemptor:
                _increase(self._preemptions, queue)
                _increase(self._preempting, facts.preemptor_path.rpartition("/")[2])

    def _follow(self, path: tuple[str, ...], after: Any, time: int) -> None:
        if path[0] == "workloads" and path[2:] in (("phase",), ("active",)):
            key = path[1]
            if path[2] == "phase":
                (self._pending.add if after == "Pending" else self._pending.discard)(key)
            else:
                (self._inactive.add if after is False else self._inactive.discard)(key)
            self._wait(key, time)
        elif path[0] == "workloads" and path[2:] == ("queueName",) and after:
            namespace = path[1].partition("/")[0]
            self._local_queue_of[path[1]] = f"{namespace}/{after}"
        elif path[0] == "objects" and path[1].startswith("LocalQueue/") and after:
            name = path[1].removeprefix("LocalQueue/")
            # A saved run may have been damaged since.
            self._cluster_queue_of[name] = str((after.get("spec") or {}).get("clusterQueue") or "")
        elif path[0] == "clusterQueues" and path[2] == "usage":
            place = path[1], path[3], path[4]
            total, amount, since = self._usage.get(place, (0, 0, time))
            self._usage[place] = total + amount * (time - since), after or 0, time

    def _wait(self, key: str, time: int) -> None:
        """Take note of whether a workload waits from now on: one that is deactivated doesn't."""
        since = self._pending_since.pop(key, None)
        if since is not None:
            self._waited[key] = self._waited.get(key, 0) + time - since
        if key in self._pending and key not in self._inactive:
            self._pending_since[key] = time

    def of(self, queue: str, end: State) -> QueueStatistics:
        """Return the statistics of a ClusterQueue."""
        own = [key for key, name in self.queue_of.items() if name == queue]
        waited = sum(self._waited.get(key, 0) for key in own)
        return QueueStatistics(
            queue,
            len(own),
            self._admissions.get(queue, 0),
            self._preemptions.get(queue, 0),
            self._preempting.get(queue, 0),
            waited // len(own) if own else 0,
            self._utilisation(queue, end),
        )

    def _utilisation(self, queue: str, end: State) -> dict[tuple[str, str], float]:
        duration = self._end - self._start
        found: dict[tuple[str, str], float] = {}
        for quota in end.cluster_queue(queue).quotas:
            place = quota.flavor, quota.resource
            total, amount, since = self._usage.get((queue, *place), (0, 0, self._end))
            total += amount * (self._end - since)
            if duration and quota.nominal:
                found[place] = total / (duration * quota.nominal)
        return found


def _increase(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
