"""Admission fair sharing in a cluster: who goes first, who is charged, and when it fades."""

from __future__ import annotations

from typing import Any

import pytest
from simulation_lab import Lab, check, checks, flavor, local, make_lab, queue, work

from kueuelab.manifests.decode import decode_object
from kueuelab.trace import Trace
from kueuelab.trace.explain import why
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import (
    LocalQueuesCompared,
    PenaltyCharged,
    PenaltySettled,
    PenaltyWaived,
    UsageSampled,
)

BY_USAGE = {"admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"}}
RULES = {"usageHalfLifeTime": "10s", "usageSamplingInterval": "5s"}


def fair_lab(
    *objects: dict[str, Any],
    cluster_queue: dict[str, Any] | None = None,
    recorder: Recorder | None = None,
    **configuration: Any,
) -> Lab:
    return make_lab(
        flavor(),
        cluster_queue or queue(**BY_USAGE),
        local("x"),
        local("y"),
        *objects,
        recorder=recorder,
        **{"admissionFairSharing": RULES, **configuration},
    )


def books(lab: Lab, name: str = "x") -> dict[str, Any]:
    found: dict[str, Any] = lab.cluster.state()["localQueues"][f"default/{name}"]
    return found


# --- who goes first --------------------------------------------------------------------


def test_local_queues_take_turns() -> None:
    lab = fair_lab()
    lab.create(work("x1", queue_name="x"), work("x2", queue_name="x"), work("y1", queue_name="y"))
    assert lab.pending() == ["x1", "x2", "y1"]
    lab.cluster.cycle()
    assert lab.pending() == ["y1", "x2"]


def test_usage_goes_before_priority() -> None:
    lab = fair_lab()
    lab.create(work("x1", queue_name="x"))
    lab.cluster.cycle()
    lab.create(work("x2", queue_name="x", priority=100), work("y1", queue_name="y"))
    assert lab.pending() == ["y1", "x2"]


def test_other_cluster_queues_and_other_configurations_do_not_care() -> None:
    off: dict[str, Any] = {"featureGates": {"AdmissionFairSharing": False}}
    for lab in (
        fair_lab(cluster_queue=queue()),
        fair_lab(**off),
        fair_lab(admissionFairSharing=None),
    ):
        lab.create(work("x1", queue_name="x"))
        lab.cluster.cycle()
        lab.create(work("x2", queue_name="x"), work("y1", queue_name="y"))
        assert lab.pending() == ["x2", "y1"]
    assert "localQueues" not in fair_lab(**off).cluster.state()


def test_a_queue_of_weight_zero_comes_last() -> None:
    lab = fair_lab(local("z", fairSharing={"weight": "0"}))
    lab.create(work("z1", queue_name="z", priority=9), work("x1", queue_name="x"))
    assert lab.pending() == ["x1", "z1"]
    assert books(lab, "z")["usage"] == "+Inf"


def test_the_one_that_preempted_waits_behind_less_usage() -> None:
    lab = fair_lab(
        cluster_queue=queue(cpu="2", preemption={"withinClusterQueue": "LowerPriority"}, **BY_USAGE)
    )
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.wait(5)
    lab.create(work("x2", cpu="2", queue_name="x", priority=5))
    lab.cluster.cycle()
    lab.create(work("y1", cpu="2", queue_name="y"))
    assert lab.pending() == ["y1", "x2"]


def test_the_workload_of_whoever_used_most_is_preempted_first() -> None:
    lab = fair_lab(
        cluster_queue=queue(cpu="2", preemption={"withinClusterQueue": "LowerPriority"}, **BY_USAGE)
    )
    lab.create(work("y1", queue_name="y", priority=1))
    lab.cluster.cycle()
    lab.wait(20)
    lab.create(work("x1", queue_name="x", priority=0))
    lab.cluster.cycle()
    lab.create(work("x2", queue_name="x", priority=5))
    lab.cluster.cycle()
    assert lab.cluster.workload("default/y1").is_evicted
    assert not lab.cluster.workload("default/x1").is_evicted


