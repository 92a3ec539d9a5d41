"""What holds in any cluster set, with any faults; what Kueue itself leaves behind has a name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kueuelab.model import MultiKueueConfig
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSet, cheapest_first
from kueuelab.multikueue.hazards import Hazard, hazards_now

sys.path.insert(0, str(Path(__file__).parent))
from cluster_sets import INCREMENTAL, cluster_set, job, plan

pytestmark = pytest.mark.filterwarnings("error")

_EXTERNAL = {"dispatcherName": "example.com/cheapest"}
#: All at once, in rounds of one and of three, and by a callable from outside.
_DISPATCHERS: list[dict[str, Any]] = [
    {},
    {"dispatcherName": INCREMENTAL, "incrementalDispatcherConfig": {"stepSize": 1}},
    {"dispatcherName": INCREMENTAL},
    _EXTERNAL,
]
#: What Kueue gets over by itself.
_HARMLESS = (
    "restart-worker",
    "deactivate",
    "delete",
    "evict-on-worker",
    "delete-on-worker",
    "drain-worker",
    "drain-manager",
)
#: The manager is without a worker for some seconds. Harmless as well, but for a copy that was
#: admitted unseen, and for a job that reserved quota meanwhile.
_SHORT = ("restart-manager", "blink", "bad-token")
#: What v0.19 does not get over: these have names, see ``hazards``.
_HARMFUL = ("lose", "remove-cluster", "delete-cluster")

#: At a time in seconds, something befalls somebody.
_Fault = tuple[int, str, int]
_ClusterSet = tuple[list[int], int, list[tuple[int, int, int]], dict[str, Any], int]


def _faults(kinds: tuple[str, ...]) -> st.SearchStrategy[list[_Fault]]:
    fault = st.tuples(st.integers(0, 30), st.sampled_from(kinds), st.integers(0, 5))
    return st.lists(fault, max_size=4)


_JOBS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 3), st.integers(1, 6)), min_size=1, max_size=5
)
_CLUSTER_SETS: st.SearchStrategy[_ClusterSet] = st.tuples(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(1, 12),
    _JOBS,
    st.sampled_from(_DISPATCHERS),
    st.integers(0, 3),
)


class Watcher:
    """Notes, as it happens, what must never happen, and what may under a name only."""

    def __init__(self, watched: ClusterSet) -> None:
        self.cluster_set = watched
        self.cluster_names: dict[str, str] = {}
        self.renamed: list[str] = []
        self.twice: list[str] = []
        self.admitted_unseen: set[tuple[str, str]] = set()
        for member in watched.members.values():
            member.observers.append(self)

    def workload_written(self, member: Any, key: str) -> None:
        """Look at ``clusterName``: once set it may only be cleared."""
        self._look_for_older_copies(key)
        if member is not self.cluster_set.manager.member:
            return
        state = member.workloads.get(key)
        name = "" if state is None else state.cluster_name or ""
        before = self.cluster_names.get(key, "")
        if before and name and before != name:
            self.renamed.append(f"{key}: {before} became {name}")
        self.cluster_names[key] = name

    def _look_for_older_copies(self, key: str) -> None:
        """Note copies out of reach that were admitted no later than the one that was chosen."""
        state = self.cluster_set.manager.member.workloads.get(key)
        if state is None or state.cluster_name is None:
            return
        since = _admitted_since(self.cluster_set, state.cluster_name, key)
        for name in self.cluster_set.workers:
            other = _admitted_since(self.cluster_set, name, key)
            unseen = self.cluster_set.manager.connections.reached(name) is None
            if name == state.cluster_name or other is None or not unseen:
                continue
            if since is None or other <= since:
                self.admitted_unseen.add((key, name))

    def job_written(self, member: Any, job: Any, gone: bool) -> None:
        """Look where pods are alive: in one cluster at a time, unless a hazard says why not."""
        now = self.cluster_set.now
        places = [
            name
            for name, each in self.cluster_set.workers.items()
            if (found := each.jobs.get(job.key)) is not None
            and not found.suspend
            and any(pod.is_alive(now) for pod in found.pods)
        ]
        if len(places) > 1:
            keys = set(self.cluster_set.workers[places[0]].jobs[job.key].workload_keys)
            named = {hazard.workload for hazard in hazards_now(self.cluster_set)}
            if not keys & named:
                self.twice.append(f"{job.key} runs in {places}")

    def objects_written(self, member: Any) -> None:
        """Nothing to look at."""


def _admitted_since(made: ClusterSet, name: str, key: str) -> int | None:
    """Return since when a worker's copy is admitted, in whole seconds."""
    copy = made.workers[name].workloads.get(key)
    condition = None if copy is None else copy.conditions.get("Admitted")
    if condition is None or condition.status != "True":
        return None
    return condition.last_transition_time


