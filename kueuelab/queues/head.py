"""What the scheduler gets from the queues."""

from __future__ import annotations

from typing import NamedTuple

from kueuelab.workload import WorkloadState

__all__ = ["Head"]


class Head(NamedTuple):
    """A workload that the scheduler popped, and the ClusterQueue that it was the head of.

    ``is_preemptor``: it waits for workloads that it preempted. ``usages`` are
    the LocalQueues that competed by usage, in order; only kept for recording.
    ``second_pass`` counts the passes of a workload that has quota already; 0 for the first.
    """

    workload: WorkloadState
    cluster_queue: str
    is_preemptor: bool = False
    usages: tuple[tuple[str, float], ...] = ()
    second_pass: int = 0
