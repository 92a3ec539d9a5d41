"""Hazards of a release: problems that Kueue itself causes, and their remedies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kueuelab.messages import Message
from kueuelab.multikueue.dispatches import Dispatches
from kueuelab.trace.reading import State

if TYPE_CHECKING:
    from kueuelab.multikueue.cluster_set import ClusterSet

__all__ = ["Hazard", "hazard_of", "hazards", "hazards_now"]

#: Kinds of hazards that have another sentence if the manager cannot reach the cluster.
_OTHERWISE_UNREACHABLE: Final = ("older-copy-wins", "deleted-cluster")


@dataclass(frozen=True, slots=True)
class Hazard:
    """A problem that does not resolve by itself.

    Attributes
    ----------
    id
        Names the kind.
    workload, cluster
        What it is about.
    what, remedy
        What happened, and what an operator can do.
    """

    id: str
    workload: str
    cluster: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return the hazard, its workload and cluster, and the remedy."""
        return Message(
            "multikueue.hazard",
            workload=self.workload,
            cluster=self.cluster,
            what=self.what,
            remedy=self.remedy,
        )


def hazard_of(
    id: str, workload: str, cluster: str, *, runs_on: str = "", reached: bool = True
) -> Hazard:
    """Return a hazard with its sentences.

    Parameters
    ----------
    id
        The kind.
    workload, cluster
        What it is about.
    runs_on
        The cluster on which the job runs according to the manager.
    reached
        Whether the manager reaches the cluster.

    Examples
    --------
    >>> hazard_of("forgotten-copy", "default/train", "w1").remedy
    'Delete the Workload and the job on the worker manually.'
    """
    unreachable = not reached and id in _OTHERWISE_UNREACHABLE
    message = f"multikueue.hazard.{id}{'-unreachable' if unreachable else ''}"
    values = {"cluster": runs_on} if id == "older-copy-wins" else {}
    return Hazard(id, workload, cluster, Message(message, **values), Message(f"{message}.remedy"))


def hazards(clusters: Mapping[str, State], dispatches: Dispatches, index: int) -> Iterator[Hazard]:
    """Yield the hazards that there are after a step.

    Parameters
    ----------
    clusters
        The state of each cluster after the step.
    dispatches
        The dispatches of the run.
    index
        The step.
    """
    manager = clusters[dispatches.manager]
    for name, state in clusters.items():
        if name == dispatches.manager:
            continue
        for key in sorted(state.workloads):
            if (name, key) in dispatches.copies and manager.workload(key):
                yield from _of_copy(manager, name, state, key, dispatches, index)
    for key in sorted(manager.workloads):
        chosen = dispatches.of(key, index).chosen
        if chosen and manager.workload(key).phase != "Finished":
            listed = dispatches.clusters_of(manager, key)
            if chosen in listed and not manager.has("MultiKueueCluster", chosen):
                yield hazard_of("deleted-cluster", key, chosen)
    yield from _not_nominated(manager, dispatches, index)


def hazards_now(cluster_set: ClusterSet) -> tuple[Hazard, ...]:
    """Return the hazards that a recorded cluster set is in."""
    assert cluster_set.recorder is not None
    trace = cluster_set.recorder.trace()
    last = len(trace) - 1
    state = trace.state_at(last)
    clusters = {name: state[name] for name in state.clusters}
    return tuple(hazards(clusters, Dispatches(trace, cluster_set), last))


def _not_nominated(manager: State, dispatches: Dispatches, index: int) -> Iterator[Hazard]:
    """Yield jobs that wait while a worker is connected that they are not nominated for.

    Only where all are nominated at once: the other dispatchers try again until they are done.
    """
    if not dispatches.all_at_once:
        return
    for key in sorted(manager.workloads):
        found = manager.workload(key)
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
    evicted = copy.condition("Evicted").is_true
    if worker not in dispatches.clusters_of(manager, key):
        yield hazard_of("forgotten-copy", key, worker)
    elif (
        dispatch.chosen not in ("", worker)
        and copy.condition("Admitted").is_true
        and dispatches.is_older(worker, dispatch.chosen, key, index)
    ):
        reached = dispatches.reaches(manager, worker, index)
        yield hazard_of("older-copy-wins", key, worker, runs_on=dispatch.chosen, reached=reached)
    elif not manager.has("MultiKueueCluster", worker) and dispatch.chosen != worker:
        yield hazard_of("deleted-cluster", key, worker, reached=False)
    elif (
        # The eviction of a deactivated copy completes: the manager removes it.
        copy.active
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