def _key_of(made: ClusterSet, which: int) -> str | None:
    workloads = sorted(made.manager.member.workloads)
    return workloads[which % len(workloads)] if workloads else None


def _stop_queue(made: ClusterSet, cluster: str, seconds: int) -> None:
    """Drain a queue, and open it again."""
    queue = made.member(cluster).cluster.objects.cluster_queues["cq"]
    made.apply(cluster, replace(queue, stop_policy="HoldAndDrain"))
    made.loop.after(
        seconds * SECOND,
        lambda: made.apply(
            cluster,
            replace(made.member(cluster).cluster.objects.cluster_queues["cq"], stop_policy="None"),
        ),
    )


def _inject(made: ClusterSet, what: str, which: int) -> None:
    names = list(made.workers)
    worker = names[which % len(names)]
    key = _key_of(made, which)
    back = made.loop.after
    match what:
        case "restart-manager" if made.manager.member.kueue_up:
            made.restart_kueue("manager")
        case "restart-worker" if made.workers[worker].kueue_up:
            made.restart_kueue(worker)
        case "blink":
            made.disconnect(worker)
            back(3 * SECOND, lambda: made.reconnect(worker))
        case "lose":
            made.disconnect(worker)
            back(90 * SECOND, lambda: made.reconnect(worker))
        case "bad-token":
            made.set_kubeconfig(worker, "wrong-token")
            back(5 * SECOND, lambda: made.set_kubeconfig(worker, "valid"))
        case "deactivate" if key is not None:
            made.set_active("manager", key, False)
        case "delete" if key is not None:
            found = made.manager.member.job_of(key)
            if found is not None:
                made.delete_job("manager", found.key)
        case "evict-on-worker" if key is not None and key in made.workers[worker].workloads:
            made.set_active(worker, key, False)
        case "delete-on-worker" if key is not None and key in made.workers[worker].workloads:
            made.delete_workload(worker, key)
        case "drain-worker":
            _stop_queue(made, worker, 10)
        case "drain-manager":
            _stop_queue(made, "manager", 10)
        case "remove-cluster" if len(names) > 1:
            config = made.manager.member.cluster.objects.get("MultiKueueConfig", "fleet")
            assert isinstance(config, MultiKueueConfig)
            left = tuple(name for name in config.clusters if name != worker)
            if left:
                made.apply("manager", replace(config, clusters=left))
        case "delete-cluster":
            known = made.manager.member.cluster.objects.get("MultiKueueCluster", worker)
            if known is not None:
                made.remove("manager", "MultiKueueCluster", worker)


def _play(chosen: _ClusterSet, faults: list[_Fault]) -> tuple[ClusterSet, Watcher]:
    workers, manager, jobs, dispatcher, seed = chosen
    names = {f"w{n}": cpu for n, cpu in enumerate(workers, start=1)}
    price = {name: float(n) for n, name in enumerate(names)}
    more = {"dispatcher": cheapest_first(price, 20 * SECOND)} if dispatcher is _EXTERNAL else {}
    made = cluster_set(
        names,
        manager=manager,
        configuration={**dispatcher, "workerLostTimeout": "60s"},
        seed=seed,
        **more,
    )
    watcher = Watcher(made)

    def later(at: float, act: Callable[[], object]) -> None:
        made.loop.at(round(at * SECOND), lambda: (act(), None)[1])

    for number, (at, cpu, seconds) in enumerate(jobs):
        manifest = job(f"job-{number}", min(cpu, *workers, manager))
        later(at, lambda m=manifest, s=seconds: made.submit("manager", m, plan(s)))  # type: ignore[misc]
    for at, what, which in faults:
        later(at + 0.5, lambda w=what, n=which: _inject(made, w, n))  # type: ignore[misc]
    made.advance(4000)
    return made, watcher


