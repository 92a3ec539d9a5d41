"""Nodes of the quota tree: ClusterQueues are its leaves, Cohorts everything above.

Each node has quota of its own, the quota of its subtree, and usage. A ClusterQueue's
usage is what its workloads hold; a Cohort's usage is the sum over its children of what
each uses beyond the part of its quota that it doesn't lend. See
https://kueue.sigs.k8s.io/docs/concepts/cohort/ and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kueuelab.model import (
    UNLIMITED,
    FlavorResource,
    ResourceGroup,
)
from kueuelab.quantity import MAX_INT64

if TYPE_CHECKING:
    from kueuelab.quota.cohort import CohortNode
    from kueuelab.quota.shares import Share
    from kueuelab.trace.recorder import RecordedValue

__all__ = ["Node", "Quota", "added"]


@dataclass(frozen=True, slots=True)
class Quota:
    """Quota of one resource in one flavor at one node. ``None``: no such limit."""

    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


_NO_QUOTA = Quota(0)


class Node:
    """What ClusterQueues and Cohorts have in common.

    Attributes
    ----------
    quotas
        Quota per flavor and resource, as written.
    subtree_quota
        The node's quota and what its children lend it.
    usage
        What counts against ``subtree_quota``.
    parent
        The Cohort above, or ``None``.
    fair_weight
        Weight for fair sharing; 1 where none is given.
    local_quotas
        The quota that this node keeps from its parent, by a lending limit; see ``local_quota``.
    lends_all
        Whether no node of the subtree keeps quota from its parent.
    known_share
        The dominant resource share if it was computed since usage, quota or weight changed.
    recorded
        What the record says of its usage, as far as it changed; empty without a recorder.
    """

    __slots__ = (
        "_lendable",
        "_potential",
        "fair_weight",
        "known_share",
        "lends_all",
        "local_quotas",
        "name",
        "parent",
        "quotas",
        "recorded",
        "subtree_quota",
        "usage",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.recorded: dict[FlavorResource, RecordedValue] = {}
        self.parent: CohortNode | None = None
        self.fair_weight = 1.0
        self.known_share: Share | None = None
        self.quotas: dict[FlavorResource, Quota] = {}
        self.subtree_quota: dict[FlavorResource, int] = {}
        self.usage: dict[FlavorResource, int] = {}
        self.local_quotas: dict[FlavorResource, int] = {}
        self.lends_all = True
        self._potential: dict[FlavorResource, int] = {}
        self._lendable: dict[str, int] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def set_resource_groups(self, groups: Iterable[ResourceGroup]) -> None:
        """Take the quotas of ``groups``."""
        self.quotas = {
            (flavor.name, quota.name): Quota(
                quota.nominal, quota.borrowing_limit, quota.lending_limit
            )
            for group in groups
            for flavor in group.flavors
            for quota in flavor.resources
        }

    def set_fair_weight(self, weight: Fraction | None) -> None:
        """Take ``spec.fairSharing.weight``."""
        self.fair_weight = 1.0 if weight is None else float(weight)
        self.known_share = None

    def restore(self, key: FlavorResource, before: int) -> None:
        """Set the usage of a flavor and resource to what it was."""
        self.usage[key] = before
        self.known_share = None

    def ancestors(self) -> Iterator[CohortNode]:
        """Yield the parent, its parent, up to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def root(self) -> Node:
        """The topmost node above, or this node."""
        node: Node = self
        while node.parent is not None:
            node = node.parent
        return node

    def quota(self, fr: FlavorResource) -> Quota:
        """Return the node's own quota, all zero where it has none."""
        return self.quotas.get(fr, _NO_QUOTA)

    def local_quota(self, fr: FlavorResource) -> int:
        """Return the quota that this node keeps from its parent (by a lending limit)."""
        return self.local_quotas.get(fr, 0)

    def local_available(self, fr: FlavorResource) -> int:
        """Return how much of the local quota is unused."""
        local = self.local_quotas.get(fr, 0) if self.local_quotas else 0
        return max(0, local - self.usage.get(fr, 0))

    def potential_available(self, fr: FlavorResource) -> int:
        """Return the most this node could ever use, were nothing else used.

        Unlike :meth:`ClusterQueueNode.available` this looks at quotas and limits only.
        """
        known = self._potential.get(fr)
        if known is not None:
            return known
        value = self.subtree_quota.get(fr, 0)
        if self.parent is not None:
            reachable = added(self.local_quota(fr), self.parent.potential_available(fr))
            limit = self.quota(fr).borrowing_limit
            value = reachable if limit is None else min(added(value, limit), reachable)
        self._potential[fr] = value
        return value

    def lendable(self) -> Mapping[str, int]:
        """Return, per resource, what this node could use over all flavors of its tree."""
        if self._lendable is None:
            total: dict[str, int] = {}
            for fr in self.root.subtree_quota:
                total[fr[1]] = added(total.get(fr[1], 0), self.potential_available(fr))
            self._lendable = total
        return self._lendable

    def is_within_nominal(self, frs: Iterable[FlavorResource]) -> bool:
        """Tell whether usage is at most the subtree's quota, in all of ``frs``."""
        quota, usage = self.subtree_quota, self.usage
        for fr in frs:  # noqa: SIM110 - asked of every queue in every search
            if quota.get(fr, 0) < usage.get(fr, 0):
                return False
        return True

    def has_room_for(self, requests: Mapping[FlavorResource, int]) -> bool:
        """Tell whether ``requests`` fit into the subtree's quota, next to the usage here."""
        quota, usage = self.subtree_quota, self.usage
        for fr, value in requests.items():  # noqa: SIM110 - asked in every search
            if quota.get(fr, 0) < usage.get(fr, 0) + value:
                return False
        return True

    def beyond_local_quota(
        self, requests: Mapping[FlavorResource, int]
    ) -> dict[FlavorResource, int]:
        """Return the part of ``requests`` that exceeds the local quota and goes to the parent."""
        return {fr: max(0, value - self.local_available(fr)) for fr, value in requests.items()}

    def _forget_derived(self) -> None:
        self._potential.clear()
        self._lendable = None
        self.known_share = None

    def _derive_local_quota(self) -> None:
        self.local_quotas = {
            fr: max(0, self.subtree_quota[fr] - quota.lending_limit)
            for fr, quota in self.quotas.items()
            if quota.lending_limit is not None
        }
        self.lends_all = not any(self.local_quotas.values())


def added(left: int, right: int) -> int:
    """Return the sum, unlimited where it no longer fits into 64 bits."""
    total = left + right
    return UNLIMITED if total >= MAX_INT64 else total
