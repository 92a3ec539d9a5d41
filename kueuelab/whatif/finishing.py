"""Workloads that would have to finish: one of them, or a set that needs each of its members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.manifests.scenario import Finish
from kueuelab.whatif.change_sets import Adjustment, ChangeSet, Part, change_set_of
from kueuelab.whatif.evaluator import Evaluator, Good, smallest
from kueuelab.whatif.freed_domains import those_that_free_a_domain
from kueuelab.whatif.subject import Subject
from kueuelab.workload import WorkloadState

__all__ = ["finishing"]

#: How many single workloads are reported, and how many are tried.
_REPORTED: Final = 3
_TRIED: Final = 8
#: From so many the set is chosen.
_MOST: Final = 64


def finishing(subject: Subject, judge: Evaluator) -> Iterator[ChangeSet]:
    """Yield plans in which workloads finish, and the workload is admitted.

    Those whose end frees a domain come first, then those that use the least of what it asks for.
    It isn't enough that there is quota then: another workload may get it first. It isn't needed
    either: it may preempt others.
    """
    if subject.node is None or not all(demand.flavors for demand in subject.demands):
        return
    freeing = those_that_free_a_domain(subject)
    holders = sorted(subject.holders(), key=lambda state: (_part(subject, state), state.key))
    roomy = [state for state in holders if subject.fits_without([state])]
    # Without those of its own queue it is within its quota, and may reclaim the rest.
    own = [state for state in holders if state.cluster_queue == subject.node.name]
    first = [*freeing[:_TRIED], *roomy[:_TRIED]]
    tried = list(dict.fromkeys([*first, *own[::-1], *holders[::-1]]))[:_TRIED]
    plans = [_plan([state]) for state in tried]
    found = [plan for plan in plans if judge.helps(plan)][:_REPORTED]
    yield from found
    if any(judge.helps_without_evictions(plan) for plan in found):
        return
    good = judge.helps_without_evictions if found else judge.helps
    if found_set := _set(holders[::-1][:_MOST], judge, good):
        yield found_set


def _set(holders: list[WorkloadState], judge: Evaluator, good: Good) -> ChangeSet | None:
    """Return a small set, the largest users first; none of it may be left out."""
    if len(holders) < 2 or not good(_plan(holders)):
        return None
    count = smallest(lambda number: good(_plan(holders[:number])), 1, len(holders))
    plan = _plan(sorted(holders[:count], key=lambda state: state.key))
    return judge.least(plan, good)


def _plan(states: list[WorkloadState]) -> ChangeSet:
    return change_set_of(*map(_adjustment, states))


def _adjustment(state: WorkloadState) -> Adjustment:
    part = Part("finish", (Finish(state.key),), item=state.key, queues=(state.cluster_queue,))
    return Adjustment(lambda _: part)


def _part(subject: Subject, state: WorkloadState) -> float:
    return max(state.usage.get(fr, 0) / subject.requests[fr[1]] for fr in subject.contested)
