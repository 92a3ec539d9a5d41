"""Which ClusterQueues have their inadmissible workloads queued together: cohort trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kueuelab.queues.pending import PendingWorkloads

__all__ = ["CohortForest", "CohortTree"]


class CohortTree:
    """ClusterQueues whose inadmissible workloads become active together.

    Attributes
    ----------
    with_inadmissible
        Its queues that may have an inadmissible workload, by name.
    queue_inadmissible_cycle
        Which pop of heads was the last one before its inadmissible workloads were queued;
        -1 if that never happened.
    in_cycle
        Its cohorts form a cycle. The inadmissible workloads of such queues stay inadmissible.
    """

    __slots__ = ("in_cycle", "queue_inadmissible_cycle", "with_inadmissible")

    def __init__(self, *, in_cycle: bool = False) -> None:
        self.with_inadmissible: dict[str, PendingWorkloads] = {}
        self.queue_inadmissible_cycle = -1
        self.in_cycle = in_cycle

    def wake(self, pop_cycle: int, why: str) -> int:
        """Make inadmissible workloads of all its queues active; return how many."""
        if self.in_cycle:
            return 0
        self.queue_inadmissible_cycle = pop_cycle
        woken = 0
        for queue in list(self.with_inadmissible.values()):
            woken += queue.wake(why)
            if not queue.may_have_inadmissible:
                del self.with_inadmissible[queue.name]
        return woken


class CohortForest:
    """All cohort trees, and the tree that each queue belongs to.

    A cohort without a Cohort object exists as soon as something refers to it.
    """

    __slots__ = ("_parents", "_trees")

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._trees: dict[str, CohortTree] = {}

    def set_parent(self, cohort: str, parent: str, queues: Iterable[PendingWorkloads]) -> None:
        """Put a cohort below another one, or (``""``) at the root."""
        if self._parents.get(cohort) == (parent or None):
            return
        if parent:
            self._parents[cohort] = parent
        else:
            del self._parents[cohort]
        self._trees.clear()
        for queue in queues:
            self.place(queue)

    def place(self, queue: PendingWorkloads) -> None:
        """Put a queue into the tree of its ClusterQueue's cohort."""
        old = queue.tree
        old.with_inadmissible.pop(queue.name, None)
        queue.queue_inadmissible_cycle = max(
            queue.queue_inadmissible_cycle, old.queue_inadmissible_cycle
        )
        cohort = queue.cluster_queue.cohort_name
        queue.tree = self.tree(cohort) if cohort else CohortTree()
        if queue.may_have_inadmissible:
            queue.tree.with_inadmissible[queue.name] = queue

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
