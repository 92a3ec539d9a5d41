"""Noticing that a run comes back, again and again, to a state in which it was, as time passes.

What decides the future is looked at with all times relative to now: which workload holds
what since when, which waits where and behind which others, timers, jobs that will end, pods
that will be gone. If it is the same three times, the same time apart, with the same evictions
in between, it goes on like this for ever, as no action of the scenario is left.

Two things are counted on the way and don't keep it from being the same: how often a workload
was requeued, where no ``backoffLimitCount`` ends that (the back-off that grows with it is
among the timers: twice the same means that it is as long as it gets), and for how long
workloads have waited.

Not noticed is what a run of equal states can't show: with admission fair sharing the usage
that fades has another value each time, a limit that counts (``backoffLimitCount``, retries of
an admission check, ``maximumExecutionTimeSeconds``) ends it some time, and whatever has more
than one way round before it is the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kueuelab.model import FlavorResource
from kueuelab.simulation.cluster import Cluster
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

__all__ = ["Recurrence", "Recurring", "deciding_state"]

#: As often the same, the same time apart: that is no accident.
_TIMES = 3


@dataclass(frozen=True, slots=True)
class Recurring:
    """The same again: since when, from which cycle to which, and what was evicted between."""

    period: int
    first_cycle: int
    last_cycle: int
    evicted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Moment:
    time: int
    cycle: int
    events: int


class Recurrence:
    """Remembers the states at the ends of instants.

    Parameters
    ----------
    cluster
        The cluster.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._seen: dict[object, list[_Moment]] = {}
        self._events = 0
        #: Whether anything was evicted since an action, as far as events were read.
        self._has_evicted = False
        #: Those that had not finished at the last look; since an action, no workload is new.
        self._unfinished: list[WorkloadState] | None = None

    def forget(self) -> None:
        """Start again: an action changed the state."""
        self._seen.clear()
        self._events = len(self._cluster.events)
        self._has_evicted = False
        self._unfinished = None

    def look(self, cycle: int, coming: Iterable[tuple[int, str, str]]) -> Recurring | None:
        """Remember the state; return what recurs, if it is the same once more.

        Parameters
        ----------
        cycle
            The number of the last cycle.
        coming
            What will happen by itself: in how long, what, and to which workload.
        """
        cluster = self._cluster
        events = len(cluster.events)
        self._has_evicted = self._has_evicted or bool(self._evicted(self._events, events))
        self._events = events
        if cluster.plane.fair_usage is not None or not self._has_evicted:
            return None
        states = self._unfinished = self._still_unfinished()
        state = deciding_state(cluster), _relative(cluster, states, coming)
        moments = self._seen.setdefault(state, [])
        moments.append(_Moment(cluster.now, cycle, events))
        if len(moments) < _TIMES:
            return None
        first, middle, last = moments[-_TIMES:]
        ways = [self._evicted(a.events, b.events) for a, b in ((first, middle), (middle, last))]
        same = (
            ways[0] and ways[0] == ways[1] and middle.time - first.time == last.time - middle.time
        )
        if not same or last.time == middle.time:
            return None
        evicted = tuple(sorted(set(ways[1])))
        return Recurring(last.time - middle.time, middle.cycle, last.cycle, evicted)

    def _still_unfinished(self) -> list[WorkloadState]:
        """Return the workloads that have not finished, by key.

        One that has finished decides nothing, and there may be very many of them.
        """
        workloads, known = self._cluster.workloads, self._unfinished
        if known is None:
            known = sorted(workloads.values(), key=lambda state: state.key)
        return [
            state for state in known if not state.is_finished and workloads.get(state.key) is state
        ]

    def _evicted(self, first: int, last: int) -> list[str]:
        events = self._cluster.events[first:last]
        return [event.object for event in events if event.reason.startswith("EvictedDueTo")]


@dataclass(frozen=True, slots=True)
class _DecidingState:
    """What decides the future: what each workload holds, and what waits in each queue."""

    held: Mapping[str, Mapping[FlavorResource, int]]
    queues: tuple[object, ...]

    def __hash__(self) -> int:
        # Amounts are compared only where all else is the same.
        return hash((frozenset(self.held), self.queues))


def deciding_state(cluster: Cluster) -> object:
    """Return what decides the future: what holds quota, what waits where, what was preempted."""
    held = {state.key: state.usage for state in cluster.tree.workloads()}
    waiting = cluster.queues
    queues = tuple(
        (
            name,
            tuple(waiting.pending_active(name)),
            tuple(waiting.inadmissible(name)),
            waiting.preemptor(name),
        )
        for name in sorted(cluster.cluster_queues)
    )
    return _DecidingState(held, queues)


def _relative(
    cluster: Cluster, states: Sequence[WorkloadState], coming: Iterable[tuple[int, str, str]]
) -> object:
    """Return what else decides it, of workloads that have not finished; times as seen from now."""
    plane, now = cluster.plane, cluster.now
    timers = sorted((key, due - now) for key, due in plane.clock.pending())
    return (
        tuple(_of_workload(plane, state) for state in states),
        _ranks({state.key: state.quota_reservation_time(now) for state in states}),
        _ranks({state.key: _since(state) for state in states}),
        tuple(timers),
        tuple(sorted(coming)),
    )


def _of_workload(plane: ControlPlane, state: WorkloadState) -> object:
    conditions = sorted((c.type, c.status, c.reason) for c in state.conditions.values())
    checks = sorted((c.name, c.state, c.retry_count) for c in state.admission_checks.values())
    requeued = state.requeue_state
    at = None if requeued is None else requeued.requeue_at
    pods_ready = plane.configuration.wait_for_pods_ready
    limit = None if pods_ready is None else pods_ready.requeuing_strategy.backoff_limit_count
    count = None if limit is None or requeued is None else requeued.count
    return (
        state.key,
        state.active,
        tuple(conditions),
        tuple(checks),
        None if at is None else max(0, at - plane.now),
        count,
        repr(state.reclaimable_pods),
    )


def _since(state: WorkloadState) -> int:
    """Return since when it is in its queue, as far as conditions tell: its last eviction."""
    evicted = state.conditions.get("Evicted")
    created = state.obj.metadata.creation_timestamp or 0
    return created if evicted is None else max(created, evicted.last_transition_time)


def _ranks(times: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Return the order of workloads, with those of the same time as equals."""
    order = {time: rank for rank, time in enumerate(sorted(set(times.values())))}
    return tuple((key, order[time]) for key, time in sorted(times.items()))
