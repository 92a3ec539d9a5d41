"""The quota tree of a cluster: cohorts and ClusterQueues, their usage, and the undo journal.

There is one tree, changed in place, and no copy. What a scheduling cycle only simulates is
written to a journal and undone from it: this is the snapshot, the second step of a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from kueuelab.errors import NotModelledError
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, Cohort, FlavorResource
from kueuelab.quota.cluster_queue import ClusterQueueNode
from kueuelab.quota.cohort import CohortNode
from kueuelab.quota.journal import Journal, Undoable
from kueuelab.quota.node import Node
from kueuelab.trace.recorder import RecordedValue, Recorder
from kueuelab.workload import WorkloadState

__all__ = ["DEEPEST", "QuotaTree"]

#: How many cohorts may be one below the other.
DEEPEST: Final = 100

_NOTHING_HELD: Final[tuple[None, Mapping[FlavorResource, int]]] = (None, {})


class QuotaTree:
    """ClusterQueues and Cohorts with their quota and usage.

    Parameters
    ----------
    recorder
        Records every change of usage, if given.

    Examples
    --------
    >>> from kueuelab.model import *
    >>> quota = ResourceGroup(("cpu",), (FlavorQuotas("default", (ResourceQuota("cpu", 4000),)),))
    >>> tree = QuotaTree()
    >>> tree.set_cluster_queue(ClusterQueue(ObjectMeta("a"), (quota,), cohort_name="team"))
    >>> tree.set_cluster_queue(ClusterQueue(ObjectMeta("b"), (quota,), cohort_name="team"))
    >>> tree.cluster_queues["a"].available(("default", "cpu"))
    8000
    >>> with tree.simulation():
    ...     tree.add_usage(tree.cluster_queues["b"], {("default", "cpu"): 5000})
    ...     tree.cluster_queues["a"].available(("default", "cpu"))
    3000
    >>> tree.cluster_queues["a"].available(("default", "cpu"))
    8000
    """

    __slots__ = ("_holders", "_is_growing", "cluster_queues", "cohorts", "journal", "recorder")

    def __init__(self, recorder: Recorder | None = None) -> None:
        self.cluster_queues: dict[str, ClusterQueueNode] = {}
        self.cohorts: dict[str, CohortNode] = {}
        self.recorder = recorder
        self.journal = Journal()
        #: For each workload that holds quota its ClusterQueue, and what is booked there.
        self._holders: dict[str, tuple[ClusterQueueNode, dict[FlavorResource, int]]] = {}
        self._is_growing = False

    # --- shape -------------------------------------------------------------------------

    @contextmanager
    def growing(self) -> Iterator[None]:
        """Derive what Cohorts lend once, when the block ends, not for each object set in it.

        No quota may be asked for within the block.
        """
        self._is_growing = True
        try:
            yield
        finally:
            self._is_growing = False
            for node in self.cohorts.values():
                if node.parent is None:
                    self._rebuild_above(node)

    def set_cluster_queue(self, spec: ClusterQueue) -> None:
        """Add a ClusterQueue, or bring it up to date."""
        node = self.cluster_queues.get(spec.name)
        if node is None:
            node = self.cluster_queues[spec.name] = ClusterQueueNode(spec.name)
        old_parent = node.parent
        changed = node.configure(spec)
        self._attach_queue(node, spec.cohort_name)
        if changed or old_parent is not node.parent:
            if old_parent is not None and old_parent is not node.parent:
                self._rebuild_above(old_parent)
            if node.parent is None:
                node.rebuild()
            else:
                self._rebuild_above(node.parent)

    def remove_cluster_queue(self, name: str) -> None:
        """Remove a ClusterQueue, with the workloads that hold quota in it."""
        node = self.cluster_queues.pop(name, None)
        if node is None:
            return
        for key in node.workloads:
            del self._holders[key]
        parent = node.parent
        self._attach_queue(node, "")
        if parent is not None:
            self._rebuild_above(parent)

    def set_cohort(self, spec: Cohort) -> None:
        """Add a Cohort, or bring it up to date."""
        node = self._cohort(spec.name)
        node.explicit = True
        node.set_resource_groups(spec.resource_groups)
        node.set_fair_weight(spec.fair_weight)
        old_parent = node.parent
        self._check_depth(node, spec.parent_name)
        self._attach_cohort(node, spec.parent_name)
        if old_parent is not None and old_parent is not node.parent:
            self._rebuild_above(old_parent)
        self._rebuild_above(node)

    def remove_cohort(self, name: str) -> None:
        """Remove a Cohort; it stays, without quota, as long as something refers to it."""
        node = self.cohorts.get(name)
        if node is None:
            return
        parent = node.parent
        self._attach_cohort(node, "")
        node.explicit = False
        node.quotas = {}
        node.set_fair_weight(None)
        self._drop_if_unused(node)
        self._rebuild_above(node)
        if parent is not None:
            self._rebuild_above(parent)

    def in_cycle(self, cluster_queue: str) -> bool:
        """Tell whether the ClusterQueue's cohorts form a cycle, so that it can't be used."""
        node = self.cluster_queues.get(cluster_queue)
        return node is not None and node.parent is not None and node.parent.is_in_cycle

    def root_name(self, cluster_queue: str) -> str | None:
        """Return the name of the ClusterQueue's root cohort, ``None`` if it has none."""
        node = self.cluster_queues.get(cluster_queue)
        if node is None or node.parent is None or node.parent.is_in_cycle:
            return None
        return node.root.name

    def cluster_queues_in_tree(self, cluster_queue: str) -> list[str]:
        """Return the names of the ClusterQueues in the same cohort tree, itself included."""
        node = self.cluster_queues[cluster_queue]
        if node.parent is None or node.parent.is_in_cycle:
            return [cluster_queue]
        root = node.root
        assert isinstance(root, CohortNode)
        return [queue.name for queue in root.cluster_queues()]

    def _cohort(self, name: str) -> CohortNode:
        return self.cohorts.setdefault(name, CohortNode(name))

    def _attach_queue(self, node: ClusterQueueNode, cohort: str) -> None:
        old = node.parent
        if old is not None and old.name == cohort:
            return
        node.parent = self._cohort(cohort) if cohort else None
        if node.parent is not None:
            node.parent.child_queues[node.name] = node
        if old is not None:
            del old.child_queues[node.name]
            self._drop_if_unused(old)

    def _attach_cohort(self, node: CohortNode, parent: str) -> None:
        old = node.parent
        if old is not None and old.name == parent:
            return
        node.parent = self._cohort(parent) if parent else None
        if node.parent is not None:
            node.parent.child_cohorts[node.name] = node
        if old is not None:
            del old.child_cohorts[node.name]
            self._drop_if_unused(old)

    def _check_depth(self, node: CohortNode, parent: str) -> None:
        """Raise an error if the tree would be deeper than recursion over it may be."""
        above, at = 0, self.cohorts.get(parent)
        if at is not None and at.is_in_cycle:
            return  # a cycle has no depth
        while at is not None and at is not node:
            above, at = above + 1, at.parent
        if at is node:  # this makes one
            return
        if parent:  # a cohort without an object is a cohort, too
            above = max(above, 1)
        level, depth = [node], above
        while level:
            depth += 1
            # Under a cohort that leaves a cycle, the way down still leads back to itself.
            level = [
                child
                for each in level
                for child in each.child_cohorts.values()
                if child is not node
            ]
        if depth > DEEPEST:
            raise NotModelledError(
                Message("quota.too-deep", most=DEEPEST),
                object=f"Cohort/{node.name}",
                field="spec.parentName",
            )

    def _drop_if_unused(self, node: CohortNode) -> None:
        if not (node.explicit or node.child_cohorts or node.child_queues):
            del self.cohorts[node.name]

    def _rebuild_above(self, node: CohortNode) -> None:
        if self._is_growing or node.is_in_cycle:
            return
        root = node.root
        assert isinstance(root, CohortNode)
        if self.recorder is None:
            root.rebuild()
            return
        before = _usages(root)
        root.rebuild()
        after = _usages(root)
        for name, fr in {**before, **after}:
            old, new = before.get((name, fr), 0), after.get((name, fr), 0)
            if old != new:
                self.recorder.change(_place(name, fr), new)

    # --- usage -------------------------------------------------------------------------

    def add_usage(self, node: ClusterQueueNode, usage: Mapping[FlavorResource, int]) -> None:
        """Add usage to a ClusterQueue; what exceeds its local quota is added to its parent."""
        journal, recorder = self.journal, self.recorder
        changes = journal.entries if journal.is_open else None
        for fr, value in usage.items():
            at: Node | None = node
            while at is not None:
                used = at.usage.get(fr, 0)
                at.usage[fr] = used + value
                at.known_share = None
                if changes is not None:
                    changes.append((at, fr, used))
                if recorder is not None and value:
                    recorder.write(at.recorded.get(fr) or self._recorded(at, fr), used + value)
                room = (at.local_quotas.get(fr, 0) if at.local_quotas else 0) - used
                if room > 0:
                    value -= room
                if value <= 0:
                    break
                at = at.parent

    def remove_usage(self, node: ClusterQueueNode, usage: Mapping[FlavorResource, int]) -> None:
        """Remove usage; the parent's part of it is removed first."""
        journal, recorder = self.journal, self.recorder
        changes = journal.entries if journal.is_open else None
        for fr, value in usage.items():
            at: Node | None = node
            while at is not None:
                used = at.usage.get(fr, 0)
                at.usage[fr] = used - value
                at.known_share = None
                if changes is not None:
                    changes.append((at, fr, used))
                if recorder is not None and value:
                    recorder.write(at.recorded.get(fr) or self._recorded(at, fr), used - value)
                in_parent = used - at.local_quotas.get(fr, 0) if at.local_quotas else used
                if in_parent <= 0:
                    break
                if in_parent < value:
                    value = in_parent
                at = at.parent

    def remove_booked(self, workload: str) -> None:
        """Remove the usage that is booked for a workload, if there is any; it stays booked."""
        held = self._holders.get(workload)
        if held is not None:
            self.remove_usage(*held)

    def add_booked(self, workload: str) -> None:
        """Add the usage that is booked for a workload again."""
        held = self._holders.get(workload)
        if held is not None:
            self.add_usage(*held)

    def simulation(self) -> AbstractContextManager[None]:
        """Undo all changes of usage within the block when it ends."""
        return _Simulation(self)

    def mark(self) -> int:
        """Return where to undo to; only while simulating."""
        return len(self.journal.entries)

    def undo(self, mark: int) -> None:
        """Undo all changes of usage since ``mark``, those of topologies too."""
        self.journal.undo(mark, None if self.recorder is None else self._announce_undone)

    def _announce_undone(self, target: Undoable, key: Any, before: int) -> None:
        assert self.recorder is not None
        if isinstance(target, Node) and before != target.usage[key]:
            fr: FlavorResource = key
            self.recorder.write(target.recorded.get(fr) or self._recorded(target, fr), before)

    def _recorded(self, node: Node, fr: FlavorResource) -> RecordedValue:
        """Return what the record says of a node's usage, which it did not say before."""
        assert self.recorder is not None
        kind = "cohorts" if isinstance(node, CohortNode) else "clusterQueues"
        found = node.recorded[fr] = self.recorder.value(_place((kind, node.name), fr))
        return found

    @contextmanager
    def without(self, workloads: Sequence[WorkloadState]) -> Iterator[None]:
        """Simulate without ``workloads``: without their usage, and not as candidates."""
        mark = self.mark()
        for workload in workloads:
            self.remove_booked(workload.key)
            self.cluster_queues[workload.cluster_queue].candidates.discard(workload.key)
        try:
            yield
        finally:
            self.undo(mark)
            for workload in workloads:
                self.cluster_queues[workload.cluster_queue].candidates.add(workload)

    # --- workloads that hold quota -----------------------------------------------------

    def add_workload(self, workload: WorkloadState) -> bool:
        """Account for a workload in the ClusterQueue that its admission names.

        Tells whether that ClusterQueue exists. A workload that is accounted for already
        is removed first, which counts as a release.
        """
        self.remove_workload(workload)
        node = self.cluster_queues.get(workload.cluster_queue)
        if node is None:
            return False
        node.workloads[workload.key] = workload
        node.candidates.add(workload)
        # The booked usage is kept: the workload may change before it is released.
        booked = dict(workload.usage)
        self._holders[workload.key] = (node, booked)
        self.add_usage(node, booked)
        return True

    def remove_workload(self, workload: WorkloadState) -> bool:
        """Release what was booked for a workload; tell whether there was anything."""
        held = self._holders.pop(workload.key, None)
        if held is None:
            return False
        node, booked = held
        self.remove_usage(node, booked)
        node.generation += 1
        del node.workloads[workload.key]
        node.candidates.discard(workload.key)
        return True

    def refresh_workload(self, workload: WorkloadState) -> None:
        """Move a workload among the candidates after its conditions or priority changed."""
        held = self._holders.get(workload.key)
        if held is not None:
            held[0].candidates.refresh(workload)

    def accounted(self, key: str) -> bool:
        """Tell whether some ClusterQueue holds quota for the workload."""
        return key in self._holders

    def booked_usage(self, key: str) -> Mapping[FlavorResource, int]:
        """Return what is booked for a workload; empty if nothing is."""
        held = self._holders.get(key)
        return {} if held is None else held[1]

    def holding(self, key: str) -> tuple[ClusterQueueNode | None, Mapping[FlavorResource, int]]:
        """Return the ClusterQueue that a workload holds quota in, and what is booked there."""
        return self._holders.get(key, _NOTHING_HELD)

    def workloads(self) -> Iterator[WorkloadState]:
        """Yield all workloads that hold quota."""
        for node in self.cluster_queues.values():
            yield from node.workloads.values()


class _Simulation(AbstractContextManager[None]):
    """A block of which nothing stays; each cycle has one, often with a single head."""

    __slots__ = ("_tree",)

    def __init__(self, tree: QuotaTree) -> None:
        self._tree = tree

    def __enter__(self) -> None:
        self._tree.journal.is_open = True

    def __exit__(self, *failure: object) -> None:
        self._tree.undo(0)
        self._tree.journal.is_open = False


def _place(node: tuple[str, str], fr: FlavorResource) -> tuple[str, ...]:
    return (*node, "usage", *fr)


def _usages(root: CohortNode) -> dict[tuple[tuple[str, str], FlavorResource], int]:
    found: dict[tuple[tuple[str, str], FlavorResource], int] = {}
    todo = [root]
    while todo:
        node = todo.pop()
        todo.extend(node.child_cohorts.values())
        found.update({(("cohorts", node.name), fr): value for fr, value in node.usage.items()})
    return found
