"""What would admit a workload that finds no place: another level, or a node more."""

from __future__ import annotations

from typing import Any

from small_labs import queue

import kueuelab as kl


def suggestions(name: str, workload: str, at: int) -> set[str]:
    lab = kl.scenarios.load(name)
    assert isinstance(lab, kl.Lab)
    text = str(lab.run(until=at).what_would_admit(f"default/{workload}"))
    lines = (line.partition(". ")[2] for line in text.splitlines())
    return {line.partition(" (admitted")[0] for line in lines if line}


def test_a_level_is_preferred_or_wider_and_a_domain_gets_a_node_more() -> None:
    found = suggestions("topology-1-required", "wide", 10)
    rack, block = "cloud.provider.com/topology-rack", "cloud.provider.com/topology-block"
    assert f"prefer one domain of {rack} instead of requiring it" in found
    assert f"require one domain of {block}, which is wider" in found
    assert "add a node like b1-r1-h1 to b1-r1" in found
    assert "add a node like b1-r2-h1 to b1-r2" in found


def test_without_a_wider_level_none_is_suggested() -> None:
    found = suggestions("topology-10-fragmentation", "big", 20)
    assert "add a node like r1-h1 to r1" in found
    assert not any(each.startswith("require one domain") for each in found)


def suggestions_for_last(
    nodes: dict[str, Any], queues: list[Any], jobs: list[dict[str, Any]]
) -> set[str]:
    """Return what would admit the last of some jobs, of 1 cpu a pod."""
    timeline = [
        {"at": f"{second}s", "submit": {"requests": {"cpu": 1}, **each}}
        for second, each in enumerate(jobs)
    ]
    lab = kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "small"},
            "spec": {
                "manifests": [part for each in queues for part in each],
                "nodes": nodes,
                "timeline": timeline,
            },
        }
    )
    assert isinstance(lab, kl.Lab)
    text = str(lab.run(until=len(jobs)).what_would_admit(f"default/{jobs[-1]['job']}"))
    lines = (line.partition(". ")[2] for line in text.splitlines())
    return {line.partition(" (admitted")[0] for line in lines if line}


def test_smaller_slices() -> None:
    slices = [{"level": "rack", "size": 6}]
    found = suggestions_for_last(
        {"blocks": 1, "racks": 2, "hosts": 1, "cpu": 8},
        [queue("main", {"default": 16})],
        [
            {"job": "filler", "queue": "main", "pods": 4, "topology": {"required": "rack"}},
            {
                "job": "train",
                "queue": "main",
                "pods": 12,
                "topology": {"required": "block", "slices": slices},
            },
        ],
    )
    assert "ask for slices of 4 pods instead of 6 in pod set main" in found
    assert not any("slices of 3 pods" in each for each in found)


def test_without_slices_no_other_size_is_suggested() -> None:
    found = suggestions("topology-10-fragmentation", "big", 20)
    assert not any("slices" in each for each in found)


def test_the_smallest_workload_whose_end_frees_a_domain() -> None:
    """Many are smaller, and the end of none of them is enough; that of y is, but it is larger."""

    def in_a_rack(name: str, pods: int) -> dict[str, Any]:
        return {"job": name, "queue": "main", "pods": pods, "topology": {"required": "rack"}}

    small = [in_a_rack(f"s{number}", 1) for number in range(9)]
    found = suggestions_for_last(
        {"racks": 3, "hosts": 1, "cpu": 16},
        [queue("main", {"default": 48})],
        [*small, in_a_rack("x", 9), in_a_rack("y", 12), in_a_rack("z", 9)],
    )
    assert {"wait until default/x finishes", "wait until default/y finishes"} <= found
