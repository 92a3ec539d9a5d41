"""Processing entries: overlapping targets, reserved capacity, and what is left to later entries."""

from __future__ import annotations

from typing import Any

import pytest
from scheduler_lab import (
    CPU,
    borrow_within_cohort,
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
    Admission,
    FlavorFungibility,
    FlavorQuotas,
    ObjectMeta,
    PodSetAssignment,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.queues import Head
from kueuelab.quota import QuotaTree
from kueuelab.scheduler import Entry, Mode
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder

OVERLAP = "Workload has overlapping preemption targets with another workload"


def facts(recorder: Recorder, kind: type[steps.Facts]) -> list[tuple[str, str, steps.Facts]]:
    return [
        (each.workload, each.cluster_queue, each.facts)
        for each in recorder.steps
        if isinstance(each.facts, kind)
    ]


def contending(
    victim: int, *, recompute: bool = True, recorder: Recorder | None = None, **gates: Any
) -> dict[str, Entry]:
    """Run a cycle in which two entries want to reclaim the same workload of this size."""
    made = tree(
        queue("a", "team", cpu=1, reclaim="Any"),
        queue("b", "team", cpu=1, reclaim="Any"),
        queue("c", "team", cpu=0),
    )
    holder(made, "big", "c", victim)
    if victim == 1:
        holder(made, "other", "c", 1, priority=1)
    settings = configuration(RecomputeAssignmentUponPreemptionTargetsOverlap=recompute, **gates)
    one, two = workload("one", created=1), workload("two", created=2)
    return run(made, Head(one, "a"), Head(two, "b"), settings=settings, recorder=recorder)


def test_an_entry_that_fits_after_preemptions_of_this_cycle_waits_for_them() -> None:
    recorder = Recorder()
    found = contending(2, recorder=recorder)
    one, two = found["one"], found["two"]
    assert (one.preempting, targets_of(one)) == (True, ["big"])
    assert (two.preempting, two.status, two.mode, targets_of(two)) == (
        False,
        "",
        Mode.DeferredFit,
        [],
    )
    assert two.message == f"{OVERLAP}, but will fit after these preemptions complete"
    assert two.quota_reserved_reason == "WaitingForPreemptedWorkloads"
    assert two.requeue_reason == "PendingPreemption"
    assert two.workload.last_assignment is None
    assert two.reserved == {CPU: 1000}
    assert facts(recorder, steps.Recomputed) == [
        ("ns/two", "b", steps.Recomputed("DeferredFit", ()))
    ]
    assert facts(recorder, steps.QuotaHeld)[-1] == (
        "ns/two",
        "b",
        steps.QuotaHeld((("default", "cpu", 1000),), "deferred"),
    )


def test_an_entry_whose_targets_are_taken_finds_others() -> None:
    recorder = Recorder()
    found = contending(1, recorder=recorder)
    assert targets_of(found["one"]) == ["big"]
    assert (found["two"].preempting, targets_of(found["two"])) == (True, ["other"])
    assert facts(recorder, steps.Recomputed) == [
        ("ns/two", "b", steps.Recomputed("Preempt", (("ns/other", "InCohortReclamation"),)))
    ]


@pytest.mark.parametrize("victim", [1, 2])
def test_without_recomputation_an_entry_with_overlapping_targets_is_skipped(victim: int) -> None:
    found = contending(victim, recompute=False)
    two = found["two"]
    assert (two.status, two.message, two.preempting) == ("skipped", OVERLAP, False)
    assert (two.requeue_reason, two.quota_reserved_reason) == (
        "FailedAfterNomination",
        "WaitingForQuota",
    )


def test_when_flavors_are_sought_again_they_stay_the_same() -> None:
    """The last entry could have the default flavor now, but keeps what nomination gave it."""
    flavors = {name: ResourceFlavor(ObjectMeta(name)) for name in ("default", "spot")}
    spec: dict[str, Any] = {
        "flavors": tuple(flavors),
        "reclaim": "LowerPriority",
        "flavor_fungibility": FlavorFungibility("MayStopSearch", "MayStopSearch"),
    }
    made = tree(
        *(queue(name, "team", cpu=1, **spec) for name in "abe"),
        queue("c", "team", cpu=0, flavors=tuple(flavors)),
    )
    holder(made, "high", "c", 3, priority=5)
    holder(made, "low", "c", 3, flavor="spot")
    found = run(
        made,
        Head(workload("first", priority=9), "a"),
        Head(workload("second", priority=1, created=1), "b"),
        Head(workload("third", priority=1, created=2), "e"),
        flavors=flavors,
        settings=configuration(RecomputeAssignmentUponPreemptionTargetsOverlap=True),
    )
    assert [targets_of(each) for each in found.values()] == [["high"], ["low"], []]
    third = found["third"]
    assert third.assignment is not None
    assert (third.mode, third.assignment.flavors_by_pod_set()) == (
        Mode.DeferredFit,
        {"main": {"cpu": "spot"}},
    )


def test_targets_of_one_tree_do_not_concern_another() -> None:
    made = tree(
        queue("a", cpu=1, within="LowerPriority"), queue("b", cpu=1, within="LowerPriority")
    )
    holder(made, "a-low", "a")
    holder(made, "b-low", "b")
    found = run(
        made, Head(workload("one", priority=1), "a"), Head(workload("two", priority=1), "b")
    )
    assert [targets_of(each) for each in found.values()] == [["a-low"], ["b-low"]]


def test_a_preemptor_that_takes_more_than_its_targets_free_leaves_less_to_later_entries() -> None:
    """``big`` frees 2 cpus; what ``one`` needs beyond them, ``two`` lacks then."""
    for more, status in (("2", "assumed"), ("2001m", "skipped")):
        made = tree(
            queue("a", "team", cpu=4, reclaim="Any"),
            queue("b", "team", cpu=1),
            queue("c", "team", cpu=0),
        )
        holder(made, "big", "c", 2)
        holder(made, "stays", "c", 1, priority=9)
        holder(made, "own", "b", 1)
        found = run(
            made,
            Head(workload("one", pods=[pod_set(cpu=more)], created=1), "a"),
            Head(workload("two", created=2), "b"),
        )
        assert targets_of(found["one"]) == ["big"]
        assert found["two"].status == status


@pytest.mark.parametrize(("asked", "status"), [("500m", "assumed"), ("501m", "skipped")])
def test_what_a_preemptor_leaves_is_counted_to_the_unit(asked: str, status: str) -> None:
    """One cpu is free, and ``big`` frees 2, of which ``one`` takes 2.5 in all."""
    made = tree(
        queue("a", "team", cpu=4, reclaim="Any"),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=0),
    )
    holder(made, "big", "c", 2)
    holder(made, "stays", "c", 1, priority=9)
    found = run(
        made,
        Head(workload("one", pods=[pod_set(cpu="2500m")], created=1), "a"),
        Head(workload("two", pods=[pod_set(cpu=asked)], created=2), "b"),
    )
    assert targets_of(found["one"]) == ["big"]
    assert found["two"].status == status


