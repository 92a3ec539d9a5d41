"""How long each workload of a cluster is expected to run, and what that rests on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal, TypeAlias

from kueuelab.forecast.baseline import Baseline
from kueuelab.forecast.distributions import (
    Distribution,
    Expected,
    LogNormal,
    Observed,
    Overdue,
)
from kueuelab.forecast.submission import Submission
from kueuelab.manifests.loading.jobs import RUNS
from kueuelab.model.times import SECOND, parse_duration
from kueuelab.simulation import Cluster, Player
from kueuelab.workload import WorkloadState

__all__ = ["Basis", "RunTime", "RunTimes", "Source"]

#: What a run time rests on. ``scenario``: a scenario says it, or a demonstration that sleeps.
Source: TypeAlias = Literal[
    "scenario", "annotation", "given", "statistics", "deadline", "overdue", "unknown"
]

#: So many finished workloads make a statistic.
_ENOUGH: Final = 5
#: What workloads have in common that have a statistic of their own; the closest comes first.
_Group: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunTime:
    """How long a workload is expected to run.

    Attributes
    ----------
    source
        What that rests on.
    distribution
        The run times; ``None`` where they are known to the run itself, or unknown.
    observed
        The run times of others, if it rests on these.
    limit
        After how long it is ended at the latest, in nanoseconds.
    """

    source: Source
    distribution: Distribution | None = None
    limit: int | None = None
    observed: Observed | None = None

    @property
    def is_random(self) -> bool:
        """Whether it may be different in each run."""
        fixed = isinstance(self.distribution, Expected) and self.distribution.is_fixed
        return self.observed is not None or (self.distribution is not None and not fixed)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is to be said of it: the run itself knows, or nothing does."""
        return self.distribution is None and self.limit is None and self.observed is None


@dataclass(frozen=True, slots=True)
class Basis:
    """What a forecast rests on.

    Attributes
    ----------
    running
        How many of the running workloads have a run time of which source.
    finished
        How many finished workloads the statistics are of.
    """

    running: Mapping[Source, int]
    finished: int


class RunTimes:
    """The run times of the workloads of a cluster.

    Parameters
    ----------
    baseline
        The cluster.
    submission
        The jobs that are submitted to it.
    given
        What a person expects of jobs that say nothing themselves.
    """

    def __init__(
        self, baseline: Baseline, submission: Submission, given: Expected | None = None
    ) -> None:
        cluster, manifests = baseline.player.cluster, baseline.spec.manifests
        self._now = baseline.now
        self._known = baseline.player.runs
        self._expected = {**manifests.expected_runs, **submission.expected}
        self._deadlines = {**manifests.deadlines, **submission.deadlines}
        self._given = given
        self._past = _past_runs(baseline)
        self._groups = _statistics(cluster, self._now, self._past)
        self._times: dict[str, RunTime] = {}
        for key, state in cluster.workloads.items():
            if not state.is_finished:
                self._times[key] = self._of(cluster, state)

    def __getitem__(self, workload: str) -> RunTime:
        return self._times[workload]

    def basis(self, workloads: Iterable[str]) -> Basis:
        """Return what the run times of some workloads rest on."""
        found = [self._times[key] for key in workloads if key in self._times]
        observed = [len(each.observed.ended) for each in found if each.observed is not None]
        samples = max(observed, default=0)
        return Basis(dict(Counter(each.source for each in found)), samples)

    @property
    def is_random(self) -> bool:
        """Whether run times may be different in each run."""
        return any(each.is_random for each in self._times.values())

    def apply(self, player: Player, seed: int) -> None:
        """Give all jobs their run times in one run; those of one seed are the same each time."""
        cluster = player.cluster
        fitted: dict[int, LogNormal] = {}
        for key, state in cluster.workloads.items():
            time = self._times.get(key)
            if time is None or time.is_unknown:
                continue
            if time.observed is not None:
                number = id(time.observed)
                if number not in fitted:
                    fitted[number] = time.observed.fitted(Random(f"{seed}/{len(fitted)}"))
                time = replace(time, distribution=fitted[number])
            random = Random(f"{seed}/{key}")
            since = _admitted_at(state)
            if since is None:
                player.expect_run(key, self._drawn(time, random, self._past.get(key, 0)))
                continue
            age = max(0, cluster.now - since)
            total = self._drawn(time, random, age)
            again = self._drawn(time, Random(f"{seed}/{key}/again"), 0)
            player.expect_run(key, again, max(1, total - age))

    @staticmethod
    def _drawn(time: RunTime, random: Random, age: int) -> int:
        limit = time.limit
        if time.distribution is None:
            assert limit is not None
            return limit
        drawn = time.distribution.draw(random, age)
        return drawn if limit is None else min(drawn, limit)

    def _of(self, cluster: Cluster, state: WorkloadState) -> RunTime:
        key, limit = state.key, self._limit(state)
        if key in self._known:
            return RunTime("scenario")
        since = _admitted_at(state)
        age = 0 if since is None else self._now - since
        expected = self._expected.get(key) or _annotation(state)
        if expected is not None:
            is_over = age >= expected
            return RunTime(
                "overdue" if is_over else "annotation",
                Overdue() if is_over else Expected(expected, expected),
                limit,
            )
        if self._given is not None:
            is_over = self._given.is_fixed and age >= self._given.low
            return RunTime("overdue" if is_over else "given", self._given, limit)
        for group in _groups_of(cluster, state):
            if (found := self._groups.get(group)) is not None:
                return RunTime("statistics", None, limit, found)
        return RunTime("unknown" if limit is None else "deadline", None, limit)

    def _limit(self, state: WorkloadState) -> int | None:
        """Return after how long a workload is ended at the latest; Kueue's limit is simulated."""
        limits = [self._deadlines.get(state.key)]
        seconds = state.obj.maximum_execution_time_seconds
        limits.append(None if seconds is None else seconds * SECOND)
        return min((each for each in limits if each is not None), default=None)


