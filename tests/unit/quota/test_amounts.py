"""What is available, borrowed, lent and used, in trees small enough to reckon by hand."""

from __future__ import annotations

from quota_lab import FR, OTHER, UNKNOWN, build, groups, use, used

from kueuelab.model import UNLIMITED, ClusterQueue, ObjectMeta
from kueuelab.quantity import MAX_INT64
from kueuelab.quota import CohortNode, Node, QuotaTree
from kueuelab.quota.node import added


def test_without_a_quota_nothing_is_there_to_use() -> None:
    tree = build({"q": ("team", (4, None, None)), "alone": ("", (4, None, None))})
    for queue in tree.cluster_queues.values():
        assert queue.available(UNKNOWN) == 0
        assert queue.potential_available(UNKNOWN) == 0
        assert queue.local_quota(UNKNOWN) == 0
        assert queue.local_available(UNKNOWN) == 0
        assert not queue.borrowing_with(UNKNOWN, 0)
        assert queue.is_within_nominal([UNKNOWN])
        assert queue.has_room_for({UNKNOWN: 0})
        assert queue.beyond_local_quota({UNKNOWN: 0}) == {UNKNOWN: 0}
        assert not queue.has_room_for({UNKNOWN: 1})
    cohort = tree.cohorts["team"]
    assert not cohort.borrowing_with(UNKNOWN, 0)
    assert cohort.borrowing_with(UNKNOWN, 1)
    assert cohort.over_nominal([UNKNOWN]) == []
    assert tree.cluster_queues["q"].lendable() == {"cpu": 4}


def test_usage_without_a_quota_is_over_it() -> None:
    tree = build({"q": ("team", (4, None, None))})
    queue = tree.cluster_queues["q"]
    tree.add_usage(queue, {UNKNOWN: 1})
    assert not queue.is_within_nominal([UNKNOWN])
    assert tree.cohorts["team"].over_nominal([UNKNOWN]) == [queue]


def test_available_is_the_rest_of_the_quota_and_what_the_cohort_has() -> None:
    tree = build({"a": ("team", (4, None, None)), "b": ("team", (6, None, None))})
    use(tree, a=1, b=2)
    assert tree.cluster_queues["a"].available(FR) == 7
    use(tree, b=9)
    assert tree.cluster_queues["a"].available(FR) == 0
    alone = build({"a": ("", (4, None, None))})
    use(alone, a=3)
    assert alone.cluster_queues["a"].available(FR) == 1


def test_a_borrowing_limit_counts_from_what_is_borrowed_already() -> None:
    tree = build({"a": ("team", (4, 3, 1)), "b": ("team", (20, None, None))})
    a = tree.cluster_queues["a"]
    assert (a.available(FR), a.potential_available(FR)) == (7, 7)
    use(tree, a=2)  # It keeps 3, of which 1 is left.
    assert (a.local_quota(FR), a.local_available(FR)) == (3, 1)
    assert a.available(FR) == 5
    use(tree, a=3)
    assert (a.local_available(FR), a.available(FR)) == (0, 2)
    use(tree, a=2)
    assert a.available(FR) == 0


def test_a_lending_limit_keeps_the_rest() -> None:
    tree = build({"a": ("team", (10, None, 4)), "b": ("team", (5, None, 9))})
    a, b = tree.cluster_queues["a"], tree.cluster_queues["b"]
    assert (a.local_quota(FR), b.local_quota(FR)) == (6, 0)
    assert tree.cohorts["team"].subtree_quota == {FR: 9}
    assert (a.available(FR), b.available(FR)) == (15, 9)
    use(tree, a=6)
    assert used(tree) == {"a": 6, "b": None, "team": None}
    use(tree, a=1)
    assert used(tree) == {"a": 7, "b": None, "team": 1}
    assert b.available(FR) == 8


def test_usage_comes_back_from_the_parent_first() -> None:
    tree = build(
        {"a": ("team", (4, None, 1))}, {"root": ("", None), "team": ("root", (2, None, 1))}
    )
    a = tree.cluster_queues["a"]
    tree.add_usage(a, {FR: 7, OTHER: 1})
    assert used(tree) == {"a": 7, "root": 2, "team": 4}
    assert tree.cohorts["root"].usage == {FR: 2, OTHER: 1}
    tree.remove_usage(a, {FR: 1, OTHER: 1})
    assert used(tree) == {"a": 6, "root": 1, "team": 3}
    assert tree.cohorts["root"].usage == {FR: 1, OTHER: 0}
    tree.remove_usage(a, {FR: 3})
    assert used(tree) == {"a": 3, "root": 0, "team": 0}


