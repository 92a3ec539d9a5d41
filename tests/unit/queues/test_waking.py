"""Which queues wake together, and what is recorded of it."""

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
from kueuelab.queues.reasons import PENDING_EVALUATION
from kueuelab.trace.changes import GroupChange, parts_of
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import CycleEnded, CycleStarted, Requeued, Woken
from kueuelab.workload import WorkloadState


class Forest:
    """ClusterQueues that each have one inadmissible workload, named like the queue."""

    def __init__(self, cohorts: dict[str, str], recorder: Recorder | None = None) -> None:
        self.queues = QueueManager(Configuration(), lambda: 0, lambda name: {}, recorder)
        for name, cohort in cohorts.items():
            self.set(name, cohort)
            self.queues.set_local_queue(LocalQueue(ObjectMeta(name, "ns"), name))
            obj = Workload(ObjectMeta(name, "ns", uid=name), queue_name=name)
            self.queues.add_or_update(WorkloadState(obj, Resources()))
        self.park()

    def set(self, name: str, cohort: str) -> None:
        spec = ClusterQueue(
            ObjectMeta(name), cohort_name=cohort, namespace_selector=LabelSelector()
        )
        self.queues.set_cluster_queue(spec)

    def park(self) -> None:
        for head in self.queues.heads():
            self.queues.requeue(head.workload, RequeueReason.NO_FIT)

    def awake(self) -> str:
        """Return who is awake, and park them again."""
        names = "".join(n for n in "abcdef" if self.queues.pending_active(n))
        self.park()
        return names


def test_a_whole_tree_wakes_and_no_other() -> None:
    forest = Forest({"a": "left", "b": "right", "c": "top", "d": "elsewhere", "e": "", "f": ""})
    forest.queues.set_cohort("left", "top")
    forest.queues.set_cohort("right", "top")
    forest.awake()
    assert forest.queues.wake(["a"]) == 3
    assert forest.awake() == "abc"
    assert forest.queues.wake(["e"]) == 1
    assert forest.awake() == "e"
    assert forest.queues.wake(["d", "c", "b"]) == 4
    assert forest.awake() == "abcd"
    assert forest.queues.wake_for("ns/b") == 3


def test_a_change_of_the_spec_wakes_and_one_of_the_metadata_does_not() -> None:
    forest = Forest({"a": ""})
    spec = ClusterQueue(ObjectMeta("a"), namespace_selector=LabelSelector())
    forest.queues.set_cluster_queue(replace(spec, metadata=ObjectMeta("a", labels={"x": "y"})))
    assert forest.awake() == ""
    forest.queues.set_cluster_queue(replace(spec, queueing_strategy="StrictFIFO"))
    assert forest.awake() == "a"


def test_waking_twice_finds_nothing_more() -> None:
    forest = Forest({"a": "left"})
    assert forest.queues.wake(["a"]) == 1
    assert forest.queues.wake(["a"]) == 0


def test_a_cohort_that_moves_wakes_its_new_tree() -> None:
    forest = Forest({"a": "left", "b": "right", "c": "top"})
    forest.queues.set_cohort("left", "top")
    assert forest.awake() == "ac"
    forest.queues.set_cohort("left", "right")
    assert forest.awake() == "ab"
    forest.queues.remove_cohort("left")
    assert forest.awake() == ""
    forest.queues.wake(["a"])
    assert forest.awake() == "a"


def test_a_cluster_queue_that_moves_wakes_its_new_tree() -> None:
    forest = Forest({"a": "left", "b": "right"})
    forest.set("a", "right")
    assert forest.awake() == "ab"
    forest.set("a", "right")
    assert forest.awake() == "", "nothing changed"
    forest.set("a", "")
    assert forest.awake() == "a"


def test_a_wake_without_a_reason_is_recorded_without_one() -> None:
    recorder = Recorder()
    forest = Forest({"a": "", "b": ""}, recorder)
    forest.queues.wake(["a"])
    forest.queues.wake_for("ns/b")
    woken = [step.facts for step in recorder.steps if isinstance(step.facts, Woken)]
    assert woken == [Woken(("ns/a",), ""), Woken(("ns/b",), "")]