def _statistics(cluster: Cluster, now: int, past: Mapping[str, int]) -> dict[_Group, Observed]:
    """Return the run times of each group that has enough finished workloads."""
    ended: defaultdict[_Group, list[int]] = defaultdict(list)
    running: defaultdict[_Group, list[int]] = defaultdict(list)
    for state in cluster.workloads.values():
        since = _admitted_at(state)
        if since is None:
            if state.key in past:
                for group in _groups_of(cluster, state):
                    running[group].append(past[state.key])
            continue
        if not state.is_finished:
            for group in _groups_of(cluster, state):
                running[group].append(max(0, now - since))
            continue
        finished = state.conditions["Finished"]
        if finished.last_transition_time > since and finished.reason in ("Succeeded", "Failed"):
            for group in _groups_of(cluster, state):
                ended[group].append(finished.last_transition_time - since)
    return {
        group: Observed(tuple(sorted(times)), tuple(sorted(running[group])))
        for group, times in ended.items()
        if len(times) >= _ENOUGH
    }


def _past_runs(baseline: Baseline) -> dict[str, int]:
    """Return for how long workloads ran that were evicted, as far as Events tell."""
    admitted: dict[str, int] = {}
    longest: dict[str, int] = {}
    before = [(each.time, each.workload, each.reason) for each in baseline.spec.manifests.events]
    seen = [(each.time, each.object, each.reason) for each in baseline.player.cluster.events]
    for time, key, reason in sorted([*before, *seen]):
        if reason == "Admitted":
            admitted[key] = time
        elif reason.startswith("EvictedDueTo") and key in admitted:
            longest[key] = max(longest.get(key, 0), time - admitted.pop(key))
    return longest


def _groups_of(cluster: Cluster, state: WorkloadState) -> Iterator[_Group]:
    """Yield the groups that a workload belongs to, those most like it first."""
    queue = state.cluster_queue or cluster.plane.queue_of(state)[0]
    owner = next(iter(state.obj.metadata.owner_references), None)
    name = state.obj.metadata.name if owner is None else owner.name
    stem = re.sub(r"[-_.]*\d+$", "", name)
    yield "name", state.queue_key, stem
    yield "name", stem
    yield "queue", state.queue_key
    yield "clusterQueue", queue
    yield ("all",)


def _annotation(state: WorkloadState) -> int | None:
    """Return the run time that the annotation of a Workload says."""
    written = state.obj.metadata.annotations.get(RUNS)
    if written is None:
        return None
    try:
        return parse_duration(written) or None
    except ValueError:
        return None


def _admitted_at(state: WorkloadState) -> int | None:
    admitted = state.conditions.get("Admitted")
    if admitted is None or admitted.status != "True":
        return None
    return admitted.last_transition_time
