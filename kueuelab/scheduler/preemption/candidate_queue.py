"""The candidates of fair sharing: by ClusterQueue, in order, found only as far as they are needed.

See https://kueue.sigs.k8s.io/docs/concepts/preemption/#fair-sharing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import chain

from kueuelab.quota import ClusterQueueNode, CohortNode
from kueuelab.scheduler.preemption.search import Search
from kueuelab.workload import WorkloadState

__all__ = ["CandidateQueue", "CandidatesByQueue"]


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

    def put_back(self, workloads: Iterable[WorkloadState]) -> None:
        """Let candidates that were popped be the next again, in the given order."""
        self._ahead.extendleft(reversed(list(workloads)))


class CandidatesByQueue:
    """The candidates of all ClusterQueues of a search.

    Those of a ClusterQueue are looked for when they are asked for first. Until then its usage is
    what it was when the search began: only its own candidates are removed from it.
    """

    __slots__ = ("_found", "_search")

    def __init__(self, search: Search) -> None:
        self._search = search
        self._found: dict[str, CandidateQueue] = {}

    def of(self, queue: ClusterQueueNode) -> CandidateQueue:
        """Return the candidates that a ClusterQueue still has."""
        found = self._found.get(queue.name)
        if found is None:
            found = self._found[queue.name] = self._look_for(queue)
        return found

    def put_back(self, workloads: Iterable[WorkloadState]) -> None:
        """Let candidates that were popped be the first of their ClusterQueues again."""
        by_queue: dict[str, list[WorkloadState]] = {}
        for workload in workloads:
            by_queue.setdefault(workload.cluster_queue, []).append(workload)
        for name, popped in by_queue.items():
            self._found[name].put_back(popped)

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

    def _look_for(self, queue: ClusterQueueNode) -> CandidateQueue:
        """Return the candidates of a ClusterQueue, those being evicted first."""
        policy = self._policy(queue)
        if policy == "Never":
            return CandidateQueue(())
        search, index = self._search, queue.candidates
        return CandidateQueue(
            chain(search.allowed(policy, index.evicted()), search.allowed(policy, index.others()))
        )
