"""Bugs of the modelled release are named where a cluster meets them, and only there."""

from __future__ import annotations

from typing import Any

import pytest
from simulation_lab import Lab, basic_lab, flavor, local, make_lab, queue, work
from test_failed_nodes import TOPOLOGY, node, placed

from kueuelab.manifests import load_scenario
from kueuelab.model import RELEASES, AdmissionCheckState
from kueuelab.model.workload import ReclaimablePod
from kueuelab.simulation import Scenario
from kueuelab.simulation.known_bugs import KNOWN_BUGS, KnownBug, known_bugs
from kueuelab.workload import WorkloadState


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


def state_of(lab: Lab, name: str) -> WorkloadState:
    return lab.cluster.workload(f"default/{name}")


def with_pod_sets(name: str, *pod_sets: dict[str, Any], queue_name: str = "lq") -> dict[str, Any]:
    found = work(name, queue_name=queue_name)
    found["spec"]["podSets"] = list(pod_sets)
    return found


def pod_set(name: str, group: str = "", cpu: str = "1", **pod: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    found = {"name": name, "count": 1, "template": {"spec": {"containers": [container], **pod}}}
    if group:
        found["topologyRequest"] = {"required": "host", "podSetGroupName": group}
    return found


def test_admitted_although_a_check_is_rejected() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.settle(2)
    state_of(lab, "a").set_check(AdmissionCheckState("checked", "Pending", ""))
    assert named(lab) == []
    state_of(lab, "a").set_check(AdmissionCheckState("checked", "Rejected", ""))
    assert named(lab) == ["rejected"]


@pytest.mark.parametrize(("other", "bugs"), [("lq", ["same-name"] * 2), ("lq2", [])])
def test_local_queues_of_one_name(other: str, bugs: list[str]) -> None:
    usage = {"admissionMode": "UsageBasedAdmissionFairSharing"}
    second = {**local(other), "metadata": {"name": other, "namespace": "team"}}
    lab = make_lab(
        flavor(),
        queue(admissionScope=usage),
        *(local(), second),
        admissionFairSharing={"usageHalfLifeTime": "10m"},
    )
    theirs = work("b", queue_name=other)
    theirs["metadata"]["namespace"] = "team"
    lab.create(work("a"), theirs)
    lab.cluster.settle(3)
    assert lab.admitted() == ["a", "b"]
    assert named(lab) == bugs


def test_nodes_of_a_pending_workload_are_marked() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="9"))
    lab.cluster.settle(2)
    assert named(lab) == []
    state_of(lab, "a").unhealthy_nodes = ("n1",)
    assert named(lab) == ["unhealthy"]


@pytest.mark.parametrize(("excluded", "bugs"), [("example.com/", ["excluded-input"]), ("x/", [])])
def test_an_excluded_input_of_a_transformation(excluded: str, bugs: list[str]) -> None:
    rule = {"input": "example.com/mig", "strategy": "Replace", "outputs": {"example.com/gpu": "1"}}
    lab = basic_lab(
        resources={"excludeResourcePrefixes": [excluded], "transformations": [rule]},
    )
    lab.create(with_pod("a", {"requests": {"cpu": "1", "example.com/mig": "2"}}))
    lab.create(with_pod("near", {"requests": {"cpu": "1"}}))
    assert named(lab) == bugs


@pytest.mark.parametrize(("order", "bugs"), [("gog", ["split-group"]), ("ggo", [])])
def test_a_group_with_another_pod_set_between(order: str, bugs: list[str]) -> None:
    lab = basic_lab()
    sets = [pod_set(f"p{index}", "g" if each == "g" else "") for index, each in enumerate(order)]
    lab.create(with_pod_sets("a", *sets))
    assert named(lab) == bugs


@pytest.mark.parametrize(("cpu", "bugs"), [("100", ["pods-quota"]), ("4", [])])
def test_targets_are_chosen_without_the_quota_for_pods(cpu: str, bugs: list[str]) -> None:
    resources = [{"name": "cpu", "nominalQuota": cpu}, {"name": "pods", "nominalQuota": 4}]
    group = {
        "coveredResources": ["cpu", "pods"],
        "flavors": [{"name": "default", "resources": resources}],
    }
    both = queue(resourceGroups=[group], preemption={"withinClusterQueue": "LowerPriority"})
    lab = make_lab(flavor(), both, local())
    lab.create(work("low-1", count=2), work("low-2", count=2))
    lab.cluster.settle(3)
    lab.create(work("high", count=4, priority=9))
    for _ in range(4):
        lab.cluster.settle(3)
        lab.cluster.complete_evictions()
    assert named(lab) == bugs
    # With too little cpu, too, all targets are found.
    assert ("high" in lab.admitted()) is not bool(bugs)


