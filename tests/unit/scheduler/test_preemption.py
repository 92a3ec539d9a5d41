"""Which workloads are preempted without fair sharing, in which order, and by which variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scheduler_lab import (
    CPU,
    borrow_within_cohort,
    cohort,
    configuration,
    crowded,
    holder,
    no_topologies,
    queue,
    tree,
    workload,
)

from kueuelab.model import (
    Admission,
    AdmissionFairSharing,
    BorrowWithinCohort,
    ClusterQueue,
    Configuration,
    FlavorQuotas,
    FlavorResource,
    PodSetAssignment,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.assignment import PreemptionMode
from kueuelab.scheduler.preemption import Preemptor, Target
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder

IN_QUEUE, RECLAIM, WHILE = (
    "InClusterQueue",
    "InCohortReclamation",
    "InCohortReclaimWhileBorrowing",
)


def preempted(
    made: QuotaTree,
    cpu: int = 1,
    name: str = "q",
    *,
    settings: Configuration | None = None,
    recorder: Recorder | None = None,
    usage: Mapping[FlavorResource, int] | None = None,
    contested: tuple[FlavorResource, ...] = (CPU,),
    **rest: Any,
) -> dict[str, str]:
    """Return the targets of a workload of this size, with their reasons, in order."""
    asking = workload("new", cpu, **rest)
    needed = usage or {CPU: cpu * 1000}
    before = {node.name: dict(node.usage) for node in made.cluster_queues.values()}

    def search(recorder: Recorder | None) -> list[Target]:
        preemptor = Preemptor(settings or configuration(), made, no_topologies(made), recorder)
        with made.simulation():
            found = preemptor.targets(asking, made.cluster_queues[name], needed, contested)
            # A search leaves the tree as it was, with or without a result.
            assert before == {node.name: dict(node.usage) for node in made.cluster_queues.values()}
        return found

    found = search(recorder)
    # And it finds the same, recorded or not.
    assert search(None if recorder else Recorder()) == found
    return {target.workload.obj.name: target.reason for target in found}


def passed_over(recorder: Recorder, rule: str) -> list[steps.Facts]:
    """Return the steps about candidates that a rule excludes in an attempt."""
    found = facts(recorder, steps.CandidatePassedOver)
    return [each for each in found if getattr(each, "rule", "") == rule]


def facts(recorder: Recorder, kind: type[steps.Facts]) -> list[steps.Facts]:
    found = [each for each in recorder.steps if isinstance(each.facts, kind)]
    assert {(each.workload, each.cluster_queue) for each in found} <= {("ns/new", "q")}
    return [each.facts for each in found]


def attempts_of(recorder: Recorder) -> list[bool]:
    """Return for each attempt whether it may borrow."""
    found = facts(recorder, steps.AttemptStarted)
    return [each.borrowing for each in found if isinstance(each, steps.AttemptStarted)]


# --- within the ClusterQueue -------------------------------------------------------------------


def test_within_the_cluster_queue_the_policy_says_which_workloads_may_be_preempted() -> None:
    for policy, priority, found in (
        ("Never", 9, {}),
        ("LowerPriority", 1, {"b": IN_QUEUE}),
        ("LowerPriority", 0, {}),
        ("LowerOrNewerEqualPriority", 0, {"b": IN_QUEUE}),
        ("Any", -9, {"b": IN_QUEUE}),
    ):
        made = tree(queue("q", cpu=2, within=policy))
        holder(made, "a", "q", since=1, created=5)
        holder(made, "b", "q", since=2, created=5)
        assert preempted(made, priority=priority, created=4) == found, policy


def test_lower_priority_first_then_the_latest_reserved() -> None:
    made = tree(queue("q", cpu=4, within="LowerPriority"))
    holder(made, "high", "q", priority=2, since=9)
    holder(made, "early", "q", priority=1, since=1)
    holder(made, "late", "q", priority=1, since=2)
    holder(made, "low", "q", since=1)
    assert list(preempted(made, 3, priority=3)) == ["low", "late", "early"]
    assert list(preempted(made, 4, priority=2)) == []


def test_workloads_that_are_being_evicted_come_first() -> None:
    made = tree(queue("q", cpu=3, within="LowerPriority"))
    holder(made, "low", "q")
    holder(made, "leaving", "q", priority=2, evicted=True)
    holder(made, "other", "q", priority=1)
    assert list(preempted(made, priority=3)) == ["leaving"]
    assert list(preempted(made, 2, priority=3)) == ["leaving", "low"]


def test_with_admission_fair_sharing_the_usage_of_local_queues_comes_before_priority() -> None:
    """A workload that may not be preempted is passed over; more may come after it."""
    made = tree(queue("q", cpu=3, within="LowerPriority"))
    for name, local, priority in (("high", "much", 5), ("low", "much", 0), ("other", "little", 0)):
        holder(made, name, "q", priority=priority, local=local)
    used = {"ns/much": 10.0, "ns/little": 1.0}
    made.cluster_queues["q"].candidates.usage = used.__getitem__
    sharing = Configuration(admission_fair_sharing=AdmissionFairSharing(60))
    assert list(preempted(made, priority=1, settings=sharing)) == ["low"]
    assert list(preempted(made, 2, priority=1, settings=sharing)) == ["low", "other"]
    used["ns/little"] = 20.0
    assert list(preempted(made, priority=1, settings=sharing)) == ["other"]
    assert list(preempted(made, 2, priority=1, settings=sharing)) == ["other", "low"]
    # The policy Any knows no priority.
    made.set_cluster_queue(queue("q", cpu=3, within="Any"))
    assert list(preempted(made, 3, priority=1, settings=sharing)) == ["other", "low", "high"]


def test_a_workload_that_uses_nothing_contested_is_no_candidate() -> None:
    made = tree(queue("q", cpu=1, flavors=("default", "spot"), within="Any"))
    holder(made, "elsewhere", "q", flavor="spot")
    holder(made, "here", "q", priority=5)
    assert preempted(made) == {"here": IN_QUEUE}


def test_targets_that_are_not_needed_are_restored() -> None:
    """The last target closes the gap, so the order is as in Kueue."""
    made = tree(queue("q", cpu=6, within="LowerPriority"))
    holder(made, "a", "q", 1, priority=0)
    holder(made, "b", "q", 1, priority=1)
    holder(made, "c", "q", 1, priority=2)
    holder(made, "d", "q", 3, priority=3)
    recorder = Recorder()
    assert list(preempted(made, 4, priority=4, recorder=recorder)) == ["a", "d"]
    kept = [
        (each.facts.candidate, each.facts.kept)
        for each in recorder.steps
        if isinstance(each.facts, steps.FilledBack)
    ]
    assert kept == [("ns/c", True), ("ns/b", True), ("ns/a", False)]


def test_if_all_candidates_are_too_few_none_is_preempted() -> None:
    for within in ("LowerPriority", "Any"):
        made = tree(queue("q", cpu=4, within=within))
        holder(made, "low", "q", 2)
        holder(made, "same", "q", 2, priority=1)
        for recorder in (None, Recorder()):
            found = preempted(made, 3, priority=1, recorder=recorder)
            assert list(found) == ([] if within == "LowerPriority" else ["low", "same"])


def test_workloads_that_are_being_evicted_may_be_all_that_is_needed() -> None:
    made = tree(queue("q", cpu=2, within="LowerPriority"))
    holder(made, "leaving", "q", 2, evicted=True)
    assert list(preempted(made, 2, priority=3)) == ["leaving"]


# --- in the cohort -----------------------------------------------------------------------------


def test_reclaim_takes_only_from_cluster_queues_that_borrow() -> None:
    made = tree(queue("q", "team", cpu=2, reclaim="Any"), queue("b", "team"), queue("c", "team"))
    holder(made, "within", "c", 4, since=9)
    holder(made, "over", "b", 5, priority=99)
    holder(made, "own", "q", 1)
    assert preempted(made) == {"over": RECLAIM}
    made = tree(queue("q", "team", cpu=2, reclaim="LowerPriority"), queue("b", "team", cpu=0))
    holder(made, "over", "b", 2, priority=1)
    assert preempted(made) == preempted(made, priority=1) == {}
    assert preempted(made, priority=2) == {"over": RECLAIM}


def test_reclaim_stops_where_the_other_queue_is_within_nominal_quota_again() -> None:
    made = tree(queue("q", "team", cpu=3, reclaim="Any"), queue("b", "team", cpu=1))
    for name in ("b1", "b2", "b3"):
        holder(made, name, "b", 1)
    holder(made, "b4", "b", 1, priority=1)
    # Nothing is left to reclaim after three: the last is within b's own quota.
    recorder = Recorder()
    assert list(preempted(made, 3, recorder=recorder)) == ["b1", "b2", "b3"]
    assert preempted(made, 4, recorder=recorder) == {}
    assert passed_over(recorder, "queue-no-longer-borrowing")[-1] == steps.CandidatePassedOver(
        "ns/b4",
        "queue-no-longer-borrowing",
        {"queue": "b", "node": "ClusterQueue", "usage": [["default", "cpu", 1000, 1000]]},
    )


def test_after_a_candidate_that_is_excluded_the_next_ones_are_tried() -> None:
    made = tree(
        queue("q", "team", cpu=3, reclaim="Any"),
        queue("b", "team", cpu=1),
        queue("c", "team", cpu=0),
    )
    for name, priority in (("b1", 0), ("b2", 0), ("c1", 1), ("c2", 1)):
        holder(made, name, name[0], 1, priority=priority)
    assert list(preempted(made, 3)) == ["b1", "c1", "c2"]


def test_without_the_right_to_borrow_in_the_cohort_preemption_reaches_nominal_quota_only() -> None:
    """``borrowWithinCohort`` is what allows to preempt others in order to borrow."""
    for policy, found in (
        (None, {}),
        (BorrowWithinCohort("Never"), {}),
        (borrow_within_cohort(), {"over": WHILE}),
        (borrow_within_cohort(0), {"over": WHILE}),
        (borrow_within_cohort(-1), {}),
    ):
        made = tree(
            queue("q", "team", cpu=0, reclaim="LowerPriority", borrow_policy=policy),
            queue("b", "team", cpu=0),
            queue("c", "team", cpu=2),
        )
        holder(made, "over", "b", 2)
        for recorder in (None, Recorder()):
            assert preempted(made, priority=1, recorder=recorder) == found, policy


@pytest.mark.parametrize(
    ("priority", "own", "threshold", "found"),
    [
        (1, 3, None, {"over": WHILE}),
        (3, 3, None, {}),
        (2, 9, 2, {"over": WHILE}),
        (3, 9, 2, {}),
    ],
)
def test_while_borrowing_only_lower_priority_up_to_the_threshold_is_preempted(
    priority: int, own: int, threshold: int | None, found: dict[str, str]
) -> None:
    made = tree(
        queue("q", "team", cpu=0, reclaim="Any", borrow_policy=borrow_within_cohort(threshold)),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=2),
    )
    holder(made, "over", "b", 2, priority=priority)
    assert preempted(made, priority=own) == found


def test_if_the_attempt_with_borrowing_fails_one_without_is_made() -> None:
    """Within nominal quota any candidate counts, whatever its priority."""
    made = tree(
        queue(
            "q",
            "team",
            cpu=3,
            reclaim="Any",
            within="LowerPriority",
            borrow_policy=borrow_within_cohort(0),
        ),
        queue("b", "team", cpu=0),
    )
    holder(made, "own", "q", 1)
    holder(made, "over", "b", 2, priority=5)
    recorder = Recorder()
    found = preempted(made, 3, priority=9, recorder=recorder)
    assert found == {"over": RECLAIM, "own": IN_QUEUE}
    assert attempts_of(recorder) == [True, False]
    assert passed_over(recorder, "only-without-borrowing") == [
        steps.CandidatePassedOver(
            "ns/over",
            "only-without-borrowing",
            {
                "policy": "Any",
                "candidatePriority": 5,
                "preemptorPriority": 9,
                "borrowWithinCohort": "LowerPriority",
                "maxPriorityThreshold": 0,
            },
        )
    ]


@pytest.mark.parametrize(
    ("used", "attempts"),
    [(1, [False, True]), (2, [True])],
)
def test_which_attempts_are_made_without_the_right_to_borrow(
    used: int, attempts: list[bool]
) -> None:
    """First within nominal quota, if that is not used up; then in the own queue, borrowing."""
    made = tree(
        queue("q", "team", cpu=2, reclaim="Any", within="LowerPriority"),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=1),
    )
    holder(made, "own", "q", used)
    holder(made, "over", "b", 3 - used)
    recorder = Recorder()
    preempted(made, 3, priority=1, recorder=recorder)
    assert attempts_of(recorder) == attempts
    # In the attempt with borrowing, the workload of the other queue does not count.
    assert facts(recorder, steps.CandidatesOrdered) == [
        steps.CandidatesOrdered(("ns/over", "ns/own"))
    ]
    numbers = {"policy": "Any", "candidatePriority": 0, "preemptorPriority": 1}
    assert facts(recorder, steps.CandidatePassedOver) == [
        steps.CandidatePassedOver("ns/over", "only-without-borrowing", numbers)
    ]


@pytest.mark.parametrize(
    ("other", "attempts"),
    [
        ({}, [False, True]),
        ({"evicted": True}, [False, True]),
        ({"priority": 9}, [True]),
        ({"priority": 9, "evicted": True}, [True]),
    ],
)
def test_only_workloads_that_the_policy_allows_are_candidates_elsewhere(
    other: dict[str, Any], attempts: list[bool]
) -> None:
    made = tree(
        queue("q", "team", cpu=2, reclaim="LowerPriority", within="LowerPriority"),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=1),
    )
    holder(made, "own", "q", 1)
    holder(made, "over", "b", 2, **other)
    recorder = Recorder()
    preempted(made, 3, priority=1, recorder=recorder)
    assert attempts_of(recorder) == attempts


def test_nominal_quota_of_one_unit_is_not_used_up_before_it_is_used() -> None:
    one = (FlavorQuotas("default", (ResourceQuota("cpu", 1),)),)
    groups = (ResourceGroup(("cpu",), one),)
    made = tree(
        queue("q", "team", groups=groups, reclaim="Any", within="LowerPriority"),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=1),
    )
    holder(made, "over", "b", 1)
    recorder = Recorder()
    preempted(made, usage={CPU: 1000}, recorder=recorder)
    assert attempts_of(recorder) == [False, True]


def test_with_no_candidate_elsewhere_there_is_one_attempt_with_borrowing() -> None:
    made = tree(
        queue("q", "team", cpu=1, reclaim="Any", within="LowerPriority"),
        queue("b", "team", cpu=2),
    )
    holder(made, "own", "q", 2)
    holder(made, "within", "b", 1)
    recorder = Recorder()
    assert preempted(made, 2, priority=1, recorder=recorder) == {"own": IN_QUEUE}
    assert attempts_of(recorder) == [True]


def test_without_borrowing_the_request_must_be_within_nominal_quota() -> None:
    made = tree(
        queue("q", "team", cpu=2, reclaim="Any", within="LowerPriority"),
        queue("b", "team", cpu=2),
    )
    holder(made, "own", "q", 1)
    holder(made, "over", "b", 3)
    recorder = Recorder()
    # Over goes, and own too: it is the only way to have 2 cpus of the own quota.
    assert preempted(made, 2, priority=1, recorder=recorder) == {"over": RECLAIM, "own": IN_QUEUE}
    checks = [each.facts for each in recorder.steps if isinstance(each.facts, steps.FitChecked)]
    assert checks[0] == steps.FitChecked(False, False, "default", "cpu", 2000, 3000)
    assert checks[1].fits


def test_candidates_in_other_queues_come_before_those_of_the_own() -> None:
    made = tree(
        queue("q", "team", cpu=3, reclaim="Any", within="LowerPriority"),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=0),
    )
    holder(made, "own", "q", 1, priority=-5)
    holder(made, "b-high", "b", priority=3)
    recorder = Recorder()
    assert preempted(made, recorder=recorder) == {"b-high": RECLAIM}
    holder(made, "c-low", "c", priority=1)
    assert preempted(made, 1) == {"c-low": RECLAIM}
    (ordered,) = [
        each.facts for each in recorder.steps if isinstance(each.facts, steps.CandidatesOrdered)
    ]
    assert ordered.candidates == ("ns/b-high", "ns/own")


# --- hierarchical cohorts ----------------------------------------------------------------------


def nested(**q: Any) -> QuotaTree:
    """Return q and a sibling below ``team``, which has quota that ``other`` can borrow."""
    return tree(
        cohort("team", "root", cpu=q.pop("team", 0)),
        cohort("other", "root"),
        queue("q", "team", **{"cpu": 2, "reclaim": "LowerPriority", **q}),
        queue("sibling", "team", cpu=0),
        queue("far", "other", cpu=0),
        queue("farther", "other", cpu=0),
    )


def test_within_its_own_subtree_the_preemptor_needs_priority_above_it_needs_none() -> None:
    """Reclaim within nominal quota is hierarchical: no ``borrowWithinCohort`` is needed."""
    made = nested()
    holder(made, "far-low", "far", 2)
    assert preempted(made, 2, priority=1) == {"far-low": RECLAIM}
    recorder = Recorder()
    preempted(made, 2, priority=1, recorder=recorder)
    assert variants(recorder) == {"ns/far-low": "HierarchicalReclaim"}


def variants(recorder: Recorder) -> dict[str, str]:
    return {
        each.facts.candidate: each.facts.variant
        for each in recorder.steps
        if isinstance(each.facts, steps.CandidateConsidered)
    }


def test_the_hierarchical_advantage_begins_above_the_subtree_that_holds_the_request() -> None:
    """q has no quota; team has: towards its sibling q borrows, towards far it reclaims."""
    made = nested(cpu=0, team=2, borrow_policy=borrow_within_cohort())
    holder(made, "sibling-low", "sibling", 1)
    holder(made, "far-low", "far", 1)
    recorder = Recorder()
    found = preempted(made, 1, priority=1, recorder=recorder)
    assert variants(recorder) == {
        "ns/far-low": "HierarchicalReclaim",
        "ns/sibling-low": "ReclaimWhileBorrowing",
    }
    # Candidates by hierarchy come before those by priority.
    assert found == {"far-low": RECLAIM}
    # Two cpus are more than the team has left: there is no advantage anywhere.
    assert preempted(made, 2, priority=1) == {"far-low": WHILE, "sibling-low": WHILE}


def test_a_cohort_that_does_not_borrow_protects_queues_that_borrow_from_it() -> None:
    made = tree(
        cohort("other", "root", cpu=2),
        queue("q", "root", cpu=1, reclaim="Any"),
        queue("far", "other", cpu=0),
    )
    holder(made, "far1", "far", 2)
    assert preempted(made) == {}


def test_each_workload_is_a_candidate_once_whatever_the_height_of_the_tree() -> None:
    made = nested(cpu=0, borrow_policy=borrow_within_cohort())
    holder(made, "sibling-low", "sibling", 1)
    holder(made, "far-low", "far", 1)
    recorder = Recorder()
    preempted(made, priority=1, recorder=recorder)
    assert facts(recorder, steps.CandidatesOrdered) == [
        steps.CandidatesOrdered(("ns/far-low", "ns/sibling-low"))
    ]


def test_a_cohort_that_no_longer_borrows_protects_its_queues() -> None:
    made = tree(
        cohort("other", "root", cpu=1),
        queue("q", "root", cpu=2, reclaim="Any"),
        queue("far", "other", cpu=0),
        queue("farther", "other", cpu=0),
    )
    holder(made, "far1", "far", 1)
    holder(made, "far2", "far", 1)
    holder(made, "farther1", "farther", 1, priority=1)
    recorder = Recorder()
    assert preempted(made, 2, recorder=recorder) == {"far1": RECLAIM, "far2": RECLAIM}
    assert preempted(made, 3, recorder=recorder) == {}
    assert passed_over(recorder, "cohort-no-longer-borrowing")[-1] == steps.CandidatePassedOver(
        "ns/farther1",
        "cohort-no-longer-borrowing",
        {"queue": "other", "node": "Cohort", "usage": [["default", "cpu", 1000, 1000]]},
    )


def test_a_cohort_above_another_protects_its_queues_once_it_no_longer_borrows() -> None:
    """Without far2, upper is within its quota, though lower and far still borrow from it."""
    made = tree(
        cohort("upper", "root", cpu=2),
        cohort("lower", "upper"),
        queue("q", "root", cpu=1, reclaim="Any", borrow_policy=borrow_within_cohort()),
        queue("far", "lower", cpu=0),
    )
    for number in range(3):
        holder(made, f"far{number}", "far", since=number)
    assert preempted(made, 1, priority=1) == {"far2": RECLAIM}
    assert preempted(made, 2, priority=1) == {}
    recorder = Recorder()
    assert preempted(made, 3, priority=1, recorder=recorder) == {}
    assert passed_over(recorder, "cohort-no-longer-borrowing")[0] == steps.CandidatePassedOver(
        "ns/far1",
        "cohort-no-longer-borrowing",
        {"queue": "upper", "node": "Cohort", "usage": [["default", "cpu", 2000, 2000]]},
    )


def test_the_hierarchical_advantage_lasts_up_to_the_root() -> None:
    """q fits into its own quota; that its cohort borrows makes no difference."""
    made = nested()
    holder(made, "sibling-low", "sibling", 3)
    holder(made, "far-low", "far", 2)
    recorder = Recorder()
    preempted(made, 1, priority=1, recorder=recorder)
    assert set(variants(recorder).values()) == {"HierarchicalReclaim"}


# --- several resources --------------------------------------------------------------------------

OTHER = ("default", "pods")


def with_pods(name: str, cpu: int, pods: int, **spec: Any) -> ClusterQueue:
    """Return a ClusterQueue of a cohort with quota for cpus and pods."""
    quotas = ResourceQuota("cpu", cpu * 1000), ResourceQuota("pods", pods)
    groups = (ResourceGroup(("cpu", "pods"), (FlavorQuotas("default", quotas),)),)
    return queue(name, "team", groups=groups, **spec)


def hold(made: QuotaTree, name: str, cluster_queue: str, *, cpu: int = 0, pods: int = 0) -> None:
    """Add a workload that holds cpus and pods; what is added later is a candidate earlier."""
    state = workload(name, cpu)
    usage = {key: value for key, value in (("cpu", cpu * 1000), ("pods", pods)) if value}
    flavors = dict.fromkeys(usage, "default")
    state.admission = Admission(cluster_queue, (PodSetAssignment("main", flavors, usage, 1),))
    since = 1 + sum(len(each.workloads) for each in made.cluster_queues.values())
    state.set_condition("QuotaReserved", "True", "QuotaReserved", "", since)
    state.refresh()
    assert made.add_workload(state)


def test_the_own_queue_is_no_other_one_though_it_borrows_what_is_contested() -> None:
    """Requests are in cpus: they fit into nominal quota, but for the pods."""
    made = tree(
        with_pods("q", 4, 1, reclaim="Any", borrow_policy=borrow_within_cohort()),
        with_pods("r", 4, 1, reclaim="Any", borrow_policy=borrow_within_cohort()),
        with_pods("rest", 0, 1),
    )
    hold(made, "own", "q", pods=3)
    recorder = Recorder()
    asked: dict[str, Any] = {"usage": {CPU: 1000}, "contested": (OTHER,)}
    assert preempted(made, **asked, recorder=recorder) == {}
    assert attempts_of(recorder) == [True]
    preemptor = Preemptor(configuration(), made, no_topologies(made))
    with made.simulation():
        for name, found in (("q", []), ("r", ["ns/own"])):
            preemptor.forget()
            targets = preemptor.targets(
                workload("new"), made.cluster_queues[name], {CPU: 1000}, (OTHER,)
            )
            assert [target.workload.key for target in targets] == found


def test_a_workload_of_the_own_queue_is_considered_once_though_it_borrows() -> None:
    made = tree(
        queue("q", "team", cpu=1, reclaim="Any", within="LowerPriority"),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=3),
    )
    holder(made, "own", "q", 2)
    holder(made, "over", "b", 2)
    recorder = Recorder()
    preempted(made, 1, priority=1, recorder=recorder)
    considered = facts(recorder, steps.CandidateConsidered)
    assert sorted(str(each.candidate) for each in considered) == [  # type: ignore[attr-defined]
        "ns/over",
        "ns/own",
    ]


def test_nominal_quota_that_is_not_used_at_all_can_be_used_up() -> None:
    made = tree(
        with_pods("q", 1, 2, reclaim="Any", within="Any"),
        with_pods("b", 0, 0),
    )
    hold(made, "over", "b", cpu=1)
    hold(made, "own", "q", pods=1)
    found = preempted(made, usage={CPU: 1000, OTHER: 2}, contested=(CPU, OTHER))
    assert found == {"over": RECLAIM, "own": IN_QUEUE}


def test_what_does_not_hold_a_resource_does_not_count_against_it_when_restored() -> None:
    """Beside ``new`` there is room for 1 cpu and 1 pod."""
    made = tree(
        with_pods("q", 5, 2, reclaim="Any", within="Any"),
        with_pods("b", 0, 0),
    )
    hold(made, "needed", "q", cpu=3)
    hold(made, "cpu", "q", cpu=1)
    hold(made, "pod", "q", pods=1)
    hold(made, "over", "b", cpu=1)
    found = preempted(made, usage={CPU: 4000, OTHER: 1}, contested=(CPU, OTHER))
    assert found == {"over": RECLAIM, "needed": IN_QUEUE}


# --- what a flavor may expect ------------------------------------------------------------------


def possibility(made: QuotaTree, cpu: int = 1, **rest: Any) -> tuple[PreemptionMode, int]:
    preemptor = Preemptor(configuration(), made, no_topologies(made))
    head, amount = made.cluster_queues["q"], cpu * 1000
    borrow, _ = head.lowest_subtree_that_fits(CPU, amount)
    with made.simulation():
        found = preemptor.possibility(workload("new", cpu, **rest), head, CPU, amount, borrow)
        assert made.mark() == 0
    return found


def test_what_preemption_could_do_for_a_flavor() -> None:
    spec: dict[str, Any] = {"reclaim": "Any", "within": "LowerPriority"}
    made = tree(queue("q", "team", cpu=2, **spec), queue("b", "team", cpu=0))
    assert possibility(made, 3) == (PreemptionMode.NoCandidates, 1)
    assert possibility(made, 2) == (PreemptionMode.NoCandidates, 0)
    holder(made, "over", "b", 2)
    assert possibility(made, 2) == (PreemptionMode.Reclaim, 0)
    made = tree(queue("q", "team", cpu=2, **spec), queue("b", "team", cpu=1))
    holder(made, "own", "q", 2)
    holder(made, "own2", "q", 1)
    assert possibility(made, 1, priority=1) == (PreemptionMode.Preempt, 0)
    assert possibility(made, 3, priority=1) == (PreemptionMode.Preempt, 1)


@pytest.mark.parametrize("recorded", [False, True])
def test_the_same_search_is_made_once_unless_it_is_forgotten_or_recorded(recorded: bool) -> None:
    made = tree(queue("q", cpu=1, within="LowerPriority"))
    low = holder(made, "low", "q")
    recorder = Recorder() if recorded else None
    preemptor = Preemptor(configuration(), made, no_topologies(made), recorder)
    asking, node = workload("new", 1, priority=1), made.cluster_queues["q"]

    def targets(cpu: int = 1) -> list[str]:
        with made.simulation():
            found = preemptor.targets(asking, node, {CPU: cpu * 1000}, (CPU,))
        return [target.workload.obj.name for target in found]

    assert targets() == ["low"]
    made.remove_workload(low)
    assert targets() == ([] if recorded else ["low"])
    preemptor.forget()
    assert targets() == []
    holder(made, "low", "q")
    assert targets(2) == []
    assert targets() == ["low"]


# --- what is recorded --------------------------------------------------------------------------


def test_a_search_is_recorded_from_its_beginning_to_its_targets() -> None:
    recorder = Recorder()
    policy = borrow_within_cohort(7)
    made = tree(
        queue("q", "team", cpu=2, reclaim="Any", within="LowerPriority", borrow_policy=policy),
        queue("b", "team", cpu=0),
        queue("c", "team", cpu=1),
    )
    holder(made, "own", "q", 1)
    holder(made, "over", "b", 2, priority=4)
    holder(made, "within", "c", 0)
    assert preempted(made, priority=5, recorder=recorder) == {"over": RECLAIM}
    assert facts(recorder, steps.PreemptionStarted) == [
        steps.PreemptionStarted(
            "targets",
            (("default", "cpu", 1000),),
            (CPU,),
            ("classical",),
            {
                "withinClusterQueue": "LowerPriority",
                "reclaimWithinCohort": "Any",
                "borrowWithinCohort": "LowerPriority",
                "maxPriorityThreshold": 7,
            },
            (("default", "cpu", 1000, 2000),),
        )
    ]
    assert facts(recorder, steps.QueueSkipped) == [
        steps.QueueSkipped(
            "c", "not-borrowing", {"node": "ClusterQueue", "usage": [["default", "cpu", 0, 1000]]}
        )
    ]
    compared = {"candidatePriority": 4, "preemptorPriority": 5}
    borrow = {"borrowWithinCohort": "LowerPriority", "maxPriorityThreshold": 7}
    assert facts(recorder, steps.CandidateConsidered) == [
        steps.CandidateConsidered(
            "ns/over",
            "b",
            included=True,
            rule="policy-Any",
            variant="HierarchicalReclaim",
            numbers={"policy": "Any", **compared, **borrow},
        ),
        steps.CandidateConsidered(
            "ns/own",
            "q",
            included=True,
            rule="policy-LowerPriority",
            variant="WithinClusterQueue",
            numbers={"policy": "LowerPriority", "candidatePriority": 0, "preemptorPriority": 5},
        ),
    ]
    assert facts(recorder, steps.WorkloadRemoved) == [steps.WorkloadRemoved("ns/over", RECLAIM)]
    assert facts(recorder, steps.TargetsChosen) == [
        steps.TargetsChosen("targets", (("ns/over", RECLAIM),))
    ]


def test_why_a_candidate_is_excluded_is_recorded_with_what_was_compared() -> None:
    recorder = Recorder()
    made = tree(
        queue("q", "team", cpu=1, flavors=("default", "spot"), within="LowerOrNewerEqualPriority"),
        queue("b", "team", cpu=1),
        queue("a", "team", cpu=1),
    )
    holder(made, "older", "q", created=3)
    holder(made, "spot", "q", flavor="spot", created=7)
    preempted(made, recorder=recorder, created=5)
    policy = {"policy": "LowerOrNewerEqualPriority", "candidatePriority": 0, "preemptorPriority": 0}
    found = {
        each.candidate: (each.included, each.rule, each.variant, each.numbers)
        for each in facts(recorder, steps.CandidateConsidered)
        if isinstance(each, steps.CandidateConsidered)
    }
    assert found == {
        "ns/older": (
            False,
            "not-newer",
            "",
            {**policy, "candidateQueuedAt": 3, "preemptorQueuedAt": 5},
        ),
        "ns/spot": (
            False,
            "uses-none-contested",
            "",
            {
                **policy,
                "candidateQueuedAt": 7,
                "preemptorQueuedAt": 5,
                "contested": [["default", "cpu"]],
            },
        ),
    }
    assert facts(recorder, steps.QueueSkipped) == [
        steps.QueueSkipped("a", "policy-never"),
        steps.QueueSkipped("b", "policy-never"),
    ]


def test_times_are_recorded_only_where_they_are_compared() -> None:
    """They are where the policy is LowerOrNewerEqualPriority and both priorities are equal."""

    def times(within: str, priority: int) -> bool:
        made = tree(queue("q", cpu=1, within=within))
        holder(made, "held", "q", priority=priority)
        recorder = Recorder()
        preempted(made, priority=1, recorder=recorder)
        (found,) = facts(recorder, steps.CandidateConsidered)
        assert isinstance(found, steps.CandidateConsidered)
        return "candidateQueuedAt" in found.numbers

    assert times("LowerOrNewerEqualPriority", 1)
    assert not times("LowerOrNewerEqualPriority", 0)
    assert not times("LowerPriority", 1)


def test_a_queue_without_quota_for_what_is_contested_is_recorded_with_none() -> None:
    made = tree(queue("q", "team", cpu=1, reclaim="Any"), queue("b", "team", flavors=("spot",)))
    recorder = Recorder()
    preempted(made, recorder=recorder)
    assert facts(recorder, steps.QueueSkipped) == [
        steps.QueueSkipped(
            "b", "not-borrowing", {"node": "ClusterQueue", "usage": [["default", "cpu", 0, 0]]}
        )
    ]
    (started,) = facts(recorder, steps.PreemptionStarted)
    assert isinstance(started, steps.PreemptionStarted)
    assert started.usage == (("default", "cpu", 0, 1000),)


def test_of_nodes_that_do_not_borrow_the_highest_is_recorded() -> None:
    recorder = Recorder()
    made = tree(
        cohort("calm", "root", cpu=4),
        cohort("busy", "root"),
        queue("q", "root", cpu=4, reclaim="Any"),
        queue("calm1", "calm", cpu=1),
        queue("busy1", "busy", cpu=0),
        queue("busy2", "busy", cpu=1),
        queue("z", "root", cpu=1),
    )
    holder(made, "c", "calm1", 2)
    holder(made, "b", "busy1", 3)
    preempted(made, 4, recorder=recorder)
    skipped = facts(recorder, steps.QueueSkipped)
    assert [getattr(each, "queue", "") for each in skipped] == ["calm", "z", "busy2"]
    assert skipped[0] == steps.QueueSkipped(
        "calm", "not-borrowing", {"node": "Cohort", "usage": [["default", "cpu", 2000, 5000]]}
    )


@given(crowded() | crowded(flat=True), st.integers(1, 6), st.integers(0, 2))
def test_shortcuts_find_the_targets_of_the_full_search(
    make: Callable[[], QuotaTree], cpu: int, priority: int
) -> None:
    """With a recorder all candidates are removed one by one, for the record."""
    full = preempted(make(), cpu, priority=priority, recorder=Recorder())
    assert list(preempted(make(), cpu, priority=priority).items()) == list(full.items())


@given(
    st.lists(st.tuples(st.integers(1, 2), st.integers(0, 1)), min_size=2, max_size=6),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2), st.integers(0, 3)), max_size=8),
    st.integers(1, 6),
)
def test_targets_of_the_own_queue_are_in_the_order_of_the_full_search(
    own: list[tuple[int, int]], others: list[tuple[str, int, int]], cpu: int
) -> None:
    """Each candidate elsewhere that is restored gives its place to the last target."""

    def make() -> QuotaTree:
        used = sum(size for size, _ in own) + sum(size for _, size, _ in others)
        made = tree(
            queue("q", "team", cpu=6, within="LowerPriority", reclaim="Any"),
            *(queue(name, "team", cpu=1) for name in "ab"),
            queue("lends", "team", cpu=max(0, used - 8)),
        )
        for number, (size, priority) in enumerate(own):
            holder(made, f"q{number}", "q", size, since=number + 1, priority=priority)
        for number, (name, size, priority) in enumerate(others):
            holder(made, f"{name}{number}", name, size, since=number + 1, priority=priority)
        return made

    full = preempted(make(), cpu, priority=2, recorder=Recorder())
    assert list(preempted(make(), cpu, priority=2).items()) == list(full.items())


def ordered(recorder: Recorder) -> list[str]:
    """Return the recorded order of the candidates of the only search."""
    (found,) = facts(recorder, steps.CandidatesOrdered)
    assert isinstance(found, steps.CandidatesOrdered)
    return [key.removeprefix("ns/") for key in found.candidates]


def test_candidates_outside_the_subtree_that_holds_the_request_are_recorded_first() -> None:
    recorder = Recorder()
    made = tree(
        cohort("x", "root", cpu=3),
        queue("q", "x", cpu=1, reclaim="Any"),
        queue("near", "x", cpu=0),
        queue("far", "root", cpu=0),
        queue("lends", "root", cpu=2),
    )
    holder(made, "n", "near", 2, priority=0)
    holder(made, "f", "far", 2, priority=5)
    holder(made, "l", "lends", 2)
    assert preempted(made, 2, recorder=recorder) == {"f": RECLAIM}
    assert ordered(recorder) == ["f", "n"]


def test_with_admission_fair_sharing_the_order_by_usage_is_recorded() -> None:
    """Also that of candidates which an attempt with borrowing leaves out."""
    recorder = Recorder()
    made = tree(
        queue("q", "team", cpu=2, within="LowerPriority", reclaim="Any"),
        queue("borrows", "team", cpu=0),
        queue("lends", "team", cpu=2),
    )
    used = {"ns/much": 10.0, "ns/little": 1.0}
    for node in made.cluster_queues.values():
        node.candidates.usage = used.__getitem__
    holder(made, "low", "q", priority=0, local="little")
    holder(made, "high", "q", priority=1, local="much")
    holder(made, "elsewhere", "borrows", 2, local="little")
    sharing = Configuration(admission_fair_sharing=AdmissionFairSharing(60))
    preempted(made, 1, priority=2, settings=sharing, recorder=recorder)
    assert ordered(recorder) == ["elsewhere", "high", "low"]


def test_candidates_that_are_being_evicted_are_recorded_first() -> None:
    recorder = Recorder()
    made = tree(queue("q", cpu=3, within="LowerPriority"))
    holder(made, "low", "q")
    holder(made, "leaving", "q", priority=2, evicted=True)
    holder(made, "other", "q", priority=1)
    preempted(made, priority=3, recorder=recorder)
    assert ordered(recorder) == ["leaving", "low", "other"]


def test_all_other_queues_are_recorded_where_the_policy_reclaims_from_none() -> None:
    made = tree(*(queue(name, "team", cpu=1, within="LowerPriority") for name in "pqrst"))
    recorder = Recorder()
    preempted(made, recorder=recorder)
    rule = "policy-never"
    assert facts(recorder, steps.QueueSkipped) == [steps.QueueSkipped(n, rule) for n in "prst"]


def test_a_cohort_and_a_queue_of_one_name_are_recorded_with_what_each_uses() -> None:
    made = tree(
        cohort("twin", "root", cpu=4),
        queue("q", "root", reclaim="Any"),
        queue("twin", "root", cpu=3),
    )
    recorder = Recorder()
    preempted(made, recorder=recorder)
    skipped = facts(recorder, steps.QueueSkipped)
    assert skipped == [
        steps.QueueSkipped(
            "twin", "not-borrowing", {"node": kind, "usage": [["default", "cpu", 0, quota]]}
        )
        for kind, quota in (("Cohort", 4000), ("ClusterQueue", 3000))
    ]
