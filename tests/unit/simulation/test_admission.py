from __future__ import annotations

import pytest
from simulation_lab import START, basic_lab, flavor, local, make_lab, queue, work

from kueuelab.errors import SimulationError, UnknownObjectError
from kueuelab.model import Configuration
from kueuelab.model.times import SECOND
from kueuelab.simulation import Cluster


def test_a_workload_that_fits_is_admitted() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="3"))
    record = lab.cluster.cycle()
    assert record.heads == ("default/a",)
    assert record.entries[0].status == "assumed"
    assert lab.usage() == {"default": {"cpu": "3"}}
    assert lab.condition("a", "QuotaReserved") == (
        "True QuotaReserved: Quota reserved in ClusterQueue cq"
    )
    assert lab.condition("a", "Admitted") == "True Admitted: The workload is admitted"
    assert [event.message for event in lab.cluster.events] == [
        "Quota reserved in ClusterQueue cq, wait time since queued was 0s",
        "Admitted by ClusterQueue cq, wait time since reservation was 0s",
    ]


def test_one_that_does_not_gets_the_reason_and_set_aside() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="5"))
    lab.cluster.cycle()
    message = lab.messages("Pending")[0]
    assert "insufficient quota for cpu" in message
    assert lab.condition("a", "QuotaReserved") == f"False Pending: {message}"
    assert (lab.pending(), lab.parked()) == ([], ["a"])


def test_waiting_time_counts_from_creation_with_fractions() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.wait(2.6)
    lab.cluster.cycle()
    assert lab.messages("QuotaReserved")[0].endswith("since queued was 3s")
    reserved = lab.cluster.workload("default/a").conditions["QuotaReserved"]
    assert reserved.last_transition_time == START + 26 * SECOND // 10


def test_a_cycle_without_heads() -> None:
    lab = basic_lab()
    record = lab.cluster.cycle()
    assert (record.number, record.heads, record.entries) == (0, (), ())
    assert lab.records == [record]


def test_settling_takes_a_last_round_that_changes_nothing() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="3"), work("b", cpu="3"))
    assert lab.cluster.settle(10) == 3
    assert lab.admitted() == ["a"]
    assert lab.cluster.now == START + 3 * SECOND
    assert lab.cluster.settle(10) == 1
    assert basic_lab().cluster.settle(0) == 0


def test_preemption_to_the_letter() -> None:
    lab = basic_lab()
    lab.apply(queue(preemption={"withinClusterQueue": "LowerPriority"}))
    lab.create(work("low", cpu="3"))
    lab.cluster.cycle()
    lab.create(work("high", cpu="3", priority=5))
    lab.cluster.events.clear()
    lab.cluster.cycle()
    text = (
        "Preempted to accommodate a workload (UID: uid-default-high, JobUID: UNKNOWN) "
        "due to prioritization in the ClusterQueue; preemptor path: /cq; preemptee path: /cq"
    )
    ranks = (
        "preemptor effective priority: 5 (base: 5, boost: 0); "
        "preemptee effective priority: 0 (base: 0, boost: 0)"
    )
    assert [(event.reason, event.message) for event in lab.cluster.events[:3]] == [
        ("EvictedDueToPreempted", text),
        ("Preempted", f"{text}; {ranks}"),
        (
            "PreemptedWorkload",
            f"Preempted workload default/low (UID: uid-default-low) in ClusterQueue cq; {ranks}",
        ),
    ]
    assert lab.cluster.events[3].message.endswith(". Pending the preemption of 1 workload(s)")
    assert lab.condition("low", "Evicted") == f"True Preempted: {text}"
    assert lab.condition("low", "Preempted") == f"True InClusterQueue: {text}"
    # It holds its quota until its pods are gone.
    assert lab.usage() == {"default": {"cpu": "3"}}


def test_completed_evictions_release_quota_and_requeue() -> None:
    lab = basic_lab()
    lab.apply(queue(preemption={"withinClusterQueue": "LowerPriority"}))
    lab.create(work("low", cpu="3"))
    lab.cluster.cycle()
    lab.create(work("high", cpu="3", priority=5))
    lab.cluster.cycle()
    assert lab.cluster.complete_evictions() == 1
    assert lab.cluster.complete_evictions() == 0
    assert lab.usage() == {}
    assert lab.condition("low", "Requeued").startswith("True Preempted: Preempted to accommodate")
    assert lab.condition("low", "QuotaReserved").startswith("False Pending: Preempted to")
    assert lab.condition("low", "Admitted") == (
        "False NoReservation: The workload has no reservation"
    )
    assert lab.pending() == ["high", "low"]
    lab.cluster.settle(5)
    assert lab.admitted() == ["high"]
    lab.cluster.finish("default/high")
    lab.cluster.settle(5)
    assert lab.admitted() == ["high", "low"]  # a finished workload stays Admitted
    assert lab.condition("low", "Evicted").startswith("False QuotaReserved: Previously: Preempted")


