"""The policies of preemption and queueing that are offered, and other cohorts."""

from __future__ import annotations

from typing import Any

from offered import Offer, offer, offers, subject_of
from small_labs import FAIR, flavor, job, lab, manifest, queue

from kueuelab.whatif.policies import cohorts, policies, preemption

TEAM = ("team",)


def of(*values: str, size: int = 1) -> list[Offer]:
    """Return offers of so many fields of preemption, with their values."""
    edits = [
        ", ".join(f"spec.preemption.{field}" for field in each.split(", ", size - 1))
        for each in values
    ]
    return [
        Offer(
            "preemption",
            f"set {each} of ClusterQueue team",
            [f"edit ClusterQueue/team: {edit}"],
            TEAM,
            size,
        )
        for each, edit in zip(values, edits, strict=True)
    ]


def levels(now: dict[str, Any], **more: Any) -> list[list[Offer]]:
    """Return what is offered, level by level, to a queue with a policy of preemption."""
    cohort = more.pop("cohort", {"cohortName": "all"})
    jobs = [
        *(job(f"j{priority}", "other", 1, priority) for priority in (2, 3, 4, 5, 6)),
        job("late", "team", 4, 5),
    ]
    objects = [
        flavor(),
        queue("team", {"default": 1}, preemption=now, **cohort),
        queue("other", {"default": 5}, cohortName="all"),
    ]
    found = preemption(subject_of(lab(objects, jobs, more.get("configuration")).run()))
    return [[offer(each, level) for level in range(1, each.most + 1)] for each in found]


def test_each_policy_of_preemption_can_be_stronger_the_weakest_first() -> None:
    assert levels({}) == [
        of("withinClusterQueue: LowerPriority", "withinClusterQueue: LowerOrNewerEqualPriority"),
        of(
            "reclaimWithinCohort: LowerPriority, borrowWithinCohort: {policy: LowerPriority}",
            size=2,
        ),
        of("reclaimWithinCohort: LowerPriority", "reclaimWithinCohort: Any"),
    ]


def test_only_stronger_ones_are_offered() -> None:
    now = {
        "withinClusterQueue": "LowerPriority",
        "reclaimWithinCohort": "LowerPriority",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 2},
    }
    threshold = "borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: %d}"
    assert levels(now) == [
        of("withinClusterQueue: LowerOrNewerEqualPriority"),
        of(threshold % 3, threshold % 4, "borrowWithinCohort: {policy: LowerPriority}"),
        of("reclaimWithinCohort: Any"),
    ]
    strongest = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority"},
    }
    assert levels(strongest) == []


def test_with_fair_sharing_borrowing_is_no_policy() -> None:
    never = {"reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "Never"}}
    within = of(
        "withinClusterQueue: LowerPriority", "withinClusterQueue: LowerOrNewerEqualPriority"
    )
    assert levels(never, configuration=FAIR) == [within]
    assert levels(never) == [within, of("borrowWithinCohort: {policy: LowerPriority}")]


def test_without_a_cohort_there_is_nothing_to_reclaim() -> None:
    assert levels({"withinClusterQueue": "LowerPriority"}, cohort={}) == [
        of("withinClusterQueue: LowerOrNewerEqualPriority")
    ]


def gone() -> Any:
    objects = [flavor(), manifest("LocalQueue", "team", {"clusterQueue": "missing"})]
    return subject_of(lab(objects, [job("late", "team", 4)]).run())


def test_a_queue_that_is_not_there_has_no_policies() -> None:
    assert [*preemption(gone()), *policies(gone()), *cohorts(gone())] == []


# --- the order of the queue, and flavors --------------------------------------------------------


def test_a_strict_queue_may_go_on_behind_its_head() -> None:
    team = queue("team", {"default": 1}, queueingStrategy="StrictFIFO")
    run = lab([flavor(), team], [job("late", "team", 2)]).run()
    assert offers(policies(subject_of(run))) == [
        (
            "strategy",
            "set queueingStrategy: BestEffortFIFO of ClusterQueue team",
            ["edit ClusterQueue/team: spec.queueingStrategy: BestEffortFIFO"],
            TEAM,
            1,
        )
    ]


def fungible(now: dict[str, Any], *names: str) -> list[Offer]:
    team = queue("team", dict.fromkeys(names, 1), flavorFungibility=now)
    return offers(
        policies(subject_of(lab([*map(flavor, names), team], [job("late", "team", 2)]).run()))
    )


def test_with_several_flavors_the_next_one_may_be_tried() -> None:
    assert fungible({}, "one", "two") == [
        (
            "fungibility",
            f"set {field} of ClusterQueue team",
            [f"edit ClusterQueue/team: spec.flavorFungibility.{field}"],
            TEAM,
            1,
        )
        for field in ("whenCanBorrow: TryNextFlavor", "whenCanPreempt: MayStopSearch")
    ]
    assert fungible({}, "one") == []
    now = {"whenCanBorrow": "TryNextFlavor"}
    assert [each.text for each in fungible(now, "one", "two")] == [
        "set whenCanPreempt: MayStopSearch of ClusterQueue team"
    ]
    both = {**now, "whenCanPreempt": "TryNextFlavor"}
    preferring = {**both, "preference": "BorrowingOverPreemption"}
    assert [len(fungible(each, "one", "two")) for each in (both, preferring)] == [1, 0]


# --- cohorts ------------------------------------------------------------------------------------


def test_four_other_cohorts_are_offered_those_with_the_most_that_is_free_first() -> None:
    """What is used there does not count, nor what is free where it is used up elsewhere."""
    spare = {"e": 1, "d": 2, "c": 2, "b": 4, "a": 9, "f": 0}
    objects = [
        flavor(),
        queue("team", {"default": 1}, cohortName="own"),
        *(queue(name, {"default": cpu}, cohortName=f"of-{name}") for name, cpu in spare.items()),
    ]
    run = lab(objects, [job("fills", "a", 8), job("late", "team", 2)]).run()
    found = cohorts(subject_of(run))
    assert [each.most for each in found] == [1] * 4
    assert offers(found) == [
        (
            "cohort",
            f"put ClusterQueue team into cohort of-{name}",
            [f"edit ClusterQueue/team: spec.cohortName: of-{name}"],
            TEAM,
            1,
        )
        for name in ("b", "c", "d", "a")
    ]


def test_a_cohort_is_offered_if_anything_is_free_that_it_could_use() -> None:
    objects = [
        *(flavor(name) for name in ("default", "other")),
        queue("team", {"default": 1}, cohortName="own"),
        queue("full", {"default": 3}, cohortName="of-full"),
        queue("else", {"other": 9}, cohortName="of-else"),
        queue("least", {"default": "1m"}, cohortName="of-least"),
    ]
    run = lab(objects, [job("fills", "full", 3), job("late", "team", 2)]).run()
    assert [each.text for each in offers(cohorts(subject_of(run)))] == [
        "put ClusterQueue team into cohort of-least"
    ]
