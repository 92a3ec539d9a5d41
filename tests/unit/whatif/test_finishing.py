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
    evaluator = Evaluator(sandbox)
    with sandbox.lend() as copy:
        subject = Subject(copy.cluster, f"default/{workload}")
        texts = [proposal_of(plan).text for plan in finishing(subject, evaluator)]
    return texts, evaluator.trials


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


# --- what is tried, and when a set is offered -----------------------------------------------------


class Judge:
    """Says that sets of some sizes help, and for which of them others are evicted."""

    def __init__(self, *helps: int, evicting: tuple[int, ...] = ()) -> None:
        self._helps, self._evicting = helps, evicting
        self.tried: list[str] = []

    def helps(self, plan: ChangeSet) -> bool:
        self.tried.append(proposal_of(plan).text)
        return len(plan) in self._helps

    def helps_without_evictions(self, plan: ChangeSet) -> bool:
        return self.helps(plan) and len(plan) not in self._evicting

    def least(self, plan: ChangeSet, good: Good | None = None) -> ChangeSet | None:
        parts = [dict([*plan.items()][:count]) for count in range(1, len(plan) + 1)]
        return next(filter(good or self.helps, parts), None)


def judged(run: LabRun, judge: Any) -> list[str]:
    subject = Subject(run.player.cluster, "default/late")
    return [proposal_of(plan).text for plan in finishing(subject, judge)]


def of_one_cpu(count: int) -> LabRun:
    jobs = [job(f"j{number}", "team", 1) for number in range(count)]
    objects = [flavor(), queue("team", {"default": count})]
    return lab(objects, [*jobs, job("late", "team", count)]).run()


def test_where_no_single_one_would_do_a_set_may_cost_evictions() -> None:
    assert judged(of_one_cpu(3), Judge(2, 3, evicting=(2, 3))) == [
        "wait until default/j1 and default/j2 finish"
    ]


def test_where_a_single_one_costs_evictions_a_set_has_to_cost_none() -> None:
    singles = [f"wait until default/j{number} finishes" for number in (2, 1, 0)]
    run = of_one_cpu(3)
    assert judged(run, Judge(1, 2, 3, evicting=(1, 2))) == [
        *singles,
        "wait until default/j0, default/j1 and default/j2 finish",
    ]
    assert judged(run, Judge(1, 2, 3, evicting=(1, 2, 3))) == singles
    assert judged(run, Judge(1, 2, 3)) == singles


def test_two_are_a_set() -> None:
    assert judged(of_one_cpu(2), Judge(2)) == ["wait until default/j0 and default/j1 finish"]
    assert judged(of_one_cpu(1), Judge(2)) == []


def test_eight_are_tried_those_first_that_leave_enough_room() -> None:
    """Then those of its own queue, and those of others, the largest first."""
    objects = [
        flavor(),
        queue("team", {"default": 12}, cohortName="all"),
        queue("other", {"default": 30}, cohortName="all"),
    ]
    jobs = [
        job("big", "other", 8),
        job("huge", "other", 9),
        *(job(f"own-{cpu}", "team", cpu) for cpu in (2, 4, 3)),
        *(job(f"other-{cpu}", "other", cpu) for cpu in (1, 2, 3, 4)),
        job("fills", "team", "3500m"),
    ]
    run = lab(objects, [*jobs, job("late", "team", 10)]).run()
    judge = Judge()
    assert judged(run, judge) == []
    assert judge.tried[:8] == [
        f"wait until default/{name} finishes"
        for name in (
            *("big", "huge"),
            *("own-4", "fills", "own-3", "own-2"),
            *("other-4", "other-3"),
        )
    ]


def test_the_largest_part_of_what_is_asked_for_counts() -> None:
    late = {**job("late", "team", 4), "requests": {"cpu": 4, "gpu": 2}}
    gpus = {**job("gpus", "team", 1), "requests": {"cpu": 1, "gpu": 2}}
    judge = Judge()
    assert judged(lab(gpus_and_cpu(4, 2), [gpus, job("cpu", "team", 3), late]).run(), judge) == []
    assert judge.tried[:2] == [f"wait until default/{name} finishes" for name in ("gpus", "cpu")]


def test_without_a_flavor_that_suits_no_end_of_another_one_helps() -> None:
    team = queue("team", {"default": 2})
    run = lab([flavor(), team], [job("x", "team", 2), job("late", "team", 1)]).run()
    assert judged(run, Judge(1)) == ["wait until default/x finishes"]
    selecting = job("late", "team", 1, nodeSelector={"zone": "b"})
    tainted = flavor(nodeTaints=[{"key": "busy", "effect": "NoSchedule"}])
    tolerant = job("x", "team", 2, tolerations=[{"key": "busy", "operator": "Exists"}])
    assert judged(lab([tainted, team], [tolerant, selecting]).run(), Judge(1)) == []
    assert judged(lab([tainted], [job("late", "team", 1)]).run(), Judge(1)) == []