def _assert_at_rest(made: ClusterSet, stuck: frozenset[str] = frozenset()) -> None:
    """Assert that nothing is left to do or left behind, but for the jobs in ``stuck``."""
    for key, state in made.manager.member.workloads.items():
        if key not in stuck:
            assert state.is_finished or not state.active, made.log.facts if made.log else ""
    for name, member in made.workers.items():
        assert member.workloads.keys() <= stuck, name
        for found in member.jobs.values():
            assert set(found.workload_keys) <= stuck, (name, found)
    for name, member in made.members.items():
        assert member.cluster.at_rest or not member.kueue_up, name
        for queue, node in member.cluster.tree.cluster_queues.items():
            if node.workloads.keys().isdisjoint(stuck):
                assert not any(node.usage.values()), (name, queue, dict(node.usage))
            else:
                assert node.workloads.keys() <= stuck, (name, queue)


@given(chosen=_CLUSTER_SETS, faults=_faults(_HARMLESS))
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
def test_cluster_sets_come_to_rest(chosen: _ClusterSet, faults: list[_Fault]) -> None:
    made, watcher = _play(chosen, faults)
    assert not watcher.renamed
    assert not watcher.twice
    assert not hazards_now(made)
    _assert_at_rest(made)


@given(chosen=_CLUSTER_SETS, faults=_faults(_HARMLESS + _SHORT * 4))
@example(
    chosen=([1, 1], 1, [(0, 1, 2), (0, 1, 2), (0, 1, 4)], _DISPATCHERS[2], 0),
    faults=[(13, "blink", 0)],
)
@example(
    chosen=([4, 1], 2, [(10, 2, 4), (6, 3, 6)], _DISPATCHERS[0], 2),
    faults=[(11, "blink", 1), (8, "blink", 2), (9, "blink", 1)],
)
@settings(max_examples=75, suppress_health_check=list(HealthCheck))
def test_a_short_outage_harms_copies_admitted_unseen_and_jobs_that_no_worker_was_there_for(
    chosen: _ClusterSet, faults: list[_Fault]
) -> None:
    made, watcher = _play(chosen, faults)
    assert not watcher.renamed
    assert not watcher.twice
    found = hazards_now(made)
    for hazard in found:
        if hazard.id == "older-copy-wins":
            assert (hazard.workload, hazard.cluster) in watcher.admitted_unseen
        else:
            assert hazard.id == "not-nominated"
            assert made.manager.dispatches_all_at_once
    _assert_at_rest(made, frozenset(hazard.workload for hazard in found) | _behind(made, found))


def _behind(made: ClusterSet, found: tuple[Hazard, ...]) -> frozenset[str]:
    """Return the jobs that wait for the quota that stuck ones hold."""
    if not found:
        return frozenset()
    workloads = made.manager.member.workloads
    return frozenset(key for key, state in workloads.items() if not state.has_quota_reservation)


@given(chosen=_CLUSTER_SETS, faults=_faults(_HARMLESS + _SHORT + _HARMFUL * 3))
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
def test_whatever_is_left_behind_is_a_hazard_with_a_name(
    chosen: _ClusterSet, faults: list[_Fault]
) -> None:
    made, watcher = _play(chosen, faults)
    assert not watcher.renamed
    assert not watcher.twice
    named = {(hazard.workload, hazard.cluster) for hazard in hazards_now(made)}
    for name, member in made.workers.items():
        reachable = made.manager.connections.reached(name) is not None
        for key, state in member.workloads.items():
            gone = key not in made.manager.member.workloads
            assert (key, name) in named or (gone and not reachable), (key, name, state)
        for found in member.jobs.values():
            assert any((key, name) in named or not reachable for key in found.workload_keys), (
                found,
                name,
            )
    for hazard in hazards_now(made):
        assert hazard.remedy


@given(seed=st.integers(0, 50))
@settings(max_examples=5)
def test_the_same_seed_gives_the_same_world(seed: int) -> None:
    def facts() -> list[str]:
        made = cluster_set({"w1": 4, "w2": 4}, seed=seed)
        for number in range(3):
            made.submit("manager", job(f"job-{number}"), plan(3))
        made.advance(30)
        assert made.log is not None
        return [str(fact) for fact in made.log.facts]

    assert facts() == facts()
