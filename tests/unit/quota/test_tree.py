"""The quota tree against a plain recomputation, under random shapes and random usage."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model import (
    ClusterQueue,
    Cohort,
    FlavorQuotas,
    ObjectMeta,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.quota import CohortNode, Node, QuotaTree, Share, dominant_resource_share

FR = ("default", "cpu")
LIMIT = st.none() | st.integers(0, 20)


def groups(quota: tuple[int, int | None, int | None]) -> tuple[ResourceGroup, ...]:
    nominal, borrowing, lending = quota
    amounts = ResourceQuota("cpu", nominal, borrowing, lending)
    return (ResourceGroup(("cpu",), (FlavorQuotas("default", (amounts,)),)),)


QUOTA = st.tuples(st.integers(0, 20), LIMIT, LIMIT)


@st.composite
def trees(draw: st.DrawFn) -> QuotaTree:
    """Build cohorts c0..c3, each under an earlier one or on top, and queues in them or alone."""
    tree = QuotaTree()
    cohorts = draw(st.integers(1, 4))
    for index in range(cohorts):
        parent = draw(st.sampled_from(["", *(f"c{above}" for above in range(index))]))
        quota = draw(st.none() | QUOTA)
        spec = Cohort(ObjectMeta(f"c{index}"), parent, groups(quota) if quota else ())
        tree.set_cohort(spec)
    for index in range(draw(st.integers(1, 5))):
        cohort = draw(st.sampled_from(["", *(f"c{above}" for above in range(cohorts))]))
        quota = draw(QUOTA)
        tree.set_cluster_queue(ClusterQueue(ObjectMeta(f"q{index}"), groups(quota), cohort))
    return tree


def usages(tree: QuotaTree) -> dict[str, dict[tuple[str, str], int]]:
    nodes: dict[str, Node] = {**tree.cohorts, **tree.cluster_queues}
    return {
        name: {fr: value for fr, value in node.usage.items() if value}
        for name, node in nodes.items()
    }


def expected_usage(node: Node) -> int:
    """What a cohort uses: of each child what it uses beyond what the child keeps."""
    if not isinstance(node, CohortNode):
        return node.usage.get(FR, 0)
    children: list[Node] = [*node.child_cohorts.values(), *node.child_queues.values()]
    return sum(max(0, expected_usage(child) - child.local_quota(FR)) for child in children)


def expected_available(node: Node) -> int:
    own = node.subtree_quota.get(FR, 0)
    if node.parent is None:
        return own - expected_usage(node)
    local, used = node.local_quota(FR), expected_usage(node)
    above = expected_available(node.parent)
    limit = node.quota(FR).borrowing_limit
    if limit is not None:
        above = min(above, own - local - max(0, used - local) + limit)
    return max(0, local - used) + above


CHANGES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), max_size=12)


@given(trees(), CHANGES)
def test_usage_bubbles_up_and_available_follows(
    tree: QuotaTree, changes: list[tuple[int, int]]
) -> None:
    held: dict[str, int] = {}
    for index, value in changes:
        node = tree.cluster_queues.get(f"q{index}")
        if node is None:
            continue
        if value % 3 == 0 and held.get(node.name, 0) >= value:
            tree.remove_usage(node, {FR: value})
            held[node.name] = held.get(node.name, 0) - value
        else:
            tree.add_usage(node, {FR: value})
            held[node.name] = held.get(node.name, 0) + value
    for cohort in tree.cohorts.values():
        assert cohort.usage.get(FR, 0) == expected_usage(cohort)
    for queue in tree.cluster_queues.values():
        assert queue.usage.get(FR, 0) == held.get(queue.name, 0)
        assert queue.available(FR) == max(0, expected_available(queue))
        assert queue.available(FR) <= max(0, queue.potential_available(FR))


@given(trees(), CHANGES, CHANGES)
def test_what_is_simulated_leaves_no_trace(
    tree: QuotaTree, before: list[tuple[int, int]], simulated: list[tuple[int, int]]
) -> None:
    for index, value in before:
        if (node := tree.cluster_queues.get(f"q{index}")) is not None:
            tree.add_usage(node, {FR: value})
    was = usages(tree)
    with tree.simulation():
        for index, value in simulated:
            if (node := tree.cluster_queues.get(f"q{index}")) is not None:
                change = tree.add_usage if value % 2 else tree.remove_usage
                change(node, {FR: value})
    assert usages(tree) == was


@given(trees(), CHANGES)
def test_a_share_is_zero_exactly_without_borrowing(
    tree: QuotaTree, changes: list[tuple[int, int]]
) -> None:
    for index, value in changes:
        if (node := tree.cluster_queues.get(f"q{index}")) is not None:
            tree.add_usage(node, {FR: value})
    for queue in tree.cluster_queues.values():
        share = dominant_resource_share(queue)
        over: Mapping[tuple[str, str], int] = {
            fr: used - queue.subtree_quota.get(fr, 0) for fr, used in queue.usage.items()
        }
        borrows = queue.parent is not None and any(value > 0 for value in over.values())
        assert share.borrowing == borrows
        if not borrows:
            assert share.weighted == 0


def shares(tree: QuotaTree) -> dict[str, Share]:
    nodes: list[Node] = [*tree.cohorts.values(), *tree.cluster_queues.values()]
    return {repr(node): dominant_resource_share(node) for node in nodes}


@given(trees(), CHANGES, QUOTA, st.integers(0, 2), st.sampled_from(["", "c0", "c1"]))
def test_a_known_share_is_the_one_that_would_be_computed(
    tree: QuotaTree,
    changes: list[tuple[int, int]],
    quota: tuple[int, int | None, int | None],
    weight: int,
    parent: str,
) -> None:
    """Whatever changes: usage, simulated usage and back, a quota, a weight, a parent."""

    def check() -> None:
        known = shares(tree)
        for node in (*tree.cohorts.values(), *tree.cluster_queues.values()):
            node.known_share = None
        assert known == shares(tree)

    check()
    spec = ClusterQueue(ObjectMeta("q0"), groups(quota), parent, fair_weight=Fraction(weight))
    for change in (
        lambda: tree.set_cluster_queue(spec),
        lambda: tree.set_cohort(Cohort(ObjectMeta("c0"), "", groups(quota), Fraction(weight))),
        lambda: tree.remove_cohort("c0"),
    ):
        for index, value in changes:
            if (node := tree.cluster_queues.get(f"q{index}")) is not None:
                tree.add_usage(node, {FR: value})
                check()
        with tree.simulation():
            for node in tree.cluster_queues.values():
                tree.remove_usage(node, {FR: node.usage.get(FR, 0)})
                check()
        check()
        change()
        check()


@given(trees(), CHANGES, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 10))))
def test_what_is_removed_bit_by_bit_can_be_removed_at_once(
    tree: QuotaTree, changes: list[tuple[int, int]], parts: list[tuple[int, int]]
) -> None:
    """A cycle removes what all targets of earlier entries hold at once, by ClusterQueue."""
    for index, value in changes:
        if (node := tree.cluster_queues.get(f"q{index}")) is not None:
            tree.add_usage(node, {FR: value})
    total: dict[str, int] = {}
    with tree.simulation():
        for index, value in parts:
            node = tree.cluster_queues.get(f"q{index}")
            held = 0 if node is None else node.usage.get(FR, 0)
            if node is None or not 0 < value <= held:
                continue
            before = {name: each.available(FR) for name, each in tree.cluster_queues.items()}
            tree.remove_usage(node, {FR: value})
            for name, each in tree.cluster_queues.items():
                assert each.available(FR) >= before[name]
            total[node.name] = total.get(node.name, 0) + value
        one_by_one = usages(tree)
    with tree.simulation():
        for name, value in total.items():
            tree.remove_usage(tree.cluster_queues[name], {FR: value})
        assert usages(tree) == one_by_one


def test_a_cycle_of_cohorts_is_noticed_and_mended() -> None:
    tree = QuotaTree()
    tree.set_cohort(Cohort(ObjectMeta("a"), "b"))
    tree.set_cohort(Cohort(ObjectMeta("b"), "a"))
    tree.set_cluster_queue(ClusterQueue(ObjectMeta("q"), groups((4, None, None)), "a"))
    assert tree.in_cycle("q")
    tree.cluster_queues["q"].hidden = True
    tree.set_cohort(Cohort(ObjectMeta("b"), ""))
    assert not tree.in_cycle("q")
    assert tree.root_name("q") == "b"


def test_a_removed_cohort_stays_while_something_refers_to_it() -> None:
    tree = QuotaTree()
    tree.set_cohort(Cohort(ObjectMeta("team"), "", groups((10, None, None))))
    tree.set_cluster_queue(ClusterQueue(ObjectMeta("q"), groups((4, None, None)), "team"))
    assert tree.cluster_queues["q"].available(FR) == 14
    tree.remove_cohort("team")
    assert tree.cluster_queues["q"].available(FR) == 4
    tree.remove_cluster_queue("q")
    assert tree.cohorts == {}


def test_the_height_leaves_out_queues_that_cannot_admit() -> None:
    tree = QuotaTree()
    tree.set_cohort(Cohort(ObjectMeta("leaf"), "root"))
    tree.set_cluster_queue(ClusterQueue(ObjectMeta("q"), groups((4, None, None)), "leaf"))
    tree.set_cluster_queue(ClusterQueue(ObjectMeta("p"), groups((4, None, None)), "root"))
    assert tree.cohorts["root"].height == 2
    tree.cluster_queues["q"].hidden = True
    assert tree.cohorts["root"].height == 1
