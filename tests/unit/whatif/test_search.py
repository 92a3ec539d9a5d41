"""The search for what would admit a workload: who can be asked about, and where it ends early."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from small_labs import FAIR, flavor, job, lab, manifest, queue

import kueuelab as kl
from kueuelab.errors import UnknownObjectError
from kueuelab.model.times import SECOND
from kueuelab.whatif import evaluator, sandbox
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.sandbox import Sandbox, Trial
from kueuelab.whatif.search import what_would_admit

FIELD = "spec.preemption.withinClusterQueue"
RUN = lab(
    [flavor(), queue("q", {"default": 3}), queue("other", {"default": 1})],
    [job("first", "q", 2), job("second", "q", 1), job("late", "q", 3)],
).run()


def test_a_workload_that_is_none_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UnknownObjectError) as caught:
        what_would_admit(RUN, "default/lat")
    assert "there is no workload named 'default/lat'" in str(caught.value)
    assert "'default/late'" in str(caught.value)


def test_a_search_that_could_try_everything_is_complete() -> None:
    report = RUN.what_would_admit("late")
    assert report.complete
    assert report.tried > 0
    first = RUN.what_would_admit("first")
    assert (first.complete, first.tried, len(first)) == (True, 0, 0)


@pytest.mark.parametrize("most", range(1, 12))
def test_a_search_that_ends_early_says_so(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    whole = RUN.what_would_admit("late")
    monkeypatch.setattr(evaluator, "_MOST_TRIALS", most)
    report = RUN.what_would_admit("late")
    assert report.tried <= whole.tried
    assert report.complete is False


def test_the_queues_that_lose_a_workload_are_named() -> None:
    objects = [
        flavor(),
        queue("a", {"default": 2}, cohortName="all"),
        queue("b", {"default": 0}, cohortName="all"),
    ]
    run = lab(objects, [job("guest", "b", 2), job("late", "a", 2)]).run()
    (found,) = [each for each in run.what_would_admit("late") if each.kind == "preemption"]
    assert found.evicts == ("default/guest",)
    assert found.queues == ("a", "b")


def test_no_queue_is_named_for_a_workload_that_holds_no_quota_yet() -> None:
    objects = [
        flavor(),
        *queue("a", {"default": 4}, cohortName="all"),
        *queue("b", {"default": 0}, cohortName="all"),
    ]
    timeline = [
        {"at": "1s", "submit": job("first", "b", 2, 9), "runs": "20s"},
        {"at": "1s", "submit": job("other", "a", 2, 9), "runs": "60s"},
        {"at": "2s", "submit": job("late", "a", 3, 5)},
        {"at": "3s", "submit": job("guest", "b", 2, 1)},
    ]
    head = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "small"}}
    run = kl.load({**head, "spec": {"manifests": objects, "timeline": timeline}}).run(until=5)
    assert isinstance(run, LabRun)
    # It gets its quota at 21 s, and would lose it when "other" ends.
    assert not run.cluster.workload("default/guest").has_quota_reservation
    (found,) = [each for each in run.what_would_admit("late") if each.kind == "preemption"]
    assert (found.evicts, found.time) == (("default/guest",), 61 * SECOND)
    assert "" not in found.queues


def test_what_gets_its_quota_at_once_needs_no_change_and_no_search() -> None:
    report = RUN.what_would_admit("first", at=RUN.trace.of_kind("WorkloadCreated")[0])
    assert [(each.kind, each.time) for each in report] == [("wait", SECOND)]
    assert (report.tried, report.complete) == (0, True)


def test_checks_are_offered_only_where_they_admit_it() -> None:
    """As soon as ``high`` is there, it preempts ``late`` whatever its check says."""
    strategy = {"admissionChecks": [{"name": "budget"}]}
    preemption = {"withinClusterQueue": "LowerPriority"}
    objects = [
        flavor(),
        manifest("AdmissionCheck", "budget", {"controllerName": "ours"}),
        queue("q", {"default": 1}, admissionChecksStrategy=strategy, preemption=preemption),
    ]
    run = lab(objects, [job("late", "q", 1), job("high", "q", 1, 5)]).run()
    at = run.trace.of_kind("WorkloadCreated")[1]
    for step, kinds in ((at - 1, ["check"]), (at, [])):
        report = run.what_would_admit("late", step)
        assert [each.kind for each in report] == kinds
        assert (report.tried, report.complete) == (1, True)


def test_with_fair_sharing_amounts_between_those_of_others_are_tried() -> None:
    """Shares are equal: a thousandth of a cpu makes the one that preempts the smaller one."""
    spec = {"cohortName": "all", "preemption": {"reclaimWithinCohort": "Any"}}
    objects = [flavor(), queue("a", {"default": 2}, **spec), queue("b", {"default": 3}, **spec)]
    jobs = [job("small", "b", 1), job("large", "b", 4), job("late", "a", 4)]
    report = lab(objects, jobs, FAIR).run().what_would_admit("late")
    assert [str(each.text) for each in report if each.evicts] == [
        "set weight: 4 of ClusterQueue a",
        "raise the nominal quota of ClusterQueue a by 1m cpu/default",
        "ask for only 3999m cpu per pod",
    ]


def quotas(run: LabRun) -> list[tuple[str, int]]:
    """Return what more quota would admit ``late``, and when."""
    found = [each for each in run.what_would_admit("late") if each.kind == "quota"]
    return [(str(each.text).rpartition(" by ")[2], each.time // SECOND) for each in found]


def test_in_a_large_cluster_more_than_the_least_quota_is_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """``high`` goes first: with what ``late`` lacks, it is admitted only after that one."""
    jobs = [job("early", "q", 2), job("late", "q", 4), job("high", "q", 3, 2, runs="20s")]
    run = lab([flavor(), queue("q", {"default": 2})], jobs).run()
    assert quotas(run) == [("4 cpu/default", 23), ("7 cpu/default", 3)]
    monkeypatch.setattr(evaluator, "_SMALL", 2)
    assert quotas(run) == [("4 cpu/default", 23)]


def test_in_a_large_cluster_what_helps_most_often_is_tried_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs = [job("early", "q", 2), job("late", "q", 2, 1)]
    run = lab([flavor(), queue("q", {"default": 2})], jobs).run()

    def first(trials: int) -> set[str]:
        """Return the kinds of the changes that help among the first that are simulated."""
        # One is nothing, and one that Kueue only looks again.
        monkeypatch.setattr(evaluator, "_MOST_TRIALS", 2 + trials)
        return {each.kind for each in run.what_would_admit("late")}

    assert first(1) == {"preemption"}
    assert first(100) >= {"preemption", "quota"}
    monkeypatch.setattr(evaluator, "_SMALL", 1)
    assert first(1) == {"quota"}
    assert first(100) >= {"preemption", "quota"}


def tried(run: LabRun, monkeypatch: pytest.MonkeyPatch) -> list[Edit]:
    """Return the edits that are tried in turn, where none helps."""
    found: list[Edit] = []

    def attempt(self: Sandbox, changes: Iterable[Change]) -> Trial:
        found.extend(each for each in changes if isinstance(each, Edit))
        return Trial()

    monkeypatch.setattr(Sandbox, "attempt", attempt)
    assert not run.what_would_admit("late").suggestions
    return found


@pytest.mark.parametrize(
    ("small", "now", "policies"),
    [
        (60, "Never", ["LowerPriority", "LowerOrNewerEqualPriority"]),
        (0, "Never", ["LowerOrNewerEqualPriority"]),
        (0, "LowerPriority", ["LowerOrNewerEqualPriority"]),
    ],
)
def test_in_a_large_cluster_nothing_weaker_than_a_policy_that_fails_is_tried(
    monkeypatch: pytest.MonkeyPatch, small: int, now: str, policies: list[str]
) -> None:
    monkeypatch.setattr(evaluator, "_SMALL", small)
    preemption = {"withinClusterQueue": now}
    objects = [flavor(), queue("q", {"default": 2}, preemption=preemption)]
    run = lab(objects, [job("late", "q", 3)]).run()
    # In the end all that does not help alone is tried together.
    found = [each.values.get(FIELD) for each in tried(run, monkeypatch)]
    assert list(dict.fromkeys(filter(None, found))) == policies


def test_in_a_large_cluster_one_quota_is_tried_once_before_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluator, "_SMALL", 0)
    preemption = {"withinClusterQueue": "LowerPriority"}
    quotas = {"default": 2, "spot": 2}
    objects = [flavor(), flavor("spot"), queue("q", quotas, preemption=preemption)]
    jobs = [job("early", "q", 2), job("other", "q", 2), job("late", "q", 2)]
    first, second, third, *_ = tried(lab(objects, jobs).run(), monkeypatch)
    flavors = "spec.resourceGroups[0].flavors"
    assert list(first.values) == [f"{flavors}[default].resources[cpu].nominalQuota"]
    assert list(second.values) == ["spec.priority"]
    assert list(third.values) == [FIELD]


def test_a_smaller_job_is_tried_before_quota_of_further_flavors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However early a search ends."""
    objects = [flavor(), flavor("spot"), queue("q", {"default": 3, "spot": 1})]
    run = lab(objects, [job("early", "q", 3), job("late", "q", 4)]).run()
    smaller = "ask for only 1 cpu per pod"
    further = "raise the nominal quota of ClusterQueue q by 4 cpu/default"
    found = set()
    for most in range(1, 60):
        monkeypatch.setattr(evaluator, "_MOST_TRIALS", most)
        texts = {str(each.text) for each in run.what_would_admit("late")}
        found.add((smaller in texts, further in texts))
    assert found == {(False, False), (True, False), (True, True)}


