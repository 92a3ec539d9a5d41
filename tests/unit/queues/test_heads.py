"""Who is taken next, and what becomes of it when it comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from queue_lab import Lab

from kueuelab.model import (
    ClusterQueue,
    Configuration,
    LabelSelector,
    LocalQueue,
    ObjectMeta,
    RequeueState,
    Resources,
    Workload,
)
from kueuelab.queues import QueueManager, RequeueReason
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import LastAssignment, WorkloadState


def test_priority_comes_before_time_and_time_before_uid() -> None:
    lab = Lab()
    lab.push("z")
    lab.push("b", priority=1)
    lab.push("a")
    lab.now += 1
    lab.push("late", priority=2)
    lab.push("later")
    assert lab.active == ["late", "b", "a", "z", "later"]
    taken = [lab.cycle(RequeueReason.GENERIC).obj.name for _ in range(5)]
    assert taken == ["late", "b", "a", "z", "later"]


def test_heads_come_in_order_of_the_name_of_their_cluster_queue() -> None:
    lab = Lab()
    for name in "b", "a", "c":
        lab.queues.set_cluster_queue(replace(lab.spec, metadata=ObjectMeta(name)))
        lab.set_local_queue(f"ns/{name}", name)
        lab.queues.add_or_update(lab.state(f"w-{name}", queue=name))
    taken = lab.queues.heads({"b"})
    assert [(head.workload.key, head.cluster_queue) for head in taken] == [
        ("ns/w-a", "a"),
        ("ns/w-c", "c"),
    ]
    assert [head.cluster_queue for head in lab.queues.heads()] == ["b"]
    assert lab.queues.heads() == []


@pytest.mark.parametrize("records", [True, False])
@pytest.mark.parametrize("by_usage", [True, False])
def test_the_usage_that_heads_competed_by_is_kept_for_the_record(
    records: bool, by_usage: bool
) -> None:
    used = {"ns/heavy": 2.5, "ns/light": 0.5, "ns/even": 0.5}
    recorder = Recorder() if records else None
    queues = QueueManager(Configuration(), lambda: 0, lambda _: {}, recorder, used.__getitem__)
    spec = ClusterQueue(
        ObjectMeta("cq"),
        namespace_selector=LabelSelector(),
        admission_mode="UsageBasedAdmissionFairSharing" if by_usage else None,
    )
    queues.set_cluster_queue(spec)
    for key in used:
        name = key.removeprefix("ns/")
        queues.set_local_queue(LocalQueue(ObjectMeta(name, "ns"), "cq"))
        obj = Workload(ObjectMeta(f"w-{name}", "ns", uid=name), queue_name=name)
        queues.add_or_update(WorkloadState(obj, Resources()))
    (head,) = queues.heads()
    assert head.workload.key == "ns/w-even"
    competed = (("ns/even", 0.5), ("ns/light", 0.5), ("ns/heavy", 2.5))
    assert head.usages == (competed if records and by_usage else ())
    second, third = (head.workload.key for _ in range(2) for head in queues.heads())
    assert (second, third) == (("ns/w-light", "ns/w-heavy") if by_usage else (second, third))
    assert queues.heads() == []


def test_whether_a_workload_is_pending_in_a_queue_that_can_admit() -> None:
    lab = Lab()
    assert (lab.queues.has_heads(), lab.queues.pending_count("cq")) == (False, 0)
    lab.push("a")
    assert (lab.queues.has_heads(), lab.queues.pending_count("cq")) == (True, 1)
    assert lab.queues.has_heads({"other"})
    assert not lab.queues.has_heads({"cq"})


def test_a_head_that_never_comes_back_is_lost_with_the_next_pop_whatever_else_comes_back() -> None:
    lab = Lab()
    lab.push("a")
    assert lab.head().key == "ns/a"
    lab.queues.requeue(lab.state("b", pods=2), RequeueReason.NO_FIT)
    assert (lab.queues.place("ns/a"), lab.parked) == ("inflight", ["b"])
    assert lab.queues.heads() == []
    assert lab.queues.place("ns/a") is None


def test_a_head_that_comes_back_after_the_next_pop_waits_until_it_is_woken() -> None:
    lab = Lab()
    lab.push("a")
    late = lab.head()
    assert lab.queues.heads() == []
    lab.queues.requeue(late, RequeueReason.NO_FIT)
    assert (lab.parked, lab.queues.has_heads()) == (["a"], False)
    assert lab.queues.wake(["cq"]) == 1
    assert lab.head() is late


def test_who_waits_for_the_room_it_has_made_is_known() -> None:
    lab = Lab()
    lab.push("a")
    assert lab.queues.preemptor("cq") is None
    lab.cycle(RequeueReason.PENDING_PREEMPTION)
    assert lab.queues.preemptor("cq") == "ns/a"
    assert lab.queues.preemptor("unknown") is None


def test_moves_count_what_enters_leaves_or_changes_place() -> None:
    lab = Lab()
    seen = [lab.queues.moves]

    def grew() -> bool:
        seen.append(lab.queues.moves)
        assert seen[-1] >= seen[-2]
        return seen[-1] > seen[-2]

    for name in "ab":
        first = lab.push(name)
        assert grew()
    lab.queues.add_or_update(first)
    assert not grew()
    lab.edit(first, priority=1)
    assert grew(), "it goes before the other one now"
    lab.cycle(RequeueReason.PENDING_PREEMPTION)
    assert grew(), "there is a preemptor"
    lab.cycle(RequeueReason.PENDING_PREEMPTION)
    assert not grew(), "it is the same one"
    lab.cycle(RequeueReason.PREEMPTION_FAILED)
    assert not grew()
    lab.cycle(RequeueReason.GENERIC)
    assert grew(), "it is set aside"
    assert lab.queues.wake(["cq"]) == 1
    assert grew()
    assert lab.queues.wake(["cq"]) == 0
    assert not grew()
    head = lab.head()
    lab.queues.delete(head.key)
    assert grew()
    lab.queues.delete(head.key)
    assert not grew()
    lab.queues.requeue(head, RequeueReason.PREEMPTION_FAILED)
    assert grew()
    lab.set_local_queue("ns/lq", "cq", stop=True)
    assert grew()
    lab.set_local_queue("ns/lq", "cq", first)
    assert grew()


def test_a_queue_that_gives_no_heads_still_counts_as_woken() -> None:
    """What comes back to it from elsewhere competes at once, as it would have before."""
    lab = Lab()
    lab.queues.set_cluster_queue(replace(lab.spec, metadata=ObjectMeta("other")))
    lab.set_local_queue("ns/elsewhere", "other")
    lab.queues.add_or_update(lab.state("a", queue="elsewhere"))
    (head,) = lab.queues.heads({"cq"})
    lab.set_local_queue("ns/elsewhere", "cq")
    assert lab.queues.requeue(head.workload, RequeueReason.GENERIC)
    assert lab.active == ["a"]


def test_an_eviction_by_a_check_moves_a_queued_workload_back() -> None:
    lab = Lab()
    first = lab.push("a")
    lab.now += 10
    lab.push("b")
    lab.now += 10
    first.set_condition("Evicted", "True", "AdmissionCheck", "", lab.now)
    lab.queues.add_or_update(first)
    assert lab.active == ["b", "a"]


def test_popping_remembers_the_generation() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.edit(state, priority=3)
    assert state.last_evaluated_generation == 0
    assert lab.head().last_evaluated_generation == 2
    lab.queues.requeue(state, RequeueReason.NO_FIT)
    lab.queues.add_or_update(state)
    assert state.last_evaluated_generation == 0


@pytest.mark.parametrize("reason", list(RequeueReason))
def test_what_each_reason_does(reason: RequeueReason) -> None:
    at_once = reason in {
        "FailedAfterNomination",
        "PendingPreemption",
        "PendingMigration",
        "PreemptionFailed",
    }
    best, strict = Lab(), Lab(strategy="StrictFIFO")
    for lab in best, strict:
        lab.push("a")
        lab.cycle(reason)
    assert best.active == (["a"] if at_once else [])
    assert strict.active == ([] if reason == "NamespaceMismatch" else ["a"])


def test_flavors_left_to_try_bring_it_back_at_once() -> None:
    lab = Lab()
    state = lab.push("a")
    for tried, active in ((0, ["a"]), (-1, [])):
        assert lab.head() is state
        state.last_assignment = LastAssignment(({"cpu": tried},), 1, 1, state.scheduling_hash)
        lab.queues.requeue(state, RequeueReason.NO_FIT)
        assert lab.active == active


def test_a_wake_between_pop_and_requeue_brings_it_back_at_once() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    lab.queues.wake(["cq"])
    assert lab.queues.requeue(state, RequeueReason.NO_FIT)
    assert lab.active == ["a"]
    lab.cycle(RequeueReason.NO_FIT)
    assert lab.parked == ["a"]


def test_a_head_that_was_not_given_back_is_no_longer_pending() -> None:
    lab = Lab()
    lab.push("a")
    lab.head()
    assert lab.queues.pending_count("cq") == 1
    assert lab.queues.heads() == []
    assert lab.queues.pending_count("cq") == 0


def test_the_one_in_flight_is_left_to_the_scheduler() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    assert lab.queues.place("ns/a") == "inflight"
    assert lab.queues.add_or_update(state)
    assert (lab.active, lab.parked) == ([], [])
    lab.queues.requeue(state, RequeueReason.NO_FIT)
    assert lab.queues.place("ns/a") == "inadmissible"


def test_what_was_queued_again_meanwhile_is_not_queued_twice() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    lab.queues.delete("ns/a")
    lab.queues.add_or_update(state)
    assert not lab.queues.requeue(state, RequeueReason.NO_FIT)
    assert not lab.queues.requeue(state, RequeueReason.PREEMPTION_FAILED)
    assert lab.active == ["a"]


def test_what_was_parked_again_meanwhile_is_taken_out_by_an_immediate_requeue() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    lab.queues.delete("ns/a")
    state.requeue_state = RequeueState(1, lab.now + 5)
    lab.queues.add_or_update(state)
    assert lab.parked == ["a"]
    assert not lab.queues.requeue(state, RequeueReason.PREEMPTION_FAILED)
    lab.now += 5
    assert lab.queues.requeue(state, RequeueReason.PREEMPTION_FAILED)
    assert (lab.active, lab.parked) == (["a"], [])


def test_only_admissible_workloads_are_requeued() -> None:
    lab = Lab()
    state = lab.push("a")
    lab.head()
    state.active = False
    assert not lab.queues.requeue(state, RequeueReason.PREEMPTION_FAILED)
    assert not lab.queues.add_or_update(state)
    assert (lab.active, lab.parked) == ([], [])


def test_a_preemptor_keeps_the_head_of_a_best_effort_queue() -> None:
    lab = Lab()
    lab.push("a", priority=1)
    preemptor = lab.cycle(RequeueReason.PENDING_PREEMPTION)
    lab.push("b", priority=9)
    assert lab.active == ["a", "b"]
    (head,) = lab.queues.heads()
    assert head.workload is preemptor
    assert head.is_preemptor


def test_a_preemptor_of_a_strict_queue_does_not() -> None:
    lab = Lab(strategy="StrictFIFO")
    state = lab.push("a", priority=1)
    lab.cycle(RequeueReason.PENDING_MIGRATION)
    lab.push("b", priority=9)
    assert lab.active == ["b", "a"]
    lab.queues.delete("ns/b")
    (head,) = lab.queues.heads()
    assert head.workload is state
    assert head.is_preemptor


def test_a_preemptor_that_changed_is_none_any_more_but_goes_first() -> None:
    lab = Lab()
    lab.push("b", priority=1)
    state = lab.cycle(RequeueReason.PENDING_PREEMPTION)
    lab.edit(state, priority=0)
    lab.push("a", priority=1)
    (head,) = lab.queues.heads()
    assert head.workload is state
    assert not head.is_preemptor


def test_a_preemptor_that_changed_while_it_was_in_flight_is_none_any_more() -> None:
    lab = Lab()
    lab.push("a")
    state = lab.head()
    lab.edit(state, priority=1)
    lab.queues.requeue(state, RequeueReason.PENDING_PREEMPTION)
    (head,) = lab.queues.heads()
    assert head.workload is state
    assert not head.is_preemptor


def test_a_deleted_preemptor_is_none_any_more() -> None:
    lab = Lab()
    lab.push("a")
    state = lab.cycle(RequeueReason.PENDING_PREEMPTION)
    lab.queues.delete("ns/a")
    lab.push("b", priority=1)
    lab.queues.add_or_update(state)
    assert lab.active == ["b", "a"]


def test_a_parked_preemptor_waits_like_others_and_then_goes_first() -> None:
    lab = Lab()
    lab.push("a")
    lab.cycle(RequeueReason.PENDING_PREEMPTION)
    lab.cycle(RequeueReason.NO_FIT)
    lab.push("b", priority=1)
    assert (lab.active, lab.parked) == (["b"], ["a"])
    lab.queues.wake(["cq"])
    assert lab.active == ["a", "b"]
