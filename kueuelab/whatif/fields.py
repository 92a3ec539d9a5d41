"""Changing fields of an object by their paths: ``spec.preemption.reclaimWithinCohort``."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final

from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.manifests import read_object
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.loading.items import label_of
from kueuelab.manifests.reading.paths import Path, format_path, parse_path
from kueuelab.messages import Message
from kueuelab.model import ModelObject

__all__ = ["edited", "field_of"]

_HEADS: Final = ("metadata", "spec", "status", "value", "description", "globalDefault", "overhead")
#: The field that identifies the items of a list.
_KEYS: Final = ("name", "key", "type", "nodeLabel")


def edited(obj: ModelObject, values: Mapping[str, Any]) -> ModelObject:
    """Return an object with other values at some paths.

    Parameters
    ----------
    obj
        The object as it is.
    values
        Path to value, as in a manifest. Items of lists go by index or by name
        (``spec.resourceGroups[0].flavors[spot].resources[cpu].nominalQuota``); an index
        one behind the last adds an item; ``None`` takes a field away.

    Raises
    ------
    InputError
        If there is no such field, or the value doesn't go there: all mistakes, and what
        would be right.

    Examples
    --------
    >>> from kueuelab.model import ClusterQueue, ObjectMeta
    >>> queue = ClusterQueue(ObjectMeta("team-a"))
    >>> edited(queue, {"spec.preemption.reclaimWithinCohort": "Any"}).preemption
    ClusterQueuePreemption(within_cluster_queue='Never', reclaim_within_cohort='Any', \
borrow_within_cohort=None)
    >>> edited(queue, {"spec.preemption.reclaimWithinCohort": "Sometimes"})
    Traceback (most recent call last):
    kueuelab.errors.InputError: ClusterQueue/team-a: spec.preemption.reclaimWithinCohort: ...
    """
    # Parts of a manifest may be those of the object, which stays as it is.
    manifest = deepcopy(encode_object(obj))
    problems = []
    for text, value in values.items():
        try:
            _set(manifest, parse_path(text), deepcopy(value))
        except _NoSuchPlaceError as error:
            problems.append(replace(error.problem, object=label_of(manifest), field=text))
    if problems:
        raise InputError(problems)
    new = read_object(manifest)
    if (type(new), new.metadata.key) != (type(obj), obj.metadata.key):
        hint = Message("whatif.fields.keeps-name.hint")
        problem = Problem(Message("whatif.fields.keeps-name"), label_of(manifest), hint=hint)
        raise InputError(problem)
    return new


def field_of(obj: ModelObject, path: str) -> Any:
    """Return what a manifest of the object has at a path, ``None`` if nothing.

    Examples
    --------
    >>> from kueuelab.model import LocalQueue, ObjectMeta
    >>> field_of(LocalQueue(ObjectMeta("team-a"), "research"), "spec.clusterQueue")
    'research'
    """
    at: Any = encode_object(obj)
    try:
        for segment in parse_path(path):
            if isinstance(at, list):
                at = at[_index(at, segment, ())]
            else:
                at = at.get(segment) if isinstance(at, Mapping) else None
    except (_NoSuchPlaceError, IndexError):
        return None
    return at


class _NoSuchPlaceError(KueueLabError):
    """A path leads nowhere."""


def _set(manifest: dict[str, Any], path: Path, value: Any) -> None:
    if not path:
        hint = Message("whatif.fields.no-path.hint")
        raise _NoSuchPlaceError(Message("whatif.fields.no-path"), hint=hint)
    head = path[0]
    if head not in manifest and head not in _HEADS:
        text = format_path(path)
        close = get_close_matches(str(head), _HEADS)
        meant = format_path((close[0], *path[1:])) if close else f"spec.{text}"
        hint = Message("whatif.fields.close.hint", field=meant)
        raise _NoSuchPlaceError(Message("whatif.fields.unknown", field=text), hint=hint)
    at: Any = manifest
    for place, segment in enumerate(path[:-1]):
        here = path[:place]
        if isinstance(at, list):
            at = _item(at, segment, here)
        elif isinstance(at, dict):
            following = path[place + 1]
            if at.get(segment) is None:
                at[segment] = [] if following == 0 else {}
            at = at[segment]
        else:
            raise _NoSuchPlaceError(Message("whatif.fields.no-fields", value=format_path(here)))
    last = path[-1]
    if isinstance(at, list):
        index = _index(at, last, path[:-1])
        if value is None:
            del at[index : index + 1]
        else:
            at[index : index + 1] = [value]
    elif isinstance(at, dict):
        if value is None:
            at.pop(last, None)
        else:
            at[last] = value
    else:
        where = format_path(path[:-1])
        raise _NoSuchPlaceError(Message("whatif.fields.no-fields", value=where))


def _item(items: list[Any], segment: str | int, here: Path) -> Any:
    index = _index(items, segment, here)
    if index == len(items):
        items.append({})
    return items[index]


def _index(items: list[Any], segment: str | int, here: Path) -> int:
    """Return the index of an item; one more than there are is the place for a new one."""
    names = [_name(item) for item in items]
    if str(segment) in names:
        return names.index(str(segment))
    if isinstance(segment, int) and segment <= len(items):
        return segment
    shown = ", ".join(f"[{name or index}]" for index, name in enumerate(names))
    close = get_close_matches(str(segment), [name for name in names if name])
    where = format_path(here)
    if close:
        hint = Message("whatif.fields.close.hint", field=f"{where}[{close[0]}]")
    else:
        hint = Message("whatif.fields.no-item.hint", items=shown or Message("list.none"))
    raise _NoSuchPlaceError(Message("whatif.fields.no-item", list=where, item=segment), hint=hint)


def _name(item: Any) -> str:
    if isinstance(item, Mapping):
        return next((str(item[key]) for key in _KEYS if item.get(key) is not None), "")
    return str(item)
