"""The checks of a case, judged by the record of its run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kueuelab.messages import clauses
from kueuelab.model.times import SECOND
from kueuelab.simulation import Loop, Outcome
from kueuelab.trace import Trace, steps
from kueuelab.workshop.finding import Finding

__all__ = [
    "Admitted",
    "AllAdmitted",
    "Check",
    "Evicted",
    "ExpectationMet",
    "NoLoop",
    "NotEvicted",
    "Played",
]

#: Steps that have the status of a workload.
_STATUS_STEPS = ("Pending", "NotNominated", "Evicted", "Admitted", "QuotaReserved", "Finished")


class Played(Protocol):
    """The run of a case with an answer."""

    @property
    def trace(self) -> Trace:
        """The record of every step."""

    @property
    def start(self) -> int:
        """The clock at the start."""

    @property
    def loop(self) -> Loop | None:
        """The loop that ended it, if one did."""

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcomes of its expectations, in the order of the checks."""


class Check(Protocol):
    """A condition on the run of a case."""

    @property
    def id(self) -> str:
        """Names it in the texts: ``check.<id>``."""

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A workload is admitted within some time of its submission (nanoseconds)."""

    id: str
    workload: str
    within: int

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        trace = played.trace
        own = trace.about(self.workload, "subject")
        created = next((step for step in own if step.kind == "WorkloadCreated"), None)
        since = played.start if created is None else created.time
        limit = since + self.within
        admitted = next((step for step in own if step.kind == "Admitted"), None)
        if admitted is not None and admitted.time <= limit:
            return None
        values = {
            "workload": self.workload,
            "seconds": _seconds(self.within),
            "at": _seconds(limit - played.start),
        }
        if played.loop is not None and played.loop.time <= limit:
            return Finding("workshop.found.loop", _loop_values(played.loop), _loop_step(trace))
        return Finding(
            "workshop.found.notAdmitted", values, last_status_step(trace, self.workload, limit)
        )


@dataclass(frozen=True, slots=True)
class AllAdmitted:
    """Every workload of a LocalQueue is admitted within some time of its submission (ns)."""

    id: str
    local_queue: str
    within: int

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        found = [
            (step, finding)
            for step in map(played.trace.__getitem__, played.trace.of_kind("WorkloadCreated"))
            if isinstance(step.facts, steps.WorkloadCreated)
            and step.facts.local_queue == self.local_queue
            and (finding := Admitted(self.id, step.workload, self.within).failed(played))
        ]
        if not found:
            return None
        finding = found[0][1]
        if len(found) == 1 or finding.message != "workshop.found.notAdmitted":
            return finding
        values = {**finding.values, "count": len(found), "queue": self.local_queue}
        return Finding("workshop.found.notAllAdmitted", values, finding.step)


@dataclass(frozen=True, slots=True)
class NotEvicted:
    """No workload, or none of a ClusterQueue, or not this one, is evicted."""

    id: str
    workload: str = ""
    queue: str = ""

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        for index in played.trace.of_kind("Evicted"):
            step = played.trace[index]
            if self.workload in ("", step.workload) and self.queue in ("", step.cluster_queue):
                at = _seconds(step.time - played.start)
                return Finding(
                    "workshop.found.evicted", {"workload": step.workload, "at": at}, index
                )
        return None


@dataclass(frozen=True, slots=True)
class Evicted:
    """A workload is evicted, if so said for a reason of preemption."""

    id: str
    workload: str
    reason: str = ""

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        trace = played.trace
        other: Finding | None = None
        for step in trace.about(self.workload, "subject"):
            facts = step.facts
            if not isinstance(facts, steps.Evicted):
                continue
            if self.reason in ("", facts.preemption_reason or facts.reason):
                return None
            at = _seconds(step.time - played.start)
            values = {"workload": self.workload, "at": at}
            other = other or Finding("workshop.found.evictedOtherwise", values, step.index)
        last = last_status_step(trace, self.workload, None)
        return other or Finding("workshop.found.notEvicted", {"workload": self.workload}, last)


@dataclass(frozen=True, slots=True)
class ExpectationMet:
    """An expectation of the scenario about a workload or a ClusterQueue is met.

    Attributes
    ----------
    number
        Which expectation of the scenario it is.
    """

    id: str
    number: int

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        trace = played.trace
        if len(played.outcomes) <= self.number:
            assert played.loop is not None
            return Finding("workshop.found.loop", _loop_values(played.loop), _loop_step(trace))
        outcome = played.outcomes[self.number]
        if outcome.passed:
            return None
        expectation = outcome.expectation
        time = played.start + expectation.at
        values = {
            "subject": outcome.subject,
            "at": _seconds(expectation.at),
            "differences": clauses(outcome.differences),
        }
        if expectation.workload:
            step = last_status_step(trace, expectation.workload, time)
        else:
            step = _last_in_queue(trace, expectation.cluster_queue_name, time)
        return Finding("workshop.found.moment", values, step)


@dataclass(frozen=True, slots=True)
class NoLoop:
    """The case ends: no workload is preempted again and again."""

    id: str

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        if played.loop is None:
            return None
        return Finding("workshop.found.loop", _loop_values(played.loop), _loop_step(played.trace))


def last_status_step(trace: Trace, workload: str, until: int | None) -> int | None:
    """Return the last step up to a time that has the status of a workload."""
    own = [s for s in trace.about(workload, "subject") if until is None or s.time <= until]
    with_status = [step for step in own if step.kind in _STATUS_STEPS]
    found = with_status or own
    return found[-1].index if found else None


def _last_in_queue(trace: Trace, queue: str, until: int) -> int | None:
    kinds = {"Admitted", "Evicted", "Pending", "QuotaReleased", "EntryProcessed"}
    for step in reversed(trace.steps):
        if step.time <= until and step.cluster_queue == queue and step.kind in kinds:
            return step.index
    return None


def _loop_values(loop: Loop) -> dict[str, object]:
    return {
        "workloads": ", ".join(loop.workloads),
        "first": loop.first_cycle,
        "last": loop.last_cycle,
    }


def _loop_step(trace: Trace) -> int | None:
    found = trace.of_kind("LoopFound")
    return found[-1] if found else None


def _seconds(time: int) -> str:
    return f"{time / SECOND:g}"
