"""The scenario file: everything in it read, checked and resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from kueuelab.errors import Location, Problem, UnknownObjectError
from kueuelab.manifests.loading.folder import Folder
from kueuelab.manifests.loading.items import Item, items_of
from kueuelab.manifests.loading.loader import Loader
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.manifests.loading.node_pools import add_node_pools
from kueuelab.manifests.loading.queue_forms import add_queues
from kueuelab.manifests.loading.timeline import Timeline
from kueuelab.manifests.reading.locate import locate
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.scenario import (
    SCENARIO_VERSION,
    Action,
    ClusterSpec,
    Expectation,
    ScenarioSpec,
)
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message
from kueuelab.model import Configuration, quota_amount
from kueuelab.model.releases import release_named
from kueuelab.model.times import parse_time

__all__ = ["ScenarioReader"]


class ScenarioReader:
    """Reads one scenario; what is wrong goes to the loader's findings.

    Parameters
    ----------
    item : Item
        The scenario's manifest.
    loader : Loader
        Holds the objects that stand next to the scenario in its file.
    namespace : str
        Where objects belong that name no namespace.
    base : Path, optional
        The folder that its files are relative to; that of the scenario file by default.
    allow_outside : bool
        Whether it may name files outside of that folder.
    """

    def __init__(
        self,
        item: Item,
        loader: Loader,
        namespace: str,
        base: FilePath | None = None,
        *,
        allow_outside: bool = False,
    ) -> None:
        self._item = item
        self._loader = loader
        self._namespace = namespace
        source = item.document.source
        if base is None and source is not None and not source.name.startswith("<"):
            base = FilePath(source.name).parent
        self._folder = Folder(base, allow_outside)

    def read(self) -> ScenarioSpec:
        """Return the scenario, as far as it could be understood."""
        obj = self._item.obj
        if found := mistakes(obj, record_of(SCENARIO_VERSION, "Scenario")):
            self._loader.findings.add_all(self._item, found)
            return ScenarioSpec()
        metadata, spec = obj.get("metadata") or {}, obj["spec"]
        clusters = spec.get("clusters") or {}
        if spec.get("kueueVersion"):
            self._choose_release(spec["kueueVersion"])
        self._fill(self._loader, spec, ("spec",))
        self._fill(self._loader, clusters.get("manager") or {}, ("spec", "clusters", "manager"))
        manifests = self._loader.collect()
        configuration = self._loader.configuration
        workers = tuple(self._workers(clusters.get("workers") or {}))
        names = WorkloadNames(manifests.workloads)
        timeline = self._timeline(spec.get("timeline") or (), names, configuration)
        known = {worker.name for worker in workers}
        self._check_clusters(spec, known)
        start = spec.get("start")
        return ScenarioSpec(
            name=metadata.get("name") or "",
            title=metadata.get("title") or "",
            description=metadata.get("description") or spec.get("description") or "",
            outcome=metadata.get("outcome") or "",
            aliases=metadata.get("aliases") or {},
            start=None if start is None else parse_time(start),
            configuration=configuration,
            manifests=manifests,
            workers=workers,
            timeline=timeline,
            expect=self._expectations(spec.get("expect") or (), names),
        )

    def _choose_release(self, version: str) -> None:
        try:
            self._loader.choose_release(release_named(version))
        except UnknownObjectError as error:
            mistake = Mistake(("spec", "kueueVersion"), str(error))
            self._loader.findings.add(self._item, mistake)

    def _fill(self, loader: Loader, spec: Mapping[str, Any], path: Path) -> None:
        """Give a cluster's configuration and manifests to its loader."""
        item = self._item
        written = spec.get("configuration")
        if isinstance(written, Mapping) and written:
            prefix = (*item.prefix, *path, "configuration")
            loader.add_configuration(Item(written, item.document, prefix))
        elif written is not None and not isinstance(written, Mapping):
            mistake = Mistake(
                (*path, "configuration"), Message("manifests.scenarios.not-a-mapping")
            )
            loader.findings.add(item, mistake)
        for index, part in enumerate(spec.get("manifests") or ()):
            where = (*path, "manifests", index)
            if isinstance(part, str):
                self._fill_from_file(loader, part, where)
            else:
                prefix = (*item.prefix, *where)
                for manifest in items_of(part, item.document, prefix, loader.findings):
                    loader.add(manifest)
        if spec.get("nodes") is not None:
            add_node_pools(loader, spec["nodes"], item, (*path, "nodes"))
        if spec.get("queues") is not None:
            add_queues(loader, spec["queues"], item, (*path, "queues"))

    def _fill_from_file(self, loader: Loader, name: str, where: Path) -> None:
        problems: list[Problem] = []
        loader.add_documents(list(self._folder.documents(name, problems)))
        for problem in problems:
            if problem.location is not None and problem.location.line:
                loader.findings.add_problem(None, problem)
            else:
                words = f"{name}: {problem.message}"
                loader.findings.add(self._item, Mistake(where, words, problem.hint))

    def _workers(self, workers: Mapping[str, Any]) -> Iterable[ClusterSpec]:
        for name, spec in workers.items():
            loader = self._loader.empty_copy()
            self._fill(loader, spec or {}, ("spec", "clusters", "workers", name))
            manifests = loader.collect()
            loader.summarise()
            configuration = loader.configuration
            missing = tuple((spec or {}).get("missingCRDs") or ())
            yield ClusterSpec(name, configuration, manifests, missing)

    def _entries(self, name: str, kind: str) -> list[tuple[int, Item, Location | None]]:
        """Return the sound entries of a list in the spec: time, entry, place; in order of time."""
        entries = []
        root: Path = (*self._item.prefix, "spec", name)
        values = self._item.obj["spec"].get(name) or ()
        places = self._places([(*root, index) for index in range(len(values))])
        for index, value in enumerate(values):
            label = f"Scenario/{name}[{index}]"
            item = Item(
                value if isinstance(value, Mapping) else {},
                self._item.document,
                (*root, index),
                label,
            )
            if found := mistakes(value, record_of(SCENARIO_VERSION, kind)):
                self._loader.findings.add_all(item, found)
            else:
                entries.append((nanoseconds(value.get("at")), item, places.get(item.prefix)))
        return sorted(entries, key=lambda entry: entry[0])

    def _places(self, paths: list[Path]) -> dict[Path, Location]:
        document = self._item.document
        if document.source is None:
            return {}
        name = document.source.name
        found = locate(document, paths)
        return {path: Location(name, *value) for path, (_, value) in found.items()}

    def _timeline(
        self, values: Any, names: WorkloadNames, configuration: Configuration
    ) -> tuple[Action, ...]:
        timeline = Timeline(
            self._loader, names, configuration, self._loader.objects, self._namespace, self._folder
        )
        return tuple(
            action
            for _, item, location in self._entries("timeline", "Action")
            for action in timeline.actions(item, item.prefix, location)
        )

    def _expectations(self, values: Any, names: WorkloadNames) -> tuple[Expectation, ...]:
        result = []
        for at, item, location in self._entries("expect", "Expectation"):
            try:
                result.append(_expectation(item.obj, at, location, names))
            except UnknownObjectError as error:
                if names.is_broken(item.obj["workload"]):
                    continue
                words, hint = error.problem.message, error.problem.hint
                self._loader.findings.add(item, Mistake(("workload",), words, hint))
        return tuple(result)

    def _check_clusters(self, spec: Mapping[str, Any], known: set[str]) -> None:
        for name in ("timeline", "expect"):
            for index, entry in enumerate(spec.get(name) or ()):
                cluster = entry.get("cluster") if isinstance(entry, Mapping) else None
                if cluster and isinstance(cluster, str) and cluster not in {"manager", *known}:
                    error = UnknownObjectError("cluster", cluster, sorted({"manager", *known}))
                    path = ("spec", name, index, "cluster")
                    mistake = Mistake(path, error.problem.message, error.problem.hint)
                    self._loader.findings.add(self._item, mistake)


def _expectation(
    entry: Mapping[str, Any], at: int, location: Location | None, names: WorkloadNames
) -> Expectation:
    workload = entry.get("workload")
    usage = entry.get("usage")
    return Expectation(
        at=at,
        workload=names.key_of(workload) if workload else "",
        state=entry.get("is"),
        reason=entry.get("reason"),
        message=entry.get("message"),
        cluster_queue=entry.get("clusterQueue") if workload else None,
        flavors=entry.get("flavors"),
        count=entry.get("count"),
        places=entry.get("places"),
        ranks=None
        if entry.get("ranks") is None
        else {name: tuple(domains) for name, domains in entry["ranks"].items()},
        cluster_queue_name="" if workload else entry["clusterQueue"],
        usage=None
        if usage is None
        else {
            (flavor, resource): quota_amount(resource, quantity)
            for flavor, resources in usage.items()
            for resource, quantity in resources.items()
        },
        pending=entry.get("pending"),
        admitted=entry.get("admitted"),
        cluster=entry.get("cluster") or "",
        location=location,
    )
