"""Scenarios with several clusters, and their runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import resources
from typing import Any, Final, TypeVar, overload

from kueuelab.errors import InputError, Problem, SimulationError, UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.manifests.jobs.constants import PRIORITY_CLASS
from kueuelab.manifests.scenario import (
    Action,
    Apply,
    ChangeJob,
    Delete,
    Expectation,
    Fault,
    Finish,
    Reclaim,
    Remove,
    Scale,
    ScenarioSpec,
    SetActive,
    SetCheck,
    SetPriority,
    Submit,
)
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model import Workload
from kueuelab.model.times import SECOND, from_seconds, parse_time
from kueuelab.multikueue.cluster_set import ClusterSet
from kueuelab.multikueue.dispatchers import Dispatcher
from kueuelab.multikueue.dispatches import Dispatches
from kueuelab.multikueue.facts import Fact
from kueuelab.multikueue.hazards import Hazard, hazards_now
from kueuelab.multikueue.job_history import job_history
from kueuelab.multikueue.jobs import MULTIKUEUE_CONTROLLER, PodPlan
from kueuelab.multikueue.races import Race
from kueuelab.multikueue.recording import SharedRecorder
from kueuelab.multikueue.same_names import with_distinct_names
from kueuelab.multikueue.why import Answer, why
from kueuelab.simulation.assumptions import assumptions
from kueuelab.simulation.expectations import Outcome, judge
from kueuelab.simulation.run import Scenario
from kueuelab.simulation.scenario_backend import ScenarioBackend
from kueuelab.trace import Trace
from kueuelab.trace.recorded_run import RecordedRun

__all__ = ["ClusterSetRun", "MultiKueueScenario", "load"]

T = TypeVar("T")

_START: Final = parse_time("2026-01-01T00:00:00Z") + SECOND // 10
#: Several clusters reconcile all the time, so that a long run costs time: a year at most.
_LONGEST: Final = 366 * 24 * 3600
#: How long a run continues after the last time that the scenario mentions.
_AFTERWARDS: Final = 60 * SECOND


def load(source: Any) -> MultiKueueScenario:
    """Load a scenario with several clusters.

    Parameters
    ----------
    source
        A file, text, or parsed documents; or the name of a scenario that comes with the
        package.

    Raises
    ------
    InputError
        If it is not valid, or has only one cluster.

    Examples
    --------
    >>> scenario = load("lost-worker")
    >>> scenario.title
    'A worker is lost, and reconnects too late'
    >>> run = scenario.run()
    >>> run.passed
    True
    >>> [hazard.id for hazard in run.hazards]
    ['older-copy-wins']
    """
    folder = resources.files("kueuelab") / "scenarios" / "multikueue"
    if isinstance(source, str) and "\n" not in source:
        file = folder / f"{source}.yaml"
        if file.is_file():
            source = file.read_text("utf-8")
    spec = load_scenario(source)
    if not spec.workers:
        hint = Message("multikueue.one-cluster.hint")
        raise InputError(Problem(Message("multikueue.one-cluster"), hint=hint))
    return MultiKueueScenario(spec)


@dataclass(frozen=True, slots=True)
class MultiKueueScenario:
    """A scenario with a manager and workers.

    Attributes
    ----------
    spec
        What was written.
    seed
        How ties are drawn.
    dispatcher
        Nominates workers in place of the one that the Configuration names.
    lenient
        Whether an action on something that isn't there is left out, as the command that it
        stands for would only fail. For scenarios that were changed on the way.
    """

    spec: ScenarioSpec
    seed: int = 0
    dispatcher: Dispatcher | None = None
    lenient: bool = False

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.spec.name

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self.spec.title

    @property
    def left_out(self) -> tuple[str, ...]:
        """What its files have and the lab leaves out or reads otherwise, and what follows."""
        return Scenario(self.spec).left_out

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """What the scenario uses and the simulator does not model."""
        return Scenario(self.spec).not_modelled

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted because the scenario doesn't say it, in each cluster."""
        of_workers = [
            Message("manifests.caution", about=worker.name, text=text)
            for worker in self.spec.workers
            for text in assumptions(worker.configuration, worker.manifests, self.spec.timeline)
        ]
        spec, simulated = self.spec, (MULTIKUEUE_CONTROLLER,)
        of_manager = assumptions(
            spec.configuration, spec.manifests, spec.timeline, controllers=simulated
        )
        return (*of_manager, *of_workers)

    @overload
    def run(
        self, *, until: float | None = None, record: bool = True, on: None = None
    ) -> ClusterSetRun: ...

    @overload
    def run(self, *, until: float | None = None, on: ScenarioBackend[T]) -> T: ...

    def run(
        self,
        *,
        until: float | None = None,
        record: bool = True,
        on: ScenarioBackend[T] | None = None,
    ) -> ClusterSetRun | T:
        """Play the scenario; ``until`` is in seconds of virtual time.

        Without a ``record`` of every step it takes a third of the time: it has the facts, but
        no steps, hazards and ``why``.
        With ``on``, it is played there instead, on real clusters (``kueuelab.live.connect``).
        """
        if on is not None:
            return on.run(self.spec)
        spec = self.spec
        start = _START if spec.start is None else spec.start
        recorder = SharedRecorder() if record else None
        configurations = {"manager": spec.configuration}
        configurations.update((worker.name, worker.configuration) for worker in spec.workers)
        cluster_set = ClusterSet(
            configurations,
            start=start,
            seed=self.seed,
            dispatcher=self.dispatcher,
            recorder=recorder,
        )
        objects = {"manager": list(spec.manifests)}
        objects.update((worker.name, list(worker.manifests)) for worker in spec.workers)
        missing = {worker.name: worker.missing_crds for worker in spec.workers}
        cluster_set.load(objects, missing_crds=missing, facts=True)
        run = self._run_of(cluster_set, recorder, start)
        do = run.attempt if self.lenient else partial(_do, cluster_set)
        for action in with_distinct_names(spec.timeline):
            cluster_set.loop.at(start + action.at, partial(do, action))
        for expectation in spec.expect:
            cluster_set.loop.at(start + expectation.at, partial(run.judge, expectation))
        end = spec.end + _AFTERWARDS if until is None else from_seconds(until, _LONGEST)
        cluster_set.run_until(start + end)
        return run

    def _run_of(
        self, cluster_set: ClusterSet, recorder: SharedRecorder | None, start: int
    ) -> ClusterSetRun:
        return ClusterSetRun(self, cluster_set, recorder, start)

    def __repr__(self) -> str:
        names = ", ".join(worker.name for worker in self.spec.workers)
        name = self.spec.name or "unnamed"
        return (
            f"<{type(self).__name__} {name}: manager + {names}, {len(self.spec.timeline)} actions>"
        )


