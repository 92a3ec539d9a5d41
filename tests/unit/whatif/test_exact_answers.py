"""What is said and set, to the letter: values of levers, lists, hints."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import flavor, job, lab, queue

import kueuelab as kl
from kueuelab.errors import InputError, KueueLabError
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.scenario import Finish
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.whatif.replay import at_the_start
from kueuelab.whatif.table import Timeline


def borrower(**preemption: Any) -> LabRun:
    """Have a workload that could run only if it borrowed and preempted the other one."""
    return lab(
        [
            flavor(),
            queue("a", {"default": 2}, cohortName="c", preemption=preemption),
            queue("b", {"default": 2}, cohortName="c"),
        ],
        [job("low", "b", 4, priority=1), job("high", "a", 3, priority=10)],
    ).run()


def preemptions(run: LabRun) -> list[str]:
    report = run.what_would_admit("default/high")
    return [str(each.text) for each in report if each.kind == "preemption"]


def test_to_borrow_by_preemption_both_policies_are_set() -> None:
    assert preemptions(borrower()) == [
        "set reclaimWithinCohort: LowerPriority, borrowWithinCohort: {policy: LowerPriority} "
        "of ClusterQueue a"
    ]


def test_a_higher_threshold_is_given_with_its_policy() -> None:
    threshold = {"policy": "LowerPriority", "maxPriorityThreshold": 0}
    run = borrower(reclaimWithinCohort="LowerPriority", borrowWithinCohort=threshold)
    assert preemptions(run)[0] == (
        "set borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 1} of ClusterQueue a"
    )


def test_a_run_is_forked_at_its_very_beginning() -> None:
    assert (
        repr(kl.scenarios.load("lost-worker").run().fork(at="0s"))
        == "<MultiKueueFork at 0s: 0 changes>"
    )


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda run: run.fork(at="-1s"), "'-1s' is before the start. Fork at 0 to be there first"),
        (
            lambda run: run.fork().submit(job("low", "a", 1)),
            "Workload/default/low: it exists already. Give it another name, "
            "or edit the one that is there",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(act: Any, said: str) -> None:
    with pytest.raises(KueueLabError) as caught:
        act(borrower())
    assert str(caught.value) == said


def test_a_lab_and_a_timeline_say_what_they_are() -> None:
    assert repr(Lab(ScenarioSpec())) == "<Lab unnamed: 0 objects, 0 actions>"
    rows = borrower().timeline
    assert [repr(Timeline(tuple(rows)[:count], "")) for count in (1, 2)] == [
        "<Timeline: 1 row>",
        "<Timeline: 2 rows>",
    ]


def test_an_action_at_the_start_comes_after_those_that_are_there() -> None:
    jobs = [{"at": at, "submit": job(f"job-{at}", "a", 1)} for at in ("0s", "1s")]
    spec = load_scenario(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "small"},
            "spec": {"manifests": [flavor(), *queue("a", {"default": 2})], "timeline": jobs},
        }
    )
    first, last = spec.timeline
    ended = Finish(at=0, workload="default/job-0s")
    assert at_the_start(spec, ended).timeline == (first, ended, last)


def test_an_item_is_looked_for_by_its_name() -> None:
    path = "spec.resourceGroups[0].flavors[default].resources[nvidia.com/gpu].nominalQuota"
    with pytest.raises(InputError, match=r"has no item \[nvidia.com/gpu\]. There are: \[cpu\]$"):
        borrower().fork().edit("cluster-queue/a", {path: 1})


def test_progress_is_told_of_each_change_that_is_simulated() -> None:
    simulated: list[None] = []
    report = borrower().what_would_admit("default/high", progress=lambda: simulated.append(None))
    assert len(simulated) == report.tried > 1
    assert report.as_data() == borrower().what_would_admit("default/high").as_data()
