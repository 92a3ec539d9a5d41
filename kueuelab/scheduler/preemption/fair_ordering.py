"""From which ClusterQueue fair sharing takes the next target (KEP-1714).

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#fair-sharing.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heapreplace
from math import inf
from typing import Any, Final, TypeAlias

from kueuelab.quota import (
    NO_SHARE,
    ClusterQueueNode,
    CohortNode,
    Node,
    Share,
    compare_shares,
    dominant_resource_share,
)
from kueuelab.quota.candidates import Place
from kueuelab.scheduler.preemption.candidate_queue import CandidatesByQueue
from kueuelab.scheduler.preemption.fair_log import ComparedNodes, compared_nodes
from kueuelab.scheduler.preemption.search import Search
from kueuelab.trace import steps

__all__ = ["TargetOrdering"]


#: What the heap of a cohort's ClusterQueues orders by: the share, negated, then the rank of the
#: next candidate. The rank is computed only for a ClusterQueue that is first by its share.
_Key: TypeAlias = tuple[float, float, tuple[Any, ...]]

_NO_RANK: Final[tuple[Any, ...]] = ()

#: A ClusterQueue in the heap of its cohort: its key, its position among the children, itself,
#: and the share and the next candidate that the key was made of.
_Item: TypeAlias = tuple[_Key, int, ClusterQueueNode, Share | None, Place | None]


class TargetOrdering:
    """Which ClusterQueue gives the next target: from the root down, where the share is largest.

    Nodes without candidates are pruned; the iteration ends when the root is pruned. Between two
    targets only the ClusterQueue that gave the last one changes, and the cohorts above it. So
    the ClusterQueues of a cohort are in a heap, and the first is compared with its key again.

    Parameters
    ----------
    search
        The search.
    candidates
        The candidates of each ClusterQueue.
    ends_early
        Whether to prune a cohort as soon as no candidate below it can pass a strategy.
    """

    def __init__(self, search: Search, candidates: CandidatesByQueue, *, ends_early: bool) -> None:
        self._search = search
        self._candidates = candidates
        self._ends_early = ends_early
        self._above_preemptor = {cohort.name for cohort in search.queue.ancestors()}
        self._compared: dict[CohortNode, ComparedNodes] = {}
        self._pruned: set[Node] = set()
        self._heaps: dict[CohortNode, list[_Item]] = {}
        self._ties: set[steps.CohortsTied] = set()

    def __iter__(self) -> Iterator[ClusterQueueNode]:
        queue = self._search.queue
        if queue.parent is None:
            while self._candidates.of(queue) and queue not in self._pruned:
                yield queue
            return
        root = queue.root
        assert isinstance(root, CohortNode)
        while root not in self._pruned:
            following = self._next(root)
            if following is not None:
                yield following

    def drop(self, queue: ClusterQueueNode) -> None:
        """Take no more targets from a ClusterQueue."""
        self._pruned.add(queue)

    def compared(self, queue: ClusterQueueNode) -> ComparedNodes:
        """Return the nodes whose shares are compared for the preemptor and ``queue``."""
        cohort = queue.parent
        assert cohort is not None
        nodes = self._compared.get(cohort)
        if nodes is None:
            ancestors = (each for each in queue.ancestors() if each.name in self._above_preemptor)
            nodes = compared_nodes(next(ancestors), self._search.queue, queue)
            self._compared[cohort] = nodes
        # The queues of a cohort have these nodes in common, but for a queue right below the lowest.
        ancestor, preemptor, _ = nodes
        return nodes if ancestor is not cohort else ComparedNodes(ancestor, preemptor, queue)

    def _next(self, cohort: CohortNode) -> ClusterQueueNode | None:
        queue, queue_share = self._highest_queue(cohort)
        child, child_share = self._highest_cohort(cohort)
        if queue is None and child is None:
            self._pruned.add(cohort)
            return None
        # In a tie the cohort: a ClusterQueue below it may have a larger share still.
        if child is not None and compare_shares(child_share, queue_share) >= 0:
            highest: Node = child
            highest_share = child_share
        else:
            assert queue is not None
            highest, highest_share = queue, queue_share
        if self._ends_early and self._cannot_pass(cohort, highest_share):
            self._pruned.add(cohort)
            return None
        return self._next(highest) if isinstance(highest, CohortNode) else queue

    def _cannot_pass(self, cohort: CohortNode, highest: Share) -> bool:
        """Tell whether no candidate left below a cohort can pass a strategy.

        Both strategies ask for a share of the preemptor's side that is at most the target's old
        one. The preemptor's side gets no smaller once all its candidates are used up, and the
        shares of targets get no larger.
        """
        if cohort.name not in self._above_preemptor:
            return False
        side: Node = self._search.queue
        while side.parent is not cohort:
            assert side.parent is not None
            side = side.parent
        return side in self._pruned and compare_shares(dominant_resource_share(side), highest) > 0

    def _highest_queue(self, cohort: CohortNode) -> tuple[ClusterQueueNode | None, Share]:
        heap = self._heaps.get(cohort)
        if heap is None:
            heap = self._heaps[cohort] = self._heap(cohort)
        own = self._search.queue
        while heap:
            _, position, queue, known_share, known_first = heap[0]
            if queue in self._pruned:
                heappop(heap)
                continue
            share = queue.known_share or dominant_resource_share(queue)
            waiting = self._candidates.of(queue)
            if not (share.borrowed or queue is own) or not waiting:
                self._pruned.add(queue)
                heappop(heap)
                continue
            first = waiting[-1]
            if first is known_first and share == known_share:
                return queue, share
            key = (*_descending(share), self._rank(queue))
            heapreplace(heap, (key, position, queue, share, first))
        return None, NO_SHARE

    def _heap(self, cohort: CohortNode) -> list[_Item]:
        """Return the ClusterQueues of a cohort that may give targets; the others are pruned."""
        heap: list[_Item] = []
        search, own = self._search, self._search.queue
        # Later keys of a ClusterQueue are no lower, so that one from an earlier search will do.
        common = search.shared if search.shares_candidates else None
        known: dict[ClusterQueueNode, _Item | None]
        known = {} if common is None else common.setdefault(("by share", search.contested), {})
        for position, queue in enumerate(cohort.sorted_queues):
            if queue is own:
                share = dominant_resource_share(queue)
                heap.append(((*_descending(share), _NO_RANK), position, queue, None, None))
                continue
            try:
                item = known[queue]
            except KeyError:
                item = known[queue] = self._item(position, queue)
            if item is not None:
                heap.append(item)
            else:
                self._pruned.add(queue)
        heapify(heap)
        return heap

    def _item(self, position: int, queue: ClusterQueueNode) -> _Item | None:
        """Return a ClusterQueue other than the preemptor's, ``None`` if it gives no target."""
        share = queue.known_share or dominant_resource_share(queue)
        waiting = self._candidates.of(queue) if share.borrowed else ()
        if not waiting:
            return None
        key = (*_descending(share), self._rank(queue))
        return key, position, queue, share, waiting[-1]

    def _highest_cohort(self, cohort: CohortNode) -> tuple[CohortNode | None, Share]:
        highest: CohortNode | None = None
        highest_share = NO_SHARE
        # Among equal shares the last one counts, and Kueue walks them in random order.
        for child in self._search.chances.in_order(cohort.sorted_cohorts):
            if child in self._pruned:
                continue
            share = dominant_resource_share(child)
            # A subtree with the preemptor may be out of balance even if it does not borrow.
            if not share.borrowing and child.name not in self._above_preemptor:
                self._pruned.add(child)
            elif compare_shares(share, highest_share) >= 0:
                highest, highest_share = child, share
        if highest is not None and self._search.recorder is not None:
            self._record_tie(cohort, highest, highest_share)
        return highest, highest_share

    def _record_tie(self, cohort: CohortNode, chosen: CohortNode, highest: Share) -> None:
        """Record, once for each choice, if chance decides which cohort gives a target."""
        tied = tuple(
            child.name
            for child in cohort.sorted_cohorts
            if child not in self._pruned
            and compare_shares(dominant_resource_share(child), highest) == 0
        )
        facts = steps.CohortsTied(cohort.name, tied, chosen.name)
        if len(tied) > 1 and facts not in self._ties:
            self._ties.add(facts)
            self._search.record(facts)

    def _rank(self, queue: ClusterQueueNode) -> tuple[Any, ...]:
        first = self._candidates.of(queue)[-1]
        return not first[2].is_evicted, queue is self._search.queue, first[0]


def _descending(share: Share) -> tuple[float, float]:
    """Return what orders shares as :func:`compare_shares` does, the highest first."""
    weighted = share.weighted
    return -weighted, -share.ratio if weighted == inf else 0.0
