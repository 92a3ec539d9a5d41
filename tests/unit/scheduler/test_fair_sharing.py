"""Which workloads are preempted with fair sharing (KEP-1714)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scheduler_lab import (
    CPU,
    cohort,
    configuration,
    crowded,
    holder,
    no_topologies,
    pod_set,
    queue,
    tree,
    workload,
)

from kueuelab.model import (
    Admission,
    FlavorQuotas,
    PodSetAssignment,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.quota import (
    NO_SHARE,
    ClusterQueueNode,
    CohortNode,
    QuotaTree,
    Share,
    compare_shares,
    dominant_resource_share,
)
from kueuelab.scheduler.preemption import Preemptor, Target
from kueuelab.scheduler.preemption.fair import STRATEGIES
from kueuelab.scheduler.preemption.fair_ordering import TargetOrdering
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder

IN_QUEUE, RECLAIM, FAIR = "InClusterQueue", "InCohortReclamation", "InCohortFairSharing"
FINAL, INITIAL = "LessThanOrEqualToFinalShare", "LessThanInitialShare"


def preempted(
    made: QuotaTree,
    cpu: int = 1,
    name: str = "q",
    *,
    strategies: tuple[str, ...] = (FINAL, INITIAL),
    recorder: Recorder | None = None,
    gates: dict[str, bool] | None = None,
    **rest: Any,
) -> dict[str, str]:
    """Return the targets of a workload of this size, with their reasons, in order."""
    settings = configuration(fair=strategies, **(gates or {}))
    asking, node = workload("new", cpu, **rest), made.cluster_queues[name]
    before = used(made)

    def search(recorder: Recorder | None) -> list[Target]:
        preemptor = Preemptor(settings, made, no_topologies(made), recorder)
        with made.simulation():
            found = preemptor.targets(asking, node, {CPU: cpu * 1000}, (CPU,))
            assert used(made) == before
        return found

    found = search(recorder)
    # With a recorder the shares of all candidates are compared, without one as few as possible.
    assert search(None if recorder else Recorder()) == found
    return {target.workload.obj.name: target.reason for target in found}


def used(made: QuotaTree) -> dict[str, int]:
    return {each.name: each.usage.get(CPU, 0) for each in made.cluster_queues.values()}


def facts(recorder: Recorder, kind: type[steps.Facts]) -> list[Any]:
    found = [each for each in recorder.steps if isinstance(each.facts, kind)]
    assert {(each.workload, each.cluster_queue) for each in found} <= {("ns/new", "q")}
    return [each.facts for each in found]


def equals(count: int, *, cpu: int = 2, **q: Any) -> QuotaTree:
    """Return q and ``count - 1`` others of the same quota in one cohort."""
    others = "abcdef"[: count - 1]
    return tree(
        queue("q", "team", cpu=cpu, **{"reclaim": "Any", **q}),
        *(queue(name, "team", cpu=cpu) for name in others),
    )


@pytest.mark.parametrize(
    ("preemptor_new", "target_old", "target_new", "final", "initial"),
    [
        (1, 3, 2, True, True),
        (2, 3, 2, True, True),
        (2.5, 3, 2, False, True),
        (3, 3, 2, False, False),
    ],
)
def test_the_two_strategies(
    preemptor_new: float, target_old: float, target_new: float, final: bool, initial: bool
) -> None:
    """S2-a: at most the target's share without the candidate. S2-b: less than with it."""
    shares = Share(preemptor_new, 1.0), Share(target_old, 1.0), Share(target_new, 1.0)
    assert STRATEGIES[FINAL](*shares) is final
    assert STRATEGIES[INITIAL](*shares) is initial


def test_the_first_strategy_takes_what_leaves_the_target_with_the_larger_share() -> None:
    made = equals(3)
    for number in range(6):
        holder(made, f"a{number}", "a", 1, since=number + 1)
    recorder = Recorder()
    gates = {"FairSharingPreemptWithinNominal": False}
    assert preempted(made, 2, recorder=recorder, gates=gates) == {"a5": FAIR, "a4": FAIR}
    compared = facts(recorder, steps.SharesCompared)
    assert compared[0] == steps.SharesCompared(
        "ns/a5",
        "a",
        FINAL,
        0.0,
        666.6666666666666,
        500.0,
        True,
        "team",
        "ClusterQueue/q",
        "ClusterQueue/a",
    )
    assert [each.passed for each in compared] == [True, True]
    assert facts(recorder, steps.AttemptStarted) == [steps.AttemptStarted(True, FINAL)]


