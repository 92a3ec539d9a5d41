"""How many random worlds the tests here look at, and from which seed."""

from __future__ import annotations

import os
from collections.abc import Callable

from hypothesis import HealthCheck, seed, settings

__all__ = ["WORLDS", "many", "seeded"]

#: How many random worlds; the nightly run sets a larger number.
WORLDS = int(os.environ.get("KUEUELAB_WORLDS", "2000"))

#: Other worlds than those of every day, for those who want more of them.
SEED = os.environ.get("KUEUELAB_SEED")

many = settings(
    max_examples=WORLDS,
    deadline=None,
    derandomize=SEED is None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def seeded(test: Callable[..., None]) -> Callable[..., None]:
    """Start from the seed that was asked for."""
    return test if SEED is None else seed(int(SEED))(test)
