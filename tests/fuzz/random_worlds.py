"""How many random worlds the tests here look at."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

__all__ = ["WORLDS", "many"]

#: How many random worlds; the nightly run sets a larger number.
WORLDS = int(os.environ.get("KUEUELAB_WORLDS", "2000"))

# Half of them with each seed.
many = settings(
    max_examples=max(WORLDS // 2, 1),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
