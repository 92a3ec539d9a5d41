"""Why a workload is where it is, across clusters, read from the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model import Workload
from kueuelab.multikueue.dispatches import Dispatch, Dispatches
from kueuelab.multikueue.fact_texts import plain_name
from kueuelab.multikueue.hazards import Hazard
from kueuelab.trace.explain import Explanation, why_in_clusters
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State, WorkloadView

if TYPE_CHECKING:
    from kueuelab.multikueue.scenario import ClusterSetRun

__all__ = ["Answer", "Placement", "placement_at", "why", "workload_key"]

#: How many workloads a sentence names.
_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """Where a workload is in every cluster at the end of a run.

    Attributes
    ----------
    workload
        Its key.
    lines
        One sentence for each fact, first those of the manager.
    explanations
        The full explanation of each cluster that has it, see :mod:`kueuelab.trace.explain`.
    hazards
        The hazards of this version of Kueue that apply to it.
    """

    workload: str
    lines: tuple[str, ...]
    explanations: tuple[tuple[str, Explanation], ...]
    hazards: tuple[Hazard, ...]

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the lines as plain text; the explanations are in the language of `why`."""
        lines = map(language_of(language).render, self.lines)
        return "\n".join((self.workload, *(f"  {line}" for line in lines)))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a workload is in every cluster after a step, and why.

    Attributes
    ----------
    workload
        Its key.
    lines
        Cluster and sentence, first those of the manager.
    """

    workload: str
    lines: tuple[tuple[str, str], ...]

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the answer as plain text."""
        catalog = language_of(language)
        title = catalog.text("multikueue.why.title", workload=short_name(self.workload))
        lines = (catalog.render(_on(cluster, sentence)) for cluster, sentence in self.lines)
        return "\n".join([title, *(f"  {line}" for line in lines)])


def why(
    run: ClusterSetRun, workload: str, catalog: Catalog | None = None, step: int | None = None
) -> Answer:
    """Return where a workload is, and why it is pending; explanations are in a language.

    Parameters
    ----------
    run
        The run of several clusters.
    workload
        Its key, its name, or that of its job.
    catalog
        The language.
    step
        After which step, of all clusters; the last one if omitted.

    Raises
    ------
    UnknownObjectError
        If no cluster has, or had, a workload of that name.
    """
    key = workload_key(run, workload)
    at = len(run.trace) - 1 if step is None else step
    # Hazards are what is wrong at the end.
    found = tuple(each for each in run.hazards if each.workload == key and step is None)
    placement = placement_at(run.trace.state_at(at), run.dispatches, key, at)
    lines: list[str] = [_on(cluster, text) for cluster, text in placement.lines]
    lines += _races(run, key, run.trace[at].time)
    lines += [
        Message("multikueue.why.hazard", what=hazard.what, remedy=hazard.remedy) for hazard in found
    ]
    explanations = tuple(why_in_clusters(run.trace, run.traces, key, step, catalog))
    return Answer(key, tuple(lines), explanations, found)


def workload_key(run: ClusterSetRun, workload: str) -> str:
    """Return the key of a workload by its key, its name, or that of its job.

    Of a name that several have, the manager's comes first. The hash may be left out, as the
    timeline does.

    Raises
    ------
    UnknownObjectError
        If no cluster has, or had, a workload of that name, or several have one.
    """
    members = run.cluster_set.members.values()
    known = {key for member in members for key in member.workloads}
    if workload in known:
        return workload
    namespace, _, name = workload.rpartition("/")
    manager = run.cluster_set.manager.member
    for where in ((manager,), members):
        named = {
            key
            for member in where
            for key, state in member.workloads.items()
            if name in (state.obj.name, plain_name(state.obj.name), _job_of(state.obj))
            and namespace in ("", state.obj.namespace)
        }
        if len(named) == 1:
            return named.pop()
    raise UnknownObjectError("workload", workload, sorted(known))


