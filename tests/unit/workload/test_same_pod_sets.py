"""Workloads with the very same pod sets have what follows from these derived once."""

from __future__ import annotations

import copy
import pickle

import pytest

from kueuelab.model import (
    Container,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ReclaimablePod,
    ResourceRequirements,
    Resources,
    Workload,
    WorkloadStatus,
)
from kueuelab.quantity import Quantity
from kueuelab.simulation import Cluster
from kueuelab.workload import PodSetRequests, SamePodSets, WorkloadState
from kueuelab.workload.shape import scheduling_hash


def pod_sets(cpu: str = "1") -> tuple[PodSet, ...]:
    requests = ResourceRequirements(requests={"cpu": Quantity.parse(cpu)})
    return (PodSet(count=2, template=PodTemplate(spec=PodSpec((Container("c", requests),)))),)


def made(name: str, found: tuple[PodSet, ...], priority: int = 0) -> Workload:
    return Workload(ObjectMeta(name, "default"), found, "lq", priority)


def test_a_cluster_looks_through_the_same_pod_sets_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def count(
        obj: Workload,
        requests: tuple[PodSetRequests, ...],
        priority: int,
        allowed_flavors: str | None,
    ) -> str:
        looked.append(obj.metadata.name)
        return scheduling_hash(obj, requests, priority, allowed_flavors)

    monkeypatch.setattr("kueuelab.workload.state.scheduling_hash", count)
    cluster, shared = Cluster(), pod_sets()
    for name in "abc":
        cluster.create_workload(made(name, shared))
    cluster.create_workload(made("other", pod_sets()))
    cluster.create_workload(made("urgent", shared, priority=1))
    cluster.create_workload(made("d", shared))
    assert looked == ["a", "other", "urgent"]
    hashes = {key: each.scheduling_hash for key, each in cluster.workloads.items()}
    assert hashes["default/a"] == hashes["default/c"] == hashes["default/other"]
    assert hashes["default/urgent"] != hashes["default/a"]


def test_pods_that_are_done_are_counted_for_each_workload() -> None:
    shared = pod_sets()
    first = WorkloadState(made("a", shared), Resources())
    status = WorkloadStatus(reclaimable_pods=(ReclaimablePod("main", 1),))
    obj = Workload(ObjectMeta("b", "default"), shared, "lq", status=status)
    known = SamePodSets()
    known.note(first)
    second = WorkloadState(obj, Resources(), like=known.latest(obj))
    alone = WorkloadState(obj, Resources())
    assert (second.requests, second.scheduling_hash) == (alone.requests, alone.scheduling_hash)
    assert second.requests[0].count == 1


def test_pod_sets_are_forgotten_when_there_are_very_many() -> None:
    known, shared = SamePodSets(), pod_sets()
    known.note(WorkloadState(made("a", shared), Resources()))
    kept = [WorkloadState(made(f"w{number}", pod_sets()), Resources()) for number in range(1024)]
    for each in kept:
        known.note(each)
    assert known.latest(made("b", shared)) is None
    assert known.latest(kept[-1].obj) is kept[-1]


def test_a_copy_of_a_cluster_knows_nothing_of_pod_sets() -> None:
    known, first = SamePodSets(), made("a", pod_sets())
    known.note(WorkloadState(first, Resources()))
    assert pickle.loads(pickle.dumps(known)).latest(first) is None
    assert copy.deepcopy(known).latest(first) is None
