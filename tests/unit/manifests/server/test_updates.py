"""Updates: what may change, and what Kueue keeps as it is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from kueuelab.manifests import load
from kueuelab.manifests.server import judge
from kueuelab.manifests.server.webhooks.workloads import workload_errors
from kueuelab.model import FeatureGates

LOCAL_QUEUE: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "LocalQueue",
    "metadata": {"name": "team-a", "namespace": "default"},
    "spec": {"clusterQueue": "research"},
}
TOPOLOGY: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "Topology",
    "metadata": {"name": "racks"},
    "spec": {"levels": [{"nodeLabel": "rack"}]},
}
CHECK: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "AdmissionCheck",
    "metadata": {"name": "check"},
    "spec": {"controllerName": "a"},
}
POD: dict[str, Any] = {
    "spec": {
        "containers": [{"name": "pi", "image": "registry.example/pi:1"}],
        "restartPolicy": "Never",
    }
}
JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "pi", "labels": {"kueue.x-k8s.io/queue-name": "team-a"}},
    "spec": {
        "suspend": False,
        "template": POD,
    },
}


def changed(obj: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    copy: Any = deepcopy(obj)
    place = copy
    for segment in path[:-1]:
        place = place[segment]
    place[path[-1]] = value
    found: dict[str, Any] = copy
    return found


@pytest.mark.parametrize(
    ("obj", "path", "value", "field"),
    [
        (LOCAL_QUEUE, ("spec", "clusterQueue"), "other", "spec.clusterQueue"),
        (TOPOLOGY, ("spec", "levels"), [{"nodeLabel": "block"}], "spec.levels"),
        (CHECK, ("spec", "controllerName"), "b", "spec.controllerName"),
        (JOB, ("spec", "completionMode"), "Indexed", "spec.completionMode"),
        (JOB, ("spec", "template", "spec", "restartPolicy"), "OnFailure", "spec.template"),
    ],
)
def test_what_is_fixed(
    obj: dict[str, Any], path: tuple[str | int, ...], value: Any, field: str
) -> None:
    stored = judge(obj).object
    assert judge(obj, existing=stored).is_accepted
    verdict = judge(changed(obj, path, value), existing=stored)
    assert verdict.code == 422
    assert field in [cause.field for cause in verdict.causes]
    assert "immutable" in verdict.message


def test_a_job_that_runs_keeps_its_queue() -> None:
    stored = {**judge(JOB).object}
    stored["spec"] = {**stored["spec"], "suspend": False}
    other = changed(JOB, ("metadata", "labels", "kueue.x-k8s.io/queue-name"), "team-b")
    verdict = judge(other, existing=stored)
    assert verdict.code == 403
    assert [error.field for error in verdict.errors] == [
        "metadata.labels[kueue.x-k8s.io/queue-name]"
    ]


def test_loading_over_what_exists() -> None:
    update = changed(LOCAL_QUEUE, ("spec", "clusterQueue"), "other")
    assert not load(LOCAL_QUEUE, existing=LOCAL_QUEUE).problems
    (problem,) = load(update, existing=LOCAL_QUEUE, keep_going=True).problems
    assert problem.field == "spec.clusterQueue"
    assert problem.hint.startswith("Keep the old value")
    assert not load(update).problems


def test_a_wrong_value_that_is_not_edited_is_kept() -> None:
    stored = {**judge(LOCAL_QUEUE).object}
    stored["spec"] = {**stored["spec"], "stopPolicy": "Once"}
    update = changed(stored, ("metadata", "labels"), {"team": "a"})
    assert judge(update, existing=stored).is_accepted
    assert not judge(changed(update, ("spec", "stopPolicy"), "Twice"), existing=stored).is_accepted


def test_a_slice_that_replaces_another_one_runs_on_the_same_cluster() -> None:
    before: dict[str, Any] = {"metadata": {"name": "x-2"}, "spec": {"podSets": []}, "status": {}}
    placed = changed(before, ("status", "clusterName"), "worker")
    assert [error.message for error in workload_errors(placed, before, FeatureGates())] == [
        'Invalid value: "worker": when setting clusterName it must be one of the '
        "nominatedClusterNames"
    ]
    of = {"kueue.x-k8s.io/workload-slice-replacement-for": "default/x"}
    moved = changed(placed, ("metadata", "annotations"), of)
    assert not list(workload_errors(moved, before, FeatureGates()))