def test_of_the_candidates_of_a_queue_those_that_fail_the_first_strategy_are_retried() -> None:
    """q would have 4 of 2 cpus then: share 333. a has 667, and 0 without its big workload."""
    made = equals(3)
    holder(made, "own", "q", 1)
    holder(made, "big", "a", 5)
    recorder = Recorder()
    assert preempted(made, 3, recorder=recorder) == {"big": FAIR}
    assert [
        (each.strategy, each.preemptor_new_share, each.target_old_share, each.target_new_share)
        for each in facts(recorder, steps.SharesCompared)
    ] == [(FINAL, 2000 / 6, 500.0, 0.0), (INITIAL, 2000 / 6, 500.0, None)]
    assert facts(recorder, steps.AttemptStarted) == [
        steps.AttemptStarted(True, FINAL),
        steps.AttemptStarted(True, INITIAL),
    ]
    assert [each.passed for each in facts(recorder, steps.SharesCompared)] == [False, True]
    assert preempted(made, 3, strategies=(FINAL,)) == {}
    assert preempted(made, 3, strategies=(INITIAL,)) == {"big": FAIR}
    assert preempted(made, 3, strategies=()) == {"big": FAIR}


def test_the_queue_with_the_largest_share_gives_first() -> None:
    made = equals(4)
    for number in range(3):
        holder(made, f"a{number}", "a", 1, since=number + 1)
    for number in range(5):
        holder(made, f"b{number}", "b", 1, since=number + 1)
    assert list(preempted(made, 2)) == ["b4", "b3"]
    made = equals(4)
    for name in "ab":
        for number in range(4):
            holder(made, f"{name}{number}", name, 1, since=9 - number)
    # With equal shares the candidate's key decides, and they take turns.
    assert list(preempted(made, 2)) == ["a0", "b0"]


def test_queues_and_cohorts_without_candidates_do_not_end_the_search() -> None:
    """`a` comes before `b` by name and has nothing; two targets are needed, one look each."""
    made = equals(3)
    for number in range(6):
        holder(made, f"b{number}", "b", 1, since=number + 1)
    assert list(preempted(made, 2)) == ["b5", "b4"]
    made = tree(
        cohort("idle", "team"),
        cohort("many", "team"),
        queue("q", "team", cpu=4, reclaim="Any"),
        queue("a", "idle", cpu=2),
        queue("b", "many", cpu=0),
    )
    for number in range(6):
        holder(made, f"b{number}", "b", 1, since=number + 1)
    assert list(preempted(made, 2)) == ["b5", "b4"]


def test_in_the_preemptors_own_cohort_quota_is_taken_back_though_it_does_not_borrow() -> None:
    made = tree(
        cohort("own", "root"),
        cohort("other", "root"),
        queue("q", "own", cpu=4, reclaim="Any"),
        queue("sibling", "own", cpu=0),
        queue("far", "other", cpu=1),
    )
    holder(made, "taken", "sibling", 4)
    assert list(preempted(made, 2)) == ["taken"]


def test_in_a_tie_between_its_own_queue_and_another_the_other_is_asked_first() -> None:
    made = equals(3, within="LowerPriority")
    holder(made, "own", "q", 2)
    holder(made, "a3", "a", 3)
    holder(made, "b1", "b", 1)
    recorder = Recorder()
    assert preempted(made, priority=1, recorder=recorder) == {"own": IN_QUEUE}
    assert [each.candidate for each in facts(recorder, steps.SharesCompared)] == ["ns/a3"]


def test_in_a_tie_a_candidate_that_is_being_evicted_or_elsewhere_goes_first() -> None:
    made = equals(3, within="LowerPriority")
    for number in range(3):
        holder(made, f"a{number}", "a", 1, since=5 + number)
        holder(made, f"b{number}", "b", 1, since=1 + number, evicted=number == 0)
    assert list(preempted(made, 1, priority=1)) == ["b0"]


