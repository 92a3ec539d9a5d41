"""Cohorts in the quota tree: what their children lend, and what their children use of it.

See https://kueue.sigs.k8s.io/docs/concepts/cohort/ and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kueuelab.model import FlavorResource
from kueuelab.quota.node import Node, added

if TYPE_CHECKING:
    from kueuelab.quota.cluster_queue import ClusterQueueNode

__all__ = ["CohortNode"]


class CohortNode(Node):
    """A Cohort, or a cohort that exists only because something refers to it."""

    __slots__ = (
        "_height",
        "child_cohorts",
        "child_queues",
        "explicit",
        "sorted_cohorts",
        "sorted_queues",
    )

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.explicit = False
        self.child_cohorts: dict[str, CohortNode] = {}
        self.child_queues: dict[str, ClusterQueueNode] = {}
        self._height: int | None = None
        #: The children by name; brought up to date by :meth:`rebuild`.
        self.sorted_cohorts: tuple[CohortNode, ...] = ()
        self.sorted_queues: tuple[ClusterQueueNode, ...] = ()

    def borrowing_with(self, fr: FlavorResource, value: int) -> bool:
        """Tell whether ``value`` more would exceed the subtree's quota."""
        return self.subtree_quota.get(fr, 0) < self.usage.get(fr, 0) + value

    def over_nominal(self, frs: Sequence[FlavorResource]) -> list[ClusterQueueNode]:
        """Return the child ClusterQueues that use more than their quota of one of ``frs``."""
        if len(frs) != 1:
            return [queue for queue in self.sorted_queues if not queue.is_within_nominal(frs)]
        fr = frs[0]  # Asked of every queue in every search, and mostly of one resource.
        return [
            queue
            for queue in self.sorted_queues
            if queue.usage.get(fr, 0) > queue.subtree_quota.get(fr, 0)
        ]

    def cluster_queues(self) -> Iterator[ClusterQueueNode]:
        """Yield the ClusterQueues of the subtree: own ones first, each level by name."""
        yield from self.sorted_queues
        for cohort in self.sorted_cohorts:
            yield from cohort.cluster_queues()

    def forget_height(self) -> None:
        """Compute the height again: a ClusterQueue below began or ceased to count."""
        self._height = None

    @property
    def is_in_cycle(self) -> bool:
        """Whether the cohorts above it form a cycle: then no ClusterQueue below it is used."""
        if self.parent is None:
            return False
        seen: set[str] = set()
        node: CohortNode | None = self
        while node is not None:
            if node.name in seen:
                return True
            seen.add(node.name)
            node = node.parent
        return False

    @property
    def height(self) -> int:
        """How far it is to the furthest leaf; ClusterQueues that can't admit don't count."""
        if self._height is None:
            active = any(not queue.hidden for queue in self.sorted_queues)
            heights = [cohort.height + 1 for cohort in self.sorted_cohorts]
            self._height = max([int(active or bool(heights)), *heights])
        return self._height

    def rebuild(self) -> None:
        """Recompute subtree quota, usage and what is derived, for the whole subtree."""
        self._forget_derived()
        self.sorted_cohorts = tuple(child for _, child in sorted(self.child_cohorts.items()))
        self.sorted_queues = tuple(child for _, child in sorted(self.child_queues.items()))
        self.subtree_quota = {fr: quota.nominal for fr, quota in self.quotas.items()}
        usage: dict[FlavorResource, int] = {}
        self._height = None
        for cohort in self.sorted_cohorts:
            cohort.rebuild()
            self._take(cohort, usage)
        for queue in self.sorted_queues:
            queue.rebuild()
            self._take(queue, usage)
        # The map itself stays: paths from the leaves hold on to it.
        self.usage.clear()
        self.usage.update(usage)
        self._derive_local_quota()
        children: list[Node] = [*self.sorted_cohorts, *self.sorted_queues]
        self.lends_all = self.lends_all and all(child.lends_all for child in children)

    def _take(self, child: Node, usage: dict[FlavorResource, int]) -> None:
        for fr, quota in child.subtree_quota.items():
            lent = quota - child.local_quota(fr)
            self.subtree_quota[fr] = added(self.subtree_quota.get(fr, 0), lent)
        for fr, used in child.usage.items():
            usage[fr] = usage.get(fr, 0) + max(0, used - child.local_quota(fr))
