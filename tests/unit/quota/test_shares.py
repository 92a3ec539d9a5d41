"""Dominant resource shares: where they come from, and which is higher."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kueuelab.model import (
    ClusterQueue,
    FlavorQuotas,
    ObjectMeta,
    ResourceGroup,
    ResourceQuota,
)
from kueuelab.quota import NO_SHARE, QuotaTree, Share, compare_shares, dominant_resource_share

CPU, MEMORY, GPU = ("default", "cpu"), ("default", "memory"), ("default", "gpu")


def tree(
    weight: Fraction | None = None, other: dict[str, int] | None = None, **nominal: int
) -> QuotaTree:
    """Build the ClusterQueues ``a``, with quota, and ``b``, with as much or another quota."""
    made = QuotaTree()
    for name, amounts in (("a", nominal), ("b", other or nominal)):
        resources = tuple(ResourceQuota(each, amount) for each, amount in amounts.items())
        group = ResourceGroup(tuple(amounts), (FlavorQuotas("default", resources),))
        spec = ClusterQueue(ObjectMeta(name), (group,), "team", fair_weight=weight)
        made.set_cluster_queue(spec)
    return made


def share(made: QuotaTree, **usage: int) -> Share:
    node = made.cluster_queues["a"]
    made.add_usage(node, {("default", name): amount for name, amount in usage.items()})
    return dominant_resource_share(node)


def test_a_share_is_what_is_borrowed_of_what_the_cohort_lends() -> None:
    assert share(tree(cpu=4), cpu=5) == Share(125.0, 1.0, "cpu", (CPU,))
    assert share(tree(cpu=4), cpu=4) == Share(0.0, 1.0)
    assert share(tree(Fraction(1, 2), cpu=4), cpu=6) == Share(250.0, 0.5, "cpu", (CPU,))
    assert share(tree(Fraction(3), cpu=1), cpu=0) == Share(0.0, 3.0)


def test_the_resource_with_the_largest_ratio_counts() -> None:
    borrowed = share(tree(cpu=4, memory=4, gpu=4), cpu=5, memory=7, gpu=6)
    assert (borrowed.resource, borrowed.ratio) == ("memory", 375.0)
    assert borrowed.borrowed == (CPU, MEMORY, GPU)


@pytest.mark.parametrize("order", [("cpu", "memory"), ("memory", "cpu")])
def test_of_two_with_one_ratio_the_first_by_name_is_named(order: tuple[str, str]) -> None:
    borrowed = share(tree(**dict.fromkeys(order, 4)), cpu=5, memory=5)
    assert borrowed.resource == "cpu"


def test_a_small_ratio_is_one_too() -> None:
    assert share(tree(cpu=5000), cpu=5001) == Share(0.1, 1.0, "cpu", (CPU,))


def test_what_is_not_lent_has_no_ratio() -> None:
    nothing = share(tree(gpu=0, cpu=4), gpu=3, cpu=5)
    assert nothing == Share(125.0, 1.0, "cpu", (GPU, CPU))
    assert share(tree(gpu=0, other={"gpu": 1}), gpu=1).ratio == 1000.0
    assert share(tree(gpu=0), gpu=1) == Share(0.0, 1.0, "", (GPU,))


def test_a_queue_on_its_own_has_no_share() -> None:
    made = QuotaTree()
    made.set_cluster_queue(ClusterQueue(ObjectMeta("a"), fair_weight=Fraction(2)))
    assert share(made, cpu=3) == Share(0.0, 2.0)


def test_borrows_on_asks_for_an_amount() -> None:
    borrower = Share(10.0, 1.0, "cpu", (CPU,))
    assert borrower.borrows_on({CPU: 1})
    assert not borrower.borrows_on({CPU: 0, MEMORY: 5})
    assert not borrower.borrows_on({MEMORY: 5})


def test_borrowers_of_weight_zero_are_above_all_others() -> None:
    low, high = Share(1.0, 1.0, "cpu", (CPU,)), Share(2.0, 1.0, "cpu", (CPU,))
    weightless, more = Share(0.5, 0.0, "cpu", (CPU,)), Share(0.7, 0.0, "cpu", (CPU,))
    ranks = [NO_SHARE, Share(0.0, 0.0), low, high, weightless, more]
    for left in range(len(ranks)):
        for right in range(len(ranks)):
            expected = (left > right) - (left < right)
            assert compare_shares(ranks[left], ranks[right]) == expected


def test_weight_zero_is_infinite_only_with_something_borrowed() -> None:
    assert Share(0.0, 0.0).precise == "0"
    assert Share(1.0, 0.0).precise == "+Inf"
    assert Share(1.0, 0.0).rounded == (1 << 63) - 1
    assert (Share(250.0, 2.0).precise, Share(0.25, 1.0).rounded) == ("125", 1)
