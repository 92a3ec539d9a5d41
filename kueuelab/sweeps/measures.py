"""The measures of a run, one row of a table: each has a name, a formula and a unit.

``docs/sweeps.md`` defines them. A name says what it is about in brackets:
``waiting.p95[queue=team-a]``, ``utilisation[flavor=a100,resource=nvidia.com/gpu]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Final, TypeAlias

from kueuelab.model import FlavorResource
from kueuelab.model.times import SECOND
from kueuelab.sweeps.observation import Execution, Observation
from kueuelab.workload import WorkloadState

__all__ = ["Measures", "jains_index", "measures_of", "quantile"]

#: Name to number.
Measures: TypeAlias = dict[str, float]

#: A bounded slowdown takes no run as shorter than this, in nanoseconds.
_SHORTEST: Final = 10 * SECOND

_PREEMPTED: Final = "Preempted"


@dataclass(frozen=True, slots=True)
class _Course:
    """What became of one workload; times in nanoseconds."""

    state: WorkloadState
    queue: str
    created: int
    waited: int
    executions: tuple[Execution, ...]

    @property
    def finished_at(self) -> int | None:
        """When its job finished, if it ran until then."""
        last = self.executions[-1] if self.executions else None
        return None if last is None or last.reason else last.end


def measures_of(observation: Observation) -> Measures:
    """Return all measures of a run.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.sweeps.observation import observe
    >>> found = measures_of(observe(scenarios.load("reclaim-1-take-back").spec))
    >>> found["workloads"], found["preemptions"]
    (3, 1)
    """
    courses = _courses(observation)
    found: Measures = {
        "workloads": len(courses),
        "finished": sum(course.finished_at is not None for course in courses),
        "never_admitted": sum(not course.executions for course in courses),
        "loops": int(observation.player.loop is not None),
        "makespan": _makespan(courses) / SECOND,
    }
    found.update(_waiting("", courses))
    for queue, own in _grouped(courses, lambda course: course.queue):
        found.update(_waiting(f"[queue={queue}]", own))
    for priority, own in _grouped(courses, lambda course: course.state.priority):
        found.update(_waiting(f"[priority={priority}]", own))
    found.update(_preemptions(observation))
    found.update(_quota(observation))
    found.update(_shares(observation, {course.queue for course in courses}))
    return found


def quantile(values: Sequence[float], part: float) -> float:
    """Return the smallest value that at least this part of all values does not exceed.

    Examples
    --------
    >>> quantile([10, 20, 30, 40], 0.5), quantile([10, 20, 30, 40], 0.95)
    (20, 40)
    """
    ordered = sorted(values)
    return ordered[max(1, ceil(part * len(ordered))) - 1]


def jains_index(values: Iterable[float]) -> float:
    """Return Jain's index of fairness: 1 if all are equal, 1/n if one has everything.

    Examples
    --------
    >>> jains_index([0.5, 0.5]), jains_index([1, 0, 0, 0]), jains_index([0, 0])
    (1.0, 0.25, 1.0)
    """
    shares = list(values)
    squares = len(shares) * sum(share * share for share in shares)
    return sum(shares) ** 2 / squares if squares else 1.0


# --- workloads ------------------------------------------------------------------------------


def _courses(observation: Observation) -> list[_Course]:
    """Return what became of each workload that did not finish before the run began."""
    executions: dict[int, list[Execution]] = {}
    for execution in observation.executions:
        executions.setdefault(id(execution.state), []).append(execution)
    found = []
    for state, waiting in observation.workloads.values():
        created = state.obj.metadata.creation_timestamp
        found.append(
            _Course(
                state,
                waiting.queue,
                observation.player.start if created is None else created,
                waiting.until(observation.end),
                tuple(executions.get(id(state), ())),
            )
        )
    return sorted(found, key=lambda course: (course.created, course.state.key))


def _grouped(courses: Iterable[_Course], key: object) -> Iterator[tuple[object, list[_Course]]]:
    assert callable(key)
    found: dict[object, list[_Course]] = {}
    for course in courses:
        found.setdefault(key(course), []).append(course)
    yield from sorted(found.items(), key=lambda each: (str(type(each[0])), each[0]))


def _waiting(about: str, courses: Sequence[_Course]) -> Measures:
    if not courses:
        return {}
    waited = [course.waited / SECOND for course in courses]
    found = {
        f"waiting.mean{about}": sum(waited) / len(waited),
        f"waiting.p50{about}": quantile(waited, 0.5),
        f"waiting.p95{about}": quantile(waited, 0.95),
        f"waiting.max{about}": max(waited),
    }
    slowdowns = [each for course in courses if (each := _bounded_slowdown(course)) is not None]
    if slowdowns:
        found[f"bounded_slowdown.mean{about}"] = sum(slowdowns) / len(slowdowns)
        found[f"bounded_slowdown.p95{about}"] = quantile(slowdowns, 0.95)
    return found


def _bounded_slowdown(course: _Course) -> float | None:
    """Return how many times longer a job took than its run, for jobs that finished."""
    finished = course.finished_at
    if finished is None:
        return None
    run = finished - course.executions[-1].start
    return max(1.0, (finished - course.created) / max(run, _SHORTEST))


def _makespan(courses: Iterable[_Course]) -> int:
    """Return the time from the first creation to the last end."""
    known = list(courses)
    ends = [end for course in known if (end := course.finished_at) is not None]
    return max(ends) - min(course.created for course in known) if ends else 0


def _preemptions(observation: Observation) -> Measures:
    evicted = [each for each in observation.executions if each.reason]
    return {
        "preemptions": sum(each.reason == _PREEMPTED for each in evicted),
        "evictions": len(evicted),
    }


# --- quota ----------------------------------------------------------------------------------


def _quota(observation: Observation) -> Measures:
    """Return how quota was used: by flavor and resource, and of each resource in all flavors."""
    used = _total(queue.used for queue in observation.queues.values())
    borrowed = _total(queue.borrowed for queue in observation.queues.values())
    useful, lost = _work(observation)
    found: Measures = {}
    for fr, capacity in sorted(observation.capacity.items()):
        if capacity:
            about = f"[flavor={fr[0]},resource={fr[1]}]"
            found[f"utilisation{about}"] = used.get(fr, 0) / capacity
            found[f"borrowing{about}"] = borrowed.get(fr, 0) / capacity
    for resource, capacity in sorted(_by_resource(observation.capacity).items()):
        if not capacity:
            continue
        about, unit = f"[resource={resource}]", (1000 if resource == "cpu" else 1)
        hours = unit * 3600 * SECOND
        found[f"utilisation{about}"] = _by_resource(used).get(resource, 0) / capacity
        found[f"goodput{about}"] = _by_resource(useful).get(resource, 0) / capacity
        found[f"lost{about}"] = _by_resource(lost).get(resource, 0) / capacity
        found[f"lost_work{about}"] = _by_resource(lost).get(resource, 0) / hours
    return found


def _work(observation: Observation) -> tuple[dict[FlavorResource, int], dict[FlavorResource, int]]:
    """Return the work that is kept, and that which preemption undid: amounts times nanoseconds."""
    start, end = observation.player.start, observation.end
    useful: dict[FlavorResource, int] = {}
    lost: dict[FlavorResource, int] = {}
    for each in observation.executions:
        if each.reason and each.reason != _PREEMPTED:
            continue
        duration = max(0, (end if each.end is None else each.end) - max(start, each.start))
        total = lost if each.reason else useful
        for fr, amount in each.usage.items():
            total[fr] = total.get(fr, 0) + amount * duration
    return useful, lost


def _total(parts: Iterable[Mapping[FlavorResource, int]]) -> dict[FlavorResource, int]:
    total: dict[FlavorResource, int] = {}
    for part in parts:
        for fr, amount in part.items():
            total[fr] = total.get(fr, 0) + amount
    return total


def _by_resource(amounts: Mapping[FlavorResource, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for (_, resource), amount in amounts.items():
        found[resource] = found.get(resource, 0) + amount
    return found


def _shares(observation: Observation, queues: Iterable[str]) -> Measures:
    """Return the shares of the ClusterQueues to which workloads came, and how even they are."""
    duration = observation.end - observation.player.start
    found: Measures = {}
    dominant = []
    for name in sorted(queues):
        total = observation.queues.get(name)
        if total is None or not duration:
            continue
        about = f"[queue={name}]"
        dominant.append(total.dominant_share / duration)
        found[f"dominant_share.mean{about}"] = dominant[-1]
        found[f"dominant_share.max{about}"] = total.highest_dominant_share
        if isfinite(total.highest_share):  # what borrows with weight 0 has no finite share
            found[f"weighted_share.mean{about}"] = total.share / duration
            found[f"weighted_share.max{about}"] = total.highest_share
    found["jains_index"] = jains_index(dominant)
    return found
