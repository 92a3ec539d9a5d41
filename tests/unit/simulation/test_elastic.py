"""Elastic jobs in a timeline: slices that replace one another, in place or anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kueuelab as kl
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.testing.kept_state import stale

HEAD = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: elastic}
spec:
  configuration: {featureGates: GATES}
  queues:
    a: {cpu: 8, within: LowerPriority}
  timeline:
"""


def run_of(*actions: str, gates: str = "{}") -> kl.LabRun:
    head = HEAD.replace("GATES", gates)
    lab = kl.load(head + "".join(f"  - {{{each}}}\n" for each in actions))
    assert isinstance(lab, kl.Lab)
    return lab.run()


def job(name: str, pods: int, more: str = "elastic: true") -> str:
    return f"submit: {{job: {name}, queue: a, pods: {pods}, requests: {{cpu: 1}}, {more}}}"


def scale(pods: int, name: str = "x") -> str:
    return f"scale: {{job: {name}, pods: {pods}}}"


def states(run: kl.LabRun) -> dict[str, tuple[int, str]]:
    """Return the pods of each workload, and its reason for being finished or its phase."""

    def found() -> Iterator[tuple[str, tuple[int, str]]]:
        for key, state in sorted(run.cluster.workloads.items()):
            finished = state.conditions.get("Finished")
            phase = "admitted" if state.is_admitted else "pending"
            pods = sum(pod_set.count for pod_set in state.obj.pod_sets)
            yield key.removeprefix("default/"), (pods, finished.reason if finished else phase)

    return dict(found())


def used(run: kl.LabRun) -> int:
    return run.cluster.tree.cluster_queues["a"].usage.get(("default", "cpu"), 0) // 1000


def test_a_job_that_grows_needs_the_difference_only() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", f"at: 5s, {scale(8)}")
    assert states(run) == {"x": (5, "WorkloadSliceReplaced"), "x-2": (8, "admitted")}
    assert used(run) == 8
    assert list(stale(run.cluster)) == []


def test_a_slice_that_waits_is_changed_in_place() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", f"at: 5s, {scale(9)}", f"at: 6s, {scale(7)}")
    assert states(run) == {"x": (5, "WorkloadSliceReplaced"), "x-2": (7, "admitted")}
    pending = run_of(f"at: 0s, {job('x', 9)}", f"at: 5s, {scale(6)}")
    assert states(pending) == {"x": (6, "admitted")}
    assert [step.kind for step in pending.trace].count("SliceScaled") == 1


def test_a_job_that_shrinks_gives_quota_back_at_once() -> None:
    run = run_of(f"at: 0s, {job('x', 6)}", f"at: 1s, {job('v', 4)}", f"at: 5s, {scale(3)}")
    assert states(run) == {"x": (3, "admitted"), "v": (4, "admitted")}
    assert used(run) == 7


def test_a_slice_preempts_for_the_difference() -> None:
    important = "elastic: true, priority: 5"
    run = run_of(
        f"at: 0s, {job('x', 4, important)}",
        f"at: 1s, {job('v', 2)}",
        f"at: 2s, {job('z', 2)}",
        f"at: 5s, {scale(6)}",
    )
    assert states(run)["x-2"] == (6, "admitted")
    assert [phase for name, (_, phase) in states(run).items() if name in "vz"] == [
        "admitted",
        "pending",
    ]
    (found,) = {
        step.facts.targets
        for index in run.trace.of_kind("EntryProcessed")
        if (step := run.trace[index]).workload == "default/x-2" and step.facts.targets
    }
    assert found == (("default/z", "InClusterQueue"),)


def test_when_a_slice_is_evicted_the_one_that_waits_takes_its_place() -> None:
    run = run_of(
        f"at: 0s, {job('x', 5)}",
        f"at: 5s, {scale(9)}",
        f"at: 6s, {job('v', 4, 'priority: 9')}",
        f"at: 7s, {scale(4)}",
    )
    assert states(run) == {
        "x": (5, "WorkloadSliceReplaced"),
        "x-2": (4, "admitted"),
        "v": (4, "admitted"),
    }


