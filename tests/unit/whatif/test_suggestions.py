"""What would admit a workload: each adjustment found, the least disturbing first, and true."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_labs import flavor, job, lab, manifest, queue

from kueuelab import scenarios
from kueuelab.whatif.changes import Edit, LookAgain
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.report import Report


def kinds(report: Report) -> set[str]:
    return {suggestion.kind for suggestion in report}


def values(report: Report, kind: str) -> dict[str, Any]:
    """Return what the first suggestion of a kind sets."""
    found = next(each for each in report if each.kind == kind)
    edits = [change for change in found.changes if isinstance(change, Edit)]
    return {path: value for edit in edits for path, value in edit.values.items()}


def holds_quota(run: LabRun, workload: str) -> bool:
    return run.cluster.workloads[run.key_of(workload)].has_quota_reservation


def verify(run: LabRun, report: Report) -> None:
    """Every suggestion, applied by a fork, admits the workload and evicts what it says."""
    holding = {key for key, state in run.cluster.workloads.items() if state.has_quota_reservation}
    for suggestion in report:
        forked = run.fork().change(*suggestion.changes).run()
        assert holds_quota(forked, report.workload), suggestion
        since = len(run.trace)
        evicted = {s.workload for s in forked.trace.steps[since:] if s.kind == "Evicted"}
        assert holding & evicted == set(suggestion.evicts), suggestion
    assert len({repr(suggestion.changes) for suggestion in report}) == len(report)
    ranks = [suggestion.disturbance for suggestion in report]
    assert ranks == sorted(ranks)
    if any(suggestion.kind not in ("wait", "lookAgain") for suggestion in report):
        # None helps only because Kueue looks again.
        queue = run.cluster.plane.queue_of(run.cluster.workloads[report.workload])[0]
        again = run.fork().change(LookAgain(queue)).run()
        unchanged = run.fork().run()
        assert holds_quota(again, report.workload) == holds_quota(unchanged, report.workload)


@pytest.mark.parametrize("name", scenarios.names("preemption-policies"))
def test_every_suggestion_is_true(name: str) -> None:
    run = scenarios.load(name).run()
    for key, state in sorted(run.cluster.workloads.items()):
        report = run.what_would_admit(key)
        assert bool(report) != state.has_quota_reservation
        if report:
            verify(run, report)


QUEUES = st.fixed_dictionaries(
    {
        "quota": st.integers(0, 6),
        "within": st.sampled_from(["Never", "LowerPriority"]),
        "reclaim": st.sampled_from(["Never", "LowerPriority", "Any"]),
        "strategy": st.sampled_from(["BestEffortFIFO", "StrictFIFO"]),
        "cohort": st.sampled_from(["", "all", "other"]),
    }
)
JOBS = st.tuples(st.integers(0, 1), st.integers(1, 5), st.integers(0, 2), st.integers(1, 2))


@given(st.lists(QUEUES, min_size=2, max_size=2), st.lists(JOBS, min_size=1, max_size=5))
@settings(max_examples=25)
def test_suggestions_are_true_in_any_scenario(
    queues: list[dict[str, Any]], jobs: list[tuple[int, int, int, int]]
) -> None:
    objects = [
        queue(
            f"q{number}",
            {"default": each["quota"]},
            cohortName=each["cohort"] or None,
            queueingStrategy=each["strategy"],
            preemption={
                "withinClusterQueue": each["within"],
                "reclaimWithinCohort": each["reclaim"],
            },
        )
        for number, each in enumerate(queues)
    ]
    submitted = [
        job(f"j{number}", f"q{index}", cpu, priority, count=count)
        for number, (index, cpu, priority, count) in enumerate(jobs)
    ]
    run = lab([flavor(), *objects], submitted).run()
    if run.loop is not None:
        return
    for key, state in sorted(run.cluster.workloads.items()):
        if not state.has_quota_reservation:
            verify(run, run.what_would_admit(key))


def full(**spec: Any) -> LabRun:
    """Return a run in which ``late`` lacks 2 of its 3 cpus."""
    jobs = [job("early", "team", 3), job("late", "team", 3)]
    return lab([flavor(), queue("team", {"default": 4}, **spec)], jobs).run()


def test_the_smallest_amount_of_quota() -> None:
    report = full().what_would_admit("late")
    path = "spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"
    assert values(report, "quota") == {path: "6"}
    assert values(report, "smallerRequest") == {
        "spec.podSets[0].template.spec.containers[0].resources.requests[cpu]": "1"
    }
    assert {"finish", "preemption", "priority"} & kinds(report) == {"finish"}


def test_priority_and_policy_help_together() -> None:
    jobs = [job("early", "team", 3), job("late", "team", 3)]
    objects = [flavor(), queue("team", {"default": 4}, queueingStrategy="StrictFIFO")]
    run = lab(objects, jobs).run()
    report = run.what_would_admit("late")
    verify(run, report)
    policy = {"withinClusterQueue": "LowerPriority"}
    with_policy = full(preemption=policy).what_would_admit("late")
    assert values(with_policy, "priority") == {"spec.priority": 1}
    assert values(with_policy, "quota")
    assert next(s for s in with_policy if s.kind == "priority").evicts == ("default/early",)


def test_limits_are_loosened_no_more_than_needed() -> None:
    objects = [
        flavor(),
        queue("team", {"default": 2}, limits={"borrowingLimit": 1}, cohortName="all"),
        queue("other", {"default": 8}, limits={"lendingLimit": 4}, cohortName="all"),
    ]
    report = lab(objects, [job("large", "team", 5)]).run().what_would_admit("large")
    path = "spec.resourceGroups[0].flavors[default].resources[cpu].borrowingLimit"
    assert values(report, "borrowingLimit") == {path: "3"}
    tight = [
        flavor(),
        queue("team", {"default": 2}, cohortName="all"),
        queue("other", {"default": 8}, limits={"lendingLimit": 1}, cohortName="all"),
    ]
    report = lab(tight, [job("large", "team", 5)]).run().what_would_admit("large")
    lending = next(suggestion for suggestion in report if suggestion.kind == "lendingLimit")
    assert lending.queues == ("other",)
    assert values(report, "lendingLimit") == {path.replace("borrowing", "lending"): "3"}


def test_a_cohort_with_room() -> None:
    objects = [
        flavor(),
        queue("team", {"default": 1}),
        queue("rich", {"default": 9}, cohortName="club"),
    ]
    run = lab(objects, [job("large", "team", 5)]).run()
    report = run.what_would_admit("large")
    assert values(report, "cohort") == {"spec.cohortName": "club"}
    assert values(report, "queueName") == {"spec.queueName": "rich"}
    verify(run, report)


def test_fewer_pods_and_partial_admission() -> None:
    jobs = [job("many", "team", 1, count=7)]
    run = lab([flavor(), queue("team", {"default": 4})], jobs).run()
    report = run.what_would_admit("many")
    assert values(report, "fewerPods")["spec.podSets[main].count"] == 4
    assert values(report, "partialAdmission") == {"spec.podSets[main].minCount": 4}
    assert report.obstacles[0].kind == "tooLarge"
    verify(run, report)


def test_several_have_to_finish() -> None:
    jobs = [*(job(f"j{n}", "team", 1) for n in range(4)), job("late", "team", 3)]
    report = lab([flavor(), queue("team", {"default": 4})], jobs).run().what_would_admit("late")
    finish = next(suggestion for suggestion in report if suggestion.kind == "finish")
    assert len(finish.changes) == 3
    assert finish.size == 3


def test_a_queue_whose_workload_gets_quota_later_and_loses_it_is_touched() -> None:
    objects = [
        flavor(),
        queue("x", {"default": 6}, cohortName="team"),
        queue("y", {"default": 0}, cohortName="team"),
    ]
    jobs = [
        job("first", "x", 4, runs="100s"),
        job("second", "x", 2, runs="50s"),
        job("other", "y", 2),
        job("large", "x", 6),
    ]
    run = lab(objects, jobs).run()
    # Here "other" still waits.
    report = run.what_would_admit("large", "10s")
    preemption = next(each for each in report if each.kind == "preemption")
    assert (preemption.evicts, preemption.queues) == (("default/other",), ("x", "y"))


def test_from_an_earlier_step() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    waiting = run.until(workload="job-2", event="created").index
    report = run.what_would_admit("job-2", at=waiting)
    assert kinds(report) == {"wait"}
    assert run.what_would_admit("job-2").obstacles[0].kind == "admitted"


TAINT = {"key": "spot", "value": "true", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("objects", "submitted", "obstacle", "remedy"),
    [
        ([flavor(), queue("team", {"default": 4}, local=False)], job("j", "team", 1),
         "localQueue", "localQueue"),
        ([flavor(), manifest("LocalQueue", "team", {"clusterQueue": "gone"}),
          queue("there", {"default": 4})], job("j", "team", 1), "clusterQueue", "clusterQueue"),
        ([flavor(), queue("team", {"default": 4}, stopPolicy="Hold")], job("j", "team", 1),
         "inactiveQueue", "stopPolicy"),
        ([queue("team", {"default": 4})], job("j", "team", 1), "inactiveQueue", "flavor"),
        ([flavor(), queue("team", {"default": 4}, namespaceSelector=None)], job("j", "team", 1),
         "namespace", "namespaceSelector"),
        ([flavor(), queue("team", {"default": 4})],
         {"job": "j", "queue": "team", "requests": {"gpu": 1}}, "uncovered", "coverage"),
        ([flavor(nodeTaints=[TAINT]), queue("team", {"default": 4})], job("j", "team", 1),
         "flavors", "toleration"),
        ([flavor(nodeLabels={"zone": "a"}), queue("team", {"default": 4})],
         job("j", "team", 1, nodeSelector={"zone": "b"}), "flavors", "nodeSelector"),
        ([flavor(), queue("team", {"default": 4})], job("j", "team", 1, active=False),
         "inactive", "activate"),
        ([flavor(), queue("team", {"default": 4})], job("j", "team", 9), "tooLarge", "quota"),
    ],
)  # fmt: skip
def test_obstacles_are_named_and_remedied(
    objects: list[Any], submitted: dict[str, Any], obstacle: str, remedy: str
) -> None:
    run = lab(objects, [submitted]).run()
    report = run.what_would_admit("j")
    assert obstacle in {each.kind for each in report.obstacles}
    assert remedy in kinds(report)
    verify(run, report)


def test_checks_that_are_waited_for() -> None:
    check = manifest("AdmissionCheck", "budget", {"controllerName": "example.com/budget"})
    strategy = {"admissionChecks": [{"name": "budget"}]}
    objects = [flavor(), check, queue("team", {"default": 4}, admissionChecksStrategy=strategy)]
    run = lab(objects, [job("j", "team", 1)]).run()
    report = run.what_would_admit("j")
    assert report.obstacles[0].text == "It has quota already; it waits for budget."
    assert kinds(report) == {"check"}
    assert run.fork().change(*report[0].changes).run().cluster.workload("default/j").is_admitted


@pytest.mark.parametrize("seconds", [20, 32, 36])
def test_while_timers_run(seconds: float) -> None:
    # 1s to 31s: its pods aren't ready; then it backs off for 5s.
    run = scenarios.load("loop-4-pods-never-ready").run(until=seconds)
    report = run.what_would_admit("stuck")
    found = {20: "admitted", 32: "backOff", 36: "admitted"}[int(seconds)]
    assert [each.kind for each in report.obstacles] == [found]
    assert [each.kind for each in report] == (["wait"] if found == "backOff" else [])


def test_the_report_as_text_table_and_data() -> None:
    report = full().what_would_admit("late")
    assert repr(report).startswith("<Report on default/late: ")
    assert str(report).startswith("What would admit default/late?\n  1. ")
    assert [row["number"] for row in report.as_table()][:2] == ["1", "2"]
    assert report.table_text().splitlines()[0].split()[0] == "number"
    data = report.as_data()
    assert data["workload"] == "default/late"
    assert data["suggestions"][0]["changes"][0]["do"] in ("edit", "finish")
