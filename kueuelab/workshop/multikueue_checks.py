"""Checks of jobs that MultiKueue dispatches, judged by the manager's record."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.messages import Message
from kueuelab.model.times import SECOND
from kueuelab.trace import Trace
from kueuelab.trace.step import Step
from kueuelab.trace.steps import ClustersNominated, WorkerChosen
from kueuelab.workshop.checks import Played
from kueuelab.workshop.finding import Finding

__all__ = ["NotNominated", "RunsOn", "workload_of_job"]


def workload_of_job(trace: Trace, job: str) -> str:
    """Return the key of the Workload of a job; its name ends in a hash."""
    for index in trace.of_kind("WorkloadCreated"):
        key = trace[index].workload
        if key.rpartition("/")[2].rpartition("-")[0] == f"job-{job}":
            return key
    return ""


def _own(trace: Trace, job: str, until: int) -> list[Step]:
    key = workload_of_job(trace, job)
    return [step for step in trace.about(key, "subject") if step.time <= until] if key else []


@dataclass(frozen=True, slots=True)
class RunsOn:
    """A job has been given to one of some workers by some time after the start (ns)."""

    id: str
    job: str
    clusters: tuple[str, ...]
    at: int

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        own = _own(played.trace, self.job, played.start + self.at)
        where, last = "", None
        for step in own:
            if isinstance(step.facts, WorkerChosen):
                where, last = step.facts.worker, step.index
            elif isinstance(step.facts, ClustersNominated) and not where:
                last = step.index
        if where in self.clusters:
            return None
        values = {
            "workload": self.job,
            "cluster": " / ".join(self.clusters),
            "at": f"{self.at / SECOND:g}",
            "where": where or Message("workshop.found.noWorker"),
        }
        last = own[-1].index if last is None and own else last
        return Finding("workshop.found.notRunning", values, last)


@dataclass(frozen=True, slots=True)
class NotNominated:
    """A worker is not nominated for a job until some time after the start (nanoseconds)."""

    id: str
    job: str
    cluster: str
    before: int

    def failed(self, played: Played) -> Finding | None:
        """Return what happened instead, ``None`` if the check passes."""
        for step in _own(played.trace, self.job, played.start + self.before):
            if isinstance(step.facts, ClustersNominated) and self.cluster in step.facts.clusters:
                at = f"{(step.time - played.start) / SECOND:g}"
                values = {"workload": self.job, "cluster": self.cluster, "at": at}
                return Finding("workshop.found.nominated", values, step.index)
        return None
