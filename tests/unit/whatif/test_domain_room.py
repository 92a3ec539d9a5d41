"""What prevents admission where enough is free in all, but not in one domain."""

from __future__ import annotations

from typing import Any

from small_labs import flavor, manifest, queue

import kueuelab as kl
from kueuelab.whatif.freed_domains import those_that_free_a_domain
from kueuelab.whatif.subject import Subject

RACK = "cloud.provider.com/topology-rack"


def obstacles(name: str, workload: str, at: int) -> dict[str, str]:
    lab = kl.scenarios.load(name)
    assert isinstance(lab, kl.Lab)
    report = lab.run(until=at).what_would_admit(f"default/{workload}")
    return {each.kind: str(each.text) for each in report.obstacles}


def test_eleven_gpus_are_free_and_no_rack_has_four() -> None:
    assert obstacles("topology-10-fragmentation", "big", 20) == {
        "fragmented": f"It requires one domain of {RACK} for 4 pods, and r1 has room for the "
        "most: 3. In all, 11 nvidia.com/gpu is free in flavor default: 3 in r1, 3 in r2, 3 in r3 "
        "and 2 in r4."
    }


def test_a_workload_that_has_a_place_does_not_meet_it() -> None:
    assert set(obstacles("topology-10-fragmentation", "big", 61)) == {"admitted"}


def test_room_is_counted_in_whole_slices() -> None:
    """Each of three racks has room for 4 pods: for one slice of 3."""
    slices = [{"level": "rack", "size": 3}]
    asked = {"job": "train", "queue": "main", "pods": 12, "requests": {"cpu": 1}}
    placed = {"required": "block", "slices": slices}
    lab = kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "slices"},
            "spec": {
                "manifests": queue("main", {"default": 12}),
                "nodes": {"blocks": 1, "racks": 3, "hosts": 1, "cpu": 4},
                "timeline": [{"at": "0s", "submit": {**asked, "topology": placed}}],
            },
        }
    )
    assert isinstance(lab, kl.Lab)
    (obstacle,) = lab.run().what_would_admit("default/train").obstacles
    block = "cloud.provider.com/topology-block"
    assert str(obstacle.text) == (
        f"It requires one domain of {block} for 12 pods, and b1 has room for the most: 9. In all, "
        "12 cpu is free in flavor default: 12 in b1."
    )


def kinds(required: str, nodes: dict[str, Any] | None, **more: Any) -> set[str]:
    """Return the obstacles of a job that requires a level, with quota for it."""
    asked = {"job": "train", "queue": "main", "pods": 2, "requests": {"cpu": 1}}
    placed = {"required": required, **more}
    labels = ["cloud.provider.com/topology-rack", "kubernetes.io/hostname"]
    topology = manifest("Topology", "default", {"levels": [{"nodeLabel": each} for each in labels]})
    placing = [topology, flavor(nodeLabels={"pool": "a"}, topologyName="default")]
    spec: dict[str, Any] = {
        "manifests": [*queue("main", {"default": 12}), *([] if nodes else placing)],
        "timeline": [{"at": "0s", "submit": {**asked, "topology": placed}}],
    }
    spec |= {"nodes": nodes} if nodes else {}
    scenario = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "small"}}
    lab = kl.load({**scenario, "spec": spec})
    assert isinstance(lab, kl.Lab)
    return {each.kind for each in lab.run().what_would_admit("default/train").obstacles}


def test_a_level_that_is_not_there_and_nodes_that_are_not_there_are_no_fragmentation() -> None:
    nodes = {"racks": 2, "hosts": 1, "cpu": 1}
    assert "fragmented" in kinds("rack", nodes)
    assert "fragmented" not in kinds("block", nodes)
    assert "fragmented" not in kinds("rack", None)


def test_slices_of_a_level_that_is_not_there_count_as_pods() -> None:
    nodes = {"racks": 2, "hosts": 1, "cpu": 1}
    assert "fragmented" in kinds("rack", nodes, slices=[{"level": "block", "size": 2}])


def test_of_those_that_free_a_domain_the_smallest_comes_first() -> None:
    """Each of them has a rack of its own; without one, the rack has room for four pods."""
    asked = {"queue": "main", "requests": {"cpu": 1}, "topology": {"required": "rack"}}
    jobs = [{"job": name, "pods": pods, **asked} for name, pods in (("a", 3), ("b", 2), ("c", 4))]
    lab = kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "small"},
            "spec": {
                "manifests": queue("main", {"default": 12}),
                "nodes": {"racks": 2, "hosts": 1, "cpu": 4},
                "timeline": [{"at": f"{at}s", "submit": each} for at, each in enumerate(jobs)],
            },
        }
    )
    assert isinstance(lab, kl.Lab)
    subject = Subject(lab.run().player.cluster, "default/c")
    assert [state.key for state in those_that_free_a_domain(subject)] == ["default/b", "default/a"]
