"""Nomination: which heads are rejected, and what the others get."""

from __future__ import annotations

from typing import Any

import pytest
from scheduler_lab import (
    CPU,
    FakeCluster,
    configuration,
    holder,
    pod_set,
    queue,
    run,
    targets_of,
    tree,
    workload,
)

from kueuelab.model import (
    AdmissionCheckState,
    FlavorFungibility,
    ObjectMeta,
    ResourceFlavor,
)
from kueuelab.queues import Head, RequeueReason
from kueuelab.quota import QuotaTree
from kueuelab.scheduler import Entry, Inadmissible, Mode, Scheduler
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import LastAssignment

FLAVORS = {name: ResourceFlavor(ObjectMeta(name)) for name in ("f", "g", "h")}


def rejected(cluster: FakeCluster, made: QuotaTree) -> dict[str, Entry]:
    cycle = Scheduler(configuration(), made, FLAVORS, cluster).next_cycle()
    assert list(cycle.run()) == []
    assert cycle.entries == cycle.processed == []
    return {entry.workload.obj.name: entry for entry in cycle.inadmissible}


@pytest.mark.parametrize("state", ["Retry", "Rejected", "Ready", "Pending"])
def test_a_workload_with_a_failed_check_is_not_nominated(state: Any) -> None:
    head = workload("w")
    head.admission_checks = {
        "ok": AdmissionCheckState("ok", "Ready"),
        "c": AdmissionCheckState("c", state),
    }
    entry = run(tree(queue("a")), Head(head, "a"))["w"]
    if state in ("Ready", "Pending"):
        assert entry.status == "assumed"
        return
    assert (entry.message, entry.quota_reserved_reason, entry.requeue_reason) == (
        "The workload has failed admission checks",
        "PendingEvaluation",
        RequeueReason.GENERIC,
    )


def test_a_cluster_queue_must_be_there_and_active() -> None:
    cluster = FakeCluster(
        Head(workload("one"), "gone"), Head(workload("two"), "off"), Head(workload("three"), "on")
    )
    cluster.inactive = {"off"}
    cluster.obstacles["three"] = Inadmissible(
        "no such namespace", "Misconfigured", RequeueReason.NAMESPACE_MISMATCH, silent=True
    )
    found = rejected(cluster, tree(queue("off"), queue("on")))
    assert {
        name: (entry.message, entry.quota_reserved_reason, entry.requeue_reason)
        for name, entry in found.items()
    } == {
        "one": ("ClusterQueue gone not found", "Misconfigured", ""),
        "two": ("ClusterQueue off is inactive", "Suspended", ""),
        "three": ("no such namespace", "Misconfigured", "NamespaceMismatch"),
    }
    assert [entry.skip_status_update for entry in found.values()] == [False, False, True]
    assert cluster.calls[1:] == ["nominate three", "requeue one", "requeue two", "requeue three"]


def test_heads_after_one_that_is_rejected_or_holds_quota_are_nominated() -> None:
    made = tree(queue("a"), queue("b"), queue("c"))
    found = run(
        made,
        Head(holder(made, "holds", "a"), "a"),
        Head(workload("lost"), "gone"),
        Head(workload("w"), "c"),
    )
    assert list(found) == ["w", "lost"]
    assert found["w"].status == "assumed"
    assert repr(found["w"]) == "<Entry ns/w assumed>"
    assert repr(Entry(workload("x"), "a")) == "<Entry ns/x NoFit>"


@pytest.mark.parametrize("gate", [True, False])
def test_fewer_pods_are_tried_only_if_all_do_not_fit(gate: bool) -> None:
    made = tree(queue("a", cpu=3))
    asking = workload("w", pods=[pod_set("one", 4, 2, cpu=1), pod_set("two", 1, cpu=1)])
    entry = run(made, Head(asking, "a"), settings=configuration(PartialAdmission=gate))["w"]
    if not gate:
        assert (entry.mode, entry.requeue_reason) == (Mode.NoFit, "NoFit")
        return
    assert entry.assignment is not None
    assert [(each.name, each.count) for each in entry.assignment.pod_sets] == [
        ("one", 2),
        ("two", 1),
    ]
    assert (entry.status, entry.reserved) == ("assumed", {CPU: 3000})


