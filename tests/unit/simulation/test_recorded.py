from __future__ import annotations

from typing import Any

from simulation_lab import Lab, check, checks, flavor, local, make_lab, queue, work

from kueuelab.model import ReclaimablePod
from kueuelab.trace import Trace
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step import Step
from kueuelab.trace.steps import Evicted


def _busy(recorder: Recorder | None) -> Lab:
    """Play a bit of everything."""
    cohort = {"kind": "Cohort", "metadata": {"name": "team"}, "spec": {"parentName": "org"}}
    preemption = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    lab = make_lab(
        flavor(),
        check("c"),
        cohort,
        queue(cohortName="team", preemption=preemption),
        queue("checked", cohortName="team", admissionChecksStrategy=checks("c")),
        local(),
        local("lq2", "checked"),
        recorder=recorder,
        waitForPodsReady={"timeout": "20s"},
    )
    cluster = lab.cluster
    lab.create(work("low", cpu="1", count=3), work("x", cpu="2", queue_name="lq2"))
    cluster.settle(2)
    lab.create(work("high", cpu="4", priority=5))
    cluster.settle(3)
    cluster.set_check("default/x", "c", "Ready")
    cluster.pods_ready("default/x")
    cluster.pods_ready("default/high")
    cluster.reclaim("default/high", [ReclaimablePod("main", 0)])
    lab.apply(queue("checked", cohortName="team"))
    lab.wait(30)
    cluster.settle(3)
    cluster.set_active("default/x", False)
    cluster.complete_evictions()
    cluster.set_active("default/x", True)
    lab.apply(local("lq2", "checked", stopPolicy="Hold"))
    lab.apply(local("lq2", "checked"))
    cluster.settle(5)
    cluster.finish("default/high")
    cluster.settle(5)
    lab.wait(30)
    cluster.delete_workload("default/high")
    cluster.remove("Cohort", "team")
    return lab


def _state_after(steps: list[Step]) -> dict[tuple[str, ...], Any]:
    state: dict[tuple[str, ...], Any] = {}
    for step in steps:
        for change in step.changes:
            assert state.get(change.path) == change.before, (step.index, change)
            state[change.path] = change.after
    return {path: value for path, value in state.items() if value is not None}


def test_recording_changes_no_decision() -> None:
    plain_run, recorded_run = _busy(None), _busy(Recorder())
    assert recorded_run.cluster.state() == plain_run.cluster.state()
    assert recorded_run.cluster.events == plain_run.cluster.events


def test_the_changes_of_all_steps_make_the_state() -> None:
    recorder = Recorder()
    lab = _busy(recorder)
    state = _state_after(recorder.steps)
    for key, workload in lab.cluster.workloads.items():
        for type_, condition in workload.conditions.items():
            found = state["workloads", key, "conditions", type_]
            assert (found["status"], found["message"]) == (condition.status, condition.message)
        assert state["workloads", key, "active"] is workload.active
        admission = state.get(("workloads", key, "admission"))
        assert (admission is None) == (workload.admission is None)
    assert state["clusterQueues", "cq", "active"] is True
    assert not [path for path in state if path[:2] == ("workloads", "default/high")]
    assert ("objects", "Cohort/team") not in state


def test_every_kind_of_effect_is_recorded() -> None:
    recorder = Recorder()
    _busy(recorder)
    assert {step.kind for step in recorder.steps} >= {
        "Admitted",
        "CheckStateChanged",
        "Deactivated",
        "EventEmitted",
        "Evicted",
        "Finished",
        "ObjectApplied",
        "ObjectRemoved",
        "Pending",
        "PodsReadyChanged",
        "QueueStatusChanged",
        "QuotaReleased",
        "QuotaReserved",
        "TimerFired",
        "WorkloadCreated",
        "WorkloadDeleted",
    }


def test_steps_know_time_workload_and_queue() -> None:
    recorder = Recorder()
    lab = _busy(recorder)
    evicted = [step for step in recorder.steps if isinstance(step.facts, Evicted)]
    preempted = [(step.workload, step.cluster_queue) for step in evicted if step.facts.preemptor]
    assert preempted == [("default/low", "cq")]
    times = [step.time for step in recorder.steps]
    assert times == sorted(times)
    assert times[-1] == lab.cluster.now


def test_steps_outside_of_cycles_say_so() -> None:
    recorder = Recorder()
    _busy(recorder)
    assert {step.cycle for step in recorder.steps if step.kind == "WorkloadCreated"} == {0}
    assert 0 not in {step.cycle for step in recorder.steps if step.kind == "QuotaReserved"}


def test_the_same_again_is_the_same_trace() -> None:
    first, second = Recorder(), Recorder()
    _busy(first)
    _busy(second)
    assert first.steps == second.steps


def test_objects_are_recorded_in_kubernetes_spelling() -> None:
    recorder = Recorder()
    _busy(recorder)
    state = Trace.of(recorder).state_at(len(recorder.steps) - 1)
    assert state.local_queue("default/lq2").manifest["spec"] == {"clusterQueue": "checked"}
    assert state.cluster_queue("cq").manifest["spec"]["cohortName"] == "team"


def test_a_limit_of_zero_is_a_limit() -> None:
    resources = [{"name": "cpu", "nominalQuota": 2, "borrowingLimit": 0}]
    group = {"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": resources}]}
    recorder = Recorder()
    make_lab(flavor(), queue(cohortName="team", resourceGroups=[group]), recorder=recorder)
    (quota,) = Trace.of(recorder).state_at(len(recorder.steps) - 1).cluster_queue("cq").quotas
    assert (quota.nominal, quota.borrowing_limit, quota.lending_limit) == (2000, 0, None)
