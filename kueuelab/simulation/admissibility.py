"""What a workload must meet before the scheduler looks for quota at all."""

from __future__ import annotations

from typing import Final

from kueuelab.model import LabelSelector
from kueuelab.queues import RequeueReason
from kueuelab.scheduler import Inadmissible
from kueuelab.simulation import adjust
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

__all__ = ["obstacle"]

_NAMESPACE_MISMATCH: Final = Inadmissible(
    "workload namespace doesn't match ClusterQueue selector",
    requeue_reason=RequeueReason.NAMESPACE_MISMATCH,
)


def obstacle(
    plane: ControlPlane, state: WorkloadState, selector: LabelSelector | None
) -> Inadmissible | None:
    """Return what is wrong: the namespace, requests above limits, a LimitRange; or ``None``."""
    workload = state.obj
    namespace = workload.metadata.namespace
    if selector is None or not selector.matches(plane.objects.namespace_labels(namespace)):
        return _NAMESPACE_MISMATCH
    problem = adjust.resources_problem(workload) if state.sets_limits else None
    if problem is None and plane.objects.limit_ranges:
        ranges = plane.objects.limit_ranges_of(namespace)
        problem = adjust.limit_range_problem(workload, ranges)
    return None if problem is None else Inadmissible(problem)
