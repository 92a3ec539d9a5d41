"""When a job would start: the same cluster played on, many times, with run times drawn anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Final

from kueuelab.collector import without_collection
from kueuelab.forecast.baseline import Baseline
from kueuelab.forecast.related import MOST_WHOLE, RelatedPart
from kueuelab.forecast.run_times import Basis, RunTimes
from kueuelab.model.times import SECOND
from kueuelab.simulation import Cluster, Player
from kueuelab.whatif.copies import Copies
from kueuelab.workload import WorkloadState

__all__ = ["DEFAULT_SEEDS", "MOST_COMPARED", "Delay", "Forecast", "Forecaster", "Start"]

#: How often the cluster is played on if nothing else is asked for.
DEFAULT_SEEDS: Final = 50
#: How far runs go at most.
_HORIZON: Final = 30 * 24 * 3600 * SECOND
#: So much work a forecast may be: workloads that are copied, and heads that are considered.
_MOST_WORK: Final = 600_000
_WORK_OF_A_HEAD: Final = 5
_MOST_WORK_OF_A_LARGE_PART: Final = 150_000
#: After so many runs in which no job starts, none is looked for in more runs.
_ENOUGH_NEVER: Final = 5
#: So many workloads are looked at that may have to end first.
_MOST_CANDIDATES: Final = 6
#: In a cluster of at most so many workloads the others are compared, in so many runs.
MOST_COMPARED: Final = 500
_RUNS_COMPARED: Final = 15
#: How long all other workloads run where it is shown that one of them has to end.
_AT_ONCE: Final = SECOND


@dataclass(frozen=True, slots=True)
class Start:
    """When a job starts in one run.

    Attributes
    ----------
    seed
        The seed of the run.
    after
        How long after its submission, in nanoseconds; ``inf`` if it does not start.
    cut
        Whether the run was ended before it came to its end: it may start later.
    """

    seed: int
    after: float
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a job would start.

    Attributes
    ----------
    starts
        When it starts in each run, the earliest first.
    basis
        What the run times of running workloads rest on.
    never_before
        Workloads that run now, each of which has to end before it starts, whatever else does.
    is_random
        Whether run times are different in each run. Otherwise there is one run.
    played, total
        With how many workloads it was played on, and how many there are.
    pending
        How many pending workloads of each other ClusterQueue were among these; 0 for all.
    """

    starts: tuple[Start, ...]
    basis: Basis
    never_before: tuple[str, ...] = ()
    is_random: bool = True
    played: int = 0
    total: int = 0
    pending: int = 0

    def within(self, part: float) -> float:
        """Return by when it has started in a part of the runs, in nanoseconds; ``inf``: never.

        Examples
        --------
        >>> starts = tuple(Start(seed, float(seed)) for seed in range(1, 11))
        >>> found = Forecast(starts, Basis({}, 0))
        >>> found.within(0.5), found.within(0.9)
        (5.0, 9.0)
        """
        if not self.starts:
            return inf
        return self.starts[max(1, ceil(part * len(self.starts) - 1e-9)) - 1].after

    @property
    def is_cut(self) -> bool:
        """Whether a run was ended before it came to its end."""
        return any(start.cut for start in self.starts)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values; ``null`` is never."""
        return {
            "runs": len(self.starts),
            "startsWithinSeconds": {
                name: _seconds(self.within(part))
                for name, part in (("p05", 0.05), ("p50", 0.5), ("p90", 0.9), ("p95", 0.95))
            },
            "neverBefore": list(self.never_before),
            "basis": {
                "runningWorkloads": dict(self.basis.running),
                "finishedWorkloads": self.basis.finished,
            },
            "cut": self.is_cut,
            "workloads": {"played": self.played, "total": self.total, "pending": self.pending},
        }


def _seconds(time: float) -> float | None:
    return None if time == inf else round(time / SECOND, 3)


@dataclass(frozen=True, slots=True)
class Delay:
    """Another workload that starts later because the jobs are submitted.

    Attributes
    ----------
    workload
        ``namespace/name``.
    before, after
        Within which time it starts in half of the runs, without the jobs and with them, in
        nanoseconds; ``inf``: never. One that is preempted has started before.
    """

    workload: str
    before: float
    after: float

    @property
    def was_running(self) -> bool:
        """Whether it runs without the jobs, and is preempted for them."""
        return self.before == 0

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values; ``null`` is never."""
        before, after = _seconds(self.before), _seconds(self.after)
        return {"workload": self.workload, "beforeSeconds": before, "afterSeconds": after}