def test_what_does_not_apply_changes_nothing() -> None:
    lab = basic_lab()
    cluster = lab.cluster
    assert not cluster.finish("default/nobody")
    assert not cluster.delete_workload("default/nobody")
    lab.create(work("a"))
    before = cluster.state()
    assert not cluster.finish("default/a")
    assert not cluster.pods_ready("default/a")
    assert not cluster.reclaim("default/a", ())
    assert not cluster.set_active("default/a", True)
    assert not cluster.set_check("default/a", "none", "Ready")
    assert cluster.state() == before


def test_deleting_frees_quota_and_wakes_others() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="4"), work("b", cpu="4"))
    lab.cluster.settle(3)
    assert lab.parked() == ["b"]
    assert lab.cluster.delete_workload("default/a")
    assert (lab.usage(), lab.pending()) == ({}, ["b"])
    with pytest.raises(UnknownObjectError, match="Did you mean 'default/b'"):
        lab.cluster.workload("default/bb")


def test_names_are_unique() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    with pytest.raises(SimulationError, match="exists already"):
        lab.create(work("a"))


def test_reclaimable_pods_free_their_share() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="1", count=4), work("b", cpu="2"))
    lab.cluster.settle(3)
    state = lab.cluster.workload("default/a")
    from kueuelab.model import ReclaimablePod

    assert lab.cluster.reclaim("default/a", [ReclaimablePod("main", 3)])
    assert lab.usage() == {"default": {"cpu": "1"}}
    assert lab.pending() == ["b"]
    assert state.admission is not None
    lab.cluster.settle(3)
    assert lab.admitted() == ["a", "b"]


def test_reclaiming_without_its_gate_only_wakes() -> None:
    from kueuelab.model import ReclaimablePod

    lab = basic_lab(featureGates={"ReclaimablePods": False})
    lab.create(work("a", cpu="1", count=4), work("b", cpu="2"))
    lab.cluster.settle(3)
    lab.cluster.reclaim("default/a", [ReclaimablePod("main", 3)])
    assert lab.usage() == {"default": {"cpu": "4"}}
    assert lab.pending() == ["b"]


def test_finished_workloads_are_deleted_after_their_retention() -> None:
    lab = basic_lab(objectRetentionPolicies={"workloads": {"afterFinished": "10s"}})
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.cluster.finish("default/a")
    lab.wait(9)
    assert "default/a" in lab.cluster.workloads
    lab.events()
    lab.wait(1)
    assert "default/a" not in lab.cluster.workloads
    assert lab.messages("Deleted") == ["Deleted finished workload due to elapsed retention"]


def test_orphans_are_finished() -> None:
    orphan = work("a")
    orphan["metadata"]["labels"] = {"kueue.x-k8s.io/job-uid": "u"}
    lab = basic_lab()
    lab.create(orphan)
    assert lab.condition("a", "Finished") == (
        "True OwnerNotFound: The workload's owner no longer exists"
    )
    assert lab.pending() == []


def test_loading_takes_over_what_runs() -> None:
    admission = {
        "clusterQueue": "cq",
        "podSetAssignments": [
            {"name": "main", "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "3"}}
        ],
    }
    reserved = {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved"}
    running = work("a", cpu="3")
    running["status"] = {"admission": admission, "conditions": [reserved]}
    lab = make_lab(running, work("b", cpu="3"), local(), queue(), flavor())
    assert lab.usage() == {"default": {"cpu": "3"}}
    assert lab.admitted() == ["a"]
    assert lab.pending() == ["b"]
    assert lab.cluster.events == []
    # It is known to the LocalQueue as well: its end wakes the others.
    lab.cluster.cycle()
    assert lab.parked() == ["b"]
    lab.cluster.finish("default/a")
    assert lab.pending() == ["b"]


def test_the_state_with_fair_sharing_and_cohorts() -> None:
    team = {"kind": "Cohort", "metadata": {"name": "team"}, "spec": {"parentName": "org"}}
    lab = make_lab(
        flavor(),
        team,
        queue("a", cohortName="team"),
        queue("b", cohortName="team"),
        local(cluster_queue="a"),
        fairSharing={"preemptionStrategies": ["LessThanInitialShare"]},
    )
    lab.create(work("x", cpu="6"))
    lab.cluster.cycle()
    state = lab.cluster.state()
    assert state["clusterQueues"]["a"]["weightedShare"] == 250
    assert state["clusterQueues"]["a"]["preciseWeightedShare"] == "250"
    assert state["cohorts"]["team"]["usage"] == {"default": {"cpu": "6"}}
    assert state["cohorts"]["org"]["subtreeQuota"] == {"default": {"cpu": "8"}}
    assert list(state["cohorts"]) == ["org", "team"]


def test_a_cluster_reads_as_it_is_configured() -> None:
    cluster = Cluster(Configuration(), start=7)
    assert (cluster.now, cluster.next_timer(), cluster.is_blocked) == (7, None, False)
    assert not cluster.is_active("nobody")
    assert cluster.configuration == Configuration()
