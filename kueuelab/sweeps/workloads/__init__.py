"""Workloads that look like real ones: seeded models, and traces of clusters."""

from __future__ import annotations

from kueuelab.sweeps.workloads.columns import read_jobs
from kueuelab.sweeps.workloads.job_trace import JobTrace
from kueuelab.sweeps.workloads.jobs import Job
from kueuelab.sweeps.workloads.mapping import Mapped
from kueuelab.sweeps.workloads.model import WorkloadModel
from kueuelab.sweeps.workloads.swf import read_swf

__all__ = ["Job", "JobTrace", "Mapped", "WorkloadModel", "read_jobs", "read_swf"]
