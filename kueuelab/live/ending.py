"""When a scenario on clusters is over: nothing more will happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from kueuelab.live.conditions import condition_of
from kueuelab.messages import Message
from kueuelab.model import WaitForPodsReady, Workload
from kueuelab.model.times import SECOND

__all__ = ["is_finished", "pending_timers", "rounds_of"]

#: How long after its time the effect of a timer may become visible.
_LATE: Final = 5 * SECOND


def is_finished(workload: Workload | None) -> bool:
    """Tell whether a workload is there and has finished."""
    return workload is not None and _since(workload, "Finished") is not None


def rounds_of(workloads: Iterable[str], admitted: Iterable[str]) -> int:
    """Return how many rounds of a loop there were: each admits each of its workloads again.

    Parameters
    ----------
    workloads
        The workloads of the loop.
    admitted
        The workloads that were admitted, once for each time.

    Examples
    --------
    >>> rounds_of(["a", "b"], ["a", "b", "a", "c", "b", "a"])
    1
    """
    counts = Counter(admitted)
    return min((max(counts[key] - 1, 0) for key in workloads), default=0)


def pending_timers(
    workloads: Iterable[Workload], wait: WaitForPodsReady | None, now: int, until: int
) -> Iterator[str]:
    """Yield the timers of Kueue that still run for workloads and fire in time.

    Parameters
    ----------
    workloads
        The workloads as they are in the cluster.
    wait
        ``waitForPodsReady`` of Kueue's Configuration.
    now
        The cluster's time, in nanoseconds since 1970.
    until
        When the run ends in any case.
    """
    for workload in workloads:
        if is_finished(workload) or not workload.active:
            continue
        for timer, due in _timers(workload, wait):
            if now < due + _LATE and due <= until:
                yield Message(f"live.play.waits.{timer}", workload=workload.key)


def _timers(workload: Workload, wait: WaitForPodsReady | None) -> Iterator[tuple[str, int]]:
    admitted = _since(workload, "Admitted")
    evicted = _since(workload, "Evicted") is not None
    if admitted is not None and not evicted:
        if wait is not None and (due := _not_ready_until(workload, wait, admitted)) is not None:
            yield "pods-ready-timeout", due
        limit = workload.maximum_execution_time_seconds
        if limit is not None:
            past = workload.status.accumulated_past_execution_time_seconds
            yield "execution-time", admitted + (limit - past) * SECOND
    requeue = workload.status.requeue_state
    if requeue is not None and requeue.requeue_at is not None:
        yield "back-off", requeue.requeue_at


def _not_ready_until(workload: Workload, wait: WaitForPodsReady, admitted: int) -> int | None:
    ready = condition_of(workload, "PodsReady")
    if ready is None or (ready.status == "False" and ready.reason != "WaitForRecovery"):
        return admitted + wait.timeout
    if ready.status == "False" and wait.recovery_timeout is not None:
        return ready.last_transition_time + wait.recovery_timeout
    return None


def _since(workload: Workload, type_: str) -> int | None:
    """Return since when a condition is true, ``None`` if it is not."""
    found = condition_of(workload, type_)
    if found is None or found.status != "True":
        return None
    return found.last_transition_time