def test_in_the_own_queue_no_shares_are_compared() -> None:
    made = equals(2, within="LowerPriority", reclaim="Never")
    holder(made, "own", "q", 2)
    holder(made, "other", "a", 2)
    recorder = Recorder()
    assert preempted(made, 2, priority=1, recorder=recorder) == {"own": IN_QUEUE}
    assert facts(recorder, steps.SharesCompared) == []
    alone = tree(queue("q", cpu=2, within="LowerPriority"))
    holder(alone, "one", "q", 1, since=2)
    holder(alone, "two", "q", 1, since=1)
    assert preempted(alone, 2, priority=1) == {"one": IN_QUEUE, "two": IN_QUEUE}
    assert preempted(alone, 3, priority=1) == {}
    assert preempted(alone, 2) == {}


@pytest.mark.parametrize(("gate", "reason"), [(True, RECLAIM), (False, FAIR)])
def test_within_nominal_quota_the_gate_lets_it_reclaim_without_comparing_shares(
    gate: bool, reason: str
) -> None:
    gates = {"FairSharingPreemptWithinNominal": gate}
    made = equals(2)
    for number in range(4):
        holder(made, f"a{number}", "a", 1, since=number + 1)
    recorder = Recorder()
    assert preempted(made, 1, gates=gates, recorder=recorder) == {"a3": reason}
    assert bool(facts(recorder, steps.SharesCompared)) is not gate
    # One that borrows compares shares with the gate as well.
    made = equals(3)
    holder(made, "own", "q", 1)
    for number in range(5):
        holder(made, f"a{number}", "a", 1, since=number + 1)
    assert preempted(made, 2, gates=gates) == {"a4": FAIR, "a3": FAIR}


def test_targets_that_are_not_needed_are_restored() -> None:
    made = equals(3)
    holder(made, "small", "a", 1, since=9)
    holder(made, "big", "a", 5)
    recorder = Recorder()
    assert preempted(made, 2, recorder=recorder) == {"big": RECLAIM}
    assert facts(recorder, steps.FilledBack) == [steps.FilledBack("ns/small", True)]


def test_targets_are_restored_for_a_preemptor_that_borrows_as_well() -> None:
    made = equals(3)
    holder(made, "own", "q", 1)
    holder(made, "small", "a", 1, since=9)
    holder(made, "big", "a", 4)
    assert preempted(made, 2) == {"big": FAIR}


@pytest.mark.parametrize("recorded", [False, True])
def test_a_preemptor_of_weight_zero_takes_only_from_others_of_weight_zero(recorded: bool) -> None:
    recorder = Recorder() if recorded else None
    made = tree(
        queue("q", "team", cpu=0, weight=0, reclaim="Any"),
        queue("a", "team", cpu=0),
        queue("z", "team", cpu=0, weight=0),
        queue("rest", "team", cpu=4),
    )
    holder(made, "a1", "a", 2)
    assert preempted(made, 1, recorder=recorder) == {}
    if recorder is not None:
        assert facts(recorder, steps.CandidatePassedOver) == [
            steps.CandidatePassedOver(
                "ns/a1",
                "preemptor-weight-zero",
                {"preemptorNode": "ClusterQueue/q", "targetNode": "ClusterQueue/a"},
            )
        ]
    holder(made, "z1", "z", 1)
    holder(made, "z2", "z", 1)
    assert preempted(made, 1) == {"z1": FAIR}


def test_a_preemptor_of_weight_zero_excludes_every_queue_with_a_weight() -> None:
    made = tree(
        queue("q", "team", cpu=0, weight=0, reclaim="Any"),
        *(queue(name, "team", cpu=0) for name in "ab"),
        queue("rest", "team", cpu=3),
    )
    holder(made, "a1", "a", 2)
    holder(made, "b1", "b", 1)
    recorder = Recorder()
    assert preempted(made, 1, recorder=recorder) == {}
    excluded = facts(recorder, steps.CandidatePassedOver)
    assert [each.candidate for each in excluded] == ["ns/a1", "ns/b1"]


# --- hierarchical cohorts --------------------------------------------------------------------


def nested(**weights: int) -> QuotaTree:
    """Return q below ``left``; ``right`` has two queues; quota is in the root's own queue."""
    return tree(
        cohort("left", "root", weight=weights.get("left")),
        cohort("right", "root", weight=weights.get("right")),
        queue("q", "left", cpu=0, reclaim="Any"),
        queue("sibling", "left", cpu=0),
        queue("r1", "right", cpu=0),
        queue("r2", "right", cpu=0),
        queue("rest", "root", cpu=8),
    )


