"""Clusters with a past, and what becomes of a job in them: to see whether forecasts are right.

Each cluster runs for some hours before a job is submitted to it: jobs of a few kinds arrive at
random, and each kind has run times of its own (log-normal). A forecast sees what a dump has:
running, pending and finished workloads, and no run time. What then happens is played with the run
times that the jobs really have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Final

from kueuelab.collector import without_collection
from kueuelab.forecast import Baseline, try_job
from kueuelab.forecast.when import Forecast
from kueuelab.manifests import Manifests, ScenarioSpec
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.result import PastEvent
from kueuelab.manifests.scenario import Submit
from kueuelab.model import (
    ClusterQueue,
    ClusterQueuePreemption,
    Container,
    FlavorQuotas,
    LabelSelector,
    LocalQueue,
    ModelObject,
    ObjectMeta,
    OwnerReference,
    PodSet,
    PodSpec,
    PodTemplate,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    ResourceRequirements,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND
from kueuelab.quantity import Quantity
from kueuelab.simulation import Player
from kueuelab.whatif.lab import Lab
from kueuelab.workload import WorkloadState

__all__ = ["Outcome", "outcomes"]

_MINUTE: Final = 60 * SECOND
#: How long a cluster runs before the job is submitted.
_PAST: Final = 8 * 60 * _MINUTE
_QUEUES: Final = 2
_CORES: Final = 8
#: Name, median of the run time in minutes, its spread, cores, how often it arrives.
_KINDS: Final = (
    ("etl", 12.0, 0.6, (1, 1, 2), 6),
    ("train", 60.0, 1.0, (2, 4), 2),
    ("tune", 30.0, 0.8, (1, 2, 4), 2),
)
_POLICIES: Final = (
    ClusterQueuePreemption(),
    ClusterQueuePreemption(within_cluster_queue="LowerPriority"),
    ClusterQueuePreemption(reclaim_within_cohort="Any"),
)
#: The mean time between two jobs: a little more is asked for than there is.
_EVERY: Final = 4.0 * _MINUTE


@dataclass(frozen=True, slots=True)
class Outcome:
    """A forecast, and when the job really started.

    Attributes
    ----------
    forecast
        When it was to start.
    started
        When it did, in nanoseconds after its submission; ``inf``: never.
    """

    forecast: Forecast
    started: float

    def is_within(self, part: float) -> bool:
        """Tell whether it started in the middle part of the runs of the forecast."""
        low, high = self.forecast.within((1 - part) / 2), self.forecast.within((1 + part) / 2)
        return low <= self.started <= high


def outcomes(jobs: int, seeds: int, first: int = 0) -> Iterator[Outcome]:
    """Yield what was forecast of so many jobs, each in a cluster of its own, and what happened.

    Parameters
    ----------
    jobs
        How many jobs; those that start at once are passed over.
    seeds
        From how many runs each forecast is made.
    first
        The number of the first cluster.
    """
    found, number = 0, first
    while found < jobs:
        outcome = _outcome(Random(number), seeds)
        number += 1
        if outcome is not None:
            found += 1
            yield outcome


def _outcome(random: Random, seeds: int) -> Outcome | None:
    """Return a forecast and what happened; ``None`` if the job starts at once."""
    manifests = Manifests(_by_kind(_objects(random)))
    timeline = tuple(_arrivals(random))
    player = Player(ScenarioSpec(manifests=manifests, timeline=timeline))
    with without_collection():
        player.play(player.start + _PAST)
        # What is due at that time, too.
        next(player.instants(player.cluster.now))
        now = player.cluster.now
        job, runs = _workload(len(timeline), now, random)
        manifest = encode_object(job)
        answer = try_job(manifest, Baseline(_dump(player), 0), seeds=seeds, changes=False)
        forecast = answer.jobs[0].forecast
        if forecast is None:
            return None
        return Outcome(forecast, _started(player, job, runs))


def _started(player: Player, job: Workload, runs: int) -> float:
    """Return when the job starts if everything runs for the time that it really has."""
    now = player.cluster.now
    player.intervene()
    player.submit(job, runs)
    for time in player.instants():
        if player.cluster.workload(job.key).has_quota_reservation:
            return time - now
    return inf


def _dump(player: Player) -> Lab:
    """Return the cluster as a dump would have it."""
    cluster = player.cluster
    workloads = [_written(state) for state in cluster.workloads.values()]
    objects = _by_kind([*cluster.objects, *workloads])
    events = tuple(
        PastEvent(event.object, event.time, event.reason, event.message)
        for event in cluster.events
        if event.object in cluster.workloads
    )
    return Lab(ScenarioSpec(start=cluster.now, manifests=Manifests(objects, events=events)))


def _written(state: WorkloadState) -> Workload:
    status = WorkloadStatus(
        conditions=tuple(state.conditions.values()),
        admission=state.admission,
        requeue_state=state.requeue_state,
    )
    return replace(state.obj, status=status, priority=state.priority)


def _by_kind(objects: list[ModelObject]) -> dict[str, tuple[ModelObject, ...]]:
    found: dict[str, tuple[ModelObject, ...]] = {}
    for obj in objects:
        found[type(obj).__name__] = (*found.get(type(obj).__name__, ()), obj)
    return found


def _objects(random: Random) -> list[ModelObject]:
    """Return the queues; whether they preempt is left to chance."""
    preemption = random.choice(_POLICIES)
    quota = ResourceQuota("cpu", _CORES * 1000)
    group = ResourceGroup(("cpu",), (FlavorQuotas("default", (quota,)),))
    found: list[ModelObject] = [ResourceFlavor(ObjectMeta("default"))]
    for number in range(_QUEUES):
        found.append(
            ClusterQueue(
                ObjectMeta(f"team-{number}"),
                (group,),
                cohort_name="all",
                namespace_selector=LabelSelector(),
                preemption=preemption,
            )
        )
        found.append(LocalQueue(ObjectMeta("jobs", f"team-{number}"), f"team-{number}"))
    return found


def _arrivals(random: Random) -> Iterator[Submit]:
    """Yield the jobs of the past."""
    time, number = 0.0, 0
    while (time := time + random.expovariate(1 / _EVERY)) < _PAST:
        workload, runs = _workload(number, 0, random)
        yield Submit((workload,), runs, at=round(time))
        number += 1


def _workload(number: int, created: int, random: Random) -> tuple[Workload, int]:
    """Return a workload, and how long it runs."""
    weights = [each[4] for each in _KINDS]
    name, median, spread, cores, _ = random.choices(_KINDS, weights)[0]
    runs = round(median * _MINUTE * random.lognormvariate(0, spread))
    job, cpu = f"{name}-{number}", str(random.choice(cores))
    container = Container("main", ResourceRequirements(requests={"cpu": Quantity.parse(cpu)}))
    template = PodTemplate(spec=PodSpec(containers=(container,)))
    meta = ObjectMeta(
        f"job-{job}",
        f"team-{random.randrange(_QUEUES)}",
        uid=f"uid-{number:06}",
        creation_timestamp=created or None,
        owner_references=(OwnerReference("batch/v1", "Job", job, f"job-uid-{number}", True),),
    )
    priority = random.choice((0, 0, 100))
    return Workload(meta, (PodSet(template=template),), "jobs", priority), max(SECOND, runs)
