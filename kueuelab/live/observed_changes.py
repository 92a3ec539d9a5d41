"""What happened to a Workload between two versions of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.live.assigned_flavors import flavors_of
from kueuelab.live.conditions import condition_of, is_true, pending_message
from kueuelab.live.decisions import ObservedDecision
from kueuelab.model import Condition, Workload
from kueuelab.trace.steps import (
    Admitted,
    CheckStateChanged,
    Deactivated,
    Evicted,
    Facts,
    Finished,
    Pending,
    PodsReadyChanged,
    PriorityChanged,
    QuotaReserved,
    Requeued,
)

__all__ = ["observed_decisions", "observed_facts", "preemptor_uid"]

_UID: Final = re.compile(r"\(UID: ([^,)]+)")
_PATHS: Final = re.compile(r"preemptor path: (\S+); preemptee path: (\S+)")

#: Reasons of a pending workload that the scheduler did not write.
_NOT_SCHEDULED: Final = ("Inadmissible", "Deactivated", "OnHold", "WaitingForPodsReady")


def _became(before: Workload, after: Workload, type_: str) -> Condition | None:
    """Return a condition that became true, or became true again."""
    now, then = condition_of(after, type_), condition_of(before, type_)
    if now is None or now.status != "True":
        return None
    if then is None or then.status != "True":
        return now
    return now if then.last_transition_time != now.last_transition_time else None


def preemptor_uid(workload: Workload) -> str:
    """Return the uid of the workload that a workload was preempted for, ``""`` if none."""
    condition = condition_of(workload, "Preempted")
    found = _UID.search(condition.message) if condition is not None else None
    return found[1] if found else ""


def observed_decisions(before: Workload, after: Workload, time: int) -> Iterator[ObservedDecision]:
    """Yield the decisions of the scheduler between two versions of a workload."""
    key = after.key
    said = pending_message(before)
    preempted = _became(before, after, "Preempted")
    if preempted is not None and is_true(after, "Evicted"):
        yield ObservedDecision(key, time, target=key, reason=preempted.reason)
    reserved = _became(before, after, "QuotaReserved")
    if reserved is not None and after.status.admission is not None:
        admission = after.status.admission
        flavors = flavors_of(after.status.admission)
        yield ObservedDecision(
            key, time, cluster_queue=admission.cluster_queue, flavors=flavors, previous=said
        )
    pending = _pending_reason(before, after)
    if pending is not None and pending.reason not in _NOT_SCHEDULED:
        yield ObservedDecision(key, time, message=pending.message, previous=said)


def _pending_reason(before: Workload, after: Workload) -> Condition | None:
    """Return why it is pending, if that is new and was not written by an eviction."""
    now, then = condition_of(after, "QuotaReserved"), condition_of(before, "QuotaReserved")
    if now is None or now.status != "False" or now == then:
        return None
    if then is not None and (then.status, then.message) == (now.status, now.message):
        return None
    evicted = condition_of(after, "Evicted")
    by_eviction = evicted is not None and evicted.message == now.message
    return None if by_eviction or not after.active else now


def observed_facts(before: Workload, after: Workload, by_uid: Mapping[str, str]) -> Iterator[Facts]:
    """Yield what happened to a workload, as facts for a trace, in the order of its lifecycle."""
    finished = _became(before, after, "Finished")
    if before.active != after.active:
        yield Deactivated(after.active)
    if before.priority != after.priority:
        yield PriorityChanged(after.priority, before.priority)
    if (evicted := _became(before, after, "Evicted")) is not None:
        yield _eviction(after, evicted, by_uid)
    if (requeued := _became(before, after, "Requeued")) is not None:
        yield Requeued(requeued.reason, True)
    pending = _pending_reason(before, after)
    if pending is not None:
        yield Pending(pending.reason, pending.message)
    if _became(before, after, "QuotaReserved") is not None:
        yield QuotaReserved(flavors_of(after.status.admission))
    known = {check.name: check for check in before.status.admission_checks}
    for check in after.status.admission_checks:
        old = known.get(check.name)
        if old is None or (old.state, old.message) != (check.state, check.message):
            yield CheckStateChanged(check.name, check.state, check.message)
    if _became(before, after, "Admitted") is not None:
        yield Admitted()
    ready, was = condition_of(after, "PodsReady"), condition_of(before, "PodsReady")
    if ready is not None and (was is None or was.status != ready.status):
        yield PodsReadyChanged(ready.status == "True", ready.reason)
    if finished is not None:
        yield Finished(finished.reason, finished.message)


def _eviction(after: Workload, evicted: Condition, by_uid: Mapping[str, str]) -> Evicted:
    preempted = condition_of(after, "Preempted")
    if evicted.reason != "Preempted" or preempted is None:
        return Evicted(evicted.reason, evicted.message)
    paths = _PATHS.search(preempted.message)
    return Evicted(
        evicted.reason,
        evicted.message,
        preemptor=by_uid.get(preemptor_uid(after), ""),
        preemption_reason=preempted.reason,
        preemptor_path=paths[1] if paths else "",
        preemptee_path=paths[2] if paths else "",
    )
