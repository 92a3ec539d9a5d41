"""What a run comes to per ClusterQueue: preemptions, waiting, utilisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.model.times import format_duration
from kueuelab.trace import steps
from kueuelab.trace.reading import State
from kueuelab.trace.step import Change
from kueuelab.trace.step_list import StepBlock
from kueuelab.trace.trace import Trace
from kueuelab.trace.waiting import Waiting

__all__ = ["QueueStatistics", "statistics"]


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """One ClusterQueue over a whole run.

    Attributes
    ----------
    queue
        Its name.
    workloads
        How many workloads came to it, or were there at the start and had not finished.
    admissions
        How often quota was reserved.
    preemptions
        How many of its workloads were preempted, each time counted.
    preempting
        How often its workloads preempted others.
    waiting
        For how long its workloads waited on average, in nanoseconds:
        :class:`~kueuelab.trace.waiting.Waiting`.
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
    queues = {each.queue for each in counts.waiting}
    names = sorted({*queues, *end.names("ClusterQueue")} - {""})
    return {name: counts.of(name, end) for name in names}


class _Counts:
    """Goes through a trace once and adds up."""

    def __init__(self, trace: Trace, over: int) -> None:
        self.waiting = Waiting()
        self._admissions: dict[str, int] = {}
        self._preemptions: dict[str, int] = {}
        self._preempting: dict[str, int] = {}
        self._status: dict[str, _Status] = {}
        self._cluster_queue_of: dict[str, str] = {}
        self._usage: dict[tuple[str, str, str], tuple[int, int, int]] = {}
        for step in trace.steps.stored:
            if isinstance(step, StepBlock):
                continue  # Verdicts on candidates are not counted.
            self._count(step.facts, step.cluster_queue)
            seen = {key for change in step.changes if (key := self._follow(change, step.time))}
            for key in seen:
                self._see(key, step.time)
        self._start = trace[0].time
        self._end = max(trace.end, self._start + over)

    def _count(self, facts: steps.Facts, queue: str) -> None:
        match facts:
            case steps.QuotaReserved():
                _increase(self._admissions, queue)
            case steps.Evicted() if facts.preemptor:
                _increase(self._preemptions, queue)
                _increase(self._preempting, facts.preemptor_path.rpartition("/")[2])

    def _follow(self, change: Change, time: int) -> str:
        """Take note of a change; return the key of the workload whose waiting it may change."""
        path, after = change.path, change.after
        if path[0] == "workloads":
            status = self._status.setdefault(path[1], _Status())
            match path[2:]:
                case ("phase",):
                    status.phase = str(after or "")
                case ("active",):
                    status.active = after is not False
                case ("queueName",):
                    status.local_queue = f"{path[1].partition('/')[0]}/{after or ''}"
                case _:
                    return ""
            return path[1]
        if path[0] == "objects" and path[1].startswith("LocalQueue/"):
            name = path[1].removeprefix("LocalQueue/")
            # A saved run may have been damaged since.
            spec = (after or {}).get("spec") or {}
            self._cluster_queue_of[name] = str(spec.get("clusterQueue") or "")
        elif path[0] == "clusterQueues" and path[2] == "usage":
            place = path[1], path[3], path[4]
            total, amount, since = self._usage.get(place, (0, 0, time))
            self._usage[place] = total + amount * (time - since), after or 0, time
        return ""

    def _see(self, key: str, time: int) -> None:
        status = self._status[key]
        if not status.phase:
            del self._status[key]
            self.waiting.gone(key, time)
            return
        finished = status.phase == "Finished"
        waits = status.active and not finished and status.phase != "Admitted"
        queue = self._cluster_queue_of.get(status.local_queue, "")
        self.waiting.see(key, queue, waits=waits, time=time, finished=finished)

    def of(self, queue: str, end: State) -> QueueStatistics:
        """Return the statistics of a ClusterQueue."""
        own = [each for each in self.waiting if each.queue == queue]
        waited = sum(each.until(self._end) for each in own)
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


@dataclass(slots=True)
class _Status:
    """What waiting follows from: the status of one workload as it is now."""

    phase: str = ""
    active: bool = True
    local_queue: str = ""


def _increase(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
