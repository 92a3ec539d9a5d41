"""Why a job is where it is at one step, cluster by cluster, read from the trace.

:meth:`kueuelab.multikueue.WorldRun.why` answers the same for the end of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.trace.state import State
from kueuelab.widgets.viewmodel.dispatch import Dispatch, Dispatches
from kueuelab.widgets.viewmodel.reading import short_name, workload_reading

__all__ = ["WhyOnCluster", "why_on_cluster"]

_EMPTY: Final[Mapping[str, Any]] = {}
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
    there = key in clusters[manager].get("workloads", _EMPTY)
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
            if key in state.get("workloads", _EMPTY):
                lines.append((name, f"{_here(state, key)}; it is the worker's own job"))
    return WhyOnCluster(key, tuple(lines))


def _on_manager(state: State, key: str, dispatch: Dispatch, reached: Mapping[str, bool]) -> str:
    found = state.get("workloads", _EMPTY).get(key)
    if found is None:
        return "it is not there any more"
    phase = found.get("phase")
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
        f"; check {name} is {check['state']}: {check.get('message', '')}"
        for name, check in found.get("admissionChecks", _EMPTY).items()
        if check.get("state") != "Pending"
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
    if key in state.get("workloads", _EMPTY):
        return _here(state, key)
    local = clusters[manager].get("workloads", _EMPTY).get(key, _EMPTY)
    if not local or dispatch.chosen or local.get("phase") in ("Finished", "Admitted"):
        return ""
    if name not in listed:
        return "not in the MultiKueueConfig"
    if name in dispatch.nominated:
        return "nominated, but there is no copy (yet)"
    return "not nominated (yet)" if local.get("phase") == "QuotaReserved" else ""


def _here(state: State, key: str) -> str:
    """Say where a workload stands in its own cluster."""
    found = state["workloads"][key]
    phase = found.get("phase")
    if phase in ("Finished", "Evicted"):
        return f"{phase.lower()}: {_message(found, phase)}"
    if phase == "Admitted":
        ready = found.get("conditions", _EMPTY).get("PodsReady")
        if ready is None:
            return "admitted; the job is not there yet"
        if ready.get("status") == "True":
            return "admitted; its pods are ready"
        if any(name.startswith("Node/") for name in state.get("objects", _EMPTY)):
            return (
                "admitted, but its pods are not ready: if the quota promises more than the nodes "
                "hold, they find no node, and MultiKueue doesn't move what was admitted"
            )
        return "admitted; its pods are not all ready"
    if phase == "QuotaReserved":
        checks = found.get("admissionChecks", _EMPTY).items()
        waiting = [
            f"{name} ({check['state']})" for name, check in checks if check["state"] != "Ready"
        ]
        names = ", ".join(waiting) or "its admission"
        return f"quota is reserved; waiting for {names}; that decides nothing yet"
    return _pending(state, key)


def _pending(state: State, key: str) -> str:
    """Say what a workload without quota waits for, behind whom, and who holds the quota."""
    reading = workload_reading(state, key)
    if reading is None:
        return "not there"
    if not state["workloads"][key].get("active", True):
        return "deactivated"
    text = reading.waiting or "not looked at yet"
    queue = reading.cluster_queue
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
    for name in state["workloads"]:
        reading = workload_reading(state, name)
        if (
            reading is not None
            and reading.cluster_queue == queue
            and reading.phase == "Pending"
            and reading.place in ("inflight", "active")
        ):
            order.append((reading.place != "inflight", -reading.priority, reading.queued_at, name))
    names = [name for *_, name in sorted(order)]
    return names[: names.index(key)] if key in names else []


def _holders(state: State, queue: str) -> list[str]:
    return sorted(
        name
        for name, found in state["workloads"].items()
        if found.get("phase") in ("QuotaReserved", "Admitted", "Evicted")
        and (found.get("admission") or _EMPTY).get("clusterQueue") == queue
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(map(short_name, names[:_MOST])) + more


def _message(found: Mapping[str, Any], condition: str) -> str:
    told = found.get("conditions", _EMPTY).get(condition, _EMPTY)
    return str(told.get("message") or told.get("reason") or condition)
