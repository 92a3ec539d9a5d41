"""What two runs leave behind: workloads that end elsewhere, and all else that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.model.times import parse_time
from kueuelab.trace.state import State
from kueuelab.trace.wording import Wording

__all__ = ["End", "StatusDiff", "ends", "other_objects", "statuses"]

#: What an end is: how far a workload is, and all that its admission says.
_OF_THE_END = ("phase", "active", "admission", "podsLeft")

_KINDS = {"clusterQueues": "ClusterQueue", "cohorts": "Cohort", "localQueues": "LocalQueue"}


@dataclass(frozen=True, slots=True)
class End:
    """A workload that ends elsewhere: its phase (``gone`` if deleted) and its admission."""

    workload: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class StatusDiff:
    """A workload that ends in the same place with another status: what differs in it."""

    workload: str
    what: tuple[str, ...]


def ends(before: State, after: State, words: Wording) -> Iterator[End]:
    """Yield the workloads that end elsewhere, or with another admission."""
    for key, one, other in _pairs(before, after, "workloads"):
        if _end(one) != _end(other):
            sides = [_short(one), _short(other)]
            if sides[0] == sides[1]:
                sides = [_long(one or {}, words), _long(other or {}, words)]
            yield End(key, *sides)


def statuses(before: State, after: State, starts: tuple[int, int] = (0, 0)) -> Iterator[StatusDiff]:
    """Yield the workloads that end in the same place, of which something else differs.

    Times count since the start of each run; ``starts`` has these.
    """
    for key, one, other in _pairs(before, after, "workloads"):
        if one is None or other is None or _end(one) != _end(other):
            continue
        one, other = (
            _relative(view, start) for view, start in zip((one, other), starts, strict=True)
        )
        what = {name for name in {*one, *other} if one.get(name) != other.get(name)}
        if what:
            # Which other workloads are like it is worth telling only if nothing else is.
            yield StatusDiff(key, tuple(sorted(what - {"shape"} or what)))


def other_objects(before: State, after: State) -> Iterator[str]:
    """Yield what else is not the same, as ``Kind/name``: queues, cohorts, objects."""
    found: dict[str, None] = {}
    for section in sorted({*before, *after} - {"workloads"}):
        for name, _, _ in _pairs(before, after, section):
            found[name if section == "objects" else f"{_KINDS.get(section, section)}/{name}"] = None
    yield from sorted(found)


def _pairs(before: State, after: State, section: str) -> Iterator[tuple[str, Any, Any]]:
    one, other = before.get(section, {}), after.get(section, {})
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            yield name, one.get(name), other.get(name)


def _end(view: Mapping[str, Any] | None) -> object:
    return None if view is None else [view.get(name) for name in _OF_THE_END]


def _relative(view: Mapping[str, Any], start: int) -> dict[str, Any]:
    found = dict(view)
    if isinstance(queued := found.get("queuedAt"), int):
        found["queuedAt"] = queued - start
    requeue = found.get("requeueState") or {}
    if "requeueAt" in requeue:
        since = parse_time(requeue["requeueAt"]) - start
        found["requeueState"] = {**requeue, "requeueAt": since}
    return found


def _pod_sets(view: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list((view.get("admission") or {}).get("podSets", ()))


def _short(view: Mapping[str, Any] | None) -> str:
    """Return how far a workload is and its flavors; enough most of the time."""
    if view is None:
        return "gone"
    flavors = {
        f"{resource}/{flavor}"
        for pod_set in _pod_sets(view)
        for resource, flavor in pod_set["flavors"].items()
    }
    phase = str(view.get("phase", ""))
    return f"{phase} ({', '.join(sorted(flavors))})" if flavors else phase


def _long(view: Mapping[str, Any], words: Wording) -> str:
    """Return all that makes an end, where the short form does not show the difference."""
    parts = [str(view.get("phase", ""))]
    if view.get("active") is False:
        parts.append(words("diff.end.deactivated"))
    if admission := view.get("admission"):
        pod_sets = _pod_sets(view)
        assigned = words.assignment((p["name"], p["count"] or 0, p["flavors"]) for p in pod_sets)
        queue = admission.get("clusterQueue", "")
        parts.append(words("diff.end.admission", queue=queue, assignment=assigned))
        parts += [
            words("diff.end.part", podSet=pod_set["name"], what=name, value=value)
            for pod_set in pod_sets
            for name, value in pod_set.items()
            if name not in ("name", "count", "flavors")
        ]
    if left := view.get("podsLeft"):
        counts = words.listed(f"{name} {count}" for name, count in left.items())
        parts.append(words("diff.end.podsLeft", counts=counts))
    return "; ".join(parts)