def test_queues_of_the_same_name_elsewhere_are_not_distinguished_in_preemption() -> None:
    def away(obj: dict[str, Any]) -> dict[str, Any]:
        return {**obj, "metadata": {**obj["metadata"], "namespace": "away"}}

    lab = fair_lab(
        away(local("x")),
        cluster_queue=queue(
            cpu="2", preemption={"withinClusterQueue": "LowerPriority"}, **BY_USAGE
        ),
    )
    lab.create(away(work("far", queue_name="x", priority=1)))
    lab.cluster.cycle()
    lab.wait(20)
    lab.create(work("near", queue_name="x", priority=0))
    lab.cluster.cycle()
    lab.create(work("y1", queue_name="y", priority=5))
    lab.cluster.cycle()
    assert lab.cluster.workload("default/near").is_evicted


# --- penalties -------------------------------------------------------------------------


def test_admission_settles_the_penalty_at_once() -> None:
    lab = fair_lab()
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    assert books(lab) == {
        "consumed": {"cpu": "585786437n"},
        "pendingPenalty": {},
        "usage": "0.585786437",
    }


def checked_lab(recorder: Recorder | None = None) -> Lab:
    """A workload of ``x`` that has its quota and waits for a check."""
    lab = fair_lab(
        check("c"),
        cluster_queue=queue(admissionChecksStrategy=checks("c"), **BY_USAGE),
        recorder=recorder,
    )
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    return lab


def test_penalty_is_pending_until_the_checks_are_ready() -> None:
    lab = checked_lab()
    pending = {"consumed": {}, "pendingPenalty": {"cpu": "585786437n"}, "usage": "0.585786437"}
    assert books(lab) == pending
    lab.wait(7)
    assert books(lab) == pending
    lab.cluster.set_check("default/x1", "c", "Ready")
    assert books(lab)["pendingPenalty"] == {}
    # The report of the check had the LocalQueue sampled before the workload was admitted.
    assert books(lab)["consumed"] == {"cpu": "585786437n"}


def test_penalty_goes_with_the_workload() -> None:
    lab = checked_lab()
    lab.cluster.delete_workload("default/x1")
    assert books(lab)["pendingPenalty"] == {}


def test_deactivation_waives_the_penalty_once_the_quota_is_gone() -> None:
    lab = checked_lab()
    lab.cluster.set_active("default/x1", False)
    assert books(lab)["pendingPenalty"] == {"cpu": "585786437n"}
    lab.cluster.complete_evictions()
    assert books(lab)["pendingPenalty"] == {}


def test_eviction_keeps_the_penalty_and_the_next_reservation_renews_it() -> None:
    lab = checked_lab()
    lab.cluster.set_check("default/x1", "c", "Retry")
    lab.cluster.complete_evictions()
    assert books(lab)["pendingPenalty"] == {"cpu": "585786437n"}
    lab.cluster.settle(3)
    assert lab.cluster.workload("default/x1").has_quota_reservation
    assert books(lab)["pendingPenalty"] == {"cpu": "585786437n"}


def test_what_is_not_declared_costs_nothing_if_it_is_ignored() -> None:
    lab = fair_lab(
        resources={"quotaCheckStrategy": "IgnoreUndeclared"},
        featureGates={"QuotaCheckStrategy": True},
    )
    obj = work("x1", cpu="2", queue_name="x")
    container = obj["spec"]["podSets"][0]["template"]["spec"]["containers"][0]
    container["resources"]["requests"]["example.com/gpu"] = "1"
    lab.create(obj)
    lab.cluster.cycle()
    assert lab.admitted() == ["x1"]
    assert books(lab)["consumed"] == {"cpu": "585786437n"}


# --- sampling --------------------------------------------------------------------------


def test_usage_fades_in_the_course_of_time() -> None:
    lab = fair_lab()
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.cluster.finish("default/x1")
    lab.wait(4)
    assert books(lab)["consumed"] == {"cpu": "585786437n"}
    lab.wait(1)
    assert books(lab)["consumed"] == {"cpu": "414213561n"}
    lab.wait(600)
    assert books(lab)["consumed"] == {"cpu": "0"}


def test_history_of_the_status_is_taken_over() -> None:
    status = {
        "fairSharing": {
            "admissionFairSharingStatus": {
                "consumedResources": {"cpu": "4"},
                "lastUpdate": "2025-12-31T00:00:00Z",
            }
        }
    }
    lab = fair_lab({**local("z"), "status": status})
    assert books(lab, "z")["consumed"] == {"cpu": "4"}


