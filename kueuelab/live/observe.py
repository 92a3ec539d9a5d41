"""From two versions of a Workload to what happened between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.live.redecide import Flavors, Observed
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
    QuotaReserved,
    Requeued,
)

__all__ = ["observed_in", "parted", "preemptor_uid"]

_UID: Final = re.compile(r"\(UID: ([^,)]+)")
_PATHS: Final = re.compile(r"preemptor path: (\S+); preemptee path: (\S+)")

#: Reasons for which a workload waits that the scheduler has no part in.
_NOT_SCHEDULED: Final = ("Inadmissible", "Deactivated", "OnHold", "WaitingForPodsReady")


def _condition(workload: Workload, type_: str) -> Condition | None:
    return next((each for each in workload.status.conditions if each.type == type_), None)


def _is(workload: Workload, type_: str) -> bool:
    found = _condition(workload, type_)
    return found is not None and found.status == "True"


def _became(before: Workload, after: Workload, type_: str) -> Condition | None:
    """Return a condition that is true now and was not, or since another time."""
    now, then = _condition(after, type_), _condition(before, type_)
    if now is None or now.status != "True":
        return None
    if then is None or then.status != "True":
        return now
    return now if then.last_transition_time != now.last_transition_time else None


def preemptor_uid(workload: Workload) -> str:
    """Return the uid of the workload that a workload was preempted for, ``""`` if none."""
    condition = _condition(workload, "Preempted")
    found = _UID.search(condition.message) if condition is not None else None
    return found[1] if found else ""


def observed_in(before: Workload, after: Workload, time: int) -> Iterator[Observed]:
    """Yield the decisions of the scheduler that lie between two versions of a workload."""
    key = after.key
    preempted = _became(before, after, "Preempted")
    if preempted is not None and _is(after, "Evicted"):
        yield Observed(key, time, victim=key, reason=preempted.reason)
    reserved = _became(before, after, "QuotaReserved")
    if reserved is not None and after.status.admission is not None:
        admission = after.status.admission
        flavors = _assignment(after)
        yield Observed(key, time, cluster_queue=admission.cluster_queue, flavors=flavors)
    waits = _waits(before, after)
    if waits is not None and waits.reason not in _NOT_SCHEDULED:
        yield Observed(key, time, message=waits.message)


def _waits(before: Workload, after: Workload) -> Condition | None:
    """Return why it waits, if that was said anew and not by an eviction."""
    now, then = _condition(after, "QuotaReserved"), _condition(before, "QuotaReserved")
    if now is None or now.status != "False" or now == then:
        return None
    if then is not None and (then.status, then.message) == (now.status, now.message):
        return None
    evicted = _condition(after, "Evicted")
    by_eviction = evicted is not None and evicted.message == now.message
    return None if by_eviction or not after.active else now


def _assignment(workload: Workload) -> Flavors:
    admission = workload.status.admission
    if admission is None:
        return ()
    found = admission.pod_set_assignments
    return tuple((each.name, each.count or 0, dict(each.flavors)) for each in found)


def parted(before: Workload, after: Workload, by_uid: Mapping[str, str]) -> Iterator[Facts]:
    """Yield what happened to a workload, as facts for a trace, in the order of its life."""
    finished = _became(before, after, "Finished")
    if before.active != after.active:
        yield Deactivated(after.active)
    if (evicted := _became(before, after, "Evicted")) is not None:
        yield _eviction(after, evicted, by_uid)
    if (requeued := _became(before, after, "Requeued")) is not None:
        yield Requeued(requeued.reason, True)
    waits = _waits(before, after)
    if waits is not None:
        yield Pending(waits.reason, waits.message)
    if _became(before, after, "QuotaReserved") is not None:
        yield QuotaReserved(_assignment(after))
    known = {check.name: check for check in before.status.admission_checks}
    for check in after.status.admission_checks:
        old = known.get(check.name)
        if old is None or (old.state, old.message) != (check.state, check.message):
            yield CheckStateChanged(check.name, check.state, check.message)
    if _became(before, after, "Admitted") is not None:
        yield Admitted()
    ready, was = _condition(after, "PodsReady"), _condition(before, "PodsReady")
    if ready is not None and (was is None or was.status != ready.status):
        yield PodsReadyChanged(ready.status == "True", ready.reason)
    if finished is not None:
        yield Finished(finished.reason, finished.message)


def _eviction(after: Workload, evicted: Condition, by_uid: Mapping[str, str]) -> Evicted:
    preempted = _condition(after, "Preempted")
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