def test_a_cohort_is_offered_more_of_what_it_has_quota_of() -> None:
    """It has memory of its own, and no cpu."""
    groups = [
        {
            "coveredResources": resources,
            "flavors": [
                {
                    "name": "default",
                    "resources": [{"name": each, "nominalQuota": 4} for each in resources],
                }
            ],
        }
        for resources in (["cpu", "memory"], ["memory"])
    ]
    spec = {"namespaceSelector": {}, "cohortName": "all", "resourceGroups": groups[:1]}
    objects = [
        flavor(),
        manifest("Cohort", "all", {"resourceGroups": groups[1:]}),
        manifest("ClusterQueue", "q", spec),
        manifest("LocalQueue", "q", {"clusterQueue": "q"}),
    ]
    late = {"job": "late", "queue": "q", "requests": {"cpu": 1, "memory": 10}}
    report = lab(objects, [late]).run().what_would_admit("late")
    texts = [str(each.text) for each in report if each.kind == "cohortQuota"]
    assert texts == ["raise the nominal quota of Cohort all by 2 memory/default"]


def test_a_workload_that_is_not_there_yet_is_said_to_be_unknown() -> None:
    report = RUN.what_would_admit("late", at=2)
    assert [each.kind for each in report.obstacles] == ["unknown"]
    assert (len(report), report.tried) == (0, 0)


