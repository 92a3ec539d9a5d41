"""From a scenario to what is sent to a cluster: objects to create, and a request an action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.live.resources import KUEUE, KUEUE_GROUP, Json
from kueuelab.live.submitted_objects import IMAGE, body_of, priority_class_for
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.result import Manifests
from kueuelab.manifests.scenario import (
    Action,
    Advance,
    Apply,
    ChangeJob,
    Delete,
    Fault,
    Finish,
    PodsReady,
    Reclaim,
    Remove,
    Scale,
    SetActive,
    SetCheck,
    SetPriority,
    Submit,
)
from kueuelab.manifests.server import judge
from kueuelab.messages import Message
from kueuelab.model import AdmissionCheck, Workload

__all__ = [
    "MANAGED_BY",
    "MOST_NODES",
    "RUN_LABEL",
    "Request",
    "has_nodes",
    "requests_of",
    "run_labels",
    "setup_of",
]

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
_MANAGED: Final = {MANAGED_BY: "kueuelab"}
#: How many nodes a run creates at most: each has a Lease that is renewed.
MOST_NODES: Final = 200
#: What everything carries that a run creates, and that is removed with it.
RUN_LABEL: Final = "kueuelab/run"

#: Kinds that a run creates, in this order.
_CREATED: Final = (
    "Namespace",
    "PriorityClass",
    "LimitRange",
    "Node",
    "Pod",
    *(each.kind for each in KUEUE[:-1]),
)
#: Those of them that a run creates only where a topology makes them matter.
_PLACES: Final = ("Node", "Pod")
#: Kinds of a scenario that only say what surrounds it; a cluster has its own.
_SURROUNDING: Final = ("Workload", "RuntimeClass", *_PLACES)


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be done when, and where.

    Attributes
    ----------
    at
        Nanoseconds since the start.
    action
        What the scenario says.
    bodies
        What is created or replaced: jobs, Workloads, other objects.
    runs
        For how long jobs run, by ``namespace/name`` of their Workload in the scenario, in
        nanoseconds; ``None`` is until something finishes them.
    """

    at: int
    action: Action
    bodies: tuple[Json, ...] = ()
    runs: dict[str, int | None] = field(default_factory=dict)

    @property
    def cluster(self) -> str:
        """Where: the name of a worker, or ``""``."""
        return self.action.cluster


def labelled(obj: Json, run: str) -> Json:
    """Return an object as a run creates it: marked, without what the server sets."""
    meta = {key: obj["metadata"][key] for key in ("name", "namespace") if key in obj["metadata"]}
    labels = {**(obj["metadata"].get("labels") or {}), **_labels(run)}
    meta["labels"] = labels
    if obj["metadata"].get("annotations"):
        meta["annotations"] = obj["metadata"]["annotations"]
    # What a node can hold is in its status, and no kubelet says it.
    left_out = ("metadata",) if obj["kind"] == "Node" else ("metadata", "status")
    rest = {key: value for key, value in obj.items() if key not in left_out}
    return {**rest, "metadata": meta}


def has_nodes(spec: ScenarioSpec, cluster: str = "") -> bool:
    """Tell whether a run creates the nodes of a scenario: a topology makes them matter."""
    objects = _manifests(spec, cluster).objects
    return bool(objects.get("Topology")) and bool(objects.get("Node"))


def _labels(run: str) -> dict[str, str]:
    return {**_MANAGED, RUN_LABEL: run}


def run_labels(spec: ScenarioSpec) -> dict[str, str]:
    """Return the labels of everything that a run of a scenario creates."""
    return _labels(run_name(spec))


def run_name(spec: ScenarioSpec) -> str:
    """Return a scenario's name as the value of a label."""
    kept = "".join(c if c.isalnum() or c == "-" else "-" for c in spec.name.lower())
    return kept.strip("-")[:60].strip("-") or "scenario"


