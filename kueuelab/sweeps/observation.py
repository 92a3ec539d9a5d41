"""What happens in a run that is not recorded: when workloads run, and how quota is used.

Between two instants nothing changes, so that sums over time are exact: what was so after an
instant holds until the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kueuelab.collector import without_collection
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.model import FlavorResource
from kueuelab.model.times import from_seconds
from kueuelab.quota.cluster_queue import ClusterQueueNode
from kueuelab.quota.node import Node
from kueuelab.quota.shares import dominant_resource_share
from kueuelab.simulation import Cluster, Player
from kueuelab.trace.waiting import Waiting, WaitingWorkload
from kueuelab.workload import WorkloadState

__all__ = ["Execution", "Observation", "QueueUsage", "observe"]

_EVICTED = "EvictedDueTo"


@dataclass(slots=True)
class Execution:
    """A workload is admitted once: from when to when, with what, and how that ended.

    ``reason`` is that of the eviction (``Preempted``, ...), empty if it finished or still runs.
    Times are nanoseconds since 1970.
    """

    state: WorkloadState
    start: int
    usage: Mapping[FlavorResource, int]
    end: int | None = None
    reason: str = ""


@dataclass(slots=True)
class QueueUsage:
    """What a ClusterQueue uses, added up over time: amounts in Kueue's unit times nanoseconds.

    ``share`` is Kueue's weighted share (thousandths), ``dominant_share`` the largest part that
    it uses of any resource of its cohort tree; both times nanoseconds, and at their highest.
    """

    used: dict[FlavorResource, int] = field(default_factory=dict)
    borrowed: dict[FlavorResource, int] = field(default_factory=dict)
    share: float = 0.0
    highest_share: float = 0.0
    dominant_share: float = 0.0
    highest_dominant_share: float = 0.0


@dataclass(slots=True)
class Observation:
    """A run that has ended, and what was seen on the way.

    ``capacity`` is the nominal quota of all ClusterQueues and cohorts, times nanoseconds;
    ``workloads`` has the state of each workload as it was last, and for how long it waited.
    """

    player: Player
    workloads: dict[int, tuple[WorkloadState, WaitingWorkload]] = field(default_factory=dict)
    executions: list[Execution] = field(default_factory=list)
    queues: dict[str, QueueUsage] = field(default_factory=dict)
    capacity: dict[FlavorResource, int] = field(default_factory=dict)

    @property
    def cluster(self) -> Cluster:
        """The cluster as the run left it."""
        return self.player.cluster

    @property
    def end(self) -> int:
        """When the run ended, in nanoseconds since 1970."""
        return self.player.cluster.now


def observe(spec: ScenarioSpec, until: float | None = None) -> Observation:
    """Play a scenario without recording it, and note what its measures are made from.

    Parameters
    ----------
    spec
        The scenario, of one cluster.
    until
        Stop after so many seconds; by default when nothing is left to do.

    Raises
    ------
    InputError
        If the scenario has several clusters.
    """
    player = Player(spec)
    player.keeps_cycles = False
    observer = _Observer(player)
    end = None if until is None else player.start + from_seconds(until)
    with without_collection(circles=False):
        for _ in player.instants(end):
            observer.look()
    observer.conclude()
    return observer.found


@dataclass(slots=True)
class _Level:
    """What a ClusterQueue uses, since when."""

    since: int
    usage: dict[FlavorResource, int]
    borrowed: dict[FlavorResource, int]
    share: float
    dominant_share: float


class _Observer:
    """Looks at a cluster after each instant."""

    def __init__(self, player: Player) -> None:
        self.found = Observation(player)
        self._cluster = player.cluster
        self._events = 0
        self._running: dict[str, Execution] = {}
        self._levels: dict[str, _Level] = {}
        self._capacity: dict[FlavorResource, int] = {}
        self._quotas: dict[str, object] = {}
        self._time = player.start
        self._waiting = Waiting()
        self._cluster.plane.on_write = self._written
        for state in self._cluster.workloads.values():
            self._written(state.key)
            if state.is_admitted and not state.is_finished:
                since = state.conditions["Admitted"].last_transition_time
                self._begin(state, min(since, player.start))

    def look(self) -> None:
        """Note what is different since the last instant."""
        events = self._cluster.events
        for place in range(self._events, len(events)):
            event = events[place]
            if event.reason == "Admitted":
                state = self._cluster.workloads.get(event.object)
                if state is not None:
                    self._begin(state, event.time)
            elif event.reason.startswith(_EVICTED):
                execution = self._running.pop(event.object, None)
                if execution is not None:
                    execution.end = event.time
                    execution.reason = event.reason[len(_EVICTED) :]
        self._events = len(events)
        self._look_at_quota()

    def conclude(self) -> None:
        """Note how what still ran at the end has ended."""
        self._add_up_all(self._cluster.now)
        for execution in self._running.values():
            _finish(execution)

    def _written(self, key: str) -> None:
        """Note how a workload is now; ``key`` is that of one which was written or deleted."""
        state = self._cluster.workloads.get(key)
        if state is None:
            self._waiting.gone(key, self._cluster.now)
            return
        finished = state.is_finished
        local_queue = self._cluster.objects.local_queues.get(state.queue_key)
        self._waiting.see(
            key,
            "" if local_queue is None else local_queue.cluster_queue,
            waits=state.active and not finished and (state.is_evicted or not state.is_admitted),
            time=self._cluster.now,
            finished=finished,
        )
        found = self._waiting.of(key)
        if found is not None:
            self.found.workloads[id(found)] = state, found

    def _begin(self, state: WorkloadState, time: int) -> None:
        before = self._running.get(state.key)
        if before is not None:
            _finish(before)
        execution = self._running[state.key] = Execution(state, time, state.usage)
        self.found.executions.append(execution)

    # --- quota ---------------------------------------------------------------------------

    def _look_at_quota(self) -> None:
        tree, now = self._cluster.tree, self._cluster.now
        quotas: dict[str, object] = {name: node.quotas for name, node in tree.cohorts.items()}
        for name, queue in tree.cluster_queues.items():
            quotas[f"/{name}"] = (queue.quotas, queue.fair_weight, queue.parent)
        if quotas != self._quotas:
            self._add_up_all(now)
            self._quotas = quotas
            self._levels.clear()
            self._capacity = {}
            for node in (*tree.cohorts.values(), *tree.cluster_queues.values()):
                _add_nominal(node, self._capacity)
        for name, queue in tree.cluster_queues.items():
            level = self._levels.get(name)
            if level is None or level.usage != queue.usage:
                if level is not None:
                    self._add_up(name, level, now)
                self._levels[name] = _level(queue, now)

    def _add_up(self, name: str, level: _Level, now: int) -> None:
        total = self.found.queues.get(name)
        if total is None:
            total = self.found.queues[name] = QueueUsage()
        elapsed, level.since = now - level.since, now
        if elapsed and any(level.usage.values()):
            _add(total, level, elapsed)

    def _add_up_all(self, now: int) -> None:
        """Add up what was so until now."""
        elapsed, self._time = now - self._time, now
        for fr, amount in self._capacity.items():
            self.found.capacity[fr] = self.found.capacity.get(fr, 0) + amount * elapsed
        for name, level in self._levels.items():
            self._add_up(name, level, now)


def _finish(execution: Execution) -> None:
    finished = execution.state.conditions.get("Finished")
    if finished is not None and finished.status == "True":
        execution.end = finished.last_transition_time


def _add(total: QueueUsage, level: _Level, elapsed: int) -> None:
    for fr, amount in level.usage.items():
        total.used[fr] = total.used.get(fr, 0) + amount * elapsed
    for fr, amount in level.borrowed.items():
        total.borrowed[fr] = total.borrowed.get(fr, 0) + amount * elapsed
    total.share += level.share * elapsed
    total.highest_share = max(total.highest_share, level.share)
    total.dominant_share += level.dominant_share * elapsed
    total.highest_dominant_share = max(total.highest_dominant_share, level.dominant_share)


def _add_nominal(node: Node, capacity: dict[FlavorResource, int]) -> None:
    for fr, quota in node.quotas.items():
        capacity[fr] = capacity.get(fr, 0) + quota.nominal


def _level(queue: ClusterQueueNode, now: int) -> _Level:
    usage = dict(queue.usage)
    borrowed = {}
    for fr, amount in usage.items():
        excess = amount - queue.quota(fr).nominal
        if excess > 0:
            borrowed[fr] = excess
    return _Level(
        now, usage, borrowed, dominant_resource_share(queue).weighted, _dominant_share(queue, usage)
    )


def _dominant_share(queue: ClusterQueueNode, usage: Mapping[FlavorResource, int]) -> float:
    """Return the largest part of any resource of its cohort tree that a ClusterQueue uses."""
    used: dict[str, int] = {}
    for (_, resource), amount in usage.items():
        used[resource] = used.get(resource, 0) + amount
    whole = queue.root.lendable()
    return max((used[each] / whole[each] for each in used if whole.get(each)), default=0.0)