def test_what_a_node_keeps_its_parent_does_not_see() -> None:
    tree = build({"a": ("team", (4, None, 1))})
    a = tree.cluster_queues["a"]
    tree.add_usage(a, {FR: 3})
    tree.remove_usage(a, {FR: 3})
    assert tree.cohorts["team"].usage == {}


def test_two_flavors_or_resources_that_stay_local_are_both_booked() -> None:
    tree = QuotaTree()
    tree.set_cluster_queue(ClusterQueue(ObjectMeta("a"), groups((4, None, None), 8)))
    a = tree.cluster_queues["a"]
    tree.add_usage(a, {FR: 1, OTHER: 2})
    assert a.usage == {FR: 1, OTHER: 2}
    tree.remove_usage(a, {FR: 1, OTHER: 1})
    assert a.usage == {FR: 0, OTHER: 1}


def test_over_nominal_looks_at_every_flavor_and_resource() -> None:
    tree = QuotaTree()
    for name in ("even", "over"):
        spec = ClusterQueue(ObjectMeta(name), groups((4, None, None), 8), "team")
        tree.set_cluster_queue(spec)
    even, over = tree.cluster_queues["even"], tree.cluster_queues["over"]
    tree.add_usage(even, {FR: 4, OTHER: 8})
    tree.add_usage(over, {FR: 4, OTHER: 9})
    team = tree.cohorts["team"]
    assert team.over_nominal([FR]) == []
    assert team.over_nominal([OTHER]) == [over]
    assert team.over_nominal([FR, OTHER]) == [over]
    assert (even.is_borrowing([FR, OTHER]), over.is_borrowing([FR, OTHER])) == (False, True)
    assert even.is_within_nominal([FR, OTHER])
    assert not over.is_within_nominal([FR, OTHER])


def test_what_fits_into_quota_and_what_goes_to_the_parent() -> None:
    tree = build({"a": ("team", (4, None, 1))})
    a = tree.cluster_queues["a"]
    use(tree, a=1)
    assert [a.has_room_for({FR: amount}) for amount in (2, 3, 4)] == [True, True, False]
    assert [a.beyond_local_quota({FR: amount})[FR] for amount in (2, 3, 4)] == [0, 1, 2]


def test_the_lowest_subtree_that_holds_the_request() -> None:
    tree = build(
        {
            "a": ("team", (4, None, 1)),
            "b": ("team", (2, None, None)),
            "c": ("root", (5, None, None)),
            "alone": ("", (4, None, None)),
        },
        {"root": ("", None), "team": ("root", (3, None, 5))},
    )
    a = tree.cluster_queues["a"]
    # The queue keeps 3; the team has 1 + 2 + 3, of which it keeps 1; the root has 5 + 5.
    assert a.lowest_subtree_that_fits(FR, 4) == (0, True)
    assert a.lowest_subtree_that_fits(FR, 5) == (1, True)
    assert a.lowest_subtree_that_fits(FR, 9) == (1, True)
    assert a.lowest_subtree_that_fits(FR, 10) == (2, False)
    assert a.lowest_subtree_that_fits(FR, 14) == (2, False)
    assert a.lowest_subtree_that_fits(FR, 99) == (2, False)
    assert tree.cluster_queues["alone"].lowest_subtree_that_fits(FR, 9) == (0, False)


def test_what_a_cohort_kept_already_is_not_asked_of_the_root() -> None:
    tree = build(
        {"a": ("low", (1, None, None))},
        {
            "root": ("", None),
            "high": ("root", (9, None, 4)),
            "low": ("high", (6, None, 2)),
        },
    )
    a = tree.cluster_queues["a"]
    # low has 7, keeps 5; high has 2 + 9, keeps 7; the root has 4.
    assert [a.lowest_subtree_that_fits(FR, each) for each in (7, 8, 16, 17)] == [
        (1, True),
        (2, True),
        (2, True),
        (3, False),
    ]


def test_sums_that_do_not_fit_into_64_bits_are_unlimited() -> None:
    assert added(MAX_INT64 - 2, 1) == MAX_INT64 - 1
    assert added(MAX_INT64 - 1, 1) is UNLIMITED
    assert added(MAX_INT64, 5) is UNLIMITED


def test_a_node_is_printed_with_its_kind_and_name() -> None:
    tree = build({"a": ("team", (4, None, None))})
    nodes: list[Node] = [tree.cluster_queues["a"], tree.cohorts["team"]]
    assert [repr(node) for node in nodes] == ["<ClusterQueueNode a>", "<CohortNode team>"]


def test_a_cohort_without_an_object_has_weight_one_and_no_quota() -> None:
    tree = build({"a": ("team", (4, None, None))})
    cohort = tree.cohorts["team"]
    assert isinstance(cohort, CohortNode)
    assert (cohort.fair_weight, cohort.quotas, cohort.explicit) == (1.0, {}, False)
