"""What is set aside together, for how long, and which changes bring it back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from queue_lab import Lab

from kueuelab.model import (
    PodSet,
    ReclaimablePod,
    RequeueState,
)
from kueuelab.queues import RequeueReason
from kueuelab.workload import LastAssignment, WorkloadState


@pytest.mark.parametrize("reason", ["NoFit", "PreemptionNoCandidates"])
def test_equal_workloads_are_set_aside_with_the_first(reason: str) -> None:
    lab = Lab()
    for name in "a", "b", "c":
        lab.push(name)
    lab.push("big", pods=2)
    lab.cycle(RequeueReason(reason), "WaitingForQuota")
    assert (lab.active, lab.parked) == (["big"], ["a", "b", "c"])
    assert lab.queues.no_fit_reason("ns/b") == "WaitingForQuota"
    assert lab.queues.no_fit_reason("ns/big") is None
    lab.push("d")
    assert lab.parked == ["a", "b", "c", "d"]
    lab.queues.wake(["cq"])
    assert (lab.active, lab.parked) == (["a", "b", "big", "c", "d"], [])
    assert lab.queues.no_fit_reason("ns/b") is None


def test_a_bulk_move_without_a_reason_has_a_default() -> None:
    lab = Lab()
    lab.push("a")
    lab.cycle(RequeueReason.NO_FIT)
    assert lab.queues.no_fit_reason("ns/a") == "PendingEvaluation"


def test_other_reasons_set_aside_only_the_one() -> None:
    lab = Lab()
    lab.push("a")
    lab.push("b")
    lab.cycle(RequeueReason.PREEMPTION_GATED)
    assert (lab.active, lab.parked) == (["b"], ["a"])


@pytest.mark.parametrize(
    ("strategy", "gates"),
    [("StrictFIFO", {}), ("BestEffortFIFO", {"SchedulingEquivalenceHashing": False})],
)
def test_no_bulk_move_in_strict_queues_or_without_the_gate(
    strategy: str, gates: dict[str, bool]
) -> None:
    lab = Lab(strategy=strategy, gates=gates)
    lab.push("a")
    lab.push("b")
    lab.cycle(RequeueReason.NO_FIT)
    assert "b" in lab.active
    assert lab.queues.no_fit_reason("ns/a") is None


def test_a_bulk_move_means_nothing_to_a_queue_that_became_strict() -> None:
    lab = Lab()
    for name, parent in ("left", "right"), ("right", "left"):
        lab.queues.set_cohort(name, parent)  # nothing wakes queues of a cycle
    lab.queues.set_cluster_queue(replace(lab.spec, cohort_name="left"))
    lab.push("a")
    lab.cycle(RequeueReason.NO_FIT)
    strict = replace(lab.spec, cohort_name="left", queueing_strategy="StrictFIFO")
    lab.queues.set_cluster_queue(strict)
    lab.push("b")
    assert (lab.active, lab.parked) == (["b"], ["a"])


def test_workloads_of_other_namespaces_are_set_aside_too_but_woken_apart() -> None:
    lab = Lab()
    lab.set_local_queue("other/lq", "cq")
    lab.push("a")
    lab.queues.add_or_update(lab.state("b", namespace="other"))
    lab.cycle(RequeueReason.NO_FIT)
    assert lab.parked == ["a", "other/b"]
    del lab.namespaces["other"]
    assert lab.queues.wake(["cq"]) == 1
    assert (lab.active, lab.parked) == (["a"], ["other/b"])


def test_workloads_of_a_namespace_that_is_not_selected_do_not_keep_others_from_waking() -> None:
    lab = Lab()
    lab.set_local_queue("other/lq", "cq")
    lab.queues.add_or_update(lab.state("a", namespace="other"))
    lab.cycle(RequeueReason.GENERIC)
    lab.push("b")
    lab.cycle(RequeueReason.GENERIC)
    del lab.namespaces["other"]
    assert lab.queues.wake(["cq"]) == 1
    assert (lab.active, lab.parked) == (["b"], ["other/a"])


def test_what_a_new_local_queue_finds_was_not_evaluated_yet() -> None:
    """Only what changed since the scheduler evaluated a workload brings it back."""
    lab = Lab()
    state = lab.state("b", namespace="other")
    state.set_obj(replace(state.obj, metadata=replace(state.obj.metadata, generation=2)))
    state.last_evaluated_generation = 1
    lab.set_local_queue("other/lq", "cq", state)
    lab.queues.add_or_update(lab.state("a", namespace="other"))
    assert lab.cycle(RequeueReason.NO_FIT).obj.name == "a"
    del lab.namespaces["other"]
    lab.queues.wake(["cq"])
    assert "other/b" in lab.parked
    lab.queues.add_or_update(state)
    assert "other/b" in lab.parked


def test_waking_part_of_a_class_keeps_the_order() -> None:
    lab = Lab()
    for name in "abcdefgh":
        lab.push(name)
    for name in "abcde":
        assert lab.cycle(RequeueReason.PREEMPTION_GATED).obj.name == name
    assert lab.queues.wake(["cq"]) == 5
    assert lab.active == list("abcdefgh")
    assert [lab.cycle(RequeueReason.PREEMPTION_GATED).obj.name for _ in range(8)] == [*"abcdefgh"]


def test_a_workload_that_backs_off_waits_until_it_is_woken_after_that() -> None:
    lab = Lab()
    state = lab.state("a")
    state.requeue_state = RequeueState(1, lab.now + 5)
    lab.queues.add_or_update(state)
    assert lab.queues.wake(["cq"]) == 0
    lab.now += 5
    assert lab.parked == ["a"]
    assert lab.queues.wake(["cq"]) == 1
    assert lab.active == ["a"]


def test_a_workload_that_backs_off_is_not_requeued_at_once() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    state.requeue_state = RequeueState(1, lab.now + 5)
    assert lab.queues.requeue(state, RequeueReason.PENDING_PREEMPTION)
    assert lab.parked == ["a"]


def test_requeued_false_keeps_it_aside_for_ever() -> None:
    lab = Lab()
    state = lab.state("a")
    state.set_condition("Requeued", "False", "PodsReadyTimeout", "", lab.now)
    lab.queues.add_or_update(state)
    lab.now += 10**18
    assert lab.queues.wake(["cq"]) == 0
    state.set_condition("Requeued", "True", "BackoffFinished", "", lab.now)
    lab.queues.add_or_update(state)
    assert lab.active == ["a"]


def test_an_active_workload_that_starts_to_back_off_stays_until_a_bulk_move() -> None:
    lab = Lab()
    lab.push("a")
    state = lab.push("b")
    state.requeue_state = RequeueState(1, lab.now + 5)
    lab.queues.add_or_update(state)
    assert lab.active == ["a", "b"]
    lab.cycle(RequeueReason.NO_FIT)
    assert lab.parked == ["a", "b"]
    lab.queues.wake(["cq"])
    assert (lab.active, lab.parked) == (["a"], ["b"])
    lab.now += 5
    lab.queues.wake(["cq"])
    assert lab.active == ["a", "b"]


def parked(lab: Lab) -> WorkloadState:
    state = lab.push("a")
    lab.cycle(RequeueReason.GENERIC)
    lab.queues.add_or_update(state)
    assert lab.parked == ["a"]
    return state


def test_a_message_alone_leaves_it_aside() -> None:
    lab = Lab()
    state = parked(lab)
    state.set_condition("QuotaReserved", "False", "Pending", "couldn't assign flavors", lab.now)
    state.set_obj(replace(state.obj))
    lab.queues.add_or_update(state)
    assert lab.parked == ["a"]


def test_a_changed_spec_makes_it_active() -> None:
    lab = Lab()
    lab.edit(parked(lab), pod_sets=(PodSet(count=2),))
    assert lab.active == ["a"]


def test_a_priority_boost_makes_it_active() -> None:
    lab = Lab()
    state = parked(lab)
    state.set_obj(state.obj, priority_boost=5)
    lab.queues.add_or_update(state)
    assert lab.active == ["a"]


def test_reclaimable_pods_make_it_active() -> None:
    lab = Lab()
    state = parked(lab)
    state.reclaimable_pods = (ReclaimablePod("main", 1),)
    state.refresh()
    lab.queues.add_or_update(state)
    assert lab.active == ["a"]


@pytest.mark.parametrize("type_", ["Evicted", "Requeued"])
def test_a_changed_condition_makes_it_active_once(type_: str) -> None:
    lab = Lab()
    state = parked(lab)
    for message in "first", "second":
        state.set_condition(type_, "True", "Preempted", message, lab.now)
        lab.queues.add_or_update(state)
        assert lab.active == ["a"]
        lab.cycle(RequeueReason.GENERIC)
        lab.queues.add_or_update(state)
        assert lab.parked == ["a"]


def test_an_update_while_active_counts_as_seen() -> None:
    lab = Lab()
    lab.push("a")
    state = lab.push("b")
    state.set_condition("Evicted", "True", "Preempted", "", lab.now)
    lab.queues.add_or_update(state)
    lab.cycle(RequeueReason.NO_FIT)
    lab.queues.wake([])
    lab.queues.add_or_update(state)
    assert lab.parked == ["a", "b"]


def test_an_opened_preemption_gate_makes_it_active() -> None:
    lab = Lab()
    state = lab.state("a")
    state.set_obj(replace(state.obj, preemption_gates=("gate",)))
    lab.queues.add_or_update(state)
    lab.cycle(RequeueReason.PREEMPTION_GATED)
    lab.queues.add_or_update(state)
    assert lab.parked == ["a"]
    state.preemption_gates = {"gate": "Open"}
    lab.queues.add_or_update(state)
    assert lab.active == ["a"]
    lab.cycle(RequeueReason.NO_FIT)
    lab.queues.add_or_update(state)
    assert lab.parked == ["a"]


def test_a_spec_that_changed_while_in_flight_makes_it_active_with_the_next_update() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    lab.edit(state, priority=0)  # nothing but the generation changes
    lab.queues.requeue(state, RequeueReason.GENERIC)
    assert lab.parked == ["a"]
    lab.queues.add_or_update(state)
    assert lab.active == ["a"]


def test_a_workload_that_becomes_equal_to_one_that_was_bulk_moved_stays_aside() -> None:
    lab = Lab()
    lab.push("a")
    lab.cycle(RequeueReason.NO_FIT)
    state = lab.push("b", pods=2)
    lab.cycle(RequeueReason.GENERIC)
    lab.edit(state, pod_sets=(PodSet(count=1),))
    assert lab.parked == ["a", "b"]


@pytest.mark.parametrize("keeps", [True, False])
def test_scan_progress_survives_an_update_that_leaves_the_shape(keeps: bool) -> None:
    lab = Lab(gates={"FlavorFungibilityPreserveScanProgress": keeps})
    state = lab.push("a")
    lab.head()
    last = LastAssignment(({"cpu": 0},), 1, 1, state.scheduling_hash)
    state.last_assignment = last
    lab.queues.add_or_update(state)
    assert state.last_assignment is last, "the scheduler has it"
    lab.queues.requeue(state, RequeueReason.NO_FIT)
    lab.queues.add_or_update(state)
    assert state.last_assignment is (last if keeps else None)
    lab.edit(state, pod_sets=(PodSet(count=2),))
    assert state.last_assignment is None


def test_scan_progress_of_a_workload_that_left_the_queue_is_lost() -> None:
    lab = Lab()
    state = lab.push("a")
    state.last_assignment = LastAssignment(({"cpu": 0},), 1, 1, state.scheduling_hash)
    lab.queues.delete("ns/a")
    lab.queues.add_or_update(state)
    assert state.last_assignment is None
