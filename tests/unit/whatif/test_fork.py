"""Forks: the same up to a step, what was asked for there, and on as the scenario says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.errors import InputError, SimulationError, UnknownObjectError

FOLDER = Path(kl.__file__).parent / "scenarios" / "preemption-policies"
LAB = kl.load(FOLDER / "reclaim-1-take-back.yaml")
RUN = LAB.run()
QUOTA = "spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"


def phases(run: Any) -> dict[str, str]:
    state = run.state_at(len(run.trace) - 1)
    return {key.partition("/")[2]: view.phase for key, view in state.workloads.items()}


def created(name: str) -> int:
    return RUN.until(workload=name, event="created").index


@given(st.integers(1, len(RUN.trace) - 1))
@settings(max_examples=25)
def test_a_fork_without_changes_is_the_run(step: int) -> None:
    assert LAB.fork(at=step).run().trace == RUN.trace


@given(st.integers(1, len(RUN.trace) - 1))
@settings(max_examples=25)
def test_up_to_the_step_a_fork_is_the_run(step: int) -> None:
    edit = {"spec.preemption.reclaimWithinCohort": "Never", QUOTA: "700m"}
    forked = RUN.fork(at=step).edit("cluster-queue/team-a", edit).run()
    assert forked.trace.steps[: step + 1] == RUN.trace.steps[: step + 1]
    assert forked.trace != RUN.trace


def test_an_edit_before_the_decision_changes_it() -> None:
    fork = LAB.fork(at=created("default/job-2"))
    run = fork.edit("cq/team-a", {"spec.preemption.reclaimWithinCohort": "Never"}).run()
    assert phases(RUN) == {"job-0": "Admitted", "job-1": "Pending", "job-2": "Admitted"}
    assert phases(run) == {"job-0": "Admitted", "job-1": "Admitted", "job-2": "Pending"}
    assert not run.passed


def test_what_the_scenario_does_later_is_still_done() -> None:
    run = RUN.fork(at=created("default/job-1")).delete("job-1").run()
    assert phases(run) == {"job-0": "Admitted", "job-2": "Admitted"}


def test_at_zero_the_scenario_begins_with_the_changes() -> None:
    fork = (
        LAB.fork()
        .edit("ClusterQueue/team-b", {QUOTA: "1"})
        .edit("workload/job-1", {"spec.priority": 5})
    )
    run = fork.run()
    assert phases(run)["job-1"] == "Admitted"
    assert len(run.trace.of_kind("ObjectApplied")) == len(RUN.trace.of_kind("ObjectApplied"))
    assert fork.run().trace == run.trace


def test_a_workload_can_be_edited_before_it_comes() -> None:
    fork = RUN.fork(at=created("default/job-0"))
    assert phases(fork.edit("job/job-1", {"spec.priority": 1000}).run())["job-2"] == "Pending"


def test_a_pending_workload_can_be_changed() -> None:
    requests = "spec.podSets[main].template.spec.containers[main].resources.requests.cpu"
    run = RUN.fork().edit("workload/default/job-1", {requests: "300m"}).run()
    assert phases(run)["job-1"] == "Admitted"
    urgent = RUN.fork().edit("workload/job-1", {"spec.priority": 1000}).run()
    assert phases(urgent)["job-1"] == "Pending"


def test_the_quota_of_an_admitted_workload_stays_as_it_is() -> None:
    requests = "spec.podSets[0].template.spec.containers[0].resources.requests.cpu"
    with pytest.raises(InputError, match="immutable while quota is reserved"):
        RUN.fork().edit("workload/job-0", {requests: "1m"}).run()


def test_jobs_come_finish_and_go() -> None:
    run = RUN.fork().finish("job-2").run()
    assert phases(run) == {"job-0": "Admitted", "job-1": "Admitted", "job-2": "Finished"}
    late = {"job": "late", "queue": "team-a-jobs", "requests": {"cpu": "1m"}}
    assert phases(run.fork().submit(late).run())["late"] == "Pending"
    again = run.fork().delete("job-1").submit(late, runs=5).run()
    assert phases(again) == {"job-0": "Admitted", "job-2": "Finished", "late": "Finished"}
    assert again.cluster.now - run.cluster.now == 5_000_000_000
    with pytest.raises(SimulationError, match="it exists already"):
        run.fork().submit({"job": "job-0", "queue": "team-a-jobs"})


def test_manifests_are_applied() -> None:
    text = """
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: lender}
    spec:
      cohortName: department
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 500m}]}]
    """
    for at in (0, None):
        run = RUN.fork(at).apply(text).run()
        assert phases(run)["job-1"] == "Admitted"
    removed = RUN.fork().apply(text).remove("cluster-queue/lender")
    assert phases(removed.run())["job-1"] == "Pending"


def test_forks_of_forks_keep_what_came_before() -> None:
    first = RUN.fork(at=created("default/job-2")).delete("job-0").run()
    second = first.fork().finish("job-2").run()
    assert phases(second) == {"job-1": "Admitted", "job-2": "Finished"}
    earlier = second.fork(at=created("default/job-1")).run()
    assert earlier.trace == RUN.trace
    assert repr(second.scenario).endswith("2 forks>")


def finished(run: Any, name: str) -> float:
    """Return how many seconds after the start a workload finished."""
    index = run.until(workload=name, event="finished").index
    return float((run.trace[index].time - run.start) / 1e9)


@pytest.mark.parametrize("at", ["7500ms", "11s", "50s", "2h"])
def test_at_a_time_the_clock_shows_it(at: str) -> None:
    # Steps are at 0, 1, 5, 6, 10 and 11 seconds; the last action is at 10s.
    seconds = {"7500ms": 7.5, "11s": 11, "50s": 50, "2h": 7200}[at]
    fork = RUN.fork(at=at).finish("job-2")
    assert fork.step is None
    assert repr(fork) in (f"<Fork at {at}: 1 change>", "<Fork at 7.5s: 1 change>",
                          "<Fork at 2h0m0s: 1 change>")  # fmt: skip
    run = fork.run()
    assert finished(run, "job-2") == seconds
    assert phases(run) == {"job-0": "Admitted", "job-1": "Admitted", "job-2": "Finished"}
    # Up to there everything is as it was.
    since = [step for step in RUN.trace if step.time <= RUN.start + seconds * 1e9]
    assert run.trace.steps[: len(since)] == tuple(since)


def test_at_a_time_all_that_is_due_comes_first() -> None:
    moment = (RUN.trace[created("default/job-2")].time - RUN.start) // 10**9
    run = RUN.fork(at=f"{moment}s").finish("job-2").run()
    assert phases(run)["job-2"] == "Finished"
    before = RUN.fork(at=f"{moment - 0.5}s").finish("job-0").run()
    assert phases(before)["job-0"] == "Finished"


def test_what_comes_later_than_the_time_still_comes() -> None:
    run = RUN.fork(at="3s").submit({"job": "late", "queue": "team-a-jobs"}, runs=2).run()
    assert finished(run, "late") == 5
    assert set(phases(RUN)) < set(phases(run))
    # A run that was stopped early is no obstacle.
    short = LAB.run(until=3)
    assert finished(short.fork(at="50s").finish("job-2").run(), "job-2") == 50


def test_forks_at_times_of_forks_at_times() -> None:
    late = {"job": "late", "queue": "team-a-jobs", "requests": {"cpu": "1m"}}
    first = RUN.fork(at="20s").finish("job-2").run()
    second = first.fork(at="30s").submit(late).run()
    assert phases(second) == {**phases(first), "late": "Pending"}
    assert repr(second.scenario).endswith("2 forks>")
    # What was changed behind the place of a fork is not carried over.
    assert second.fork(at="15s").run().trace.steps == RUN.trace.steps
    assert second.fork(at="25s").run().trace.steps == first.trace.steps
    before = second.until(workload="job-2", event="finished").index - 1
    assert second.fork(at=before).run().trace == RUN.trace
    assert phases(second.fork(at=before + 1).run()) == phases(first)
    # A fork at an earlier time, and a run that is stopped before the change.
    assert first.scenario.run(until=15).trace == RUN.trace


def test_at_a_time_what_would_admit() -> None:
    moment = (RUN.trace[created("default/job-2")].time - RUN.start) // 10**9
    early = RUN.what_would_admit("job-1", at=f"{moment - 1}s")
    assert [each.kind for each in early.obstacles] == ["admitted"]
    later, at_the_end = RUN.what_would_admit("job-1", at="40s"), RUN.what_would_admit("job-1")
    assert [(s.text, s.changes) for s in later] == [(s.text, s.changes) for s in at_the_end]
    assert {suggestion.time for suggestion in later} == {40 * 10**9}


def test_places_that_are_none() -> None:
    with pytest.raises(InputError, match="'soon' is no time since the start") as caught:
        RUN.fork(at="soon")
    assert caught.value.problems[0].hint == "Write 30s or 1m30s"
    with pytest.raises(InputError, match="before the start"):
        RUN.fork(at="-5s")
    with pytest.raises(InputError, match="there is no step 9999"):
        RUN.fork(at=9999)
    looping = scenarios.load("loop-2-policies-in-turn").run()
    message = "never gets to 50s: it is in a loop at 3s. Fork at a time up to 3s, or at the end"
    with pytest.raises(InputError, match=message):
        looping.fork(at="50s")
    for at in ("2s", "3s"):
        assert looping.fork(at=at).delete("guest").run().loop is None


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("cluster-queue/team-aa", {}, "Did you mean 'team-a'"),
        ("clusterqueues/a", {}, "Did you mean 'ClusterQueue'"),
        ("workload/job-9", {}, "there is no workload named 'job-9'"),
        ("cluster-queue", {}, "Write kind/name"),
        ("cq/team-a", {"preemption.within": 1}, "Did you mean 'spec.preemption.within'"),
        ("cq/team-a", {"spec.cohrtName": "x"}, "Did you mean 'cohortName'"),
        ("cq/team-a", {"spec.queueingStrategy": "FIFO"}, "Unsupported value"),
        ("cq/team-a", {QUOTA.replace("cpu", "cpus"): "1"}, "Did you mean .*cpu"),
        ("cq/team-a", {QUOTA: "lots"}, "quantit"),
        ("cq/team-a", {"metadata.name": "other"}, "keeps its kind and its name"),
        ("cq/team-a", {"spec.cohortName.x": 1}, "has no fields"),
    ],
)
def test_mistakes_say_what_would_be_right(name: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UnknownObjectError), match=message):
        RUN.fork().edit(name, values)


def test_a_fork_is_run_on_no_real_cluster() -> None:
    backend: Any = object()
    for lab, until in ((RUN.fork().finish("job-2").lab, None), (LAB, 3)):
        with pytest.raises(InputError) as caught:
            lab.run(until=until, on=backend)
        assert str(caught.value) == (
            "a fork, or a part of a run, cannot be run there. "
            "Run it on the simulator, or change the scenario itself"
        )


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        RUN.fork().edit("cq/team-a", {"sec.x": 1, "spec.resourceGroups[7].flavors": []})
    assert [problem.field for problem in caught.value.problems] == [
        "sec.x",
        "spec.resourceGroups[7].flavors",
    ]


def test_the_surface_reads_well() -> None:
    fork = RUN.fork().finish("job-0").edit("cq/team-a", {"spec.cohortName": None})
    assert repr(fork) == "<Fork at the end: 2 changes>"
    assert fork.as_text() == (
        "At the end:\n  finish default/job-0\n  edit ClusterQueue/team-a: spec.cohortName: (none)"
    )
    assert str(RUN.why("job-1")) == str(RUN.why("default/job-1"))
    assert RUN.who_evicted("job-1").preemptor == "default/job-2"  # type: ignore[union-attr]
    assert "job-2" in RUN.why_not("job-1", "job-2").as_text()
    assert RUN.timeline.as_text() in str(RUN)


def test_a_saved_run_is_its_trace(tmp_path: Path) -> None:
    from kueuelab.trace.export import load_trace

    RUN.save(tmp_path / "run.json.gz")
    assert load_trace(tmp_path / "run.json.gz") == RUN.trace


DELETED = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: deleted}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: cq}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: lq},
     spec: {clusterQueue: cq}}
  timeline:
  - {at: 1s, submit: {job: a, queue: lq, requests: {cpu: 1}}}
  - {at: 1s, submit: {job: b, queue: lq, requests: {cpu: 1}}}
  - {at: 5s, delete: a}
"""
AGAIN = {"job": "a", "queue": "lq", "requests": {"cpu": 3}}


