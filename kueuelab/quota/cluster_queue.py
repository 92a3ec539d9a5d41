"""ClusterQueues in the quota tree: quota, what may be borrowed, workloads that hold it.

See https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/.
"""

from __future__ import annotations

from collections.abc import Iterable

from kueuelab.model import (
    ClusterQueue,
    ClusterQueuePreemption,
    ConcurrentAdmissionPolicy,
    FlavorFungibility,
    FlavorResource,
    LabelSelector,
    ResourceGroup,
)
from kueuelab.quota.candidates import CandidateIndex
from kueuelab.quota.node import Node
from kueuelab.workload import WorkloadState

__all__ = ["ClusterQueueNode"]

#: The way from a ClusterQueue's root to itself for one flavor and resource. Per node:
#: the usage map, the local quota, the quota stored in the parent, the borrowing limit.
_Path = tuple[tuple[dict[FlavorResource, int], int, int, int | None], ...]

#: Marks the root's step in a path; a root stores nothing in a parent.
_AT_ROOT = -1


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
        "concurrent_admission",
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
        self.concurrent_admission: ConcurrentAdmissionPolicy | None = None
        self.workloads: dict[str, WorkloadState] = {}
        self.candidates = CandidateIndex()
        self.generation = 0
        self._group_of: dict[str, ResourceGroup] = {}
        self._paths: dict[FlavorResource, _Path] = {}

    def configure(self, spec: ClusterQueue) -> bool:
        """Set quotas and policies from ``spec``; tell whether quotas or groups changed."""
        groups_changed = spec.resource_groups != self.resource_groups
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
        self.concurrent_admission = spec.concurrent_admission
        self.set_fair_weight(spec.fair_weight)
        return groups_changed

    @property
    def hidden(self) -> bool:
        """Whether it can't admit, so that no cycle preempts in it."""
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
        # Every head asks: calls of min and max would be most of what this takes.
        for usage, local, stored, limit in path:
            used = usage.get(fr, 0)
            if limit is not None:
                most = stored + limit
                if used > local:
                    most -= used - local
                if most < amount:
                    amount = most
            if stored is _AT_ROOT:
                amount = local - used
            elif local > used:
                amount = local - used + amount
        return amount if amount > 0 else 0

    def _path(self, fr: FlavorResource) -> _Path:
        """Return the numbers that ``available`` needs, from the root down."""
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
        quota = self.quotas.get(fr)
        nominal = 0 if quota is None else quota.nominal
        return nominal < self.usage.get(fr, 0) + value

    def is_borrowing(self, frs: Iterable[FlavorResource]) -> bool:
        """Tell whether usage exceeds nominal quota in one of ``frs``."""
        for fr in frs:  # noqa: SIM110 - asked of every queue in every search
            if self.borrowing_with(fr, 0):
                return True
        return False

    def lowest_subtree_that_fits(self, fr: FlavorResource, value: int) -> tuple[int, bool]:
        """Return the height of the smallest subtree whose quota holds ``value`` more.

        0 is the ClusterQueue itself: no borrowing. The second value tells whether that
        subtree is smaller than the whole tree, so that quota may be reclaimed from others.
        """
        if self.parent is None:
            return 0, False
        if not self.borrowing_with(fr, value):
            return 0, True
        rest = value - self.local_available(fr)
        cohort = self.parent
        while cohort.borrowing_with(fr, rest):
            if cohort.parent is None:
                return cohort.height, False
            rest -= cohort.local_available(fr)
            cohort = cohort.parent
        return cohort.height, cohort.parent is not None

    @property
    def path(self) -> str:
        """``/root/.../cohort/queue``, as Kueue writes it in preemption messages."""
        names = [self.name, *(node.name for node in self.ancestors())]
        return "/" + "/".join(reversed(names))