def test_shares_are_compared_below_the_lowest_common_ancestor() -> None:
    made = nested()
    holder(made, "s", "sibling", 2)
    for number in range(3):
        holder(made, f"r1{number}", "r1", 1, since=number + 1)
        holder(made, f"r2{number}", "r2", 1, since=number + 5)
    recorder = Recorder()
    assert preempted(made, 1, recorder=recorder) == {"r22": FAIR}
    (compared,) = facts(recorder, steps.SharesCompared)
    assert (compared.cohort, compared.preemptor_node, compared.target_node) == (
        "root",
        "Cohort/left",
        "Cohort/right",
    )
    assert (compared.preemptor_new_share, compared.target_old_share, compared.target_new_share) == (
        375.0,
        750.0,
        625.0,
    )


def test_a_sibling_is_compared_with_the_preemptors_own_queue() -> None:
    made = nested()
    for number in range(4):
        holder(made, f"s{number}", "sibling", 1, since=number + 1)
    for number in range(4):
        holder(made, f"r{number}", "rest", 1, since=number + 1)
    recorder = Recorder()
    assert preempted(made, 1, recorder=recorder) == {"s3": FAIR}
    (compared,) = facts(recorder, steps.SharesCompared)
    assert (compared.cohort, compared.preemptor_node, compared.target_node) == (
        "left",
        "ClusterQueue/q",
        "ClusterQueue/sibling",
    )


def test_a_cohort_with_the_preemptor_is_searched_even_if_it_does_not_borrow() -> None:
    made = tree(
        cohort("left", "root", cpu=4),
        queue("q", "left", cpu=0, reclaim="Any"),
        queue("sibling", "left", cpu=0),
        queue("far", "root", cpu=0),
    )
    for number in range(4):
        holder(made, f"s{number}", "sibling", 1, since=number + 1)
    assert preempted(made, 1) == {"s3": FAIR}


def test_a_cohort_elsewhere_that_does_not_borrow_is_pruned() -> None:
    made = tree(
        cohort("right", "root", cpu=4),
        queue("q", "root", cpu=1, reclaim="Any"),
        queue("r1", "right", cpu=0),
        queue("a", "root", cpu=0),
    )
    holder(made, "r", "r1", 4)
    holder(made, "a1", "a", 1)
    assert preempted(made, 1) == {"a1": RECLAIM}
    assert preempted(made, 2) == {}


def test_between_two_strategies_shares_are_compared_anew() -> None:
    """``a`` has the largest share until the first strategy takes ``small`` from it."""
    made = tree(
        queue("q", "team", cpu=0, reclaim="Any"),
        *(queue(name, "team", cpu=0) for name in "ab"),
        queue("rest", "team", cpu=15),
    )
    holder(made, "big", "a", 6, since=9)
    holder(made, "small", "a", 2)
    holder(made, "b1", "b", 7)
    assert preempted(made, 4) == {"b1": FAIR}


def gpus(made: QuotaTree, name: str, queue: str, gpu: int, *, cpu: int = 0, since: int = 1) -> None:
    """Add a workload that holds gpus, and cpus if that is said."""
    state = workload(name, pods=[pod_set(gpu=gpu, cpu=cpu)])
    usage = {"gpu": gpu, **({"cpu": cpu * 1000} if cpu else {})}
    flavors = dict.fromkeys(usage, "default")
    state.admission = Admission(queue, (PodSetAssignment("main", flavors, usage, 1),))
    state.set_condition("QuotaReserved", "True", "QuotaReserved", "", since)
    state.refresh()
    assert made.add_workload(state)


def both(cpu: int, gpu: int | None = None) -> tuple[ResourceGroup, ...]:
    """Return quota for so many cpus and, if nothing else is said, as many gpus."""
    quotas = ResourceQuota("cpu", cpu * 1000), ResourceQuota("gpu", cpu if gpu is None else gpu)
    return (ResourceGroup(("cpu", "gpu"), (FlavorQuotas("default", quotas),)),)


def of_two_resources(*names: str) -> QuotaTree:
    """Return q and others without quota, in a cohort with 4 cpus and 4 gpus."""
    return tree(
        *(queue(name, "team", groups=both(0), reclaim="Any") for name in ("q", *names)),
        queue("rest", "team", groups=both(4)),
    )