def setup_of(spec: ScenarioSpec, cluster: str = "") -> list[Json]:
    """Return the objects that have to be there before the first job, in order.

    Parameters
    ----------
    spec
        The scenario.
    cluster
        The name of a worker, ``""`` for the manager or the only cluster.
    """
    run, manifests = run_name(spec), _manifests(spec, cluster)
    found = [labelled(encode_object(obj), run) for obj in manifests]
    kinds = _CREATED if has_nodes(spec, cluster) else set(_CREATED) - set(_PLACES)
    found = [_runnable(obj) for obj in found if obj["kind"] in kinds]
    named = {obj["metadata"]["name"] for obj in found if obj["kind"] == "Namespace"}
    wanted = {obj["metadata"].get("namespace", "") for obj in found}
    # Workers get copies of jobs in the namespaces of the jobs.
    wanted |= {workload.namespace for workload in _workloads(spec)}
    for name in sorted(wanted - named - {"", "default"}):
        obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        found.append(labelled(obj, run))
    classes = {priority_class_for(workload): workload for workload in _workloads(spec)}
    for name, workload in sorted(classes.items()):
        if name:
            priority_class: Json = {
                "apiVersion": f"{KUEUE_GROUP}/v1beta2",
                "kind": "WorkloadPriorityClass",
                "metadata": {"name": name},
                "value": workload.priority,
            }
            found.append(labelled(priority_class, run))
    return sorted(found, key=lambda obj: _CREATED.index(obj["kind"]))


def _runnable(obj: Json) -> Json:
    """Return a pod as a cluster takes it: with an image, and removed at once; others as they are.

    No kubelet answers when it is deleted.
    """
    if obj["kind"] != "Pod":
        return obj
    containers = [{"image": IMAGE, **each} for each in obj["spec"].get("containers") or ()]
    spec = {**obj["spec"], "containers": containers, "terminationGracePeriodSeconds": 0}
    return {**obj, "spec": spec}


def _manifests(spec: ScenarioSpec, cluster: str) -> Manifests:
    if not cluster:
        return spec.manifests
    return next(worker.manifests for worker in spec.workers if worker.name == cluster)


def requests_of(spec: ScenarioSpec, *, played: bool = False, speed: float = 1.0) -> list[Request]:
    """Return what the timeline asks for, in order.

    Parameters
    ----------
    spec
        The scenario.
    played
        Whether no pod runs there, and the player writes the status of jobs.
    speed
        How many seconds of the scenario pass in one.

    Raises
    ------
    InputError
        If the scenario holds what cannot be played on a cluster: everything that does.
    """
    return _Reading(spec, played, speed).requests()


