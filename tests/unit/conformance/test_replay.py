"""Replaying cases: each operation, and cases that cannot be played."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.conformance.cases import Case, Json
from kueuelab.conformance.replay import replay_case
from kueuelab.errors import InputError

FLAVOR = {"kind": "ResourceFlavor", "metadata": {"name": "default"}, "spec": {}}


def queue(nominal: str = "2", **spec: Any) -> Json:
    quota = {"name": "cpu", "nominalQuota": nominal}
    group = {
        "coveredResources": ["cpu"],
        "flavors": [{"name": "default", "resources": [quota]}],
    }
    spec = {"namespaceSelector": {}, "resourceGroups": [group], **spec}
    return {"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec}


LOCAL = {"kind": "LocalQueue", "metadata": {"name": "l"}, "spec": {"clusterQueue": "q"}}


def workload(name: str, cpu: str = "1") -> Json:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    spec = {"queueName": "l", "podSets": [pod_set]}
    return {"kind": "Workload", "metadata": {"name": name}, "spec": spec}


def played(*steps: Json, objects: list[Json] | None = None, **fields: Any) -> list[Json]:
    objects = [FLAVOR, queue(), LOCAL] if objects is None else objects
    return list(replay_case(Case("a", steps, (), tuple(objects), **fields)))


def create(name: str, cpu: str = "1") -> Json:
    return {"op": "create", "object": workload(name, cpu)}


CYCLE: Json = {"op": "cycle"}


def test_priority_is_set_once() -> None:
    raised = {"op": "set-priority", "workload": "default/b", "priority": 5}
    *_, first, second, gone = played(
        create("a"),
        create("b"),
        raised,
        raised,
        {**raised, "workload": "default/c"},
        record=("priority", "counts"),
    )
    assert first["state"]["clusterQueues"]["q"]["pendingActive"] == ["default/b", "default/a"]
    found = first["state"]["workloads"]["default/b"]
    assert (found["priority"], found["counts"]) == (5, {"main": 1})
    assert "skipped" not in first
    assert second["skipped"]
    assert gone["skipped"]


def test_all_checks_report_at_once() -> None:
    strategy = {"admissionChecks": [{"name": "c"}]}
    check = {"kind": "AdmissionCheck", "metadata": {"name": "c"}, "spec": {}}
    objects = [FLAVOR, queue(admissionChecksStrategy=strategy), LOCAL, check]
    ready = {"op": "set-all-checks", "check": "c", "state": "Ready"}
    early, *_, done = played(ready, create("a"), create("b"), CYCLE, CYCLE, ready, objects=objects)
    assert early["skipped"]
    assert [event["object"] for event in done["events"]] == ["default/a", "default/b"]
    assert {event["reason"] for event in done["events"]} == {"Admitted"}


def test_apply_replaces_the_status_only_if_it_says_so() -> None:
    inactive = {
        "kind": "AdmissionCheck",
        "metadata": {"name": "c"},
        "spec": {},
        "status": {"conditions": [{"type": "Active", "status": "False", "reason": "x"}]},
    }
    strategy = {"admissionChecks": [{"name": "c"}]}
    objects = [FLAVOR, queue(admissionChecksStrategy=strategy), LOCAL]
    objects.append({name: value for name, value in inactive.items() if name != "status"})
    without, with_status = played(
        {"op": "apply", "object": inactive},
        {"op": "apply", "object": inactive, "status": True},
        objects=objects,
    )
    assert without["state"]["clusterQueues"]["q"]["active"]
    assert not with_status["state"]["clusterQueues"]["q"]["active"]


def test_a_job_that_grows_replaces_its_slice() -> None:
    slice_ = workload("j-0")
    slice_["metadata"] |= {
        "annotations": {
            "kueue.x-k8s.io/elastic-job": "true",
            "kueue.x-k8s.io/workload-slice-name": "j-0",
        },
        "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "controller": True}
        ],
    }
    scale = {"op": "scale", "job": "default/j", "counts": {"main": 2}, "name": "j-1"}
    skipped, _, _, scaled, replaced = played(
        scale, {"op": "create", "object": slice_}, CYCLE, scale, CYCLE, record=("counts",)
    )
    assert skipped["skipped"]
    assert scaled["state"]["workloads"]["default/j-1"]["counts"] == {"main": 2}
    (entry,) = replaced["cycles"][0]["entries"]
    assert entry["targets"] == [{"workload": "default/j-0", "reason": ""}]
    assert [event["reason"] for event in replaced["events"]] == [
        "QuotaReserved",
        "Admitted",
        "WorkloadSliceReplaced",
    ]
    assert replaced["state"]["clusterQueues"]["q"]["usage"] == {"default": {"cpu": "2"}}


def test_life_of_a_workload() -> None:
    created, admitted, finished = played(
        create("a"), CYCLE, {"op": "finish", "workload": "default/a"}
    )
    assert created["state"]["clusterQueues"]["q"]["pendingActive"] == ["default/a"]
    (cycle,) = admitted["cycles"]
    assert cycle["heads"] == ["default/a"]
    assert [entry["status"] for entry in cycle["entries"]] == ["assumed"]
    assert [event["reason"] for event in admitted["events"]] == ["QuotaReserved", "Admitted"]
    assert admitted["state"]["clusterQueues"]["q"]["usage"] == {"default": {"cpu": "1"}}
    assert finished["state"]["clusterQueues"]["q"]["usage"] == {}


def test_settle_counts_rounds_and_moves_the_clock() -> None:
    (settled,) = played({"op": "settle", "maxCycles": 9}, start_time="2026-02-02T00:00:00Z")
    assert (settled["rounds"], len(settled["cycles"])) == (1, 1)
    assert settled["time"] == "2026-02-02T00:00:01Z"


@pytest.mark.parametrize(
    "step",
    [
        {"op": "finish", "workload": "default/a"},
        {"op": "delete", "workload": "default/none"},
        {"op": "set-check", "workload": "default/a", "check": "c", "state": "Ready"},
        {"op": "pods-ready", "workload": "default/a", "ready": True},
        {"op": "set-active", "workload": "default/a", "active": True},
        {"op": "reclaim", "workload": "default/a", "reclaimablePods": []},
    ],
)
def test_what_does_not_apply_is_skipped(step: Json) -> None:
    _, skipped = played(create("a"), step)
    assert skipped["skipped"] is True


def test_fractions_of_a_second() -> None:
    steps = [{"op": "advance", "seconds": 0.25}] * 4
    assert played(*steps)[-1]["time"] == "2026-01-01T00:00:01Z"


def test_objects_change_and_go() -> None:
    _, waits, _, fits, gone = played(
        create("a", "3"),
        CYCLE,
        {"op": "apply", "object": queue("4")},
        CYCLE,
        {"op": "remove", "kind": "LocalQueue", "name": "l", "namespace": "default"},
    )
    assert waits["state"]["clusterQueues"]["q"]["inadmissible"] == ["default/a"]
    assert fits["state"]["workloads"]["default/a"]["admission"] is not None
    assert "skipped" not in gone


def test_operation_that_fails_is_an_error_of_its_step() -> None:
    failed, after = played({"op": "remove", "kind": "Cohort", "name": "none"}, CYCLE)
    assert "none" in failed["error"]
    assert "error" not in after


def test_pods_are_left_out() -> None:
    pod = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {}}
    assert played(CYCLE, {"op": "apply", "object": pod}, objects=[pod])


def test_object_that_makes_no_sense_is_named() -> None:
    wrong = queue()
    wrong["spec"]["resourceGroups"] = 3
    with pytest.raises(InputError, match="ClusterQueue/q"):
        played(CYCLE, objects=[{"apiVersion": "kueue.x-k8s.io/v1beta2", **wrong}])