def test_a_loop_that_takes_time_is_followed_to_where_it_is_one() -> None:
    """The pods of each take 7 s to stop, and then the other one is preempted."""
    reclaim = {"reclaimWithinCohort": "Any"}
    both = {**reclaim, "withinClusterQueue": "LowerPriority"}
    objects = [
        flavor(),
        queue("a", {"default": 2}, cohortName="all", preemption=reclaim),
        queue("b", {"default": 2}, cohortName="all", preemption=both),
    ]
    jobs = [("guest", "a", 3, 0), ("urgent", "b", 4, 2), ("small", "b", 2, 1)]
    run = lab(objects, [job(*each, stops="7s") for each in jobs], FAIR).run()
    assert run.loop is not None
    assert run.loop.period == 14 * SECOND
    report = run.what_would_admit("guest")
    assert [each.kind for each in report] == ["strategy", "movedQuota", "quota"]
    assert (report.complete, report.until) == (True, None)


def test_what_would_admit_a_workload_is_found_while_others_preempt_each_other_for_ever() -> None:
    objects = [
        flavor(),
        queue("a", {"default": 2}, cohortName="all", preemption={"reclaimWithinCohort": "Any"}),
        queue(
            "b",
            {"default": 2},
            cohortName="all",
            preemption={"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        ),
        queue("apart", {"default": 1}),
    ]
    jobs = [job("guest", "a", 3), job("urgent", "b", 4, 2), job("small", "b", 2, 1)]
    run = lab(objects, [job("late", "apart", 3), *jobs], FAIR).run()
    assert run.loop is not None
    assert run.loop.workloads == ("default/guest", "default/small")
    offered = {each.kind for each in run.what_would_admit("late")}
    assert offered == {"quota", "smallerRequest"}


def test_a_chain_of_preemptions_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = RUN.what_would_admit("late")
    assert whole.complete
    assert "quota" in {each.kind for each in whole}
    monkeypatch.setattr(sandbox, "_MOST_HEADS_AT_ONCE", 0)
    report = RUN.what_would_admit("late")
    assert (report.complete, list(report)) == (False, [])
    monkeypatch.setattr(sandbox, "_MOST_HEADS_AT_ONCE", 12)
    assert list(RUN.what_would_admit("late")) == list(whole)
