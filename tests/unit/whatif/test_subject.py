"""The workload that is to be admitted: what it asks for, what suits it, and in which units."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from offered import subject_of
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.whatif.subject import Subject, back_off_ends


def group(flavors: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a resource group: flavor to resource to nominal quota."""
    return {
        "coveredResources": [*next(iter(flavors.values()))],
        "flavors": [
            {
                "name": name,
                "resources": [{"name": each, "nominalQuota": n} for each, n in quotas.items()],
            }
            for name, quotas in flavors.items()
        ],
    }


def with_groups(name: str, *groups: dict[str, Any], **spec: Any) -> list[dict[str, Any]]:
    found = {"namespaceSelector": {}, "resourceGroups": [*groups], **spec}
    local = manifest("LocalQueue", name, {"clusterQueue": name})
    return [manifest("ClusterQueue", name, found), local]


def asking(name: str, queue_name: str, **requests: Any) -> dict[str, Any]:
    return {"job": name, "queue": queue_name, "requests": requests}


# --- what it asks for -----------------------------------------------------------------------------


def test_what_is_asked_of_each_group_and_what_suits_there() -> None:
    taint = {"key": "spot", "value": "yes", "effect": "NoSchedule"}
    objects = [
        flavor("a", nodeTaints=[taint]),
        flavor("b"),
        flavor("gpus"),
        with_groups(
            "team",
            group({"gpus": {"gpu": 1}}),
            group({name: {"cpu": 1, "memory": 1} for name in ("a", "b", "gone")}),
        ),
    ]
    late = {"job": "late", "queue": "team"}
    pods = [
        {"name": name, "requests": {"cpu": 2, **more}}
        for name, more in (("x", {"disk": 7}), ("y", {"memory": 0}))
    ]
    subject = subject_of(lab(objects, [{**late, "podSets": pods}]).run())
    assert (subject.key, subject.requests) == ("default/late", {"cpu": 4000, "disk": 7})
    (demand,) = subject.demands
    assert demand.group.covered_resources == ("cpu", "memory")
    assert (demand.requests, demand.flavors) == ({"cpu": 4000}, ("b",))
    assert [str(each) for each in demand.mismatches] == [
        "untolerated taint {spot yes NoSchedule <nil>} in flavor a",
        "flavor gone not found",
    ]
    assert subject.uncovered == ("disk",)
    assert subject.contested == (("b", "cpu"),)


def test_only_pods_that_ask_for_something_of_a_group_have_to_suit() -> None:
    objects = [
        flavor("zoned", nodeLabels={"zone": "a"}),
        flavor("gpus", nodeLabels={"zone": "b"}),
        with_groups("team", group({"zoned": {"cpu": 1}}), group({"gpus": {"gpu": 1}})),
    ]
    pods = [
        {"name": "x", "requests": {"gpu": 2}, "nodeSelector": {"zone": "b"}},
        {"name": "y", "requests": {"cpu": 2}, "nodeSelector": {"zone": "a"}},
    ]
    subject = subject_of(lab(objects, [{"job": "late", "queue": "team", "podSets": pods}]).run())
    assert subject.contested == (("zoned", "cpu"), ("gpus", "gpu"))


def test_without_a_queue_nothing_is_asked_of_any_group() -> None:
    dangling = manifest("LocalQueue", "team", {"clusterQueue": "missing"})
    for objects in ([flavor()], [flavor(), dangling]):
        subject = subject_of(lab(objects, [job("late", "team", 1)]).run())
        assert (subject.queue, subject.node) == (None, None)
        assert (subject.demands, subject.uncovered) == ((), ())
        assert (subject.tree_queues, subject.holders(), subject.waiting()) == ([], [], [])


# --- room ---------------------------------------------------------------------------------------


def crowded() -> Subject:
    """Two flavors: of one much is missing of memory, of the other half of both."""
    objects = [
        flavor("one"),
        flavor("two"),
        with_groups(
            "team",
            group({"one": {"cpu": 4, "memory": 1}, "two": {"cpu": 2, "memory": 5}}),
            cohortName="all",
        ),
        with_groups("other", group({"three": {"cpu": 9}}), cohortName="all"),
        flavor("three"),
    ]
    jobs = [
        asking("held", "team", cpu=1, memory=1),
        asking("elsewhere", "other", cpu=1),
        asking("first", "team", cpu=4, memory=8),
        asking("late", "team", cpu=4, memory=10),
    ]
    return subject_of(lab(objects, jobs).run())


