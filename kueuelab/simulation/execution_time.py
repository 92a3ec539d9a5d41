"""Maximum execution time: workloads that run for too long are deactivated.

See https://kueue.sigs.k8s.io/docs/concepts/workload/#maximum-execution-time.
"""

from __future__ import annotations

from kueuelab.model.times import SECOND
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

__all__ = ["running_for_too_long"]


def running_for_too_long(plane: ControlPlane, state: WorkloadState) -> int | None:
    """Deactivate a workload that has run for too long; else return when that will be."""
    limit = state.obj.maximum_execution_time_seconds
    if limit is None:
        return None
    admitted = state.conditions.get("Admitted")
    if admitted is None or admitted.status != "True":
        return None
    left = limit - plane.past_execution.get(state.key, 0)
    due = admitted.last_transition_time + left * SECOND
    if due > plane.clock.now:
        return due
    if not state.condition_is("DeactivationTarget", "True"):
        state.set_condition(
            "DeactivationTarget",
            "True",
            "MaximumExecutionTimeExceeded",
            "exceeding the maximum execution time",
            plane.now,
        )
        plane.past_execution.pop(state.key, None)
        plane.changed(state.key)
        plane.emit(
            "Warning",
            "MaximumExecutionTimeExceeded",
            f"The maximum execution time ({limit}s) exceeded",
            state.key,
        )
    return None
