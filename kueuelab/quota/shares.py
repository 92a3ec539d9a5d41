"""Dominant resource share: how far a node uses more than its subtree's quota (KEP-1714).

The share of a node is the largest ratio, over resources, of what it uses beyond its
quota to what its parent could lend, in thousandths, divided by the node's weight.
This is one of the few places where Kueue computes with floating point, and so do we.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import ceil, inf
from typing import NamedTuple

from kueuelab.frozen import EMPTY
from kueuelab.model import FlavorResource
from kueuelab.quantity import MAX_INT64
from kueuelab.quota.node import Node

__all__ = ["NO_SHARE", "Share", "compare_shares", "dominant_resource_share", "share_with"]


class Share(NamedTuple):
    """A node's dominant resource share, and the numbers that it is computed from.

    Attributes
    ----------
    ratio
        Unweighted ratio in thousandths.
    weight
        The node's fair weight.
    resource
        The resource with the largest ratio.
    borrowed
        The flavors and resources that the node uses beyond its quota.
    """

    ratio: float
    weight: float
    resource: str = ""
    borrowed: tuple[FlavorResource, ...] = ()

    @property
    def borrowing(self) -> bool:
        """Whether the node uses more than its quota of anything."""
        return bool(self.borrowed)

    @property
    def weighted(self) -> float:
        """The share that is compared: infinite for a borrower of weight 0."""
        if self.ratio == 0:
            return 0.0
        return inf if self.weight == 0 else self.ratio / self.weight

    @property
    def rounded(self) -> int:
        """The share as the API status shows it: rounded up, int64's maximum if infinite."""
        return MAX_INT64 if self.weighted == inf else ceil(self.weighted)

    @property
    def precise(self) -> str:
        """The share as Kueue prints it in logs: plain decimals, or ``+Inf``."""
        if self.weighted == inf:
            return "+Inf"
        text = format(Decimal(repr(self.weighted)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text

    def borrows_on(self, requests: Mapping[FlavorResource, int]) -> bool:
        """Tell whether the node borrows a resource in ``requests``."""
        return any(requests.get(fr, 0) > 0 for fr in self.borrowed)


#: Lower than any share: where a search for the highest starts.
NO_SHARE = Share(-1.0, 1.0)


def compare_shares(left: Share, right: Share) -> int:
    """Return -1, 0 or 1: the lower share is admitted first, the higher preempted first.

    Nodes of weight 0 that borrow rank above all others, among themselves by their ratio.
    """
    a, b = left.weighted, right.weighted
    if a == inf and b == inf:
        a, b = left.ratio, right.ratio
    return (a > b) - (a < b)


def dominant_resource_share(node: Node) -> Share:
    """Return the node's share. A root has none: it can't borrow."""
    share = node.known_share
    if share is None:
        share = node.known_share = share_with(node, EMPTY)
    return share


def share_with(node: Node, more: Mapping[FlavorResource, int]) -> Share:
    """Return the share that a node has with ``more`` usage than now; less, where it is negative."""
    if node.parent is None:
        return Share(0.0, node.fair_weight)
    usage = node.usage
    borrowed: dict[str, int] = {}
    flavors: list[FlavorResource] = []
    for fr, quota in node.subtree_quota.items():
        excess = usage.get(fr, 0) + more.get(fr, 0) - quota
        if excess > 0:
            borrowed[fr[1]] = borrowed.get(fr[1], 0) + excess
            flavors.append(fr)
    if not flavors:
        return Share(0.0, node.fair_weight)
    lendable = node.parent.lendable()
    ratio, dominant = 0.0, ""
    for resource, amount in borrowed.items():
        most = lendable[resource]
        if most <= 0:
            continue
        share = float(amount) * 1000.0 / float(most)
        if share > ratio or (share == ratio and resource < dominant):
            ratio, dominant = share, resource
    return Share(ratio, node.fair_weight, dominant, tuple(flavors))
