"""Workloads that get a second pass: how long they wait, and that they are heads of one cycle."""

from __future__ import annotations

import pytest
from queue_lab import Lab

from kueuelab.model import Admission
from kueuelab.queues.second_pass import SecondPassQueue, backoff

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("iteration", "seconds"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (60, 30)]
)
def test_the_wait_doubles_up_to_half_a_minute(iteration: int, seconds: int) -> None:
    assert backoff(iteration) == seconds * SECOND


def test_a_workload_waits_once() -> None:
    lab, queue = Lab(), SecondPassQueue()
    state = lab.state("a")
    assert queue.wait(state) is True
    assert queue.wait(state) is False
    assert queue.waiting == ("ns/a",)
    assert not queue.has_heads()


def test_the_scheduler_sees_it_as_it_was_when_its_wait_began() -> None:
    lab, queue = Lab(), SecondPassQueue()
    state = lab.push("a")
    queue.wait(state)
    lab.edit(state, priority=7)
    queue.end_wait("ns/a", 3)
    (head,) = queue.heads()
    assert (head.workload.key, head.workload.priority, head.second_pass) == ("ns/a", 0, 3)
    assert head.cluster_queue == head.workload.cluster_queue
    assert queue.waiting == ()


def test_heads_are_popped_by_cluster_queue_then_by_key() -> None:
    lab, queue = Lab(), SecondPassQueue()
    for name in ("c", "a", "b"):
        state = lab.state(name)
        state.admission = Admission("first" if name == "c" else "second", ())
        state.refresh()
        queue.wait(state)
        queue.end_wait(state.key, 1)
    assert queue.has_heads()
    assert [head.workload.key for head in queue.heads()] == ["ns/c", "ns/a", "ns/b"]
    assert not queue.has_heads()
    assert queue.heads() == []


def test_the_second_pass_of_another_workload_is_not_given_up() -> None:
    lab, queue = Lab(), SecondPassQueue()
    for name in ("waiting", "due"):
        queue.wait(lab.state(name))
    queue.end_wait("ns/due", 1)
    queue.delete("ns/none")
    assert queue.waiting == ("ns/waiting",)
    assert [head.workload.key for head in queue.heads()] == ["ns/due"]


def test_a_wait_that_was_given_up_does_not_end() -> None:
    lab, queue = Lab(), SecondPassQueue()
    queue.wait(lab.state("a"))
    queue.delete("ns/a")
    queue.end_wait("ns/a", 1)
    queue.end_wait("ns/never", 1)
    assert not queue.has_heads()


def test_a_cycle_has_heads_while_a_second_pass_is_due() -> None:
    lab = Lab()
    state = lab.state("a")
    lab.queues.second_passes.wait(state)
    assert lab.queues.has_heads() is False
    lab.queues.second_passes.end_wait("ns/a", 1)
    assert lab.queues.has_heads() is True
    assert [head.workload.key for head in lab.queues.heads()] == ["ns/a"]
    assert lab.queues.has_heads() is False