class Forecaster:
    """Plays a cluster on, to see when workloads start.

    Parameters
    ----------
    baseline
        The cluster, with the jobs submitted. It is left as it is.
    run_times
        How long workloads run.
    seeds
        How many runs.
    before
        The cluster without the jobs, if others are to be compared.
    part
        The part of the cluster that decides when they start; all of it if omitted.
    """

    def __init__(
        self,
        baseline: Baseline,
        run_times: RunTimes,
        seeds: int = DEFAULT_SEEDS,
        before: Copies | None = None,
        part: RelatedPart | None = None,
    ) -> None:
        if part is not None:
            baseline, before = part.baseline, part.before
        self._part = part
        self._cluster = baseline.player.cluster
        self._run_times = run_times
        self._seeds = range(seeds if run_times.is_random else 1)
        self._copies = Copies(baseline.player)
        self._before = before
        self._running = _running(self._cluster)
        self._work = 0
        size = len(self._cluster.workloads)
        self._most = _MOST_WORK if size <= MOST_WHOLE else _MOST_WORK_OF_A_LARGE_PART

    def forecasts(self, workloads: Iterable[str]) -> dict[str, Forecast]:
        """Return when each of some pending workloads starts."""
        keys = tuple(workloads)
        starts: dict[str, list[Start]] = {key: [] for key in keys}
        ended_first: dict[str, set[str]] = {key: set(self._running) for key in keys}
        with without_collection():
            for seed in self._seeds:
                if self._work >= self._most or (seed == _ENOUGH_NEVER and _never(starts)):
                    break
                found = list(self._run(self._copies, seed, keys))
                if seed and any(start.cut for _, start, _ in found):
                    break  # A forecast rests on runs that came to their end.
                for key, start, ended in found:
                    starts[key].append(start)
                    if start.after != inf:
                        ended_first[key] &= ended
            return {
                key: Forecast(
                    tuple(sorted(starts[key], key=lambda start: start.after)),
                    self._run_times.basis(self._in_tree(key)),
                    tuple(self._needed(key, ended_first[key], starts[key])),
                    self._run_times.is_random,
                    len(self._cluster.workloads),
                    len(self._cluster.workloads) if self._part is None else self._part.total,
                    0 if self._part is None else self._part.pending,
                )
                for key in keys
            }

    def delays(self, submitted: Iterable[str], displaced: Iterable[str]) -> tuple[Delay, ...]:
        """Return the other workloads that start later because of the jobs, the most delayed first.

        Of a large cluster it is not found out.
        """
        states, own = self._cluster.workloads, set(submitted)
        if self._before is None or len(states) > MOST_COMPARED:
            return ()
        waiting = [key for key in states if _is_pending(states[key]) and key not in own]
        preempted = [key for key in displaced if key in states and _is_pending(states[key])]
        if not waiting:
            return ()
        without = self._medians(self._before, [key for key in waiting if key not in preempted])
        found = self._medians(self._copies, waiting)
        delays = [
            Delay(key, without.get(key, 0.0), after)
            for key, after in found.items()
            if after > without.get(key, 0.0)
        ]
        return tuple(sorted(delays, key=lambda each: (each.before - each.after, each.workload)))

    def _medians(self, copies: Copies, keys: list[str]) -> dict[str, float]:
        """Return within which time each workload starts in half of the runs."""
        starts: dict[str, list[float]] = {key: [] for key in keys}
        with without_collection():
            for seed in self._seeds[:_RUNS_COMPARED]:
                for key, start, _ in self._run(copies, seed, tuple(keys)):
                    starts[key].append(start.after)
        return {key: sorted(found)[(len(found) - 1) // 2] for key, found in starts.items()}

    def _run(
        self, copies: Copies, seed: int, keys: tuple[str, ...]
    ) -> Iterator[tuple[str, Start, set[str]]]:
        """Yield when each workload starts in a run, and which running ones ended before."""
        left = dict.fromkeys(keys)
        with copies.lend() as player:
            self._run_times.apply(player, seed)
            begin = player.cluster.now
            states = player.cluster.workloads
            for key in self._started(player, left):
                ended = {
                    each for each in self._running if each not in states or states[each].is_finished
                }
                yield key, Start(seed, player.cluster.now - begin), ended
            cut = self._work >= self._most
            for key in left:
                yield key, Start(seed, inf, cut), set()

    def _started(self, player: Player, left: dict[str, None]) -> Iterator[str]:
        """Play on until all workloads have started; yield each, and take it from those left."""
        player.intervene()
        cluster = player.cluster
        seen = len(cluster.events)
        self._work += len(cluster.workloads)
        instants = player.instants(cluster.now + _HORIZON)
        while left and self._work < self._most and next(instants, None) is not None:
            for event in cluster.events[seen:]:
                if event.reason == "QuotaReserved" and event.object in left:
                    del left[event.object]
                    yield event.object
            seen = len(cluster.events)
            self._work += _WORK_OF_A_HEAD * sum(len(cycle.heads) for cycle in player.cycles)
            player.cycles.clear()

    def _needed(self, key: str, candidates: set[str], starts: list[Start]) -> Iterator[str]:
        """Yield the workloads without whose end it does not start, even if all others end now."""
        if len(self._cluster.workloads) > MOST_WHOLE:
            return
        if all(start.after == inf for start in starts):
            return
        states = self._cluster.workloads
        largest = sorted(candidates, key=lambda each: (-sum(states[each].usage.values()), each))
        for candidate in largest[:_MOST_CANDIDATES]:
            left = dict.fromkeys((key,))
            with self._copies.lend() as player:
                for each, state in player.cluster.workloads.items():
                    if not state.is_finished:
                        runs = None if each == candidate else _AT_ONCE
                        player.expect_run(each, runs, runs)
                for _ in self._started(player, left):
                    pass
            if left:
                yield candidate

    def _in_tree(self, key: str) -> Iterator[str]:
        """Yield the running workloads of a workload's cohort tree: their ends give room."""
        cluster = self._cluster
        name = cluster.plane.queue_of(cluster.workload(key))[0]
        root = cluster.tree.root_name(name)
        for each in self._running:
            queue = cluster.workloads[each].cluster_queue
            if queue == name or (root is not None and cluster.tree.root_name(queue) == root):
                yield each


def _never(starts: Mapping[str, list[Start]]) -> bool:
    """Tell whether no job starts in any run."""
    return all(start.after == inf for found in starts.values() for start in found)


def _running(cluster: Cluster) -> dict[str, None]:
    return {
        key: None
        for key, state in cluster.workloads.items()
        if state.is_admitted and not state.is_finished and not state.is_evicted
    }


def _is_pending(state: WorkloadState) -> bool:
    return state.active and not state.is_finished and not state.has_quota_reservation