def test_a_workload_that_requests_nothing_but_its_pods_preempts() -> None:
    """Pods are not among its requests, so that the search for targets ends with the first."""
    counted = (FlavorQuotas("default", (ResourceQuota("pods", 2),)),)
    made = tree(
        queue("q", groups=(ResourceGroup(("pods",), counted),), within="LowerPriority"),
    )
    for name, since in (("low", 1), ("other", 2)):
        state = workload(name, pods=[pod_set()])
        usage = {"pods": 1}
        state.admission = Admission("q", (PodSetAssignment("main", {"pods": "default"}, usage, 1),))
        state.set_condition("QuotaReserved", "True", "QuotaReserved", "", since)
        state.refresh()
        assert made.add_workload(state)
    found = run(made, Head(workload("new", pods=[pod_set(count=2)], priority=1), "q"))["new"]
    assert (found.mode, targets_of(found)) == (Mode.Preempt, ["other"])


# --- capacity for entries without targets --------------------------------------------------


def reserved(
    made: QuotaTree, cpu: int, *, preemptor: bool = False, **gates: bool
) -> tuple[int | None, list[tuple[str, str, steps.Facts]]]:
    """Return the cpu that an entry in ``q`` reserves though it has no targets."""
    recorder = Recorder()
    head = Head(workload("w", cpu, priority=-1), "q", is_preemptor=preemptor)
    entry = run(made, head, settings=configuration(**gates), recorder=recorder)["w"]
    assert (entry.mode, entry.targets, entry.status) == (Mode.Preempt, [], "")
    assert (entry.requeue_reason, entry.quota_reserved_reason) == (
        "PreemptionNoCandidates",
        "WaitingForQuota",
    )
    assert made.cluster_queues["q"].usage.get(CPU, 0) == sum(
        each.usage.get(CPU, 0) for each in made.cluster_queues["q"].workloads.values()
    )
    held = facts(recorder, steps.QuotaHeld)
    return entry.reserved.get(CPU), held


