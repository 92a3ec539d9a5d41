"""What is edited while workloads are admitted counts in the next decision."""

from __future__ import annotations

from simulation_lab import Lab, flavor, local, make_lab, queue, work

from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import PriorityChanged

WITHIN = {"preemption": {"withinClusterQueue": "LowerPriority"}}


def full_lab(recorder: Recorder | None = None) -> Lab:
    """Two workloads that fill a ClusterQueue, the second with the higher priority."""
    lab = make_lab(flavor(), queue(cpu="2", **WITHIN), local(), recorder=recorder)
    lab.create(work("a", priority=1), work("b", priority=2))
    lab.cluster.settle(3)
    assert lab.admitted() == ["a", "b"]
    return lab


def test_a_workload_whose_priority_is_lowered_is_preempted_first() -> None:
    lab = full_lab()
    assert lab.cluster.set_priority("default/b", 0)
    lab.create(work("c", priority=3))
    (entry,) = lab.cluster.cycle().entries
    assert [target.workload.key for target in entry.targets] == ["default/b"]


def test_a_workload_whose_priority_is_raised_is_no_candidate() -> None:
    lab = full_lab()
    assert lab.cluster.set_priority("default/a", 5)
    lab.create(work("c", priority=2))
    (entry,) = lab.cluster.cycle().entries
    assert not entry.targets


def test_a_change_of_priority_is_a_step() -> None:
    recorder = Recorder()
    lab = full_lab(recorder)
    lab.cluster.set_priority("default/a", 5)
    (step,) = [step for step in recorder.steps if isinstance(step.facts, PriorityChanged)]
    assert (step.workload, step.facts) == ("default/a", PriorityChanged(5, before=1))
    assert not lab.cluster.set_priority("default/a", 5)


def test_a_cluster_queue_that_is_being_deleted_keeps_its_quota() -> None:
    lab = full_lab()
    lab.cluster.remove("ClusterQueue", "cq")
    lab.apply(queue(cpu="9", **WITHIN))
    node = lab.cluster.tree.cluster_queues["cq"]
    assert node.quota(("default", "cpu")).nominal == 2000
    lab.cluster.finish("default/a")
    lab.cluster.finish("default/b")
    assert "cq" not in lab.cluster.tree.cluster_queues


def test_a_stop_policy_reaches_a_cluster_queue_that_is_being_deleted() -> None:
    lab = full_lab()
    lab.cluster.remove("ClusterQueue", "cq")
    lab.apply(queue(cpu="2", stopPolicy="HoldAndDrain", **WITHIN))
    assert lab.condition("a", "Evicted") == "True ClusterQueueStopped: The ClusterQueue is stopped"