class _Reading:
    """Goes through a scenario; notes what cannot be played."""

    def __init__(self, spec: ScenarioSpec, played: bool, speed: float) -> None:
        self._spec, self._played, self._speed = spec, played, speed
        self._run = run_name(spec)
        self._problems: list[Problem] = []
        self._submitted: set[str] = set()
        sites = {"": spec.manifests} | {each.name: each.manifests for each in spec.workers}
        self._checks = {
            (cluster, check.metadata.name): check.controller_name
            for cluster, manifests in sites.items()
            for check in manifests.objects.get("AdmissionCheck", ())
            if isinstance(check, AdmissionCheck)
        }

    def requests(self) -> list[Request]:
        found = []
        self._surroundings()
        if self._spec.manifests.workloads:
            submit = Submit(tuple(self._spec.manifests.workloads))
            found.append(self._submit(submit))
        for action in self._spec.timeline:
            sentence = self._cannot(action)
            if sentence:
                self._problems.append(Problem(sentence, location=action.location))
            elif isinstance(action, Submit):
                found.append(self._submit(action))
            elif isinstance(action, Apply):
                found.append(self._apply(action))
            elif not isinstance(action, Advance):
                found.append(Request(action.at, action))
        if self._problems:
            raise InputError(self._problems)
        found = [replace(each, at=round(each.at / self._speed)) for each in found]
        return sorted(found, key=lambda request: request.at)

    def _surroundings(self) -> None:
        nodes = len(self._spec.manifests.objects.get("Node", ()))
        if has_nodes(self._spec) and nodes > MOST_NODES:
            text = Message("live.limit.nodes", count=nodes, most=MOST_NODES)
            self._problems.append(Problem(text, object=f"Scenario/{self._spec.name}"))
        for kind, objects in self._spec.manifests.objects.items():
            if kind not in (*_CREATED, *_SURROUNDING) and objects:
                name = objects[0].metadata.name
                text = Message("live.limit.kind", kind=kind)
                self._problems.append(Problem(text, object=f"{kind}/{name}"))

    def _submit(self, action: Submit) -> Request:
        bodies, runs = [], {}
        for workload in action.workloads:
            own = action.runs
            if own is None:
                own = self._spec.manifests.runs.get(workload.key)
            runs[workload.key] = None if own is None else round(own / self._speed)
            self._check(workload, action.location)
            self._submitted.add(workload.key)
            bodies.append(labelled(body_of(workload, runs[workload.key]), self._run))
            verdict = judge(bodies[-1])
            if not verdict.is_accepted:
                text = Message("live.limit.rejected", verdict=verdict.message)
                self._wrong(text, workload, action.location)
            if self._spec.workers and bodies[-1]["kind"] == "Workload":
                text = Message("live.limit.job")
                self._wrong(text, workload, action.location)
        return Request(action.at, action, tuple(bodies), runs)

    def _check(self, workload: Workload, location: Location | None) -> None:
        if workload.status.admission is not None:
            text = Message("live.limit.holds-quota")
            self._wrong(text, workload, location)

    def _wrong(self, text: str, workload: Workload, location: Location | None) -> None:
        self._problems.append(Problem(text, f"Workload/{workload.key}", location=location))

    def _apply(self, action: Apply) -> Request:
        bodies = [_runnable(labelled(encode_object(obj), self._run)) for obj in action.objects]
        bodies = [body for body in bodies if body["kind"] != "Workload"]
        for body in bodies:
            if not self._is_created(body["kind"], action.cluster):
                name = body["metadata"]["name"]
                text = Message("live.limit.kind", kind=body["kind"])
                self._problems.append(Problem(text, f"{body['kind']}/{name}", "", action.location))
        return Request(action.at, action, tuple(bodies))

    def _cannot(self, action: Action) -> str:
        """Return why an action can't be played; ``""`` if it can."""
        match action:
            case Fault(what=what):
                return Message("live.limit.fault", what=what)
            case SetCheck(check=check, cluster=cluster) if self._is_kueues(cluster, check):
                return Message("live.limit.check", check=check)
            case PodsReady() if not self._played:
                return Message("live.limit.pods-ready")
            case ChangeJob(pods=pods, queue=queue) if self._spec.workers and (pods or queue):
                return Message("live.limit.change-job")
            case ChangeJob(workload=workload):
                return self._unknown(workload)
            case Scale() if self._spec.workers:
                return Message("live.limit.scale-multikueue")
            case Scale(workload=workload, pods=pods):
                is_job = isinstance(pods, int) or [*pods] == ["main"]
                return self._unknown(workload) if is_job else Message("live.limit.scale")
            case Reclaim() if not self._played:
                return Message("live.limit.reclaim")
            case Remove(kind=kind, cluster=cluster) if not self._is_created(kind, cluster):
                return Message("live.limit.remove", kind=kind)
            case (
                Finish()
                | Delete()
                | SetCheck()
                | PodsReady()
                | SetActive()
                | SetPriority()
                | Reclaim()
            ):
                return self._unknown(action.workload)
            case _:
                return ""

    def _is_created(self, kind: str, cluster: str) -> bool:
        return kind in _CREATED and (kind not in _PLACES or has_nodes(self._spec, cluster))

    def _is_kueues(self, cluster: str, check: str) -> bool:
        """Tell whether a check of a cluster has a controller of Kueue's own."""
        return self._checks.get((cluster, check), "").startswith(KUEUE_GROUP)

    def _unknown(self, workload: str) -> str:
        if workload in self._submitted:
            return ""
        return Message("live.limit.not-there", workload=workload)


def _workloads(spec: ScenarioSpec) -> Iterator[Workload]:
    yield from spec.manifests.workloads
    for action in spec.timeline:
        if isinstance(action, Submit):
            yield from action.workloads
