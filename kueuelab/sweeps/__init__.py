"""Many runs at once: variations, measures, workloads that look like real ones, goal seek."""

from __future__ import annotations

from kueuelab.sweeps.factors import Range
from kueuelab.sweeps.sweeping import Sweep, sweep

__all__ = ["Range", "Sweep", "sweep"]
