"""Where objects and their fields are written, read from the files once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple

from kueuelab.errors import Location
from kueuelab.manifests.decode import CLUSTER_KINDS, DEFAULT_NAMESPACE
from kueuelab.manifests.loading.configurations import configuration_in_config_map
from kueuelab.manifests.loading.items import Findings, Item, items_of
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.reading.locate import Place, locate
from kueuelab.manifests.reading.paths import Path, parse_path
from kueuelab.whatif.references import Reference

__all__ = ["CONFIGURATION", "Places", "Wanted"]

#: What Kueue's Configuration is known by: it has no name that counts.
CONFIGURATION: Final = Reference("Configuration", "", "")


class Wanted(NamedTuple):
    """A field whose place is wanted; ``cluster`` is a worker of a MultiKueue scenario."""

    object: Reference
    field: str = ""
    cluster: str = ""


class Places:
    """Finds objects in what they were loaded from.

    Parameters
    ----------
    source
        A file, a folder, text, ...; ``None`` if nothing is known.
    """

    def __init__(self, source: Any = None) -> None:
        self._source = source

    @cached_property
    def items(self) -> Mapping[tuple[str, Reference], Item]:
        """The manifests that were read, by cluster and by what they are known by."""
        if self._source is None:
            return {}
        return {(cluster, reference): item for cluster, reference, item in _objects(self._source)}

    def item_of(self, object: Reference, cluster: str = "") -> Item | None:
        """Return the manifest of an object, ``None`` if it is not known."""
        item = self.items.get((cluster, object))
        if item is None and object.kind == "Workload":
            # The short form of a job goes to the namespace of its LocalQueue.
            item = self._by_name.get((cluster, object.name))
        return item

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Item]:
        return {
            (cluster, reference.name): item
            for (cluster, reference), item in self.items.items()
            if reference.kind == "Workload" and "job" in item.obj
        }

    def find(self, object: Reference, field: str) -> Location | None:
        """Return where a field of an object is written, or the object, if that is known."""
        return self.find_all([Wanted(object, field)])[0]

    def find_all(self, wanted: Iterable[Wanted]) -> list[Location | None]:
        """Return the place of each field; a document is read once for all that are in it."""
        found = [(self.item_of(each.object, each.cluster), each.field) for each in wanted]
        paths: dict[int, tuple[Document, list[Path]]] = {}
        for item, field in found:
            if item is not None:
                _, of_document = paths.setdefault(id(item.document), (item.document, []))
                of_document.append((*item.prefix, *parse_path(field)))
        places = {key: locate(document, each) for key, (document, each) in paths.items()}
        return [
            None if item is None else _location(item, field, places[id(item.document)])
            for item, field in found
        ]


def _location(
    item: Item, field: str, places: Mapping[Path, tuple[Place, Place]]
) -> Location | None:
    document = item.document
    if document.source is None:
        return None
    place = places.get((*item.prefix, *parse_path(field)))
    if place is None:
        return Location(document.source.name)
    name, value = place
    line, column = value if value[0] == name[0] else name
    return Location(document.source.name, line, column + document.indent)


_Placed = tuple[str, Reference, Item]


def _objects(source: Any, base: FilePath | None = None, cluster: str = "") -> Iterator[_Placed]:
    findings = Findings()
    for document in documents_of(source, [], base=base):
        for item in items_of(document.value, document, (), findings):
            if item.obj.get("kind") == "Scenario":
                yield from _of_scenario(item, document, findings)
            else:
                yield from _of_item(item, cluster, findings)


def _of_item(item: Item, cluster: str, findings: Findings) -> Iterator[_Placed]:
    kind = item.obj.get("kind")
    if kind == "Configuration":
        yield cluster, CONFIGURATION, item
    elif kind == "ConfigMap" and (inner := configuration_in_config_map(item, findings)):
        yield cluster, CONFIGURATION, inner
    elif (reference := _reference(item.obj)) is not None:
        yield cluster, reference, item


def _of_scenario(scenario: Item, document: Document, findings: Findings) -> Iterator[_Placed]:
    spec = scenario.obj.get("spec")
    if not isinstance(spec, Mapping):
        return
    prefix = (*scenario.prefix, "spec")
    yield from _of_cluster(spec, document, prefix, "", findings)
    clusters = _mapping(spec.get("clusters"))
    manager = _mapping(clusters.get("manager"))
    yield from _of_cluster(manager, document, (*prefix, "clusters", "manager"), "", findings)
    for name, worker in _mapping(clusters.get("workers")).items():
        where = (*prefix, "clusters", "workers", name)
        yield from _of_cluster(_mapping(worker), document, where, str(name), findings)
    for index, action in enumerate(_list(spec.get("timeline"))):
        if not isinstance(action, Mapping):
            continue
        where = (*prefix, "timeline", index)
        yield from _of_items(action.get("apply"), document, (*where, "apply"), "", findings)
        submit = action.get("submit")
        if not isinstance(submit, Mapping) or "kind" in submit:
            yield from _of_items(submit, document, (*where, "submit"), "", findings)
        elif isinstance(submit.get("job"), str):
            reference = Reference("Workload", _namespace(submit), submit["job"])
            yield "", reference, Item(submit, document, (*where, "submit"))


def _of_cluster(
    spec: Mapping[str, Any], document: Document, prefix: Path, cluster: str, findings: Findings
) -> Iterator[_Placed]:
    """Yield the objects of a cluster of a scenario: manifests, short forms, its Configuration."""
    written = spec.get("configuration")
    if isinstance(written, Mapping):
        yield cluster, CONFIGURATION, Item(written, document, (*prefix, "configuration"))
    base = None if document.source is None else FilePath(document.source.name).parent
    for index, part in enumerate(_list(spec.get("manifests"))):
        if isinstance(part, str):
            yield from _objects(FilePath(part), base, cluster)
        else:
            where = (*prefix, "manifests", index)
            yield from _of_items(part, document, where, cluster, findings)
    for name, queue in _mapping(spec.get("queues")).items():
        item = Item({}, document, (*prefix, "queues", name))
        form = _mapping(queue)
        yield cluster, Reference("ClusterQueue", "", str(name)), item
        yield (
            cluster,
            Reference("LocalQueue", _namespace(form), str(form.get("localQueue") or name)),
            item,
        )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _of_items(
    value: Any, document: Document, where: Path, cluster: str, findings: Findings
) -> Iterator[_Placed]:
    for item in items_of(value, document, where, findings):
        yield from _of_item(item, cluster, findings)


def _reference(obj: Mapping[str, Any]) -> Reference | None:
    kind, metadata = obj.get("kind"), obj.get("metadata")
    if not isinstance(kind, str) or not isinstance(metadata, Mapping):
        return None
    name = metadata.get("name")
    if not isinstance(name, str):
        return None
    return Reference(kind, "" if kind in CLUSTER_KINDS else _namespace(metadata), name)


def _namespace(written: Mapping[str, Any]) -> str:
    return str(written.get("namespace") or DEFAULT_NAMESPACE)