def test_a_share_as_large_as_the_preemptors_is_enough_if_the_target_does_not_lower_it() -> None:
    """The gpus of ``a`` decide its share: half of what there is, as the cpus of ``q``."""
    made = of_two_resources("a")
    gpus(made, "learning", "a", 2)
    holder(made, "c1", "a", 1)
    holder(made, "c2", "a", 1, since=9)
    holder(made, "own", "rest", 2)
    assert preempted(made, 2, strategies=(FINAL,)) == {"c2": FAIR, "c1": FAIR}
    assert preempted(made, 2, strategies=(INITIAL,)) == {}


def test_a_cohort_with_a_share_as_large_as_the_preemptors_is_searched() -> None:
    """Below its own cohort the preemptor, of weight 0, has a share beyond all others."""
    made = tree(
        cohort("one", "team"),
        cohort("two", "team"),
        queue("q", "two", groups=both(0), weight=0, reclaim="Any"),
        queue("sibling", "two", groups=both(0)),
        queue("a", "one", groups=both(0)),
        queue("rest", "team", groups=both(5)),
    )
    gpus(made, "learning", "a", 3)
    holder(made, "s", "sibling", 1)
    holder(made, "c1", "a", 1)
    holder(made, "c2", "a", 1, since=9)
    holder(made, "own", "rest", 2)
    assert preempted(made, 2) == {"c2": FAIR, "c1": FAIR}


def test_queues_of_one_share_take_turns_by_their_candidates_if_targets_do_not_lower_it() -> None:
    made = of_two_resources("a", "b")
    for name, times in (("a", (9, 1)), ("b", (5, 3))):
        gpus(made, f"learning-{name}", name, 3)
        for since in times:
            holder(made, f"{name}{since}", name, 1, since=since)
    assert list(preempted(made, 1)) == ["a9"]
    assert list(preempted(made, 2)) == ["a9", "b5"]


def test_of_two_queues_of_weight_zero_the_one_that_borrows_more_gives_first() -> None:
    """Both have an infinite share; ``a`` has the candidate that goes first by itself."""
    made = tree(
        queue("q", "team", cpu=4, reclaim="Any"),
        *(queue(name, "team", cpu=0, weight=0) for name in "ab"),
    )
    holder(made, "a1", "a", 1, since=9)
    for number in range(3):
        holder(made, f"b{number}", "b", 1, since=number + 1)
    assert preempted(made) == {"b2": RECLAIM}
    assert preempted(made, 2) == {"b2": RECLAIM, "b1": RECLAIM}


def test_the_share_of_a_queue_is_what_it_borrows_by_its_weight() -> None:
    """``b`` borrows twice as much with twice the weight; the later candidate goes first."""
    made = tree(
        queue("q", "team", cpu=3, reclaim="Any"),
        queue("a", "team", cpu=0, weight=1),
        queue("b", "team", cpu=0, weight=2),
    )
    holder(made, "a1", "a", 1, since=9)
    for number in range(2):
        holder(made, f"b{number}", "b", 1, since=number + 1)
    assert preempted(made) == {"a1": RECLAIM}


def test_a_cohort_with_the_preemptor_is_searched_though_it_borrows_nothing_with_it() -> None:
    """``far`` uses what ``left`` lends, but is not to be preempted."""
    made = tree(
        cohort("left", "root", cpu=4),
        queue("q", "left", cpu=0, reclaim="LowerPriority"),
        queue("sibling", "left", cpu=0),
        queue("far", "root", cpu=0),
    )
    for number in range(2):
        holder(made, f"s{number}", "sibling", 1, since=number + 1)
    holder(made, "f", "far", 2, priority=9)
    assert preempted(made, 1, priority=1) == {"s1": FAIR}


def test_queues_below_a_cohort_that_does_not_borrow_keep_what_they_borrow_from_it() -> None:
    made = tree(
        cohort("right", "root", cpu=4),
        queue("q", "root", cpu=1, reclaim="LowerPriority"),
        queue("r1", "right", cpu=0),
        queue("a", "root", cpu=0),
    )
    holder(made, "r", "r1", 4)
    holder(made, "a1", "a", 1, priority=9)
    assert preempted(made, 1, priority=1) == {}


