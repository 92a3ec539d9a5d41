"""Which queue a workload waits in, whatever happens to the queues."""

from __future__ import annotations

from dataclasses import replace

import pytest
from queue_lab import Lab

from kueuelab.model import (
    FeatureGates,
    ObjectMeta,
    RequeueState,
)
from kueuelab.queues import RequeueReason, is_admissible
from kueuelab.workload import LastAssignment


def test_a_workload_without_queues_waits_for_them() -> None:
    lab = Lab()
    lab.queues.remove_cluster_queue("cq")
    state = lab.state("a")
    assert not lab.queues.add_or_update(state)
    assert lab.queues.cluster_queue_for(state) is None
    lab.queues.set_cluster_queue(lab.spec)
    assert lab.active == ["a"]
    assert lab.queues.cluster_queue_for(state) == "cq"
    other = lab.state("b", queue="later")
    assert not lab.queues.add_or_update(other)
    assert not lab.queues.has_local_queue("ns/later")
    lab.set_local_queue("ns/later", "cq", state, other)
    assert lab.queues.has_local_queue("ns/later")
    assert lab.active == ["a", "b"]


def test_queues_that_appear_do_not_ask_about_back_off() -> None:
    lab = Lab()
    state = lab.state("a", queue="later")
    state.requeue_state = RequeueState(1, lab.now + 5)
    lab.queues.add_or_update(state)
    lab.set_local_queue("ns/later", "cq", state)
    assert lab.active == ["a"]


def test_a_stopped_local_queue_holds_nothing() -> None:
    lab = Lab()
    states = [lab.push(name) for name in "ab"]
    lab.set_local_queue("ns/lq", "cq", stop=True)
    assert (lab.active, lab.parked) == ([], [])
    assert not lab.queues.add_or_update(states[0])
    lab.set_local_queue("ns/lq", "cq", *states)
    assert lab.active == ["a", "b"]


def test_what_comes_back_with_its_local_queue_is_looked_at_anew() -> None:
    lab = Lab()
    first, second = (lab.push(name) for name in "ab")
    lab.edit(second, priority=0)
    lab.set_local_queue("ns/lq", "cq", stop=True)
    lab.set_local_queue("ns/lq", "cq", first, second)
    lab.cycle(RequeueReason.NO_FIT)
    assert lab.parked == ["a", "b"]
    lab.queues.add_or_update(second)
    assert lab.parked == ["a", "b"]


def test_workloads_follow_their_local_queue() -> None:
    lab = Lab()
    lab.queues.set_cluster_queue(replace(lab.spec, metadata=ObjectMeta("new")))
    lab.push("a")
    lab.cycle(RequeueReason.NO_FIT)
    lab.push("b")
    lab.set_local_queue("ns/lq", "new")
    assert (lab.active, lab.parked) == ([], [])
    assert lab.queues.pending_active("new") == ["ns/a", "ns/b"]


def test_a_workload_that_names_another_queue_leaves_the_first() -> None:
    lab = Lab()
    lab.queues.set_cluster_queue(replace(lab.spec, metadata=ObjectMeta("new")))
    lab.set_local_queue("ns/to-new", "new")
    state = lab.push("a")
    lab.edit(state, queue_name="to-new")
    assert (lab.active, lab.parked) == ([], [])
    assert lab.queues.pending_active("new") == ["ns/a"]


def test_the_one_in_flight_is_the_schedulers_even_if_its_local_queue_starts_anew() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    last = LastAssignment(({"cpu": 0},), 1, 1, state.scheduling_hash)
    state.last_assignment = last
    lab.set_local_queue("ns/lq", "cq", stop=True)
    assert lab.queues.place("ns/a") == "inflight"
    assert not lab.queues.requeue(state, RequeueReason.NO_FIT)
    lab.set_local_queue("ns/lq", "cq", state)
    assert (lab.active, lab.parked) == ([], [])
    assert state.last_assignment is last
    assert lab.queues.requeue(state, RequeueReason.NO_FIT)
    assert lab.active == ["a"], "a flavor is left to try"


def test_the_one_in_flight_stays_behind_if_its_local_queue_turns_elsewhere() -> None:
    lab = Lab()
    lab.queues.set_cluster_queue(replace(lab.spec, metadata=ObjectMeta("new")))
    state = lab.push("a")
    lab.head()
    lab.set_local_queue("ns/lq", "new")
    assert lab.queues.place("ns/a") == "inflight"
    assert lab.queues.requeue(state, RequeueReason.PREEMPTION_FAILED)
    assert lab.queues.pending_active("new") == ["ns/a"]


def test_pending_workloads_are_counted_wherever_they_are() -> None:
    lab = Lab()
    for name in "abc":
        lab.push(name)
    lab.cycle(RequeueReason.PREEMPTION_GATED)
    lab.head()
    assert lab.queues.pending_count("cq") == 3
    lab.queues.delete("ns/b")
    assert lab.queues.pending_count("cq") == 2


def test_a_deleted_cluster_queue_forgets_everything_but_the_local_queues() -> None:
    lab = Lab()
    lab.push("a")
    lab.cycle(RequeueReason.NO_FIT)
    lab.queues.remove_cluster_queue("cq")
    assert lab.queues.heads() == []
    lab.queues.set_cluster_queue(lab.spec)
    assert lab.active == ["a"]


def test_asking_about_what_does_not_exist() -> None:
    lab = Lab()
    queues = lab.queues
    assert queues.pending_active("none") == queues.inadmissible("none") == []
    assert queues.pending_count("none") == 0
    assert queues.no_fit_reason("ns/none") is None
    assert queues.place("ns/none") is None
    assert queues.wake(["none"]) == queues.wake_for("ns/none") == 0
    queues.delete("ns/none")
    queues.forget("ns/none")
    queues.remove_cluster_queue("none")
    queues.remove_local_queue("ns/none")


@pytest.mark.parametrize(
    ("conditions", "annotations", "admissible"),
    [
        ({}, {}, True),
        ({"QuotaReserved": ("True", "QuotaReserved")}, {}, False),
        ({"QuotaReserved": ("False", "Pending")}, {}, True),
        ({"QuotaReserved": ("False", "OnHold")}, {}, False),
        ({"Finished": ("True", "Succeeded")}, {}, False),
        ({"WaitingForReplacementPods": ("True", "Any")}, {}, False),
        ({}, {"kueue.x-k8s.io/admission-gated-by": "gate"}, False),
        ({}, {"kueue.x-k8s.io/admission-gated-by": ""}, True),
    ],
)
def test_who_may_queue(
    conditions: dict[str, tuple[str, str]], annotations: dict[str, str], admissible: bool
) -> None:
    state = Lab().state("a")
    metadata = replace(state.obj.metadata, annotations=annotations)
    state.set_obj(replace(state.obj, metadata=metadata))
    for type_, (status, reason) in conditions.items():
        state.set_condition(type_, "True" if status == "True" else "False", reason, "", 0)
    assert is_admissible(state, FeatureGates()) is admissible
    assert is_admissible(state, FeatureGates({"AdmissionGatedBy": False})) is (
        admissible or bool(annotations)
    )
