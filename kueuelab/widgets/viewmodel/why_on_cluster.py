"""Why a job is where it is at one step, cluster by cluster, read from the trace.

:meth:`kueuelab.multikueue.WorldRun.why` answers the same for the end of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.widgets.viewmodel.dispatch import Dispatch, Dispatches

__all__ = ["WhyOnCluster", "why_on_cluster"]

#: More names than this are a list that nobody reads.
_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class WhyOnCluster:
    """Where a job is at one step, and what it waits for.

    Attributes
    ----------
    workload
        Its key.
    lines
        Cluster and sentence, the manager first.
    """

    workload: str
    lines: tuple[tuple[str, str], ...]

    def as_text(self) -> str:
        """Return the answer as plain text."""
        lines = [f"  {cluster}: {sentence}" for cluster, sentence in self.lines]
        return "\n".join([f"Why {short_name(self.workload)} is where it is:", *lines])


def why_on_cluster(
    clusters: Mapping[str, State],
    manager: str,
    key: str,
    dispatch: Dispatch,
    dispatches: Dispatches,
    index: int,
) -> WhyOnCluster:
    """Tell where a job is after a step, and what it waits for.

    Parameters
    ----------
    clusters
        The states of all clusters after the step, by name.
    manager
        Which of them is the manager.
    key
        The job's workload.
    dispatch
        How far its dispatch is.
    dispatches
        What is known of the run.
    index
        The step.
    """
    there = key in clusters[manager].workloads
    lines: list[tuple[str, str]] = []
    if there or dispatches.is_dispatched(key):
        local = clusters[manager]
        reached = {name: dispatches.reaches(local, name, index) for name in clusters}
        if there or dispatches.was_created(key, index):
            lines.append((manager, _on_manager(clusters[manager], key, dispatch, reached)))
        else:
            lines.append((manager, "it is not there yet"))
        listed = dispatches.clusters_of(clusters[manager], key)
        for name in clusters:
            if name == manager:
                continue
            sentence = _on_worker(clusters, manager, name, key, dispatch, listed)
            if sentence:
                away = "" if reached[name] else "out of the manager's reach; "
                lines.append((name, away + sentence))
    else:
        for name, state in clusters.items():
            if key in state.workloads:
                lines.append((name, f"{_here(state, key)}; it is the worker's own job"))
    return WhyOnCluster(key, tuple(lines))


def _on_manager(state: State, key: str, dispatch: Dispatch, reached: Mapping[str, bool]) -> str:
    found = state.workload(key)
    if not found:
        return "it is not there any more"
    phase = found.phase
    if phase == "Finished":
        where = f" on {dispatch.chosen}" if dispatch.chosen else ""
        return f"finished{where}: {_message(found, 'Finished')}"
    if phase == "Pending":
        return f"{_pending(state, key)}; nothing is dispatched before that"
    if phase == "Evicted":
        why = _message(found, "Evicted")
        return f"evicted, and holds its quota until the worker's pods are gone: {why}"
    if dispatch.chosen:
        lost = "" if reached.get(dispatch.chosen, True) else ", which is out of reach"
        return f"{phase.lower() if phase == 'Admitted' else 'chosen'}; it runs on " + (
            dispatch.chosen + lost
        )
    if phase == "Admitted":
        return "admitted here; its queue does not dispatch to workers"
    names = ", ".join(dispatch.nominated) or "none"
    checks = "".join(
        f"; check {check.name} is {check.state}: {check.message}"
        for check in found.checks
        if check.state != "Pending"
    )
    return f"quota is reserved; nominated: {names}; waiting for a worker to admit it{checks}"


def _on_worker(
    clusters: Mapping[str, State],
    manager: str,
    name: str,
    key: str,
    dispatch: Dispatch,
    listed: tuple[str, ...],
) -> str:
    state = clusters[name]
    if key in state.workloads:
        return _here(state, key)
    local = clusters[manager].workload(key)
    if not local or dispatch.chosen or local.phase in ("Finished", "Admitted"):
        return ""
    if name not in listed:
        return "not in the MultiKueueConfig"
    if name in dispatch.nominated:
        return "nominated, but there is no copy (yet)"
    return "not nominated (yet)" if local.phase == "QuotaReserved" else ""


def _here(state: State, key: str) -> str:
    """Say where a workload stands in its own cluster."""
    found = state.workload(key)
    phase = found.phase
    if phase in ("Finished", "Evicted"):
        return f"{phase.lower()}: {_message(found, phase)}"
    if phase == "Admitted":
        ready = found.condition("PodsReady")
        if not ready:
            return "admitted; the job is not there yet"
        if ready.is_true:
            return "admitted; its pods are ready"
        if state.names("Node"):
            return (
                "admitted, but its pods are not ready: if the quota promises more than the nodes "
                "hold, they find no node, and MultiKueue doesn't move what was admitted"
            )
        return "admitted; its pods are not all ready"
    if phase == "QuotaReserved":
        waiting = [f"{c.name} ({c.state})" for c in found.checks if c.state != "Ready"]
        names = ", ".join(waiting) or "its admission"
        return f"quota is reserved; waiting for {names}; that decides nothing yet"
    return _pending(state, key)


def _pending(state: State, key: str) -> str:
    """Say what a workload without quota waits for, behind whom, and who holds the quota."""
    found = state.workload(key)
    if not found:
        return "not there"
    if not found.active:
        return "deactivated"
    text = found.waiting or "not looked at yet"
    queue = found.cluster_queue
    if not queue:
        return f"waiting: {text}"
    ahead, holders = _ahead(state, key, queue), _holders(state, queue)
    if ahead:
        return f"waiting in {queue} behind {_listed(ahead)}: {text}"
    if holders:
        return f"waiting in {queue}, where {_listed(holders)} hold quota: {text}"
    return f"waiting in {queue}: {text}"


def _ahead(state: State, key: str, queue: str) -> list[str]:
    """Return who is before a workload in its queue; one that is set aside is in no order."""
    order = []
    for name, found in state.workloads.items():
        if (
            found.cluster_queue == queue
            and found.phase == "Pending"
            and found.place in ("inflight", "active")
        ):
            order.append((found.place != "inflight", -found.priority, found.queued_at, name))
    names = [name for *_, name in sorted(order)]
    return names[: names.index(key)] if key in names else []


def _holders(state: State, queue: str) -> list[str]:
    return sorted(
        name
        for name, found in state.workloads.items()
        if found.phase in ("QuotaReserved", "Admitted", "Evicted")
        and found.admission.cluster_queue == queue
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(map(short_name, names[:_MOST])) + more


def _message(found: WorkloadView, condition: str) -> str:
    said = found.condition(condition)
    return said.message or said.reason or condition
