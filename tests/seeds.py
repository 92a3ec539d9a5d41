"""What tests that draw their examples at random start from: one seed for ever, one for each day.

The seed of the day is the date, so that every day looks at other examples; ``KUEUELAB_SEED``
sets another one, to repeat what failed on some day. The header of a test run prints both.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Final

__all__ = ["FIXED", "IDS", "SEEDS", "TODAY", "header"]

_VARIABLE: Final = "KUEUELAB_SEED"

FIXED: Final = 19
# Kept in the environment, so that processes that outlast midnight agree.
TODAY: Final = int(os.environ.setdefault(_VARIABLE, f"{datetime.now(UTC):%Y%m%d}"))
SEEDS: Final = (FIXED, TODAY)
#: How the seeds are called in the names of tests, which are the same every day.
IDS: Final = ("fixed", "today")


def header() -> str:
    """Return the line that tells how to repeat a run."""
    return f"random examples: seeds {FIXED} and {TODAY} (repeat with {_VARIABLE}={TODAY})"
