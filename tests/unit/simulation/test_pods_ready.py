from __future__ import annotations

from typing import Any

from simulation_lab import basic_lab, work

WAIT: dict[str, Any] = {
    "timeout": "10s",
    "recoveryTimeout": "3s",
    "requeuingStrategy": {"backoffBaseSeconds": 5, "backoffLimitCount": 2},
}


def test_too_late_is_evicted_and_backs_off() -> None:
    lab = basic_lab(waitForPodsReady=WAIT)
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.wait(9)
    lab.events()
    lab.wait(1)
    assert lab.messages("EvictedDueToPodsReadyTimeout") == [
        "Exceeded the PodsReady timeout default/a"
    ]
    requeue = lab.cluster.state()["workloads"]["default/a"]["requeueState"]
    assert requeue == {"count": 1, "requeueAt": "2026-01-01T00:00:15Z"}
    lab.cluster.complete_evictions()
    assert (lab.pending(), lab.usage()) == ([], {})
    lab.wait(4)
    assert lab.pending() == []
    lab.wait(1)
    assert lab.pending() == ["a"]
    assert lab.condition("a", "Requeued").startswith("True BackoffFinished")
    assert lab.cluster.state()["workloads"]["default/a"]["requeueState"] == {"count": 1}


def test_ready_pods_end_the_wait() -> None:
    lab = basic_lab(waitForPodsReady=WAIT)
    lab.create(work("a"))
    lab.cluster.cycle()
    assert lab.cluster.pods_ready("default/a")
    assert lab.condition("a", "PodsReady") == (
        "True Started: All pods reached readiness and the workload is running"
    )
    lab.wait(60)
    assert lab.admitted() == ["a"]
    assert lab.events() == ["QuotaReserved a", "Admitted a"]


def test_recovery_has_a_time_limit_of_its_own() -> None:
    lab = basic_lab(waitForPodsReady=WAIT)
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.cluster.pods_ready("default/a")
    lab.wait(20)
    lab.cluster.pods_ready("default/a", False)
    assert lab.condition("a", "PodsReady") == (
        "False WaitForRecovery: At least one pod has failed, waiting for recovery"
    )
    lab.wait(2)
    lab.cluster.pods_ready("default/a", True)
    assert lab.condition("a", "PodsReady").startswith("True Recovered")
    lab.cluster.pods_ready("default/a", False)
    lab.events()
    lab.wait(3)
    assert lab.events() == ["EvictedDueToPodsReadyTimeout a"]
    lab.cluster.complete_evictions()
    assert lab.condition("a", "PodsReady") == (
        "False WaitForStart: Not all pods are ready or succeeded"
    )
    assert lab.parked() == ["a"]


def test_too_often_is_deactivated() -> None:
    lab = basic_lab(waitForPodsReady=WAIT)
    lab.create(work("a"))
    for _ in range(3):
        lab.cluster.cycle()
        lab.events()
        lab.wait(10)
        last = lab.events()
        lab.cluster.complete_evictions()
        lab.wait(20)
    assert last == ["EvictedDueToDeactivatedDueToRequeuingLimitExceeded a"]
    state = lab.cluster.workload("default/a")
    assert (state.active, state.requeue_state) == (False, None)
    assert "exceeding the maximum number of re-queuing retries" in lab.condition("a", "Evicted")


def test_blocked_cycles_wait_for_pods() -> None:
    lab = basic_lab(waitForPodsReady={"blockAdmission": True, "timeout": "1h"})
    lab.create(work("a"), work("b"))
    lab.cluster.cycle()
    record = lab.cluster.cycle()
    assert (record.blocked, record.heads, record.entries) == (True, ("default/b",), ())
    assert lab.cluster.is_blocked
    assert lab.condition("b", "QuotaReserved") == (
        "False Waiting: waiting for all admitted workloads to be in PodsReady condition"
    )
    assert (lab.cluster.cycle().blocked, lab.records[-1].heads) == (True, ())
    lab.records.clear()
    lab.cluster.pods_ready("default/a")
    assert [(each.resumed, each.blocked) for each in lab.records] == [(True, False)]
    assert lab.records[0].entries[0].key == "default/b"
    assert not lab.cluster.is_blocked
    assert lab.admitted() == ["a", "b"]


def test_a_head_deleted_while_it_waits_is_not_admitted() -> None:
    lab = basic_lab(waitForPodsReady={"blockAdmission": True, "timeout": "1h"})
    lab.create(work("a"), work("b"))
    lab.cluster.cycle()
    lab.cluster.cycle()
    lab.cluster.delete_workload("default/b")
    lab.cluster.delete_workload("default/a")
    assert not lab.cluster.is_blocked
    assert lab.records[-1].resumed
    assert lab.usage() == {}


def test_what_controllers_wrote_on_a_waiting_head_is_lost() -> None:
    lab = basic_lab(waitForPodsReady={"blockAdmission": True, "timeout": "1h"})
    lab.create(work("a"), work("b"))
    lab.cluster.cycle()
    lab.cluster.cycle()
    lab.cluster.set_active("default/b", False)
    assert lab.condition("b", "Evicted") == "True Deactivated: The workload is deactivated"
    lab.cluster.set_active("default/b", True)
    lab.cluster.pods_ready("default/a")
    assert lab.admitted() == ["a", "b"]
    assert lab.condition("b", "Evicted") == ""


def test_the_gate_turns_it_off() -> None:
    gates = {"DisableWaitForPodsReady": True}
    wait = {"blockAdmission": True, "timeout": "1s"}
    lab = basic_lab(waitForPodsReady=wait, featureGates=gates)
    lab.create(work("a"), work("b"))
    lab.cluster.settle(5)
    lab.wait(60)
    assert lab.admitted() == ["a", "b"]
