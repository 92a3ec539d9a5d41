"""Saved runs of version 1, as version 2 has them.

Version 1 named objects' fields as the lab's own classes do, and left out zeros and what is empty:
a borrowing limit of 0 reads as none, a selector of all namespaces as one of none. In the record of
several clusters it put the cluster in front of names (``w1:team/a``) and of places in the state,
and said of some steps only by their neighbours where they happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from kueuelab import model
from kueuelab.manifests.encode import encode_object
from kueuelab.model import amount_string
from kueuelab.quantity import Quantity
from kueuelab.trace.checking import check_type

__all__ = ["upgrade"]

_Json = Any

_SECTIONS: Final = ("objects", "workloads", "clusterQueues", "cohorts", "localQueues")
#: Kinds of steps of the manager that name no workload; it is the first cluster of the record.
_OF_THE_MANAGER: Final = ("WorkerConnectionChanged", "CheckActivityChanged")
#: What a field that was left out holds, by its type.
_EMPTY: Final[Mapping[Any, Any]] = {str: "", int: 0, bool: False, tuple: (), dict: {}}


def upgrade(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of version 1 in version 2.

    Raises
    ------
    TypeError, ValueError, KeyError, AttributeError
        If the document is damaged.
    """
    steps = [dict(step) for step in document["steps"]]
    for step in steps:
        step["changes"] = [dict(change) for change in step["changes"]]
    if any(_cluster_of(step) for step in steps):
        _name_clusters(steps)
    for step in steps:
        step.setdefault("cluster", "")
        for change in step["changes"]:
            for side in ("before", "after"):
                change[side] = _value(change["path"], change[side])
    return {**document, "steps": steps}


# --- clusters ------------------------------------------------------------------------------


def _cluster_of(step: Mapping[str, Any]) -> str:
    """Return the cluster that a step itself names, ``""`` if it names none."""
    for name in (step["workload"], step["clusterQueue"]):
        if ":" in name:
            return str(name.partition(":")[0])
    paths = (change["path"] for change in step["changes"])
    return next((str(path[0]) for path in paths if path and path[0] not in _SECTIONS), "")


def _name_clusters(steps: list[dict[str, Any]]) -> None:
    last: dict[str, dict[str, Any]] = {}
    for step, cluster in zip(steps, list(_clusters(steps)), strict=True):
        step["cluster"] = cluster
        last[cluster] = step
        for name in ("workload", "clusterQueue"):
            step[name] = step[name].removeprefix(f"{cluster}:")
    for step in steps:
        changes, step["changes"] = step["changes"], []
        for change in changes:
            # What was announced after the last step of a cluster was written to the last of all.
            cluster, *path = change["path"]
            home = step if step["cluster"] == cluster else last[cluster]
            home["changes"].append({**change, "path": path})


def _clusters(steps: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the cluster of each step; one that names none is in that of its neighbours."""
    place = manager = next(filter(None, map(_cluster_of, steps)))
    for at, step in enumerate(steps):
        named = _cluster_of(step)
        if step["kind"] in _OF_THE_MANAGER:
            named = manager
        elif not named and step["kind"] == "CycleStarted":
            # A cycle starts before the steps that name its cluster.
            named = next(filter(None, map(_cluster_of, steps[at + 1 : at + 4])), "")
        place = named or place
        yield place


# --- values --------------------------------------------------------------------------------


def _value(path: list[str], value: _Json) -> _Json:
    """Return a value of the state in the spelling of Kubernetes."""
    if value is None:
        return None
    if path[0] == "objects":
        kind = getattr(model, path[1].partition("/")[0], None)
        return encode_object(_decoded(kind, value))
    if path[0] == "workloads" and path[2:] == ["admission"]:
        return {
            "clusterQueue": value["clusterQueue"],
            "podSetAssignments": [_assignment(each) for each in value["podSets"]],
        }
    return value


def _assignment(pod_set: Mapping[str, Any]) -> dict[str, Any]:
    usage = {name: amount_string(name, value) for name, value in pod_set["usage"].items()}
    found = {
        "name": pod_set["name"],
        "flavors": pod_set["flavors"],
        "resourceUsage": usage,
        "count": pod_set["count"],
        "topologyAssignment": pod_set.get("topologyAssignment"),
    }
    return {name: value for name, value in found.items() if value not in (None, {})}


def _required(hint: type) -> list[str] | None:
    """Return the fields without a default of a class of the model; ``None`` if it is none."""
    if is_dataclass(hint):
        return [
            each.name
            for each in fields(hint)
            if each.default is MISSING and each.default_factory is MISSING
        ]
    names: tuple[str, ...] | None = getattr(hint, "_fields", None)
    defaults: Mapping[str, Any] = getattr(hint, "_field_defaults", {})
    return None if names is None else [name for name in names if name not in defaults]


def _decoded(hint: Any, value: _Json) -> Any:
    """Return what version 1 made a value from."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in (Quantity, Fraction):
        return Quantity.parse(value) if hint is Quantity else Fraction(value)
    if isinstance(hint, type) and (required := _required(hint)) is not None:
        hints = get_type_hints(hint)
        unknown = set(value) - set(hints)
        if unknown:
            raise ValueError(f"a {hint.__name__} has no field {min(unknown)!r:.40}")
        found = {name: _decoded(hints[name], inner) for name, inner in value.items()}
        for name in required:
            kind = get_origin(hints[name]) or hints[name]
            found.setdefault(name, _EMPTY.get(kind, ""))
        return hint(**found)
    if origin in (Union, UnionType):
        return _decoded(next(each for each in arguments if each is not type(None)), value)
    if origin is tuple:
        return tuple(_decoded(arguments[0], inner) for inner in check_type(value, list))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: _decoded(arguments[1], inner) for name, inner in value.items()}
    return value
