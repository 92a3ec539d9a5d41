"""Issuing preemptions: evicting the targets of an entry, and saying so on both sides."""

from __future__ import annotations

from typing import Final

from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.quota import QuotaTree
from kueuelab.scheduler import Entry, Target
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.events import truncated_for_condition
from kueuelab.simulation.eviction import evict
from kueuelab.trace.steps import Evicted
from kueuelab.workload import WorkloadState

__all__ = ["IN_WORDS", "cohort_path", "preempt"]

#: Reason of a preemption to what Kueue's message says of it.
IN_WORDS: Final = {
    "InClusterQueue": "prioritization in the ClusterQueue",
    "InCohortReclamation": "reclamation within the cohort",
    "InCohortFairSharing": "Fair Sharing within the cohort",
    "InCohortReclaimWhileBorrowing": "reclamation within the cohort while borrowing",
}


def cohort_path(tree: QuotaTree, cluster_queue: str) -> str:
    """Return the way from the root cohort to a ClusterQueue: ``/root/team/queue``."""
    names = [cluster_queue]
    node = tree.cluster_queues.get(cluster_queue)
    parent = node.parent if node is not None else None
    while parent is not None:
        names.append(parent.name)
        parent = parent.parent
    return "/" + "/".join(reversed(names))


def preempt(plane: ControlPlane, entry: Entry) -> None:
    """Evict the targets of an entry; those on their way out already are left alone."""
    for target in entry.preempted:
        if target.workload.key in plane.workloads and not target.workload.is_evicted:
            _preempt(plane, entry, target)


def _preempt(plane: ControlPlane, entry: Entry, target: Target) -> None:
    preemptor, victim = entry.workload, target.workload
    there = cohort_path(plane.tree, entry.cluster_queue)
    here = cohort_path(plane.tree, target.cluster_queue)
    job = preemptor.obj.metadata.labels.get(JOB_UID) or "UNKNOWN"
    message = (
        f"Preempted to accommodate a workload (UID: {preemptor.uid or 'UNKNOWN'}, JobUID: {job}) "
        f"due to {IN_WORDS.get(target.reason, 'UNKNOWN')}; "
        f"preemptor path: {there}; preemptee path: {here}"
    )
    text = truncated_for_condition(message)

    def mark_preempted(state: WorkloadState) -> None:
        state.set_condition("Preempted", "True", target.reason, text, plane.now)

    facts = None
    if plane.recorder is not None:
        facts = Evicted("Preempted", message, preemptor.key, target.reason, there, here)
    evict(plane, victim, "Preempted", message, prepare=mark_preempted, facts=facts)
    ranks = (
        f"preemptor effective priority: {_rank(preemptor)}; "
        f"preemptee effective priority: {_rank(victim)}"
    )
    plane.emit("Normal", "Preempted", f"{message}; {ranks}", victim.key)
    plane.emit(
        "Normal",
        "PreemptedWorkload",
        f"Preempted workload {victim.key} (UID: {victim.uid}) "
        f"in ClusterQueue {target.cluster_queue}; {ranks}",
        preemptor.key,
    )


def _rank(state: WorkloadState) -> str:
    base = state.obj.priority
    return f"{state.priority} (base: {base}, boost: {state.priority - base})"
