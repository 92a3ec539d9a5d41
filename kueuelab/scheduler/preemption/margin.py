"""How much more is available than a preemptor needs, without a look at the quota tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from kueuelab.model import FlavorResource
from kueuelab.quota import ClusterQueueNode, Node

if TYPE_CHECKING:
    from kueuelab.scheduler.preemption.search import Search, Target

__all__ = ["Margin"]

#: What is spare of each flavor and resource; negative: what the preemptor lacks.
_Spare: TypeAlias = dict[FlavorResource, int]


class Margin:
    """What is available beyond what the preemptor needs.

    Available quota grows by no more than what is removed, and shrinks by no more than what is
    restored. So most targets of a search need no check whether the preemptor fits. Where all
    quota is lent, no target needs one: what a target uses counts in full in each cohort above it.

    Parameters
    ----------
    search
        The search; what is available is read now.
    removed
        The targets that are removed, and may be restored.
    borrowing
        Whether the preemptor may borrow. If not, its ClusterQueue must have room within nominal
        quota, which only the targets in that ClusterQueue change.
    """

    __slots__ = ("_above", "_all", "_common", "_is_exact", "_nominal", "_queue", "_tree")

    def __init__(self, search: Search, removed: Iterable[Target], *, borrowing: bool) -> None:
        queue = search.queue
        self._tree = search.tree
        self._queue = queue
        self._nominal: _Spare = (
            {}
            if borrowing
            else {
                fr: queue.quota(fr).nominal - queue.usage.get(fr, 0) - need
                for fr, need in search.usage.items()
            }
        )
        self._is_exact = queue.root.lends_all and self._none_in_debt(removed)
        own: _Spare = {}
        #: What is spare in nodes above the ClusterQueue.
        self._above: list[tuple[Node, _Spare]] = []
        if self._is_exact:
            self._read_limits(search, own)
        else:
            spare = {fr: queue.available(fr) - need for fr, need in search.usage.items()}
            self._above.append((queue.root, spare))
        #: What changes with the usage of ClusterQueues in the same cohort, and of the own one.
        self._common = tuple(spare for _, spare in self._above)
        self._all = tuple(spare for spare in (self._nominal, own, *self._common) if spare)

    def may_fit_without(self, target: Target) -> bool:
        """Note that a target is removed; tell whether the preemptor may fit now."""
        queue, booked = self._tree.holding(target.workload.key)
        for spare in self._spares(queue):
            for fr in spare:
                spare[fr] += booked.get(fr, 0)
        for spare in self._all:
            for value in spare.values():
                if value < 0:
                    return False
        return True

    def verdict_with(self, target: Target) -> bool | None:
        """Tell whether the preemptor still fits with a restored target; ``None``: check it.

        If it does, the target counts as restored from now on.
        """
        queue, booked = self._tree.holding(target.workload.key)
        spares = self._spares(queue)
        for spare in spares:
            for fr, value in spare.items():
                if booked.get(fr, 0) > value:
                    return False if self._is_exact or spare is self._nominal else None
        for spare in spares:
            for fr in spare:
                spare[fr] -= booked.get(fr, 0)
        return True

    def _read_limits(self, search: Search, own: _Spare) -> None:
        """Read what is spare in the root cohort, and up to each borrowing limit on the way there.

        What is not requested fits, however large the debt.
        """
        queue = search.queue
        wanted = {fr: need for fr, need in search.usage.items() if need > 0}
        node: Node | None = queue
        while node is not None:
            is_root = node.parent is None
            spare = own if node is queue else {}
            for fr, need in wanted.items():
                limit = 0 if is_root else node.quota(fr).borrowing_limit
                if limit is not None:
                    most = node.subtree_quota.get(fr, 0) + limit
                    spare[fr] = most - node.usage.get(fr, 0) - need
            if spare and node is not queue:
                self._above.append((node, spare))
            node = node.parent

    def _none_in_debt(self, targets: Iterable[Target]) -> bool:
        """Tell whether no ClusterQueue used less than its targets, so that all of it was freed.

        What the preemptor's own one owes is available to it, whatever others use.
        """
        holding = self._tree.holding
        queues = {self._queue, *(holding(target.workload.key)[0] for target in targets)}
        return all(
            used >= 0 for queue in queues if queue is not None for used in queue.usage.values()
        )

    def _spares(self, queue: ClusterQueueNode | None) -> Sequence[_Spare]:
        """Return what changes with the usage of a ClusterQueue."""
        if queue is self._queue:
            return self._all
        if queue is None:
            return ()
        if queue.parent is self._queue.parent or len(self._common) == 1:
            return self._common  # The root is above all.
        above = set(queue.ancestors())
        return [spare for node, spare in self._above if node in above]
