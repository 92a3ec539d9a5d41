"""A job that is deleted: Kueue says that its Workload finished, then the Workload is deleted."""

from __future__ import annotations

from typing import Any

import pytest

import kueuelab as kl

API = "kueue.x-k8s.io/v1beta2"
FLAVOR = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 3}]}


def manifest(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def played(timeline: list[dict[str, Any]], configuration: dict[str, Any] | None = None) -> Any:
    groups = [{"coveredResources": ["cpu"], "flavors": [FLAVOR]}]
    objects = [
        manifest("ResourceFlavor", "default"),
        manifest("ClusterQueue", "cq", namespaceSelector={}, resourceGroups=groups),
        manifest("LocalQueue", "lq", clusterQueue="cq"),
    ]
    return kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "deleted"},
            "spec": {
                "configuration": configuration or {},
                "manifests": objects,
                "timeline": timeline,
            },
        }
    ).run()


def submit(at: str, name: str, cpu: int, **more: Any) -> dict[str, Any]:
    return {"at": at, "submit": {"job": name, "queue": "lq", "requests": {"cpu": cpu}, **more}}


TWO = [submit("0s", "a", 3), submit("1s", "b", 3), {"at": "5s", "delete": "a"}]


def ends_of(run: Any, workload: str) -> list[str]:
    kinds = ("Finished", "QuotaReleased", "WorkloadDeleted")
    steps = [run.trace[index] for kind in kinds for index in run.trace.of_kind(kind)]
    found = sorted((step.index, step) for step in steps if step.workload == workload)
    reasons = {"Finished": "reason", "QuotaReleased": "reason"}
    return [
        f"{step.kind} {getattr(step.facts, reasons[step.kind])}"
        if step.kind in reasons
        else step.kind
        for _, step in found
    ]


def test_kueue_finishes_the_workload_and_its_quota_is_free() -> None:
    run = played(TWO)
    assert ends_of(run, "default/a") == [
        "Finished OwnerNotFound",
        "QuotaReleased Finished",
        "WorkloadDeleted",
    ]
    before = next(iter(run.trace.of_kind("WorkloadDeleted"))) - 1
    found = run.state_at(before).workload("default/a").condition("Finished")
    assert (found.status, found.reason) == ("True", "OwnerNotFound")
    assert found.message == "The workload's owner no longer exists"
    assert run.cluster.workload("default/b").is_admitted
    assert "default/a" not in run.cluster.workloads
    assert "finished: its job is deleted" in run.as_text()


def test_without_the_gate_it_is_only_deleted() -> None:
    run = played(TWO, {"featureGates": {"FinishOrphanedWorkloads": False}})
    assert ends_of(run, "default/a") == ["QuotaReleased deleted", "WorkloadDeleted"]
    assert run.cluster.workload("default/b").is_admitted


@pytest.mark.parametrize(
    ("timeline", "found"),
    [
        ([submit("0s", "a", 9), {"at": "5s", "delete": "a"}], "Finished OwnerNotFound"),
        ([submit("0s", "a", 1, runs="2s"), {"at": "5s", "delete": "a"}], "Finished Succeeded"),
    ],
    ids=["pending", "finished"],
)
def test_a_workload_finishes_once(timeline: list[dict[str, Any]], found: str) -> None:
    ends = ends_of(played(timeline), "default/a")
    assert [each for each in ends if each.startswith("Finished")] == [found]
    assert ends[-1] == "WorkloadDeleted"


def test_a_job_of_the_same_name_runs_for_its_own_time() -> None:
    timeline = [
        submit("0s", "a", 1, runs="30s"),
        {"at": "5s", "delete": "a"},
        submit("6s", "a", 1),
    ]
    run = played(timeline)
    assert run.cluster.workload("default/a").is_admitted
    assert not run.cluster.workload("default/a").is_finished
