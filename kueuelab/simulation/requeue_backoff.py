"""Requeue back-off: how often a workload was requeued, and until when it is not queued again.

See ``waitForPodsReady.requeuingStrategy`` in Kueue's Configuration, and ``status.requeueState``
of a Workload.
"""

from __future__ import annotations

from dataclasses import replace

from kueuelab.model import RequeueState
from kueuelab.model.times import SECOND
from kueuelab.workload import WorkloadState

__all__ = ["backoff_seconds", "clear_requeue_at", "count_requeue", "requeue_not_before"]


def clear_requeue_at(state: WorkloadState) -> None:
    """Forget until when the workload backs off; how often it was requeued stays."""
    if state.requeue_state is not None:
        count = state.requeue_state.count
        state.requeue_state = None if count is None else RequeueState(count)


def requeue_not_before(state: WorkloadState, when: int) -> None:
    """Back off until ``when``, unless the workload does so for longer already."""
    current = state.requeue_state or RequeueState()
    if current.requeue_at is None or current.requeue_at < when:
        state.requeue_state = replace(current, requeue_at=when)


def backoff_seconds(count: int, base: int, maximum: int) -> int:
    """Return how long to back off before attempt number ``count``.

    Examples
    --------
    >>> [backoff_seconds(n, 60, 300) for n in (1, 2, 3, 4)]
    [60, 120, 240, 300]
    """
    # The first wait is never capped; a maximum of zero is none.
    duration = base
    for _ in range(count - 1):
        duration *= 2
        if 0 < maximum < duration:
            return maximum
    return duration


def count_requeue(state: WorkloadState, base: int, maximum: int, now: int) -> None:
    """Count one more requeue, and back off for twice as long as the last time."""
    count = (state.requeue_state.count or 0 if state.requeue_state is not None else 0) + 1
    requeue_not_before(state, now + backoff_seconds(count, base, maximum) * SECOND)
    assert state.requeue_state is not None
    state.requeue_state = replace(state.requeue_state, count=count)
