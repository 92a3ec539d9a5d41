"""Why a workload is where it is, across clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.multikueue.checks import config_of
from kueuelab.multikueue.crds import missing_crd
from kueuelab.multikueue.hazards import Hazard
from kueuelab.multikueue.site import Site
from kueuelab.trace.explain import Explanation
from kueuelab.trace.explain import why as why_in_one
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager
    from kueuelab.multikueue.scenario import WorldRun

__all__ = ["Answer", "why"]

#: How many workloads a sentence names.
_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """Where a workload is in every cluster.

    Attributes
    ----------
    workload
        Its key.
    lines
        One sentence for each fact, first those of the manager.
    stories
        The full explanation of each cluster that has it, see :mod:`kueuelab.trace.explain`.
    hazards
        The hazards of this version of Kueue that apply to it.
    """

    workload: str
    lines: tuple[str, ...]
    stories: tuple[tuple[str, Explanation], ...]
    hazards: tuple[Hazard, ...]

    def __str__(self) -> str:
        return "\n".join((self.workload, *(f"  {line}" for line in self.lines)))


def why(run: WorldRun, workload: str) -> Answer:
    """Return where a workload is, and why it is pending.

    Raises
    ------
    UnknownObjectError
        If no cluster has, or had, a workload of that name.
    """
    key = _key(run, workload)
    found = tuple(hazard for hazard in run.hazards if hazard.workload == key)
    lines = [*_manager(run, key), *_workers(run, key), *_races(run, key)]
    lines += [
        Message("multikueue.why.hazard", what=hazard.what, remedy=hazard.remedy) for hazard in found
    ]
    stories = []
    for name, trace in run.traces.items():
        try:
            stories.append((name, why_in_one(trace, key)))
        except UnknownObjectError:
            continue
    return Answer(key, tuple(lines), tuple(stories), found)


def _key(run: WorldRun, workload: str) -> str:
    known = {key for site in run.world.sites.values() for key in site.workloads}
    if workload in known:
        return workload
    named = sorted(key for key in known if key.partition("/")[2] == workload)
    if len(named) == 1:
        return named[0]
    raise UnknownObjectError("workload", workload, sorted(known))


def _manager(run: WorldRun, key: str) -> Iterator[str]:
    manager = run.world.manager
    name = manager.site.name
    state = manager.site.workloads.get(key)
    if state is None:
        yield _on(name, Message("multikueue.why.not-on-manager"))
        return
    if state.is_finished:
        yield _on(name, _finished(state))
        return
    if not state.has_quota_reservation:
        pending = _pending(manager.site, state)
        yield _on(name, Message("multikueue.why.not-dispatched", pending=pending))
        return
    if state.is_evicted:
        yield _on(name, Message("multikueue.why.evicted-with-quota"))
    if state.cluster_name is not None:
        yield _on(name, _runs_on(manager, state.cluster_name))
        return
    if state.is_admitted:
        yield _on(name, Message("multikueue.why.admitted-on-manager"))
        return
    nominated = ", ".join(state.nominated_cluster_names)
    id_ = "nominated" if nominated else "none-nominated"
    values = {"clusters": nominated} if nominated else {}
    yield _on(name, Message(f"multikueue.why.{id_}", **values))
    for check in state.admission_checks.values():
        if check.state != "Pending":
            text = Message(
                "multikueue.why.check",
                check=check.name,
                state=check.state,
                message=check.message,
            )
            yield _on(name, text)


def _on(cluster: str, text: str) -> Message:
    return Message("multikueue.why.on", cluster=cluster, text=text)


def _finished(state: WorkloadState) -> Message:
    message = state.conditions["Finished"].message
    if state.cluster_name:
        return Message("multikueue.why.finished-on", cluster=state.cluster_name, message=message)
    return Message("multikueue.why.finished", message=message)


def _runs_on(manager: Manager, cluster: str) -> Message:
    if manager.connections.remote(cluster) is not None:
        return Message("multikueue.why.runs-on", cluster=cluster)
    kind = missing_crd(manager, cluster)
    if kind:
        return Message("multikueue.why.runs-on-without-crd", cluster=cluster, kind=kind[0])
    return Message("multikueue.why.runs-on-unreachable", cluster=cluster)


def _workers(run: WorldRun, key: str) -> Iterator[str]:
    manager = run.world.manager
    local = manager.site.workloads.get(key)
    clusters: tuple[str, ...] = ()
    for check in () if local is None else sorted(local.admission_checks):
        config = config_of(manager, check)
        if config is not None:
            clusters = config.clusters
    for name, worker in run.world.workers.items():
        state = worker.workloads.get(key)
        if state is not None:
            yield _on_worker(manager, name, _in_worker(worker, state))
        elif local is None or local.is_finished or local.is_admitted:
            continue
        elif local.cluster_name is None:
            if name not in clusters:
                yield _on(name, Message("multikueue.why.not-in-config"))
            elif name in local.nominated_cluster_names:
                yield _on_worker(manager, name, Message("multikueue.why.no-copy"))
            elif local.has_quota_reservation:
                yield _on_worker(manager, name, Message("multikueue.why.not-nominated"))


def _on_worker(manager: Manager, name: str, text: str) -> Message:
    """Return what is said about a worker; whether the manager can reach it, too."""
    if manager.connections.remote(name) is not None:
        return _on(name, text)
    kind = missing_crd(manager, name)
    if kind:
        return Message("multikueue.why.on-without-crd", cluster=name, kind=kind[0], text=text)
    return Message("multikueue.why.on-unreachable", cluster=name, text=text)


def _in_worker(site: Site, state: WorkloadState) -> str:
    if state.is_finished:
        return _finished(state)
    if state.is_evicted:
        message = state.conditions["Evicted"].message
        return Message("multikueue.why.evicted", message=message)
    if state.is_admitted:
        job = site.job_of(state.key)
        if job is None:
            return Message("multikueue.why.admitted-without-job")
        if not site.integration.is_enabled_for(job):
            framework = job.kind.framework
            return Message("multikueue.why.admitted-without-integration", framework=framework)
        if not all(pod.has_node for pod in job.pods):
            return Message("multikueue.why.admitted-without-nodes")
        ready, active = job.status.ready, job.status.active
        if ready == 0 and active:
            return Message("multikueue.why.pods-started", count=active)
        return Message("multikueue.why.pods-ready", ready=ready, count=job.parallelism)
    if state.has_quota_reservation:
        waiting = [c.name for c in state.admission_checks.values() if c.state != "Ready"]
        return Message("multikueue.why.waits-for-checks", checks=", ".join(waiting))
    return _pending(site, state)


def _pending(site: Site, state: WorkloadState) -> str:
    """Return why a workload without quota is pending, and behind which workloads."""
    condition = state.conditions.get("QuotaReserved")
    text = condition.message if condition is not None else ""
    text = text or Message("multikueue.why.not-considered")
    queue = site.cluster.queues.cluster_queue_for(state)
    if queue is None:
        return Message("multikueue.why.pending", text=text)
    order = site.cluster.queues.pending_active(queue)
    ahead = order[: order.index(state.key)] if state.key in order else []
    holders = sorted(site.cluster.tree.cluster_queues[queue].workloads)
    if ahead:
        return Message("multikueue.why.pending-behind", queue=queue, first=_few(ahead), text=text)
    if holders:
        return Message("multikueue.why.pending-full", queue=queue, holders=_few(holders), text=text)
    return Message("multikueue.why.pending-in", queue=queue, text=text)


def _few(keys: Sequence[str]) -> str:
    return ", ".join(keys[:_MOST]) + (", …" if len(keys) > _MOST else "")


def _races(run: WorldRun, key: str) -> Iterator[str]:
    for race in run.races:
        if race.workload == key:
            yield Message(
                "multikueue.why.race",
                winner=race.winner,
                about=race.about,
                others=", ".join(race.others),
            )
