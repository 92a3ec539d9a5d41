"""Hazards of this version at one step, read from the trace.

:attr:`kueuelab.multikueue.WorldRun.hazards` has those that a run ends in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kueuelab.multikueue.dispatches import Dispatches
from kueuelab.multikueue.hazards import Hazard, hazard_of
from kueuelab.trace.reading import State, WorkloadView

__all__ = ["hazards_on_cluster"]


def hazards_on_cluster(
    clusters: Mapping[str, State], manager: str, dispatches: Dispatches, index: int
) -> Iterator[Hazard]:
    """Yield what is wrong after a step as it goes wrong with this version of Kueue."""
    local = clusters[manager].workloads
    for name, state in clusters.items():
        if name == manager:
            continue
        for key in sorted(state.workloads):
            if (name, key) in dispatches.copies and key in local:
                yield from _of_copy(clusters[manager], name, state, key, dispatches, index)
    for key, found in sorted(local.items(), key=_key):
        chosen = dispatches.of(key, index).chosen
        if chosen and found.phase != "Finished":
            listed = dispatches.clusters_of(clusters[manager], key)
            if chosen in listed and not clusters[manager].has("MultiKueueCluster", chosen):
                yield hazard_of("deleted-cluster", key, chosen)
    yield from _not_nominated(clusters[manager], dispatches, index)


def _key(found: tuple[str, WorkloadView]) -> str:
    return found[0]


def _not_nominated(manager: State, dispatches: Dispatches, index: int) -> Iterator[Hazard]:
    """Yield jobs that wait while a worker is connected that they are not nominated for."""
    if not dispatches.all_at_once:
        return
    for key, found in sorted(manager.workloads.items(), key=_key):
        states = sorted(check.state for check in found.checks)
        # MultiKueue's check is pending, and there is no other one, or none that is not ready.
        if found.phase != "QuotaReserved" or states[:1] != ["Pending"]:
            continue
        dispatch = dispatches.of(key, index)
        if dispatch.chosen or any(state != "Ready" for state in states[1:]):
            continue
        for name in dispatches.clusters_of(manager, key):
            reached = dispatches.reaches(manager, name, index)
            overlooked = dispatches.is_overlooked(name, key, index)
            if reached and overlooked and name not in dispatch.nominated:
                yield hazard_of("not-nominated", key, name)


def _of_copy(
    manager: State,
    worker: str,
    cluster: State,
    key: str,
    dispatches: Dispatches,
    index: int,
) -> Iterator[Hazard]:
    dispatch, copy = dispatches.of(key, index), cluster.workload(key)
    admitted = copy.condition("Admitted").is_true
    evicted = copy.condition("Evicted").is_true
    if worker not in dispatches.clusters_of(manager, key):
        yield hazard_of("forgotten-copy", key, worker)
    elif dispatch.chosen not in ("", worker) and admitted:
        reached = dispatches.reaches(manager, worker, index)
        yield hazard_of("older-copy-wins", key, worker, runs_on=dispatch.chosen, reached=reached)
    elif not manager.has("MultiKueueCluster", worker) and dispatch.chosen != worker:
        yield hazard_of("deleted-cluster", key, worker, reached=False)
    elif (
        copy.active  # the manager removes one that was deactivated
        and evicted
        and copy.condition("QuotaReserved").is_true
        and not cluster.job_of(key)
    ):
        yield hazard_of("evicted-without-job", key, worker)
    elif (
        worker == dispatch.chosen
        and worker in dispatch.refused
        and not evicted
        and manager.workload(key).phase != "Finished"
    ):
        yield hazard_of("restarted-copy", key, worker)