def test_a_job_runs_on_when_its_slice_is_replaced() -> None:
    run = run_of(
        f"at: 0s, {job('x', 5, 'elastic: true, runs: 20s')}",
        f"at: 15s, {scale(8)}",
        f"at: 16s, {scale(12)}",
    )
    assert states(run) == {
        "x": (5, "WorkloadSliceReplaced"),
        "x-2": (8, "Succeeded"),
        "x-3": (12, "Succeeded"),
    }
    finished = [run.trace[index] for index in run.trace.of_kind("Finished")]
    assert finished[-1].time - run.trace[0].time == 20 * 10**9


@pytest.mark.parametrize("action", ["finish: x", "delete: x"])
def test_actions_on_a_job_mean_its_slice(action: str) -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", f"at: 5s, {scale(8)}", f"at: 6s, {action}")
    assert used(run) == 0
    if action == "finish: x":
        assert states(run)["x-2"] == (8, "Succeeded")
    else:
        assert states(run) == {}


def test_a_change_of_pods_scales_an_elastic_job() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", "at: 5s, changeJob: {workload: x, pods: 7}")
    assert states(run) == {"x": (5, "WorkloadSliceReplaced"), "x-2": (7, "admitted")}


def test_without_the_gate_a_job_gets_another_workload() -> None:
    run = run_of(
        f"at: 0s, {job('x', 5)}", f"at: 5s, {scale(7)}", gates="{ElasticJobsViaWorkloadSlices: no}"
    )
    assert states(run) == {"x": (7, "admitted")}
    assert [step.kind for step in run.trace].count("WorkloadDeleted") == 1


def test_a_job_that_is_gone_is_not_scaled() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", "at: 4s, delete: x", f"at: 5s, {scale(7)}")
    assert states(run) == {}


def test_pod_sets_are_scaled_by_name() -> None:
    pod_sets = "[{name: driver, requests: {cpu: 1}}, {name: worker, count: 2, requests: {cpu: 1}}]"
    submit = f"submit: {{job: x, queue: a, elastic: true, podSets: {pod_sets}}}"
    run = run_of(f"at: 0s, {submit}", "at: 5s, scale: {job: x, podSets: {worker: 4}}")
    assert states(run)["x-2"] == (5, "admitted")


def test_a_fork_scales() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}")
    assert states(run.fork().scale("x", 7).run())["x-2"] == (7, "admitted")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("scale: {job: v, pods: 3}", "job v is not elastic"),
        ("scale: {job: x}", "a job is scaled by 'pods'"),
        ("scale: {job: x, pods: 2, podSets: {main: 3}}", "a job is scaled by 'pods'"),
        ("scale: {job: x, podSets: {worker: 3}}", "the job has no pod set 'worker'"),
        ("scale: {job: z, pods: 3}", "there is no workload named 'z'"),
    ],
)
def test_what_can_not_be_scaled(action: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_of(
            f"at: 0s, {job('x', 2)}", f"at: 0s, {job('v', 2, 'priority: 0')}", f"at: 5s, {action}"
        )


def test_elastic_jobs_do_not_start_with_fewer_pods() -> None:
    with pytest.raises(InputError, match="partial admission and elastic job cannot be used togeth"):
        run_of(f"at: 0s, {job('x', 4, 'elastic: true, minCount: 2')}")


def test_slices_are_found_by_their_short_names() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", f"at: 5s, {scale(8)}", f"at: 6s, {scale(12)}")
    assert run.why("x-3").workload == "default/x-3"
    assert run.until(workload="x-2").step.workload == "default/x-2"
    with pytest.raises(UnknownObjectError, match="'x-9'"):
        run.why("x-9")


def test_why_speaks_of_the_job_and_of_the_slice_that_waits() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", f"at: 5s, {scale(8)}", f"at: 6s, {scale(12)}")
    for name in ("x", "x-2", "x-3"):
        text = run.why(name).as_text()
        assert "default/x-2 has quota for 8 pods of the elastic job default/x." in text
        assert "default/x-3 waits: the elastic job default/x asks for 12 pods." in text


def test_a_slice_that_waits_would_be_admitted_after_scaling_down() -> None:
    run = run_of(f"at: 0s, {job('x', 5)}", f"at: 6s, {scale(12)}")
    report = run.what_would_admit("x-2")
    (found,) = (each for each in report.suggestions if each.kind == "scaleDown")
    assert found.text == "scale the elastic job default/x to 8 pods instead of 12 in pod set main"
    assert run.fork().change(*found.changes).run().cluster.workload("default/x-2").is_admitted
    assert "partialAdmission" not in [each.kind for each in report.suggestions]
