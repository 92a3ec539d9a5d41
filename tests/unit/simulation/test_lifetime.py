from __future__ import annotations

import pytest
from simulation_lab import basic_lab, flavor, local, make_lab, queue, work


def test_maximum_execution_time() -> None:
    lab = basic_lab()
    lab.create(work("a", maximumExecutionTimeSeconds=30))
    lab.cluster.cycle()
    lab.wait(29)
    lab.events()
    lab.wait(1)
    assert [(event.type, event.message) for event in lab.cluster.events][:2] == [
        ("Warning", "The maximum execution time (30s) exceeded"),
        ("Normal", "The workload is deactivated due to exceeding the maximum execution time"),
    ]
    # As long as its pods are there, Kueue finds once more that it runs for too long.
    assert lab.events() == [
        "MaximumExecutionTimeExceeded a",
        "EvictedDueToDeactivatedDueToMaximumExecutionTimeExceeded a",
        "MaximumExecutionTimeExceeded a",
    ]
    assert not lab.cluster.workload("default/a").active
    assert lab.condition("a", "DeactivationTarget").startswith("True Maximum")


def test_execution_time_adds_up_over_admissions() -> None:
    lab = make_lab(flavor(), queue(preemption={"withinClusterQueue": "LowerPriority"}), local())
    lab.create(work("a", cpu="4", maximumExecutionTimeSeconds=30))
    lab.cluster.cycle()
    lab.wait(20)
    lab.create(work("b", cpu="4", priority=1))
    lab.cluster.settle(3)
    lab.cluster.finish("default/b")
    lab.cluster.cycle()
    assert "a" in lab.admitted()
    lab.wait(9)
    assert lab.cluster.workload("default/a").active
    lab.wait(1)
    assert not lab.cluster.workload("default/a").active


def test_deactivating_and_activating() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.events()
    assert lab.cluster.set_active("default/a", False)
    assert lab.messages("EvictedDueToDeactivated") == ["The workload is deactivated"]
    assert lab.cluster.state()["workloads"]["default/a"]["active"] is False
    # Quota counts no longer, although the reservation is still written.
    assert lab.usage() == {}
    lab.cluster.complete_evictions()
    assert lab.condition("a", "Requeued") == "False Deactivated: The workload is deactivated"
    assert lab.pending() == []
    lab.cluster.set_active("default/a", True)
    assert lab.condition("a", "Requeued") == "True Reactivated: The workload was reactivated"
    assert lab.pending() == ["a"]


def test_deactivating_a_pending_workload_emits_nothing() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.set_active("default/a", False)
    assert lab.condition("a", "Evicted").startswith("True Deactivated")
    assert (lab.events(), lab.pending()) == ([], [])


def test_an_admission_gate_keeps_a_workload_out_of_the_queue() -> None:
    gated = work("a")
    gated["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"}
    lab = basic_lab()
    lab.create(gated)
    assert lab.pending() == []
    assert lab.condition("a", "QuotaReserved") == (
        "False AdmissionGated: Admission is gated by: example.com/gate"
    )
    assert lab.messages("AdmissionGated") == ["Workload admission is gated by: example.com/gate"]


@pytest.mark.parametrize("is_observed", [True, False])
def test_an_admission_gate_and_a_stopped_queue_come_to_rest(is_observed: bool) -> None:
    """Kueue writes both reasons in turns, without end."""
    gated = work("a")
    gated["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"}
    gates = {"UnadmittedWorkloadsObservability": is_observed}
    lab = make_lab(flavor(), queue(), local(stopPolicy="Hold"), featureGates=gates)
    lab.create(gated)
    assert lab.condition("a", "QuotaReserved").endswith("LocalQueue lq is inactive")
    assert lab.messages("AdmissionGated") == ["Workload admission is gated by: example.com/gate"]
    lab.apply(local())
    assert lab.condition("a", "QuotaReserved") == (
        "False AdmissionGated: Admission is gated by: example.com/gate"
    )


@pytest.mark.parametrize("is_observed", [True, False])
def test_an_admission_gate_of_a_deactivated_workload_comes_to_rest(is_observed: bool) -> None:
    gated = work("a", active=False)
    gated["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"}
    lab = basic_lab(featureGates={"UnadmittedWorkloadsObservability": is_observed})
    lab.create(gated)
    assert lab.pending() == []


def test_the_priority_boost_counts_behind_its_gate() -> None:
    boosted = work("a", priority=1)
    boosted["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": "4"}
    wrong = work("b")
    wrong["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": "much"}
    lab = basic_lab(featureGates={"PriorityBoost": True})
    lab.create(boosted, wrong)
    assert lab.cluster.workload("default/a").priority == 5
    assert lab.cluster.workload("default/b").priority == 0


def test_a_second_admission_counts_from_the_requeue() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.wait(5)
    lab.cluster.set_active("default/a", False)
    lab.cluster.complete_evictions()
    lab.wait(5)
    lab.cluster.set_active("default/a", True)
    lab.wait(2)
    lab.cluster.cycle()
    assert lab.messages("QuotaReserved")[-1].endswith("since queued was 2s")
