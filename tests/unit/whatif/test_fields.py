"""Editing an object by the paths of its fields."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import queue

from kueuelab.errors import InputError
from kueuelab.manifests import read_object
from kueuelab.model import ClusterQueue
from kueuelab.whatif.fields import edited, field_of

POD = {"spec": {"containers": [{"name": "main"}]}}
FLAVORS = "spec.resourceGroups[0].flavors"
QUEUE = read_object(queue("a", {"default": 4, "spot": 2}, cohortName="all")[0])


def names(obj: Any) -> list[str]:
    assert isinstance(obj, ClusterQueue)
    return [each.name for each in obj.resource_groups[0].flavors]


NEW = {"name": "new", "resources": [{"name": "cpu", "nominalQuota": 1}]}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (f"{FLAVORS}[2]", NEW, ["default", "spot", "new"]),
        (f"{FLAVORS}[0]", NEW, ["new", "spot"]),
        (f"{FLAVORS}[1]", None, ["default"]),
        (f"{FLAVORS}[default]", None, ["spot"]),
        (f"{FLAVORS}[spot]", NEW, ["default", "new"]),
        (f"{FLAVORS}[spot].name", "other", ["default", "other"]),
    ],
)
def test_items_go_by_index_or_name(path: str, value: Any, expected: list[str]) -> None:
    assert names(edited(QUEUE, {path: value})) == expected
    assert names(QUEUE) == ["default", "spot"]


def test_a_field_beside_the_spec_may_be_new() -> None:
    found = read_object(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": "urgent"},
            "value": 7,
        }
    )
    changed = edited(found, {"value": 8, "description": "soon"})
    assert (field_of(changed, "value"), field_of(changed, "description")) == (8, "soon")


def test_an_item_behind_the_last_is_new() -> None:
    check = "spec.admissionChecksStrategy.admissionChecks[0].name"
    new = edited(QUEUE, {check: "budget"})
    assert field_of(new, check) == "budget"
    second = edited(new, {check.replace("[0]", "[1]"): "other"})
    checks = field_of(second, "spec.admissionChecksStrategy.admissionChecks")
    assert [each["name"] for each in checks] == ["budget", "other"]


def test_none_takes_a_field_away() -> None:
    assert field_of(QUEUE, "spec.cohortName") == "all"
    without = edited(QUEUE, {"spec.cohortName": None})
    assert field_of(without, "spec.cohortName") is None
    assert edited(without, {"spec.cohortName": None}) == without


def test_the_value_given_is_not_shared() -> None:
    value = {"policy": "LowerPriority"}
    preemption = {"reclaimWithinCohort": "Any", "borrowWithinCohort": value}
    new = edited(QUEUE, {"spec.preemption": preemption})
    value["policy"] = "Never"
    assert field_of(new, "spec.preemption.borrowWithinCohort.policy") == "LowerPriority"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{FLAVORS}[0].name", "default"),
        (f"{FLAVORS}[spot].resources[cpu].nominalQuota", "2"),
        ("spec.nothing.here", None),
        (f"{FLAVORS}[7].name", None),
        (f"{FLAVORS}[2].name", None),
        (f"{FLAVORS}[1]", "{'name': 'spot', 'resources': [{'name': 'cpu', 'nominalQuota': '2'}]}"),
        (f"{FLAVORS}[other].name", None),
        ("spec.cohortName.deeper", None),
        ("metadata.name", "a"),
    ],
)
def test_reading_a_field(path: str, expected: Any) -> None:
    found = field_of(QUEUE, path)
    assert (None if found is None else str(found)) == expected


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("", "the path is empty", "Write a path such as spec.cohortName"),
        ("cohortName", 'unknown field "cohortName"', "Did you mean 'spec.cohortName'?"),
        ("sepc.cohortName", 'unknown field "sepc.cohortName"', "Did you mean 'spec.cohortName'?"),
        (
            f"{FLAVORS}[sport].name",
            f"{FLAVORS} has no item [sport]",
            f"Did you mean '{FLAVORS}[spot]'?",
        ),
        (f"{FLAVORS}[3].name", f"{FLAVORS} has no item [3]", "There are: [default], [spot]"),
        (
            "spec.resourceGroups[0].coveredResources[7]",
            "spec.resourceGroups[0].coveredResources has no item [7]",
            "There are: [cpu]",
        ),
        ("spec.resourceGroups[7].flavors", "spec.resourceGroups has no item [7]", "There are: [0]"),
        ("spec.cohortName.x", "spec.cohortName has no fields", ""),
        ("spec.cohortName.x.y", "spec.cohortName has no fields", ""),
    ],
)
def test_a_path_that_leads_nowhere(path: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        edited(QUEUE, {path: "x"})
    (problem,) = caught.value.problems
    assert (problem.object, problem.field) == ("ClusterQueue/a", path)
    assert (problem.message, problem.hint) == (message, hint)


def test_a_list_without_items_has_none_to_name() -> None:
    checks = "spec.admissionChecksStrategy.admissionChecks"
    with pytest.raises(InputError, match=r"has no item \[budget\]. There are: none$"):
        edited(QUEUE, {f"{checks}[0]": None, f"{checks}[budget].name": "x"})


def test_an_object_keeps_its_kind_and_name() -> None:
    with pytest.raises(InputError) as caught:
        edited(QUEUE, {"metadata.name": "b"})
    (problem,) = caught.value.problems
    assert problem.object == "ClusterQueue/b"
    assert problem.message == "an object keeps its kind and its name"
    assert problem.hint == "Apply a new object, and remove this one"


@pytest.mark.parametrize("namespace", ["default", "team"])
def test_an_object_keeps_its_namespace(namespace: str) -> None:
    local = queue("a", {"default": 1})[1]
    local["metadata"]["namespace"] = namespace
    changed = edited(read_object(local), {"spec.clusterQueue": "b"})
    assert changed.metadata.namespace == namespace


def test_the_object_stays_as_it_is() -> None:
    request = {"required": "rack"}
    pod_set = {"name": "main", "count": 1, "topologyRequest": request, "template": POD}
    spec = {"queueName": "q", "podSets": [pod_set]}
    manifest = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "spec": spec}
    workload = read_object({**manifest, "metadata": {"name": "a"}})
    path = "spec.podSets[main].topologyRequest.required"
    changed = edited(workload, {path: "block"})
    assert (field_of(workload, path), field_of(changed, path)) == ("rack", "block")
    assert changed != workload
