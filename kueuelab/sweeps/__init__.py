"""Many runs at once: variations, measures, workloads that look like real ones, goal seek."""

from __future__ import annotations

from kueuelab.sweeps.factors import Range
from kueuelab.sweeps.goal_seek import Answer, seek
from kueuelab.sweeps.sweeping import Sweep, sweep
from kueuelab.sweeps.workloads import JobTrace, Mapped, WorkloadModel, read_jobs, read_swf

__all__ = [
    "Answer",
    "JobTrace",
    "Mapped",
    "Range",
    "Sweep",
    "WorkloadModel",
    "read_jobs",
    "read_swf",
    "seek",
    "sweep",
]
