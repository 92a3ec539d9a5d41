from __future__ import annotations

from typing import Any

from simulation_lab import Lab, basic_lab, check, checks, flavor, local, make_lab, queue, work

from kueuelab.simulation.objects import kind_of


def _cohort(name: str, parent: str = "") -> dict[str, Any]:
    spec = {"parentName": parent} if parent else {}
    return {"kind": "Cohort", "metadata": {"name": name}, "spec": spec}


def _parked(lab: Lab, cpu: str = "6") -> Lab:
    lab.create(work("a", cpu=cpu))
    lab.cluster.cycle()
    assert lab.parked() == ["a"]
    return lab


def test_more_quota_wakes() -> None:
    lab = _parked(basic_lab())
    lab.apply(queue(cpu="8"))
    assert lab.pending() == ["a"]


def test_applying_the_same_again_requeues_no_workload() -> None:
    lab = _parked(basic_lab())
    lab.apply(queue())
    assert lab.parked() == ["a"]
    assert lab.cluster.objects.cluster_queues["cq"].metadata.generation == 0


def test_a_flavor_that_appears_activates_the_queue() -> None:
    lab = make_lab(queue(), local())
    lab.create(work("a"))
    assert not lab.cluster.is_active("cq")
    assert lab.condition("a", "QuotaReserved") == "False Inadmissible: ClusterQueue cq is inactive"
    assert lab.cluster.cycle().heads == ()
    lab.apply(flavor())
    lab.cluster.cycle()
    assert lab.admitted() == ["a"]


def test_a_flavor_that_changes_wakes() -> None:
    taint = {"key": "spot", "value": "true", "effect": "NoSchedule"}
    lab = make_lab(flavor(nodeTaints=[taint]), queue(), local())
    _parked(lab, "1")
    lab.apply(flavor())
    assert lab.pending() == ["a"]


def test_a_namespace_that_is_selected_wakes() -> None:
    selector = {"matchLabels": {"team": "x"}}
    lab = make_lab(flavor(), queue(namespaceSelector=selector), local())
    lab.create(work("a"))
    lab.cluster.cycle()
    assert lab.messages("Pending") == ["workload namespace doesn't match ClusterQueue selector"]
    assert lab.parked() == ["a"]
    lab.apply({"kind": "Namespace", "metadata": {"name": "default", "labels": {"team": "y"}}})
    assert lab.parked() == ["a"]
    lab.apply({"kind": "Namespace", "metadata": {"name": "default", "labels": {"team": "x"}}})
    assert lab.pending() == ["a"]


def test_hold_keeps_who_runs_and_turns_away_who_waits() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="3"))
    lab.cluster.cycle()
    lab.create(work("b"))
    lab.apply(queue(stopPolicy="Hold"))
    assert lab.admitted() == ["a"]
    assert lab.condition("b", "QuotaReserved") == "False Inadmissible: ClusterQueue cq is inactive"
    assert (lab.pending(), lab.cluster.cycle().heads) == (["b"], ())
    lab.apply(queue())
    lab.cluster.cycle()
    assert lab.admitted() == ["a", "b"]


def test_hold_takes_quota_from_those_not_admitted_yet() -> None:
    lab = make_lab(flavor(), check("c"), queue(admissionChecksStrategy=checks("c")), local())
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.apply(queue(admissionChecksStrategy=checks("c"), stopPolicy="Hold"))
    assert lab.condition("a", "QuotaReserved") == "False Inadmissible: ClusterQueue cq is inactive"
    assert (lab.usage(), lab.events()) == ({}, ["QuotaReserved a"])


def test_draining_a_cluster_queue() -> None:
    lab = basic_lab()
    lab.create(work("b"), work("a"))
    lab.cluster.settle(3)
    lab.events()
    lab.apply(queue(stopPolicy="HoldAndDrain"))
    assert lab.messages("EvictedDueToClusterQueueStopped") == ["The ClusterQueue is stopped"] * 2
    assert lab.events() == [
        "EvictedDueToClusterQueueStopped a",
        "EvictedDueToClusterQueueStopped b",
    ]
    lab.cluster.complete_evictions()
    assert lab.condition("a", "Requeued").startswith("False ClusterQueueStopped")
    assert (lab.pending(), lab.parked()) == ([], ["a", "b"])
    lab.apply(queue())
    assert lab.condition("a", "Requeued") == (
        "True ClusterQueueRestarted: The ClusterQueue was restarted after being stopped"
    )
    assert lab.pending() == ["a", "b"]


def test_draining_a_local_queue() -> None:
    lab = basic_lab()
    lab.create(work("a"), work("b", cpu="9"))
    lab.cluster.settle(3)
    lab.events()
    lab.apply(local(stopPolicy="HoldAndDrain"))
    assert lab.events() == ["EvictedDueToLocalQueueStopped a"]
    assert lab.condition("b", "QuotaReserved") == "False Inadmissible: LocalQueue lq is inactive"
    assert lab.parked() == []
    lab.cluster.complete_evictions()
    lab.apply(local())
    assert lab.condition("a", "Requeued").startswith("True LocalQueueRestarted")
    assert lab.pending() == ["a", "b"]


def test_a_local_queue_that_moves_takes_the_pending_along() -> None:
    lab = basic_lab()
    lab.apply(queue("other"))
    lab.create(work("a", cpu="4"), work("b", cpu="4"))
    lab.cluster.settle(3)
    lab.apply(local(cluster_queue="other"))
    assert (lab.parked(), lab.pending("other")) == ([], ["b"])
    assert lab.usage() == {"default": {"cpu": "4"}}
    lab.cluster.cycle()
    assert lab.usage("other") == {"default": {"cpu": "4"}}


