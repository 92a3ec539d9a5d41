"""A dispatched job that its user changes: its priority class, and whether it is suspended."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import kueuelab as kl
from kueuelab.errors import SimulationError
from kueuelab.multikueue import ClusterSetRun, MultiKueueScenario

CLASS = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "WorkloadPriorityClass",
    "metadata": {"name": "high"},
    "value": 9,
}


def played(change: dict[str, Any], cluster: str = "") -> ClusterSetRun:
    """Play a job of the manager that is changed while it runs."""
    document = yaml.safe_load(kl.scenarios.text("cluster-deleted"))
    job = {"job": "train", "queue": "team", "requests": {"cpu": 1}, "runs": "100s"}
    document["spec"]["clusters"]["manager"]["manifests"].append(CLASS)
    where = {"cluster": cluster} if cluster else {}
    document["spec"]["timeline"] = [
        {"at": "1s", "submit": job},
        {"at": "20s", **where, "changeJob": {"workload": "train", **change}},
    ]
    document["spec"].pop("expect", None)
    scenario = kl.load(document)
    assert isinstance(scenario, MultiKueueScenario)
    return scenario.run(until=60)


def late(run: ClusterSetRun, cluster: str) -> list[str]:
    """Return what was written about the job there from the change on."""
    return [
        fact.fact
        for fact in run.facts
        if fact.cluster == cluster and fact.kind == "Job" and fact.time >= 20e9
    ]


def test_kueue_resumes_the_job_of_the_manager() -> None:
    run = played({"suspend": True})
    assert [each for each in late(run, "manager") if each.startswith("suspend")] == [
        "suspend=true",
        "suspend=false",
    ]
    assert run.cluster_set.manager.member.workloads["default/train"].is_admitted


def test_what_is_so_already_changes_nothing() -> None:
    assert late(played({"suspend": False}), "manager") == []


def test_another_priority_class() -> None:
    run = played({"priorityClass": "high"})
    assert "priorityClass=high" in late(run, "manager")


@pytest.mark.parametrize("change", [{"pods": 2}, {"queue": "other"}])
def test_pods_and_queue_stay(change: dict[str, Any]) -> None:
    with pytest.raises(SimulationError, match="not its pods or its queue"):
        played(change)
