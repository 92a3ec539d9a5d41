"""What a search knows without a look at the quota tree is what the tree says."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from scheduler_lab import (
    CPU,
    configuration,
    crowded,
    holder,
    no_topologies,
    queue,
    quotas,
    tree,
    workload,
)

from kueuelab.model import Cohort, FlavorResource, ObjectMeta
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.preemption.search import Search, Target
from kueuelab.topology import NOTHING_WANTED

LIMIT = st.sampled_from([None, 0, 1, 2, 4])
SPOT = ("spot", "cpu")


def search_of(made: QuotaTree, name: str, usage: dict[FlavorResource, int]) -> Search:
    """Return a search for a workload in a ClusterQueue that needs this much."""
    asking, node, placer = workload("new", 1), made.cluster_queues[name], no_topologies(made)
    wanted = NOTHING_WANTED
    return Search(made, configuration(), asking, node, usage, (CPU,), "targets", placer, wanted)


@given(
    crowded() | crowded(flat=True),
    st.sampled_from("qabcd"),
    st.integers(0, 4),
    st.integers(-1, 1),
    st.booleans(),
    st.data(),
)
def test_a_margin_says_nothing_else_than_the_tree(
    make: Callable[[], QuotaTree],
    name: str,
    cpu: int,
    more: int,
    borrowing: bool,
    data: st.DataObject,
) -> None:
    made = make()
    for each in made.cohorts.values():
        if each.parent is not None:
            limited = quotas(cpu=data.draw(st.integers(0, 2)), borrow=data.draw(LIMIT))
            made.set_cohort(Cohort(ObjectMeta(each.name), each.parent.name, limited))
    search = search_of(made, name, {CPU: max(1, cpu * 1000 + more), SPOT: 0})
    queues = made.cluster_queues
    near = [w for w in made.workloads() if queues[w.cluster_queue].root is search.queue.root]
    targets = [Target(each, "") for each in data.draw(st.permutations(near))]
    with made.simulation():
        margin = search.margin(borrowing=borrowing)
        assert margin is not None
        for target in targets:
            search.remove(target)
            if not margin.may_fit_without(target):
                assert not search.fits(borrowing=borrowing)
        if not search.fits(borrowing=borrowing):
            return
        # A ClusterQueue may use less than its workloads: with all of them removed, it is in debt.
        in_debt = any(used < 0 for node in queues.values() for used in node.usage.values())
        margin = search.margin(targets, borrowing=borrowing)
        assert margin is not None
        for target in reversed(targets):
            known = margin.verdict_with(target)
            search.restore(target)
            fits = search.fits(borrowing=borrowing)
            assert known in (None, fits)
            if search.queue.root.lends_all and not in_debt:
                assert known is not None
            if not fits:
                search.remove_again(target)
            if known is None:
                margin = search.margin(targets, borrowing=borrowing)
                assert margin is not None


def test_what_is_not_needed_fits_however_large_the_debt() -> None:
    both = ("default", "spot")
    made = tree(
        queue("q", "team", cpu=2, flavors=both, reclaim="Any"),
        queue("a", "team", cpu=0, flavors=both),
    )
    holder(made, "debt", "a", 9, flavor="spot")
    taken = holder(made, "taken", "a", 2)
    search, target = search_of(made, "q", {CPU: 1000, SPOT: 0}), Target(taken, "")
    with made.simulation():
        margin = search.margin(borrowing=True)
        assert margin is not None
        search.remove(target)
        assert margin.may_fit_without(target)
        margin = search.margin([target], borrowing=True)
        assert margin is not None
        assert margin.verdict_with(target) is False


def test_what_the_own_queue_owes_is_available_to_it() -> None:
    """An entry above its borrowing limit reserves less than nothing."""
    made = tree(queue("q", "team", cpu=0), queue("a", "team", cpu=0))
    target = Target(holder(made, "w", "q", 1), "")
    made.add_usage(made.cluster_queues["a"], {CPU: -1000})
    search = search_of(made, "a", {CPU: 1})
    with made.simulation():
        margin = search.margin(borrowing=True)
        assert margin is not None
        search.remove(target)
        assert search.fits(borrowing=True)
        assert margin.may_fit_without(target)


def test_a_limit_counts_for_those_below_it_only() -> None:
    limited = Cohort(ObjectMeta("x"), "top", quotas(cpu=1, borrow=0))
    made = tree(limited, queue("q", "x", cpu=0), queue("b", "top", cpu=2))
    target = Target(holder(made, "w", "b", 1), "")
    search = search_of(made, "q", {CPU: 1000})
    with made.simulation():
        search.remove(target)
        margin = search.margin([target], borrowing=True)
        assert margin is not None
        assert margin.verdict_with(target) is True
        search.restore(target)
        assert search.fits(borrowing=True)