def test_a_spark_application() -> None:
    lab = basic_lab()
    owner = {"apiVersion": "sparkoperator.k8s.io/v1beta2", "name": "x", "uid": "u"}
    for name, kind in (("near", "SparkCluster"), ("a", "SparkApplication")):
        found = work(name)
        found["metadata"]["ownerReferences"] = [{**owner, "kind": kind}]
        lab.create(found)
    assert [(each.workload, each.bug.id) for each in known_bugs(lab.cluster.plane)] == [
        ("default/a", "spark")
    ]


@pytest.mark.parametrize(("unconstrained", "bugs"), [(False, ["not-unconstrained"]), (True, [])])
def test_unconstrained_is_false(unconstrained: bool, bugs: list[str]) -> None:
    lab = basic_lab()
    found = pod_set("main", cpu="9")
    found["topologyRequest"] = {"unconstrained": unconstrained}
    lab.create(with_pod_sets("a", found))
    assert named(lab) == bugs


def fair_after_own(*, borrowed: int) -> Scenario:
    """Return a job whose search takes one of its own queue and passes over one of another."""

    def team(name: str, cpu: int, **spec: Any) -> list[dict[str, Any]]:
        policies = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
        whole = queue(name, str(cpu), cohortName="org", preemption=policies, **spec)
        return [whole, local(name, name)]

    found = [flavor(), *team("a", 0), *team("b", 0), *team("pool", 10)]
    for each in found:
        each["apiVersion"] = "kueue.x-k8s.io/v1beta2"
    jobs = [("a1", "a", 3, -1), ("a2", "a", 2, 1), ("b1", "b", borrowed, 0), ("want", "a", 6, 0)]
    timeline = [
        {
            "at": f"{at}s",
            "submit": {"job": job, "queue": name, "requests": {"cpu": cpu}, "priority": priority},
        }
        for at, (job, name, cpu, priority) in enumerate(jobs, start=1)
    ]
    strategies = {"preemptionStrategies": ["LessThanOrEqualToFinalShare"]}
    spec = {"configuration": {"fairSharing": strategies}, "manifests": found, "timeline": timeline}
    head = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "fair"}}
    return Scenario(load_scenario({**head, "spec": spec}))


def test_a_share_that_fell_while_targets_were_chosen() -> None:
    run = fair_after_own(borrowed=5).run()
    assert [(each.bug.id, each.workload) for each in run.known_bugs()] == [
        ("fair-after-own", "default/want")
    ]
    told = run.why("default/want").section("bugs")
    assert told is not None
    assert "kueue#14122, fixed in v0.19.3" in told.lines[0].text
    # Without anything of another queue there is nothing to look at again.
    assert fair_after_own(borrowed=11).run().known_bugs() == ()


def test_each_bug_has_its_sentences() -> None:
    for bug in (bug for bugs in KNOWN_BUGS.values() for bug in bugs):
        text = str(KnownBug(bug, "default/a"))
        assert f"kueue#{bug.issue}, fixed in {bug.fixed_in}" in text
        assert "simulation.known-bug" not in text
    assert set(KNOWN_BUGS) == set(RELEASES)
    ids = [bug.id for bug in KNOWN_BUGS["v0.19.2"]]
    assert len(set(ids)) == len(ids) == 15


@pytest.mark.parametrize(
    ("leader", "bugs"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, ["leader-without-node"]),
        ({"nodeSelector": {"rack": "r1"}}, []),
        ({}, []),
    ],
)
def test_a_leader_that_no_node_of_its_domain_takes(leader: dict[str, Any], bugs: list[str]) -> None:
    lab = make_lab(
        TOPOLOGY,
        flavor("tas", topologyName="dc"),
        queue(flavors="tas", cpu="100"),
        local(),
        *(node(name) for name in ("n1", "n2")),
    )
    sets = [pod_set("leader", "ring", **leader), {**pod_set("worker", "ring"), "count": 2}]
    for each in sets:
        each["topologyRequest"]["required"] = "rack"
    lab.create(with_pod_sets("a", *sets))
    assert named(lab) == []
    lab.cluster.settle(3)
    assert lab.admitted() == ["a"]
    assert named(lab) == bugs
