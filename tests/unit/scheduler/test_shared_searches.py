"""What searches of a cycle have in common is found once; what is certain is not checked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scheduler_lab import CPU, configuration, crowded, holder, no_topologies, queue, tree, workload

from kueuelab.quota import CohortNode, QuotaTree
from kueuelab.quota.candidates import CandidateIndex
from kueuelab.scheduler.preemption import Preemptor
from kueuelab.scheduler.preemption.search import Search, Target


def targets(preemptor: Preemptor, made: QuotaTree, name: str, cpu: int, priority: int) -> list[str]:
    """Return the targets of a workload in a ClusterQueue, in order."""
    preemptor.forget()
    asking, node = workload("new", cpu, priority=priority), made.cluster_queues[name]
    found = preemptor.targets(asking, node, {CPU: cpu * 1000}, (CPU,))
    return [f"{target.workload.key} {target.reason}" for target in found]


def preemptor_of(made: QuotaTree, *, fair: bool = False) -> Preemptor:
    return Preemptor(configuration(fair=fair), made, no_topologies(made))


@given(crowded() | crowded(flat=True), st.integers(1, 4), st.integers(0, 2), st.booleans())
def test_searches_of_a_cycle_find_what_each_would_find_alone(
    make: Callable[[], QuotaTree], cpu: int, priority: int, fair: bool
) -> None:
    made = make()
    together = preemptor_of(made, fair=fair)
    with made.simulation():
        for name in (*made.cluster_queues, "q"):
            alone = targets(preemptor_of(made, fair=fair), made, name, cpu, priority)
            assert targets(together, made, name, cpu, priority) == alone


@pytest.mark.parametrize("fair", [False, True])
def test_searches_of_a_cycle_have_only_what_does_not_depend_on_the_preemptor_in_common(
    fair: bool,
) -> None:
    """By priority, another preemptor has other candidates; for another flavor there are others."""
    made = tree(
        queue("q", "team", cpu=2, reclaim="LowerPriority"),
        queue("any", "team", cpu=2, reclaim="Any", flavors=("default", "spot")),
        *(queue(name, "team", cpu=0, flavors=("default", "spot")) for name in "ab"),
        queue("own", "team", cpu=2, within="LowerPriority", reclaim="Any"),
        queue("elsewhere", "other", cpu=2, reclaim="Any"),
        queue("c", "other", cpu=0),
    )
    holder(made, "own1", "own", 2, priority=3)
    holder(made, "c1", "c", 2)
    holder(made, "a1", "a", 3, priority=5)
    holder(made, "b1", "b", 2, flavor="spot")
    together = preemptor_of(made, fair=fair)
    with made.simulation():
        assert targets(together, made, "q", 1, 5) == []
        assert targets(together, made, "q", 1, 6) == ["ns/a1 InCohortReclamation"]
        assert targets(together, made, "any", 1, 0) == ["ns/a1 InCohortReclamation"]
        assert targets(together, made, "elsewhere", 1, 0) == ["ns/c1 InCohortReclamation"]
        # Two of one ClusterQueue, as in a second pass.
        assert "ns/own1 InClusterQueue" not in targets(together, made, "own", 6, 1)
        assert "ns/own1 InClusterQueue" in targets(together, made, "own", 2, 4)
        spot = ("spot", "cpu")
        asking, node = workload("new", 1), made.cluster_queues["any"]
        (found,) = together.targets(asking, node, {spot: 1000}, (spot,))
    assert found.workload.key == "ns/b1"


def test_the_queue_of_an_earlier_preemptor_has_candidates_for_later_ones() -> None:
    made = tree(queue("p", "team", cpu=0, reclaim="Any"), queue("r", "team", cpu=2, reclaim="Any"))
    holder(made, "p1", "p", 2)
    together = preemptor_of(made)
    with made.simulation():
        assert targets(together, made, "p", 1, 0) == []
        assert targets(together, made, "r", 1, 0) == ["ns/p1 InCohortReclamation"]


def borrowers(count: int) -> QuotaTree:
    """Make ClusterQueues that reclaim 3 cpus from so many others, which borrow 1 cpu each."""
    made = tree(
        *(queue(name, "team", cpu=3, within="LowerPriority", reclaim="Any") for name in "qrs"),
        *(queue(f"b{number}", "team", cpu=0) for number in range(count)),
    )
    for number in range(count):
        holder(made, f"w{number}", f"b{number}", 1, since=number)
    return made


def test_targets_are_neither_removed_nor_restored_with_a_check_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks: list[Search] = []
    fits = Search.fits

    def count(search: Search, *, borrowing: bool) -> bool:
        checks.append(search)
        return fits(search, borrowing=borrowing)

    monkeypatch.setattr(Search, "fits", count)
    made = borrowers(7)
    holder(made, "own", "q", 2, since=0)
    with made.simulation():
        found = targets(preemptor_of(made), made, "q", 3, 1)
    # The own workload counts against nominal quota, so that all the others are removed first.
    assert found == ["ns/w6 InCohortReclamation", "ns/own InClusterQueue"]
    assert len(checks) < 4


def test_targets_that_are_not_needed_are_not_restored_where_all_quota_is_lent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    restored: list[str] = []
    restore = Search.restore

    def count(search: Search, target: Target) -> None:
        restored.append(target.workload.key)
        restore(search, target)

    monkeypatch.setattr(Search, "restore", count)
    made = borrowers(7)
    holder(made, "own", "q", 2, since=0)
    with made.simulation():
        targets(preemptor_of(made), made, "q", 3, 1)
    assert restored == []


@pytest.fixture
def removed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the keys of the targets that are removed in simulation, as they are."""
    found: list[str] = []
    remove = Search.remove

    def count(search: Search, target: Target) -> None:
        found.append(target.workload.key)
        remove(search, target)

    monkeypatch.setattr(Search, "remove", count)
    return found


