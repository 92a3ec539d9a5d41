"""Nodes that fail, are tainted or deleted, and pods that give room back."""

from __future__ import annotations

from typing import Any

from simulation_lab import START, Lab, flavor, local, make_lab, queue, work

from kueuelab.model.times import SECOND, format_time
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import NodeMarkedUnhealthy, NodeRecovered, PodsPlaced

HOSTNAME = "kubernetes.io/hostname"
TOPOLOGY = {
    "kind": "Topology",
    "metadata": {"name": "dc"},
    "spec": {"levels": [{"nodeLabel": "rack"}, {"nodeLabel": HOSTNAME}]},
}


def node(name: str, ready: str = "True", at: int = START, **spec: Any) -> dict[str, Any]:
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": format_time(at)}
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {"rack": "r1", HOSTNAME: name}},
        "spec": spec,
        "status": {"allocatable": {"cpu": "4", "pods": "10"}, "conditions": [condition]},
    }


def tainted(name: str, effect: str = "NoExecute") -> dict[str, Any]:
    return node(name, taints=[{"key": "broken", "value": "true", "effect": effect}])


def placed(name: str, *hosts: str, **pod: Any) -> dict[str, Any]:
    """Return an admitted workload with a pod on each of these hosts."""
    found = work(name, count=len(hosts))
    found["spec"]["podSets"][0]["template"]["spec"].update(pod)
    roots = {"individual": {"roots": list(hosts)}}
    assignment = {
        "levels": [HOSTNAME],
        "slices": [
            {
                "domainCount": len(hosts),
                "valuesPerLevel": [roots],
                "podCounts": {"universal": 1},
            }
        ],
    }
    pod_set = {
        "name": "main",
        "count": len(hosts),
        "flavors": {"cpu": "tas"},
        "resourceUsage": {"cpu": len(hosts)},
        "topologyAssignment": assignment,
    }
    yes = {"status": "True", "reason": "x", "message": "", "lastTransitionTime": format_time(START)}
    found["status"] = {
        "admission": {"clusterQueue": "cq", "podSetAssignments": [pod_set]},
        "conditions": [{"type": "QuotaReserved", **yes}, {"type": "Admitted", **yes}],
    }
    return found


def pod(name: str, host: str, cpu: str = "1", **meta: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", **meta},
        "spec": {"nodeName": host, "containers": [container]},
        "status": {"phase": "Running"},
    }


def lab_of(*objects: dict[str, Any], recorder: Recorder | None = None, **gates: bool) -> Lab:
    return make_lab(
        TOPOLOGY,
        flavor("tas", topologyName="dc"),
        queue(flavors="tas", cpu="100"),
        local(),
        *(node(name) for name in ("n1", "n2", "n3")),
        *objects,
        recorder=recorder,
        featureGates=gates,
    )


def unhealthy(lab: Lab, name: str = "a") -> tuple[str, ...]:
    return lab.cluster.workload(f"default/{name}").unhealthy_nodes


def test_a_node_that_is_not_ready_is_marked_at_once_if_no_pod_runs_there() -> None:
    lab = lab_of(placed("a", "n1", "n2"), placed("b", "n2"))
    lab.apply(node("n1", ready="False"))
    assert (unhealthy(lab), unhealthy(lab, "b")) == (("n1",), ())


def test_pods_that_still_run_keep_the_workload_on_a_node() -> None:
    own = {"kueue.x-k8s.io/workload": "a", "kueue.x-k8s.io/podset-required-topology": "rack"}
    lab = lab_of(placed("a", "n1"), pod("a-0", "n1", annotations=own))
    lab.apply(node("n1", ready="False"))
    assert unhealthy(lab) == ()
    gone = pod("a-0", "n1", annotations=own, deletionTimestamp=format_time(START))
    lab.apply(gone)
    assert unhealthy(lab) == ("n1",)


def test_a_fixed_time_counts_if_the_gates_say_so() -> None:
    gates = {
        "TASReplaceNodeOnPodTermination": False,
        "TASReplaceNodeDueToNotReadyOverFixedTime": True,
    }
    lab = lab_of(placed("a", "n1"), **gates)
    lab.apply(node("n1", ready="Unknown"))
    lab.wait(29)
    assert unhealthy(lab) == ()
    lab.wait(1)
    assert unhealthy(lab) == ("n1",)


def test_deleted_nodes_and_nodes_without_a_ready_condition_failed() -> None:
    lab = lab_of(placed("a", "n1"), placed("b", "n2"))
    lab.cluster.remove("Node", "n1")
    silent = node("n2")
    silent["status"]["conditions"] = []
    lab.apply(silent)
    assert (unhealthy(lab), unhealthy(lab, "b")) == (("n1",), ("n2",))


