"""What differs between two sets of objects: field by field, by the paths of the fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.manifests import ModelObject, encode_configuration, encode_object
from kueuelab.model import Configuration
from kueuelab.whatif.references import Reference

__all__ = ["FieldChange", "changes_between", "configured_between"]

#: The field that identifies the items of a list, as in the paths of edits.
_KEYS: Final = ("name", "key", "type", "nodeLabel")

#: What the API server writes, and comes along with what was copied from a cluster.
_SERVERS: Final = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field with another value; ``None`` is absent.

    Examples
    --------
    >>> print(FieldChange(Reference("ClusterQueue", "", "a"), "spec.cohortName", None, "all"))
    ClusterQueue/a: spec.cohortName
    """

    object: Reference
    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.object}: {self.path}"


def changes_between(
    before: Iterable[ModelObject], after: Iterable[ModelObject]
) -> tuple[FieldChange, ...]:
    """Return all fields that differ, in the order of the objects and of their fields.

    Examples
    --------
    >>> from kueuelab.model import LocalQueue, ObjectMeta
    >>> queues = [LocalQueue(ObjectMeta("q"), to) for to in ("a", "b")]
    >>> [str(change) for change in changes_between(queues[:1], queues[1:])]
    ['LocalQueue/default/q: spec.clusterQueue']
    """
    old = {Reference.of(obj): _written(obj) for obj in before}
    new = {Reference.of(obj): _written(obj) for obj in after}
    found: list[FieldChange] = []
    for reference in (*old, *(each for each in new if each not in old)):
        found += _differences(reference, old.get(reference, {}), new.get(reference, {}))
    return tuple(found)


def _written(obj: ModelObject) -> dict[str, Any]:
    """Return what people write of an object: neither status nor what servers add."""
    found = {name: value for name, value in encode_object(obj).items() if name != "status"}
    meta = found.get("metadata", {})
    found["metadata"] = {name: value for name, value in meta.items() if name not in _SERVERS}
    return found


def configured_between(before: Configuration, after: Configuration) -> tuple[FieldChange, ...]:
    """Return all fields of Kueue's Configuration that differ.

    Examples
    --------
    >>> configured_between(Configuration(), Configuration())
    ()
    """
    reference = Reference("Configuration", "", "")
    return _differences(reference, encode_configuration(before), encode_configuration(after))


def _differences(
    reference: Reference, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[FieldChange, ...]:
    was, now = dict(_leaves(before)), dict(_leaves(after))
    paths = (*was, *(path for path in now if path not in was))
    return tuple(
        FieldChange(reference, path, was.get(path), now.get(path))
        for path in paths
        if was.get(path) != now.get(path) and not _is_filled(path, was, now)
    )


def _is_filled(path: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Tell whether something empty has fields on the other side; it is they that differ."""
    for one, other in ((was, now), (now, was)):
        if one.get(path) in ({}, []) and any(p.startswith((f"{path}.", f"{path}[")) for p in other):
            return True
    return False


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        for index, each in enumerate(value):
            name = next((each[key] for key in _KEYS if key in each), index)
            yield from _leaves(each, f"{path}[{name}]")
    else:
        yield path, value
