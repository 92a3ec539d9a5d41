"""Which timestamp counts when workloads of equal priority queue up."""

from __future__ import annotations

from kueuelab.model import Configuration
from kueuelab.model.times import MILLISECOND
from kueuelab.workload.state import WorkloadState

__all__ = ["queue_order_timestamp"]


def queue_order_timestamp(workload: WorkloadState, configuration: Configuration) -> int:
    """Return the time a workload queues from: its creation, or a certain eviction.

    Evictions by the PodsReady timeout count (unless ``requeuingStrategy.timestamp`` is
    ``Creation``), those by an admission check always do. Without the gate
    ``PrioritySortingWithinCohort`` so does preemption by a borrower, plus a moment, so
    that it comes after its preemptor.
    """
    conditions = workload.conditions
    if not conditions:
        return workload.obj.metadata.creation_timestamp or 0
    evicted = conditions.get("Evicted")
    if evicted is not None and evicted.status == "True":
        wait = configuration.wait_for_pods_ready
        by_creation = wait is not None and wait.requeuing_strategy.timestamp == "Creation"
        if evicted.reason == "PodsReadyTimeout" and not by_creation:
            return evicted.last_transition_time
        if evicted.reason == "AdmissionCheck":
            return evicted.last_transition_time
    preempted = conditions.get("Preempted")
    if (
        preempted is not None
        and preempted.status == "True"
        and preempted.reason == "InCohortReclaimWhileBorrowing"
        and not configuration.gates["PrioritySortingWithinCohort"]
    ):
        return preempted.last_transition_time + MILLISECOND
    return workload.obj.metadata.creation_timestamp or 0