def test_a_name_that_was_deleted_is_free_again() -> None:
    run = kl.load(DELETED).run()
    assert "a" not in {obj.metadata.name for obj in run.fork().objects()}
    forked = run.fork().submit(AGAIN).run()
    assert phases(forked) == {"a": "Admitted", "b": "Admitted"}
    written = kl.load(
        DELETED + "  - {at: 5s, submit: {job: a, queue: lq, requests: {cpu: 3}}}\n"
    ).run()
    assert forked.state_at(len(forked.trace) - 1) == written.state_at(len(written.trace) - 1)
    # In the fork itself, too, and at a time before the deletion it is not free.
    twice = run.fork().submit(AGAIN).delete("a").submit(AGAIN)
    assert phases(twice.run()) == {"a": "Admitted", "b": "Admitted"}
    with pytest.raises(SimulationError, match="it exists already"):
        run.fork("3s").submit(AGAIN)
    with pytest.raises(SimulationError, match="it exists already"):
        twice.submit(AGAIN)


def test_at_the_start_a_workload_that_is_deleted_later_can_be_edited() -> None:
    cpu = "spec.podSets[0].template.spec.containers[0].resources.requests.cpu"
    run = kl.load(DELETED).fork().edit("workload/a", {cpu: 9}).run(until=2)
    assert phases(run) == {"a": "Pending", "b": "Admitted"}


def test_of_a_deleted_workload_nothing_happens_and_nothing_can_be_edited() -> None:
    run = kl.load(DELETED).run()
    assert run.fork().finish("a").run().trace.steps == run.trace.steps
    assert run.key_of("a") == "default/a"
    with pytest.raises(UnknownObjectError, match="no workload named"):
        run.fork().edit("workload/a", {"spec.priority": 9})


def test_deleted_names_in_a_fork_with_a_step() -> None:
    run = kl.load(DELETED).run()
    at = run.until(workload="default/a", event="deleted").index
    assert phases(run.fork(at).submit(AGAIN).run()) == {"a": "Admitted", "b": "Admitted"}