def test_the_flavor_in_which_the_smallest_part_is_missing_is_the_best() -> None:
    subject = crowded()
    (demand,) = subject.demands
    assert subject.lacking(demand, "one") == {"cpu": 1000, "memory": 10}
    assert subject.lacking(demand, "two") == {"cpu": 2000, "memory": 5}
    assert subject.best_flavor(demand) == "two"


def test_those_that_hold_and_those_that_wait() -> None:
    subject = crowded()
    assert subject.tree_queues == ["other", "team"]
    assert [state.key for state in subject.holders()] == ["default/held"]
    assert [state.key for state in subject.waiting()] == ["default/first"]


def test_what_is_missing_may_be_given_up() -> None:
    objects = [flavor(), queue("team", {"default": 4})]
    jobs = [job("a", "team", 1), job("b", "team", 3), job("late", "team", 3)]
    subject = subject_of(lab(objects, jobs).run())
    a, b = subject.holders()
    assert [subject.fits_without(each) for each in ([], [a], [b], [a, b])] == [
        False,
        False,
        True,
        True,
    ]
    (demand,) = subject.demands
    assert subject.lacking(demand, "default") == {"cpu": 3000}


# --- units ---------------------------------------------------------------------------------------


def unit(*jobs: dict[str, Any], resource: str = "cpu", **quota: Any) -> int:
    """Return the unit of a resource; the queue has quota, the cohort above none, by default."""
    memory = {"name": "memory", "nominalQuota": quota.pop("memory", 0)}
    cpu = {"name": "cpu", "nominalQuota": quota.pop("nominalQuota", 12), **quota}
    flavors = [{"name": "default", "resources": [cpu, memory]}]
    groups = [{"coveredResources": ["cpu", "memory"], "flavors": flavors}]
    objects = [flavor(), with_groups("team", *groups, cohortName="all")]
    return subject_of(lab(objects, [*jobs, asking("late", "team", cpu=30)]).run()).unit(resource)


def test_all_amounts_of_the_tree_are_multiples_of_the_unit() -> None:
    assert unit() == 6000
    assert unit(borrowingLimit=4) == 2000
    assert unit(lendingLimit=4) == 2000
    assert unit(nominalQuota=9) == 3000
    assert unit(nominalQuota=0) == 30_000
    assert unit(nominalQuota="1m") == 1


def test_what_is_held_and_what_others_wait_for_counts() -> None:
    assert unit(asking("held", "team", cpu=4)) == 2000
    assert unit(asking("held", "team", cpu=4), asking("more", "team", cpu=6)) == 2000
    assert unit(asking("waits", "team", cpu=20)) == 2000
    # Not of another resource, and not what asks for none of it.
    assert unit(asking("held", "team", cpu=6, memory=7), memory=9) == 6000
    assert unit(asking("held", "team", memory=7), memory=9) == 6000


def test_a_resource_that_is_not_asked_for_has_a_unit_too() -> None:
    assert unit(resource="memory") == 1
    assert unit(resource="memory", memory=8) == 8


def test_quota_without_end_does_not_count() -> None:
    assert unit(nominalQuota="9223372036854775807m") == 30_000


def pods(count: int, **more: Any) -> int:
    made = lab(
        [flavor(), queue("team", {"default": 12})], [job("late", "team", 2, pods=count, **more)]
    )
    return subject_of(made.run()).unit("cpu")


def test_amounts_go_pod_by_pod_for_a_job_that_can_be_admitted_in_part() -> None:
    assert pods(3) == 6000
    assert pods(3, minCount=1) == 2000


# --- backing off ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requeued", "at", "ends"),
    [
        (None, None, None),
        (None, 5, 5),
        (None, 4, None),
        ("False", 5, 5),
        ("False", None, None),
        ("True", 5, 5),
    ],
)
def test_a_back_off_ends_later(requeued: str | None, at: int | None, ends: int | None) -> None:
    condition = None if requeued is None else SimpleNamespace(status=requeued)
    requeue_state = SimpleNamespace(requeue_at=at)
    state: Any = SimpleNamespace(requeued=condition, requeue_state=requeue_state)
    assert back_off_ends(state, 4) == ends


def test_without_a_time_a_back_off_has_no_end() -> None:
    state: Any = SimpleNamespace(requeued=SimpleNamespace(status="False"), requeue_state=None)
    assert back_off_ends(state, 4) is None
