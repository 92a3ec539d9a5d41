"""A loop that ends a run: the same workloads evict each other again and again."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Loop"]


@dataclass(frozen=True, slots=True)
class Loop:
    """A run that returned to an earlier state: the workloads of the loop, and when it was seen.

    Attributes
    ----------
    time
        When that was seen, in nanoseconds since 1970.
    first_cycle, last_cycle
        The cycles after which the state is the same.
    workloads
        Those that are evicted in each round, sorted.
    period
        How long one round takes, in nanoseconds; 0 if no time passes.
    """

    time: int
    first_cycle: int
    last_cycle: int
    workloads: tuple[str, ...]
    period: int = 0