def test_capacity_is_reserved_up_to_nominal_quota() -> None:
    made = tree(queue("q", cpu=3, within="LowerPriority"))
    holder(made, "a", "q", 1)
    found, held = reserved(made, 3)
    assert found == 2000
    assert held == [
        ("ns/w", "q", steps.QuotaHeld((("default", "cpu", 2000),), "alone")),
    ]
    # Nothing where nominal quota is used up, and all of it where nothing is used.
    made = tree(queue("q", cpu=2, within="LowerPriority"))
    holder(made, "a", "q", 2)
    assert reserved(made, 1)[0] == 0
    made = tree(queue("q", "team", cpu=3, within="LowerPriority"), queue("b", "team", cpu=0))
    holder(made, "b3", "b", 3)
    assert reserved(made, 3)[0] == 3000
    # Not more than the request.
    made = tree(queue("q", "team", cpu=3, within="LowerPriority"), queue("b", "team", cpu=0))
    holder(made, "b1", "b", 3)
    found, held = reserved(made, 1)
    assert found == 1000
    assert held == [("ns/w", "q", steps.QuotaHeld((("default", "cpu", 1000),), "unreclaimable"))]
    # An entry that borrows is not limited by nominal quota.
    made = tree(queue("q", "team", cpu=1, within="LowerPriority"), queue("b", "team", cpu=2))
    holder(made, "a", "q", 3)
    assert reserved(made, 1)[0] == 1000


@pytest.mark.parametrize(
    ("limit", "cpu", "amount"), [(None, 4, 4000), (2, 2, 2000), (2, 3, 2000), (9, 4, 4000)]
)
def test_an_entry_that_borrows_reserves_up_to_its_borrowing_limit(
    limit: int | None, cpu: int, amount: int
) -> None:
    """Of the 4 that it may have with a limit of 2, the queue uses 2."""
    made = tree(
        queue(
            "q",
            "team",
            cpu=2,
            borrow=limit,
            reclaim="LowerPriority",
            borrow_policy=borrow_within_cohort(),
        ),
        queue("b", "team", cpu=4),
    )
    holder(made, "own", "q", 2)
    holder(made, "other", "b", 4)
    assert reserved(made, cpu)[0] == amount


@pytest.mark.parametrize(
    ("reclaim", "preemptor", "gate", "reserves"),
    [
        ("Any", False, True, False),
        ("Any", True, True, True),
        ("Any", True, False, False),
        ("LowerPriority", False, True, True),
        ("Never", False, False, True),
    ],
)
def test_nothing_is_reserved_where_quota_can_always_be_reclaimed(
    reclaim: str, preemptor: bool, gate: bool, reserves: bool
) -> None:
    """With the gate, a preemptor that waits for its targets reserves capacity nevertheless."""
    made = tree(queue("q", "team", cpu=2, reclaim=reclaim), queue("b", "team", cpu=0))
    holder(made, "own", "q", 2)
    found, held = reserved(made, 2, preemptor=preemptor, PrioritizePreemptorWorkloads=gate)
    assert (found is not None) is bool(held) is reserves


def test_an_entry_that_has_its_quota_reserved_needs_no_more() -> None:
    """As in the second pass of a workload: only the rest of its admission is decided."""
    made = tree(queue("q", cpu=2))
    state = workload("w", 2)
    state.set_condition("QuotaReserved", "True", "QuotaReserved", "", 1)
    found = run(made, Head(state, "q"))["w"]
    assert (found.status, found.reserved) == ("assumed", {})


def test_reserved_capacity_is_not_available_to_later_entries() -> None:
    made = tree(queue("q", "team", cpu=2, reclaim="Never"), queue("b", "team", cpu=0))
    holder(made, "own", "q", 1)
    first, second = (
        Head(workload("first", 2, created=1), "q"),
        Head(workload("second", 1, created=2), "b"),
    )
    found = run(made, second, first)
    assert found["first"].reserved == {CPU: 2000}
    assert found["second"].status == "skipped"


def test_the_end_of_a_cycle_counts_what_is_admitted_and_what_preempts() -> None:
    recorder = Recorder()
    made = tree(
        *(queue(name) for name in "ab"),
        *(queue(name, cpu=0) for name in "ce"),
        queue("d", cpu=1, within="Any"),
    )
    holder(made, "low", "d")
    heads = (Head(workload(name), name) for name in "abcde")
    run(made, *heads, recorder=recorder)
    assert facts(recorder, steps.CycleEnded) == [("", "", steps.CycleEnded(2, 1))]
