"""Why a workload is where it is, across clusters: "waiting for quota, but in which cluster?"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kueuelab.errors import UnknownObjectError
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


@dataclass(frozen=True, slots=True)
class Answer:
    """Where a workload is in every cluster.

    Attributes
    ----------
    workload
        Its key.
    lines
        One sentence for each thing worth saying, the manager first.
    stories
        The full explanation of each cluster that has it, see :mod:`kueuelab.trace.explain`.
    hazards
        What went wrong with it as it does with this version of Kueue.
    """

    workload: str
    lines: tuple[str, ...]
    stories: tuple[tuple[str, Explanation], ...]
    hazards: tuple[Hazard, ...]

    def __str__(self) -> str:
        return "\n".join((self.workload, *(f"  {line}" for line in self.lines)))


def why(run: WorldRun, workload: str) -> Answer:
    """Tell where a workload is and what it waits for.

    Raises
    ------
    UnknownObjectError
        If no cluster has, or had, a workload of that name.
    """
    key = _key(run, workload)
    found = tuple(hazard for hazard in run.hazards if hazard.workload == key)
    lines = [*_manager(run, key), *_workers(run, key), *_races(run, key)]
    lines += [f"hazard: {hazard.what} {hazard.remedy}" for hazard in found]
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
    state = manager.site.workloads.get(key)
    if state is None:
        yield "manager: it is not there (any more)"
        return
    name = manager.site.name
    if state.is_finished:
        where = f" on {state.cluster_name}" if state.cluster_name else ""
        yield f"{name}: finished{where}: {state.conditions['Finished'].message}"
        return
    if not state.has_quota_reservation:
        yield f"{name}: {_pending(manager.site, state)}; nothing is dispatched before that"
        return
    if state.is_evicted:
        yield f"{name}: evicted, and holds its quota until the worker's pods are gone"
    if state.cluster_name is not None:
        reason = _why_lost(manager, state.cluster_name)
        lost = "" if reason is None else f", which is out of reach{reason}"
        yield f"{name}: admitted; it runs on {state.cluster_name}{lost}"
        return
    if state.is_admitted:
        yield f"{name}: admitted here; its queue doesn't dispatch to workers"
        return
    names = ", ".join(state.nominated_cluster_names) or "none"
    yield f"{name}: quota is reserved; nominated: {names}; waiting for a worker to admit it"
    for check in state.admission_checks.values():
        if check.state != "Pending":
            yield f"{name}: check {check.name} is {check.state}: {check.message}"


def _why_lost(manager: Manager, name: str) -> str | None:
    """Say why a worker is out of reach, as far as that is known; ``None`` if it isn't."""
    if manager.connections.remote(name) is not None:
        return None
    kind = missing_crd(manager, name)
    return f": it lacks the CRD of {kind[0]}, which the manager watches" if kind else ""


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
        lost = _why_lost(manager, name)
        reach = f" (out of the manager's reach{lost})" if lost is not None else ""
        if state is not None:
            yield f"{name}{reach}: {_in_worker(worker, state)}"
        elif local is None or local.is_finished or local.is_admitted:
            continue
        elif local.cluster_name is None:
            if name not in clusters:
                yield f"{name}: not in the MultiKueueConfig"
            elif name in local.nominated_cluster_names:
                yield f"{name}{reach}: nominated, but there is no copy (yet)"
            elif local.has_quota_reservation:
                yield f"{name}{reach}: not nominated (yet)"


def _in_worker(site: Site, state: WorkloadState) -> str:
    if state.is_finished:
        return f"finished: {state.conditions['Finished'].message}"
    if state.is_evicted:
        return f"evicted: {state.conditions['Evicted'].message}"
    if state.is_admitted:
        job = site.job_of(state.key)
        if job is None:
            return "admitted; the job is not there yet"
        if not site.integration.is_enabled_for(job):
            return (
                f"admitted, but nobody starts the job: Kueue there does not have the integration "
                f"{job.kind.framework}"
            )
        if not all(pod.has_node for pod in job.pods):
            return (
                "admitted, but its pods find no node: the quota promises more than the nodes hold, "
                "and MultiKueue doesn't move what was admitted"
            )
        if job.status.ready == 0 and job.status.active:
            return f"admitted; {job.status.active} pods have started, none is ready"
        return f"admitted; {job.status.ready} of {job.parallelism} pods are ready"
    if state.has_quota_reservation:
        waiting = [c.name for c in state.admission_checks.values() if c.state != "Ready"]
        return f"quota is reserved; waiting for {', '.join(waiting)}; that decides nothing yet"
    return _pending(site, state)


def _pending(site: Site, state: WorkloadState) -> str:
    """Say what a workload without quota waits for, and behind whom."""
    condition = state.conditions.get("QuotaReserved")
    text = condition.message if condition is not None and condition.message else "not looked at yet"
    queue = site.cluster.queues.cluster_queue_for(state)
    ahead: list[str] = []
    if queue is not None:
        order = site.cluster.queues.pending_active(queue)
        if state.key in order:
            ahead = order[: order.index(state.key)]
        holders = sorted(site.cluster.tree.cluster_queues[queue].workloads)
        if holders and not ahead:
            shown = ", ".join(holders[:3]) + (", …" if len(holders) > 3 else "")
            return f"waiting in {queue}, where {shown} hold quota: {text}"
    behind = f" behind {', '.join(ahead[:3])}{', …' if len(ahead) > 3 else ''}" if ahead else ""
    where = f" in {queue}" if queue is not None else ""
    return f"waiting{where}{behind}: {text}"


def _races(run: WorldRun, key: str) -> Iterator[str]:
    for race in run.races:
        if race.workload == key:
            others = ", ".join(race.others)
            yield f"race: {race.winner} was drawn for {race.about}; it could have been {others}"