def test_taints_count_unless_all_pods_tolerate_them_for_ever() -> None:
    always = {"key": "broken", "operator": "Exists"}
    lab = lab_of(
        placed("a", "n1"),
        placed("b", "n1", tolerations=[always]),
        placed("c", "n1", tolerations=[{**always, "tolerationSeconds": 60}]),
    )
    lab.apply(tainted("n1", "PreferNoSchedule"))
    assert [unhealthy(lab, name) for name in "abc"] == [(), (), ()]
    lab.apply(tainted("n1"))
    assert [unhealthy(lab, name) for name in "abc"] == [("n1",), (), ("n1",)]


def test_taints_do_not_count_without_their_gate() -> None:
    lab = lab_of(placed("a", "n1"), TASReplaceNodeOnNodeTaints=False)
    lab.apply(tainted("n1"))
    assert unhealthy(lab) == ()


def test_a_node_that_recovers_is_forgotten() -> None:
    recorder = Recorder()
    lab = lab_of(placed("a", "n1"), recorder=recorder)
    lab.apply(node("n1", ready="False"))
    lab.apply(node("n1"))
    assert unhealthy(lab) == ()
    kinds = (NodeMarkedUnhealthy, NodeRecovered)
    assert [step.facts for step in recorder.steps if isinstance(step.facts, kinds)] == [
        NodeMarkedUnhealthy("n1"),
        NodeRecovered("n1"),
    ]


def test_a_second_failed_node_evicts() -> None:
    lab = lab_of(placed("a", "n1", "n2"))
    lab.events()
    lab.apply(node("n1", ready="False"))
    lab.apply(node("n2", ready="False"))
    assert lab.messages("EvictedDueToNodeFailures") == [
        "Workload eviction triggered due to multiple TAS assigned node failures, including: n1, n2"
    ]
    assert unhealthy(lab) == ()
    assert lab.cluster.workload("default/a").is_evicted


def test_nodes_that_failed_before_the_start_are_found() -> None:
    lab = lab_of(placed("a", "n9"), node("n9", ready="False"))
    assert unhealthy(lab) == ("n9",)


def test_without_the_gate_nothing_is_marked() -> None:
    lab = lab_of(placed("a", "n1"), TASFailedNodeReplacement=False)
    lab.cluster.remove("Node", "n1")
    assert unhealthy(lab) == ()


def test_the_second_pass_is_due_after_a_second() -> None:
    lab = lab_of(placed("a", "n1"))
    lab.apply(node("n1", ready="False"))
    passes = lab.cluster.queues.second_passes
    assert passes.waiting == ("default/a",)
    lab.wait(0.5)
    assert not passes.has_heads()
    lab.wait(0.5)
    assert [(head.workload.key, head.second_pass) for head in passes.heads()] == [("default/a", 1)]


def test_the_scheduler_sees_the_workload_as_it_was_when_its_wait_began() -> None:
    lab = lab_of(placed("a", "n1"))
    lab.apply(node("n1", ready="False"))
    lab.apply(node("n1"))
    lab.wait(1)
    (head,) = lab.cluster.queues.second_passes.heads()
    assert head.workload.unhealthy_nodes == ("n1",)


def test_an_evicted_workload_has_no_second_pass() -> None:
    lab = lab_of(placed("a", "n1", "n2"))
    lab.apply(node("n1", ready="False"))
    lab.apply(node("n2", ready="False"))
    lab.cluster.complete_evictions()
    lab.wait(5)
    assert not lab.cluster.queues.second_passes.has_heads()


def test_room_that_pods_give_back_is_offered_each_ten_seconds() -> None:
    lab = lab_of(pod("p", "n1"), work("big", cpu="1000"))
    lab.cluster.cycle()
    lab.wait(3)
    lab.cluster.remove("Pod", "p", "default")
    assert lab.parked() == ["big"]
    lab.wait(6.5)
    assert lab.parked() == ["big"]
    lab.wait(0.5)
    assert lab.pending() == ["big"]
    assert lab.cluster.now == START + 10 * SECOND


def test_a_node_more_is_offered_at_once_and_a_heartbeat_is_not() -> None:
    lab = lab_of(work("big", cpu="1000"))
    lab.cluster.cycle()
    beat = node("n1")
    beat["status"]["conditions"][0]["lastHeartbeatTime"] = format_time(START + SECOND)
    lab.apply(beat)
    assert lab.parked() == ["big"]
    lab.apply(node("n4"))
    assert lab.pending() == ["big"]


def test_apply_without_a_status_keeps_what_a_node_can_hold() -> None:
    lab = lab_of()
    bare = node("n1", unschedulable=True)
    del bare["status"]
    lab.apply(bare)
    kept = lab.cluster.objects.nodes["n1"]
    assert (kept.unschedulable, kept.is_ready, str(kept.allocatable["cpu"])) == (True, True, "4")


