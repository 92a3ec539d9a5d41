"""Which ClusterQueues wake together: the trees that cohorts form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kueuelab.queues.pending import PendingWorkloads

__all__ = ["CohortForest", "CohortTree"]


class CohortTree:
    """ClusterQueues whose inadmissible workloads are woken together.

    Attributes
    ----------
    sleeping
        Its queues that may have something to wake, by name.
    last_wake
        How many times heads had been taken when it was last woken; -1 if it never was.
    in_cycle
        Its cohorts go round in a circle. Nothing wakes such queues.
    """

    __slots__ = ("in_cycle", "last_wake", "sleeping")

    def __init__(self, *, in_cycle: bool = False) -> None:
        self.sleeping: dict[str, PendingWorkloads] = {}
        self.last_wake = -1
        self.in_cycle = in_cycle


class CohortForest:
    """All cohort trees, and the tree that each queue belongs to.

    Cohorts that nobody declared exist as soon as something refers to them.
    """

    __slots__ = ("_parents", "_trees")

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._trees: dict[str, CohortTree] = {}

    def set_parent(self, cohort: str, parent: str, queues: Iterable[PendingWorkloads]) -> None:
        """Put a cohort below another one, or (``""``) at the root."""
        if self._parents.get(cohort, "") == parent:
            return
        if parent:
            self._parents[cohort] = parent
        else:
            self._parents.pop(cohort, None)
        self._trees.clear()
        for queue in queues:
            self.place(queue)

    def place(self, queue: PendingWorkloads) -> None:
        """Put a queue into the tree of its ClusterQueue's cohort."""
        old = queue.tree
        old.sleeping.pop(queue.name, None)
        queue.last_wake = max(queue.last_wake, old.last_wake)
        cohort = queue.cluster_queue.cohort_name
        queue.tree = self.tree(cohort) if cohort else CohortTree()
        if queue.sleeps:
            queue.tree.sleeping[queue.name] = queue

    def tree(self, cohort: str) -> CohortTree:
        """Return the tree that a cohort is in."""
        root = self._root(cohort)
        if root is None:
            return CohortTree(in_cycle=True)
        tree = self._trees.get(root)
        if tree is None:
            tree = self._trees[root] = CohortTree()
        return tree

    def _root(self, cohort: str) -> str | None:
        seen = {cohort}
        while (parent := self._parents.get(cohort)) is not None:
            if parent in seen:
                return None
            seen.add(parent)
            cohort = parent
        return cohort
