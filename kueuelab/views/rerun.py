"""Another run of the same clusters: with a fault, or the dispatch is set up anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import Manifests, ModelObject
from kueuelab.manifests.scenario import Action, Apply
from kueuelab.messages import Message, separated
from kueuelab.model import AdmissionCheck, MultiKueueConfig
from kueuelab.model.times import MILLISECOND, SECOND
from kueuelab.multikueue.dispatchers import ALL_AT_ONCE, Dispatcher
from kueuelab.multikueue.scenario import ClusterSetRun, MultiKueueScenario

__all__ = [
    "Dispatching",
    "branched",
    "changed_object",
    "config_in_use",
    "dispatch_title",
    "dispatching_of",
    "end_of",
    "just_after",
    "objects_at",
    "objects_of",
    "redispatched",
    "reordered_at",
]

#: Rounds that a run goes on for, after its faults.
_ROUNDS: Final = 2
_ROUND: Final = 300 * SECOND


@dataclass(frozen=True, slots=True)
class Dispatching:
    """How workers are nominated.

    Attributes
    ----------
    clusters
        The workers of the MultiKueueConfig, in its order.
    name
        ``dispatcherName`` of the Configuration.
    step_size
        ``stepSize`` of the incremental dispatcher.
    own
        A dispatcher that stands in for the one that is named.
    """

    clusters: tuple[str, ...]
    name: str = ALL_AT_ONCE
    step_size: int = 3
    own: Dispatcher | None = None


def config_in_use(objects: Mapping[str, Sequence[ModelObject]]) -> MultiKueueConfig | None:
    """Return the MultiKueueConfig of the first check that refers to one; objects by kind."""
    configs = {
        obj.metadata.name: obj
        for obj in objects.get("MultiKueueConfig", ())
        if isinstance(obj, MultiKueueConfig)
    }
    for check in objects.get("AdmissionCheck", ()):
        if isinstance(check, AdmissionCheck) and check.parameters is not None:
            found = configs.get(check.parameters.name)
            if found is not None and check.parameters.kind == "MultiKueueConfig":
                return found
    return None


def dispatching_of(scenario: MultiKueueScenario) -> Dispatching:
    """Return how a scenario begins to nominate workers."""
    settings = scenario.spec.configuration.multi_kueue
    config = config_in_use(scenario.spec.manifests.objects)
    clusters = () if config is None else config.clusters
    return Dispatching(
        clusters, settings.dispatcher_name, settings.incremental_step_size, scenario.dispatcher
    )


def redispatched(scenario: MultiKueueScenario, wanted: Dispatching) -> MultiKueueScenario:
    """Return the scenario with another dispatch from its start.

    Raises
    ------
    InputError
        If it has no MultiKueueConfig whose order could be changed, or a name is unknown.

    Examples
    --------
    >>> from kueuelab.multikueue import load
    >>> scenario = load("rounds-step-by-step")
    >>> found = redispatched(scenario, Dispatching(("w3", "w1"), step_size=1))
    >>> dispatching_of(found).clusters
    ('w3', 'w1')
    """
    spec = scenario.spec
    config = _config(spec.manifests.objects, wanted.clusters, scenario)
    objects = dict(spec.manifests.objects)
    objects["MultiKueueConfig"] = tuple(
        replace(config, clusters=wanted.clusters) if obj is config else obj
        for obj in objects["MultiKueueConfig"]
    )
    settings = replace(
        spec.configuration.multi_kueue,
        dispatcher_name=wanted.name,
        incremental_step_size=wanted.step_size,
    )
    spec = replace(
        spec,
        manifests=replace(spec.manifests, objects=objects),
        configuration=replace(spec.configuration, multi_kueue=settings),
        expect=(),
    )
    return replace(scenario, spec=spec, dispatcher=wanted.own, lenient=True)


def reordered_at(run: ClusterSetRun, clusters: tuple[str, ...], at: int) -> Action:
    """Return the action that writes other workers to the MultiKueueConfig on the way."""
    objects = objects_at(run, run.cluster_set.manager.member.name, at)
    config = _config(objects, clusters, run.scenario)
    return Apply((replace(config, clusters=clusters),), at=at)


def _config(
    objects: Mapping[str, Sequence[ModelObject]],
    clusters: tuple[str, ...],
    scenario: MultiKueueScenario,
) -> MultiKueueConfig:
    config = config_in_use(objects)
    if config is None:
        raise InputError(Problem(Message("views.config.unused")))
    workers = [worker.name for worker in scenario.spec.workers]
    known = {*workers, *config.clusters}
    wrong = [name for name in clusters if name not in known]
    if wrong:
        hint = Message("views.config.workers", workers=", ".join(workers))
        raise InputError(Problem(Message("views.config.unknown-worker", wrong=wrong[0]), hint=hint))
    if len(set(clusters)) != len(clusters):
        raise InputError(
            Problem(Message("views.config.twice"), hint=Message("views.config.twice.hint"))
        )
    if not clusters:
        raise InputError(
            Problem(Message("views.config.empty"), hint=Message("views.config.empty.hint"))
        )
    return config


def changed_object(
    scenario: MultiKueueScenario, cluster: str, obj: ModelObject
) -> MultiKueueScenario:
    """Return the scenario with another object in place of the one of its kind and name.

    ``cluster`` is a worker's name; every other name means the manager.
    """
    spec = scenario.spec

    def put(manifests: Manifests) -> Manifests:
        kind = type(obj).__name__
        same = tuple(
            obj if each.metadata.key == obj.metadata.key else each
            for each in manifests.objects.get(kind, ())
        )
        return replace(manifests, objects={**manifests.objects, kind: same})

    if cluster in [worker.name for worker in spec.workers]:
        workers = tuple(
            replace(worker, manifests=put(worker.manifests)) if worker.name == cluster else worker
            for worker in spec.workers
        )
        spec = replace(spec, workers=workers)
    else:
        spec = replace(spec, manifests=put(spec.manifests))
    return replace(scenario, spec=replace(spec, expect=()), lenient=True)


def dispatch_title(before: MultiKueueScenario, after: MultiKueueScenario) -> str:
    """Say what is different about a dispatch."""
    ours, theirs = dispatching_of(before), dispatching_of(after)
    said = []
    if ours.clusters != theirs.clusters:
        said.append(Message("views.runs.order", clusters=", ".join(theirs.clusters)))
    if (ours.name, ours.own) != (theirs.name, theirs.own):
        own = theirs.own
        name = getattr(own, "__name__", type(own).__name__) if own is not None else theirs.name
        name = name.rpartition("/")[2].removeprefix("multikueue-dispatcher-")
        said.append(Message("views.runs.dispatcher", name=name))
    if ours.step_size != theirs.step_size:
        said.append(Message("views.runs.step-size", count=theirs.step_size))
    if before.seed != after.seed:
        said.append(Message("views.runs.seed", seed=after.seed))
    return separated(said) or Message("views.runs.repeated")


def branched(run: ClusterSetRun, actions: Sequence[Action]) -> MultiKueueScenario:
    """Return the scenario of a run with more happening; what it does later, it does here, too.

    Examples
    --------
    >>> from kueuelab.manifests.scenario import Fault
    >>> from kueuelab.multikueue import load
    >>> run = load("rounds-step-by-step").run()
    >>> after = branched(run, [Fault("disconnect", "w3", at=5 * SECOND)]).run()
    >>> after.trace.steps[:40] == run.trace.steps[:40]
    True
    """
    spec = run.scenario.spec
    timeline = sorted((*spec.timeline, *actions), key=lambda action: action.at)
    spec = replace(spec, timeline=tuple(timeline), expect=())
    return replace(run.scenario, spec=spec, lenient=True)


def end_of(run: ClusterSetRun, at: int) -> float:
    """Return how many seconds another run goes on, that leaves this one at a time.

    It is as long as this one, and long enough to see a worker be given up and rounds go by.
    """
    timeout = run.cluster_set.manager.worker_lost_timeout
    long_enough = at + timeout + _ROUNDS * _ROUND
    return max(run.cluster_set.now - run.start, long_enough) / SECOND


def just_after(time: int) -> int:
    """Return the next moment, when all that happens at a time has happened.

    Examples
    --------
    >>> just_after(1_500_000), just_after(2_000_000)
    (2000000, 3000000)
    """
    return (time // MILLISECOND + 1) * MILLISECOND


def objects_of(run: ClusterSetRun, cluster: str) -> Mapping[str, Sequence[ModelObject]]:
    """Return the objects that a cluster has at the start, by kind."""
    spec = run.scenario.spec
    for worker in spec.workers:
        if worker.name == cluster:
            return worker.manifests.objects
    return spec.manifests.objects


def objects_at(run: ClusterSetRun, cluster: str, at: int) -> Mapping[str, Sequence[ModelObject]]:
    """Return the objects of a cluster as they were, by kind.

    The scenario is played up to there once more, so that no guess is needed.
    """
    scenario = replace(run.scenario, lenient=True, spec=replace(run.scenario.spec, expect=()))
    cluster_set = scenario.run(until=at / SECOND).cluster_set
    found: dict[str, list[ModelObject]] = {}
    for obj in cluster_set.member(cluster).cluster.objects:
        found.setdefault(type(obj).__name__, []).append(obj)
    return {kind: tuple(objects) for kind, objects in found.items()}
