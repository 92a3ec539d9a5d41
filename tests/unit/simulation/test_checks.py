from __future__ import annotations

from typing import Any

from simulation_lab import Lab, check, checks, flavor, local, make_lab, queue, work


def _lab(**configuration: Any) -> Lab:
    lab = make_lab(
        flavor(),
        check("c1"),
        check("c2"),
        queue(admissionChecksStrategy=checks("c1", "c2")),
        local(),
        **configuration,
    )
    lab.create(work("a", cpu="3"))
    lab.cluster.cycle()
    return lab


def _states(lab: Lab) -> dict[str, str]:
    found = lab.cluster.workload("default/a").admission_checks
    return {name: state.state for name, state in sorted(found.items())}


def test_quota_first_then_checks() -> None:
    lab = _lab()
    assert lab.events() == ["QuotaReserved a"]
    assert _states(lab) == {"c1": "Pending", "c2": "Pending"}
    assert lab.cluster.set_check("default/a", "c1", "Ready")
    assert lab.admitted() == []
    lab.wait(3)
    lab.cluster.set_check("default/a", "c2", "Ready", "done")
    assert lab.admitted() == ["a"]
    assert lab.messages("Admitted") == [
        "Admitted by ClusterQueue cq, wait time since reservation was 3s"
    ]


def test_rejected_deactivates() -> None:
    lab = _lab()
    lab.events()
    lab.cluster.set_check("default/a", "c2", "Rejected", "no money")
    assert [(event.reason, event.message) for event in lab.cluster.events] == [
        (
            "AdmissionCheckRejected",
            'Deactivated due to AdmissionCheck in Rejected state: "c2" (no money)',
        ),
        (
            "EvictedDueToDeactivatedDueToAdmissionCheck",
            'The workload is deactivated due to AdmissionCheck in Rejected state: "c2" (no money)',
        ),
    ]
    state = lab.cluster.workload("default/a")
    assert not state.active
    assert "DeactivationTarget" not in state.conditions
    assert state.admission_checks["c2"].message == (
        "Reset to Pending after eviction. Previously: Rejected"
    )
    lab.cluster.complete_evictions()
    assert lab.condition("a", "Requeued").startswith("False DeactivatedDueToAdmissionCheck")
    assert (lab.pending(), lab.parked()) == ([], [])
    lab.cluster.set_active("default/a", True)
    assert lab.condition("a", "Requeued").startswith("False DeactivatedDueToAdmissionCheck")


def test_retry_evicts_and_queues_again() -> None:
    lab = _lab()
    lab.events()
    lab.cluster.set_check("default/a", "c1", "Retry")
    lab.cluster.set_check("default/a", "c2", "Retry")
    assert lab.messages("EvictedDueToAdmissionCheck") == [
        'Evicted due to AdmissionCheck in Retry state: "c1"'
    ]
    lab.cluster.complete_evictions()
    assert lab.condition("a", "Requeued") == (
        "True BackoffFinished: The workload backoff was finished"
    )
    assert lab.pending() == ["a"]
    assert lab.cluster.workload("default/a").admission_checks["c1"].retry_count == 1


def test_retry_later_waits_with_the_eviction() -> None:
    lab = _lab()
    lab.events()
    lab.cluster.set_check("default/a", "c1", "Retry", "", 10)
    assert lab.cluster.state()["workloads"]["default/a"]["requeueState"] == {
        "requeueAt": "2026-01-01T00:00:10Z"
    }
    lab.wait(9)
    assert lab.events() == []
    lab.wait(1)
    assert lab.events() == ["EvictedDueToAdmissionCheck a"]
    lab.cluster.complete_evictions()
    assert lab.cluster.state()["workloads"]["default/a"]["requeueState"] is None
    assert lab.pending() == ["a"]


def test_checks_follow_the_cluster_queue() -> None:
    lab = _lab()
    lab.apply(check("c3"))
    lab.apply(queue(admissionChecksStrategy=checks("c3", "c1")))
    assert _states(lab) == {"c1": "Pending", "c3": "Pending"}
    lab.apply(queue())
    assert _states(lab) == {}
    assert lab.admitted() == ["a"]


def test_checks_for_some_flavors_only() -> None:
    strategy = {"admissionChecks": [{"name": "c1", "onFlavors": ["other"]}, {"name": "c2"}]}
    lab = make_lab(
        flavor(),
        flavor("other"),
        check("c1"),
        check("c2"),
        queue(flavors="default other", admissionChecksStrategy=strategy),
        local(),
    )
    lab.create(work("a", cpu="4"), work("b", cpu="4"))
    assert _states(lab) == {"c2": "Pending"}
    lab.cluster.settle(3)
    assert _states(lab) == {"c2": "Pending"}
    other = lab.cluster.workload("default/b")
    assert sorted(other.admission_checks) == ["c1", "c2"]


def test_an_inactive_check_stops_the_queue() -> None:
    lab = _lab()
    lab.apply(check("c1", active=False))
    lab.create(work("b"))
    assert not lab.cluster.is_active("cq")
    assert lab.condition("b", "QuotaReserved") == (
        "False Inadmissible: ClusterQueue cq is inactive"
    )
    assert lab.cluster.cycle().heads == ()
    lab.apply(check("c1"))
    assert lab.cluster.cycle().heads == ("default/b",)
