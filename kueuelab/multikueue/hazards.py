"""Hazards of a release: problems that Kueue itself causes, and their remedies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kueuelab.messages import Message
from kueuelab.model import V0_19_2, Release
from kueuelab.multikueue.adapters import start_is_refused
from kueuelab.multikueue.checks import config_of
from kueuelab.multikueue.jobs import ORIGIN
from kueuelab.multikueue.views import View
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.site import Site
    from kueuelab.multikueue.world import World

__all__ = ["Hazard", "hazard_of", "hazards"]

#: Kinds of hazards that have another sentence if the manager cannot reach the cluster.
_OTHERWISE_UNREACHABLE: Final = ("older-copy-wins", "deleted-cluster")


#: The hazards that a release has.
_KNOWN: Final[Mapping[Release, tuple[str, ...]]] = {
    V0_19_2: (
        *("forgotten-copy", "older-copy-wins", "not-nominated", "evicted-without-job"),
        *("restarted-copy", "deleted-cluster"),
    )
}


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


def hazards(world: World) -> tuple[Hazard, ...]:
    """Return the hazards that a world is in at this moment."""
    known = _KNOWN[world.manager.site.cluster.configuration.release]
    return tuple(hazard for hazard in _hazards(world) if hazard.id in known)


def _hazards(world: World) -> Iterator[Hazard]:
    manager = world.manager
    local = manager.site
    known = local.cluster.objects
    for name, worker in world.workers.items():
        for key, copy in sorted(worker.workloads.items()):
            if copy.obj.metadata.labels.get(ORIGIN) != manager.origin:
                continue
            state = local.workloads.get(key)
            if state is None:
                continue
            clusters = _clusters_of(world, key)
            if name not in clusters:
                yield hazard_of("forgotten-copy", key, name)
            elif state.cluster_name not in (None, name) and _is_older(world, name, state):
                reached = manager.connections.remote(name) is not None
                runs_on = state.cluster_name or ""
                yield hazard_of("older-copy-wins", key, name, runs_on=runs_on, reached=reached)
            elif known.get("MultiKueueCluster", name) is None and state.cluster_name != name:
                yield hazard_of("deleted-cluster", key, name, reached=False)
            elif copy.is_evicted and copy.has_quota_reservation and worker.job_of(key) is None:
                yield hazard_of("evicted-without-job", key, name)
            elif state.cluster_name == name and _was_restarted(world, worker, key):
                yield hazard_of("restarted-copy", key, name)
    yield from _lost_for_ever(world)
    yield from _not_nominated(world)


def _is_older(world: World, name: str, state: WorkloadState) -> bool:
    """Tell whether a copy is admitted, and no later than the one that the manager has chosen.

    The times are whole seconds; where they tie, either may be taken for the admitted one.
    """
    copy = world.workers[name].workloads[state.key].conditions.get("Admitted")
    if copy is None or copy.status != "True":
        return False
    chosen = world.workers.get(state.cluster_name or "")
    other = None if chosen is None else chosen.workloads.get(state.key)
    since = None if other is None else other.conditions.get("Admitted")
    if since is None or since.status != "True":
        return True
    return copy.last_transition_time <= since.last_transition_time


def _was_restarted(world: World, worker: Site, key: str) -> bool:
    """Tell whether a job started on a worker at another time than the manager's says."""
    copy, state = worker.workloads[key], world.manager.site.workloads[key]
    if state.is_finished or not (copy.is_admitted or copy.is_finished) or copy.is_evicted:
        return False
    here, there = world.manager.site.job_of(key), worker.job_of(key)
    return here is not None and there is not None and start_is_refused(here, there.status)


def _lost_for_ever(world: World) -> Iterator[Hazard]:
    manager = world.manager
    known = manager.site.cluster.objects
    for key, state in sorted(manager.site.workloads.items()):
        name = state.cluster_name
        if name is None or state.is_finished:
            continue
        if name in _clusters_of(world, key) and known.get("MultiKueueCluster", name) is None:
            yield hazard_of("deleted-cluster", key, name)


def _not_nominated(world: World) -> Iterator[Hazard]:
    """Yield jobs that wait while a worker is connected that they are not nominated for.

    Only where all are nominated at once: the other dispatchers try again until they are done.
    """
    manager = world.manager
    if not manager.is_up or not manager.dispatches_all_at_once:
        return
    for key, state in sorted(manager.site.workloads.items()):
        waits = state.has_quota_reservation and not state.is_finished and state.cluster_name is None
        if not waits or not manager.reconciler.queue.is_idle(key):
            continue
        own_check = manager.check_of(View.of(manager.site, state))
        job = manager.site.job_of(key)
        if (
            own_check is None
            or own_check.state != "Pending"
            or job is None
            or len(job.workloads) > 1
        ):
            continue
        checks = state.admission_checks.values()
        if any(check.state != "Ready" for check in checks if check.name != own_check.name):
            continue
        for name in _clusters_of(world, key):
            if manager.connections.can_reach(name) and name not in state.nominated_cluster_names:
                yield hazard_of("not-nominated", key, name)


def _clusters_of(world: World, key: str) -> tuple[str, ...]:
    state = world.manager.site.workloads[key]
    for check in sorted(state.admission_checks):
        config = config_of(world.manager, check)
        if config is not None:
            return config.clusters
    return ()
