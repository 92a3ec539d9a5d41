"""The workloads of a record, as far as it says what they ask for and for how long they ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.manifests.scenario import Submit
from kueuelab.model import (
    Container,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ResourceRequirements,
    Workload,
    request_amount,
)
from kueuelab.quantity import Quantity
from kueuelab.trace import steps
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import amount_text

__all__ = ["recorded_submissions"]

_PODS = "pods"


@dataclass(slots=True)
class _Recorded:
    """What a record says of one workload; amounts are those of all pods of a pod set."""

    created: int
    queue: str = ""
    priority: int = 0
    pod_sets: dict[str, tuple[int, dict[str, int]]] = field(default_factory=dict)
    asked: dict[str, dict[str, int]] = field(default_factory=dict)
    started: int | None = None
    runs: int | None = None


def recorded_submissions(trace: Trace) -> tuple[tuple[Submit, ...], int]:
    """Return the submissions of a record, and how many workloads it does not say enough of.

    A workload that was admitted has the pods and amounts of its admission; one that was only
    considered is one pod that asks for as much. Node selectors, tolerations and topology
    requests are not in a record.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> found, left_out = recorded_submissions(scenarios.load("reclaim-1-take-back").run().trace)
    >>> [each.workloads[0].key for each in found], left_out
    (['default/job-0', 'default/job-1', 'default/job-2'], 0)
    """
    start = trace[0].time if len(trace) else 0
    found = _read(trace)
    submits = []
    for key, each in found.items():
        pod_sets = tuple(_pod_sets(each))
        if pod_sets and each.queue:
            namespace, _, name = key.rpartition("/")
            workload = Workload(
                ObjectMeta(name, namespace=namespace),
                pod_sets,
                queue_name=each.queue,
                priority=each.priority,
            )
            submits.append(Submit((workload,), runs=each.runs, at=each.created - start))
    submits.sort(key=lambda each: each.at)
    return tuple(submits), len(found) - len(submits)


def _read(trace: Trace) -> dict[str, _Recorded]:
    found: dict[str, _Recorded] = {}
    for step in trace:
        if isinstance(step.facts, steps.FlavorConsidered) and step.workload in found:
            asked = found[step.workload].asked.setdefault(step.facts.pod_sets[0], {})
            asked[step.facts.resource] = step.facts.requested
        for change in step.changes:
            if len(change.path) != 3 or change.path[0] != "workloads":
                continue
            _, key, what = change.path
            _note(found.setdefault(key, _Recorded(step.time)), what, change.after, step.time)
    return found


def _note(workload: _Recorded, what: str, value: Any, time: int) -> None:
    match what:
        case "queueName" if value:
            workload.queue = value
        case "priority":
            workload.priority = value or 0
        case "admission" if value:
            workload.pod_sets = dict(map(_assigned, value["podSetAssignments"]))
        case "phase" if value == "Admitted":
            workload.started = time
        case "phase" if value == "Finished" and workload.started is not None:
            workload.runs = time - workload.started


def _assigned(assignment: Mapping[str, Any]) -> tuple[str, tuple[int, dict[str, int]]]:
    usage = assignment.get("resourceUsage", {})
    amounts = {name: request_amount(name, text) for name, text in usage.items()}
    return assignment["name"], (assignment.get("count") or 1, amounts)


def _pod_sets(workload: _Recorded) -> Iterator[PodSet]:
    known = workload.pod_sets or {
        name: (amounts.get(_PODS, 1), amounts) for name, amounts in workload.asked.items()
    }
    for name, (count, amounts) in known.items():
        # Rounded up, so that the pods together ask for at least as much.
        requests = {
            resource: Quantity.parse(amount_text(resource, -(-amount // count)))
            for resource, amount in amounts.items()
            if resource != _PODS
        }
        container = Container("main", ResourceRequirements(requests=requests))
        spec = PodSpec(containers=(container,), restart_policy="Never")
        yield PodSet(name=name, count=count, template=PodTemplate(spec=spec))
