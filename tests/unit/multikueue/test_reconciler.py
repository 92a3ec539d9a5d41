"""Rules of the manager's reconciler that recorded scenarios do not reach, one by one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kueuelab.model import MultiKueueConfig, ObjectMeta, WorkloadStatus
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSet, Timing
from kueuelab.multikueue.workload_group import GATE
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import set_workload
from kueuelab.simulation.reconcile import finish
from kueuelab.workload import WorkloadState

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from cluster_sets import cluster_set, job, plan

_ORCHESTRATED = {"MultiKueueOrchestratedPreemption": True}


def _only(made: ClusterSet) -> WorkloadState:
    (state,) = made.manager.member.workloads.values()
    return state


def _full_workers(*names: str, limit: int = 100) -> ClusterSet:
    """Return workers on which a preemption gives quota, and a check that never passes."""
    made = cluster_set(
        dict.fromkeys(names, 2),
        gates=_ORCHESTRATED,
        worker_checks=("capacity",),
        priorities={"low": 1, "high": 1000},
        timing=replace(Timing(), single_cluster_preemption=limit * SECOND),
    )
    for name in names:
        made.submit(name, job("victim", 2, "low"), plan(10_000))
    made.advance(5)
    return made


def _opened(made: ClusterSet) -> dict[str, float]:
    """Return when each gate was opened, in seconds since the job was submitted."""
    assert made.log is not None
    fact = f"preemptionGate {GATE}=Open"
    return {f.cluster: round(f.time / SECOND) - 5 for f in made.log.facts if f.fact == fact}


def test_each_gate_has_its_own_time_before_the_next_is_opened() -> None:
    """The clock counts from the gate that was opened last, not from the first."""
    made = _full_workers("w1", "w2", "w3")
    made.submit("manager", job("train", 2, "high"), plan(5))
    made.advance(90)
    assert len(_opened(made)) == 1
    made.advance(60)
    assert len(_opened(made)) == 2
    made.advance(45)
    assert len(_opened(made)) == 2
    made.advance(1000)
    times = sorted(_opened(made).values())
    assert len(times) == 3
    assert [round(t / 100) for t in times] == [0, 1, 2]


def test_no_worker_is_nominated_before_all_other_checks_are_ready() -> None:
    made = cluster_set({"w1": 4}, checks=("budget",))
    made.submit("manager", job("train"), plan(5))
    made.advance(30)
    state = _only(made)
    assert state.has_quota_reservation
    assert not state.is_finished
    assert made.log is not None
    assert not [f for f in made.log.facts if f.cluster == "w1" or "nominated" in f.fact]
    made.set_check("manager", state.key, "budget", "Ready")
    made.advance(1)
    assert state.cluster_name == "w1"
    made.advance(30)
    assert state.is_finished


def test_a_workload_without_a_job_is_rejected() -> None:
    made = cluster_set({"w1": 4})
    member = made.manager.member
    made.submit("manager", job("train"), plan(5))
    made.advance(1)
    meta = ObjectMeta("bare", "team", "bare")
    member.create_workload(replace(_only(made).obj, metadata=meta, status=WorkloadStatus()))
    made.advance(1)
    assert made.log is not None
    told = 'multikueue=Rejected message=No multikueue adapter found, Previously: "Pending"'
    assert {f.name for f in made.log.facts if f.fact == f"admissionCheckState {told}"} == {"bare"}
    assert not member.workloads["team/bare"].active


def test_a_workload_whose_job_is_gone_is_looked_at_again_later() -> None:
    made = cluster_set({"w1": 4})
    made.submit("manager", job("train"), plan(50))
    made.advance(5)
    state = _only(made)
    gone = made.manager.member.jobs.pop("Job/team/train")
    made.manager.reconciler.queue.add(state.key)
    made.advance(1)
    assert state.admission_checks["multikueue"].state == "Ready"
    made.manager.member.jobs[gone.key] = gone
    made.advance(100)
    assert state.is_finished


def test_a_key_of_nothing_is_done_with() -> None:
    made = cluster_set({"w1": 4})
    made.manager.reconciler.queue.add("team/none")
    made.advance(1)
    assert made.manager.reconciler.queue.is_idle("team/none")


def test_a_copy_without_a_priority_class_is_made_anew_when_the_priority_differs() -> None:
    """Only what comes from a WorkloadPriorityClass is written to a copy."""
    made = cluster_set({"w1": 1})
    made.submit("manager", job("train", 2), plan(5))
    made.advance(2)
    before = made.workers["w1"].workloads[_only(made).key].obj.metadata.uid

    def change(plane: ControlPlane, state: WorkloadState) -> bool:
        set_workload(plane, state, replace(plane.written(state), priority=7))
        plane.changed(state.key)
        return True

    made.manager.member.write(_only(made).key, change)
    made.advance(5)
    copy = made.workers["w1"].workloads[_only(made).key]
    assert copy.obj.priority == 7
    assert copy.obj.metadata.uid != before


def test_a_copy_that_finished_otherwise_than_by_its_job_finishes_the_workload() -> None:
    made = cluster_set({"w1": 4})
    made.submit("manager", job("train"), plan(1000))
    made.advance(5)

    def end(plane: ControlPlane, state: WorkloadState) -> bool:
        finish(plane, state, "ByHand", "somebody did")
        return True

    made.workers["w1"].write(_only(made).key, end)
    made.advance(5)
    condition = _only(made).conditions["Finished"]
    assert (condition.reason, condition.message) == ("ByHand", "somebody did")
    assert not made.workers["w1"].workloads


def test_a_copy_that_is_out_of_sync_is_dispatched_anew() -> None:
    made = cluster_set({"w1": 4})
    made.submit("manager", job("train"), plan(20))
    made.advance(5)

    def end(plane: ControlPlane, state: WorkloadState) -> bool:
        finish(plane, state, "OutOfSync", "it differs from its job")
        return True

    made.workers["w1"].write(_only(made).key, end)
    made.advance(3)
    assert not _only(made).is_finished
    assert made.log is not None
    text = (
        'admissionCheckState multikueue=Retry message=Remote workload on worker cluster "w1" is '
        'out of sync with its user job, resetting for re-dispatch, Previously: "Ready"'
    )
    assert [f.cluster for f in made.log.facts if f.fact == text] == ["manager"]


def test_without_its_config_nothing_happens_to_a_workload() -> None:
    made = cluster_set({"w1": 4})
    config = made.manager.member.cluster.objects.get("MultiKueueConfig", "fleet")
    assert isinstance(config, MultiKueueConfig)
    made.submit("manager", job("train"), plan(20))
    made.advance(5)
    made.remove("manager", "MultiKueueConfig", "fleet")
    made.advance(60)
    assert _only(made).cluster_name == "w1"
    assert not _only(made).is_finished
    made.apply("manager", config)
    made.advance(60)
    assert _only(made).is_finished


@pytest.mark.parametrize("spec", [{}, {"managedBy": "example.com/other"}])
def test_nothing_is_kept_of_a_workload_that_is_deleted(spec: dict[str, Any]) -> None:
    """Whether it ran, or its check was rejected."""
    made = cluster_set({"w1": 4})
    made.submit("manager", job("train", **spec), plan(500))
    made.advance(3)
    key = _only(made).key
    made.delete_job("manager", "Job/team/train")
    made.advance(10)
    assert not made.manager.member.workloads
    assert made.manager.read(key) is None
    assert not made.workers["w1"].workloads


def test_a_copy_is_created_when_the_namespace_comes_to_its_worker() -> None:
    """What could not be created is tried again."""
    made = cluster_set({"w1": 4})
    made.workers["w1"].absent_namespaces = ("team",)
    made.submit("manager", job("train"), plan(5))
    made.advance(5)
    assert not made.workers["w1"].workloads
    made.workers["w1"].absent_namespaces = ()
    made.advance(20)
    assert _only(made).is_finished


def _leader_worker_set() -> dict[str, Any]:
    container = {"name": "main", "image": "x", "resources": {"requests": {"cpu": "1"}}}
    template = {"spec": {"containers": [container]}}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {
            "name": "groups",
            "namespace": "team",
            "labels": {"kueue.x-k8s.io/queue-name": "main"},
        },
        "spec": {"replicas": 2, "leaderWorkerTemplate": {"size": 1, "workerTemplate": template}},
    }


def test_a_group_waits_for_the_worker_that_runs_the_others() -> None:
    made = cluster_set({"w1": 4, "w2": 4})
    made.submit("manager", _leader_worker_set())
    states: list[WorkloadState] = []
    while not any(state.cluster_name for state in states):
        made.advance(0.01)
        states = list(made.manager.member.workloads.values())
    (cluster,) = {state.cluster_name for state in states if state.cluster_name}
    made.disconnect(cluster)
    made.advance(3)
    assert [state.cluster_name for state in states].count(None) == 1
    (other,) = made.workers.keys() - {cluster}
    assert not made.workers[other].workloads
    made.reconnect(cluster)
    made.advance(30)
    assert {state.cluster_name for state in states} == {cluster}
    assert len(made.workers[cluster].workloads) == 2


def _copy_of(made: ClusterSet) -> WorkloadState:
    return made.workers["w1"].workloads[_only(made).key]


def test_another_class_of_the_same_value_is_written_to_a_waiting_copy() -> None:
    made = cluster_set({"w1": 1}, priorities={"low": 1, "modest": 1})
    job_ = made.submit("manager", job("train", 2, "low"), plan(5))
    made.advance(2)
    before = _copy_of(made).obj.metadata.uid
    # The API lets the class change as long as there is no quota; here it is written directly.
    ref = replace(_copy_of(made).obj.priority_class_ref, name="modest")  # type: ignore[type-var]

    def change(plane: ControlPlane, state: WorkloadState) -> bool:
        set_workload(plane, state, replace(plane.written(state), priority_class_ref=ref))
        plane.changed(state.key)
        return True

    job_.labels["kueue.x-k8s.io/priority-class"] = "modest"
    made.manager.member.write(_only(made).key, change)
    made.advance(5)
    assert _copy_of(made).obj.metadata.uid == before
    assert _copy_of(made).obj.priority_class_ref == ref

    def boost(plane: ControlPlane, state: WorkloadState) -> bool:
        set_workload(plane, state, replace(plane.written(state), priority=5))
        plane.changed(state.key)
        return True

    made.manager.member.write(_only(made).key, boost)
    made.advance(5)
    assert (_copy_of(made).obj.metadata.uid, _copy_of(made).obj.priority) == (before, 5)


def test_a_copy_with_a_class_is_removed_when_something_else_differs() -> None:
    made = cluster_set({"w1": 1}, priorities={"low": 1})
    made.submit("manager", job("train", 2, "low"), plan(5))
    made.advance(2)
    made.set_active("manager", _only(made).key, False)
    made.advance(30)
    assert not made.workers["w1"].workloads


def test_a_workload_that_is_finished_is_done_with() -> None:
    made = cluster_set({"w1": 4})
    made.submit("manager", job("train"), plan(2))
    made.advance(60)
    assert _only(made).is_finished
    assert made.manager.reconciler.queue.is_idle(_only(made).key)


def test_a_first_group_that_starts_anew_goes_where_the_others_are() -> None:
    made = cluster_set({"w1": 4, "w2": 4})
    made.submit("manager", _leader_worker_set())
    made.advance(10)
    states = sorted(made.manager.member.workloads.values(), key=lambda state: state.key)
    first = next(state for state in states if "-0-" in state.key)
    (cluster,) = {state.cluster_name for state in states}
    (other,) = made.workers.keys() - {cluster}
    assert cluster is not None
    assert made.log is not None
    known = len(made.log.facts)
    made.delete_workload(cluster, first.key)
    made.advance(30)
    since = made.log.facts[known:]
    assert any("=Retry" in fact.fact for fact in since)
    assert first.cluster_name == cluster
    assert not [fact for fact in since if fact.cluster == other]


def test_a_copy_on_a_worker_that_is_nominated_no_more_is_removed() -> None:
    made = cluster_set(
        {"w1": 1, "w2": 1, "w3": 1}, configuration={"dispatcherName": "example.com/by-hand"}
    )
    made.submit("manager", job("train", 2), plan(5))
    made.advance(1)
    key = _only(made).key
    made.nominate(key, ["w1", "w2"])
    made.advance(3)
    assert [key in member.workloads for member in made.workers.values()] == [True, True, False]
    made.nominate(key, ["w2"])
    made.advance(3)
    assert [key in member.workloads for member in made.workers.values()] == [False, True, False]


def test_a_ready_check_without_an_admitting_cluster_is_dispatched_anew() -> None:
    """As when somebody else than Kueue says that the check is ready."""
    made = cluster_set({"w1": 1})
    made.submit("manager", job("train", 2), plan(5))
    made.advance(2)
    made.set_check("manager", _only(made).key, "multikueue", "Ready")
    made.advance(1)
    assert made.log is not None
    text = (
        "admissionCheckState multikueue=Retry message=Admission check is Ready but no admitting "
        'cluster is recorded; this is unexpected, please report it, Previously: "Ready"'
    )
    assert text in [fact.fact for fact in made.log.facts if fact.cluster == "manager"]


def test_each_copy_that_differs_is_made_anew_and_no_other() -> None:
    made = cluster_set({"w1": 1, "w2": 1})
    made.submit("manager", job("train", 2), plan(5))
    made.advance(2)
    key = _only(made).key

    def change(plane: ControlPlane, state: WorkloadState) -> bool:
        set_workload(plane, state, replace(plane.written(state), priority=7))
        plane.changed(state.key)
        return True

    for changed, kept in ("w1", "w2"), ("w2", "w1"):
        before = {name: member.workloads[key].obj for name, member in made.workers.items()}
        made.workers[changed].write(key, change)
        made.advance(5)
        after = {name: member.workloads[key].obj for name, member in made.workers.items()}
        assert after[changed].metadata.uid != before[changed].metadata.uid
        assert after[changed].priority == 0
        assert after[kept] is before[kept]


def test_a_copy_that_could_not_be_removed_is_removed_when_its_worker_answers() -> None:
    """The worker is out of reach for less time than the manager takes to notice."""
    timing = replace(Timing(), remote_call=4 * SECOND, multikueue=SECOND)
    made = cluster_set({"w1": 1}, timing=timing)
    made.submit("manager", job("train", 2), plan(5))
    made.advance(20)
    key = _only(made).key
    assert key in made.workers["w1"].workloads
    made.set_active("manager", key, False)
    made.advance(2)
    made.cut_off["w1"] = None
    made.advance(2)
    made.cut_off.pop("w1")
    made.advance(60)
    assert not made.workers["w1"].workloads


def test_a_copy_on_a_lost_worker_is_removed_when_the_worker_is_back() -> None:
    made = cluster_set({"w1": 1, "w2": 1})
    made.submit("manager", job("train", 2), plan(5))
    made.advance(2)
    key = _only(made).key
    made.disconnect("w1")
    made.advance(3)
    made.set_active("manager", key, False)
    made.advance(3)
    assert [key in member.workloads for member in made.workers.values()] == [True, False]
    made.reconnect("w1")
    made.advance(30)
    assert not made.workers["w1"].workloads


_BY_HAND = {"dispatcherName": "example.com/by-hand"}


def test_a_nominated_worker_that_was_out_of_reach_gets_its_copy_later() -> None:
    made = cluster_set({"w1": 4, "w2": 4}, configuration=_BY_HAND)
    made.submit("manager", job("train"), plan(5))
    made.advance(1)
    made.disconnect("w1")
    made.advance(1)
    made.nominate(_only(made).key, ["w1"])
    made.advance(1)
    made.reconnect("w1")
    made.advance(60)
    assert _only(made).cluster_name == "w1"


def test_nothing_is_created_while_the_check_asks_for_a_retry() -> None:
    timing = replace(Timing(), workload=SECOND)
    made = cluster_set({"w1": 4}, configuration=_BY_HAND, timing=timing)
    made.submit("manager", job("train"), plan(5))
    made.advance(5)
    made.set_check("manager", _only(made).key, "multikueue", "Retry")
    made.nominate(_only(made).key, ["w1"])
    made.advance(5)
    assert made.log is not None
    assert any("message=Reset to Pending" in fact.fact for fact in made.log.facts)
    assert not [fact for fact in made.log.facts if fact.cluster == "w1"]


def test_a_check_that_asks_for_a_retry_stays_so_while_a_copy_runs() -> None:
    made = cluster_set({"w1": 4}, timing=replace(Timing(), workload=SECOND))
    made.submit("manager", job("train"), plan(500))
    made.advance(10)
    assert made.log is not None
    known = len(made.log.facts)
    made.set_check("manager", _only(made).key, "multikueue", "Retry")
    made.advance(1)
    assert _only(made).admission_checks["multikueue"].state != "Ready"
    made.advance(10)
    facts = [fact.fact for fact in made.log.facts[known:] if fact.cluster == "manager"]
    assert any(fact.startswith("condition Evicted=True") for fact in facts), facts


def test_the_other_groups_follow_as_soon_as_the_first_is_admitted() -> None:
    made = cluster_set({"w1": 4, "w2": 4})
    made.submit("manager", _leader_worker_set())
    made.advance(10)
    assert made.log is not None
    first, other = (
        [fact.time for fact in made.log.facts if fact.name.endswith(end) and fact.fact == told][-1]
        for end, told in (("-0", "clusterName=w1"), ("-1", "created"))
    )
    # Until a change is noticed, and one request to the worker.
    timing = Timing()
    assert timing.batch < other - first < timing.batch + 2 * timing.watch


def test_a_group_that_follows_keeps_its_copy_and_has_no_other() -> None:
    made = cluster_set({"w1": 1, "w2": 0})
    made.submit("manager", _leader_worker_set())
    made.advance(5)
    (follower,) = (s for s in made.manager.member.workloads.values() if not s.cluster_name)
    copy = made.workers["w1"].workloads[follower.key].obj
    stray = replace(copy, metadata=replace(copy.metadata, uid="stray"), status=WorkloadStatus())
    made.workers["w2"].create_workload(stray, follower)
    made.advance(30)
    assert made.workers["w1"].workloads[follower.key].obj.metadata.uid == copy.metadata.uid
    assert follower.key not in made.workers["w2"].workloads
    assert follower.cluster_name is None


def test_a_group_that_follows_may_preempt_at_once() -> None:
    made = cluster_set({"w1": 4, "w2": 4}, gates=_ORCHESTRATED)
    made.submit("manager", _leader_worker_set())
    made.advance(10)
    cluster = {state.cluster_name for state in made.manager.member.workloads.values()}
    (worker,) = (made.workers[name] for name in cluster if name)
    gates = [worker.workloads[key].obj.preemption_gates for key in sorted(worker.workloads)]
    assert gates == [(GATE,), ()]


def test_a_status_that_could_not_be_written_yet_is_written_soon() -> None:
    """The job here is suspended as long as another check is not ready again."""
    timing = replace(Timing(), remote_call=0, read=0, multikueue=SECOND // 1000)
    made = cluster_set({"w1": 4}, checks=("budget",), timing=timing)
    job_ = made.submit("manager", job("train"), plan(500))
    made.advance(1)
    key = _only(made).key
    made.set_check("manager", key, "budget", "Ready")
    while key not in made.workers["w1"].workloads:
        made.advance(0.001)
    made.set_check("manager", key, "budget", "Pending")
    made.advance(20)
    assert (_only(made).cluster_name, job_.suspend, job_.status.start_time) == ("w1", True, None)
    made.set_check("manager", key, "budget", "Ready")
    made.advance(3)
    assert not job_.suspend
    assert job_.status.start_time is not None