def following(*objects: dict[str, Any]) -> Lab:
    """Return a lab in which pods run where they are assigned, as in a scenario."""
    lab = lab_of()
    lab.cluster.plane.pods_follow_assignments = True
    lab.create(*objects)
    return lab


def test_pods_run_on_a_node_that_is_not_ready_for_five_minutes() -> None:
    lab = following(placed("a", "n1"))
    lab.apply(node("n1", ready="Unknown"))
    lab.wait(299)
    assert unhealthy(lab) == ()
    lab.wait(1)
    assert unhealthy(lab) == ("n1",)


def test_pods_stay_on_a_node_that_takes_no_more_pods() -> None:
    lab = following(placed("a", "n1"))
    lab.apply(tainted("n1", "NoSchedule"))
    lab.apply(node("n1", unschedulable=True))
    lab.wait(1000)
    assert unhealthy(lab) == ()
    lab.apply(tainted("n1"))
    assert unhealthy(lab) == ("n1",)


def test_a_node_fails_when_it_is_applied_if_it_does_not_say_since_when() -> None:
    lab = following(placed("a", "n1"))
    lab.wait(500)
    down = node("n1", ready="False")
    del down["status"]["conditions"][0]["lastTransitionTime"]
    lab.apply(down)
    lab.wait(200)
    lab.apply(down)
    assert unhealthy(lab) == ()
    lab.wait(100)
    assert unhealthy(lab) == ("n1",)


def test_a_node_of_a_pod_set_that_fails_is_replaced_after_a_second() -> None:
    recorder = Recorder()
    lab = lab_of(placed("a", "n1", "n2"), recorder=recorder)
    lab.events()
    lab.apply(node("n1", ready="False"))
    lab.wait(1)
    lab.cluster.cycle()
    assignment = lab.cluster.workload("default/a").topology_assignments["main"]
    assert {domain.values: domain.count for domain in assignment.domains} == {("n2",): 2}
    assert (unhealthy(lab), lab.events()) == ((), [])
    placements = [step.facts for step in recorder.steps if isinstance(step.facts, PodsPlaced)]
    assert placements == [PodsPlaced((("main", (("n2", 2),)),), ("n1",))]


def test_without_room_for_its_pods_a_workload_is_evicted() -> None:
    lab = lab_of(placed("a", "n1"), *(placed(f"b{i}", *["n2", "n3"]) for i in range(4)))
    lab.apply(node("n1", ready="False"))
    lab.wait(1)
    lab.cluster.cycle()
    assert lab.messages("EvictedDueToNodeFailures") == [
        "Workload was evicted as there was no replacement for unhealthy node(s): n1"
    ]


def test_the_second_pass_is_repeated_without_failing_fast() -> None:
    lab = lab_of(
        placed("a", "n1"),
        *(placed(f"b{i}", "n2", "n3") for i in range(4)),
        TASFailedNodeReplacementFailFast=False,
    )
    lab.apply(node("n1", ready="False"))
    waits = []
    for seconds in range(1, 16):
        lab.wait(1)
        if lab.cluster.cycle().heads:
            waits.append(seconds)
    assert waits == [1, 3, 7, 15]
    assert len(lab.messages("SecondPassFailed")) == 4


def test_nodes_that_fail_together_count_one_after_the_other() -> None:
    gates = {
        "TASReplaceNodeOnPodTermination": False,
        "TASReplaceNodeDueToNotReadyOverFixedTime": True,
    }
    lab = lab_of(placed("a", "n1", "n2"), **gates)
    lab.apply(node("n2", ready="False"))
    lab.apply(node("n1", ready="False"))
    lab.wait(30)
    assert lab.messages("EvictedDueToNodeFailures") == [
        "Workload eviction triggered due to multiple TAS assigned node failures, including: n2, n1"
    ]


def test_controllers_that_do_nothing_mark_nothing() -> None:
    lab = lab_of(placed("a", "n1"))
    lab.cluster.on_work = lambda: None
    lab.apply(node("n1", ready="False"))
    assert unhealthy(lab) == ()


def test_a_second_pass_takes_back_an_eviction_that_came_after_its_wait_began() -> None:
    lab = lab_of(placed("a", "n1", "n2"))
    lab.apply(node("n1", ready="False"))
    lab.apply(node("n2", ready="False"))
    assert lab.cluster.workload("default/a").is_evicted
    lab.apply(node("n2"))
    lab.wait(1)
    lab.cluster.cycle()
    assert not lab.cluster.workload("default/a").is_evicted
    candidates = lab.cluster.tree.cluster_queues["cq"].candidates
    assert [each.key for each in candidates.evicted()] == []
    assert [each.key for each in candidates.others()] == ["default/a"]
