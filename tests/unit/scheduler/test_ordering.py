"""The order in which entries are processed, without and with fair sharing."""

from __future__ import annotations

from typing import Any

import pytest
from scheduler_lab import CPU, cohort, configuration, queue, run, tree, workload

from kueuelab.model import Configuration, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuelab.queues import Head
from kueuelab.quota import QuotaTree
from kueuelab.scheduler import Assignment, Entry
from kueuelab.scheduler.assignment import FlavorAssignment, Mode, PodSetResult
from kueuelab.scheduler.ordering import by_priority, in_order
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import LastAssignment


def entry(
    name: str,
    *,
    borrowing: int = 0,
    reserved: bool = False,
    preemptor: bool = False,
    cpu: int = 1,
    made: QuotaTree | None = None,
    cluster_queue: str = "q",
    **rest: Any,
) -> Entry:
    state = workload(name, cpu, **rest)
    if reserved:
        state.set_condition("QuotaReserved", "True", "QuotaReserved", "", 1)
    node = None if made is None else made.cluster_queues[cluster_queue]
    found = Assignment(LastAssignment((), 0, 1, ""))
    flavor = FlavorAssignment("default", Mode.Fit, borrowing)
    found.add(PodSetResult("main", 1, {"cpu": cpu * 1000}, {"cpu": flavor}))
    return Entry(state, cluster_queue, node, preemptor, found)


def names(entries: Any) -> list[str]:
    return [each.workload.obj.name for each in entries]


@pytest.mark.parametrize(
    ("first", "second", "rule", "gates"),
    [
        ({"reserved": True, "preemptor": False}, {"preemptor": True}, "quota-already-reserved", {}),
        ({"preemptor": True, "borrowing": 1}, {}, "preemptor", {}),
        (
            {"created": 1, "borrowing": 0},
            {"created": 2, "preemptor": True},
            "queued-earlier",
            {"PrioritizePreemptorWorkloads": False},
        ),
        ({"created": 9}, {"borrowing": 1, "priority": 1}, "borrows-less", {}),
        ({"borrowing": 1}, {"borrowing": 2}, "borrows-less", {}),
        ({"priority": 1, "created": 9}, {}, "priority", {}),
        (
            {"created": 1},
            {"created": 2, "priority": 1},
            "queued-earlier",
            {"PrioritySortingWithinCohort": False},
        ),
        ({"created": 1}, {"created": 2}, "queued-earlier", {}),
        ({}, {}, "as-taken", {}),
    ],
)
def test_without_fair_sharing_the_first_rule_that_differs_decides(
    first: dict[str, Any], second: dict[str, Any], rule: str, gates: dict[str, bool]
) -> None:
    gates = {"PrioritizePreemptorWorkloads": True, **gates}
    settings = configuration(**gates)
    one, two = entry("one", **first), entry("two", **second)
    if rule != "as-taken":
        assert names(by_priority([two, one], settings)) == ["one", "two"]
    recorder = Recorder()
    assert names(in_order([one, two], settings, recorder)) == ["one", "two"]
    (step,) = recorder.steps
    assert step.facts == steps.EntriesOrdered(
        ("ns/one", "ns/two"),
        (rule,),
        tuple(
            {
                "borrowing": each.get("borrowing", 0),
                "priority": each.get("priority", 0),
                "queuedAt": each.get("created", 0),
            }
            for each in (first, second)
        ),
    )


def test_one_entry_is_ordered_for_the_record_alone() -> None:
    recorder = Recorder()
    for given in (None, recorder):
        assert names(by_priority([entry("one")], Configuration(), given)) == ["one"]
    (step,) = recorder.steps
    assert isinstance(step.facts, steps.EntriesOrdered)
    assert (step.facts.entries, step.facts.why) == (("ns/one",), ())


def test_entries_are_sorted_where_they_are() -> None:
    """They are requeued in the order in which they were sorted."""
    entries = [entry("b", created=2), entry("a", created=1)]
    list(by_priority(entries, Configuration()))
    assert names(entries) == ["a", "b"]


# --- fair sharing -----------------------------------------------------------------------------


def fair(
    *entries: Entry, made: QuotaTree, recorder: Recorder | None = None, **gates: bool
) -> list[str]:
    """Return the order; what was yielded uses quota from then on, as in a cycle."""
    found = []
    with made.simulation():
        for each in in_order(list(entries), configuration(fair=True, **gates), recorder):
            found.append(each.workload.obj.name)
            assert each.assignment is not None
            made.add_usage(each.node, each.assignment.usage)
    return found


