"""Many jobs at once: so many, one after the other, each of a size that is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count, islice
from random import Random
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message
from kueuelab.model.times import SECOND, format_duration
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.jobs import JobValues, jobs_of
from kueuelab.session.building.new_job import in_seconds, new_job

__all__ = ["MOST_JOBS", "ManyJobs", "many_jobs", "sizes_of"]

MOST_JOBS: Final = 1000


@dataclass(frozen=True, slots=True)
class ManyJobs:
    """What is said of many jobs. The same seed gives the same jobs.

    Attributes
    ----------
    name
        What their names begin with.
    queue
        Their LocalQueue.
    jobs
        How many.
    every
        The time between two of them (``1m``).
    runs
        How long each runs (``30m``); ``""``: until it is finished.
    sizes
        Numbers of pods; each job has one of them.
    requests
        What each pod requests; as a new job, if there is none.
    seed
        Which sizes are drawn.
    """

    name: str
    queue: str
    jobs: int
    every: str = "1m"
    runs: str = ""
    sizes: tuple[int, ...] = (1,)
    requests: dict[str, str] = field(default_factory=dict)
    seed: int = 1


def sizes_of(text: str) -> tuple[int, ...]:
    """Return the numbers of pods in a text.

    Raises
    ------
    InputError
        If it is no list of numbers above 0.

    Examples
    --------
    >>> sizes_of("1, 2, 4")
    (1, 2, 4)
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and 0 < int(part) < 10**6 for part in parts):
        raise InputError(Problem(Message("session.build.many.sizes"), field="pods"))
    return tuple(map(int, parts))


def many_jobs(draft: Draft, asked: ManyJobs) -> tuple[JobValues, ...]:
    """Return the jobs in order of time; the first one arrives as a new job would.

    Raises
    ------
    InputError
        If there are too many of them, or none, or what is between them is no time.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a").added("LocalQueue", "jobs", parent="a")
    >>> found = many_jobs(draft, ManyJobs("load", "jobs", 3, sizes=(1, 2, 4), seed=7))
    >>> [(job.job, job.at, job.pods) for job in found]
    [('load-1', '0s', 2), ('load-2', '1m0s', 1), ('load-3', '2m0s', 2)]
    """
    if not 0 < asked.jobs <= MOST_JOBS:
        raise InputError(Problem(Message("session.build.many.count", most=MOST_JOBS), field="jobs"))
    every = in_seconds(asked.every)
    if every is None or every < 0:
        raise InputError(Problem(Message("session.build.many.every"), field="every"))
    first = new_job(draft, asked.queue)
    start = in_seconds(first.at) or 0
    drawn = Random(asked.seed)
    used = {each.values.job for each in jobs_of(draft)}
    name = asked.name.strip() or "job"
    free = (found for number in count(1) if (found := f"{name}-{number}") not in used)
    return tuple(
        JobValues(
            job,
            first.queue,
            at=format_duration(int((start + number * every) * SECOND)),
            runs=asked.runs.strip(),
            pods=drawn.choice(asked.sizes),
            requests=asked.requests or first.requests,
        )
        for number, job in enumerate(islice(free, asked.jobs))
    )
