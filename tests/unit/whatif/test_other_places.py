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


def in_a_rack(name: str, pods: int, **more: Any) -> dict[str, Any]:
    return {"job": name, "queue": "main", "pods": pods, "topology": {"required": "rack"}, **more}


def moved(pods_beside: int) -> set[str]:
    """Two racks of 8: x and small in one, beside in the other. x ends, and late needs a rack."""
    jobs = [
        in_a_rack("x", 5, runs="2.5s"),
        in_a_rack("beside", pods_beside),
        in_a_rack("small", 3),
        in_a_rack("late", 8),
    ]
    racks = {"racks": 2, "hosts": 1, "cpu": 8}
    return suggestions_for_last(racks, [queue("main", {"default": 16})], jobs)


def test_a_workload_that_finds_another_place_is_stopped_and_submitted_again() -> None:
    found = moved(pods_beside=5)
    assert "stop default/small and submit it again: it finds another place" in found
    assert "wait until default/small finishes" in found


def test_a_workload_that_finds_no_other_place_is_not_moved() -> None:
    found = moved(pods_beside=6)
    assert "wait until default/small finishes" in found
    assert not any(each.startswith("stop ") for each in found)


def test_a_move_is_a_fork_in_which_both_are_admitted() -> None:
    jobs = [in_a_rack("x", 5, runs="2.5s"), in_a_rack("beside", 5), in_a_rack("small", 3)]
    jobs.append(in_a_rack("late", 8))
    timeline = [
        {"at": f"{at}s", "submit": {"requests": {"cpu": 1}, **job}} for at, job in enumerate(jobs)
    ]
    spec = {
        "manifests": queue("main", {"default": 16}),
        "nodes": {"racks": 2, "hosts": 1, "cpu": 8},
        "timeline": timeline,
    }
    document = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "a"}}
    lab = kl.load({**document, "spec": spec})
    assert isinstance(lab, kl.Lab)
    run = lab.run(until=4)
    report = run.what_would_admit("default/late")
    moves = [each for each in report.suggestions if each.kind == "move"]
    (move,) = [each for each in moves if "default/small" in str(each.text)]
    forked = run.fork().change(*move.changes).run()
    state = forked.trace.state_at(len(forked.trace) - 1)
    places = {
        name: [
            place
            for each in state.workload(f"default/{name}").admission.pod_sets
            for place in each.places
        ]
        for name in ("late", "small-again", "beside")
    }
    assert places == {
        "late": [(("r1-h1",), 8)],
        "small-again": [(("r2-h1",), 3)],
        "beside": [(("r2-h1",), 5)],
    }


def train(pods: int, *slices: dict[str, Any]) -> dict[str, Any]:
    asked = {"required": "block", "slices": list(slices)}
    return {"job": "train", "queue": "main", "pods": pods, "topology": asked}


def test_larger_slices_may_fill_a_rack_better() -> None:
    """Each of three racks has 4 free: slices of 3 leave one of them, those of 4 none."""
    found = suggestions_for_last(
        {"blocks": 1, "racks": 3, "hosts": 1, "cpu": 4},
        [queue("main", {"default": 12})],
        [train(12, {"level": "rack", "size": 3})],
    )
    assert "ask for slices of 2 pods instead of 3 in pod set main" in found
    assert "ask for slices of 4 pods instead of 3 in pod set main" in found


def test_a_layer_of_slices_changes_within_those_around_it() -> None:
    """One host has 3 free, the others 5: its rack takes 8 pods, but not in slices of 4 a host."""
    found = suggestions_for_last(
        {"blocks": 1, "racks": 2, "hosts": 2, "cpu": 5},
        [queue("main", {"default": 20})],
        [
            {"job": "a", "queue": "main", "pods": 2, "topology": {"required": "host"}},
            train(16, {"level": "rack", "size": 8}, {"level": "host", "size": 4}),
        ],
    )
    level = "kubernetes.io/hostname"
    assert f"ask for slices of 1 pod instead of 4 at level {level} in pod set main" in found
    assert not any("of 2 pods instead of 4" in each for each in found)
