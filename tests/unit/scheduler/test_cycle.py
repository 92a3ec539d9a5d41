"""A scheduling cycle: its six steps, and what each does to those that follow."""

from __future__ import annotations

import pytest
from scheduler_lab import (
    CPU,
    FakeCluster,
    configuration,
    holder,
    queue,
    run,
    targets_of,
    tree,
    workload,
)

from kueuelab.model import ObjectMeta, ResourceFlavor
from kueuelab.queues import Head
from kueuelab.scheduler import Inadmissible, Scheduler
from kueuelab.trace.recorder import Recorder

FLAVORS = {"default": ResourceFlavor(ObjectMeta("default"))}


def test_the_six_steps_come_in_kueues_order() -> None:
    """All heads are nominated before one is processed; requeueing comes last."""
    made = tree(queue("a", cpu=1), queue("b", cpu=1, within="LowerPriority"), queue("c", cpu=1))
    holder(made, "low", "b", 1)
    cluster = FakeCluster(
        Head(workload("fits", created=3), "a"),
        Head(workload("high", priority=1, created=2), "b"),
        Head(workload("too-big", 2, created=1), "c"),
        Head(workload("wrong"), "c"),
    )
    cluster.obstacles["wrong"] = Inadmissible("no")
    cycle = Scheduler(configuration(), made, FLAVORS, cluster).next_cycle()
    assert list(cycle.run()) == []
    assert cluster.calls == [
        "heads",
        "nominate fits",
        "nominate high",
        "nominate too-big",
        "nominate wrong",
        "preempt low for high",
        "admit fits",
        "requeue high",
        "requeue too-big",
        "requeue wrong",
    ]
    assert cycle.heads == ("ns/fits", "ns/high", "ns/too-big", "ns/wrong")
    assert [entry.workload.obj.name for entry in cycle.inadmissible] == ["wrong"]
    assert made.cluster_queues["a"].usage.get(CPU, 0) == 0
    assert made.cluster_queues["b"].usage[CPU] == 1000


def test_nothing_is_done_before_the_cycle_runs() -> None:
    cluster = FakeCluster(Head(workload("w"), "a"))
    cycle = Scheduler(configuration(), tree(queue("a")), FLAVORS, cluster).next_cycle()
    assert (cluster.calls, cycle.number, cycle.heads) == ([], 0, ())


def test_a_cycle_without_heads_is_not_counted() -> None:
    recorder = Recorder()
    cluster = FakeCluster()
    scheduler = Scheduler(configuration(), tree(queue("a")), FLAVORS, cluster, recorder)
    empty = scheduler.next_cycle()
    assert list(empty.run()) == []
    assert (empty.number, cluster.calls, recorder.steps) == (0, ["heads"], [])
    cluster.to_pop = [Head(workload("w"), "a")]
    for number in (1, 2):
        cycle = scheduler.next_cycle()
        list(cycle.run())
        assert cycle.number == recorder.cycle == number


def test_an_admission_that_waits_for_pods_holds_up_what_comes_after_it() -> None:
    cluster = FakeCluster(Head(workload("w1"), "a"), Head(workload("w2", 9), "b"))
    cluster.not_ready = 2
    made = tree(queue("a"), queue("b"))
    cycle = Scheduler(configuration(), made, FLAVORS, cluster).next_cycle()
    running = cycle.run()
    assert next(running).workload.obj.name == "w1"
    # Decisions are made and undone by now: only their effects wait.
    assert (made.mark(), len(cycle.processed)) == (0, 2)
    assert next(running).workload.obj.name == "w1"
    assert cluster.calls[3:] == ["wait w1", "wait w1"]
    assert next(running, None) is None
    assert cluster.calls[5:] == ["admit w1", "requeue w2"]


def test_a_workload_that_holds_quota_already_is_not_nominated() -> None:
    made = tree(queue("a"))
    state = holder(made, "w", "a")
    assert run(made, Head(state, "a")) == {}


def test_what_one_entry_reserves_the_next_can_not_use() -> None:
    made = tree(queue("a", "team"), queue("b", "team"))
    first = Head(workload("first", 5, created=1), "a")
    second = Head(workload("second", 5, created=2), "b")
    found = run(made, second, first)
    assert (found["first"].status, found["second"].status) == ("assumed", "skipped")
    assert found["second"].message == "Workload no longer fits after processing another workload"
    assert found["second"].quota_reserved_reason == "WaitingForQuota"
    assert found["second"].requeue_reason == "FailedAfterNomination"
    assert (found["first"].reserved, found["second"].reserved) == ({CPU: 5000}, {})


def test_preempted_workloads_count_as_gone_in_their_own_tree() -> None:
    """A preemptor keeps what it needs of the released quota; the rest may be used at once."""
    made = tree(
        queue("a", "team", cpu=2, reclaim="Any"),
        queue("b", "team", cpu=0),
        queue("c", "other"),
    )
    holder(made, "big", "b", 2)
    one = Head(workload("one", 1, created=1), "a")
    two = Head(workload("two", 1, created=2), "b")
    three = Head(workload("three", 4, created=3), "c")
    found = run(made, one, two, three)
    assert targets_of(found["one"]) == ["big"]
    assert found["one"].preempting
    assert found["one"].message.endswith(". Pending the preemption of 1 workload(s)")
    assert found["one"].quota_reserved_reason == "WaitingForPreemptedWorkloads"
    assert found["one"].requeue_reason == "PendingPreemption"
    assert found["three"].status == "assumed"


@pytest.mark.parametrize(("gate", "status"), [(True, "preemptionGated"), (False, "")])
def test_a_closed_preemption_gate_counts_only_with_its_feature_gate(
    gate: bool, status: str
) -> None:
    for name in ("ConcurrentAdmission", "MultiKueueOrchestratedPreemption"):
        made = tree(queue("a", cpu=1, within="LowerPriority"))
        holder(made, "low", "a")
        head = workload("high", priority=1)
        head.obj = head.obj.__class__(
            head.obj.metadata, head.obj.pod_sets, "lq", 1, preemption_gates=("g",)
        )
        entry = run(made, Head(head, "a"), settings=configuration(**{name: gate}))["high"]
        assert (entry.status, entry.preempting) == (status, not gate)
        if gate:
            assert entry.message == "Workload requires preemption, but it's gated"
            assert entry.requeue_reason == "PreemptionGated"
            assert entry.quota_reserved_reason == "AdmissionGated"
            assert head.last_assignment is None