def test_fewer_pods_may_preempt() -> None:
    made = tree(queue("a", cpu=2, within="LowerPriority"))
    holder(made, "low", "a", 2)
    asking = workload("w", pods=[pod_set("one", 4, 1, cpu=1)], priority=1)
    entry = run(made, Head(asking, "a"))["w"]
    assert entry.assignment is not None
    assert (entry.preempting, entry.assignment.pod_sets[0].count) == (True, 2)
    assert targets_of(entry) == ["low"]


def test_what_does_not_fit_says_why() -> None:
    made = tree(queue("a", cpu=1))
    entry = run(made, Head(workload("w", 2), "a"))["w"]
    assert (entry.status, entry.mode, entry.requeue_reason) == ("", Mode.NoFit, "NoFit")
    assert entry.message.startswith("couldn't assign flavors to pod set main: insufficient quota")
    settings = configuration(UnadmittedWorkloadsObservability=True)
    entry = run(made, Head(workload("w", 2), "a"), settings=settings)["w"]
    assert entry.quota_reserved_reason == "ExceedsMaxQuota"


# --- progress of the scan of flavors --------------------------------------------------------


def resumed_at(
    *,
    same_shape: bool = True,
    age: int = 1,
    released: bool = False,
    keep: bool = True,
    hashed: bool = True,
) -> str:
    """Return the flavor of a workload that tried the first of three flavors some cycles ago."""
    policy = FlavorFungibility("TryNextFlavor", "TryNextFlavor")
    made = tree(queue("a", flavors=("f", "g", "h"), flavor_fungibility=policy))
    head = workload("w")
    node = made.cluster_queues["a"]
    shape = head.scheduling_hash if same_shape else "other"
    if not hashed:
        shape = ""
    before = 3
    head.last_assignment = LastAssignment(({"cpu": 0},), node.generation, before, shape)
    node.generation += released
    settings = configuration(FlavorFungibilityPreserveScanProgress=keep)
    cluster = FakeCluster()
    scheduler = Scheduler(settings, made, FLAVORS, cluster)
    for _ in range(before + age - 1):
        scheduler.count_cycle()
    cluster.to_pop = [Head(head, "a")]
    cycle = scheduler.next_cycle()
    assert list(cycle.run()) == []
    (entry,) = cycle.entries
    assert entry.assignment is not None
    return entry.assignment.flavors_by_pod_set()["main"]["cpu"]


@pytest.mark.parametrize(
    ("situation", "flavor"),
    [
        ({}, "g"),
        ({"released": True}, "g"),
        ({"age": 2}, "g"),
        ({"age": 2, "released": True}, "f"),
        ({"same_shape": False}, "f"),
        ({"hashed": False}, "g"),
        ({"hashed": False, "age": 2, "released": True}, "f"),
        ({"keep": False}, "g"),
        ({"keep": False, "released": True}, "f"),
        ({"keep": False, "same_shape": False}, "g"),
    ],
)
def test_progress_of_the_scan_holds_for_a_cycle_and_until_quota_is_released(
    situation: dict[str, Any], flavor: str
) -> None:
    assert resumed_at(**situation) == flavor


@pytest.mark.parametrize("keep", [True, False])
def test_an_entry_that_is_skipped_keeps_its_progress_with_the_gate(keep: bool) -> None:
    policy = FlavorFungibility("TryNextFlavor", "TryNextFlavor")
    made = tree(
        *(queue(n, "team", flavors=("f", "g"), cpu=2, flavor_fungibility=policy) for n in "ab")
    )
    second = workload("second", 3, created=2)
    found = run(
        made,
        Head(workload("first", 4, created=1), "a"),
        Head(second, "b"),
        flavors=FLAVORS,
        settings=configuration(FlavorFungibilityPreserveScanProgress=keep),
    )
    assert found["second"].status == "skipped"
    assert (second.last_assignment is not None) is keep


# --- what is recorded ------------------------------------------------------------------------


