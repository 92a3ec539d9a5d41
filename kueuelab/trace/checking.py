"""Whether a change in a saved run is one that a recorder could have written.

Views read the state without a second look at it, so what comes from a file is looked at here:
each place of the state has values of one shape, and so has each field of an object that
:mod:`kueuelab.trace.reading` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from kueuelab import model
from kueuelab.model import request_amount
from kueuelab.trace.step import Path

__all__ = ["check_at", "check_change", "check_type"]

#: Says that a value is of another shape, by a TypeError or a ValueError.
_Check = Callable[[Any], object]

_BEYOND: Final = 2**64
_METADATA: Final = (
    "namespace",
    "uid",
    "labels",
    "annotations",
    "creationTimestamp",
    "generation",
    "ownerReferences",
    "deletionTimestamp",
    "finalizers",
)


def check_type(value: Any, wanted: type[Any]) -> Any:
    """Return a value of a type, since its readers rely on that."""
    if type(value) is not wanted:
        raise TypeError(f"{value!r:.40} is no {wanted.__name__}")
    number: Any = value
    if wanted is int and not -_BEYOND < number < _BEYOND:
        raise ValueError(f"{value!r:.40} has more than 64 bits")
    return value


def check_change(path: Path, *values: Any) -> None:
    """Look at a place of the state, and at the values that it had and has.

    Raises
    ------
    TypeError, ValueError
        If there is no such place, or a value is of another shape.

    Examples
    --------
    >>> check_change(("workloads", "default/a", "phase"), None, "Pending")
    >>> check_change(("cohorts", "all", "usage", "spot", "cpu"), 0, "much")
    Traceback (most recent call last):
    TypeError: 'much' is no int
    """
    check = check_at(path)
    if check is None:
        raise ValueError(f"the state has no place {'/'.join(path)!r:.80}")
    for value in values:
        if value is not None:
            check(value)


def check_at(path: Path) -> _Check | None:
    """Return what looks at a value of a place of the state, ``None`` if there is no such place."""
    if len(path) == 2 and path[0] == "objects":
        return _object_check(path[1].partition("/")[0])
    if len(path) < 3 or (path[0] == "workloads" and "/" not in path[1]):
        return None
    return _PLACES.get((path[0], path[2], len(path)))


def _anything(value: Any) -> None:
    """Take a value that no view looks into."""


def _mapping_check(inner: _Check) -> _Check:
    def check(value: Any) -> None:
        for each in check_type(value, dict).values():
            inner(each)

    return check


def _list_check(inner: _Check) -> _Check:
    def check(value: Any) -> None:
        for each in check_type(value, list):
            inner(each)

    return check


def _fields(**checks: _Check) -> _Check:
    """Return what looks at some fields of an object; a view reads no others."""

    def check(value: Any) -> None:
        found = check_type(value, dict)
        for name, inner in checks.items():
            if name in found:
                inner(found[name])

    return check


def _record(needed: Mapping[str, _Check], optional: Mapping[str, _Check]) -> _Check:
    def check(value: Any) -> None:
        found = check_type(value, dict)
        if not needed.keys() <= found.keys() <= needed.keys() | optional.keys():
            raise ValueError(f"{sorted(map(str, found))!r:.80} are other fields")
        for name, inner in found.items():
            (needed.get(name) or optional[name])(inner)

    return check


def _is(wanted: type[Any]) -> _Check:
    return lambda value: check_type(value, wanted)


def _quantity(value: Any) -> None:
    request_amount("cpu", check_type(value, str))


_TEXT: Final = _is(str)
_NUMBER: Final = _is(int)
_FLAG: Final = _is(bool)
_POD_SET: Final = _record(
    {"name": _TEXT},
    {
        "count": _NUMBER,
        "flavors": _mapping_check(_TEXT),
        "resourceUsage": _mapping_check(_quantity),
        "topologyAssignment": _anything,
        "delayedTopologyRequest": _anything,
    },
)
_QUOTA: Final = _record(
    {"name": _TEXT},
    {"nominalQuota": _quantity, "borrowingLimit": _quantity, "lendingLimit": _quantity},
)


def _run_of_pods(value: Any) -> None:
    domain, count = check_type(value, list)
    check_type(domain, str)
    check_type(count, int)


_GROUPS: Final = _list_check(
    _fields(flavors=_list_check(_record({"name": _TEXT, "resources": _list_check(_QUOTA)}, {})))
)
_CONDITIONS: Final = _list_check(
    _fields(type=_TEXT, status=_TEXT, reason=_TEXT, message=_TEXT, lastTransitionTime=_TEXT)
)
#: What views read of the objects of a kind.
_SPECS: Final[Mapping[str, _Check]] = {
    "ClusterQueue": _fields(
        cohortName=_TEXT,
        queueingStrategy=_TEXT,
        stopPolicy=_TEXT,
        resourceGroups=_GROUPS,
        preemption=_fields(reclaimWithinCohort=_TEXT),
        admissionScope=_fields(admissionMode=_TEXT),
    ),
    "Cohort": _fields(parentName=_TEXT, resourceGroups=_GROUPS),
    "LocalQueue": _fields(clusterQueue=_TEXT, stopPolicy=_TEXT),
    "AdmissionCheck": _fields(controllerName=_TEXT, parameters=_fields(name=_TEXT)),
    "MultiKueueConfig": _fields(clusters=_list_check(_TEXT)),
}


@cache
def _object_check(kind: str) -> _Check | None:
    if not isinstance(getattr(model, kind, None), type):
        return None
    fields = _fields(
        apiVersion=_TEXT,
        metadata=_record({"name": _TEXT}, dict.fromkeys(_METADATA, _anything)),
        spec=_SPECS.get(kind, _anything),
        status=_fields(conditions=_CONDITIONS),
    )

    def check(value: Any) -> None:
        fields(value)
        if "metadata" not in value or value.get("kind") != kind:
            raise ValueError(f"this is no {kind}")

    return check


#: By kind, what of it, and the length of the path.
_PLACES: Final[Mapping[tuple[str, str, int], _Check]] = {
    ("workloads", "phase", 3): _TEXT,
    ("workloads", "active", 3): _FLAG,
    ("workloads", "priority", 3): _NUMBER,
    ("workloads", "queuedAt", 3): _NUMBER,
    ("workloads", "queueName", 3): _TEXT,
    ("workloads", "queue", 3): _TEXT,
    ("workloads", "shape", 3): _TEXT,
    ("workloads", "podsLeft", 3): _mapping_check(_NUMBER),
    ("workloads", "pods", 3): _mapping_check(_list_check(_run_of_pods)),
    ("workloads", "unhealthyNodes", 3): _list_check(_TEXT),
    ("workloads", "admission", 3): _record(
        {"clusterQueue": _TEXT}, {"podSetAssignments": _list_check(_POD_SET)}
    ),
    ("workloads", "requeueState", 3): _record({}, {"count": _NUMBER, "requeueAt": _TEXT}),
    ("workloads", "conditions", 4): _record(
        {"status": _TEXT, "reason": _TEXT, "message": _TEXT}, {}
    ),
    ("workloads", "admissionChecks", 4): _record({"state": _TEXT, "message": _TEXT}, {}),
    ("jobs", "status", 3): _record(
        {
            "workloads": _list_check(_TEXT),
            "framework": _TEXT,
            "managed": _FLAG,
            "pods": _NUMBER,
            "active": _NUMBER,
            "ready": _NUMBER,
            "withoutNode": _NUMBER,
        },
        {},
    ),
    ("localQueues", "consumed", 3): _mapping_check(_TEXT),
    ("localQueues", "pendingPenalty", 3): _mapping_check(_TEXT),
    ("localQueues", "usage", 3): _TEXT,
    ("clusterQueues", "active", 3): _FLAG,
    ("clusterQueues", "noFit", 4): _TEXT,
    ("clusterQueues", "preemptor", 3): _TEXT,
    ("clusterQueues", "usage", 5): _NUMBER,
    ("cohorts", "usage", 5): _NUMBER,
}
