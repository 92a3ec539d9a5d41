"""The changes of amounts that are offered: quotas, limits, requests, pods, and the priority."""

from __future__ import annotations

from typing import Any

from offered import offer, offers, subject_of, texts
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.whatif.amounts import (
    Quotas,
    borrowing,
    fewer_pods,
    lending,
    less_per_pod,
    partial,
    priority,
)
from kueuelab.whatif.subject import Subject

CPU = ("default", "cpu")


def cohort(name: str, parent: str = "", **quota: Any) -> dict[str, Any]:
    """Return a Cohort with quota for cpu, if any is given."""
    spec: dict[str, Any] = {"parentName": parent} if parent else {}
    if quota:
        flavors = [{"name": "default", "resources": [{"name": "cpu", **quota}]}]
        spec["resourceGroups"] = [{"coveredResources": ["cpu"], "flavors": flavors}]
    return manifest("Cohort", name, spec)


def pod_set(name: str = "main", count: int = 1, **more: Any) -> dict[str, Any]:
    """Return a pod set; of each pod, ``resources`` is what its container has there."""
    resources = more.pop("resources", {"requests": {"cpu": 2}})
    spec = {"containers": [{"name": "c", "resources": resources}], **more.pop("pod", {})}
    return {"name": name, "count": count, "template": {"spec": spec}, **more}


def of_workload(*pod_sets: dict[str, Any], **spec: Any) -> Subject:
    """Return a workload with these pod sets in a queue of 1 cpu."""
    late = manifest("Workload", "late", {"queueName": "team", "podSets": [*pod_sets], **spec})
    late["metadata"]["namespace"] = "default"
    return subject_of(lab([flavor(), queue("team", {"default": 1}), late], []).run())


# --- quotas and limits ------------------------------------------------------------------------


def test_the_quota_of_a_queue_or_a_cohort_is_raised() -> None:
    objects = [
        flavor(),
        cohort("team", nominalQuota=1),
        queue("team", {"default": "1500m"}, cohortName="team"),
    ]
    subject = subject_of(lab(objects, [job("late", "team", 4)]).run())
    assert subject.node is not None
    raised = Quotas(subject, subject.node).raised(CPU, 2000)
    assert offer(raised) == (
        "quota",
        "raise the nominal quota of ClusterQueue team by 2 cpu/default",
        [
            "edit ClusterQueue/team: spec.resourceGroups[0].flavors[default]"
            ".resources[cpu].nominalQuota: 3500m"
        ],
        ("team",),
        0.5,
    )
    assert (raised.most, raised.step) == (2000, 500)
    (above,) = subject.node.ancestors()
    assert CPU in Quotas(subject, above)
    assert ("other", "cpu") not in Quotas(subject, above)
    assert offer(Quotas(subject, above).raised(CPU, 4000), 1000) == (
        "cohortQuota",
        "raise the nominal quota of Cohort team by 1 cpu/default",
        [
            "edit Cohort/team: spec.resourceGroups[0].flavors[default]"
            ".resources[cpu].nominalQuota: 2"
        ],
        ("team",),
        0.25,
    )


def test_borrowing_limits_are_raised_by_what_it_and_its_rivals_in_the_queue_ask_for() -> None:
    """Neither what does not ask for cpu nor what is pending in another queue counts."""
    objects = [
        flavor(),
        cohort("all", nominalQuota=9),
        cohort("part", "all", nominalQuota=0, borrowingLimit="500m"),
        queue("team", {"default": 1}, limits={"borrowingLimit": 1}, cohortName="part"),
        queue("other", {"default": 0}, limits={"borrowingLimit": 0}, cohortName="part"),
    ]
    jobs = [
        job("rival", "team", 3),
        {"job": "odd", "queue": "team", "requests": {"memory": 1}},
        job("elsewhere", "other", 8),
        job("late", "team", 4),
    ]
    subject = subject_of(lab(objects, jobs).run())
    (demand,) = subject.demands
    found = borrowing(subject, "default", demand)
    assert [(each.most, each.step) for each in found] == [(7000, 500)] * 2
    path = "spec.resourceGroups[0].flavors[default].resources[cpu].borrowingLimit"
    assert offers(found) == [
        (
            "borrowingLimit",
            "let ClusterQueue team borrow 7 cpu/default more",
            [f"edit ClusterQueue/team: {path}: 8"],
            ("team",),
            1.75,
        ),
        (
            "borrowingLimit",
            "let Cohort part borrow 7 cpu/default more",
            [f"edit Cohort/part: {path}: 7500m"],
            ("part",),
            1.75,
        ),
    ]
    assert borrowing(subject, "other", demand) == []


