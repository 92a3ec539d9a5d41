"""Jobs of a real cluster as the workloads of a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from random import Random

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Submit
from kueuelab.messages import Message
from kueuelab.model.times import SECOND
from kueuelab.sweeps.workloads.jobs import Job, WorkloadMaker
from kueuelab.sweeps.workloads.mapping import Mapped

__all__ = ["JobTrace"]


@dataclass(frozen=True, slots=True, repr=False)
class JobTrace:
    """The jobs of a trace, and how they find their queues.

    With seed 0 it is replayed as it is. Any other seed draws, for each submission, a job of the
    trace (with replacement), so that runs show how much depends on which jobs came.

    Attributes
    ----------
    jobs
        In order of time.
    problems
        Lines that could not be read, each with file and line.
    left_out
        How many jobs never ran, so that they are not in ``jobs``.
    mapped
        How they find queues and flavors.
    load
        How many times faster jobs come.
    first
        Only so many jobs of the trace; 0 for all.

    Examples
    --------
    >>> trace = JobTrace((Job("1", 0, 60 * SECOND), Job("2", 3600 * SECOND, 60 * SECOND)))
    >>> trace
    <JobTrace: 2 jobs in 1 h>
    """

    jobs: tuple[Job, ...]
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    left_out: int = field(default=0, compare=False)
    mapped: Mapped = field(default_factory=Mapped)
    load: float = 1.0
    first: int = 0

    def __repr__(self) -> str:
        hours = (self.jobs[-1].submitted - self.jobs[0].submitted) / 3600 / SECOND
        wrong = f", {len(self.problems)} lines not read" if self.problems else ""
        return f"<JobTrace: {len(self.jobs):,} jobs in {hours:.4g} h{wrong}>"

    def __post_init__(self) -> None:
        if not self.jobs:
            message = Message("sweeps.workloads.no-jobs")
            raise InputError(self.problems or Problem(message))
        if not self.load > 0:
            raise InputError(Problem(Message("sweeps.workloads.not-positive", name="load")))

    def __len__(self) -> int:
        return len(self.jobs)

    @property
    def fingerprint(self) -> str:
        """What tells these workloads from others."""
        text = f"{self.jobs!r} {self.mapped!r} {self.load} {self.first}"
        return sha256(text.encode()).hexdigest()

    def submissions(self, spec: ScenarioSpec, seed: int) -> tuple[Submit, ...]:
        """Return what is submitted to the queues of a scenario, in order of time."""
        jobs = self.jobs[: self.first] if self.first else self.jobs
        queues = self.mapped.local_queues(spec, jobs)
        selectors = self.mapped.node_selectors(spec)
        maker, start = WorkloadMaker(), jobs[0].submitted
        drawn = jobs if not seed else Random(seed).choices(jobs, k=len(jobs))
        return tuple(
            maker.submit(
                job,
                round((place.submitted - start) / self.load),
                f"traced-{number}",
                queues[self.mapped.name(job)],
                selectors.get(job.flavor, {}),
            )
            for number, (place, job) in enumerate(zip(jobs, drawn, strict=True))
        )
