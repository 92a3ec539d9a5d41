"""Changes that admit a workload only together: which are found, and how they are put."""

from __future__ import annotations

import pytest
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.whatif import evaluator
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.report import Report


def kinds(report: Report) -> list[str]:
    return [each.kind for each in report]


def test_two_that_do_not_help_alone_are_tried_together() -> None:
    objects = [flavor(), queue("q", {"default": 2})]
    run = lab(objects, [job("early", "q", 2), job("late", "q", 2)]).run()
    (found,) = [each for each in run.what_would_admit("late") if "+" in each.kind]
    assert found.kind == "preemption+priority"
    assert str(found.text) == (
        "set withinClusterQueue: LowerPriority of ClusterQueue q "
        "and raise the priority of default/late from 0 to 1"
    )
    assert found.evicts == ("default/early",)


def test_one_that_helps_only_with_another_queue_is_found_beside_one_that_helps_here() -> None:
    nobody = {"namespaceSelector": {"matchLabels": {"team": "none"}}}
    objects = [
        flavor(),
        queue("q", {"default": 3}, cohortName="all", **nobody),
        queue("other", {"default": 0}, cohortName="all"),
    ]
    report = lab(objects, [job("late", "q", 4)]).run().what_would_admit("late")
    assert kinds(report) == ["namespaceLabel+quota", "namespaceSelector+quota", "quota+queueName"]


def stopped(*jobs: dict[str, object]) -> LabRun:
    """Return a run of a stopped queue with little cpu and memory, in a group each."""
    groups = [
        {
            "coveredResources": [resource],
            "flavors": [{"name": name, "resources": [{"name": resource, "nominalQuota": amount}]}],
        }
        for resource, name, amount in (("cpu", "spot", 5), ("memory", "mem", "2Gi"))
    ]
    spec = {"namespaceSelector": {}, "resourceGroups": groups, "stopPolicy": "Hold"}
    objects = [flavor("spot"), flavor("mem"), manifest("ClusterQueue", "q", spec)]
    local = manifest("LocalQueue", "q", {"clusterQueue": "q"})
    return lab([*objects, local], list(jobs)).run()


LATE = {"job": "late", "queue": "q", "requests": {"cpu": 9, "memory": "12Gi"}}


def test_no_combination_is_offered_twice() -> None:
    report = stopped(LATE).what_would_admit("late")
    assert kinds(report) == ["stopPolicy+quota"]
    assert str(report[0].text).endswith("by 4 cpu/spot and 10Gi memory/mem")


def test_a_search_that_ends_early_asks_for_no_more_than_all_that_wait_could_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, texts = stopped(LATE, job("other", "q", 7)), []
    for most in range(1, 40):
        monkeypatch.setattr(evaluator, "_MOST_TRIALS", most)
        texts += [str(found.text) for found in run.what_would_admit("late")]
    amounts = list(
        dict.fromkeys(text.partition(" quota of ClusterQueue q by ")[2] for text in texts)
    )
    assert amounts[0] == "20 cpu/spot and 22Gi memory/mem"
    assert amounts[-1] == "4 cpu/spot and 10Gi memory/mem"