def test_those_that_keep_the_most_are_asked_first_to_lend_more() -> None:
    """Its own limit and those above it do not matter, nor those of another tree."""
    objects = [
        flavor(),
        cohort("all"),
        cohort("part", "all", nominalQuota=5, lendingLimit=1),
        # A Cohort and a ClusterQueue that keep the same amount, and have the same name.
        cohort("b", "all", nominalQuota=4, lendingLimit=2),
        queue("b", {"default": 2}, limits={"lendingLimit": 0}, cohortName="all", local=False),
        queue("a", {"default": "2001m"}, limits={"lendingLimit": 2}, cohortName="all", local=False),
        queue("none", {"default": 3}, limits={"lendingLimit": 3}, cohortName="all", local=False),
        queue("free", {"default": 3}, cohortName="all", local=False),
        queue("team", {"default": 2}, limits={"lendingLimit": 1}, cohortName="part"),
        cohort("elsewhere", "apart", nominalQuota=8, lendingLimit=1),
        queue("c", {"default": 8}, limits={"lendingLimit": 1}, cohortName="elsewhere", local=False),
    ]
    subject = subject_of(lab(objects, [job("late", "team", 4)]).run())
    found = lending(subject)
    assert [(each.most, each.step) for each in found] == [(2000, 1), (2000, 1), (1, 1)]
    path = "spec.resourceGroups[0].flavors[default].resources[cpu].lendingLimit"
    assert offers(found) == [
        (
            "lendingLimit",
            "let ClusterQueue b lend 2 cpu/default more",
            [f"edit ClusterQueue/b: {path}: 2"],
            ("b",),
            0.5,
        ),
        (
            "lendingLimit",
            "let Cohort b lend 2 cpu/default more",
            [f"edit Cohort/b: {path}: 4"],
            ("b",),
            0.5,
        ),
        (
            "lendingLimit",
            "let ClusterQueue a lend 1m cpu/default more",
            [f"edit ClusterQueue/a: {path}: 2001m"],
            ("a",),
            0.00025,
        ),
    ]


def test_a_queue_that_is_not_there_has_nobody_to_borrow_from() -> None:
    objects = [flavor(), manifest("LocalQueue", "team", {"clusterQueue": "missing"})]
    assert lending(subject_of(lab(objects, [job("late", "team", 4)]).run())) == []


# --- the workload itself ----------------------------------------------------------------------


def test_the_priority_is_raised_to_that_of_others_and_beyond() -> None:
    objects = [
        flavor(),
        queue("team", {"default": 2}, cohortName="all", queueingStrategy="StrictFIFO"),
        queue("other", {"default": 2}, cohortName="all"),
    ]
    jobs = [
        job("running", "other", 4, 7),
        job("first", "team", 4, 4),
        job("equal", "team", 4, 2),
        job("late", "team", 4, 2),
        job("lower", "team", 4, 1),
    ]
    found = priority(subject_of(lab(objects, jobs).run()))
    assert found is not None
    shown = [offer(found, level) for level in range(1, found.most + 1)]
    assert [each.changes for each in shown] == [
        [f"edit Workload/default/late: spec.priority: {level}"] for level in (3, 4, 5, 7, 8)
    ]
    kind, text, _, queues, size = shown[2]
    assert (kind, queues, size) == ("priority", (), 1)
    assert text == "raise the priority of default/late from 2 to 5"
    alone = subject_of(
        lab([flavor(), queue("team", {"default": 2})], [job("late", "team", 4)]).run()
    )
    assert priority(alone) is None


def test_two_pod_sets_of_several_pods_may_have_fewer() -> None:
    found = fewer_pods(
        of_workload(
            *(pod_set(name, count) for name, count in (("a", 1), ("b", 4), ("c", 2), ("d", 3)))
        )
    )
    adjustments = list(found)
    assert [each.most for each in adjustments] == [3, 1]
    edit = "edit Workload/default/late: "
    assert [offer(adjustments[0], 1), offer(adjustments[1])] == [
        (
            "fewerPods",
            "ask for 3 pods instead of 4 in pod set b",
            [
                f"{edit}spec.podSets[b].count: 3, spec.podSets[b].minCount: (none)",
            ],
            (),
            0.25,
        ),
        (
            "fewerPods",
            "ask for 1 pod instead of 2 in pod set c",
            [
                f"{edit}spec.podSets[c].count: 1, spec.podSets[c].minCount: (none)",
            ],
            (),
            0.5,
        ),
    ]


