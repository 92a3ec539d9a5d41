"""The candidates of fair sharing: by ClusterQueue, in order, found only as far as they are needed.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#fair-sharing.
"""

from __future__ import annotations

from collections.abc import Sequence

from kueuelab.quota import ClusterQueueNode, CohortNode
from kueuelab.quota.candidates import CandidateIndex, Place
from kueuelab.scheduler.preemption.search import Search

__all__ = ["CandidatesByQueue"]


class CandidatesByQueue:
    """The candidates of all ClusterQueues of a search, each as a stack: the next one is the last.

    Those of a ClusterQueue are looked for when they are asked for first. Until then its usage is
    what it was when the search began: only its own candidates are removed from it.
    """

    __slots__ = ("_found", "_search")

    def __init__(self, search: Search) -> None:
        self._search = search
        self._found: dict[str, list[Place]] = {}

    def of(self, queue: ClusterQueueNode) -> list[Place]:
        """Return the candidates that a ClusterQueue still has; the caller pops them."""
        found = self._found.get(queue.name)
        if found is None:
            found = self._found[queue.name] = self._look_for(queue)
        return found

    def put_back(self, popped: Sequence[tuple[ClusterQueueNode, list[Place]]]) -> None:
        """Let candidates that were popped, the first ones first, be the next ones again."""
        for queue, places in reversed(popped):
            self._found[queue.name] += reversed(places)

    def policies(self) -> list[tuple[ClusterQueueNode, str]]:
        """Return the ClusterQueues that may have candidates, with the policy for them."""
        own = self._search.queue
        root = own.root
        queues = [own]
        if isinstance(root, CohortNode):
            queues += [queue for queue in root.cluster_queues() if queue is not own]
        found = ((queue, self._policy(queue)) for queue in queues)
        return [(queue, policy) for queue, policy in found if policy != "Never"]

    def _policy(self, queue: ClusterQueueNode) -> str:
        """Return the policy for candidates of a ClusterQueue: none where it does not borrow."""
        search = self._search
        preemption = search.queue.preemption
        if queue is search.queue:
            return preemption.within_cluster_queue
        policy = preemption.reclaim_within_cohort
        return "Never" if policy == "Never" or not queue.is_borrowing(search.contested) else policy

    def _look_for(self, queue: ClusterQueueNode) -> list[Place]:
        """Return the candidates of a ClusterQueue, those being evicted come before others."""
        policy = self._policy(queue)
        if policy == "Never":
            return []
        search, index = self._search, queue.candidates
        if queue is search.queue or not search.shares_candidates or search.shared is None:
            return _stack(search, index, policy)
        key = ("stack", queue, search.contested)
        found: list[Place] | None = search.shared.get(key)
        if found is None:
            found = search.shared[key] = _stack(search, index, policy)
        return found.copy()


def _stack(search: Search, index: CandidateIndex, policy: str) -> list[Place]:
    evicted = search.allowed(policy, index, evicted=True)
    found = [*evicted, *search.allowed(policy, index, evicted=False)]
    found.reverse()
    return found
