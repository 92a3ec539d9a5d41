"""A seeded model of workloads: when they arrive, how long they run, how large they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import cos, log, pi
from random import Random
from typing import Final, Literal

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Submit
from kueuelab.messages import Message
from kueuelab.model.times import SECOND
from kueuelab.sweeps.workloads.jobs import Job, WorkloadMaker
from kueuelab.sweeps.workloads.mapping import local_queue, local_queues_of

__all__ = ["WorkloadModel"]

_HOUR: Final = 3600.0
_DAY: Final = 24 * _HOUR


@dataclass(frozen=True, slots=True)
class WorkloadModel:
    """Workloads drawn from distributions; the same seed draws the same ones.

    Parameters
    ----------
    jobs
        How many.
    per_hour
        How many arrive in an hour, on average.
    arrivals
        ``poisson``: at the same rate at any time. ``diurnal``: a Poisson process whose rate follows
        the hour, a cosine with the highest rate at ``peak_hour`` and ``peak`` times the lowest. The
        first job may arrive at midnight.
    run_median, run_sigma, run_longest
        Seconds that a job runs: log-normal, no longer than the last.
    sizes, size_skew
        Numbers of pods; the k-th has the weight 1 / k to the power of the skew (Zipf).
    users, user_skew
        How many users; the k-th submits with the weight 1 / k to the power of the skew.
    requests
        What each pod asks for.
    priorities
        Each job has one of these, the k-th with the weight 1 / k.
    gangs
        Which part of the jobs with several pods are gangs: one workload, whose pods start
        together. Of the others each pod is a workload.
    elastic
        Which part of the gangs may start with half of their pods (partial admission).
    queues
        LocalQueues; users are assigned to them in turn. Those of the scenario if none is named.

    Examples
    --------
    >>> WorkloadModel(jobs=3, per_hour=60).draw(seed=1)[0].runs // SECOND
    1101
    """

    jobs: int = 500
    per_hour: float = 60.0
    arrivals: Literal["poisson", "diurnal"] = "poisson"
    peak: float = 4.0
    peak_hour: float = 14.0
    run_median: float = 600.0
    run_sigma: float = 1.0
    run_longest: float = 7 * _DAY
    sizes: tuple[int, ...] = (1, 2, 4, 8)
    size_skew: float = 1.0
    users: int = 10
    user_skew: float = 1.0
    requests: Mapping[str, str] = field(default_factory=lambda: {"cpu": "1"})
    priorities: tuple[int, ...] = (0,)
    gangs: float = 1.0
    elastic: float = 0.0
    queues: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("jobs", "per_hour", "run_median", "run_longest", "users", "peak"):
            if not getattr(self, name) > 0:
                raise InputError(Problem(Message("sweeps.workloads.not-positive", name=name)))
        for name in ("gangs", "elastic"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(Problem(Message("sweeps.workloads.not-a-part", name=name)))
        if self.arrivals not in ("poisson", "diurnal"):
            message = Message("sweeps.workloads.arrivals", name=self.arrivals)
            raise InputError(Problem(message))

    def draw(self, seed: int) -> tuple[Job, ...]:
        """Return the jobs that a seed draws, in order of time."""
        random = Random(seed)
        found: list[Job] = []
        arrivals = self._arrivals(random)
        users = _zipf(self.users, self.user_skew)
        sizes = _zipf(len(self.sizes), self.size_skew)
        priorities = _zipf(len(self.priorities), 1.0)
        for number in range(self.jobs):
            seconds = random.lognormvariate(log(self.run_median), self.run_sigma)
            pods = random.choices(self.sizes, sizes)[0]
            user = random.choices(range(self.users), users)[0]
            is_gang, is_elastic = random.random() < self.gangs, random.random() < self.elastic
            common = Job(
                f"drawn-{number}",
                # The API server stores whole seconds.
                int(next(arrivals)) * SECOND,
                max(1, round(min(seconds, self.run_longest))) * SECOND,
                requests=self.requests,
                user=f"user-{user}",
                priority=random.choices(self.priorities, priorities)[0],
            )
            found += _parts(common, pods, is_gang=is_gang, is_elastic=is_elastic)
        return tuple(found)

    def submissions(self, spec: ScenarioSpec, seed: int) -> tuple[Submit, ...]:
        """Return what is submitted to the queues of a scenario, in order of time."""
        maker, known = WorkloadMaker(), local_queues_of(spec)
        queues = [local_queue(name, known) for name in self.queues] or known
        of_user = {f"user-{user}": queues[user % len(queues)] for user in range(self.users)}
        return tuple(
            maker.submit(job, job.submitted, job.name, of_user[job.user], {})
            for job in self.draw(seed)
        )

    def _arrivals(self, random: Random) -> Iterator[float]:
        """Yield the seconds at which jobs arrive."""
        now, wave = 0.0, (self.peak - 1) / (self.peak + 1) if self.arrivals == "diurnal" else 0.0
        highest = self.per_hour / _HOUR * (1 + wave)
        while True:
            # What comes at the highest rate is thinned to the rate of its hour.
            now += random.expovariate(highest)
            angle = 2 * pi * (now / _HOUR - self.peak_hour) / 24
            if not wave or random.random() * (1 + wave) < 1 + wave * cos(angle):
                yield now


def _zipf(count: int, skew: float) -> list[float]:
    return [1 / place**skew for place in range(1, count + 1)]


def _parts(job: Job, pods: int, *, is_gang: bool, is_elastic: bool) -> list[Job]:
    """Return the workloads of a job with so many pods: one, or one for each pod."""
    if pods == 1:
        return [job]
    if is_gang:
        return [replace(job, pods=pods, least_pods=pods // 2 if is_elastic else None)]
    return [replace(job, name=f"{job.name}-{pod}") for pod in range(pods)]
