"""What two runs leave behind: workloads that end elsewhere, and all else that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.model.times import parse_time
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.trace.wording import MessageParts

__all__ = ["STATUS_FIELDS", "End", "StatusDiff", "end_text", "ends", "other_objects", "statuses"]

#: What an end is: how far a workload is, and all that its admission says.
_OF_THE_END = ("phase", "active", "admission", "podsLeft")

#: Fields of a status that have a name in the catalogue; of others their own name is said.
STATUS_FIELDS: Final = frozenset(
    {
        *("admissionChecks", "conditions", "pods", "priority", "queue", "queueName"),
        *("queuedAt", "requeueState", "shape", "unhealthyNodes"),
    }
)

_KINDS = {"clusterQueues": "ClusterQueue", "cohorts": "Cohort", "localQueues": "LocalQueue"}


@dataclass(frozen=True, slots=True)
class End:
    """A workload that ends elsewhere: its phase and its admission, as text."""

    workload: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class StatusDiff:
    """A workload that ends in the same place with another status: what differs in it."""

    workload: str
    what: tuple[str, ...]


def ends(before: State, after: State, words: MessageParts) -> Iterator[End]:
    """Yield the workloads that end elsewhere, or with another admission."""
    for key, one, other in _pairs(before, after, "workloads"):
        if _end(one) != _end(other):
            views = before.workload(key), after.workload(key)
            sides = [end_text(view, words) for view in views]
            if sides[0] == sides[1]:
                sides = [_long(view, words) for view in views]
            yield End(key, *sides)


def statuses(before: State, after: State, starts: tuple[int, int] = (0, 0)) -> Iterator[StatusDiff]:
    """Yield the workloads that end in the same place, of which something else differs.

    Times count since the start of each run; ``starts`` has these.
    """
    for key, one, other in _pairs(before, after, "workloads"):
        if one is None or other is None or _end(one) != _end(other):
            continue
        one, other = _relative(one, starts[0]), _relative(other, starts[1])
        what = {name for name in {*one, *other} if one.get(name) != other.get(name)}
        if what:
            # Which other workloads are like it is worth telling only if nothing else is.
            yield StatusDiff(key, tuple(sorted(what - {"shape"} or what)))


def other_objects(before: State, after: State) -> Iterator[str]:
    """Yield what else is not the same, as ``Kind/name``: queues, cohorts, objects."""
    found: dict[str, None] = {}
    for section in sorted({*before.as_data(), *after.as_data()} - {"workloads"}):
        for name, _, _ in _pairs(before, after, section):
            found[name if section == "objects" else f"{_KINDS.get(section, section)}/{name}"] = None
    yield from sorted(found)


def _pairs(before: State, after: State, section: str) -> Iterator[tuple[str, Any, Any]]:
    one, other = before.as_data().get(section, {}), after.as_data().get(section, {})
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            yield name, one.get(name), other.get(name)


def _end(raw: Mapping[str, Any] | None) -> object:
    return None if raw is None else [raw.get(name) for name in _OF_THE_END]


def _relative(raw: Mapping[str, Any], start: int) -> dict[str, Any]:
    found = dict(raw)
    if isinstance(queued := found.get("queuedAt"), int):
        found["queuedAt"] = queued - start
    requeue = found.get("requeueState") or {}
    if "requeueAt" in requeue:
        since = parse_time(requeue["requeueAt"]) - start
        found["requeueState"] = {**requeue, "requeueAt": since}
    return found


def end_text(view: WorkloadView, words: MessageParts) -> str:
    """Return the phase of a workload and its flavors; enough most of the time."""
    phase = words(f"phase.name.{view.phase or 'gone'}")
    flavors = {
        f"{resource}/{flavor}"
        for _, _, assigned in view.admission.assignment
        for resource, flavor in assigned.items()
    }
    flavors_text = words.separated(sorted(flavors))
    return words.with_optional("diff.end", "flavors", phase=phase, flavors=flavors_text)


def _long(view: WorkloadView, words: MessageParts) -> str:
    """Return all that makes an end, where the short form does not show the difference."""
    parts = [words(f"phase.name.{view.phase}")]
    if not view.active:
        parts.append(words("diff.end.deactivated"))
    if admission := view.admission:
        assigned = words.assignment(admission.assignment)
        queue = admission.cluster_queue
        parts.append(words("diff.end.admission", queue=queue, assignment=assigned))
        parts += [_rest(*each, words) for each in admission.rest]
    if left := view.pods_left:
        counts = words.listed(f"{name} {count}" for name, count in left.items())
        parts.append(words("diff.end.podsLeft", counts=counts))
    return words.clauses(parts)


def _rest(pod_set: str, name: str, value: Any, words: MessageParts) -> str:
    if name == "resourceUsage" and isinstance(value, Mapping):
        usage = words.listed(f"{amount} {resource}" for resource, amount in value.items())
        return words("diff.end.usage", podSet=pod_set, usage=usage)
    return words("diff.end.part", podSet=pod_set, what=name, value=value)
