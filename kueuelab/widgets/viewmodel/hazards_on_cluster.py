"""Hazards of this version at one step, read from the trace.

:attr:`kueuelab.multikueue.WorldRun.hazards` has those that a run ends in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.multikueue.hazards import Hazard, hazard_of
from kueuelab.trace.state import State
from kueuelab.widgets.viewmodel.dispatch import Dispatches

__all__ = ["hazards_on_cluster"]

_EMPTY: Final[Mapping[str, Any]] = {}


def hazards_on_cluster(
    clusters: Mapping[str, State], manager: str, dispatches: Dispatches, index: int
) -> Iterator[Hazard]:
    """Yield what is wrong after a step as it goes wrong with this version of Kueue."""
    local = clusters[manager].get("workloads", _EMPTY)
    for name, state in clusters.items():
        if name == manager:
            continue
        for key, copy in sorted(state.get("workloads", _EMPTY).items()):
            if (name, key) in dispatches.copies and key in local:
                yield from _of_copy(clusters[manager], name, key, copy, dispatches, index)
    objects = clusters[manager].get("objects", _EMPTY)
    for key, found in sorted(local.items()):
        chosen = dispatches.of(key, index).chosen
        if chosen and found.get("phase") != "Finished":
            listed = dispatches.clusters_of(clusters[manager], key)
            if chosen in listed and f"MultiKueueCluster/{chosen}" not in objects:
                yield hazard_of("deleted-cluster", key, chosen)
    yield from _not_nominated(clusters[manager], dispatches, index)


def _not_nominated(manager: State, dispatches: Dispatches, index: int) -> Iterator[Hazard]:
    """Yield jobs that wait while a worker is connected that they are not nominated for."""
    if not dispatches.all_at_once:
        return
    for key, found in sorted(manager.get("workloads", _EMPTY).items()):
        checks = found.get("admissionChecks", _EMPTY).values()
        states = sorted(check.get("state") for check in checks)
        # MultiKueue's check is pending, and there is no other one, or none that is not ready.
        if found.get("phase") != "QuotaReserved" or states[:1] != ["Pending"]:
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
    key: str,
    copy: Mapping[str, Any],
    dispatches: Dispatches,
    index: int,
) -> Iterator[Hazard]:
    dispatch = dispatches.of(key, index)
    conditions = copy.get("conditions", _EMPTY)
    admitted = conditions.get("Admitted", _EMPTY).get("status") == "True"
    if worker not in dispatches.clusters_of(manager, key):
        yield hazard_of("forgotten-copy", key, worker)
    elif dispatch.chosen not in ("", worker) and admitted:
        reached = dispatches.reaches(manager, worker, index)
        yield hazard_of("older-copy-wins", key, worker, runs_on=dispatch.chosen, reached=reached)
    elif (
        f"MultiKueueCluster/{worker}" not in manager.get("objects", _EMPTY)
        and dispatch.chosen != worker
    ):
        yield hazard_of("deleted-cluster", key, worker, reached=False)
    elif (
        copy.get("active", True)  # the manager removes one that was deactivated
        and conditions.get("Evicted", _EMPTY).get("status") == "True"
        and conditions.get("QuotaReserved", _EMPTY).get("status") == "True"
        and worker not in dispatch.with_job
    ):
        yield hazard_of("evicted-without-job", key, worker)
    elif (
        worker == dispatch.chosen
        and worker in dispatch.refused
        and conditions.get("Evicted", _EMPTY).get("status") != "True"
        and manager["workloads"][key].get("phase") != "Finished"
    ):
        yield hazard_of("restarted-copy", key, worker)