def use(made: QuotaTree, **cpus: int) -> None:
    for name, cpu in cpus.items():
        made.add_usage(made.cluster_queues[name], {CPU: cpu * 1000})


def test_the_smaller_share_goes_first() -> None:
    made = tree(queue("a", "team", cpu=2), queue("b", "team", cpu=2), queue("c", "team", cpu=6))
    use(made, a=4, b=2)
    one = entry("one", made=made, cluster_queue="a", priority=9)
    two = entry("two", made=made, cluster_queue="b")
    recorder = Recorder()
    assert fair(one, two, made=made, recorder=recorder) == ["two", "one"]
    (step,) = recorder.steps
    assert (step.workload, step.cluster_queue) == ("ns/two", "b")
    assert step.facts == steps.TournamentWon(
        "ns/two",
        (("ns/one", 300.0), ("ns/two", 100.0)),
        "smaller-share",
        "ns/one",
        {
            "ns/two": {"borrowing": 0, "priority": 0, "queuedAt": 0},
            "ns/one": {"borrowing": 0, "priority": 9, "queuedAt": 0},
        },
        (("ns/one", "ns/two", "team", "smaller-share", 100.0, 300.0),),
    )


def test_shares_are_computed_again_after_each_entry() -> None:
    made = tree(*(queue(name, "team", cpu=2) for name in "abc"))
    use(made, a=2, b=2)
    one = entry("one", cpu=1, made=made, cluster_queue="a")
    two = entry("two", cpu=1, made=made, cluster_queue="b", created=1)
    three = entry("three", cpu=2, made=made, cluster_queue="c", created=2)
    assert fair(one, two, three, made=made) == ["three", "one", "two"]


