"""waitForPodsReady: how long a workload may take until its pods are ready.

See https://kueue.sigs.k8s.io/docs/tasks/manage/setup_wait_for_pods_ready/.
"""

from __future__ import annotations

from typing import Final

from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.eviction import evict
from kueuelab.simulation.requeue_backoff import count_requeue
from kueuelab.trace.steps import PodsReadyChanged
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import is_variant

__all__ = ["not_ready_for_too_long", "set_pods_ready", "start_over", "wait_for_start"]

_READY: Final = "All pods reached readiness and the workload is running"
_NOT_READY: Final = "Not all pods are ready or succeeded"
_RECOVERING: Final = "At least one pod has failed, waiting for recovery"


def set_pods_ready(plane: ControlPlane, state: WorkloadState, ready: bool) -> bool:
    """Write the condition PodsReady as a job's controller would; tell whether it changed."""
    old = state.conditions.get("PodsReady")
    if ready:
        recovered = old is not None and old.reason in ("WaitForRecovery", "Recovered")
        reason, message = ("Recovered" if recovered else "Started"), _READY
    elif old is not None and (old.status == "True" or old.reason == "WaitForRecovery"):
        reason, message = "WaitForRecovery", _RECOVERING
    else:
        reason, message = "WaitForStart", _NOT_READY
    if old is not None and old.reason == reason and (old.status == "True") == ready:
        return False
    state.set_condition("PodsReady", "True" if ready else "False", reason, message, plane.now)
    plane.changed(state.key)
    if plane.recorder is not None:
        plane.record(PodsReadyChanged(ready, reason), state.key)
    return True


def start_over(plane: ControlPlane, state: WorkloadState) -> bool:
    """Say of a workload that lost its quota that its pods have yet to start."""
    old = state.conditions.get("PodsReady")
    if old is None or plane.wait_for_pods_ready is None:
        return False
    if old.status == "False" and old.reason == "WaitForStart":
        return False
    return wait_for_start(plane, state)


def wait_for_start(plane: ControlPlane, state: WorkloadState) -> bool:
    """Say of a workload that its pods have yet to start; tell whether that is new."""
    changed = state.set_condition("PodsReady", "False", "WaitForStart", _NOT_READY, plane.now)
    if changed:
        plane.changed(state.key)
    return changed


def not_ready_for_too_long(plane: ControlPlane, state: WorkloadState) -> int | None:
    """Evict (or deactivate) a workload whose pods took too long; else return its deadline.

    ``None`` where nothing is limited, or all has been done.
    """
    wait = plane.wait_for_pods_ready
    if wait is None or not state.active or state.is_evicted or not state.is_admitted:
        return None
    if plane.gates["ConcurrentAdmission"] and is_variant(state.obj):
        return None  # Its parent is watched.
    condition = state.conditions.get("PodsReady")
    if condition is not None and condition.status == "True":
        return None
    if condition is None or condition.reason in ("WaitForStart", "PodsReady"):
        due = state.conditions["Admitted"].last_transition_time + wait.timeout
    elif condition.reason == "WaitForRecovery" and wait.recovery_timeout is not None:
        due = condition.last_transition_time + wait.recovery_timeout
    else:
        return None
    if due > plane.clock.now:
        return due
    if not _limit_exceeded(plane, state):
        strategy = wait.requeuing_strategy
        evict(
            plane,
            state,
            "PodsReadyTimeout",
            f"Exceeded the PodsReady timeout {state.key}",
            prepare=lambda workload: count_requeue(
                workload,
                strategy.backoff_base_seconds,
                strategy.backoff_max_seconds,
                plane.now,
            ),
        )
    return None


def _limit_exceeded(plane: ControlPlane, state: WorkloadState) -> bool:
    """Mark a workload for deactivation that was requeued too often."""
    wait = plane.wait_for_pods_ready
    limit = wait.requeuing_strategy.backoff_limit_count if wait is not None else None
    count = state.requeue_state.count if state.requeue_state is not None else None
    if limit is None or (count or 0) + 1 <= limit:
        return False
    state.set_condition(
        "DeactivationTarget",
        "True",
        "RequeuingLimitExceeded",
        "exceeding the maximum number of re-queuing retries",
        plane.now,
    )
    plane.changed(state.key)
    return True
