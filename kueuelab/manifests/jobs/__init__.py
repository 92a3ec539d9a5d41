"""Jobs to Workloads, as Kueue's integrations make them.

`workloads_for` takes one manifest, `workloads_for_all` many that may own or group each
other. `JOB_KINDS` says which kinds there are and what Kueue can do with each.
"""

from kueuelab.manifests.jobs.conversion import Conversion, JobContext
from kueuelab.manifests.jobs.convert import workloads_for, workloads_for_all
from kueuelab.manifests.jobs.kinds import (
    JOB_KINDS,
    REFERRED_KINDS,
    JobKind,
    MultiKueueSupport,
    kind_of,
)

__all__ = [
    "JOB_KINDS",
    "REFERRED_KINDS",
    "Conversion",
    "JobContext",
    "JobKind",
    "MultiKueueSupport",
    "kind_of",
    "workloads_for",
    "workloads_for_all",
]
