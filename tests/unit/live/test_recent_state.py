"""What a change, or an entry of a cycle, may count for besides its own workload."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kueuelab.live.recent_state import RecentState
from kueuelab.manifests import load_scenario
from kueuelab.model import (
    Admission,
    Condition,
    Configuration,
    PodSetAssignment,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND

NOW = 1_800_000_000 * SECOND
ADMITTED = WorkloadStatus(
    (Condition("QuotaReserved", "True", "QuotaReserved", "", NOW),),
    Admission("main", (PodSetAssignment("main", {"cpu": "default"}, {"cpu": 3000}, 1),)),
)
KUEUE = "kueue.x-k8s.io/v1beta2"


def workload(name: str, cpu: str) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": KUEUE,
        "kind": "Workload",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"queueName": "main", "podSets": [pod_set]},
    }


def state(*workloads: dict[str, Any]) -> tuple[RecentState, dict[str, Workload]]:
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 5}]}
    group = {"coveredResources": ["cpu"], "flavors": [quota]}
    objects = [
        {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "default"}},
        {
            "apiVersion": KUEUE,
            "kind": "ClusterQueue",
            "metadata": {"name": "main"},
            "spec": {"namespaceSelector": {}, "resourceGroups": [group]},
        },
        {
            "apiVersion": KUEUE,
            "kind": "LocalQueue",
            "metadata": {"name": "main", "namespace": "team"},
            "spec": {"clusterQueue": "main"},
        },
        *workloads,
    ]
    manifests = load_scenario(objects).manifests
    found = RecentState(Configuration(), NOW)
    found.load([obj for objs in manifests.objects.values() for obj in objs])
    return found, {each.key: each for each in manifests.workloads}


def test_a_message_of_a_waiting_workload_moves_no_quota() -> None:
    recent, found = state(workload("waits", "9"))
    waits = found["team/waits"]
    condition = Condition("QuotaReserved", "False", "Pending", "it waits", NOW)
    recent.put(NOW, replace(waits, status=WorkloadStatus((condition,))))
    assert not recent.moved_quota


def test_an_entry_matters_to_others_if_it_takes_capacity() -> None:
    recent, _ = state(workload("fits", "2"), workload("too-large", "9"))
    assert recent.cycle(("team/fits",), NOW).matters
    assert not recent.cycle(("team/too-large",), NOW).matters


def test_only_changes_that_count_for_a_workload_are_gone_back_to() -> None:
    recent, found = state(workload("fits", "2"), workload("waits", "9"))
    waits, fits = found["team/waits"], found["team/fits"]
    told = Condition("QuotaReserved", "False", "Pending", "it waits", NOW)
    recent.put(NOW, replace(waits, status=WorkloadStatus((told,))))
    assert list(recent.marks("team/fits", 8)) == []
    assert list(recent.marks("team/waits", 8)) == [0]
    recent.put(NOW, replace(fits, status=ADMITTED))
    assert list(recent.marks("team/waits", 8)) == [1, 0]


def test_going_back_leaves_the_state_as_it_is_now() -> None:
    recent, found = state(workload("fits", "3"), workload("later", "3"))
    before = recent.mark
    recent.put(NOW, replace(found["team/fits"], status=ADMITTED))
    told = Condition("QuotaReserved", "False", "Pending", "it waits", NOW)
    recent.put(NOW, replace(found["team/later"], status=WorkloadStatus((told,))))
    now = recent.frozen(NOW, recent.mark, "queue main")
    with recent.at(before, ("team/later",)) as differs:
        assert differs
        assert recent.cycle(("team/later",), NOW).entries["team/later"].status == "assumed"
    assert recent.cycle(("team/later",), NOW).entries["team/later"].status != "assumed"
    assert recent.frozen(NOW, recent.mark, "queue main") == now
    then = recent.frozen(NOW, before, "queue main").workloads
    assert then["team/fits"].status.admission is None
    assert not then["team/later"].status.conditions