def test_when_the_own_cohort_has_no_candidates_left_the_next_one_is_searched() -> None:
    """``left`` has the larger share until ``s`` is removed, ``right`` afterwards.

    The preemptor's own queue has a larger share than either, but is not compared with ``right``.
    """
    made = tree(
        cohort("left", "root", weight=4),
        cohort("right", "root", weight=4),
        queue("q", "left", cpu=0, reclaim="Any"),
        queue("sibling", "left", cpu=0, weight=0),
        queue("far", "right", cpu=0),
        queue("rest", "root", cpu=16),
    )
    holder(made, "s", "sibling", 2)
    for number in range(9):
        holder(made, f"f{number}", "far", 1, since=number + 1)
    assert preempted(made, 8) == {"s": FAIR, "f8": FAIR}


def test_within_nominal_quota_shares_do_not_end_the_search() -> None:
    """``left`` has the larger share, but what borrows there is not to be preempted."""
    made = tree(
        cohort("left", "root"),
        cohort("right", "root"),
        queue("q", "left", cpu=1, reclaim="LowerPriority"),
        queue("sibling", "left", cpu=0),
        queue("far", "right", cpu=0),
        queue("rest", "root", cpu=8),
    )
    holder(made, "s", "sibling", 6, priority=9)
    holder(made, "f", "far", 3)
    assert preempted(made, priority=1) == {"f": RECLAIM}


def test_a_candidate_without_what_another_one_holds_is_compared_by_itself() -> None:
    """``a`` has the only gpu, which decides its share as long as it has it."""
    made = tree(
        *(queue(name, "team", groups=both(0), reclaim="Any") for name in "qa"),
        queue("rest", "team", groups=both(4, 1)),
    )
    gpus(made, "with-gpu", "a", 1, cpu=1, since=9)
    holder(made, "without", "a", 1)
    holder(made, "own", "rest", 1)
    assert preempted(made, 2) == {"without": FAIR}


def test_all_candidates_of_a_queue_are_compared_before_those_of_another() -> None:
    """``a`` and ``b`` have the same share. The candidate of ``b`` is before the last of ``a``."""
    made = tree(
        *(queue(name, "team", cpu=0, reclaim="Any") for name in "qab"),
        queue("rest", "team", cpu=23),
    )
    holder(made, "big", "a", 4, since=30)
    holder(made, "as-big", "a", 4, since=29)
    holder(made, "small", "a", 1, since=1)
    for number in range(9):
        holder(made, f"b{number}", "b", 1, since=10 + number)
    assert preempted(made, 6) == {"small": FAIR}


# --- what is recorded ------------------------------------------------------------------------


def test_the_verdict_on_every_workload_of_the_tree_is_recorded() -> None:
    made = tree(
        queue("q", "team", cpu=1, reclaim="LowerPriority", within="Never"),
        queue("a", "team", cpu=1),
        queue("b", "team", cpu=1),
    )
    holder(made, "a1", "a", 2)
    holder(made, "a2", "a", 1, priority=5)
    holder(made, "b1", "b", 1)
    recorder = Recorder()
    preempted(made, 1, priority=3, recorder=recorder)
    numbers = {"policy": "LowerPriority", "preemptorPriority": 3}
    assert facts(recorder, steps.CandidateConsidered) == [
        steps.CandidateConsidered(
            "ns/a1",
            "a",
            included=True,
            rule="policy-LowerPriority",
            variant="",
            numbers={**numbers, "candidatePriority": 0},
        ),
        steps.CandidateConsidered(
            "ns/a2",
            "a",
            included=False,
            rule="not-lower-priority",
            variant="",
            numbers={**numbers, "candidatePriority": 5},
        ),
    ]
    usage = {"node": "ClusterQueue", "usage": [["default", "cpu", 1000, 1000]]}
    own = {"node": "ClusterQueue", "usage": [["default", "cpu", 0, 1000]]}
    assert facts(recorder, steps.QueueSkipped) == [
        steps.QueueSkipped("b", "not-borrowing", usage),
        steps.QueueSkipped("q", "policy-never", own),
    ]
    (started,) = facts(recorder, steps.PreemptionStarted)
    assert started.strategies == (FINAL, INITIAL)


def strategies_recorded(recorder: Recorder) -> list[tuple[str, str]]:
    """Return by which strategy which candidate is compared, in order."""
    return [(each.strategy, each.candidate) for each in facts(recorder, steps.SharesCompared)]


