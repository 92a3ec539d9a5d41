"""Nodes of the quota tree: ClusterQueues are its leaves, Cohorts everything above.

Each node has quota of its own, the quota of its subtree, and usage. A ClusterQueue's
usage is what its workloads hold; a Cohort's usage is the sum over its children of what
each uses beyond the part of its quota that it doesn't lend. See
https://kueue.sigs.k8s.io/docs/concepts/cohort/ and KEP-79 (hierarchical cohorts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kueuelab.model import (
    UNLIMITED,
    ClusterQueue,
    ClusterQueuePreemption,
    FlavorFungibility,
    FlavorResource,
    LabelSelector,
    ResourceGroup,
)
from kueuelab.quantity import MAX_INT64
from kueuelab.quota.candidates import CandidateIndex
from kueuelab.workload import WorkloadState

__all__ = ["ClusterQueueNode", "CohortNode", "Node", "Quota"]


@dataclass(frozen=True, slots=True)
class Quota:
    """Quota of one resource in one flavor at one node. ``None``: no such limit."""

    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


_NO_QUOTA = Quota(0)

#: The way from a ClusterQueue's root to itself for one flavor and resource. Per node:
#: the usage map, the local quota, the quota stored in the parent, the borrowing limit.
_Path = tuple[tuple[dict[FlavorResource, int], int, int, int | None], ...]


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
    """

    __slots__ = (
        "_lendable",
        "_local",
        "_potential",
        "fair_weight",
        "name",
        "parent",
        "quotas",
        "subtree_quota",
        "usage",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: CohortNode | None = None
        self.fair_weight = 1.0
        self.quotas: dict[FlavorResource, Quota] = {}
        self.subtree_quota: dict[FlavorResource, int] = {}
        self.usage: dict[FlavorResource, int] = {}
        self._local: dict[FlavorResource, int] = {}
        self._potential: dict[FlavorResource, int] = {}
        self._lendable: dict[str, int] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def set_resource_groups(self, groups: Iterable[ResourceGroup]) -> bool:
        """Take the quotas of ``groups``; tell whether any differs from before."""
        quotas = {
            (flavor.name, quota.name): Quota(
                quota.nominal, quota.borrowing_limit, quota.lending_limit
            )
            for group in groups
            for flavor in group.flavors
            for quota in flavor.resources
        }
        changed = quotas != self.quotas
        self.quotas = quotas
        return changed

    def set_fair_weight(self, weight: Fraction | None) -> None:
        """Take ``spec.fairSharing.weight``."""
        self.fair_weight = 1.0 if weight is None else float(weight)

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
        return self._local.get(fr, 0)

    def local_available(self, fr: FlavorResource) -> int:
        """Return how much of the local quota is unused."""
        return max(0, self._local.get(fr, 0) - self.usage.get(fr, 0))

    def potential_available(self, fr: FlavorResource) -> int:
        """Return the most this node could ever use, were nothing else used.

        Unlike :meth:`ClusterQueueNode.available` this looks at quotas and limits only.
        """
        known = self._potential.get(fr)
        if known is not None:
            return known
        value = self.subtree_quota.get(fr, 0)
        if self.parent is not None:
            reachable = _add(self.local_quota(fr), self.parent.potential_available(fr))
            limit = self.quota(fr).borrowing_limit
            value = reachable if limit is None else min(_add(value, limit), reachable)
        self._potential[fr] = value
        return value

    def lendable(self) -> Mapping[str, int]:
        """Return, per resource, what this node could use over all flavors of its tree."""
        if self._lendable is None:
            total: dict[str, int] = {}
            for fr in self.root.subtree_quota:
                total[fr[1]] = _add(total.get(fr[1], 0), self.potential_available(fr))
            self._lendable = total
        return self._lendable

    def is_within_nominal(self, frs: Iterable[FlavorResource]) -> bool:
        """Tell whether usage is at most the subtree's quota, in all of ``frs``."""
        quota, usage = self.subtree_quota, self.usage
        for fr in frs:  # noqa: SIM110 - asked of every queue in every search
            if quota.get(fr, 0) < usage.get(fr, 0):
                return False
        return True

    def fits_in_quota(
        self, requests: Mapping[FlavorResource, int]
    ) -> tuple[bool, dict[FlavorResource, int]]:
        """Tell whether ``requests`` fit next to the usage here, and what goes to the parent."""
        fits = all(
            self.subtree_quota.get(fr, 0) >= self.usage.get(fr, 0) + value
            for fr, value in requests.items()
        )
        rest = {fr: max(0, value - self.local_available(fr)) for fr, value in requests.items()}
        return fits, rest

    def _copy_into(self, twin: Node) -> None:
        """Give ``twin`` what this node has, except for its relatives."""
        twin.fair_weight = self.fair_weight
        twin.quotas = self.quotas
        twin.subtree_quota = self.subtree_quota
        twin.usage = dict(self.usage)
        twin._local = self._local

    def _forget_derived(self) -> None:
        self._potential.clear()
        self._lendable = None

    def _derive_local_quota(self) -> None:
        self._local = {
            fr: max(0, self.subtree_quota.get(fr, 0) - quota.lending_limit)
            for fr, quota in self.quotas.items()
            if quota.lending_limit is not None
        }


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

    def copy(self) -> CohortNode:
        """Return the node without parent and children."""
        twin = CohortNode(self.name)
        self._copy_into(twin)
        twin.explicit = self.explicit
        return twin

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
        """Have the height found out anew: a ClusterQueue below began or ceased to count."""
        self._height = None

    @property
    def height(self) -> int:
        """How far it is to the furthest leaf; ClusterQueues that can't admit don't count."""
        if self._height is None:
            active = any(not queue.hidden for queue in self.sorted_queues)
            heights = [cohort.height + 1 for cohort in self.sorted_cohorts]
            self._height = max([int(active or bool(heights)), *heights])
        return self._height

    def sort_children(self) -> None:
        """Bring the sorted children up to date."""
        self.sorted_cohorts = tuple(child for _, child in sorted(self.child_cohorts.items()))
        self.sorted_queues = tuple(child for _, child in sorted(self.child_queues.items()))

    def rebuild(self) -> None:
        """Recompute subtree quota, usage and what is derived, for the whole subtree."""
        self._forget_derived()
        self.sort_children()
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

    def _take(self, child: Node, usage: dict[FlavorResource, int]) -> None:
        for fr, quota in child.subtree_quota.items():
            lent = quota - child.local_quota(fr)
            self.subtree_quota[fr] = _add(self.subtree_quota.get(fr, 0), lent)
        for fr, used in child.usage.items():
            usage[fr] = usage.get(fr, 0) + max(0, used - child.local_quota(fr))


class ClusterQueueNode(Node):
    """A ClusterQueue with its quota, its policies and the workloads that hold quota.

    Attributes
    ----------
    workloads
        Key to workload, for all that hold quota here.
    candidates
        The same workloads in the order in which preemption tries them.
    generation
        Goes up whenever more might fit than before: an old flavor scan is outdated.
    """

    __slots__ = (
        "_group_of",
        "_paths",
        "candidates",
        "flavor_fungibility",
        "generation",
        "namespace_selector",
        "preemption",
        "resource_groups",
        "workloads",
    )

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.resource_groups: tuple[ResourceGroup, ...] = ()
        self.preemption = ClusterQueuePreemption()
        self.flavor_fungibility = FlavorFungibility()
        self.namespace_selector: LabelSelector | None = None
        self.workloads: dict[str, WorkloadState] = {}
        self.candidates = CandidateIndex()
        self.generation = 0
        self._group_of: dict[str, ResourceGroup] = {}
        self._paths: dict[FlavorResource, _Path] = {}

    def configure(self, spec: ClusterQueue) -> bool:
        """Take quotas and policies from ``spec``; tell whether quotas or groups changed."""
        groups_changed = spec.resource_groups != self.resource_groups or self.generation == 0
        self.set_resource_groups(spec.resource_groups)
        self.resource_groups = spec.resource_groups
        self._group_of = {
            resource: group
            for group in reversed(spec.resource_groups)
            for resource in group.covered_resources
        }
        self.preemption = spec.preemption
        self.flavor_fungibility = spec.flavor_fungibility
        self.namespace_selector = spec.namespace_selector
        self.set_fair_weight(spec.fair_weight)
        return groups_changed

    def copy(self) -> ClusterQueueNode:
        """Return the node without its parent."""
        twin = ClusterQueueNode(self.name)
        self._copy_into(twin)
        twin.resource_groups = self.resource_groups
        twin._group_of = self._group_of
        twin.preemption = self.preemption
        twin.flavor_fungibility = self.flavor_fungibility
        twin.namespace_selector = self.namespace_selector
        twin.generation = self.generation
        twin.workloads = dict(self.workloads)
        for workload in self.workloads.values():
            twin.candidates.add(workload)
        twin.hidden = self.hidden
        twin.candidates.usage = self.candidates.usage
        return twin

    @property
    def hidden(self) -> bool:
        """Whether no cycle sees it, since it can't admit: nobody is preempted in it."""
        return self.candidates.hidden

    @hidden.setter
    def hidden(self, hidden: bool) -> None:
        self.candidates.hidden = hidden
        seen: set[str] = set()  # Cohorts may still form a cycle here.
        cohort = self.parent
        while cohort is not None and cohort.name not in seen:
            cohort.forget_height()
            seen.add(cohort.name)
            cohort = cohort.parent

    def resource_group(self, resource: str) -> ResourceGroup | None:
        """Return the resource group that covers ``resource``, if any."""
        return self._group_of.get(resource)

    def rebuild(self) -> None:
        """Recompute what is derived from the quotas; usage stays."""
        self.generation += 1
        self._forget_derived()
        self._paths.clear()
        self.subtree_quota = {fr: quota.nominal for fr, quota in self.quotas.items()}
        self._derive_local_quota()

    def available(self, fr: FlavorResource) -> int:
        """Return what could be used now without preempting, borrowing included.

        Never negative: a queue in debt (quota was taken away) has nothing available.
        """
        path = self._paths.get(fr) or self._path(fr)
        amount = 0
        for usage, local, stored, limit in path:
            used = usage.get(fr, 0)
            if limit is not None:
                most = stored - max(0, used - local) + limit
                amount = min(most, amount)
            if stored is _AT_ROOT:
                amount = local - used
            elif local > used:
                amount = local - used + amount
        return max(amount, 0)

    def _path(self, fr: FlavorResource) -> _Path:
        """Lay out the numbers that ``available`` needs, from the root down."""
        nodes: list[Node] = [self, *self.ancestors()]
        steps: list[tuple[dict[FlavorResource, int], int, int, int | None]] = []
        for node in reversed(nodes):
            quota = node.subtree_quota.get(fr, 0)
            if node.parent is None:
                steps.append((node.usage, quota, _AT_ROOT, None))
            else:
                local = node.local_quota(fr)
                limit = node.quota(fr).borrowing_limit
                steps.append((node.usage, local, quota - local, limit))
        path = self._paths[fr] = tuple(steps)
        return path

    def borrowing_with(self, fr: FlavorResource, value: int) -> bool:
        """Tell whether ``value`` more would exceed the nominal quota."""
        return self.quota(fr).nominal < self.usage.get(fr, 0) + value

    def is_borrowing(self, frs: Iterable[FlavorResource]) -> bool:
        """Tell whether usage exceeds nominal quota in one of ``frs``."""
        return any(self.borrowing_with(fr, 0) for fr in frs)

    def lowest_subtree_that_fits(self, fr: FlavorResource, value: int) -> tuple[int, bool]:
        """Return the height of the smallest subtree whose quota holds ``value`` more.

        0 is the ClusterQueue itself: no borrowing. The second value tells whether that
        subtree is smaller than the whole tree, so that others could have to give back.
        """
        if self.parent is None:
            return 0, False
        if not self.borrowing_with(fr, value):
            return 0, True
        rest = value - self.local_available(fr)
        top: CohortNode = self.parent
        for cohort in self.ancestors():
            if not cohort.borrowing_with(fr, rest):
                return cohort.height, cohort.parent is not None
            rest -= cohort.local_available(fr)
            top = cohort
        return top.height, False

    @property
    def path(self) -> str:
        """``/root/.../cohort/queue``, as Kueue writes it in preemption messages."""
        names = [self.name, *(node.name for node in self.ancestors())]
        return "/" + "/".join(reversed(names))


#: Marks the root's step in a path; a root stores nothing in a parent.
_AT_ROOT = -1


def _add(left: int, right: int) -> int:
    total = left + right
    return UNLIMITED if total >= MAX_INT64 else total