@pytest.mark.parametrize(("own", "tried"), [(0, True), (2, False)])
def test_no_target_is_removed_where_the_own_usage_alone_exceeds_nominal_quota(
    removed: list[str], own: int, tried: bool
) -> None:
    made = tree(
        queue("q", "team", cpu=3, reclaim="Any"),
        *(queue(f"b{number}", "team", cpu=0) for number in range(3)),
    )
    for number in range(3):
        holder(made, f"w{number}", f"b{number}", 1, since=number)
    holder(made, "own", "q", own, priority=0)
    with made.simulation():
        found = targets(preemptor_of(made), made, "q", 2, 1)
    assert bool(found) is bool(removed) is tried


def test_the_own_usage_may_come_within_nominal_quota_by_preemption_in_the_own_queue(
    removed: list[str],
) -> None:
    made = tree(
        queue("q", "team", cpu=3, borrow=0, within="LowerPriority", reclaim="Any"),
        queue("b", "team", cpu=0),
    )
    holder(made, "other", "b", 1)
    holder(made, "own", "q", 1, priority=0)
    holder(made, "senior", "q", 1, priority=1)
    with made.simulation():
        assert targets(preemptor_of(made), made, "q", 3, 1) == []
        assert removed == []
        assert "ns/own InClusterQueue" in targets(preemptor_of(made), made, "q", 2, 1)


def test_where_a_policy_is_never_no_candidate_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    made = borrowers(2)
    index = made.cluster_queues["b0"].candidates
    asked: list[bool] = []
    using = CandidateIndex.using

    def count(asking: CandidateIndex, frs: tuple[tuple[str, str], ...], *, evicted: bool) -> object:
        asked.append(asking is index)
        return using(asking, frs, evicted=evicted)

    monkeypatch.setattr(CandidateIndex, "using", count)
    with made.simulation():
        assert targets(preemptor_of(made), made, "b0", 1, 9) == []
    assert True not in asked


def test_the_candidates_of_a_cohort_are_found_once_a_cycle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    over_nominal = CohortNode.over_nominal

    def count(cohort: CohortNode, frs: tuple[tuple[str, str], ...]) -> object:
        looked.append(cohort.name)
        return over_nominal(cohort, frs)

    monkeypatch.setattr(CohortNode, "over_nominal", count)
    made = borrowers(9)
    together = preemptor_of(made)
    with made.simulation():
        for name in "qrs":
            assert len(targets(together, made, name, 3, 0)) == 3
    # Those being evicted, and the others.
    assert looked == ["team", "team"]
