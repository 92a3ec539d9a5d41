"""Reading the visible state of a trace: quotas, usage, workloads, by name.

A state is what :mod:`kueuelab.trace` hands out: nested dicts of JSON values. Everything a
view needs from it is read here, so that the layout of the state is known in one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "Holding",
    "Quota",
    "WorkloadReading",
    "cluster_queue_names",
    "cohort_parents",
    "holdings_of",
    "is_active",
    "local_queue_targets",
    "queueing_strategy",
    "quotas",
    "short_name",
    "usage_of",
    "workload_keys",
    "workload_reading",
]

#: Kinds of nodes of the tree of quotas, as the state and the objects name them.
_KEPT_UNDER: Final = {"ClusterQueue": "clusterQueues", "Cohort": "cohorts"}
_EMPTY: Final[Mapping[str, Any]] = {}


def short_name(key: str) -> str:
    """Return a workload's name without a namespace that says nothing.

    Examples
    --------
    >>> short_name("default/job-0"), short_name("team-a/job-0")
    ('job-0', 'team-a/job-0')
    """
    namespace, _, name = key.rpartition("/")
    return name if namespace in ("", "default") else key


@dataclass(frozen=True, slots=True)
class Quota:
    """What a node of the tree has of one resource in one flavor. ``None``: no limit."""

    flavor: str
    resource: str
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Holding:
    """Quota that a workload holds in its ClusterQueue."""

    workload: str
    cluster_queue: str
    flavor: str
    resource: str
    amount: int


@dataclass(frozen=True, slots=True)
class WorkloadReading:
    """Where a workload stands.

    ``place`` is where its queue keeps it: ``active``, ``inflight``, ``inadmissible`` or
    ``""``. ``waiting`` is the message of its condition ``QuotaReserved``, if that is false;
    ``queued_at`` the time that orders its queue.
    """

    key: str
    phase: str
    priority: int
    queue: str
    place: str
    cluster_queue: str
    waiting: str
    queued_at: int


def _section(state: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = state.get(name, _EMPTY)
    return found if isinstance(found, Mapping) else _EMPTY


def _objects(state: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    prefix = kind + "/"
    objects = _section(state, "objects")
    for name in sorted(objects):
        if name.startswith(prefix):
            yield name[len(prefix) :], objects[name]


def _object(state: Mapping[str, Any], kind: str, name: str) -> Mapping[str, Any]:
    found = _section(state, "objects").get(f"{kind}/{name}", _EMPTY)
    return found if isinstance(found, Mapping) else _EMPTY


def cluster_queue_names(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of all ClusterQueues, sorted."""
    return tuple(name for name, _ in _objects(state, "ClusterQueue"))


def cohort_parents(state: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return ``(kind, name)`` of each cohort and ClusterQueue with its parent, ``""`` for none.

    Cohorts that are only referred to are there too. Where parents form a circle, the
    circle is cut.
    """
    parents = {
        ("Cohort", name): str(obj.get("parent_name", "")) for name, obj in _objects(state, "Cohort")
    }
    queues = {
        ("ClusterQueue", name): str(obj.get("cohort_name", ""))
        for name, obj in _objects(state, "ClusterQueue")
    }
    for parent in [*parents.values(), *queues.values()]:
        if parent:
            parents.setdefault(("Cohort", parent), "")
    for kind, name in list(parents):
        seen = {name}
        at = parents[kind, name]
        while at and at not in seen:
            seen.add(at)
            at = parents.get(("Cohort", at), "")
        if at == name:
            parents[kind, name] = ""
    return parents | queues


def local_queue_targets(state: Mapping[str, Any]) -> dict[str, str]:
    """Return ``namespace/name`` of each LocalQueue with its ClusterQueue."""
    return {key: str(obj.get("cluster_queue", "")) for key, obj in _objects(state, "LocalQueue")}


def quotas(state: Mapping[str, Any], kind: str, name: str) -> tuple[Quota, ...]:
    """Return the quotas of a ClusterQueue or Cohort, in the order of its resource groups."""
    return tuple(
        Quota(
            flavor=flavor["name"],
            resource=resource["name"],
            nominal=resource.get("nominal", 0),
            borrowing_limit=resource.get("borrowing_limit"),
            lending_limit=resource.get("lending_limit"),
        )
        for group in _object(state, kind, name).get("resource_groups", ())
        for flavor in group.get("flavors", ())
        for resource in flavor.get("resources", ())
    )


def usage_of(state: Mapping[str, Any], kind: str, name: str) -> dict[tuple[str, str], int]:
    """Return how much of each flavor and resource a ClusterQueue or Cohort uses."""
    node = _section(state, _KEPT_UNDER[kind]).get(name, _EMPTY)
    return {
        (flavor, resource): amount
        for flavor, amounts in node.get("usage", _EMPTY).items()
        for resource, amount in amounts.items()
        if amount
    }


def is_active(state: Mapping[str, Any], cluster_queue: str) -> bool:
    """Tell whether a ClusterQueue can admit."""
    return _section(state, "clusterQueues").get(cluster_queue, _EMPTY).get("active") is not False


def workload_keys(state: Mapping[str, Any]) -> list[str]:
    """Return the keys of all workloads there are, sorted."""
    return sorted(_section(state, "workloads"))


def workload_reading(state: Mapping[str, Any], key: str) -> WorkloadReading | None:
    """Return where a workload stands, ``None`` if there is no such workload."""
    found = _section(state, "workloads").get(key)
    if found is None:
        return None
    namespace = key.partition("/")[0]
    queue_name = found.get("queueName", "")
    queue = f"{namespace}/{queue_name}" if queue_name else ""
    admission = found.get("admission")
    target = _object(state, "LocalQueue", queue).get("cluster_queue", "")
    reserved = found.get("conditions", _EMPTY).get("QuotaReserved", _EMPTY)
    return WorkloadReading(
        key=key,
        phase=found.get("phase", "Pending"),
        priority=found.get("priority") or 0,
        queue=queue,
        place=found.get("queue") or "",
        cluster_queue=admission["clusterQueue"] if admission else str(target),
        waiting=reserved.get("message", "") if reserved.get("status") == "False" else "",
        queued_at=found.get("queuedAt") or 0,
    )


def holdings_of(state: Mapping[str, Any], key: str) -> Iterator[Holding]:
    """Yield what a workload was given; several pod sets count together.

    A finished workload has it still, although it gives its quota back.
    """
    workload = _section(state, "workloads").get(key, _EMPTY)
    if workload.get("admission"):
        yield from _held(key, workload["admission"], workload.get("podsLeft", _EMPTY))


def queueing_strategy(state: Mapping[str, Any], cluster_queue: str) -> str:
    """Return how a ClusterQueue orders its workloads."""
    found = _object(state, "ClusterQueue", cluster_queue)
    return str(found.get("queueing_strategy", "BestEffortFIFO"))


def _held(key: str, admission: Mapping[str, Any], left: Mapping[str, int]) -> Iterator[Holding]:
    amounts: dict[tuple[str, str], int] = {}
    for pod_set in admission["podSets"]:
        count = pod_set["count"] or 1
        part = min(left.get(pod_set["name"], count), count)
        for resource, amount in pod_set["usage"].items():
            place = (pod_set["flavors"].get(resource, ""), resource)
            amounts[place] = amounts.get(place, 0) + amount * part // count
    for (flavor, resource), amount in amounts.items():
        if amount:
            yield Holding(key, admission["clusterQueue"], flavor, resource, amount)
