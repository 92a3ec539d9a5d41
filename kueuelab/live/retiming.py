"""A scenario at the times of a cluster: when its jobs were created, ran and stopped there.

On a cluster, jobs of one instant are created one after the other, pods need time to start
and to stop, and a job ends a little later than planned. None of that is a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from kueuelab.live.job_courses import jobs_of
from kueuelab.live.mirror import Mirror
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Action, Submit
from kueuelab.model import Workload, WorkloadStatus
from kueuelab.model.times import SECOND
from kueuelab.simulation.player import Player
from kueuelab.trace import Trace
from kueuelab.trace.recorder import Recorder

__all__ = ["JobTimes", "run_at_cluster_times", "submissions", "times_of"]


@dataclass(slots=True)
class JobTimes:
    """When things happened to the jobs of a run on a cluster, in nanoseconds since 1970.

    Attributes
    ----------
    created
        When each was seen first.
    runs
        How long each ran until it finished, if it did.
    stops
        How long its pods took to stop, each time that it was evicted.
    """

    created: dict[str, int] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    stops: dict[str, list[int]] = field(default_factory=dict)


def times_of(trace: Trace, jobs: Mapping[str, str]) -> JobTimes:
    """Return the times of jobs, which are given by the keys of their Workloads."""
    found = JobTimes()
    admitted: dict[str, int] = {}
    evicted: dict[str, int] = {}
    for step in trace:
        job = jobs.get(step.workload)
        if job is None:
            continue
        facts: Any = step.facts
        match step.kind:
            case "WorkloadCreated":
                found.created.setdefault(job, step.time)
            case "Admitted":
                admitted[job] = step.time
            case "Evicted":
                evicted[job] = step.time
            case "QuotaReleased" if job in evicted:
                found.stops.setdefault(job, []).append(step.time - evicted.pop(job))
            case "Finished" if job in admitted and facts.reason != "OwnerNotFound":
                found.runs[job] = step.time - admitted[job]
            case _:
                pass
    return found


def run_at_cluster_times(
    spec: ScenarioSpec,
    mirror: Mirror,
    workloads: Mapping[str, Workload],
    times: JobTimes,
    speed: float,
) -> Trace:
    """Return what the lab does when jobs arrive, run and stop at a cluster's times.

    Parameters
    ----------
    spec
        The scenario.
    mirror
        The mirror of the cluster.
    workloads
        The Workloads of the scenario's jobs in the cluster, by job.
    times
        The cluster's times.
    speed
        How many seconds of the scenario passed in one real second.
    """
    keys = {job: found.key for job, found in workloads.items()}
    own = jobs_of({each.key: each for each, _ in submissions(spec)})
    starts = [
        times.created[own[workload.key]] - round(at / speed)
        for workload, at in submissions(spec)
        if own[workload.key] in times.created
    ]
    start = min(starts, default=mirror.trace[0].time)

    def actions() -> Iterator[Action]:
        for action in spec.timeline:
            at = round(action.at / speed)
            if not isinstance(action, Submit):
                workload = getattr(action, "workload", None)
                if workload is not None:
                    job = own.get(workload, workload)
                    action = replace(action, workload=keys.get(job, job))
                yield replace(action, at=at)
                continue
            for workload in action.workloads:
                job = own[workload.key]
                if job in times.created:
                    seen = workloads[job]
                    fresh = replace(seen, status=WorkloadStatus(), active=workload.active)
                    stops = times.stops.get(job)
                    yield Submit(
                        (fresh,),
                        runs=times.runs.get(job),
                        stops=round(median(stops)) if stops else 0,
                        at=times.created[job] - start,
                    )

    timeline = tuple(sorted(actions(), key=lambda action: action.at))
    recorder = Recorder()
    # A recorded second is over before the next one begins.
    retimed = replace(spec, start=start, timeline=timeline, expect=())
    Player(retimed, recorder).play(until=max(mirror.now, start) + SECOND // 100)
    return Trace.of(recorder, mirror.name)


def submissions(spec: ScenarioSpec) -> Iterator[tuple[Workload, int]]:
    """Yield the workloads that a scenario submits, and when; those of its manifests at 0."""
    for workload in spec.manifests.workloads:
        yield workload, 0
    for action in spec.timeline:
        for workload in getattr(action, "workloads", ()):
            yield workload, action.at
