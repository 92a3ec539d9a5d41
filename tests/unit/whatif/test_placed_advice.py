"""Advice on what has no place: nodes, flavors, slices and jobs of different kinds together."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import flavor, manifest, queue

from kueuelab.manifests import load_scenario
from kueuelab.whatif.advice import Advice, advise

LEVELS = ("block", "rack", "kubernetes.io/hostname")


def topology(*levels: str, name: str = "tree") -> dict[str, Any]:
    return manifest("Topology", name, {"levels": [{"nodeLabel": each} for each in levels]})


def node(name: str, pool: str = "a", **held: Any) -> dict[str, Any]:
    """Return a node: its name is those of its block, its rack and itself, with dashes."""
    block, rack, host = name.split("-")
    labels = {"pool": pool, "block": block, "rack": rack, "kubernetes.io/hostname": host}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": {"cpu": "8", "pods": "100", **held}},
    }


def placing(name: str = "placed", pool: str = "a", tree: str = "tree") -> dict[str, Any]:
    return flavor(name, nodeLabels={"pool": pool}, topologyName=tree)


def workload(name: str, *pod_sets: dict[str, Any], queue: str = "q") -> dict[str, Any]:
    return manifest("Workload", name, {"queueName": queue, "podSets": list(pod_sets)})


def pods(
    count: int, topology: dict[str, Any] | None = None, name: str = "main", **requests: Any
) -> dict[str, Any]:
    resources = {"requests": {"cpu": "2", **requests}}
    container = {"name": "main", "image": "i", "resources": resources}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    asked = {"topologyRequest": topology} if topology else {}
    return {"name": name, "count": count, "template": template, **asked}


def advice(*objects: Any) -> list[Advice]:
    flat = [part for each in objects for part in (each if isinstance(each, list) else [each])]
    spec = {"manifests": flat}
    scenario = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "small"}}
    return advise(load_scenario({**scenario, "spec": spec}))


def unplaced(*objects: Any) -> list[str]:
    return [each.object for each in advice(*objects) if each.kind == "neverPlaced"]


RACK = {"required": "rack"}
WORLD = [topology(*LEVELS), placing(), *queue("q", {"placed": 99})]
#: Two racks of two hosts; a host has room for four pods of 2 cpu.
NODES = [node("b1-r1-h1"), node("b1-r1-h2"), node("b1-r2-h3"), node("b1-r2-h4")]


def test_a_workload_and_a_job_are_named_as_they_were_written() -> None:
    container = pods(1)["template"]["spec"]["containers"][0]
    annotations = {"kueue.x-k8s.io/podset-required-topology": "rack"}
    written = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "labels": {"kueue.x-k8s.io/queue-name": "q"}},
        "spec": {
            "parallelism": 9,
            "completions": 9,
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {"restartPolicy": "Never", "containers": [container]},
            },
        },
    }
    found = advice(WORLD, NODES, workload("large", pods(9, RACK)), written)
    assert [(each.object, each.field) for each in found if each.kind == "neverPlaced"] == [
        ("Workload/default/large", "spec.podSets"),
        ("Job/default/job", ""),
    ]


def test_what_comes_before_does_not_hide_what_has_no_place() -> None:
    """A workload without a queue, in a queue with another flavor, with pods for any place."""
    anywhere = [flavor("any"), *queue("both", {"placed": 9, "any": 9})]
    found = unplaced(
        *(WORLD, anywhere, NODES),
        workload("astray", pods(9, RACK), queue="gone"),
        workload("elsewhere", pods(9, RACK), queue="both"),
        workload("large", pods(1, name="first"), pods(9, RACK, name="second")),
    )
    assert found == ["Workload/default/large"]


def test_only_nodes_of_the_flavor_count() -> None:
    more = [node("b1-r1-h5", pool="b"), node("b1-r1-h6", pool="b")]
    assert unplaced(WORLD, NODES, more, workload("large", pods(9, RACK))) != []
    assert unplaced(WORLD, NODES, more, workload("fits", pods(8, RACK))) == []


def test_a_flavor_is_offered_by_its_name_not_by_that_of_its_topology() -> None:
    world = [topology(*LEVELS, name="any"), placing(tree="any"), flavor("any")]
    queues = queue("q", {"placed": 99}) + queue("other", {"any": 99})
    assert unplaced(world, queues, NODES, workload("large", pods(9, RACK))) != []
    assert unplaced(world, queues, NODES, workload("o", pods(9, RACK), queue="other")) == []


def test_the_quota_of_all_queues_is_held_against_the_nodes_of_each_flavor() -> None:
    """The first flavor has no nodes yet; nothing is said of it."""
    world = [topology(*LEVELS), placing("later", pool="b"), placing()]
    queues = queue("p", {"later": 50, "placed": 16}) + queue("q", {"placed": 17})
    found = [each for each in advice(world, queues, NODES) if each.kind == "quotaExceedsNodes"]
    assert [each.object for each in found] == ["ResourceFlavor/placed"]
    assert "is 33 cpu of flavor placed" in found[0].what
    assert "hold 32 cpu" in found[0].why


def test_the_number_of_pods_and_what_a_node_lacks_count() -> None:
    full = [node("b1-r1-h1", pods="3")]
    assert unplaced(WORLD, full, workload("fits", pods(3, RACK))) == []
    assert unplaced(WORLD, full, workload("large", pods(4, RACK))) != []
    gpus = {"nvidia.com/gpu": "1"}
    assert unplaced(WORLD, full, workload("gpus", pods(1, RACK, **gpus))) != []


def test_a_topology_of_one_level() -> None:
    world = [topology("rack"), placing(), *queue("q", {"placed": 99})]
    assert unplaced(world, NODES, workload("fits", pods(8, RACK))) == []
    assert unplaced(world, NODES, workload("large", pods(9, RACK))) != []


def sliced(*sizes: tuple[str, int], **more: Any) -> dict[str, Any]:
    """Return a topology request with slices in slices."""
    layers = [{"topology": level, "size": size} for level, size in sizes]
    return {"podsetSliceRequiredTopologyConstraints": layers, **more}


def test_slices_without_a_required_level_have_all_domains() -> None:
    """Each block has room for one of the two slices of its rack."""
    nodes = [node("b1-r1-h1"), node("b2-r2-h2")]
    request = sliced(("rack", 4))
    assert unplaced(WORLD, nodes, workload("fits", pods(8, request))) == []
    assert unplaced(WORLD, nodes, workload("large", pods(12, request))) != []


def test_slices_of_each_layer_are_whole_in_the_domain_of_their_level() -> None:
    """A rack has three hosts, each with room for three pods: in pairs for six, in fours for one."""
    nodes = [node(f"b1-r1-h{number}", cpu="6") for number in range(3)]
    two = sliced(("block", 4), ("rack", 4))
    assert (
        unplaced(WORLD, nodes, workload("fits", pods(8, sliced(("block", 8), ("rack", 4))))) == []
    )
    assert unplaced(WORLD, nodes, workload("four", pods(4, two))) == []
    pairs = sliced(("block", 8), ("rack", 4), ("kubernetes.io/hostname", 2))
    assert unplaced(WORLD, nodes, workload("large", pods(8, pairs))) != []
    assert unplaced(WORLD, [*nodes, node("b1-r2-h4")], workload("fits", pods(8, pairs))) == []


@pytest.mark.parametrize(
    "layers",
    [
        [("rack", 4), ("row", 2)],  # no such level
        [("rack", 4), ("block", 2)],  # not below the one before
        [("rack", 4), ("kubernetes.io/hostname", 3)],  # no part of the one before
    ],
)
def test_slices_within_slices_that_kueue_rejects_have_no_place(layers: Any) -> None:
    assert unplaced(WORLD, NODES, workload("wrong", pods(4, sliced(*layers)))) != []
    right = sliced(("rack", 4), ("kubernetes.io/hostname", 2))
    assert unplaced(WORLD, NODES, workload("right", pods(4, right))) == []


def test_a_leader_that_has_no_place_leaves_none_for_the_workers() -> None:
    group = {"required": "rack", "podSetGroupName": "ring"}
    large = pods(1, group, name="leader", **{"nvidia.com/gpu": "1"})
    workers = pods(2, group, name="workers")
    found = advice(WORLD, NODES, workload("gang", large, workers))
    (line,) = [each for each in found if each.kind == "neverPlaced"]
    assert "has room for more than 0 of them" in line.why
    # Three of a group are no group that Kueue knows: the first two count.
    third = pods(1, group, name="third")
    assert unplaced(WORLD, NODES, workload("gang", large, workers, third)) != []
    # One host has the GPU: there the leader goes, and the workers beside it.
    one = [*NODES, node("b1-r1-h5", **{"nvidia.com/gpu": "1"})]
    assert unplaced(WORLD, one, workload("gang", large, workers)) == []
