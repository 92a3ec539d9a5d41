"""Entry penalties of admission fair sharing that a dump does not show.

Kueue charges a LocalQueue as soon as it reserves quota for one of its workloads, and settles that
when the workload is admitted (KEP-4136). Until then the penalty is in Kueue's memory only, also
that of a workload which was evicted before it was admitted.
"""

from __future__ import annotations

from typing import Final

from kueuelab.trace.reading import State
from kueuelab.trace.steps import StatusRead
from kueuelab.trace.trace import Trace

__all__ = ["unseen_penalties"]

_BY_USAGE: Final = "UsageBasedAdmissionFairSharing"
_SEVERAL: Final = 2


def unseen_penalties(trace: Trace, state: State, cluster_queue: str) -> tuple[str, ...]:
    """Return the LocalQueues of a ClusterQueue that Kueue has charged without showing it.

    Parameters
    ----------
    trace
        The record of a dump.
    state
        A state of it; it has the ClusterQueue and the workloads.
    cluster_queue
        The ClusterQueue. Usage must order its LocalQueues, and there must be several; otherwise
        there are none.
    """
    if not state.knows_usage or state.cluster_queue(cluster_queue).admission_mode != _BY_USAGE:
        return ()
    queues = map(state.local_queue, state.names("LocalQueue"))
    if sum(each.cluster_queue == cluster_queue for each in queues) < _SEVERAL:
        return ()
    found: set[str] = set()
    for index in trace.of_kind("StatusRead"):
        step = trace[index]
        if not _is_charged(step.facts):
            continue
        view = state.workload(step.workload)
        if view.cluster_queue == cluster_queue:
            found.add(f"{step.workload.partition('/')[0]}/{view.queue_name}")
    return tuple(sorted(found))


def _is_charged(facts: object) -> bool:
    """Tell whether a workload got quota and was never admitted."""
    assert isinstance(facts, StatusRead)
    holds = {each[0]: each[1] for each in facts.conditions}
    if holds.get("Finished") == "True" or not facts.active:
        return False
    evicted_before = holds.get("Evicted") == "True" and "Admitted" not in holds
    return facts.phase == "QuotaReserved" or evicted_before