def facts(recorder: Recorder, kind: type[steps.Facts]) -> list[tuple[str, str, steps.Facts]]:
    return [
        (each.workload, each.cluster_queue, each.facts)
        for each in recorder.steps
        if isinstance(each.facts, kind)
    ]


def test_a_cycle_is_recorded_from_its_heads_to_its_end() -> None:
    recorder = Recorder()
    made = tree(queue("a", cpu=1, within="LowerPriority"), queue("b"), recorder=recorder)
    low = holder(made, "low", "a")
    usages = (("ns/lq", 1.5), ("ns/other", 2.0))
    high = Head(workload("high", priority=3), "a", usages=usages)
    fits = Head(workload("fits"), "b")
    lost = Head(workload("lost"), "gone")
    run(made, high, fits, lost, recorder=recorder)
    assert facts(recorder, steps.CycleStarted) == [
        ("", "", steps.CycleStarted(("ns/fits", "ns/high", "ns/lost")))
    ]
    assert facts(recorder, steps.LocalQueuesCompared) == [
        ("ns/high", "a", steps.LocalQueuesCompared(usages))
    ]
    assert facts(recorder, steps.NominationStarted) == [
        ("ns/high", "a", steps.NominationStarted((("main", 1, {"cpu": 1000}),), 3)),
        ("ns/fits", "b", steps.NominationStarted((("main", 1, {"cpu": 1000}),), 0)),
    ]
    assert facts(recorder, steps.NotNominated) == [
        ("ns/lost", "gone", steps.NotNominated("Misconfigured", "ClusterQueue gone not found"))
    ]
    message = (
        "couldn't assign flavors to pod set main: "
        "insufficient unused quota for cpu in flavor default, 1 more needed"
    )
    chosen = ((low.key, "InClusterQueue"),)
    assigned = (("main", 1, {"cpu": "default"}),)
    assert facts(recorder, steps.Nominated) == [
        ("ns/high", "a", steps.Nominated(assigned, "Preempt", 0, chosen, message)),
        ("ns/fits", "b", steps.Nominated(assigned, "Fit", 0, (), "")),
    ]
    assert facts(recorder, steps.QuotaHeld) == [
        ("ns/high", "a", steps.QuotaHeld((("default", "cpu", 1000),), "preempting")),
        ("ns/fits", "b", steps.QuotaHeld((("default", "cpu", 1000),), "admitted")),
    ]
    pending = f"{message}. Pending the preemption of 1 workload(s)"
    assert facts(recorder, steps.EntryProcessed) == [
        (
            "ns/high",
            "a",
            steps.EntryProcessed("", "Preempt", pending, "PendingPreemption", chosen),
        ),
        ("ns/fits", "b", steps.EntryProcessed("assumed", "Fit", "", "", ())),
    ]
    assert facts(recorder, steps.CycleEnded) == [("", "", steps.CycleEnded(1, 1))]
    assert [each[:2] for each in facts(recorder, steps.FlavorChosen)] == [
        ("ns/high", "a"),
        ("ns/fits", "b"),
    ]
    # The flavor search has its own preemption search.
    assert [
        each[2].purpose
        for each in facts(recorder, steps.PreemptionStarted)
        if isinstance(each[2], steps.PreemptionStarted)
    ] == ["flavor", "targets"]


def test_fewer_pods_are_recorded() -> None:
    recorder = Recorder()
    asking = workload("w", pods=[pod_set("one", 4, 2, cpu=1)])
    run(tree(queue("a", cpu=3)), Head(asking, "a"), recorder=recorder)
    assert [each[2] for each in facts(recorder, steps.FewerPodsTried)] == [
        steps.FewerPodsTried((("one", 3),)),
        steps.FewerPodsTried((("one", 4),)),
    ]
    assert {each[:2] for each in facts(recorder, steps.FewerPodsTried)} == {("ns/w", "a")}


def test_without_usage_nothing_is_recorded_as_held() -> None:
    recorder = Recorder()
    asking = workload("w", pods=[pod_set("one", cpu=0)])
    run(tree(queue("a")), Head(asking, "a"), recorder=recorder)
    assert facts(recorder, steps.QuotaHeld) == []
