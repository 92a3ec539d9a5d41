"""No search for targets is made where priorities and quotas rule them out."""

from __future__ import annotations

from typing import Any

import pytest
from scheduler_lab import (
    CPU,
    borrow_within_cohort,
    cohort,
    configuration,
    holder,
    no_topologies,
    queue,
    tree,
    workload,
)

from kueuelab.model import BorrowWithinCohort
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.preemption import Preemptor, Target, classical
from kueuelab.scheduler.preemption.search import Search


@pytest.mark.parametrize("evicted", [False, True])
@pytest.mark.parametrize(
    ("within", "priority", "made"),
    [
        ("Never", 9, False),
        ("LowerPriority", 4, False),
        ("LowerPriority", 5, False),
        ("LowerPriority", 6, True),
        ("LowerOrNewerEqualPriority", 4, False),
        ("LowerOrNewerEqualPriority", 5, True),
        ("Any", 0, True),
    ],
)
def test_no_search_is_made_where_priorities_leave_no_candidate(
    searches: list[str], within: str, priority: int, made: bool, evicted: bool
) -> None:
    alone = tree(queue("q", cpu=2, within=within))
    holder(alone, "a", "q", priority=5, evicted=evicted)
    search(alone, "new", priority=priority)
    assert searches == ["new"] * made


@pytest.mark.parametrize(
    ("reclaim", "borrow_policy", "cpu", "made"),
    [
        ("Never", None, 1, False),
        ("Never", None, 3, False),
        ("Any", None, 2, True),
        ("Any", None, 3, False),
        ("Any", borrow_within_cohort(), 3, True),
        ("LowerPriority", None, 2, True),
        ("LowerPriority", None, 3, False),
    ],
)
def test_no_search_is_made_in_other_queues_for_what_fits_into_nominal_quota_nowhere(
    searches: list[str],
    reclaim: str,
    borrow_policy: BorrowWithinCohort | None,
    cpu: int,
    made: bool,
) -> None:
    asking = queue("q", "c", cpu=2, reclaim=reclaim, borrow_policy=borrow_policy)
    both = tree(asking, queue("other", "c", cpu=2))
    holder(both, "a", "other", 4)
    search(both, "new", cpu)
    assert searches == ["new"] * made


def test_a_search_is_made_for_what_fits_into_the_nominal_quota_of_a_cohort(
    searches: list[str],
) -> None:
    """Of one below the root: it may reclaim what others outside of it borrow."""
    objects = [cohort("root"), cohort("c", "root", 3), queue("q", "c", cpu=2, reclaim="Any")]
    above = tree(*objects, queue("other", "root", cpu=2))
    holder(above, "a", "other", 7)
    for cpu in (2, 5, 6):
        search(above, f"new-{cpu}", cpu)
    assert searches == ["new-2", "new-5"]


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note for which workloads a search is made."""
    found: list[str] = []

    def note(search: Search) -> list[Target]:
        found.append(search.workload.obj.name)
        return []

    monkeypatch.setattr(classical, "find_targets", note)
    return found


def search(made: QuotaTree, name: str, cpu: int = 1, **rest: Any) -> None:
    preemptor = Preemptor(configuration(), made, no_topologies(made), None)
    queue_ = made.cluster_queues["q"]
    with made.simulation():
        assert not preemptor.targets(workload(name, cpu, **rest), queue_, {CPU: cpu * 1000}, (CPU,))
