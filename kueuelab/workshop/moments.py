"""What a scenario expects of a moment, held against the state that a trace had then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.scenario import Expectation
from kueuelab.model import amount_string
from kueuelab.simulation import Outcome
from kueuelab.trace import Trace
from kueuelab.trace.state import State

__all__ = ["outcome_at"]

#: Which conditions say why a workload is where it is.
_TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "pending": ("QuotaReserved",),
    "reserved": ("QuotaReserved",),
    "admitted": ("Admitted",),
    "evicted": ("Evicted", "Preempted"),
    "finished": ("Finished",),
    "deactivated": ("Evicted", "DeactivationTarget"),
}


def outcome_at(
    expectation: Expectation, trace: Trace, time: int, keys: Mapping[str, str]
) -> Outcome:
    """Hold an expectation against what a trace knows of a time.

    Parameters
    ----------
    expectation
        What is expected.
    trace
        What happened.
    time
        When, in nanoseconds since 1970.
    keys
        What workloads are called in the trace, by what the scenario calls them.
    """
    index = bisect_right(trace.steps, time, key=lambda step: step.time) - 1
    state: State = trace.state_at(index) if index >= 0 else {}
    if expectation.workload:
        key = keys.get(expectation.workload, expectation.workload)
        workload = state.get("workloads", {}).get(key)
        return Outcome(expectation, tuple(_of_workload(expectation, workload)))
    return Outcome(expectation, tuple(_of_queue(expectation, state)))


def _of_workload(expectation: Expectation, workload: Any) -> Iterator[str]:
    wanted = expectation.state
    if workload is None:
        if wanted != "deleted":
            yield "there is no such workload"
        return
    if wanted is not None and not _is(workload, wanted):
        order = ("finished", "deactivated", "evicted", "admitted", "reserved", "pending")
        yield f"is {next(name for name in order if _is(workload, name))}, not {wanted}"
    conditions = workload.get("conditions", {})
    telling = [conditions[t] for t in _TELLING.get(wanted or "", conditions) if t in conditions]
    reasons = [condition["reason"] for condition in telling]
    if expectation.reason is not None and expectation.reason not in reasons:
        yield f"reason is {' / '.join(reasons) or 'none'}, not {expectation.reason}"
    text = expectation.message
    messages = [condition["message"] for condition in telling]
    if text is not None and not any(text in message for message in messages):
        yield f"message is {' / '.join(messages) or 'empty'!r}, without {text!r}"
    admission = workload.get("admission", {})
    queue = admission.get("clusterQueue", "")
    if expectation.cluster_queue is not None and queue != expectation.cluster_queue:
        yield f"is in {queue or 'no ClusterQueue'}"
    pod_sets = admission.get("podSets", ())
    for resource, flavor in (expectation.flavors or {}).items():
        given = {pod_set["flavors"].get(resource) for pod_set in pod_sets}
        if given != {flavor}:
            shown = ", ".join(sorted(name for name in given if name)) or "no flavor"
            yield f"{resource} is of {shown}, not {flavor}"
    count = sum(pod_set["count"] for pod_set in pod_sets)
    if expectation.count is not None and count != expectation.count:
        yield f"has {count} pods, not {expectation.count}"


def _holds(workload: Mapping[str, Any], condition: str) -> bool:
    found = workload.get("conditions", {}).get(condition, {})
    return bool(found.get("status") == "True")


def _is(workload: Mapping[str, Any], name: str) -> bool:
    if name == "deactivated":
        return not workload["active"]
    if name == "evicted":
        return _holds(workload, "Evicted")
    if name == "finished" or _holds(workload, "Finished"):
        return name == "finished" and _holds(workload, "Finished")
    if name in ("pending", "reserved"):
        return _holds(workload, "QuotaReserved") == (name == "reserved")
    return name == "admitted" and _holds(workload, "Admitted") and not _holds(workload, "Evicted")


def _of_queue(expectation: Expectation, state: State) -> Iterator[str]:
    name = expectation.cluster_queue_name
    queue = state.get("clusterQueues", {}).get(name)
    if queue is None:
        yield "there is no such ClusterQueue"
        return
    for (flavor, resource), amount in (expectation.usage or {}).items():
        used = queue.get("usage", {}).get(flavor, {}).get(resource, 0)
        if used != amount:
            told, meant = amount_string(resource, used), amount_string(resource, amount)
            yield f"uses {told} {resource} of {flavor}, not {meant}"
    workloads = state.get("workloads", {})
    pending = sum(
        _is(workload, "pending") and workload["active"] and _queue_of(key, workload, state) == name
        for key, workload in workloads.items()
    )
    if expectation.pending is not None and pending != expectation.pending:
        yield f"{pending} workloads are pending, not {expectation.pending}"
    admitted = sum(
        workload.get("admission", {}).get("clusterQueue") == name
        and _holds(workload, "Admitted")
        and not _holds(workload, "Finished")
        for workload in workloads.values()
    )
    if expectation.admitted is not None and admitted != expectation.admitted:
        yield f"{admitted} workloads are admitted, not {expectation.admitted}"


def _queue_of(key: str, workload: Mapping[str, Any], state: State) -> str:
    namespace = key.partition("/")[0]
    local = f"LocalQueue/{namespace}/{workload['queueName']}"
    return str(state.get("objects", {}).get(local, {}).get("cluster_queue", ""))