class ClusterSetRun(RecordedRun):
    """A run of a scenario with several clusters.

    Attributes
    ----------
    cluster set
        The clusters in their last state.
    start
        The clock at the start, nanoseconds since 1970.
    left_out
        Actions of a lenient scenario on something that wasn't there, each with the reason.
    """

    #: Loops are looked for in runs of one cluster only.
    loop: Final = None

    def __init__(
        self,
        scenario: MultiKueueScenario,
        cluster_set: ClusterSet,
        recorder: SharedRecorder | None,
        start: int,
    ) -> None:
        self.scenario = scenario
        self.cluster_set = cluster_set
        self.start = start
        self._outcomes: list[Outcome] = []
        self.left_out: list[tuple[Action, str]] = []
        self._recorder = recorder

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The expectations of the scenario, judged by the record.

        Raises
        ------
        InputError
            If there are expectations, and the run was not recorded.
        """
        if self.scenario.spec.expect:
            _ = self._recorded
        return tuple(self._outcomes)

    def judge(self, expectation: Expectation) -> None:
        """Judge an expectation by the state of its cluster now."""
        if self._recorder is not None:
            member = self.cluster_set.member(expectation.cluster)
            state = self._recorder.clusters[member.name].state()
            self._outcomes.append(judge(expectation, state))

    def attempt(self, action: Action) -> None:
        """Do an action, or keep it as left out if its object does not exist."""
        try:
            _do(self.cluster_set, action)
        except UnknownObjectError as error:
            self.left_out.append((action, str(error)))

    @cached_property
    def trace(self) -> Trace:
        """The record of all clusters together."""
        scenario, end = self.scenario, self.cluster_set.now
        version = scenario.spec.configuration.release.version
        about = scenario.spec.description
        return self._recorded.trace(scenario.name, scenario.title, end, version, about)

    def key_of(self, workload: str) -> str:
        """Return the key of the workload that a name means, with or without its namespace.

        Raises
        ------
        UnknownObjectError
            If there is no such workload, or if there are several.
        """
        known = self.trace.workloads
        if workload in known:
            return workload
        found = [key for key in known if key.endswith(f"/{workload}")]
        if len(found) == 1:
            return found[0]
        raise UnknownObjectError("workload", workload, found or known)

    @cached_property
    def traces(self) -> Mapping[str, Trace]:
        """The record of each cluster by itself."""
        return super().traces

    @property
    def main_trace(self) -> Trace:
        """The manager's record."""
        return self.traces[self.cluster_set.manager.member.name]

    @cached_property
    def dispatches(self) -> Dispatches:
        """The dispatches of all jobs, read from the record."""
        return Dispatches(self.trace, self.cluster_set)

    @property
    def _recorded(self) -> SharedRecorder:
        if self._recorder is None:
            hint = Message("multikueue.not-recorded.hint")
            raise InputError(Problem(Message("multikueue.not-recorded"), hint=hint))
        return self._recorder

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Everything that was written, in order."""
        return () if self.cluster_set.log is None else tuple(self.cluster_set.log.facts)

    @property
    def races(self) -> tuple[Race, ...]:
        """The ties that were decided at random, and the workers that could have won."""
        return tuple(self.cluster_set.races.drawn)

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        """The hazards of this version of Kueue at the end, with their remedies.

        Raises
        ------
        InputError
            If the run was not recorded.
        """
        _ = self._recorded
        return hazards_now(self.cluster_set)

    def why(self, workload: str, language: str | Catalog = "en", step: int | None = None) -> Answer:
        """Return where a workload is and what it waits for, in every cluster, after a step."""
        return why(self, workload, language_of(language), step)

    def job_history(self, workload: str, step: int | None = None) -> str:
        """Return every write about a job up to a step: a line each, a column a cluster."""
        facts = self.facts
        if step is not None:
            until = self.trace[step].time - self.start
            facts = tuple(fact for fact in facts if fact.time <= until)
        return job_history(self.cluster_set, facts, workload)

    def __repr__(self) -> str:
        seconds = (self.cluster_set.now - self.start) / SECOND
        name = self.scenario.name or "unnamed"
        count = len(self.cluster_set.manager.member.workloads)
        workers = len(self.cluster_set.workers)
        return f"<{type(self).__name__} {name}: {count} workloads, {workers} workers, {seconds:g}s>"


def _do(cluster_set: ClusterSet, action: Action) -> None:
    """Do an action."""
    cluster = action.cluster
    match action:
        case Submit(workloads=workloads, runs=runs):
            for workload in workloads:
                cluster_set.submit_workload(cluster, workload, PodPlan(runs))
        case Apply(objects=objects):
            for obj in objects:
                if not isinstance(obj, Workload):
                    cluster_set.apply(cluster, obj)
        case Remove(kind=kind, name=name, namespace=namespace):
            cluster_set.remove(cluster, kind, name, namespace)
        case Finish(workload=key):
            _finish(cluster_set, key)
        case Delete(workload=key):
            job = cluster_set.member(cluster).job_of(key)
            if job is not None and not cluster:
                cluster_set.delete_job(cluster, job.key)
            else:
                cluster_set.delete_workload(cluster, key)
        case SetCheck():
            cluster_set.set_check(
                cluster, action.workload, action.check, action.state, action.message
            )
        case SetActive(workload=key, active=active):
            cluster_set.set_active(cluster, key, active)
        case SetPriority(workload=key, priority=priority):
            cluster_set.set_priority(cluster, key, priority)
        case ChangeJob(workload=key, pods=None, queue=None):
            _change_job(cluster_set, key, action)
        case ChangeJob() | Scale():
            raise SimulationError(Message("multikueue.change-job"), object=action.workload)
        case Reclaim():
            pass  # jobs report by themselves which of their pods are done
        case Fault(what=what, on=on):
            _FAULTS[what](cluster_set, on, action.kubeconfig or action.kind)


def _change_job(cluster_set: ClusterSet, key: str, change: ChangeJob) -> None:
    """Change a job in its cluster, as its user does; nothing is done if it is gone."""
    member = cluster_set.member(change.cluster)
    job = member.job_of(key)
    if job is None:
        return
    if change.priority_class is not None:
        cluster_set.relabel_job(change.cluster, job.key, {PRIORITY_CLASS: change.priority_class})
    if change.suspend is not None:
        member.write_job(job, suspend=change.suspend)


def _finish(cluster_set: ClusterSet, key: str) -> None:
    """Let a job succeed wherever it runs."""
    for member in cluster_set.members.values():
        job = member.job_of(key)
        if job is not None and member.kubernetes.finish(job):
            return


_FAULTS: Final[Mapping[str, Callable[[ClusterSet, str, str], None]]] = {
    "disconnect": lambda cluster_set, on, _: cluster_set.disconnect(on),
    "reconnect": lambda cluster_set, on, _: cluster_set.reconnect(on),
    "restartKueue": lambda cluster_set, on, _: cluster_set.restart_kueue(on),
    "stopKueue": lambda cluster_set, on, _: cluster_set.stop_kueue(on),
    "startKueue": lambda cluster_set, on, _: cluster_set.start_kueue(on),
    "setKubeconfig": lambda cluster_set, on, state: cluster_set.set_kubeconfig(on, state),
    "removeCRD": lambda cluster_set, on, kind: cluster_set.remove_crd(on, kind),
    "installCRD": lambda cluster_set, on, kind: cluster_set.install_crd(on, kind),
}