def test_both_strategies_are_recorded_for_all_queues_though_none_can_pass() -> None:
    made = equals(3, cpu=1)
    holder(made, "own", "q", 1)
    holder(made, "a1", "a", 2)
    holder(made, "b1", "b", 2, since=9)
    recorder = Recorder()
    assert preempted(made, 2, recorder=recorder) == {}
    assert strategies_recorded(recorder) == [
        (FINAL, "ns/b1"),
        (FINAL, "ns/a1"),
        (INITIAL, "ns/b1"),
        (INITIAL, "ns/a1"),
    ]


def test_the_second_strategy_is_recorded_though_nothing_failed_the_first() -> None:
    made = equals(2, cpu=1, within="LowerPriority")
    holder(made, "own", "q", 1)
    recorder = Recorder()
    assert preempted(made, 3, priority=1, recorder=recorder) == {}
    assert facts(recorder, steps.AttemptStarted) == [
        steps.AttemptStarted(True, FINAL),
        steps.AttemptStarted(True, INITIAL),
    ]


def test_of_candidates_that_a_weight_of_zero_excludes_the_first_is_compared_again() -> None:
    made = tree(
        queue("q", "team", cpu=0, weight=0, reclaim="Any"),
        queue("a", "team", cpu=0),
        queue("rest", "team", cpu=3),
    )
    for number in range(3):
        holder(made, f"a{number}", "a", 1, since=number + 1)
    recorder = Recorder()
    assert preempted(made, 1, recorder=recorder) == {}
    assert strategies_recorded(recorder) == [(INITIAL, "ns/a2")]


def test_queues_that_the_policy_never_reclaims_from_are_recorded() -> None:
    made = tree(queue("q", "team", cpu=1, within="LowerPriority"), queue("a", "team", cpu=1))
    holder(made, "a1", "a", 2)
    recorder = Recorder()
    assert preempted(made, 1, recorder=recorder) == {}
    (skipped,) = facts(recorder, steps.QueueSkipped)
    assert (skipped.queue, skipped.rule) == ("a", "policy-never")


def test_in_a_tie_of_a_cohort_and_a_queue_the_cohort_is_searched_first() -> None:
    made = tree(
        cohort("deep", "root"),
        queue("q", "root", cpu=2, reclaim="Any"),
        queue("x", "root", cpu=0),
        queue("y", "deep", cpu=0),
    )
    holder(made, "x1", "x", since=9)
    holder(made, "y1", "y")
    assert preempted(made) == {"y1": RECLAIM}


def test_the_own_queue_has_candidates_even_if_it_does_not_borrow() -> None:
    made = tree(queue("q", "team", cpu=2, within="LowerPriority"), queue("z", "team", cpu=0))
    holder(made, "own", "q")
    holder(made, "other", "z")
    assert preempted(made, priority=1) == {"own": IN_QUEUE}


# --- shortcuts ----------------------------------------------------------------------------------


class PlainOrdering(TargetOrdering):
    """Compares all ClusterQueues of a cohort anew for every target, as Kueue does."""

    def _highest_queue(self, cohort: CohortNode) -> tuple[ClusterQueueNode | None, Share]:
        best: ClusterQueueNode | None = None
        best_share = NO_SHARE
        for each in cohort.sorted_queues:
            if each in self._pruned:
                continue
            share = dominant_resource_share(each)
            borrows = share.borrowing or each is self._search.queue
            if not borrows or not self._candidates.of(each):
                self._pruned.add(each)
                continue
            order = compare_shares(share, best_share)
            if best is None or order > 0 or (order == 0 and self._rank(each) < self._rank(best)):
                best, best_share = each, share
        return best, best_share


@given(
    crowded(),
    st.integers(1, 3),
    st.integers(0, 2),
    st.booleans(),
    st.sampled_from([(FINAL, INITIAL), (FINAL,), (INITIAL,)]),
)
def test_shortcuts_find_the_targets_of_the_plain_search(
    make: Callable[[], QuotaTree],
    cpu: int,
    priority: int,
    within_nominal: bool,
    strategies: tuple[str, ...],
) -> None:
    """With a recorder the shares of all candidates are compared, one ClusterQueue after another."""
    more: dict[str, Any] = {
        "priority": priority,
        "strategies": strategies,
        "gates": {"FairSharingPreemptWithinNominal": within_nominal},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kueuelab.scheduler.preemption.fair.TargetOrdering", PlainOrdering)
        plain = preempted(make(), cpu, recorder=Recorder(), **more)
    assert list(preempted(make(), cpu, **more).items()) == list(plain.items())
