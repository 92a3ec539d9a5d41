"""What prevents the admission of a workload: what is said of it, and what is not tried."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import flavor, job, lab, manifest, queue

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.whatif.report import Report

CONTAINER = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}


def in_racks(racks: int, *jobs: dict[str, Any]) -> Lab:
    """Have racks of 4 cpus with one host each."""
    timeline = [
        {"at": f"{second}s", "submit": {"queue": "main", "requests": {"cpu": 1}, **each}}
        for second, each in enumerate(jobs)
    ]
    found = kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "racks"},
            "spec": {
                "manifests": queue("main", {"default": 4 * racks}),
                "nodes": {"racks": racks, "hosts": 1, "cpu": 4},
                "timeline": timeline,
            },
        }
    )
    assert isinstance(found, Lab)
    return found


def texts(report: Report) -> list[str]:
    return [str(each.text) for each in report.obstacles]


def test_of_many_domains_with_room_only_some_are_named() -> None:
    rack = {"topology": {"required": "rack"}}
    fillers = [{"job": f"f{number}", "pods": 3, **rack} for number in range(8)]
    run = in_racks(8, *fillers, {"job": "late", "pods": 4, **rack}).run(until=10)
    assert isinstance(run, LabRun)
    assert texts(run.what_would_admit("default/late")) == [
        "It requires one domain of cloud.provider.com/topology-rack for 4 pods, and r1 has room "
        "for the most: 1. In all, 8 cpu is free in flavor default: 1 in r1, 1 in r2, 1 in r3, "
        "1 in r4, 1 in r5 and the rest in 3 other domains."
    ]


def test_up_to_six_domains_with_room_are_all_named() -> None:
    rack = {"topology": {"required": "rack"}}
    fillers = [{"job": f"f{number}", "pods": 3, **rack} for number in range(6)]
    run = in_racks(6, *fillers, {"job": "late", "pods": 4, **rack}).run(until=10)
    assert isinstance(run, LabRun)
    (text,) = texts(run.what_would_admit("default/late"))
    assert text.endswith("6 cpu is free in flavor default: " + named(*"123456") + ".")


def named(*racks: str) -> str:
    *some, last = (f"1 in r{each}" for each in racks)
    return f"{', '.join(some)} and {last}"


def test_where_nodes_are_in_a_topology_a_job_without_a_topology_is_looked_at_like_others() -> None:
    run = in_racks(1, {"job": "first", "pods": 4}, {"job": "late", "pods": 4}).run(until=3)
    assert isinstance(run, LabRun)
    report = run.what_would_admit("default/late")
    assert "finish" in {each.kind for each in report}
    assert not {"preferred", "level", "node"} & {each.kind for each in report}


def test_requests_that_are_not_valid_are_named() -> None:
    limits = {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}
    metadata = {"name": "small", "namespace": "default"}
    limit = {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": limits}
    run = lab([flavor(), queue("team", {"default": 4}), limit], [job("late", "team", 2)]).run()
    (text,) = texts(run.what_would_admit("late"))
    assert text.startswith("Its requests are not valid: resources didn't satisfy LimitRange ")


def test_a_workload_that_was_deleted_is_said_to_be() -> None:
    objects = [flavor(), queue("team", {"default": 1})]
    run = lab(objects, [job("x", "team", 1)]).run().fork().delete("x").run()
    report = run.what_would_admit("default/x")
    assert texts(report) == ["It was deleted."]
    assert not report


def test_the_end_of_a_back_off_is_the_time_at_which_it_is_tried_again() -> None:
    run = scenarios.load("loop-4-pods-never-ready").run(until=32)
    (text,) = texts(run.what_would_admit("stuck"))
    assert text == "It backs off until 2026-01-01T00:00:36Z."


def test_resource_groups_that_are_not_asked_for_do_not_hide_those_after_them() -> None:
    def group(resource: str, amount: int) -> dict[str, Any]:
        quota = {"name": resource, "nominalQuota": amount}
        return {
            "coveredResources": [resource],
            "flavors": [{"name": resource, "resources": [quota]}],
        }

    groups = [group("gpu", 4), group("cpu", 1)]
    team = manifest("ClusterQueue", "team", {"namespaceSelector": {}, "resourceGroups": groups})
    local = manifest("LocalQueue", "team", {"clusterQueue": "team"})
    report = (
        lab([flavor("gpu"), flavor("cpu"), team, local], [job("late", "team", 2)])
        .run()
        .what_would_admit("late")
    )
    assert [each.kind for each in report.obstacles] == ["tooLarge"]
    assert "raise the nominal quota of ClusterQueue team by 1 cpu/cpu" in {
        str(each.text) for each in report
    }


def test_what_would_be_admitted_anyway_only_has_to_wait_and_nothing_is_tried() -> None:
    made = lab([flavor(), queue("team", {"default": 2})], [job("x", "team", 1)])
    run = made.run()
    created = run.until(workload="default/x", event="created").index
    report = run.what_would_admit("default/x", at=created)
    assert [(each.kind, each.time) for each in report] == [("wait", 10**9)]
    assert report.tried == 0


@pytest.mark.parametrize(("is_on", "kinds"), [(True, ["gated"]), (False, [])])
def test_a_gate_is_an_obstacle_where_gates_are_heeded(is_on: bool, kinds: list[str]) -> None:
    pod = {"containers": [CONTAINER], "restartPolicy": "Never"}
    gated = manifest("Job", "late", {"template": {"spec": pod}})
    gated |= {"apiVersion": "batch/v1"}
    gated["metadata"] |= {
        "labels": {"kueue.x-k8s.io/queue-name": "team"},
        "annotations": {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"},
    }
    on = {"featureGates": {"AdmissionGatedBy": is_on}}
    found = lab([flavor(), queue("team", {"default": 1}), gated], [], on).run()
    report = found.what_would_admit(next(iter(found.trace.workloads)))
    assert [each.kind for each in report.obstacles if each.kind == "gated"] == kinds
    said = [str(each.text) for each in report.obstacles if each.kind == "gated"]
    assert said == ["Its admission is gated by example.com/gate."] * len(kinds)


def test_what_no_flavor_is_for_and_what_is_too_large_are_both_said() -> None:
    taint = {"key": "spot", "value": "true", "effect": "NoSchedule"}
    groups = [
        {
            "coveredResources": [resource],
            "flavors": [{"name": name, "resources": [{"name": resource, "nominalQuota": 1}]}],
        }
        for resource, name in (("cpu", "tainted"), ("memory", "default"))
    ]
    objects = [
        flavor(),
        flavor("tainted", nodeTaints=[taint]),
        manifest("ClusterQueue", "team", {"namespaceSelector": {}, "resourceGroups": groups}),
        manifest("LocalQueue", "team", {"clusterQueue": "team"}),
    ]
    late = {"job": "late", "queue": "team", "requests": {"cpu": 1, "memory": 2}}
    report = lab(objects, [late]).run().what_would_admit("late")
    assert [each.kind for each in report.obstacles] == ["flavors", "tooLarge"]


def cohort(name: str, parent: str) -> dict[str, Any]:
    return manifest("Cohort", name, {"parentName": parent})


@pytest.mark.parametrize(
    ("objects", "kind", "text"),
    [
        (
            [manifest("LocalQueue", "team", {"clusterQueue": "gone"})],
            "clusterQueue",
            "LocalQueue default/team points to ClusterQueue gone, which does not exist.",
        ),
        (
            [*queue("team", {"default": 1}, cohortName="x"), cohort("x", "y"), cohort("y", "x")],
            "cohortCycle",
            "The cohorts above ClusterQueue team form a cycle.",
        ),
        (
            [
                *queue("team", {"default": 1}, local=False),
                manifest("LocalQueue", "team", {"clusterQueue": "team", "stopPolicy": "Hold"}),
            ],
            "localQueueStopped",
            "LocalQueue default/team is stopped (Hold).",
        ),
        (
            queue("team", {"default": 1}, stopPolicy="Hold"),
            "inactiveQueue",
            "ClusterQueue team is not active: Can't admit new workloads: is stopped.",
        ),
    ],
)
def test_what_is_wrong_with_a_queue_is_said(objects: list[Any], kind: str, text: str) -> None:
    report = lab([flavor(), *objects], [job("late", "team", 1)]).run().what_would_admit("late")
    assert (kind, text) in [(each.kind, str(each.text)) for each in report.obstacles]


def test_where_cohorts_form_a_cycle_no_domain_is_looked_for() -> None:
    circle = [*queue("team", {"default": 1}, cohortName="x"), cohort("x", "y"), cohort("y", "x")]
    late = {**job("late", "team", 1), "topology": {"required": "rack"}}
    report = lab([flavor(), *circle], [late]).run().what_would_admit("late")
    assert [each.kind for each in report.obstacles] == ["cohortCycle"]


def test_while_pods_are_not_ready_only_blocking_is_tried() -> None:
    waiting = {"waitForPodsReady": {"timeout": "1h", "blockAdmission": True}}
    spec = {
        "configuration": waiting,
        "manifests": [flavor(), *queue("team", {"default": 2})],
        "timeline": [
            {"at": "0s", "submit": job("first", "team", 1)},
            {"at": "0s", "podsReady": {"workload": "first", "ready": False}},
            {"at": "2s", "submit": job("late", "team", 1)},
        ],
    }
    head = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "ready"}}
    report = kl.load({**head, "spec": spec}).run(until=3).what_would_admit("late")
    said = "The scheduler waits until the pods of admitted workloads are ready."
    assert [(each.kind, str(each.text)) for each in report.obstacles] == [("podsReady", said)]
    assert [each.kind for each in report] == ["wait", "unblock"]
    assert report.tried == 1


def test_domains_are_named_by_what_is_free_in_them() -> None:
    rack = {"topology": {"required": "rack"}}
    fillers = [{"job": f"f{number}", "pods": 4 - number, **rack} for number in (1, 2)]
    run = in_racks(2, *fillers, {"job": "late", "pods": 3, **rack}).run(until=10)
    assert isinstance(run, LabRun)
    (text,) = texts(run.what_would_admit("default/late"))
    assert text.endswith("3 cpu is free in flavor default: 2 in r2 and 1 in r1.")
