"""With admission fair sharing, the targets are those of the LocalQueue that has used most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kueuelab.live.recent_state import RecentState
from kueuelab.manifests import load_scenario
from kueuelab.model import (
    Admission,
    AdmissionFairSharing,
    ClusterObject,
    Condition,
    Configuration,
    PodSetAssignment,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND, format_time

NOW = 1_800_000_000 * SECOND
KUEUE = "kueue.x-k8s.io/v1beta2"
RULES = AdmissionFairSharing(600 * SECOND, usage_sampling_interval=300 * SECOND)


def workload(name: str, queue: str, priority: int = 0) -> Workload:
    container = {"name": "main", "resources": {"requests": {"cpu": "2"}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    [found] = read(
        {
            "apiVersion": KUEUE,
            "kind": "Workload",
            "metadata": {"name": name, "namespace": "team", "uid": name},
            "spec": {"queueName": queue, "priority": priority, "podSets": [pod_set]},
        }
    )
    assert isinstance(found, Workload)
    return found


def read(*objects: dict[str, Any]) -> list[ClusterObject | Workload]:
    manifests = load_scenario(list(objects)).manifests
    return [obj for objs in manifests.objects.values() for obj in objs]


def local_queue(name: str, consumed: int, updated: int = NOW) -> dict[str, Any]:
    amounts = {"consumedResources": {"cpu": str(consumed)}, "lastUpdate": format_time(updated)}
    return {
        "apiVersion": KUEUE,
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"clusterQueue": "main"},
        "status": {"fairSharing": {"admissionFairSharingStatus": amounts}},
    }


def cluster(*consumed: int) -> RecentState:
    """Return one queue of 4 cpu with two LocalQueues that have used this much."""
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 4}]}
    queue = {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": "main"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
            "preemption": {"withinClusterQueue": "LowerPriority"},
            "admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"},
        },
    }
    flavor = {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    queues = (local_queue(name, each) for name, each in zip(("x", "y"), consumed, strict=True))
    found = RecentState(Configuration(admission_fair_sharing=RULES), NOW)
    found.load(read(flavor, queue, *queues))
    return found


def reserved(obj: Workload, *, admitted: int = 0) -> Workload:
    conditions = [Condition("QuotaReserved", "True", "QuotaReserved", "", NOW)]
    if admitted:
        conditions.append(Condition("Admitted", "True", "Admitted", "", admitted))
    pods = PodSetAssignment("main", {"cpu": "default"}, {"cpu": 2000}, 1)
    return replace(obj, status=WorkloadStatus(tuple(conditions), Admission("main", (pods,))))


def evicted(obj: Workload) -> Workload:
    conditions = (
        Condition("QuotaReserved", "False", "Pending", "", NOW),
        Condition("Evicted", "True", "AdmissionCheck", "", NOW),
    )
    return replace(obj, status=WorkloadStatus(conditions))


def targets(state: RecentState) -> list[str]:
    """Return whom a workload of higher priority preempts."""
    state.put(NOW, workload("high", "x", 9))
    entry = state.cycle(("team/high",), NOW).entries["team/high"]
    return [target.workload.key for target in entry.targets]


def filled(*consumed: int) -> RecentState:
    state = cluster(*consumed)
    for name, queue in (("a", "x"), ("b", "y")):
        state.put(NOW, reserved(workload(name, queue), admitted=NOW))
    return state


def test_the_targets_are_of_the_queue_that_has_used_more() -> None:
    assert targets(filled(10, 0)) == ["team/a"]
    assert targets(filled(0, 10)) == ["team/b"]


def test_what_a_status_says_later_counts() -> None:
    state = filled(10, 0)
    [later] = read(local_queue("y", 20))
    state.put(NOW, later)
    assert targets(state) == ["team/b"]
    with state.at(0, ("team/high",)):
        pass
    assert targets(state) == ["team/b"]


def test_the_penalty_of_what_is_not_admitted_yet_counts() -> None:
    state = cluster(0, 0)
    state.put(NOW, reserved(workload("a", "x"), admitted=NOW))
    state.put(NOW, reserved(workload("b", "y")))
    assert targets(state) == ["team/b"]
    assert state.is_charged("team/b")
    assert not state.is_charged("team/a")


def test_a_penalty_is_settled_when_the_status_is_written_after_the_admission() -> None:
    state = cluster(0, 0)
    state.put(NOW, reserved(workload("a", "x"), admitted=NOW + 2 * SECOND))
    state.put(NOW, reserved(workload("b", "y"), admitted=NOW + 2 * SECOND))
    [later] = read(local_queue("y", 0, NOW + 5 * SECOND))
    state.put(NOW, later)
    assert targets(state) == ["team/a"]


def test_what_is_evicted_before_it_is_admitted_stays_charged_in_kueues_memory() -> None:
    state = cluster(0, 0)
    again = workload("again", "y")
    state.put(NOW, again)
    state.put(NOW, reserved(again))
    state.put(NOW, evicted(again))
    for name, queue in (("a", "x"), ("b", "y")):
        state.put(NOW, reserved(workload(name, queue), admitted=NOW))
    assert state.is_charged("team/again")
    assert targets(state) == ["team/b"]
    state.remove(NOW, "", "team/again")
    assert not state.is_charged("team/again")


def test_without_admission_fair_sharing_nothing_is_charged() -> None:
    state = RecentState(Configuration(), NOW)
    state.put(NOW, reserved(workload("a", "x")))
    assert not state.is_charged("team/a")