def test_the_pod_set_that_may_be_admitted_in_part_may_be_smaller() -> None:
    found = partial(of_workload(pod_set("a", 4), pod_set("b", 5, minCount=3)))
    assert found is not None
    assert found.most == 2
    assert offer(found, 1) == (
        "partialAdmission",
        "allow partial admission: minCount 2 of 5 pods in pod set b",
        ["edit Workload/default/late: spec.podSets[b].minCount: 2"],
        (),
        0.6,
    )


def test_of_several_pod_sets_the_first_with_several_pods_may_be_admitted_in_part() -> None:
    found = partial(of_workload(pod_set("a"), pod_set("b", 2), pod_set("c", 4)))
    assert found is not None
    assert found.most == 1
    assert offer(found).changes == ["edit Workload/default/late: spec.podSets[b].minCount: 1"]


def test_one_pod_is_not_admitted_in_part() -> None:
    assert partial(of_workload(pod_set("a"))) is None
    assert partial(of_workload(pod_set("a", 3, minCount=1))) is None
    late = {"pods": 3, "minCount": 2}
    objects = [flavor(), queue("team", {"default": 2})]
    off = {"featureGates": {"PartialAdmission": False}}
    for configuration, offered in (({}, True), (off, False)):
        made = lab(objects, [job("late", "team", 1, **late)], configuration)
        assert (partial(subject_of(made.run())) is not None) is offered


def test_each_pod_may_ask_for_less_of_what_its_container_says() -> None:
    subject = of_workload(pod_set(count=2))
    (found,) = less_per_pod(subject)
    assert (found.most, found.step) == (3998, 1000)
    place = "spec.podSets[0].template.spec.containers[0].resources"
    assert offer(found, 1000) == (
        "smallerRequest",
        "ask for only 1500m cpu per pod",
        [f"edit Workload/default/late: {place}.requests[cpu]: 1500m"],
        (),
        0.25,
    )
    assert offer(found).changes == [f"edit Workload/default/late: {place}.requests[cpu]: 1m"]


def test_a_device_keeps_its_limit_equal_to_its_request() -> None:
    """Of cpu that is not so; what an overhead or a limit range adds is not the container's."""
    gpu = "nvidia.com/gpu"
    quotas = [{"name": name, "nominalQuota": 1} for name in ("cpu", "memory", gpu)]
    group = {
        "coveredResources": ["cpu", "memory", gpu],
        "flavors": [{"name": "default", "resources": quotas}],
    }
    team = manifest("ClusterQueue", "team", {"namespaceSelector": {}, "resourceGroups": [group]})
    both = {"cpu": 2, gpu: 3}
    pods = pod_set(
        resources={"requests": both, "limits": both}, pod={"overhead": {"memory": "1Ki"}}
    )
    late = manifest("Workload", "late", {"queueName": "team", "podSets": [pods]})
    late["metadata"]["namespace"] = "default"
    local = manifest("LocalQueue", "team", {"clusterQueue": "team"})
    subject = subject_of(lab([flavor(), team, local, late], []).run())
    place = "spec.podSets[0].template.spec.containers[0].resources"
    assert [offer(each, 1).changes for each in less_per_pod(subject)] == [
        [f"edit Workload/default/late: {place}.requests[cpu]: 1999m"],
        [f"edit Workload/default/late: {place}.requests[{gpu}]: 2, {place}.limits[{gpu}]: 2"],
    ]


def test_with_partial_admission_each_pod_asks_for_a_unit_less() -> None:
    (found,) = less_per_pod(of_workload(pod_set(count=3, minCount=2)))
    assert (found.most, found.step) == (5997, 3)


def test_only_pods_of_one_kind_with_one_container_ask_for_less() -> None:
    more = [{"name": name, "resources": {"requests": {"cpu": 1}}} for name in "ab"]
    for pods in (
        [pod_set("a"), pod_set("b")],
        [pod_set(pod={"containers": more})],
        [pod_set(pod={"initContainers": more[:1]})],
        [pod_set(resources={"requests": {"cpu": "1m"}})],
        [pod_set(count=0)],
    ):
        assert texts(less_per_pod(of_workload(*pods))) == []


def test_each_flavor_that_it_could_use_is_asked_for() -> None:
    lender = queue("lender", {"two": 2}, limits={"lendingLimit": 0}, cohortName="all", local=False)
    team = queue("team", {"one": 1, "two": 1}, cohortName="all")
    run = lab([flavor("one"), flavor("two"), lender, team], [job("late", "team", 3)]).run()
    assert texts(lending(subject_of(run))) == ["let ClusterQueue lender lend 2 cpu/two more"]
