"""How many random scenarios the tests here look at."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

__all__ = ["SCENARIOS", "many"]

#: How many random scenarios; the nightly run sets a larger number.
SCENARIOS = int(os.environ.get("KUEUELAB_SCENARIOS", "2000"))

# Half of them with each seed.
many = settings(
    max_examples=max(SCENARIOS // 2, 1),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
