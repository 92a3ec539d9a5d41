"""What a change, or an entry of a cycle, may count for besides its own workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.live.recent_state import RecentState
from kueuelab.manifests import load_scenario
from kueuelab.model import (
    Admission,
    ClusterObject,
    Condition,
    Configuration,
    PodSetAssignment,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND
from kueuelab.simulation.objects import kind_of

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


def cluster_queue(cpu: int, **spec: Any) -> dict[str, Any]:
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": cpu}]}
    group = {"coveredResources": ["cpu"], "flavors": [quota]}
    return {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": "main"},
        "spec": {"namespaceSelector": {}, "resourceGroups": [group], **spec},
    }


FLAVOR = {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "default"}}
LOCAL_QUEUE = {
    "apiVersion": KUEUE,
    "kind": "LocalQueue",
    "metadata": {"name": "main", "namespace": "team"},
    "spec": {"clusterQueue": "main"},
}


def read(*objects: dict[str, Any]) -> list[ClusterObject | Workload]:
    manifests = load_scenario(list(objects)).manifests
    return [obj for objs in manifests.objects.values() for obj in objs]


def state(*workloads: dict[str, Any]) -> tuple[RecentState, dict[str, Workload]]:
    objects = read(FLAVOR, cluster_queue(5), LOCAL_QUEUE, *workloads)
    found = RecentState(Configuration(), NOW)
    found.load(objects)
    return found, {each.key: each for each in objects if isinstance(each, Workload)}


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


def watched() -> dict[str, list[ClusterObject | Workload | None]]:
    """Return what a watch may report of each object, ``None``: that it is deleted."""
    told = Condition("QuotaReserved", "False", "Pending", "it waits", NOW)
    done = Condition("Finished", "True", "JobFinished", "", NOW)
    statuses = (
        WorkloadStatus(),
        WorkloadStatus((told,)),
        ADMITTED,
        WorkloadStatus((*ADMITTED.conditions, done), ADMITTED.admission),
    )
    queues = (cluster_queue(5), cluster_queue(3), cluster_queue(5, cohortName="pool"))
    jobs = [workload(name, "3") for name in ("one", "two")]
    return {
        "flavor": [*read(FLAVOR), None],
        "queue": [*(each for queue in queues for each in read(queue)), None],
        "local queue": [*read(LOCAL_QUEUE), None],
        **{
            job["metadata"]["name"]: [
                *(replace(each, status=status) for each in read(job) for status in statuses),
                None,
            ]
            for job in jobs
        },
    }


WATCHED = watched()
CHANGES = [(name, index) for name, versions in WATCHED.items() for index in range(len(versions))]
JOBS = ("team/one", "team/two")


def decided(recent: RecentState, *jobs: str) -> list[tuple[str, str]]:
    """Return the status and the message that each workload has after a cycle with it alone."""
    outcomes = [(job, recent.cycle((job,), NOW).entries.get(job)) for job in jobs or JOBS]
    return [(job, f"{entry.status} {entry.message}") for job, entry in outcomes if entry]


def fresh(objects: Mapping[str, ClusterObject | Workload]) -> RecentState:
    found = RecentState(Configuration(), NOW)
    found.load(objects.values())
    return found


@given(st.lists(st.sampled_from(CHANGES), max_size=12))
def test_an_earlier_state_is_as_it_was_and_left_again_whatever_order_a_watch_reports(
    changes: list[tuple[str, int]],
) -> None:
    recent, now = RecentState(Configuration(), NOW), dict[str, ClusterObject | Workload]()
    states: list[RecentState] = []
    for name, index in changes:
        before, obj = fresh(now), WATCHED[name][index]
        if obj is not None:
            now[name] = obj
            recent.put(NOW, obj)
        elif (old := now.pop(name, None)) is not None:
            kind = "" if isinstance(old, Workload) else kind_of(old)
            recent.remove(NOW, kind, old.key if isinstance(old, Workload) else old.metadata.key)
        if recent.mark > len(states):
            states.append(before)
        expected = decided(fresh(now))
        assert decided(recent) == expected
        for mark, then in enumerate(states):
            for job in filter(recent.tree_of, JOBS):
                with recent.at(mark, (job,)):
                    assert decided(recent, job) == decided(then, job)
                assert decided(recent) == expected
