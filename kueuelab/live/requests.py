"""From a scenario to what is sent to a cluster: objects to create, and a Job per workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from kueuelab.errors import InputError, Problem
from kueuelab.live.resources import KUEUE, Json
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.scenario import Action, Advance, Delete, Submit
from kueuelab.model import Workload
from kueuelab.model.times import SECOND

__all__ = ["RUN_LABEL", "Request", "job_of", "requests_of", "setup_of"]

_MANAGED: Final = {"app.kubernetes.io/managed-by": "kueuelab"}
#: What everything carries that a run creates, and that is removed with it.
RUN_LABEL: Final = "kueuelab/run"

#: Kinds that a run creates, in this order.
_CREATED: Final = ("Namespace", "PriorityClass", "LimitRange", *(each.kind for each in KUEUE[:-1]))
_FOREVER: Final = 86_400


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent when: a Job to create, or (``deletes``) one to delete."""

    at: int
    job: Json
    deletes: bool = False


def _labelled(obj: Json, run: str) -> Json:
    meta = {key: obj["metadata"][key] for key in ("name", "namespace") if key in obj["metadata"]}
    labels = {**(obj["metadata"].get("labels") or {}), **_MANAGED, RUN_LABEL: run}
    meta["labels"] = labels
    if obj["metadata"].get("annotations"):
        meta["annotations"] = obj["metadata"]["annotations"]
    rest = {key: value for key, value in obj.items() if key not in ("metadata", "status")}
    return {**rest, "metadata": meta}


def _run_name(spec: ScenarioSpec) -> str:
    kept = "".join(c if c.isalnum() or c == "-" else "-" for c in spec.name.lower())
    return kept.strip("-")[:60] or "scenario"


def setup_of(spec: ScenarioSpec) -> list[Json]:
    """Return the objects that have to be there before the first job, in order."""
    run = _run_name(spec)
    found = [_labelled(encode_object(obj), run) for obj in spec.manifests]
    found = [obj for obj in found if obj["kind"] in _CREATED]
    named = {obj["metadata"]["name"] for obj in found if obj["kind"] == "Namespace"}
    wanted = {obj["metadata"].get("namespace", "") for obj in found}
    wanted |= {workload.namespace for workload in _workloads(spec)}
    for name in sorted(wanted - named - {"", "default"}):
        obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        found.append(_labelled(obj, run))
    for value in sorted({w.priority for w in _workloads(spec) if _needs_class(w)}):
        priority_class: Json = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": _class_for(value)},
            "value": value,
        }
        found.append(_labelled(priority_class, run))
    return sorted(found, key=lambda obj: _CREATED.index(obj["kind"]))


def requests_of(spec: ScenarioSpec) -> list[Request]:
    """Return what the timeline sends, in order.

    Raises
    ------
    InputError
        If the scenario holds what cannot be played on a cluster: everything that does.
    """
    problems: list[Problem] = []
    found: list[Request] = []
    if spec.workers:
        problems.append(Problem("a scenario with several clusters can't be played on one"))
    run = _run_name(spec)
    jobs: dict[str, Json] = {}
    for workload in spec.manifests.workloads:
        _add(found, problems, jobs, 0, workload, spec.manifests.runs.get(workload.key), run)
    for action in spec.timeline:
        match action:
            case Submit(workloads=workloads, runs=runs):
                for workload in workloads:
                    own = runs if runs is not None else spec.manifests.runs.get(workload.key)
                    _add(found, problems, jobs, action.at, workload, own, run)
            case Delete(workload=key) if key in jobs:
                found.append(Request(action.at, jobs[key], deletes=True))
            case Advance():
                continue
            case _:
                problems.append(_cannot(action))
    if problems:
        raise InputError(problems)
    return sorted(found, key=lambda request: request.at)


def _add(
    found: list[Request],
    problems: list[Problem],
    jobs: dict[str, Json],
    at: int,
    workload: Workload,
    runs: int | None,
    run: str,
) -> None:
    if len(workload.pod_sets) != 1:
        text = "it has several pod sets, and only a Job with one can be played on a cluster"
        problems.append(Problem(text, object=f"Workload/{workload.key}"))
        return
    jobs[workload.key] = job = _labelled(job_of(workload, runs), run)
    found.append(Request(at, job))


def _cannot(action: Action) -> Problem:
    name = type(action).__name__
    return Problem(
        f"'{name[0].lower()}{name[1:]}' can't be played on a cluster",
        location=action.location,
        hint="Give jobs a run time with `runs`, or leave it out",
    )


def _workloads(spec: ScenarioSpec) -> Iterator[Workload]:
    yield from spec.manifests.workloads
    for action in spec.timeline:
        if isinstance(action, Submit):
            yield from action.workloads


def _needs_class(workload: Workload) -> bool:
    return workload.priority_class_ref is None and workload.priority != 0


def _class_for(priority: int) -> str:
    return f"kueuelab-{'minus-' if priority < 0 else ''}{abs(priority)}"


def job_of(workload: Workload, runs: int | None) -> Json:
    """Return a Job that asks for what a workload asks for, and sleeps for its run time.

    Parameters
    ----------
    workload
        The workload; it has one pod set.
    runs
        For how long, in nanoseconds; for a day if ``None``.
    """
    pod_set = workload.pod_sets[0]
    spec: dict[str, Any] = encode_object(workload)["spec"]["podSets"][0]["template"]["spec"]
    seconds = _FOREVER if runs is None else max(1, ceil(runs / SECOND))
    container = {
        **spec["containers"][0],
        "image": "busybox:1.37",
        "command": ["sleep", str(seconds)],
    }
    # Who is stopped goes at once: sleep does not listen to a polite request.
    pod = {**spec, "containers": [container, *spec["containers"][1:]]}
    pod |= {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1}
    pod.pop("initContainers", None)
    owners = workload.metadata.owner_references
    labels = {"kueue.x-k8s.io/queue-name": workload.queue_name}
    reference = workload.priority_class_ref
    if reference is not None and reference.kind == "WorkloadPriorityClass":
        labels["kueue.x-k8s.io/priority-class"] = reference.name
    elif reference is not None:
        pod["priorityClassName"] = reference.name
    elif _needs_class(workload):
        labels["kueue.x-k8s.io/priority-class"] = _class_for(workload.priority)
    meta: Json = {
        "name": owners[0].name if owners else workload.metadata.name,
        "namespace": workload.namespace,
        "labels": labels,
    }
    if pod_set.min_count is not None:
        meta["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": str(pod_set.min_count)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            "parallelism": pod_set.count,
            "completions": pod_set.count,
            "suspend": True,
            "template": {"spec": pod},
        },
    }
