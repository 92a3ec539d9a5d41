"""How long jobs run: what finished ones tell, and what a person expects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from random import Random
from statistics import NormalDist
from typing import Protocol

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message
from kueuelab.model.times import parse_duration

__all__ = ["Distribution", "Expected", "Observed", "Overdue", "read_runs"]

#: So much of a normal distribution is below: nine of ten runs are between the two bounds.
_BOUND = NormalDist().inv_cdf(0.95)


class Distribution(Protocol):
    """How long a job may run, in nanoseconds."""

    def draw(self, random: Random, age: int = 0) -> int:
        """Return how long a job runs in all that runs for ``age`` already."""
        ...


@dataclass(frozen=True)
class Observed:
    """Run times of jobs that ended, and of jobs that still run: these run for so long at least.

    The estimate is that of Kaplan and Meier (1958): it doesn't take jobs for short only because
    the long ones are not over yet. Beyond the longest run that ended it goes on as if jobs ended at
    the mean rate of all.

    Parameters
    ----------
    ended
        How long jobs ran that ended, in nanoseconds.
    running
        For how long those run that have not ended.

    Examples
    --------
    >>> runs = Observed((10, 20, 30, 40), (25,))
    >>> [runs.survival(age) for age in (0, 10, 20, 25, 30)]
    [1.0, 0.8, 0.6, 0.6, 0.3]
    >>> runs.draw(Random(1), age=35)
    40
    """

    ended: tuple[int, ...]
    running: tuple[int, ...] = ()

    @cached_property
    def _curve(self) -> tuple[list[int], list[float]]:
        """The times at which jobs ended, and the part of jobs that run for longer."""
        both = sorted([*((time, 0) for time in self.ended), *((age, 1) for age in self.running)])
        times: list[int] = []
        parts: list[float] = []
        part, left = 1.0, len(both)
        for time, still_runs in both:
            if not still_runs:
                part *= (left - 1) / left
                if times and times[-1] == time:
                    parts[-1] = part
                else:
                    times.append(time)
                    parts.append(part)
            left -= 1
        return times, [round(part, 12) for part in parts]

    @cached_property
    def _mean_rate(self) -> float:
        return len(self.ended) / max(1, sum(self.ended) + sum(self.running))

    def survival(self, age: int) -> float:
        """Return which part of the jobs runs for longer."""
        times, parts = self._curve
        place = bisect_right(times, age)
        return parts[place - 1] if place else 1.0

    def draw(self, random: Random, age: int = 0) -> int:
        """Return how long a job runs in all that runs for ``age`` already."""
        times, parts = self._curve
        chance = random.random()
        aim = self.survival(age) * (1 - chance)
        for place in range(bisect_right(times, age), len(times)):
            if parts[place] <= aim:
                return times[place]
        last = max(age, times[-1] if times else 0)
        return last + max(1, round(-log(1 - random.random()) / self._mean_rate))


@dataclass(frozen=True, slots=True)
class Expected:
    """What a person expects: nine of ten jobs run for between two times (log-normal).

    Examples
    --------
    >>> runs = Expected(60, 60)
    >>> runs.draw(Random(1)), runs.is_fixed
    (60, True)
    >>> drawn = sorted(Expected(100, 10_000).draw(Random(seed)) for seed in range(1000))
    >>> 80 < drawn[50] < 120, 8_000 < drawn[950] < 12_000
    (True, True)
    """

    low: int
    high: int

    @property
    def is_fixed(self) -> bool:
        """Whether all jobs run for the same time."""
        return self.low == self.high

    def draw(self, random: Random, age: int = 0) -> int:
        """Return how long a job runs in all that runs for ``age`` already."""
        chance = random.random()
        if self.is_fixed:
            return self.low if age < self.low else Overdue().draw(random, age)
        mean = (log(self.low) + log(self.high)) / 2
        normal = NormalDist(mean, (log(self.high) - log(self.low)) / (2 * _BOUND))
        below = normal.cdf(log(age)) if age else 0.0
        at = below + (1 - below) * chance
        if not 0 < at < 1:
            return Overdue().draw(random, age)
        return max(age + 1, round(exp(normal.inv_cdf(at))))


@dataclass(frozen=True, slots=True)
class Overdue:
    """A job that runs for longer than expected: half of those run for as long again.

    Examples
    --------
    >>> drawn = sorted(Overdue().draw(Random(seed), 100) for seed in range(1001))
    >>> 190 < drawn[500] < 210
    True
    """

    def draw(self, random: Random, age: int = 0) -> int:
        """Return how long a job runs in all that runs for ``age`` already."""
        return max(age + 1, round(age / max(1 - random.random(), 0.01)))


def read_runs(text: str) -> Expected:
    """Read how long jobs are expected to run: ``2h``, or ``30m..4h`` for nine of ten.

    Raises
    ------
    InputError
        If it is neither.

    Examples
    --------
    >>> read_runs("1m..2m")
    Expected(low=60000000000, high=120000000000)
    """
    low, _, high = text.partition("..")
    try:
        found = Expected(*_bounds([low.strip(), high.strip() or low.strip()]))
    except ValueError:
        found = Expected(0, 0)
    if not 0 < found.low <= found.high:
        hint = Message("forecast.not-runs.hint")
        raise InputError(Problem(Message("forecast.not-runs", text=text), hint=hint))
    return found


def _bounds(texts: Iterable[str]) -> list[int]:
    return [parse_duration(text) for text in texts]
