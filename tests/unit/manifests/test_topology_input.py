"""What is wrong with topologies, and with what asks for a place in them, in Kueue's words.

The words are those of the definitions and webhooks of Kueue v0.19.2: ``topology_types.go``,
``resourceflavor_types.go``, ``workload_webhook.go``, ``jobframework/tas_validation.go``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import kueuelab
from kueuelab.errors import InputError
from kueuelab.manifests import load_scenario

KUEUE = "kueue.x-k8s.io/v1beta2"
HOSTNAME = "kubernetes.io/hostname"
LOCAL = {
    "apiVersion": KUEUE,
    "kind": "LocalQueue",
    "metadata": {"name": "main"},
    "spec": {"clusterQueue": "main"},
}


def topology(*levels: str, name: str = "default") -> dict[str, Any]:
    return {
        "apiVersion": KUEUE,
        "kind": "Topology",
        "metadata": {"name": name},
        "spec": {"levels": [{"nodeLabel": level} for level in levels]},
    }


def flavor(**spec: Any) -> dict[str, Any]:
    meta = {"name": "default"}
    return {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": meta, "spec": spec}


def job(**annotations: str) -> dict[str, Any]:
    prefix = "kueue.x-k8s.io/podset-"
    named = {prefix + name.replace("_", "-"): text for name, text in annotations.items()}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": 1}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a", "labels": {"kueue.x-k8s.io/queue-name": "main"}},
        "spec": {
            "suspend": True,
            "parallelism": 4,
            "completions": 4,
            "template": {
                "metadata": {"annotations": named},
                "spec": {"restartPolicy": "Never", "containers": [container]},
            },
        },
    }


def workload(**request: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": 1}}}
    spec = {"containers": [container], "restartPolicy": "Never"}
    pod_set = {"name": "main", "count": 4, "topologyRequest": request, "template": {"spec": spec}}
    return {
        "apiVersion": KUEUE,
        "kind": "Workload",
        "metadata": {"name": "a"},
        "spec": {"queueName": "main", "podSets": [pod_set]},
    }


def cluster_queue(flavor_name: str = "default") -> dict[str, Any]:
    quota = [{"name": "cpu", "nominalQuota": 16}]
    group = {"coveredResources": ["cpu"], "flavors": [{"name": flavor_name, "resources": quota}]}
    return {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": "main"},
        "spec": {"namespaceSelector": {}, "resourceGroups": [group]},
    }


def refused(path: Path, *objects: dict[str, Any]) -> list[str]:
    """Return what the server says of manifests, with the field."""
    file = path / "objects.yaml"
    file.write_text(yaml.safe_dump_all(objects))
    with pytest.raises(InputError) as caught:
        load_scenario(file)
    return [f"{each.field}: {each.message}" for each in caught.value.problems]


def scenario(*timeline: dict[str, Any], objects: Any = ()) -> str:
    spec = {
        "nodes": {"racks": 2, "hosts": 2, "cpu": 4},
        "manifests": [cluster_queue(), LOCAL, *objects],
        "timeline": list(timeline),
    }
    return yaml.safe_dump(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "a"},
            "spec": spec,
        }
    )


def submitted(pods: int = 4, **placement: Any) -> dict[str, Any]:
    asked = {"job": "a", "queue": "main", "pods": pods, "requests": {"cpu": 1}}
    return {"at": 0, "submit": {**asked, "topology": placement}}


TOO_MANY = [f"level-{number}" for number in range(17)]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (["rack", "block", "rack"], "spec.levels: Invalid value: must be unique"),
        (["block", "block"], "spec.levels: Invalid value: must be unique"),
        (
            [HOSTNAME, "block"],
            "spec.levels: Invalid value: the kubernetes.io/hostname label can only be used at the "
            "lowest level of topology",
        ),
        (
            [],
            "spec.levels: Invalid value: 0: spec.levels in body should have at least 1 items",
        ),
        (TOO_MANY, "spec.levels: Too many: 17: must have at most 16 items"),
    ],
)
def test_levels_that_make_no_topology(tmp_path: Path, levels: list[str], message: str) -> None:
    assert refused(tmp_path, topology(*levels)) == [message]


def test_a_flavor_with_a_topology_names_its_nodes(tmp_path: Path) -> None:
    (message,) = refused(tmp_path, flavor(topologyName="dc"))
    assert message.endswith("at least one nodeLabel is required when topology is set")


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({"slice_size": "-2"}, '"-2": must be greater than or equal to 1'),
        ({"slice_size": "0"}, '"0": must be greater than or equal to 1'),
        ({"slice_size": "two"}, '"two": must be a numeric value'),
        ({"slice_size": "8"}, '"8": must not be greater than pod set count 4'),
    ],
)
def test_sizes_of_slices_in_a_job(
    tmp_path: Path, annotations: dict[str, str], message: str
) -> None:
    asked = job(slice_required_topology="rack", **annotations)
    field = "spec.template.metadata.annotations[kueue.x-k8s.io/podset-slice-size]"
    assert refused(tmp_path, asked) == [f"{field}: Invalid value: {message}"]


def test_two_levels_at_once(tmp_path: Path) -> None:
    (message,) = refused(tmp_path, job(required_topology="rack", preferred_topology="block"))
    assert "must not contain more than one topology annotation" in message


def test_a_negative_slice_of_a_workload(tmp_path: Path) -> None:
    request = {"required": "rack", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": -1}
    assert refused(tmp_path, workload(**request)) == [
        "spec.podSets[0].topologyRequest.podSetSliceSize: Invalid value: -1: must be greater than 0"
    ]


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        (
            {"required": "rack", "slices": [{"level": "host", "size": 8}]},
            'Invalid value: "8": must not be greater than pod set count 4',
        ),
        (
            {"slices": [{"level": "rack", "size": 4}, {"level": "host", "size": 3}]},
            "Invalid value: 3: must evenly divide the parent layer size 4",
        ),
        (
            {"slices": [{"level": "rack", "size": 2}, {"level": "rack", "size": 1}]},
            'Duplicate value: "cloud.provider.com/topology-rack (also at index 0)"',
        ),
    ],
)
def test_the_short_form_is_judged_as_the_job_it_stands_for(
    placement: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        kueuelab.load(scenario(submitted(**placement)))
    assert [(each.field, each.message) for each in caught.value.problems] == [
        ("submit.topology", message)
    ]


@pytest.mark.parametrize("slices", [-2, 0])
def test_a_negative_slice_of_the_short_form(slices: int) -> None:
    with pytest.raises(InputError, match="should be greater than or equal to 1"):
        kueuelab.load(scenario(submitted(slices=[{"level": "rack", "size": slices}])))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            flavor(nodeLabels={"cloud.provider.com/node-group": "default"}, topologyName="other"),
            "spec: Invalid value: topologyName is immutable when topologyName is set",
        ),
        (
            flavor(nodeLabels={"a": "b"}, topologyName="default"),
            "spec: Invalid value: nodeLabels are immutable when topologyName is set",
        ),
        (topology(HOSTNAME), "spec.levels: Invalid value: field is immutable"),
    ],
)
def test_what_a_timeline_changes_is_judged_as_an_update(
    changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        kueuelab.load(scenario(submitted(required="rack"), {"at": 5, "apply": changed}))
    assert [f"{each.field}: {each.message}" for each in caught.value.problems] == [message]


def pending(text: str) -> str:
    run = kueuelab.load(text).run()
    state = run.trace.state_at(len(run.trace) - 1)
    return state.workload("default/a").waiting


def test_a_level_that_the_topology_does_not_have() -> None:
    assert pending(scenario(submitted(required="row"))) == (
        "couldn't assign flavors to pod set main: "
        'Flavor "default" does not contain the requested level'
    )


def test_a_level_that_no_node_has() -> None:
    """The node lacks a label of the topology: it is not part of it."""
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": {"a": "b", HOSTNAME: "n1"}},
        "status": {
            "allocatable": {"cpu": "4", "pods": "10"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    placed = flavor(nodeLabels={"a": "b"}, topologyName="default")
    levels = topology("example.com/row", HOSTNAME)
    asked = workload(required="example.com/row")
    objects = [levels, placed, cluster_queue(), LOCAL, node, asked]
    assert pending(yaml.safe_dump_all(objects)) == (
        "couldn't assign flavors to pod set main: no topology domains at level: example.com/row"
    )


def test_a_topology_that_is_not_there() -> None:
    meta = {"name": "lost"}
    lost = flavor(nodeLabels={"a": "b"}, topologyName="nowhere") | {"metadata": meta}
    text = yaml.safe_dump_all([cluster_queue("lost"), LOCAL, lost, workload()])
    trace = kueuelab.load(text).run().trace
    said = [trace[index].facts for index in trace.of_kind("QueueStatusChanged")]
    assert [(facts.reason, facts.message) for facts in said] == [
        (
            "TopologyNotFound",
            'Can\'t admit new workloads: there is no Topology "nowhere" for TAS flavor "lost".',
        )
    ]
