"""A shortcut of the attempt without borrowing: targets of the preemptor's own ClusterQueue.

A preemptor that may not borrow needs nominal quota of its own ClusterQueue to be free. As long as
it is not, no removal elsewhere makes it fit. Candidates elsewhere come first all the same, and are
all restored in the end if the preemptor fits without them. So they need not be removed at all.
"""

from __future__ import annotations

from kueuelab.model import FlavorResource
from kueuelab.scheduler.preemption.candidates import Candidates, CandidateSource
from kueuelab.scheduler.preemption.search import Reason, Search, Target

__all__ = ["find_own_targets"]


def find_own_targets(search: Search, candidates: Candidates) -> list[Target] | None:
    """Return the targets of an attempt without borrowing, ``None`` if it must be made in full.

    The result is that of the full attempt, in the same order.
    """
    others = [*candidates.hierarchical, *candidates.by_priority]
    own_first = search.queue.candidates.first_key(evicted=True) is not None
    nested = any(source.queue.parent is not source.lowest_common_ancestor for source in others)
    if search.wanted or own_first or nested or not _exceeds_nominal(search):
        return None
    mark = search.tree.mark()
    targets = _own_targets(search, candidates)
    search.tree.undo(mark)
    if not targets or len(targets) == 1:
        return targets
    # For each target that the full attempt restores, the last one takes the place before the rest.
    turns = sum(_removed_from(search, source) for source in others) % len(targets)
    return targets[-turns:] + targets[:-turns]


def _own_targets(search: Search, candidates: Candidates) -> list[Target] | None:
    targets: list[Target] = []
    for workload in candidates.of_own_queue():
        targets.append(Target(workload, Reason.IN_CLUSTER_QUEUE))
        search.remove(targets[-1])
        if not _exceeds_nominal(search):
            break
    else:
        return []
    if _lacks_quota(search):
        return None
    for index in range(len(targets) - 2, -1, -1):
        target = targets[index]
        search.restore(target)
        if _exceeds_nominal(search):
            search.remove_again(target)
        elif _lacks_quota(search):
            return None
        else:
            targets[index] = targets[-1]
            targets.pop()
    return targets


def _exceeds_nominal(search: Search) -> bool:
    queue = search.queue
    return any(queue.borrowing_with(fr, need) for fr, need in search.usage.items())


def _lacks_quota(search: Search) -> bool:
    queue = search.queue
    return any(queue.available(fr) < need for fr, need in search.usage.items())


def _removed_from(search: Search, source: CandidateSource) -> int:
    """Return how many candidates are removed until their ClusterQueue no longer borrows."""
    queue = source.queue
    excess: dict[FlavorResource, int] = {
        fr: queue.usage.get(fr, 0) - queue.subtree_quota.get(fr, 0) for fr in search.contested
    }
    count = 0
    policy = search.queue.preemption.reclaim_within_cohort
    for ordered in (queue.candidates.evicted(), queue.candidates.others()):
        for workload in search.allowed(policy, ordered):
            if max(excess.values()) <= 0:
                return count
            booked = search.tree.booked_usage(workload.key)
            for fr in excess:
                excess[fr] -= booked.get(fr, 0)
            count += 1
    return count