def test_removed_cohorts_are_roots() -> None:
    forest = Forest({"a": "left", "b": "right", "c": "top"})
    for cohort in ("left", "right"):
        forest.queues.set_cohort(cohort, "top")
    forest.awake()
    for cohort in ("left", "right"):
        forest.queues.remove_cohort(cohort)
    assert forest.queues.wake(["a"]) == 1
    assert forest.awake() == "a"


def test_a_requeueing_without_a_reason_has_a_default() -> None:
    forest = Forest({"a": ""})
    assert forest.queues.no_fit_reason("ns/a") == PENDING_EVALUATION


def test_cohorts_that_form_a_cycle_are_ignored() -> None:
    forest = Forest({"a": "left", "b": "right", "c": "below"})
    forest.queues.set_cohort("left", "right")
    forest.queues.set_cohort("below", "left")
    forest.awake()
    forest.queues.set_cohort("right", "left")
    assert forest.awake() == ""
    assert forest.queues.wake(["a", "b", "c"]) == 0
    forest.queues.set_cohort("right", "")
    assert forest.awake() == "abc"


def test_a_wake_counts_for_what_is_in_flight_even_if_the_tree_changes_after_it() -> None:
    forest = Forest({"a": "left", "b": "right"})
    forest.queues.wake(["a", "b"])
    heads = forest.queues.heads()
    forest.queues.wake(["a"])
    forest.queues.set_cohort("right", "top")
    forest.queues.remove_cohort("right")
    for head in heads:
        forest.queues.requeue(head.workload, RequeueReason.NO_FIT)
    assert forest.awake() == "ab"


def test_what_moves_is_recorded() -> None:
    recorder = Recorder()
    forest = Forest({"a": "left", "b": "left"}, recorder)
    recorder.record(CycleEnded(0, 0))
    before = len(recorder.steps)
    forest.queues.wake(["a"], why="default/x finished")
    (head, _) = forest.queues.heads()
    recorder.record(CycleStarted(("ns/a", "ns/b")))
    forest.queues.requeue(head.workload, RequeueReason.PENDING_PREEMPTION)
    woken_a, woken_b, _, requeued = recorder.steps[before:]
    assert woken_a.facts == Woken(("ns/a",), "default/x finished")
    assert (woken_a.cluster_queue, woken_b.cluster_queue) == ("a", "b")
    path = ("workloads", "ns/a", "queue")
    changes = [
        (change.before, change.after)
        for step in recorder.steps[before:]
        for change in step.changes
        if change.path == path
    ]
    assert changes == [("inadmissible", "active"), ("active", "inflight"), ("inflight", "active")]
    assert requeued.facts == Requeued("PendingPreemption", active=True)
    assert (requeued.workload, requeued.cluster_queue) == ("ns/a", "a")


def test_what_moves_together_is_recorded_in_the_order_of_the_queue() -> None:
    recorder = Recorder()
    forest = Forest({"a": ""}, recorder)
    forest.queues.wake(["a"])
    for name in "zyxwv":
        obj = Workload(ObjectMeta(name, "ns", uid=name), queue_name="a")
        forest.queues.add_or_update(WorkloadState(obj, Resources()))
    (head,) = forest.queues.heads()
    recorder.record(CycleEnded(0, 0))
    forest.queues.requeue(head.workload, RequeueReason.NO_FIT)
    moved = [
        change.path[1]
        for change in recorder.steps[-1].changes
        if change.path[2] == "queue" and change.before == "active"
    ]
    assert moved == [f"ns/{name}" for name in "vwxyz"]
    forest.queues.wake(["a"])
    assert recorder.steps[-1].facts == Woken(tuple(f"ns/{name}" for name in "avwxyz"), "")
    # They wait and wake together again: one change of a group each time.
    assert len(recorder.steps[-1].changes) == 1 + 6
    assert [len(part) for part in _groups(recorder)] == [6]
    (head,) = forest.queues.heads()
    forest.queues.requeue(head.workload, RequeueReason.NO_FIT)
    assert [part.names for part in _groups(recorder)] == [tuple(f"ns/{name}" for name in "vwxyz")]


