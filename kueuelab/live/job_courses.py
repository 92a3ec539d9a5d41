"""The course of a scenario: how each job ended, and what each ClusterQueue admitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from kueuelab.live.assigned_flavors import flavors_text
from kueuelab.live.multikueue_copies import job_name
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.trace import Trace

__all__ = ["Course", "Divergence", "Moment", "course_of", "divergences", "jobs_of"]


class Moment(NamedTuple):
    """Something that happened, and when (ns since the start)."""

    time: int
    text: str


#: What happened, by its subject: a job, or a ClusterQueue for the jobs that it admitted.
Course = Mapping[str, list[Moment]]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first event of a subject that differs between the lab and a cluster.

    Attributes
    ----------
    subject
        A job, or a ClusterQueue.
    lab, cluster
        The event there; ``None`` if there are no more.
    """

    subject: str
    lab: Moment | None
    cluster: Moment | None

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return the divergence as a sentence."""
        lab, cluster = _text(self.lab), _text(self.cluster)
        return Message("live.course.divergence", subject=self.subject, lab=lab, cluster=cluster)


def _text(moment: Moment | None) -> str:
    return Message("live.course.nothing") if moment is None else moment.text


def jobs_of(
    workloads: Mapping[str, Workload], originals: Mapping[str, Workload] | None = None
) -> dict[str, str]:
    """Return the jobs of workloads, by the workloads' keys; they have the same names in both.

    Parameters
    ----------
    workloads
        The workloads.
    originals
        On a worker, the manager's: a copy may be there before its job.
    """
    return {
        key: f"{workload.namespace}/{job_name(workload, originals)}"
        for key, workload in workloads.items()
    }


def course_of(trace: Trace, jobs: Mapping[str, str], *, queues: bool = True) -> Course:
    """Return the course of jobs, and of ClusterQueues if asked for.

    Parameters
    ----------
    trace
        What happened.
    jobs
        The jobs, by the keys of their Workloads there.
    queues
        Whether the order in which each ClusterQueue admits counts.
    """
    found: dict[str, list[Moment]] = {}
    start = trace[0].time if len(trace) else 0
    for step in trace:
        job = jobs.get(step.workload)
        if job is None:
            continue
        facts: Any = step.facts
        match step.kind:
            case "QuotaReserved":
                flavors = flavors_text(facts.assignment, in_order=True)
                text = Message(
                    "live.course.admitted", cluster_queue=step.cluster_queue, flavors=flavors
                )
                if queues:
                    subject = f"ClusterQueue {step.cluster_queue}"
                    found.setdefault(subject, []).append(Moment(step.time - start, job))
            case "Evicted":
                reason = facts.preemption_reason or facts.reason
                text = Message("live.course.evicted", reason=reason)
                if facts.preemptor:
                    preemptor = jobs.get(facts.preemptor, facts.preemptor)
                    text = Message("live.course.preempted", preemptor=preemptor, reason=reason)
            case "Finished" if facts.reason == "OwnerNotFound":
                continue  # its job was deleted: Kueue finishes the Workload first
            case "Finished":
                text = Message("live.course.finished")
            case _:
                continue
        found.setdefault(job, []).append(Moment(step.time - start, text))
    return found


def divergences(
    lab: Course,
    cluster: Course,
    *,
    lab_stops: bool = False,
    cluster_stops_at: int | None = None,
) -> list[Divergence]:
    """Return where two courses diverge, a subject each; the earliest in the cluster first.

    Parameters
    ----------
    lab, cluster
        The courses.
    lab_stops
        Whether the lab's run stops early, so that what comes later does not count.
    cluster_stops_at
        When the cluster's run was stopped early: what the lab does from there on does not count.
    """
    found = []
    for subject in sorted(lab.keys() | cluster.keys()):
        for ours, theirs in zip_longest(lab.get(subject, ()), cluster.get(subject, ())):
            if ours is None and lab_stops:
                break
            if theirs is None and _is_after(ours, cluster_stops_at):
                break
            if ours is None or theirs is None or ours.text != theirs.text:
                found.append(Divergence(subject, ours, theirs))
                break
    return sorted(found, key=lambda each: (each.cluster or each.lab or (0,))[0])


def _is_after(moment: Moment | None, stop: int | None) -> bool:
    return moment is not None and stop is not None and moment.time >= stop
