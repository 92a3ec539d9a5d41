"""What happened to workloads before they were read, as their status and Events say it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.manifests.result import PastEvent
from kueuelab.model import Condition, Workload
from kueuelab.model.times import SECOND, to_seconds
from kueuelab.simulation.preempt import IN_WORDS
from kueuelab.simulation.recording import phase_name
from kueuelab.trace.steps import EvictedBefore, StatusRead
from kueuelab.workload import WorkloadState

__all__ = ["Changes", "Names", "evictions_before", "last_look", "status_read"]

_PREVIOUSLY: Final = "Previously: "
_EVICTED_DUE_TO: Final = "EvictedDueTo"
#: A condition and the Event of the same eviction are written in this time.
_SAME: Final = 5 * SECOND
#: Conditions that, once true, change what fits.
_CHANGES: Final = ("QuotaReserved", "Evicted", "Finished")
#: Up to this many changes are listed; all are counted.
_TOLD: Final = 3
_PREEMPTED: Final = re.compile(
    r"Preempted to accommodate a workload \(UID: (?P<uid>[^,]*), JobUID: (?P<job>[^)]*)\)"
    r"(?: due to (?P<why>[^;]*))?"
    r"(?:; preemptor path: (?P<there>[^;]*); preemptee path: (?P<here>[^;]*))?"
)
_REASONS: Final = {text: reason for reason, text in IN_WORDS.items()}


@dataclass(frozen=True, slots=True)
class Names:
    """Workloads by their uid and by that of their job."""

    by_uid: Mapping[str, str]

    @classmethod
    def of(cls, workloads: Iterable[Workload]) -> Names:
        """Return the names of these workloads."""
        found: dict[str, str] = {}
        for workload in workloads:
            meta = workload.metadata
            for uid in (meta.uid, meta.labels.get(JOB_UID, "")):
                if uid:
                    found.setdefault(uid, workload.key)
        return cls(found)


class Changes:
    """What came to the workloads of each cohort tree, and when: after it, Kueue looks again.

    Parameters
    ----------
    workloads
        All of them.
    root_of
        Returns the cohort tree (or the ClusterQueue alone) that a workload is or queues in.
    """

    def __init__(self, workloads: Iterable[Workload], root_of: Callable[[Workload], str]) -> None:
        self._root_of = root_of
        self._by_root: dict[str, list[tuple[int, str, str]]] = {}
        for workload in workloads:
            found = self._by_root.setdefault(root_of(workload), [])
            found += _changes_of(workload)
        for found in self._by_root.values():
            found.sort()

    def since(self, workload: Workload, time: int) -> list[tuple[str, str, int]]:
        """Return what came to others from a time on, the latest last.

        Conditions have whole seconds, so what came in the same second counts.
        """
        found = self._by_root.get(self._root_of(workload), [])
        first = bisect_left(found, (to_seconds(time), "", ""))
        return [(key, what, when) for when, key, what in found[first:] if key != workload.key]


def _changes_of(workload: Workload) -> Iterator[tuple[int, str, str]]:
    """Yield when a workload got quota, was evicted, gave its quota back, or finished."""
    conditions = {each.type: each for each in workload.status.conditions}
    for type_ in _CHANGES:
        condition = conditions.get(type_)
        if condition is not None and condition.status == "True":
            yield condition.last_transition_time, workload.key, type_
    reserved, evicted = conditions.get("QuotaReserved"), conditions.get("Evicted")
    if reserved is None or evicted is None:
        return
    if reserved.status == "False" and evicted.status == "True":
        yield reserved.last_transition_time, workload.key, "QuotaReleased"


def last_look(workload: Workload, events: Iterable[PastEvent]) -> int:
    """Return when Kueue last gave, as an Event, the reason why a workload is pending; or 0."""
    message = _reserved(workload).message
    times = (each.time for each in events if each.reason == "Pending" and each.message == message)
    return max(times, default=0) if message else 0


def _reserved(workload: Workload) -> Condition:
    found = (each for each in workload.status.conditions if each.type == "QuotaReserved")
    return next(found, Condition("QuotaReserved", "Unknown", ""))


def status_read(
    state: WorkloadState, events: Iterable[PastEvent], changes: Changes
) -> StatusRead | None:
    """Return the status that a workload came with, ``None`` if it has none."""
    status = state.obj.status
    if not status.conditions and status.admission is None:
        return None
    looked, since = 0, []
    reserved = _reserved(state.obj)
    if reserved.status == "False":
        looked = last_look(state.obj, events)
        since = changes.since(state.obj, looked or reserved.last_transition_time)
    assignments = () if status.admission is None else status.admission.pod_set_assignments
    return StatusRead(
        phase_name(state),
        state.active,
        tuple((each.name, each.count or 0, dict(each.flavors)) for each in assignments),
        tuple(
            (each.type, each.status, each.reason, each.message, each.last_transition_time)
            for each in status.conditions
        ),
        looked,
        tuple(since[-_TOLD:]),
        len(since),
    )


def evictions_before(
    workload: Workload, events: Iterable[PastEvent], names: Names
) -> list[EvictedBefore]:
    """Return the evictions that a workload's conditions and Events tell, the earliest first.

    Those whose time is not known come first: their conditions were overwritten later.
    """
    found = list(_from_conditions({each.type: each for each in workload.status.conditions}, names))
    for event in events:
        if not event.reason.startswith(_EVICTED_DUE_TO):
            continue
        reason = event.reason.removeprefix(_EVICTED_DUE_TO)
        eviction = _eviction(event.time, reason, event.message, names)
        place = next((i for i, each in enumerate(found) if _is_same(each, eviction)), None)
        if place is None:
            found.append(eviction)
        elif not found[place].when:
            found[place] = replace(found[place], when=eviction.when, reason=eviction.reason)
    return sorted(found, key=lambda each: each.when)


def _is_same(one: EvictedBefore, other: EvictedBefore) -> bool:
    near = not one.when or abs(one.when - other.when) <= _SAME
    return near and one.message == other.message


def _from_conditions(conditions: Mapping[str, Condition], names: Names) -> Iterator[EvictedBefore]:
    """Yield what ``Preempted`` and ``Evicted`` say, once if both say the same."""
    last_message = ""
    for type_ in ("Preempted", "Evicted"):
        condition = conditions.get(type_)
        if condition is None:
            continue
        message = condition.message.removeprefix(_PREVIOUSLY)
        holds = condition.status == "True"
        if (not holds and message == condition.message) or message == last_message:
            continue
        last_message = message
        reason = condition.reason if holds and type_ == "Evicted" else ""
        eviction = _eviction(condition.last_transition_time if holds else 0, reason, message, names)
        if type_ == "Preempted" and holds:
            eviction = replace(eviction, preemption_reason=condition.reason)
        yield eviction


def _eviction(when: int, reason: str, message: str, names: Names) -> EvictedBefore:
    """Return an eviction with what its message says of the preemptor."""
    match = _PREEMPTED.match(message)
    if match is None:
        return EvictedBefore(when, reason, message)
    preemptor = names.by_uid.get(match["uid"]) or names.by_uid.get(match["job"], "")
    return EvictedBefore(
        when,
        reason or "Preempted",
        message,
        preemptor,
        match["uid"],
        _REASONS.get(match["why"] or "", ""),
        match["there"] or "",
        match["here"] or "",
    )