def _groups(recorder: Recorder) -> list[GroupChange]:
    parts = parts_of(recorder.steps[-1].changes)
    return [part for part in parts if isinstance(part, GroupChange)]


def test_what_wakes_after_its_back_off_is_recorded_with_the_others() -> None:
    recorder = Recorder()
    lab = Lab(recorder=recorder)
    waiting = lab.state("b")
    waiting.requeue_state = RequeueState(1, lab.now + 5)
    lab.queues.add_or_update(waiting)
    lab.push("a")
    lab.cycle(RequeueReason.GENERIC)
    lab.now += 5
    assert lab.queues.wake(["cq"], "cluster changed") == 2
    assert recorder.steps[-1].facts == Woken(("ns/a", "ns/b"), "cluster changed")


@pytest.mark.parametrize(
    ("parked", "backing_off", "woken"),
    [
        # By priority; workloads with equal numbers of pods are of one shape.
        ({"a1": 9, "b2": 5, "c1": 3, "d2": 1}, {}, "a1 b2 c1 d2"),
        ({"a2": 3, "b1": 9, "c1": 8}, {}, "b1 c1 a2"),
        ({"a1": 3}, {"y": 1, "z": 2}, "a1 z y"),
        ({"a1": 9, "b1": 4, "c2": 6}, {"y": 5, "z": 7}, "a1 z c2 y b1"),
    ],
)
def test_shapes_that_wake_together_are_recorded_in_the_order_of_the_queue(
    parked: dict[str, int], backing_off: dict[str, int], woken: str
) -> None:
    recorder = Recorder()
    lab = Lab(recorder=recorder)
    for name, priority in parked.items():
        lab.push(name, priority=priority, pods=int(name[1:]))
    while lab.active:
        lab.cycle(RequeueReason.NO_FIT)
    for name, priority in backing_off.items():
        state = lab.state(name, priority=priority)
        state.requeue_state = RequeueState(1, lab.now + 5)
        lab.queues.add_or_update(state)
    lab.now += 5
    lab.queues.wake(["cq"])
    assert recorder.steps[-1].facts == Woken(tuple(f"ns/{name}" for name in woken.split()), "")
    assert lab.active == woken.split()


def test_a_bulk_move_is_recorded_with_the_requeueing() -> None:
    recorder = Recorder()
    forest = Forest({"a": ""}, recorder)
    forest.queues.wake(["a"])
    for name in "x", "y":
        obj = Workload(ObjectMeta(name, "ns", uid=name), queue_name="a")
        forest.queues.add_or_update(WorkloadState(obj, Resources()))
    (head,) = forest.queues.heads()
    recorder.record(CycleEnded(0, 0))
    forest.queues.requeue(head.workload, RequeueReason.NO_FIT)
    step = recorder.steps[-1]
    assert step.facts == Requeued("NoFit", active=False)
    assert {change.path[0] for change in step.changes} == {"workloads", "clusterQueues"}
    assert [(*change.path[1:], change.before, change.after) for change in step.changes] == [
        ("a", "noFit", "a/0", None, "ns/a"),
        ("ns/x", "queue", "active", "inadmissible"),
        ("ns/x", "shape", None, "a/0"),
        ("ns/y", "queue", "active", "inadmissible"),
        ("ns/y", "shape", None, "a/0"),
        ("ns/a", "queue", "inflight", "inadmissible"),
    ]
    late = Workload(ObjectMeta("z", "ns", uid="z"), queue_name="a")
    forest.queues.add_or_update(WorkloadState(late, Resources()))
    forest.queues.delete("ns/y")
    forest.queues.wake(["a"])
    changes = [
        (*change.path[1:], change.before, change.after) for change in recorder.steps[-1].changes
    ]
    assert changes == [
        ("ns/z", "shape", None, "a/0"),
        ("ns/z", "queue", None, "active"),
        ("ns/y", "queue", "inadmissible", None),
        ("a", "noFit", "a/0", "ns/a", None),
        ("ns/a", "queue", "inadmissible", "active"),
        ("ns/x", "queue", "inadmissible", "active"),
    ]
