"""What facts tell of a Workload from one write to the next."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    Condition,
    ObjectMeta,
    OwnerReference,
    PodSetAssignment,
    ReclaimablePod,
    RequeueState,
    Resources,
    Workload,
)
from kueuelab.multikueue.jobs import Job
from kueuelab.multikueue.seen_workload import SeenWorkload
from kueuelab.workload import WorkloadState

_ORIGIN = "kueue.x-k8s.io/multikueue-origin"
_PLAIN = Workload(ObjectMeta("a", "team"))


class Seen:
    """A Workload on a cluster, and the facts about each write to it."""

    def __init__(self, obj: Workload = _PLAIN) -> None:
        self.state = WorkloadState(obj, Resources())
        self.deleting: dict[str, None] = {}
        self._member: Any = SimpleNamespace(deleting=self.deleting)
        self._seen = SeenWorkload("a", lambda names: " ".join(sorted(names)))

    def facts(self) -> list[str]:
        found: list[str] = []
        self._seen.follow(self._member, self.state, found)
        return found


def _admission(flavor: str) -> Admission:
    return Admission("cq", (PodSetAssignment("main", {"cpu": flavor}, {"cpu": 1000}, 1),))


def test_of_a_new_one_what_is_not_the_default_is_told() -> None:
    assert Seen().facts() == []
    meta = ObjectMeta(
        "a",
        "team",
        labels={_ORIGIN: "manager"},
        owner_references=(OwnerReference("batch/v1", "Job", "train", "uid"),),
    )
    told = Seen(Workload(meta, priority=3, preemption_gates=("a/b", "c/d"), active=False)).facts()
    assert told == [
        "active=false",
        "priority=3",
        "owner=Job/train",
        "origin=manager",
        "spec.preemptionGates=[a/b, c/d]",
    ]


def test_of_a_spec_that_was_replaced_what_differs_is_told() -> None:
    owned = ObjectMeta(
        "a",
        "team",
        labels={_ORIGIN: "manager"},
        owner_references=(OwnerReference("batch/v1", "Job", "train", "uid"),),
    )
    seen = Seen(Workload(owned, priority=3, preemption_gates=("a/b",)))
    seen.facts()
    seen.state.set_obj(replace(seen.state.obj, queue_name="other"))
    assert seen.facts() == []
    seen.state.set_obj(replace(seen.state.obj, priority=0, preemption_gates=("a/b", "c/d")))
    assert seen.facts() == ["priority=0", "spec.preemptionGates=[a/b, c/d]"]
    seen.state.set_obj(replace(seen.state.obj, metadata=ObjectMeta("a", "team")))
    assert seen.facts() == []  # that an owner is gone is no fact


def test_conditions_are_told_unless_only_their_time_changed() -> None:
    seen = Seen()
    state = seen.state
    state.set_conditions({"Evicted": Condition("Evicted", "True", "Preempted", "By b", 5)})
    assert seen.facts() == ["condition Evicted=True reason=Preempted message=By b"]
    state.set_conditions({"Evicted": Condition("Evicted", "True", "Preempted", "By b", 6)})
    assert seen.facts() == []
    state.set_conditions({"Requeued": Condition("Requeued", "False", "Preempted", "By b", 6)})
    assert seen.facts() == [
        "condition Requeued=False reason=Preempted message=By b",
        "condition Evicted removed",
    ]
    assert seen.facts() == []


def test_an_admission_is_told_and_that_it_is_cleared() -> None:
    seen = Seen()
    seen.state.admission = _admission("default")
    assert seen.facts() == ["admission clusterQueue=cq main:{cpu:default}x1"]
    seen.state.admission = _admission("default")
    assert seen.facts() == []
    seen.state.admission = _admission("spot")
    assert seen.facts() == ["admission clusterQueue=cq main:{cpu:spot}x1"]
    seen.state.admission = None
    assert seen.facts() == ["admission cleared"]


def test_what_is_removed_comes_after_what_is_new() -> None:
    seen = Seen()
    seen.state.preemption_gates = {"a/b": "Closed"}
    seen.state.admission = _admission("default")
    seen.facts()
    seen.state.preemption_gates = {"c/d": "Open"}
    seen.state.admission = None
    seen.state.cluster_name = "w1"
    assert seen.facts() == [
        "preemptionGate c/d=Open",
        "clusterName=w1",
        "preemptionGate a/b removed",
        "admission cleared",
    ]
    seen.state.preemption_gates = {"c/d": "Closed"}
    seen.state.cluster_name = None
    assert seen.facts() == ["preemptionGate c/d=Closed", "clusterName="]


def test_checks_are_told_unless_only_their_time_changed() -> None:
    seen = Seen()
    check = AdmissionCheckState("mk", "Pending", "wait", 1)
    seen.state.admission_checks = {"mk": check}
    assert seen.facts() == ["admissionCheckState mk=Pending message=wait"]
    seen.state.admission_checks = {"mk": replace(check, last_transition_time=2)}
    assert seen.facts() == []
    retried = replace(check, state="Retry", retry_count=2, requeue_after_seconds=0)
    seen.state.admission_checks = {"mk": retried}
    assert seen.facts() == [
        "admissionCheckState mk=Retry retryCount=2 requeueAfterSeconds=0 message=wait"
    ]
    seen.state.admission_checks = {}
    assert seen.facts() == []


def test_nominations_are_told_unless_they_read_the_same() -> None:
    seen = Seen()
    seen.state.nominated_cluster_names = ("w2", "w1")
    assert seen.facts() == ["nominatedClusterNames=w1 w2"]
    seen.state.nominated_cluster_names = ("w1", "w2")
    assert seen.facts() == []
    seen.state.nominated_cluster_names = ()
    assert seen.facts() == ["nominatedClusterNames="]


def test_requeues_and_pods_that_are_done_are_told() -> None:
    seen = Seen()
    seen.state.requeue_state = RequeueState(2)
    seen.state.reclaimable_pods = (ReclaimablePod("main", 1), ReclaimablePod("b", 2))
    assert seen.facts() == ["requeueState count=2", "reclaimablePods=main:1,b:2"]
    seen.state.requeue_state = RequeueState(2, 9)
    seen.state.reclaimable_pods = (ReclaimablePod("main", 1), ReclaimablePod("b", 2))
    assert seen.facts() == []
    seen.state.requeue_state = None
    seen.state.reclaimable_pods = ()
    assert seen.facts() == ["reclaimablePods="]


def test_that_it_is_being_deleted_is_told_once() -> None:
    seen = Seen()
    seen.facts()
    seen.deleting["team/a"] = None
    assert seen.facts() == ["deleting"]
    assert seen.facts() == []
    del seen.deleting["team/a"]
    assert seen.facts() == []


@pytest.mark.parametrize(
    ("spec", "parallelism", "completions"),
    [
        ({}, 1, 1),
        ({"parallelism": None, "completions": None}, 1, 1),
        ({"parallelism": 3}, 3, 3),
        ({"parallelism": 0, "completions": 2}, 0, 2),
        ({"completions": 4}, 1, 4),
    ],
)
def test_a_field_of_a_job_that_is_null_is_not_set(
    spec: dict[str, Any], parallelism: int, completions: int
) -> None:
    job = Job({"kind": "Job", "metadata": {"name": "a"}, "spec": spec}, "team", "uid", 0)
    assert (job.parallelism, job.completions) == (parallelism, completions)