def test_time_stands_still_while_the_queue_is_stopped() -> None:
    lab = fair_lab()
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.cluster.finish("default/x1")
    lab.apply(local("x", stopPolicy="Hold"))
    lab.wait(60)
    assert books(lab)["consumed"] == {"cpu": "585786437n"}
    lab.apply(local("x"))
    assert books(lab)["consumed"] == {"cpu": "9152913n"}


def test_time_stands_still_while_the_cluster_queue_cannot_admit() -> None:
    lab = fair_lab()
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.apply(queue(stopPolicy="Hold", **BY_USAGE))
    lab.wait(60)
    assert books(lab)["consumed"] == {"cpu": "585786437n"}
    lab.apply(queue(**BY_USAGE))
    assert books(lab)["consumed"] == {"cpu": "1977902913n"}


def test_a_deleted_local_queue_starts_anew() -> None:
    lab = fair_lab()
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.cluster.remove("LocalQueue", "x")
    assert "default/x" not in lab.cluster.state()["localQueues"]
    lab.apply(local("x"))
    assert books(lab)["usage"] == "0"


def test_sampling_keeps_no_run_going_unless_a_workload_is_pending() -> None:
    lab = fair_lab(cluster_queue=queue(cpu="1", queueingStrategy="StrictFIFO", **BY_USAGE))
    assert lab.cluster.next_timer() is None
    lab.create(work("x1", queue_name="x"), work("y1", queue_name="y"))
    lab.cluster.cycle()
    assert lab.pending() == ["y1"]
    assert lab.cluster.next_timer() is not None


def test_switching_a_cluster_queue_later_changes_penalties_but_not_its_order() -> None:
    lab = fair_lab(cluster_queue=queue())
    lab.apply(queue(**BY_USAGE))
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    assert books(lab)["consumed"] == {"cpu": "585786437n"}
    lab.create(work("x2", queue_name="x"), work("y1", queue_name="y"))
    assert lab.pending() == ["x2", "y1"]


# --- recording -------------------------------------------------------------------------


def test_every_entry_in_the_books_is_recorded() -> None:
    recorder = Recorder()
    lab = checked_lab(recorder)
    lab.cluster.set_check("default/x1", "c", "Ready")
    lab.wait(5)
    lab.create(work("x2", queue_name="x"), work("y1", queue_name="y"))
    lab.cluster.cycle()
    lab.cluster.delete_workload("default/y1")
    facts = [step.facts for step in recorder.steps]
    charged = next(each for each in facts if isinstance(each, PenaltyCharged))
    assert charged == PenaltyCharged("default/x", {"cpu": "585786437n"}, 0.585786437)
    settled = next(each for each in facts if isinstance(each, PenaltySettled))
    assert settled.consumed == settled.penalty == charged.penalty
    sampled = next(each for each in facts if isinstance(each, UsageSampled))
    assert (sampled.before, sampled.consumed) == (charged.penalty, {"cpu": "999999998n"})
    compared = [each for each in facts if isinstance(each, LocalQueuesCompared)]
    assert [name for name, _ in compared[-1].usages] == ["default/y", "default/x"]
    assert any(isinstance(each, PenaltyWaived) for each in facts)


def test_a_changed_weight_counts_at_once() -> None:
    lab = fair_lab()
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.cluster.apply(decode_object(local("x", fairSharing={"weight": "2"})))  # type: ignore[arg-type]
    assert books(lab)["usage"] == "0.2928932185"


def test_the_explanation_says_which_goes_first_by_usage() -> None:
    recorder = Recorder()
    lab = fair_lab(recorder=recorder)
    lab.create(work("x1", cpu="2", queue_name="x"))
    lab.cluster.cycle()
    lab.create(work("x2", queue_name="x", priority=9), work("y1", queue_name="y"))
    lab.wait(5)
    section = why(Trace.of(recorder), "default/x2").section("queue")
    assert section is not None
    assert section.lines[0].numbers == {"ahead": ["default/y1"]}
    assert section.lines[1].numbers == pytest.approx({"default/y": 0.0, "default/x": 1.0})