@pytest.mark.parametrize(
    ("first", "second", "rule", "gates"),
    [
        ({"priority": 1}, {}, "priority", {}),
        ({"created": 1, "priority": 0}, {"created": 2}, "queued-earlier", {}),
        (
            {"created": 1},
            {"created": 2, "priority": 1},
            "queued-earlier",
            {"PrioritySortingWithinCohort": False},
        ),
        ({"preemptor": True}, {"priority": 1}, "preemptor", {}),
        (
            {"created": 1},
            {"created": 2, "preemptor": True},
            "queued-earlier",
            {"PrioritizePreemptorWorkloads": False},
        ),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_among_equal_shares_other_rules_decide(
    first: dict[str, Any],
    second: dict[str, Any],
    rule: str,
    gates: dict[str, bool],
    swapped: bool,
) -> None:
    made = tree(queue("a", "team"), queue("b", "team"))
    queues = "ba" if swapped else "ab"
    one = entry("one", made=made, cluster_queue=queues[0], **first)
    two = entry("two", made=made, cluster_queue=queues[1], **second)
    gates = {"PrioritizePreemptorWorkloads": True, **gates}
    recorder = Recorder()
    assert fair(one, two, made=made, recorder=recorder, **gates) == ["one", "two"]
    won = recorder.steps[0].facts
    assert isinstance(won, steps.TournamentWon)
    assert (won.winner, won.why, won.rival) == ("ns/one", rule, "ns/two")
    assert [step.workload for step in recorder.steps] == ["ns/one"]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("gate", [True, False])
def test_with_the_gate_an_entry_that_does_not_borrow_goes_first(gate: bool, swapped: bool) -> None:
    """What counts is whether its branch borrows what the entry requests."""
    quota = tuple(ResourceQuota(name, 2000) for name in ("cpu", "memory"))
    both = (ResourceGroup(("cpu", "memory"), (FlavorQuotas("default", quota),)),)
    one, two = "ba" if swapped else "ab"
    made = tree(*(queue(name, "team", groups=both) for name in "abcdef"))
    made.add_usage(made.cluster_queues[two], {("default", "memory"): 9000})
    greedy = entry("greedy", cpu=3, made=made, cluster_queue=one)
    calm = entry("calm", cpu=1, made=made, cluster_queue=two)
    recorder = Recorder()
    gates = {"FairSharingPrioritizeNonBorrowing": gate}
    found = fair(greedy, calm, made=made, recorder=recorder, **gates)
    won = recorder.steps[0].facts
    assert isinstance(won, steps.TournamentWon)
    assert found == (["calm", "greedy"] if gate else ["greedy", "calm"])
    assert won.why == ("not-borrowing" if gate else "smaller-share")


def test_in_each_cohort_the_branch_with_the_smallest_share_wins() -> None:
    made = tree(
        cohort("left", "root"),
        cohort("right", "root"),
        queue("a", "left", cpu=1),
        queue("b", "left", cpu=1),
        queue("c", "right", cpu=1),
        queue("d", "root", cpu=9),
    )
    use(made, a=3, b=1, c=5)
    entries = [
        entry(name, made=made, cluster_queue=cluster_queue)
        for name, cluster_queue in (("one", "a"), ("two", "b"), ("three", "c"))
    ]
    recorder = Recorder()
    assert fair(*entries, made=made, recorder=recorder) == ["two", "one", "three"]
    won = recorder.steps[0].facts
    assert isinstance(won, steps.TournamentWon)
    # The rival is the one that lost to the winner highest up.
    assert (won.winner, won.rival, won.why) == ("ns/two", "ns/three", "smaller-share")
    assert [each[:4] for each in won.lost] == [
        ("ns/one", "ns/two", "left", "smaller-share"),
        ("ns/three", "ns/two", "root", "smaller-share"),
    ]


def test_the_rival_is_the_best_of_those_that_lost_to_the_winner() -> None:
    made = tree(*(queue(name, "team", cpu=1) for name in "abc"), queue("z", "team", cpu=9))
    use(made, a=4, b=2)
    entries = [
        entry(name, made=made, cluster_queue=cluster_queue)
        for name, cluster_queue in (("most", "a"), ("some", "b"), ("least", "c"))
    ]
    recorder = Recorder()
    assert fair(*entries, made=made, recorder=recorder) == ["least", "some", "most"]
    won = recorder.steps[0].facts
    assert isinstance(won, steps.TournamentWon)
    assert (won.rival, list(won.numbers)) == ("ns/some", ["ns/least", "ns/some"])


def test_trees_go_by_the_first_of_their_cluster_queues() -> None:
    made = tree(queue("b", "one"), queue("d", "one"), queue("c"), queue("a"), queue("e", "two"))
    entries = [
        entry(name, made=made, cluster_queue=name, created=number)
        for number, name in enumerate("edcba")
    ]
    assert fair(*entries, made=made) == ["a", "d", "b", "c", "e"]


def test_of_entries_that_are_equal_in_everything_the_first_by_its_queue_goes_first() -> None:
    made = tree(queue("a", "team"), queue("b", "team"), queue("c", "team"))
    entries = [entry(name, made=made, cluster_queue=name) for name in "cab"]
    assert fair(*entries, made=made) == ["a", "b", "c"]


def test_a_cycle_uses_the_configured_order_and_records_it() -> None:
    for sharing, kind in ((False, steps.EntriesOrdered), (True, steps.TournamentWon)):
        recorder = Recorder()
        made = tree(queue("a", "team"), queue("b", "team"))
        heads = Head(workload("one", created=2), "a"), Head(workload("two", created=1), "b")
        found = run(made, *heads, settings=configuration(fair=sharing), recorder=recorder)
        assert list(found) == ["two", "one"]
        assert any(isinstance(step.facts, kind) for step in recorder.steps)


def test_a_quota_reservation_adds_nothing_to_a_share() -> None:
    made = tree(queue("a", "team", cpu=1), queue("b", "team", cpu=1), queue("z", "team", cpu=8))
    one = entry("one", cpu=3, made=made, cluster_queue="a", reserved=True, created=2)
    two = entry("two", cpu=2, made=made, cluster_queue="b", created=1)
    assert fair(one, two, made=made) == ["one", "two"]


def test_entries_that_no_rule_tells_apart_are_recorded_with_the_last_rule() -> None:
    made = tree(queue("a", "team"), queue("b", "team"))
    recorder = Recorder()
    found = [entry(f"of-{name}", made=made, cluster_queue=name) for name in "ba"]
    assert fair(*found, made=made, recorder=recorder) == ["of-a", "of-b"]
    (step,) = recorder.steps
    assert isinstance(step.facts, steps.TournamentWon)
    assert step.facts.why == "queued-earlier"


def test_entries_that_lost_are_recorded_in_the_order_of_their_queues() -> None:
    made = tree(*(queue(name, "team") for name in "abc"))
    recorder = Recorder()
    found = [
        entry(f"of-{name}", made=made, cluster_queue=name, priority=priority)
        for name, priority in zip("abc", (0, 2, 1), strict=True)
    ]
    fair(*found, made=made, recorder=recorder)
    (first, _) = recorder.steps
    assert isinstance(first.facts, steps.TournamentWon)
    assert [each[0] for each in first.facts.lost] == ["ns/of-a", "ns/of-c"]
