"""The scenario file as data: where it starts, what happens when, what is expected.

This is what was written, checked and resolved to objects of the model; running it is
the simulation's business. Times (``at``) are nanoseconds since the start, durations are
nanoseconds. Workloads are named by their keys (``namespace/name``), whether the file
names them or the jobs that they were made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from kueuelab.errors import Location
from kueuelab.manifests.result import Manifests, Note
from kueuelab.model import Configuration, ModelObject, ReclaimablePod, Release, Workload
from kueuelab.model.workload import CheckState

__all__ = [
    "SCENARIO_VERSION",
    "VERBS",
    "Action",
    "Advance",
    "Apply",
    "ChangeJob",
    "ClusterSpec",
    "Delete",
    "Expectation",
    "Fault",
    "FaultName",
    "Finish",
    "PodsReady",
    "Reclaim",
    "Remove",
    "Scale",
    "ScenarioSpec",
    "SetActive",
    "SetCheck",
    "SetPriority",
    "Submit",
    "WorkloadStateName",
]

#: Where a workload can be expected to be.
WorkloadStateName: TypeAlias = Literal[
    "pending", "reserved", "admitted", "evicted", "finished", "deactivated", "deleted"
]

#: The version of the scenario file.
SCENARIO_VERSION: Final = "kueuelab/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Action:
    """What every action has: its time, its cluster (MultiKueue only), its place in the file."""

    at: int = 0
    cluster: str = ""
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Submit(_Action):
    """Jobs are created; they run for ``runs`` once their pods have started.

    ``runs`` ``None`` is until something finishes them. Their pods take ``stops`` to be gone
    once they are evicted, and hold their quota until then.
    """

    workloads: tuple[Workload, ...]
    runs: int | None = None
    stops: int = 0


@dataclass(frozen=True, slots=True)
class Apply(_Action):
    """Objects other than jobs and Workloads are created, or replaced by name."""

    objects: tuple[ModelObject, ...]


@dataclass(frozen=True, slots=True)
class Remove(_Action):
    """An object other than a Workload is deleted."""

    kind: str
    name: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Finish(_Action):
    """The job of a workload succeeds."""

    workload: str


@dataclass(frozen=True, slots=True)
class Delete(_Action):
    """A job is deleted: Kueue says that its workload finished, and the workload is deleted."""

    workload: str


@dataclass(frozen=True, slots=True)
class SetCheck(_Action):
    """The controller of an admission check reports on a workload."""

    workload: str
    check: str
    state: CheckState
    message: str = ""
    requeue_after_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class PodsReady(_Action):
    """The pods of a workload become ready, or stop being so."""

    workload: str
    ready: bool = True


@dataclass(frozen=True, slots=True)
class SetActive(_Action):
    """A user sets ``spec.active`` of a workload."""

    workload: str
    active: bool


@dataclass(frozen=True, slots=True)
class SetPriority(_Action):
    """A user sets ``spec.priority`` of a workload."""

    workload: str
    priority: int


@dataclass(frozen=True, slots=True)
class ChangeJob(_Action):
    """A user changes a Job: its number of pods, its queue, its class of priority, ``suspend``.

    ``None`` leaves each as it is. A suspended job's Workload is updated; of a running one Kueue
    deletes the Workload, and makes another one for the job as it is then. Whether a job is
    suspended is Kueue's to say: it resumes an admitted job at once, whose pods start anew, and
    suspends a pending one again.
    """

    workload: str
    pods: int | None = None
    queue: str | None = None
    priority_class: str | None = None
    suspend: bool | None = None


@dataclass(frozen=True, slots=True)
class Scale(_Action):
    """An elastic job asks for another number of pods.

    ``workload`` is one of its slices. ``pods`` is a number for its first pod set, or numbers by
    pod set; others keep theirs. See KEP-77.
    """

    workload: str
    pods: int | Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Reclaim(_Action):
    """Some pods of a workload are done and give their quota back."""

    workload: str
    pods: tuple[ReclaimablePod, ...]


@dataclass(frozen=True, slots=True)
class Advance(_Action):
    """Nothing is done, but the run goes on until ``at`` plus ``duration`` at least."""

    duration: int


#: Faults in several clusters.
FaultName: TypeAlias = Literal[
    "disconnect",
    "reconnect",
    "restartKueue",
    "stopKueue",
    "startKueue",
    "setKubeconfig",
    "removeCRD",
    "installCRD",
]

#: What an action of the timeline can do, in the file's words.
VERBS: Final[tuple[str, ...]] = (
    *("submit", "apply", "finish", "delete", "remove", "setCheck", "podsReady", "setActive"),
    *("setPriority", "changeJob", "scale", "reclaim", "succeed", "node", "pod", "advance"),
    *get_args(FaultName),
)


@dataclass(frozen=True, slots=True)
class Fault(_Action):
    """A fault of a cluster (MultiKueue only): ``on`` says which cluster.

    ``kubeconfig`` is what becomes of the kubeconfig with ``setKubeconfig``, ``kind`` the one
    whose CRD goes or comes with ``removeCRD`` and ``installCRD``.
    """

    what: FaultName
    on: str
    kubeconfig: str = ""
    kind: str = ""


Action: TypeAlias = (
    Submit
    | Apply
    | Remove
    | Finish
    | Delete
    | SetCheck
    | PodsReady
    | SetActive
    | SetPriority
    | ChangeJob
    | Scale
    | Reclaim
    | Advance
    | Fault
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must hold at ``at``, of a workload or of a ClusterQueue.

    Exactly one of ``workload`` and ``cluster_queue_name`` is set. Everything that is
    ``None`` is not looked at. For a workload: ``state`` (the file's ``is``), ``reason`` and
    ``message`` (of the condition that the state goes by; a message matches as a part),
    ``cluster_queue``, ``flavors`` (resource to flavor, of all its pod sets), ``count``
    (pods admitted in all), ``places`` (domain to pods, of all its pod sets), ``ranks`` (pod
    set to the domain of each pod, by rank). For a ClusterQueue: ``usage`` (flavor and resource
    to amount in Kueue's unit), numbers of ``pending`` and ``admitted`` workloads.
    """

    at: int
    workload: str = ""
    state: WorkloadStateName | None = None
    reason: str | None = None
    message: str | None = None
    cluster_queue: str | None = None
    flavors: Mapping[str, str] | None = None
    count: int | None = None
    places: Mapping[str, int] | None = None
    ranks: Mapping[str, tuple[str, ...]] | None = None
    cluster_queue_name: str = ""
    usage: Mapping[tuple[str, str], int] | None = None
    pending: int | None = None
    admitted: int | None = None
    cluster: str = ""
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """One cluster of a MultiKueue scenario, by the name that actions and MultiKueue use.

    ``missing_crds`` are kinds, of jobs or ``Workload``, that it does not know at the start.
    """

    name: str
    configuration: Configuration = field(default_factory=Configuration)
    manifests: Manifests = field(default_factory=Manifests)
    missing_crds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioSpec:
    """A scenario as it was written.

    Parameters
    ----------
    name, title, description : str
        From the metadata; a plain manifest is named by its file.
    outcome : str
        What comes of it, in words. A list of scenarios shows the description alone, so that a
        learner can predict first.
    aliases : Mapping
        Names that its objects had before, each with the name that the object has now.
    start : int, optional
        The clock at the start, ns since 1970: what the file says, else the newest time in its
        objects; None, where there is none, leaves it to the simulation.
    configuration : Configuration
        Kueue's Configuration (of the manager, with MultiKueue).
    manifests : Manifests
        The objects at the start (of the manager, with MultiKueue).
    workers : tuple of ClusterSpec
        The worker clusters of a MultiKueue scenario.
    timeline : tuple of Action
        In order of time; actions at the same time in the order of the file.
    expect : tuple of Expectation
        In order of time.
    notes : tuple of Note
        What loading did.
    chance : int, optional
        The seed of another outcome where Kueue leaves the outcome to chance. No file says it.

    Examples
    --------
    >>> spec = ScenarioSpec(timeline=(Finish("job-0", at=9_000_000_000),))
    >>> spec.end
    9000000000
    """

    name: str = ""
    title: str = ""
    description: str = ""
    outcome: str = field(default="", compare=False)
    aliases: Mapping[str, str] = field(default_factory=dict, compare=False)
    start: int | None = None
    configuration: Configuration = field(default_factory=Configuration)
    manifests: Manifests = field(default_factory=Manifests)
    workers: tuple[ClusterSpec, ...] = ()
    timeline: tuple[Action, ...] = ()
    expect: tuple[Expectation, ...] = ()
    notes: tuple[Note, ...] = field(default=(), compare=False)
    chance: int | None = None

    def of_release(self, release: Release) -> ScenarioSpec:
        """Return the same scenario for another release of Kueue, in all of its clusters."""
        workers = tuple(
            replace(worker, configuration=worker.configuration.of_release(release))
            for worker in self.workers
        )
        configuration = self.configuration.of_release(release)
        return replace(self, configuration=configuration, workers=workers)

    @property
    def end(self) -> int:
        """The last time that the file mentions; a run goes on at least until then."""
        times = [
            action.at + (action.duration if isinstance(action, Advance) else 0)
            for action in self.timeline
        ]
        return max([0, *times, *(expectation.at for expectation in self.expect)])
