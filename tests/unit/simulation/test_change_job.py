"""A job that is changed in a timeline: in place while it is suspended, anew while it runs."""

from __future__ import annotations

from typing import Any

import pytest

import kueuelab as kl
from kueuelab.errors import InputError, SimulationError
from kueuelab.testing.kept_state import stale

HEAD = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: changed}
spec:
  queues:
    a: {cohort: all, cpu: 4}
    b: {cohort: all, cpu: 1}
  manifests:
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: WorkloadPriorityClass
    metadata: {name: high}
    value: 9
  timeline:
"""


def run_of(*actions: str) -> kl.LabRun:
    lab = kl.load(HEAD + "".join(f"  - {{{each}}}\n" for each in actions))
    assert isinstance(lab, kl.Lab)
    return lab.run()


def job(name: str, queue: str, pods: int) -> str:
    return f"submit: {{job: {name}, queue: {queue}, pods: {pods}, requests: {{cpu: 1}}}}"


def admitted(run: kl.LabRun) -> dict[str, int]:
    return {
        key: sum(each.count or 0 for each in state.admission.pod_set_assignments)
        for key, state in sorted(run.cluster.workloads.items())
        if state.admission is not None
    }


def test_a_suspended_job_that_asks_for_fewer_pods_fits() -> None:
    pending = run_of(f"at: 1s, {job('x', 'a', 9)}")
    assert admitted(pending) == {}
    run = run_of(f"at: 1s, {job('x', 'a', 9)}", "at: 5s, changeJob: {workload: x, pods: 3}")
    assert admitted(run) == {"default/x": 3}
    assert [step.kind for step in run.trace].count("WorkloadCreated") == 1
    assert list(stale(run.cluster)) == []


def test_a_running_job_gets_another_workload() -> None:
    run = run_of(f"at: 1s, {job('x', 'a', 2)}", "at: 5s, changeJob: {workload: x, pods: 4}")
    assert admitted(run) == {"default/x": 4}
    kinds = [step.kind for step in run.trace]
    assert (kinds.count("WorkloadCreated"), kinds.count("WorkloadDeleted")) == (2, 1)
    assert list(stale(run.cluster)) == []


def test_the_quota_of_a_running_job_is_free_for_others_that_wait() -> None:
    run = run_of(
        f"at: 1s, {job('x', 'a', 5)}",
        f"at: 2s, {job('other', 'a', 4)}",
        "at: 5s, changeJob: {workload: x, pods: 1}",
    )
    assert admitted(run) == {"default/other": 4, "default/x": 1}


def test_a_suspended_job_moves_to_another_queue() -> None:
    run = run_of(
        f"at: 1s, {job('first', 'a', 5)}",
        f"at: 2s, {job('x', 'a', 1)}",
        "at: 3s, changeJob: {workload: x, queue: b, priorityClass: high}",
    )
    state = run.cluster.workloads["default/x"]
    assert (state.obj.queue_name, state.priority) == ("b", 9)
    assert run.trace.of_kind("PriorityChanged")


def test_a_running_job_stays_in_its_queue() -> None:
    with pytest.raises(SimulationError, match="not suspended"):
        run_of(f"at: 1s, {job('x', 'a', 1)}", "at: 3s, changeJob: {workload: x, queue: b}")


def test_a_change_that_changes_nothing() -> None:
    actions = (f"at: 1s, {job('x', 'a', 2)}", "at: 5s, changeJob: {workload: x, pods: 2}")
    assert len(run_of(*actions).trace) == len(run_of(actions[0]).trace)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("{workload: none, pods: 1}", "none"),
        ("{workload: x, pods: 0}", "pods"),
        ("{workload: x, priorityClass: absent}", "absent"),
        ("{workload: x, parallelism: 3}", "parallelism"),
    ],
)
def test_mistakes(change: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        run_of(f"at: 1s, {job('x', 'a', 1)}", f"at: 2s, changeJob: {change}")


def test_in_a_fork() -> None:
    run = run_of(f"at: 1s, {job('x', 'a', 9)}")
    forked = run.fork().change_job("x", pods=4)
    assert "the job of default/x is changed" in forked.as_text()
    assert admitted(forked.run()) == {"default/x": 4}


RUNS = "submit: {job: x, queue: a, requests: {cpu: 1}, runs: 10s}"


def ended(run: kl.LabRun) -> float:
    (step,) = [step for step in run.trace if step.kind == "Finished"]
    return (step.time - run.start) / 1e9


def test_kueue_resumes_an_admitted_job_that_is_suspended() -> None:
    run = run_of(f"at: 1s, {RUNS}", "at: 5s, changeJob: {workload: x, suspend: true}")
    kinds = [step.kind for step in run.trace]
    assert (kinds.count("JobResumed"), kinds.count("QuotaReserved"), ended(run)) == (1, 1, 15)
    assert "suspended by its user; Kueue resumes it at once" in str(run)
    assert list(stale(run.cluster)) == []


@pytest.mark.parametrize(
    "actions",
    [
        (f"at: 1s, {RUNS}", "at: 5s, changeJob: {workload: x, suspend: false}"),
        (f"at: 1s, {RUNS}", "at: 12s, changeJob: {workload: x, suspend: true}"),
    ],
)
def test_a_job_that_is_not_suspended_or_is_over_runs_as_it_did(actions: tuple[str, str]) -> None:
    run = run_of(*actions)
    assert "JobResumed" not in [step.kind for step in run.trace]
    assert ended(run) == 11


def test_a_pending_job_stays_suspended() -> None:
    run = run_of(f"at: 1s, {job('x', 'a', 9)}", "at: 5s, changeJob: {workload: x, suspend: false}")
    assert admitted(run) == {}


def test_pods_that_start_anew_are_not_ready_at_first() -> None:
    head = HEAD.replace("spec:\n", "spec:\n  configuration: {waitForPodsReady: {timeout: 5m}}\n", 1)
    lab = kl.load(
        f"{head}  - {{at: 1s, {RUNS}}}\n  - {{at: 5s, changeJob: {{workload: x, suspend: true}}}}\n"
    )
    assert isinstance(lab, kl.Lab)
    ready = [step.facts.ready for step in lab.run().trace if step.kind == "PodsReadyChanged"]
    assert ready == [True, False, True]
