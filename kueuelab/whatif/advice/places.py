"""Where objects and their fields are written, read from the files once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from kueuelab.errors import Location
from kueuelab.manifests.decode import CLUSTER_KINDS, DEFAULT_NAMESPACE
from kueuelab.manifests.loading.items import Findings, Item, items_of
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.reading.locate import locate
from kueuelab.manifests.reading.paths import Path, parse_path
from kueuelab.whatif.references import Reference

__all__ = ["Places"]


class Places:
    """Finds objects in what they were loaded from.

    Parameters
    ----------
    source
        A file, a folder, text, ...; ``None`` if nothing is known.
    """

    def __init__(self, source: Any = None) -> None:
        self._source = source
        self._items: dict[Reference, Item] | None = None

    def find(self, object: Reference, field: str) -> Location | None:
        """Return where a field of an object is written, or the object, if that is known."""
        if self._source is None:
            return None
        if self._items is None:
            self._items = dict(_objects(self._source))
        item = self._items.get(object)
        if item is None or item.document.source is None:
            return None
        path = (*item.prefix, *parse_path(field))
        place = locate(item.document, [path]).get(path)
        if place is None:
            return Location(item.document.source.name)
        name, value = place
        line, column = value if value[0] == name[0] else name
        return Location(item.document.source.name, line, column)


def _objects(source: Any, base: FilePath | None = None) -> Iterator[tuple[Reference, Item]]:
    findings = Findings()
    for document in documents_of(source, [], base=base):
        for item in items_of(document.value, document, (), findings):
            if item.obj.get("kind") == "Scenario":
                yield from _of_scenario(item, document, findings)
            elif (reference := _reference(item.obj)) is not None:
                yield reference, item


def _of_scenario(
    scenario: Item, document: Document, findings: Findings
) -> Iterator[tuple[Reference, Item]]:
    spec = scenario.obj.get("spec")
    if not isinstance(spec, Mapping):
        return
    base = None if document.source is None else FilePath(document.source.name).parent
    for index, part in enumerate(spec.get("manifests") or ()):
        if isinstance(part, str):
            yield from _objects(FilePath(part), base)
        else:
            where = (*scenario.prefix, "spec", "manifests", index)
            yield from _of_items(part, document, where, findings)
    for index, action in enumerate(spec.get("timeline") or ()):
        if not isinstance(action, Mapping):
            continue
        where = (*scenario.prefix, "spec", "timeline", index)
        yield from _of_items(action.get("apply"), document, (*where, "apply"), findings)
        submit = action.get("submit")
        if isinstance(submit, Mapping) and isinstance(submit.get("job"), str):
            namespace = submit.get("namespace") or DEFAULT_NAMESPACE
            reference = Reference("Workload", namespace, submit["job"])
            yield reference, Item(submit, document, (*where, "submit"))


def _of_items(
    value: Any, document: Document, where: Path, findings: Findings
) -> Iterator[tuple[Reference, Item]]:
    for item in items_of(value, document, where, findings):
        if (reference := _reference(item.obj)) is not None:
            yield reference, item


def _reference(obj: Mapping[str, Any]) -> Reference | None:
    kind, metadata = obj.get("kind"), obj.get("metadata")
    if not isinstance(kind, str) or not isinstance(metadata, Mapping):
        return None
    name = metadata.get("name")
    if not isinstance(name, str):
        return None
    namespace = metadata.get("namespace") or DEFAULT_NAMESPACE
    return Reference(kind, "" if kind in CLUSTER_KINDS else namespace, name)
