"""Which workloads would have to finish so that another is admitted."""

from __future__ import annotations

from typing import Any

from small_labs import flavor, job, lab, manifest, queue

from kueuelab.whatif.change_sets import ChangeSet, proposal_of
from kueuelab.whatif.evaluator import Evaluator, Good
from kueuelab.whatif.finishing import finishing
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.sandbox import Sandbox
from kueuelab.whatif.subject import Subject


def found(run: LabRun, workload: str = "late") -> tuple[list[str], int]:
    """Return what would have to finish, and how many changes were simulated to see that."""
    sandbox = Sandbox(run.player, f"default/{workload}")
    subject = Subject(sandbox.copy().cluster, f"default/{workload}")
    evaluator = Evaluator(sandbox)
    return [proposal_of(plan).text for plan in finishing(subject, evaluator)], evaluator.trials


def gpus_and_cpu(cpu: int, gpus: int) -> list[Any]:
    """Return a queue with quota for two resources in one flavor."""
    quotas = [{"name": "cpu", "nominalQuota": cpu}, {"name": "gpu", "nominalQuota": gpus}]
    groups = [
        {
            "coveredResources": ["cpu", "gpu"],
            "flavors": [{"name": "default", "resources": quotas}],
        }
    ]
    local = manifest("LocalQueue", "team", {"clusterQueue": "team"})
    spec = {"namespaceSelector": {}, "resourceGroups": groups}
    return [flavor(), manifest("ClusterQueue", "team", spec), local]


def test_those_that_use_the_least_of_what_is_asked_for_come_first() -> None:
    """What they don't use counts as nothing, and each would do."""
    jobs = [
        job("d", "team", 2),
        job("c", "team", "2500m"),
        job("b", "team", 3),
        job("a", "team", 4),
    ]
    late = {**job("late", "team", 4), "requests": {"cpu": 4, "gpu": 1}}
    texts, _ = found(lab(gpus_and_cpu(14, 1), [*jobs, late]).run())
    assert texts == [f"wait until default/{name} finishes" for name in ("d", "c", "b")]


def test_a_set_is_of_the_largest_users() -> None:
    jobs = [job(f"j{number}", "team", 3 if number < 2 else 2) for number in range(6)]
    run = lab([flavor(), queue("team", {"default": 14})], [*jobs, job("late", "team", 6)]).run()
    texts, _ = found(run)
    assert texts == ["wait until default/j0 and default/j1 finish"]


def test_where_all_of_them_would_not_do_no_part_of_them_is_tried() -> None:
    jobs = [job(f"j{number}", "team", 1) for number in range(4)]
    run = lab([flavor(), queue("team", {"default": 4})], [*jobs, job("late", "team", 6)]).run()
    # Each of them, and all together.
    assert found(run) == ([], 5)
    assert [each.queues for each in run.what_would_admit("late") if each.kind == "finish"] == []


def test_the_queues_of_those_that_finish_are_named() -> None:
    objects = [
        flavor(),
        queue("a", {"default": 2}, cohortName="all"),
        queue("b", {"default": 2}, cohortName="all"),
    ]
    run = lab(objects, [job("one", "a", 2), job("two", "b", 2), job("late", "a", 2)]).run()
    finish = [each for each in run.what_would_admit("late") if each.kind == "finish"]
    assert [(str(each.text), each.queues) for each in finish] == [
        ("wait until default/one finishes", ("a",)),
        ("wait until default/two finishes", ("b",)),
    ]


class SetsOnly:
    """Says that any set of several helps, and that others are evicted for it."""

    def helps(self, plan: ChangeSet) -> bool:
        return len(plan) > 1

    def helps_without_evictions(self, plan: ChangeSet) -> bool:
        return False

    def least(self, plan: ChangeSet, good: Good) -> ChangeSet | None:
        return plan if good(plan) else None


def test_where_no_single_one_would_do_a_set_may_cost_evictions() -> None:
    jobs = [job(f"j{number}", "team", 1) for number in range(3)]
    run = lab([flavor(), queue("team", {"default": 3})], [*jobs, job("late", "team", 3)]).run()
    judge: Any = SetsOnly()
    (plan,) = finishing(Subject(run.player.cluster, "default/late"), judge)
    assert proposal_of(plan).text == "wait until default/j1 and default/j2 finish"
