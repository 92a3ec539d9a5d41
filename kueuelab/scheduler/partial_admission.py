"""Partial admission: the largest pod counts, down to ``minCount``, that can be admitted.

See KEP-420.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from kueuelab.model import PodSet

__all__ = ["search_counts"]

T = TypeVar("T")


def search_counts(pod_sets: Sequence[PodSet], attempt: Callable[[list[int]], T | None]) -> T | None:
    """Return what ``attempt`` gives for the largest counts that it accepts.

    All pod sets shrink together, each in proportion to ``count - minCount``. The search is
    binary: ``attempt`` should accept all counts below some that it accepts. If it doesn't,
    the result is the same as Kueue's.

    Examples
    --------
    >>> pods = [PodSet("workers", count=10, min_count=2)]
    >>> search_counts(pods, lambda counts: counts if counts[0] <= 6 else None)
    [6]
    """
    slack = [ps.count - (ps.count if ps.min_count is None else ps.min_count) for ps in pod_sets]
    total = sum(slack)
    if total == 0:
        return None
    accepted: T | None = None
    low, high = 0, total + 1
    while low < high:
        middle = (low + high) // 2
        counts = [
            ps.count - give * middle // total for ps, give in zip(pod_sets, slack, strict=True)
        ]
        result = attempt(counts)
        if result is None:
            low = middle + 1
        else:
            accepted, high = result, middle
    return accepted
