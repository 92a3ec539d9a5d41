"""Before a job is submitted: what would happen, when it would start, what else would admit it."""

from __future__ import annotations

from kueuelab.forecast.answer import Answer, JobAnswer
from kueuelab.forecast.baseline import Baseline, Baselines
from kueuelab.forecast.now import Displaced, Now, Place
from kueuelab.forecast.trying import try_job

__all__ = ["Answer", "Baseline", "Baselines", "Displaced", "JobAnswer", "Now", "Place", "try_job"]
