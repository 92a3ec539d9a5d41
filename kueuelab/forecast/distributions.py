"""How long jobs run: what finished ones tell, and what a person expects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from random import Random
from statistics import NormalDist
from typing import Final, Protocol

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message
from kueuelab.model.times import parse_duration

__all__ = ["Distribution", "Expected", "LogNormal", "Observed", "Overdue", "read_runs"]

_NORMAL: Final = NormalDist()
#: So much of a normal distribution is below: nine of ten runs are between the two bounds.
_BOUND: Final = _NORMAL.inv_cdf(0.95)
#: From so many spreads above the mean the tail is taken as exponential.
_FAR: Final = 6.0
#: A spread that no run times are below: they are rounded, and never quite the same.
_LEAST_SPREAD: Final = 0.05
_ROUNDS: Final = 8
#: The logarithm of the longest run time: 30 years.
_LONGEST: Final = log(30 * 365 * 24 * 3600 * 1e9)


class Distribution(Protocol):
    """How long a job may run, in nanoseconds."""

    def draw(self, random: Random, age: int = 0) -> int:
        """Return how long a job runs in all that runs for ``age`` already."""
        ...


@dataclass(frozen=True, slots=True)
class Observed:
    """Run times of jobs that ended, and of jobs that ran for so long at least.

    Run times are taken as log-normal, with a mean and a spread of which only these jobs tell
    something. Jobs that have not ended count as what they are: else the jobs would seem short only
    because the long ones are not over yet.

    Parameters
    ----------
    ended
        How long jobs ran that ended, in nanoseconds.
    running
        For how long those ran that still run, or were evicted.

    Examples
    --------
    >>> runs = Observed((10, 20, 30, 40), (25,)).fitted(Random(1))
    >>> runs.draw(Random(1), age=100) > 100
    True
    """

    ended: tuple[int, ...]
    running: tuple[int, ...] = ()

    def fitted(self, random: Random) -> LogNormal:
        """Return one of the distributions that these run times may be of.

        Mean and spread are drawn from what is known of them after these run times (Gibbs sampling,
        with the run times of jobs that have not ended drawn, too). So a few jobs make a forecast
        less certain than many.

        Examples
        --------
        >>> few = [Observed((60, 120)).fitted(Random(seed)).spread for seed in range(100)]
        >>> many = [Observed((60, 120) * 50).fitted(Random(seed)).spread for seed in range(100)]
        >>> max(few) > 2 * max(many)
        True
        """
        known = [log(max(1, time)) for time in self.ended]
        least = [log(max(1, time)) for time in self.running]
        count = len(known) + len(least)
        mean = sum(known) / len(known)
        spread = max(_LEAST_SPREAD, sqrt(sum((x - mean) ** 2 for x in known) / len(known)))
        for _ in range(_ROUNDS if least else 1):
            drawn = [*known, *(_above(mean, spread, age, random) for age in least)]
            average = sum(drawn) / count
            squares = sum((x - average) ** 2 for x in drawn) + _LEAST_SPREAD**2
            spread = sqrt(squares / (2 * random.gammavariate(count / 2, 1.0)))
            mean = random.gauss(average, spread / sqrt(count))
        return LogNormal(mean, spread)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Run times whose logarithms are normal, with this mean and this spread."""

    mean: float
    spread: float

    def draw(self, random: Random, age: int = 0) -> int:
        """Return how long a job runs in all that runs for ``age`` already."""
        least = log(age) if age else -inf
        drawn = min(_above(self.mean, self.spread, least, random), _LONGEST)
        return max(age + 1, round(exp(drawn)))


def _above(mean: float, spread: float, least: float, random: Random) -> float:
    """Draw from what a normal distribution has above a value."""
    chance = random.random()
    start = (least - mean) / spread
    if start > _FAR:
        # The tail is nearly exponential there.
        return least + spread * random.expovariate(start)
    below = _NORMAL.cdf(start)
    return mean + spread * _NORMAL.inv_cdf(min(max(below + (1 - below) * chance, 1e-15), 1 - 1e-15))


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
        if self.is_fixed:
            return self.low if age < self.low else Overdue().draw(random, age)
        mean = (log(self.low) + log(self.high)) / 2
        spread = (log(self.high) - log(self.low)) / (2 * _BOUND)
        return LogNormal(mean, spread).draw(random, age)


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
