"""Cases and records in few words: what a person needs to see to understand a difference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kueuelab.conformance.cases import Case, Json
from kueuelab.messages import Message

__all__ = ["record_lines", "scenario_lines", "step_title"]


def scenario_lines(case: Case) -> Iterator[str]:
    """Describe what a case starts from: configuration and objects, a line each.

    Examples
    --------
    >>> queue = {"kind": "LocalQueue", "metadata": {"name": "l"}, "spec": {"clusterQueue": "q"}}
    >>> for line in scenario_lines(Case("a", (), (), (queue,))):
    ...     print(line)
    starts at 2026-01-01T00:00:00Z
    LocalQueue default/l -> q
    """
    if case.notes:
        yield Message("conformance.diff.note", text=case.notes)
    yield Message("conformance.diff.start", time=case.start_time)
    if case.configuration:
        yield Message("conformance.diff.configuration", fields=_compact(case.configuration))
    for obj in case.objects:
        yield object_line(obj)


def step_title(step: Json) -> str:
    """Describe what a step does.

    Examples
    --------
    >>> step_title({"op": "set-check", "workload": "default/a", "check": "c", "state": "Ready"})
    'set-check default/a check=c state=Ready'
    """
    words = [step["op"]]
    for name, value in step.items():
        if name == "object":
            words.append(object_line(value))
        elif name == "workload":
            words.append(str(value))
        elif name != "op":
            shown = value if isinstance(value, str) else _compact(value)
            words.append(f"{name}={shown}")
    return " ".join(words)


def object_line(obj: Json) -> str:
    """Describe an object, leaving out what is the same for all."""
    kind, metadata, spec = obj["kind"], obj["metadata"], obj.get("spec") or {}
    name = metadata["name"]
    if kind in ("Workload", "LocalQueue"):
        name = f"{metadata.get('namespace', 'default')}/{name}"
    match kind:
        case "LocalQueue":
            words = [f"-> {spec.get('clusterQueue')}", _rest(spec, "clusterQueue")]
        case "ClusterQueue":
            words = _cluster_queue(spec)
        case "Cohort":
            words = [_quotas(spec), _rest(spec, "resourceGroups")]
        case "Workload":
            words = _workload(obj, spec)
        case _:
            words = [_rest(spec), _rest(obj, "apiVersion", "kind", "metadata", "spec")]
    marks = {key: metadata[key] for key in ("labels", "annotations") if metadata.get(key)}
    return " ".join(filter(None, [kind, name, *words, _rest(marks)]))


def _cluster_queue(spec: Json) -> list[str]:
    cohort = f"in {spec['cohortName']}" if spec.get("cohortName") else "alone"
    usual = {"namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", "cohortName": ...}
    return [cohort, _quotas(spec), _rest(spec, "resourceGroups", "cohortName", usual=usual)]


def _quotas(spec: Json) -> str:
    """Describe quotas: ``[f0 cpu=4 memory=2Gi(borrow 1Gi) | f1 cpu=6]``."""
    groups = []
    for group in spec.get("resourceGroups") or ():
        flavors = []
        for flavor in group["flavors"]:
            quotas = [_quota(quota) for quota in flavor["resources"]]
            flavors.append(" ".join([flavor["name"], *quotas]))
        groups.append("[" + " | ".join(flavors) + "]")
    return " ".join(groups)


def _quota(quota: Json) -> str:
    limits = [
        f"{word} {quota[field]}"
        for word, field in (("borrow", "borrowingLimit"), ("lend", "lendingLimit"))
        if quota.get(field) is not None
    ]
    more = f"({', '.join(limits)})" if limits else ""
    return f"{quota['name']}={quota['nominalQuota']}{more}"


def _workload(obj: Json, spec: Json) -> list[str]:
    words = [f"in {spec.get('queueName')}", f"priority {spec.get('priority', 0)}"]
    if created := obj["metadata"].get("creationTimestamp"):
        words.append(f"of {created}")
    words += [_pod_set(pod_set) for pod_set in spec.get("podSets") or ()]
    words.append(_rest(spec, "queueName", "priority", "podSets", usual={"active": True}))
    status = obj.get("status") or {}
    if admission := status.get("admission"):
        words.append(f"status in {admission['clusterQueue']}")
        words += [_compact(_without(ps, "name")) for ps in admission.get("podSetAssignments", ())]
    for condition in status.get("conditions") or ():
        since = condition.get("lastTransitionTime", "")
        words.append(
            f"{condition['type']}={condition['status']}({condition.get('reason')} {since})"
        )
    words.append(_rest(status, "admission", "conditions"))
    return words


def _pod_set(pod_set: Json) -> str:
    pod = _without((pod_set.get("template") or {}).get("spec") or {}, "restartPolicy")
    containers = [
        _without(container, "name", "resources") | (container.get("resources") or {})
        for container in pod.pop("containers", ())
    ]
    requests = " + ".join(_requests(container) for container in containers)
    rest = _without(pod_set, "name", "count", "template") | pod
    more = f" {_compact(rest)}" if rest else ""
    return f"({pod_set.get('name', 'main')}: {pod_set.get('count', 1)} x {requests}{more})"


def _requests(container: Json) -> str:
    if set(container) <= {"requests"}:
        wanted = container.get("requests") or {}
        return " ".join(f"{name}={amount}" for name, amount in wanted.items()) or "nothing"
    return _compact(container)


def record_lines(record: Json) -> Iterator[str]:
    """Describe what a step did, without the state it led to: cycles and events.

    Two records of the same step can be held against each other line by line.
    """
    for name in ("error", "skipped", "rounds"):
        if record.get(name):
            yield f"{name}: {record[name]}"
    for cycle in record.get("cycles") or ():
        marks = "".join(f" {mark}" for mark in ("blocked", "resumed") if cycle.get(mark))
        yield f"cycle{marks}: heads {', '.join(cycle.get('heads') or ()) or 'none'}"
        for group in ("entries", "inadmissible"):
            for entry in cycle.get(group) or ():
                yield from _entry_lines(entry, "" if group == "entries" else "inadmissible ")
    for event in record.get("events") or ():
        about = f"{event.get('type')} {event.get('reason')} {event.get('object')}"
        yield f"event {about}: {event.get('message')}"


def _entry_lines(entry: Json, kind: str) -> Iterator[str]:
    status = entry.get("status") or "not admitted"
    marks = [mark for mark in ("isPreemptor", "secondPass") if entry.get(mark)]
    borrowing = f"borrowing {entry.get('borrowing', 0)}"
    about = [entry.get("mode") or "no mode", borrowing, *marks, entry.get("requeueReason") or ""]
    title = f"{kind}{entry.get('workload')} in {entry.get('clusterQueue')}"
    yield f"  {title}: {status} ({', '.join(filter(None, about))})"
    for pod_set in entry.get("podSets") or ():
        flavors = [
            f"{resource}={f.get('name')}({f.get('mode')},{f.get('borrow')},{f.get('triedFlavorIdx')})"
            for resource, f in (pod_set.get("flavors") or {}).items()
        ]
        yield f"    {pod_set.get('name')} x{pod_set.get('count')} {pod_set.get('mode')}: " + (
            " ".join(flavors) or "no flavors"
        )
        for attempt in pod_set.get("flavorAttempts") or ():
            yield f"      tried {_attempt(attempt)}"
        for reason in pod_set.get("reasons") or ():
            yield f"      because {reason}"
    for target in entry.get("targets") or ():
        yield f"    target {target.get('workload')} {target.get('reason')}"
    for field in ("message", "flavorsConsidered", "quotaReservedReason"):
        if entry.get(field):
            yield f"    {field}: {entry[field]}"


def _attempt(attempt: Json) -> str:
    about = [f"borrow {attempt.get('borrow')}"]
    about += [
        attempt[field] for field in ("preemptionPossibility", "noFitReason") if field in attempt
    ]
    reasons = "; ".join(attempt.get("reasons") or ())
    title = f"{attempt.get('flavor')}: {attempt.get('mode')} ({', '.join(about)})"
    return f"{title} {reasons}" if reasons else title


def _without(mapping: Mapping[str, Any], *names: str) -> Json:
    return {name: value for name, value in mapping.items() if name not in names}


def _rest(mapping: Mapping[str, Any], *known: str, usual: Mapping[str, Any] | None = None) -> str:
    """Write the fields that nothing else shows, unless they are what they usually are."""
    left = _without(mapping, *known)
    for name, value in (usual or {}).items():
        if left.get(name) == value:
            del left[name]
    return _compact(left) if left else ""


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ":")).replace('"', "")