def test_queues_that_are_missing_are_named() -> None:
    lab = make_lab(flavor(), local(cluster_queue="nowhere"))
    lab.create(work("a"), work("b", queue_name="none"))
    assert lab.condition("a", "QuotaReserved") == (
        "False Inadmissible: ClusterQueue nowhere doesn't exist"
    )
    assert lab.condition("b", "QuotaReserved") == (
        "False Inadmissible: LocalQueue none doesn't exist"
    )
    lab.apply(local("none"))
    lab.apply(queue())
    assert lab.pending() == ["b"]


def test_a_priority_class_that_changes_value() -> None:
    def priority(value: int) -> dict[str, Any]:
        return {"kind": "WorkloadPriorityClass", "metadata": {"name": "high"}, "value": value}

    ref = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}
    lab = basic_lab()
    lab.apply(priority(1))
    lab.create(work("a", priority=1, priorityClassRef=ref), work("b", priority=2))
    assert lab.pending() == ["b", "a"]
    lab.apply(priority(3))
    assert lab.pending() == ["a", "b"]
    assert lab.cluster.workload("default/a").obj.metadata.generation == 1


def test_limit_ranges_and_runtime_classes_apply_to_who_waits() -> None:
    limits = [{"type": "Container", "defaultRequest": {"cpu": "2"}}]
    bare = work("a")
    bare["spec"]["podSets"][0]["template"]["spec"] = {
        "runtimeClassName": "kata",
        "containers": [{"name": "c"}],
    }
    lab = basic_lab()
    lab.create(bare)
    state = lab.cluster.workload("default/a")
    assert state.requests[0].requests == {}
    lab.apply({"kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": limits}})
    assert state.requests[0].requests == {"cpu": 2000}
    overhead = {"podFixed": {"cpu": "500m"}}
    lab.apply({"kind": "RuntimeClass", "metadata": {"name": "kata"}, "overhead": overhead})
    assert state.requests[0].requests == {"cpu": 2500}
    lab.cluster.remove("RuntimeClass", "kata")
    assert state.requests[0].requests == {"cpu": 2000}
    lab.cluster.remove("LimitRange", "l")
    assert state.requests[0].requests == {}


def test_requests_that_break_the_rules_are_inadmissible() -> None:
    wrong = work("a")
    container = wrong["spec"]["podSets"][0]["template"]["spec"]["containers"][0]
    container["resources"]["limits"] = {"cpu": "500m"}
    lab = basic_lab()
    lab.create(wrong)
    record = lab.cluster.cycle()
    assert [entry.key for entry in record.inadmissible] == ["default/a"]
    assert lab.messages("Pending")[0].startswith("resources validation failed: spec.podSets[0]")


class TestNestedCohorts:
    """Any change of a queue's status retries a tree of more than two levels."""

    def _lab(self, *, nested: bool) -> Lab:
        lab = make_lab(
            flavor(),
            _cohort("team", "org" if nested else ""),
            queue("cq", cohortName="team"),
            queue("other", cohortName="team"),
            local(),
            local("lq2", "other"),
        )
        lab.create(work("a", cpu="9"))
        lab.cluster.cycle()
        assert lab.parked() == ["a"]
        lab.create(work("b", queue_name="lq2"))
        return lab

    def test_a_flat_tree_sleeps_on(self) -> None:
        lab = self._lab(nested=False)
        lab.cluster.cycle()
        assert lab.parked() == ["a"]

    def test_a_deep_tree_wakes(self) -> None:
        lab = self._lab(nested=True)
        assert lab.pending() == ["a"]  # one more pending workload is news already
        lab.cluster.cycle()
        assert lab.pending() == ["a"]  # and so is an admission
        lab.cluster.cycle()
        assert lab.parked() == ["a"]

    def test_it_begins_when_a_cohort_gets_a_parent(self) -> None:
        lab = self._lab(nested=False)
        lab.apply(_cohort("team", "org"))
        assert lab.pending() == ["a"]
        lab.cluster.cycle()
        assert lab.pending() == ["a"]
        lab.cluster.cycle()
        lab.cluster.finish("default/b")
        assert lab.pending() == ["a"]

    def test_cohorts_in_a_circle_admit_no_workload(self) -> None:
        lab = make_lab(flavor(), queue(cohortName="a"), local(), _cohort("a", "b"))
        lab.apply(_cohort("b", "a"))
        lab.create(work("x"))
        lab.cluster.cycle()
        assert lab.messages("Pending") == ["ClusterQueue cq is inactive"]
        lab.apply(_cohort("b"))
        lab.cluster.settle(3)
        assert lab.admitted() == ["x"]


def test_preemption_leaves_inactive_queues_alone() -> None:
    preemption = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    lab = make_lab(
        flavor(),
        queue("cq", cohortName="team", preemption=preemption),
        queue("other", cohortName="team"),
        local(),
        local("lq2", "other"),
    )
    lab.create(work("big", cpu="8", queue_name="lq2"))
    lab.cluster.cycle()
    lab.apply(queue("other", cohortName="team", stopPolicy="Hold"))
    lab.create(work("a", cpu="4", priority=9))
    lab.cluster.cycle()
    assert "big" in lab.admitted()
    assert lab.condition("big", "Evicted") == ""
    lab.apply(queue("other", cohortName="team"))
    lab.cluster.cycle()
    assert lab.condition("big", "Evicted").startswith("True Preempted")


def test_other_objects_are_kept() -> None:
    lab = basic_lab()
    lab.apply({"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4"}}})
    assert "Node" in {kind_of(obj) for obj in lab.cluster.objects}
