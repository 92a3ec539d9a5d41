"""What would let a job run that a manager dispatches: changes of the manager or of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSetRun
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.multikueue.why import workload_key
from kueuelab.whatif.changes import Change
from kueuelab.whatif.clusters import MultiKueueRun
from kueuelab.whatif.moments import moment_of
from kueuelab.whatif.report import Obstacle, Report, Suggestion
from kueuelab.whatif.sandbox import Trial, Trials
from kueuelab.whatif.search import Search
from kueuelab.whatif.subject import Subject

__all__ = ["what_would_admit"]

#: What a trial counts for in the evaluator, which has a budget: each plays the whole scenario.
_WORK_OF_A_RUN: Final = 400
#: For so long a trial goes on after the change.
_AFTERWARDS: Final = 60


def what_would_admit(
    run: MultiKueueRun,
    workload: str,
    until: float | str | None = None,
    progress: Callable[[], object] | None = None,
) -> Report:
    """Search for changes by which a job of a run would be admitted on a worker.

    Parameters
    ----------
    run
        The run; the changes are made at its end.
    workload
        ``namespace/name`` of the manager's workload, or the name of its job.
    until
        Up to which time after the start to look (``"20m"``, or seconds); by default a minute
        longer than the run.
    progress
        Called after each change that was simulated.

    Raises
    ------
    UnknownObjectError
        If the manager has no such workload.
    """
    manager = run.cluster_set.manager.member
    key = workload_key(run, workload)
    if key not in manager.workloads:
        raise UnknownObjectError("workload", workload, manager.workloads)
    waits_in = list(_waits_in(run, key))
    if not waits_in:
        settled = manager.workloads[key].is_admitted or manager.workloads[key].is_finished
        kind = "runs" if settled else "no-copy"
        obstacle = Obstacle(kind, Message(f"whatif.clusters.{kind}"))
        return Report(key, (obstacle,), (), 0, now=run.cluster_set.now - run.start)
    trials = _Runs(run, key, until)
    reports = [
        (member, _ClusterSearch(run, trials, member, key, progress).report()) for member in waits_in
    ]
    obstacles = [
        replace(each, text=_in(member, each.text))
        for member, report in reports
        for each in report.obstacles
    ]
    found = [_of_cluster(each, member) for member, report in reports for each in report]
    ranked = sorted(found, key=lambda each: (*each.disturbance, each.time, each.cluster))
    once = {each.text if each.kind == "wait" else repr(each): each for each in reversed(ranked)}
    return Report(
        key,
        tuple(obstacles),
        tuple(reversed(once.values())),
        trials.trials - 1,
        all(report.complete for _, report in reports),
        trials.now - run.start,
        trials.until - run.start,
    )


def _waits_in(run: MultiKueueRun, key: str) -> Iterator[MemberCluster]:
    """Yield the clusters in which a change could help: the manager, or those with a copy."""
    manager = run.cluster_set.manager.member
    state = manager.workloads[key]
    if state.is_admitted or state.is_finished:
        return
    if not state.has_quota_reservation:
        yield manager
        return
    for member in run.cluster_set.workers.values():
        if key in member.workloads and not member.workloads[key].has_quota_reservation:
            yield member


def _of_cluster(suggestion: Suggestion, member: MemberCluster) -> Suggestion:
    if suggestion.kind == "wait":
        return suggestion
    return replace(suggestion, text=_in(member, suggestion.text), cluster=member.name)


def _in(member: MemberCluster, text: str) -> str:
    where = "manager" if member.name == "manager" else "worker"
    return Message(f"whatif.clusters.in-{where}", cluster=member.name, text=text)


class _Runs(Trials):
    """Plays the scenario anew for each change that is tried."""

    def __init__(self, run: MultiKueueRun, workload: str, until: float | str | None = None) -> None:
        self._run = run
        self._workload = workload
        self.now = run.cluster_set.now
        asked = self.now + _AFTERWARDS * SECOND if until is None else run.start + moment_of(until)
        self.until: int = max(asked, self.now)
        self.trials = 0
        self.work = 0
        self.workloads = len(run.cluster_set.manager.member.workloads)
        self.gave_up = False
        self.cluster = ""
        self._evicted: frozenset[str] = frozenset()
        self.unchanged = self._played(())
        self._evicted = frozenset(self.unchanged.evicted)

    def attempt(self, changes: Iterable[Change]) -> Trial:
        """Make changes to the cluster that is searched, at the end of the run, and play on."""
        try:
            return self._played(tuple(changes))
        except KueueLabError:
            return Trial()

    def _played(self, changes: tuple[Change, ...]) -> Trial:
        fork = self._run.fork().change(*changes, cluster=self.cluster)
        self.trials += 1
        self.work += _WORK_OF_A_RUN
        after = fork.lab.run(until=(self.until - self._run.start) / SECOND, record=False)
        state = after.cluster_set.manager.member.workloads.get(self._workload)
        since = None
        if state is not None and (state.is_admitted or state.is_finished):
            admitted = state.conditions.get("Admitted")
            since = None if admitted is None else max(admitted.last_transition_time, self.now)
        evicted = dict.fromkeys(self._evictions(after))
        others = tuple(each for each in evicted if each not in self._evicted)
        return Trial(since, others, decisions=(hash((since, others)),))

    def _evictions(self, run: ClusterSetRun) -> Iterator[str]:
        for member in run.cluster_set.members.values():
            for event in member.cluster.events:
                late = event.time >= self.now and event.object != self._workload
                if late and event.reason.startswith("EvictedDueTo"):
                    yield event.object


class _ClusterSearch(Search):
    """Searches changes of one cluster; each is tried in all of them."""

    def __init__(
        self,
        run: MultiKueueRun,
        trials: _Runs,
        member: MemberCluster,
        workload: str,
        progress: Callable[[], object] | None,
    ) -> None:
        self._workload = workload
        self._start = run.start
        self._lent = ExitStack()
        self._found = {}
        self._weak = {}
        trials.cluster = member.name
        self._search(trials, Subject(member.cluster, workload), progress)
