"""Bugs of the modelled release are named where a cluster meets them, and only there."""

from __future__ import annotations

from typing import Any

from simulation_lab import Lab, basic_lab, flavor, local, make_lab, queue, work
from test_failed_nodes import TOPOLOGY, node, placed

from kueuelab.model import V0_19_2
from kueuelab.model.workload import ReclaimablePod
from kueuelab.simulation.known_bugs import KNOWN_BUGS, known_bugs


def named(lab: Lab) -> list[str]:
    return [each.bug.id for each in known_bugs(lab.cluster.plane)]


def limit_range(**limits: Any) -> dict[str, Any]:
    spec = {"limits": [{"type": "Container", **limits}]}
    return {"kind": "LimitRange", "metadata": {"name": "lr"}, "spec": spec}


def with_pod(name: str, container: dict[str, Any], **pod: Any) -> dict[str, Any]:
    found = work(name)
    spec = found["spec"]["podSets"][0]["template"]["spec"]
    spec["containers"][0]["resources"] = container
    spec |= pod
    return found


def test_activated_again_after_too_many_retries() -> None:
    wait = {"timeout": "10s", "requeuingStrategy": {"backoffLimitCount": 0}}
    lab = basic_lab(waitForPodsReady=wait)
    lab.create(work("a"))
    lab.cluster.settle(2)
    lab.wait(10)
    lab.cluster.complete_evictions()
    assert named(lab) == []
    lab.cluster.set_active("default/a", True)
    lab.cluster.settle(3)
    assert lab.admitted() == []
    assert named(lab) == ["reactivated"]


def test_activated_again_by_a_person() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.set_active("default/a", False)
    lab.cluster.set_active("default/a", True)
    lab.cluster.settle(3)
    assert lab.admitted() == ["a"]
    assert named(lab) == []


def test_a_limit_range_that_was_relaxed() -> None:
    lab = basic_lab()
    lab.apply(limit_range(max={"cpu": "500m"}))
    lab.create(work("a"))
    lab.cluster.settle(2)
    assert named(lab) == []
    lab.apply(limit_range(max={"cpu": "8"}))
    lab.cluster.settle(2)
    assert lab.admitted() == []
    assert named(lab) == ["limit-range-changed"]


def test_limits_without_requests() -> None:
    lab = basic_lab()
    lab.apply(limit_range(defaultRequest={"cpu": "1"}))
    lab.create(with_pod("near", {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}))
    assert named(lab) == []
    lab.create(with_pod("a", {"limits": {"cpu": "2"}}))
    assert named(lab) == ["limits-only"]


def test_a_pod_set_that_is_done() -> None:
    lab = make_lab(
        TOPOLOGY,
        flavor("tas", topologyName="dc"),
        node("n1"),
        queue(cpu="9", flavors="tas"),
        local(),
        placed("a", "n1", "n1"),
    )
    lab.cluster.reclaim("default/a", [ReclaimablePod("main", 1)])
    assert named(lab) == []
    lab.cluster.reclaim("default/a", [ReclaimablePod("main", 2)])
    assert named(lab) == ["completed-pod-set"]


def test_a_pod_that_asks_for_less_than_its_containers() -> None:
    lab = basic_lab()
    asked = {"requests": {"cpu": "2"}}
    lab.create(with_pod("near", asked, resources=asked))
    assert named(lab) == []
    lab.create(with_pod("a", asked, resources={"requests": {"cpu": "1"}}))
    (found,) = known_bugs(lab.cluster.plane)
    assert found.bug.id == "pod-level"
    assert str(found).startswith("default/a: The request of the pod as a whole is below")
    assert "kueue#16047, fixed in v0.19.6" in str(found)


def test_each_bug_has_its_sentences() -> None:
    ids = [bug.id for bug in KNOWN_BUGS[V0_19_2]]
    assert len(set(ids)) == len(ids) == 5
