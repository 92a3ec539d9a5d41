"""From which ClusterQueue fair sharing takes the next target (KEP-1714).

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#fair-sharing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from kueuelab.quota import (
    NO_SHARE,
    ClusterQueueNode,
    CohortNode,
    Node,
    Share,
    compare_shares,
    dominant_resource_share,
)
from kueuelab.quota.candidates import candidate_key
from kueuelab.scheduler.preemption.search import Search
from kueuelab.workload import WorkloadState

__all__ = ["CandidateQueue", "TargetOrdering"]


class CandidateQueue:
    """The candidates of one ClusterQueue, in order; computed only as far as they are popped."""

    __slots__ = ("_ahead", "_rest")

    def __init__(self, candidates: Iterable[WorkloadState]) -> None:
        self._rest = iter(candidates)
        self._ahead: deque[WorkloadState] = deque()

    def __bool__(self) -> bool:
        if not self._ahead:
            following = next(self._rest, None)
            if following is not None:
                self._ahead.append(following)
        return bool(self._ahead)

    def first(self) -> WorkloadState:
        """Return the next candidate; there must be one."""
        assert self
        return self._ahead[0]

    def pop(self) -> WorkloadState:
        """Remove and return the next candidate; there must be one."""
        assert self
        return self._ahead.popleft()


class TargetOrdering:
    """Which ClusterQueue gives the next target: from the root down, where the share is largest.

    Nodes without candidates are pruned; the iteration ends when the root is pruned.
    """

    def __init__(self, search: Search, candidates: dict[str, CandidateQueue]) -> None:
        self._search = search
        self._candidates = candidates
        self._above_preemptor = {cohort.name for cohort in search.queue.ancestors()}
        self._pruned: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[ClusterQueueNode]:
        queue = self._search.queue
        if queue.parent is None:
            while self.candidates(queue) and not self._is_pruned(queue):
                yield queue
            return
        root = queue.root
        assert isinstance(root, CohortNode)
        while not self._is_pruned(root):
            following = self._next(root)
            if following is not None:
                yield following

    def candidates(self, queue: ClusterQueueNode) -> CandidateQueue:
        """Return the candidates that a ClusterQueue still has."""
        return self._candidates.setdefault(queue.name, CandidateQueue(()))

    def drop(self, queue: ClusterQueueNode) -> None:
        """Take no more targets from a ClusterQueue."""
        self._prune(queue)

    def lowest_common_ancestor(self, queue: ClusterQueueNode) -> CohortNode:
        """Return the lowest cohort above both the preemptor's ClusterQueue and ``queue``."""
        return next(cohort for cohort in queue.ancestors() if cohort.name in self._above_preemptor)

    def _prune(self, node: Node) -> None:
        self._pruned.add((type(node).__name__, node.name))

    def _is_pruned(self, node: Node) -> bool:
        return (type(node).__name__, node.name) in self._pruned

    def _next(self, cohort: CohortNode) -> ClusterQueueNode | None:
        queue, queue_share = self._highest_queue(cohort)
        child, child_share = self._highest_cohort(cohort)
        if queue is None and child is None:
            self._prune(cohort)
            return None
        # In a tie the cohort: a ClusterQueue below it may have a larger share still.
        if child is not None and compare_shares(child_share, queue_share) >= 0:
            return self._next(child)
        return queue

    def _highest_queue(self, cohort: CohortNode) -> tuple[ClusterQueueNode | None, Share]:
        highest: ClusterQueueNode | None = None
        highest_share = NO_SHARE
        for queue in cohort.sorted_queues:
            if self._is_pruned(queue):
                continue
            share = dominant_resource_share(queue)
            own = queue is self._search.queue
            if not (share.borrowing or own) or not self.candidates(queue):
                self._prune(queue)
                continue
            order = compare_shares(share, highest_share)
            if order == 0 and highest is not None:
                if self._order(queue) < self._order(highest):
                    highest = queue
            elif order > 0:
                highest, highest_share = queue, share
        return highest, highest_share

    def _highest_cohort(self, cohort: CohortNode) -> tuple[CohortNode | None, Share]:
        highest: CohortNode | None = None
        highest_share = NO_SHARE
        for child in cohort.sorted_cohorts:
            if self._is_pruned(child):
                continue
            share = dominant_resource_share(child)
            # A subtree with the preemptor may be out of balance even if it does not borrow.
            if not share.borrowing and child.name not in self._above_preemptor:
                self._prune(child)
            elif compare_shares(share, highest_share) >= 0:
                highest, highest_share = child, share
        return highest, highest_share

    def _order(self, queue: ClusterQueueNode) -> tuple[bool, bool, tuple[int, int, str]]:
        first = self.candidates(queue).first()
        return not first.is_evicted, queue is self._search.queue, candidate_key(first)