def _job_of(workload: Workload) -> str:
    """Return the name of the job that a workload belongs to, ``""`` if it has none."""
    return next((each.name for each in workload.metadata.owner_references), "")


def _races(run: ClusterSetRun, key: str, until: int) -> Iterator[str]:
    for race in run.races:
        if race.workload == key and race.time <= until:
            yield Message(
                "multikueue.why.race",
                winner=race.winner,
                about=race.about,
                others=", ".join(race.others),
            )


def placement_at(state: State, dispatches: Dispatches, key: str, index: int) -> Placement:
    """Return where a workload is after a step, and why it is pending.

    Parameters
    ----------
    state
        The state of all clusters after the step.
    dispatches
        The dispatches of the run.
    key
        The workload.
    index
        The step.
    """
    manager = state[dispatches.manager]
    workers = [name for name in state.clusters if name != dispatches.manager]
    found = _Placement(manager, dispatches, dispatches.of(key, index), key, index)
    if not manager.workload(key) and not dispatches.is_dispatched(key):
        lines = [
            (name, Message("multikueue.why.own-job", text=found.in_cluster(state[name])))
            for name in workers
            if state[name].workload(key)
        ]
        return Placement(key, tuple(lines))
    on_workers = ((name, found.on_worker(name, state[name])) for name in workers)
    return Placement(
        key,
        (
            *((dispatches.manager, text) for text in found.on_manager()),
            *((name, text) for name, text in on_workers if text),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Placement:
    """Reads the placement of one workload at one step."""

    manager: State
    dispatches: Dispatches
    dispatch: Dispatch
    key: str
    index: int

    # --- the manager ---------------------------------------------------------------------

    def on_manager(self) -> Iterator[str]:
        """Yield where the workload is on the manager."""
        found, chosen = self.manager.workload(self.key), self.dispatch.chosen
        if not found:
            created = self.dispatches.was_created(self.key, self.index)
            yield Message(f"multikueue.why.{'not-on-manager' if created else 'not-created'}")
            return
        if found.phase == "Finished":
            yield _finished(found, chosen)
            return
        if found.phase == "Pending":
            pending = self._pending(self.manager)
            yield Message("multikueue.why.not-dispatched", pending=pending)
            return
        if found.phase == "Evicted":
            yield Message("multikueue.why.evicted-with-quota", message=_message(found, "Evicted"))
        if chosen:
            yield self._runs_on(found, chosen)
            return
        if found.phase == "Admitted":
            yield Message("multikueue.why.admitted-on-manager")
            return
        if found.phase == "QuotaReserved":
            nominated = ", ".join(self.dispatch.nominated)
            id_ = "nominated" if nominated else "none-nominated"
            values = {"clusters": nominated} if nominated else {}
            yield Message(f"multikueue.why.{id_}", **values)
        for check in found.checks:
            if check.state != "Pending":
                yield Message(
                    "multikueue.why.check",
                    check=check.name,
                    state=check.state,
                    message=check.message,
                )

    def _runs_on(self, found: WorkloadView, worker: str) -> Message:
        if found.phase == "QuotaReserved":
            return Message("multikueue.why.chosen", cluster=worker)
        if self.dispatches.reaches(self.manager, worker, self.index):
            return Message("multikueue.why.runs-on", cluster=worker)
        kind = self.dispatches.connection(worker, self.index).missing_crd
        if kind:
            return Message("multikueue.why.runs-on-without-crd", cluster=worker, kind=kind)
        return Message("multikueue.why.runs-on-unreachable", cluster=worker)

    # --- workers -------------------------------------------------------------------------

    def on_worker(self, name: str, worker: State) -> str:
        """Return where the workload is on a worker, ``""`` if there is nothing to say."""
        if worker.workload(self.key):
            return self._with_reach(name, self.in_cluster(worker))
        local = self.manager.workload(self.key)
        if not local or self.dispatch.chosen or local.phase in ("Finished", "Admitted"):
            return ""
        if name not in self.dispatches.clusters_of(self.manager, self.key):
            return Message("multikueue.why.not-in-config")
        if name in self.dispatch.nominated:
            return self._with_reach(name, Message("multikueue.why.no-copy"))
        if local.phase == "QuotaReserved":
            return self._with_reach(name, Message("multikueue.why.not-nominated"))
        return ""

    def _with_reach(self, name: str, text: str) -> str:
        """Return what is said about a worker; whether the manager can reach it, too."""
        if self.dispatches.reaches(self.manager, name, self.index):
            return text
        kind = self.dispatches.connection(name, self.index).missing_crd
        if kind:
            return Message("multikueue.why.without-crd", kind=kind, text=text)
        return Message("multikueue.why.unreachable", text=text)

    def in_cluster(self, cluster: State) -> str:
        """Return where the workload is in its own cluster."""
        found = cluster.workload(self.key)
        if found.phase == "Finished":
            return _finished(found, "")
        if found.phase == "Evicted":
            return Message("multikueue.why.evicted", message=_message(found, "Evicted"))
        if found.phase == "Admitted":
            return self._admitted(cluster)
        if found.phase == "QuotaReserved":
            waiting = ", ".join(check.name for check in found.checks if check.state != "Ready")
            return Message("multikueue.why.waits-for-checks", checks=waiting)
        return self._pending(cluster)

    def _admitted(self, cluster: State) -> str:
        job = cluster.job_of(self.key)
        if not job:
            return Message("multikueue.why.admitted-without-job")
        if not job.is_managed:
            return Message("multikueue.why.admitted-without-integration", framework=job.framework)
        if job.without_node:
            return Message("multikueue.why.admitted-without-nodes")
        if job.ready == 0 and job.active:
            return Message("multikueue.why.pods-started", count=job.active)
        return Message("multikueue.why.pods-ready", ready=job.ready, count=job.pods)

    def _pending(self, cluster: State) -> str:
        """Return why a workload without quota is pending, and behind which workloads."""
        found = cluster.workload(self.key)
        text = found.condition("QuotaReserved").message
        text = text or Message("multikueue.why.not-considered")
        queue = found.cluster_queue
        if not queue or not found.active:
            return Message("multikueue.why.pending", text=text)
        ahead = _ahead(cluster, found)
        if ahead:
            first = _few(ahead)
            return Message("multikueue.why.pending-behind", queue=queue, first=first, text=text)
        holders = _holders(cluster, queue)
        if holders:
            few = _few(holders)
            return Message("multikueue.why.pending-full", queue=queue, holders=few, text=text)
        return Message("multikueue.why.pending-in", queue=queue, text=text)


def _on(cluster: str, text: str) -> Message:
    return Message("multikueue.why.on", cluster=cluster, text=text)


def _finished(found: WorkloadView, cluster: str) -> Message:
    message = _message(found, "Finished")
    if cluster:
        return Message("multikueue.why.finished-on", cluster=cluster, message=message)
    return Message("multikueue.why.finished", message=message)


def _message(found: WorkloadView, condition: str) -> str:
    known = found.condition(condition)
    return known.message or known.reason or condition


def _ahead(cluster: State, found: WorkloadView) -> list[str]:
    """Return the workloads before one in its queue; one that is inadmissible is in no order."""
    order = sorted(
        (each.place != "inflight", -each.priority, each.queued_at, each.key)
        for each in cluster.workloads.values()
        if each.place in ("inflight", "active")
        and each.phase == "Pending"
        and each.cluster_queue == found.cluster_queue
    )
    keys = [key for *_, key in order]
    return keys[: keys.index(found.key)] if found.key in keys else []


def _holders(cluster: State, queue: str) -> list[str]:
    return sorted(
        each.key
        for each in cluster.workloads.values()
        if each.phase in ("QuotaReserved", "Admitted", "Evicted")
        and each.admission.cluster_queue == queue
    )


def _few(keys: Sequence[str]) -> str:
    return ", ".join(map(short_name, keys[:_MOST])) + (", …" if len(keys) > _MOST else "")
