"""The timeline of a scenario: from checked entries to actions on named workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, get_args

from kueuelab.errors import Location, Problem, UnknownObjectError
from kueuelab.manifests.decode import CLUSTER_KINDS, NAMESPACED_KINDS
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.loading.folder import Folder
from kueuelab.manifests.loading.items import Item, items_of
from kueuelab.manifests.loading.jobs import context_of
from kueuelab.manifests.loading.loader import Loader, key_of
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.manifests.loading.node_changes import node_changed, pod_on_node
from kueuelab.manifests.loading.submit import topology_mistakes, workload_of
from kueuelab.manifests.loading.submitted_jobs import SubmittedJobs, change_between
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.scenario import (
    SCENARIO_VERSION,
    VERBS,
    Action,
    Advance,
    Apply,
    ChangeJob,
    Delete,
    Fault,
    FaultName,
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
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message, listed
from kueuelab.model import Configuration, ModelObject, Node, ReclaimablePod, Workload
from kueuelab.model.times import SECOND
from kueuelab.workload.slices import is_slice

__all__ = ["Timeline"]

_Head: TypeAlias = dict[str, Any]

#: Kinds of objects in a namespace that can be deleted. A pod that waits is a job.
_NAMESPACED: Final = (*NAMESPACED_KINDS, "Pod")


@dataclass(slots=True)
class Timeline:
    """Reads actions one by one, in order of time, and keeps track of what exists by then.

    Parameters
    ----------
    loader : Loader
        Takes problems and notes.
    names : WorkloadNames
        All workloads that there are or will have been.
    configuration : Configuration
        Decides how jobs become Workloads.
    objects : iterable of objects
        What exists at the start.
    folder : Folder, optional
        The folder that files are in.
    namespace : str
        Where objects belong that name no namespace.
    """

    loader: Loader
    names: WorkloadNames
    configuration: Configuration
    objects: Iterable[ModelObject]
    namespace: str
    folder: Folder = field(default_factory=Folder)
    _world: dict[tuple[str, str, str], ModelObject] = field(default_factory=dict)
    _jobs: SubmittedJobs = field(default_factory=SubmittedJobs)

    def __post_init__(self) -> None:
        self._world = {key_of(obj): obj for obj in self.objects}

    def actions(self, item: Item, path: Path, location: Location | None) -> list[Action]:
        """Return what one checked entry of the timeline does."""
        entry = item.obj
        verb = next(name for name in VERBS if entry.get(name) is not None)
        head: _Head = {
            "at": nanoseconds(entry.get("at")),
            "cluster": entry.get("cluster") or "",
            "location": location,
        }
        return _READERS[verb](self, item, entry[verb], head)

    # Each reader takes the entry, what stands at its verb, and what all actions have.

    def _submit(self, item: Item, value: Any, head: _Head) -> list[Action]:
        parts = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        actions: list[Action] = []
        for index, part in enumerate(parts):
            path: Path = ("submit", index) if parts is value else ("submit",)
            if isinstance(part, Mapping) and "kind" not in part:
                actions += self._short_form(item, part, path, head)
            else:
                actions += self._manifests(item, part, path, head)
        return actions

    def _short_form(
        self, item: Item, value: Mapping[str, Any], path: Path, head: _Head
    ) -> list[Action]:
        if found := mistakes(value, record_of(SCENARIO_VERSION, "Submit"), path):
            self.loader.findings.add_all(item, found)
            self.names.add_broken(value)
            return []
        if found := list(topology_mistakes(value, path)):
            self.loader.findings.add_all(item, found)
            self.names.add_broken(value)
            return []
        context = context_of(self._world.values(), self.configuration, self.namespace)
        try:
            workload = workload_of(value, context)
        except UnknownObjectError as error:
            problem = error.problem
            mistake = Mistake((*path, "priorityClass"), problem.message, problem.hint)
            self.loader.findings.add(item, mistake)
            self.names.add_broken(value)
            return []
        runs = value.get("runs", item.obj.get("runs"))
        stops = nanoseconds(value.get("stops", item.obj.get("stops")))
        return self._created(item, path, [workload], runs, head, stops)

    def _manifests(self, item: Item, value: Any, path: Path, head: _Head) -> list[Action]:
        """Return actions for full manifests, inline or in files."""
        loader = self.loader.empty_copy(self.configuration)
        jobs: dict[tuple[str, str], Mapping[str, Any]] = {}
        if isinstance(value, str):
            problems: list[Problem] = []
            documents = list(self.folder.documents(value, problems))
            for document in documents:
                for manifest in items_of(document.value, document, (), self.loader.findings):
                    self._add(loader, manifest, jobs)
            for problem in problems:
                words = f"{value}: {problem.message}"
                self.loader.findings.add(item, Mistake(path, words, problem.hint))
        else:
            prefix = (*item.prefix, *path)
            for manifest in items_of(value, item.document, prefix, self.loader.findings):
                self._add(loader, manifest, jobs)
                self.names.add_broken(manifest.obj)
        manifests = loader.collect(self._world.values(), strict=True)
        loader.summarise(self._world.values())
        actions: list[Action] = []
        others = [obj for obj in loader.objects if not isinstance(obj, Workload)]
        if others:
            self._world.update((key_of(obj), obj) for obj in others)
            actions.append(Apply(tuple(others), **head))
        for workload in manifests.workloads:
            runs = item.obj.get("runs")
            sleeps = manifests.runs.get(workload.key)
            asleep = None if sleeps is None else sleeps / SECOND
            owners = workload.metadata.owner_references
            job = jobs.get((workload.metadata.namespace, owners[0].name)) if owners else None
            if job is not None and workload.key in self._jobs:
                actions += self._job_again(item, path, workload, head)
                continue
            stops = nanoseconds(item.obj.get("stops"))
            lasts = asleep if runs is None else runs
            actions += self._created(item, path, [workload], lasts, head, stops)
            self._jobs.add(workload, job)
        return actions

    def _job_again(self, item: Item, path: Path, workload: Workload, head: _Head) -> list[Action]:
        """Return what the second manifest of a job changes, as ``kubectl apply`` does."""
        before = self.names.workload(workload.key)
        change = change_between(before, workload)
        if change is None:
            name = before.metadata.owner_references[0].name
            words = Message("manifests.timeline.job-again", job=name)
            hint = Message("manifests.timeline.job-again.hint")
            self.loader.findings.add(item, Mistake(path, words, hint))
            return []
        self.names.add(workload)
        actions: list[Action] = []
        if change.pods is not None and is_slice(workload):
            actions.append(Scale(workload.key, change.pods, **head))
            self.names.add_slice(workload.key)
            change = change._replace(pods=None)
        if any(each is not None for each in change):
            actions.append(ChangeJob(workload.key, *change, **head))
        return actions

    def _add(
        self,
        loader: Loader,
        manifest: Item,
        jobs: dict[tuple[str, str], Mapping[str, Any]],
    ) -> None:
        """Let a loader take a manifest: as an update, if there is an object of its name."""
        meta = manifest.obj.get("metadata")
        if isinstance(meta, Mapping):
            namespace = str(meta.get("namespace") or self.namespace)
            if manifest.obj.get("kind") == "Job":
                jobs[namespace, str(meta.get("name"))] = manifest.obj
            kind, name = str(manifest.obj.get("kind")), str(meta.get("name"))
            place = "" if kind in CLUSTER_KINDS else namespace
            before = self._world.get((kind, place, name))
            if before is not None and kind != "Workload":
                loader.verdicts.set_existing(encode_object(before))
        loader.add(manifest)

    def _created(
        self,
        item: Item,
        path: Path,
        workloads: list[Workload],
        runs: Any,
        head: _Head,
        stops: int = 0,
    ) -> list[Action]:
        for workload in workloads:
            self.names.add(workload)
            self._jobs.add(workload)
        duration = None if runs is None else nanoseconds(runs)
        return [Submit(tuple(workloads), duration, stops, **head)]

    def _apply(self, item: Item, value: Any, head: _Head) -> list[Action]:
        return self._manifests(item, value, ("apply",), head)

    def _named(
        self, item: Item, name: str, path: Path, make: Callable[[str], Action]
    ) -> list[Action]:
        """Return an action on a workload, if there is one of that name."""
        try:
            return [make(self.names.key_of(name))]
        except UnknownObjectError as error:
            if not self.names.is_broken(name):
                mistake = Mistake(path, error.problem.message, error.problem.hint)
                self.loader.findings.add(item, mistake)
            return []

    def _finish(self, item: Item, value: str, head: _Head) -> list[Action]:
        return self._named(item, value, ("finish",), lambda key: Finish(key, **head))

    def _delete(self, item: Item, value: str, head: _Head) -> list[Action]:
        actions = self._named(item, value, ("delete",), lambda key: Delete(key, **head))
        for action in actions:
            assert isinstance(action, Delete)
            self._jobs.remove(action.workload)
        return actions

    def _set_check(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        after = value.get("requeueAfter")
        return self._named(
            item,
            value["workload"],
            ("setCheck", "workload"),
            lambda key: SetCheck(
                key,
                value["check"],
                value["state"],
                value.get("message") or "",
                None if after is None else nanoseconds(after) // SECOND,
                **head,
            ),
        )

    def _pods_ready(self, item: Item, value: Any, head: _Head) -> list[Action]:
        if isinstance(value, str):
            return self._named(item, value, ("podsReady",), lambda key: PodsReady(key, **head))
        ready = value.get("ready", True)
        path = ("podsReady", "workload")
        return self._named(item, value["workload"], path, lambda key: PodsReady(key, ready, **head))

    def _set_active(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        path = ("setActive", "workload")
        return self._named(
            item, value["workload"], path, lambda key: SetActive(key, value["active"], **head)
        )

    def _set_priority(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        path = ("setPriority", "workload")
        return self._named(
            item, value["workload"], path, lambda key: SetPriority(key, value["priority"], **head)
        )

    def _change_job(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        name = value.get("priorityClass")
        known = [each for kind, _, each in self._world if kind == "WorkloadPriorityClass"]
        if name is not None and name not in known:
            problem = UnknownObjectError("WorkloadPriorityClass", name, known).problem
            path: Path = ("changeJob", "priorityClass")
            self.loader.findings.add(item, Mistake(path, problem.message, problem.hint))
            return []
        return self._named(
            item,
            value["workload"],
            ("changeJob", "workload"),
            lambda key: ChangeJob(
                key, value.get("pods"), value.get("queue"), name, value.get("suspend"), **head
            ),
        )

    def _scale(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        path: Path = ("scale", "job")
        pods = value.get("podSets", value.get("pods"))
        actions = self._named(item, value["job"], path, lambda key: Scale(key, pods, **head))
        for action in actions:
            assert isinstance(action, Scale)
            if (mistake := self._scale_mistake(action)) is not None:
                self.loader.findings.add(item, mistake)
                return []
            self.names.add_slice(action.workload)
        return actions

    def _scale_mistake(self, action: Scale) -> Mistake | None:
        workload = self.names.workload(action.workload)
        if not is_slice(workload):
            words = Message("manifests.timeline.not-elastic", job=workload.metadata.name)
            return Mistake(("scale", "job"), words, Message("manifests.timeline.not-elastic.hint"))
        names = [pod_set.name for pod_set in workload.pod_sets]
        for name in action.pods if isinstance(action.pods, Mapping) else ():
            if name not in names:
                words = Message("manifests.timeline.no-pod-set", name=name, names=listed(names))
                return Mistake(("scale", "podSets", name), words)
        return None

    def _reclaim(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        pods = tuple(ReclaimablePod(name, count) for name, count in value["pods"].items())
        path = ("reclaim", "workload")
        return self._named(item, value["workload"], path, lambda key: Reclaim(key, pods, **head))

    def _succeed(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        """Return what follows when pods of a job succeed: their quota, or the job's end."""

        def follows(key: str) -> Action:
            if key not in self._jobs or len(self.names.workload(key).pod_sets) > 1:
                kind = Message("manifests.timeline.counted-job")
                problem = UnknownObjectError(kind, value["job"], self._jobs).problem
                self.loader.findings.add(item, Mistake(path, problem.message, problem.hint))
                return Advance(0, **head)
            succeeded = self._jobs.succeed(key, value["pods"])
            if succeeded >= self._jobs.completions(key):
                return Finish(key, **head)
            pods = self._jobs.reclaimable(key, succeeded)
            if pods is None:
                return Advance(0, **head)
            name = self.names.workload(key).pod_sets[0].name
            return Reclaim(key, (ReclaimablePod(name, pods),), **head)

        path: Path = ("succeed", "job")
        return self._named(item, value["job"], path, follows)

    def _node(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        """Return the node as it is from now on."""
        before = self._find_node(item, value["name"], ("node", "name"))
        return [] if before is None else self._applied(node_changed(before, value), head)

    def _pod(self, item: Item, value: Mapping[str, Any], head: _Head) -> list[Action]:
        """Return a pod that runs on a node."""
        if self._find_node(item, value["node"], ("pod", "node")) is None:
            return []
        return self._applied(pod_on_node(value, self.namespace), head)

    def _find_node(self, item: Item, name: str, path: Path) -> Node | None:
        found = self._world.get(("Node", "", name))
        if isinstance(found, Node):
            return found
        known = [each for kind, _, each in self._world if kind == "Node"]
        problem = UnknownObjectError("Node", name, known).problem
        self.loader.findings.add(item, Mistake(path, problem.message, problem.hint))
        return None

    def _applied(self, obj: ModelObject, head: _Head) -> list[Action]:
        self._world[key_of(obj)] = obj
        return [Apply((obj,), **head)]

    def _advance(self, item: Item, value: Any, head: _Head) -> list[Action]:
        return [Advance(nanoseconds(value), **head)]

    def _fault(self, what: FaultName, value: Any, head: _Head) -> list[Action]:
        if what == "setKubeconfig":
            return [Fault(what, value["worker"], value["state"], **head)]
        if what in ("removeCRD", "installCRD"):
            return [Fault(what, value["worker"], kind=value["kind"], **head)]
        return [Fault(what, value, **head)]

    def _remove(self, item: Item, value: Any, head: _Head) -> list[Action]:
        if isinstance(value, str):
            kind, _, rest = value.partition("/")
            namespace, _, name = rest.rpartition("/")
        else:
            kind, name = value["kind"], value["name"]
            namespace = value.get("namespace") or ""
        if kind not in CLUSTER_KINDS and kind not in _NAMESPACED:
            known = (*CLUSTER_KINDS, *_NAMESPACED)
            error = UnknownObjectError("kind", kind, known).problem
            hint = error.hint or Message("manifests.timeline.object-name.hint")
            self.loader.findings.add(item, Mistake(("remove",), error.message, hint))
            return []
        if kind == "Workload":
            return self._delete(item, f"{namespace}/{name}" if namespace else name, head)
        if kind in _NAMESPACED:
            namespace = namespace or self.namespace
        self._world.pop((kind, namespace, name), None)
        return [Remove(kind, name, namespace, **head)]


def _fault_reader(what: FaultName) -> Callable[[Timeline, Item, Any, _Head], list[Action]]:
    return lambda timeline, item, value, head: timeline._fault(what, value, head)


_READERS: Final[Mapping[str, Callable[[Timeline, Item, Any, _Head], list[Action]]]] = {
    "submit": Timeline._submit,
    "apply": Timeline._apply,
    "finish": Timeline._finish,
    "delete": Timeline._delete,
    "remove": Timeline._remove,
    "setCheck": Timeline._set_check,
    "podsReady": Timeline._pods_ready,
    "setActive": Timeline._set_active,
    "setPriority": Timeline._set_priority,
    "changeJob": Timeline._change_job,
    "scale": Timeline._scale,
    "reclaim": Timeline._reclaim,
    "succeed": Timeline._succeed,
    "node": Timeline._node,
    "pod": Timeline._pod,
    "advance": Timeline._advance,
    **{name: _fault_reader(name) for name in get_args(FaultName)},
}
