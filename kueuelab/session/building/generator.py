"""Many jobs at once: drawn from distributions, as a sweep draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.model.times import SECOND, format_duration
from kueuelab.session.building.jobs import JobValues
from kueuelab.sweeps.workloads.model import WorkloadModel

__all__ = ["Generator"]


@dataclass(frozen=True, slots=True)
class Generator:
    """Many jobs: how many a minute, how large, how long. The same seed gives the same jobs.

    Attributes
    ----------
    name
        What their names begin with.
    queues
        The LocalQueues, in turn.
    jobs, per_minute
        How many in all, and how many arrive in a minute on average.
    runs
        Seconds that a job runs; half of the jobs run longer.
    sizes
        Numbers of pods; the first is the most frequent.
    requests
        What each pod requests.
    seed
        Which jobs are drawn.
    """

    name: str
    queues: tuple[str, ...]
    jobs: int = 20
    per_minute: float = 6.0
    runs: float = 60.0
    sizes: tuple[int, ...] = (1, 2, 4)
    requests: Mapping[str, str] = field(default_factory=lambda: {"cpu": "1"})
    priorities: tuple[int, ...] = (0,)
    seed: int = 1

    def draw(self) -> tuple[JobValues, ...]:
        """Return the jobs, in order of time.

        Examples
        --------
        >>> [(job.job, job.at, job.runs) for job in Generator("load", ("jobs",), jobs=2).draw()]
        [('load-1', '0s', '1m21s'), ('load-2', '3s', '1m40s')]
        """
        if not self.queues:
            raise KueueLabError(Message("session.build.no-queue"))
        model = WorkloadModel(
            jobs=self.jobs,
            per_hour=60 * self.per_minute,
            run_median=self.runs,
            run_sigma=0.5,
            sizes=self.sizes,
            users=len(self.queues),
            user_skew=0.0,
            requests=self.requests,
            priorities=self.priorities,
        )
        return tuple(
            JobValues(
                f"{self.name}-{number}",
                self.queues[int(job.user.removeprefix("user-"))],
                _seconds(job.submitted),
                _seconds(job.runs),
                job.pods,
                job.requests,
                job.priority or None,
            )
            for number, job in enumerate(model.draw(self.seed), 1)
        )

    @property
    def note(self) -> str:
        """The comment that stands above the jobs."""
        return Message(
            "session.build.generator.note",
            jobs=self.jobs,
            rate=f"{self.per_minute:g}",
            runs=f"{self.runs:g}",
            sizes=", ".join(map(str, self.sizes)),
            seed=self.seed,
        )


def _seconds(nanoseconds: int) -> str:
    return format_duration(nanoseconds // SECOND * SECOND)
