"""What a scenario expects of a moment, held against the state that a trace had then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.manifests.scenario import Expectation
from kueuelab.model import amount_string
from kueuelab.simulation import Outcome
from kueuelab.trace import Trace
from kueuelab.trace.reading import ConditionView, State, WorkloadView

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
    state = trace.state_at(index)
    if expectation.workload:
        key = keys.get(expectation.workload, expectation.workload)
        return Outcome(expectation, tuple(_of_workload(expectation, state.workload(key))))
    return Outcome(expectation, tuple(_of_queue(expectation, state)))


def _of_workload(expectation: Expectation, workload: WorkloadView) -> Iterator[str]:
    wanted = expectation.state
    if not workload:
        if wanted != "deleted":
            yield "there is no such workload"
        return
    if wanted is not None and not _is(workload, wanted):
        order = ("finished", "deactivated", "evicted", "admitted", "reserved", "pending")
        yield f"is {next(name for name in order if _is(workload, name))}, not {wanted}"
    telling = list(_telling(workload, wanted))
    reasons = [condition.reason for condition in telling]
    if expectation.reason is not None and expectation.reason not in reasons:
        yield f"reason is {' / '.join(reasons) or 'none'}, not {expectation.reason}"
    text = expectation.message
    messages = [condition.message for condition in telling]
    if text is not None and not any(text in message for message in messages):
        yield f"message is {' / '.join(messages) or 'empty'!r}, without {text!r}"
    queue = workload.admission.cluster_queue
    if expectation.cluster_queue is not None and queue != expectation.cluster_queue:
        yield f"is in {queue or 'no ClusterQueue'}"
    pod_sets = list(workload.admission.pod_sets)
    for resource, flavor in (expectation.flavors or {}).items():
        given = {pod_set.flavors.get(resource) for pod_set in pod_sets}
        if given != {flavor}:
            shown = ", ".join(sorted(name for name in given if name)) or "no flavor"
            yield f"{resource} is of {shown}, not {flavor}"
    count = sum(pod_set.count for pod_set in pod_sets)
    if expectation.count is not None and count != expectation.count:
        yield f"has {count} pods, not {expectation.count}"


def _telling(workload: WorkloadView, wanted: str | None) -> Iterator[ConditionView]:
    """Yield the conditions that say why a workload is where it is."""
    if wanted not in _TELLING:
        yield from workload.conditions
    for type_ in _TELLING.get(wanted or "", ()):
        if found := workload.condition(type_):
            yield found


def _holds(workload: WorkloadView, condition: str) -> bool:
    return workload.condition(condition).is_true


def _is(workload: WorkloadView, name: str) -> bool:
    if name == "deactivated":
        return not workload.active
    if name == "evicted":
        return _holds(workload, "Evicted")
    if name == "finished" or _holds(workload, "Finished"):
        return name == "finished" and _holds(workload, "Finished")
    if name in ("pending", "reserved"):
        return _holds(workload, "QuotaReserved") == (name == "reserved")
    return name == "admitted" and _holds(workload, "Admitted") and not _holds(workload, "Evicted")


def _of_queue(expectation: Expectation, state: State) -> Iterator[str]:
    name = expectation.cluster_queue_name
    queue = state.cluster_queue(name)
    if not queue:
        yield "there is no such ClusterQueue"
        return
    for (flavor, resource), amount in (expectation.usage or {}).items():
        used = queue.usage.get((flavor, resource), 0)
        if used != amount:
            told, meant = amount_string(resource, used), amount_string(resource, amount)
            yield f"uses {told} {resource} of {flavor}, not {meant}"
    workloads = state.workloads.values()
    pending = sum(
        _is(workload, "pending") and workload.active and workload.cluster_queue == name
        for workload in workloads
    )
    if expectation.pending is not None and pending != expectation.pending:
        yield f"{pending} workloads are pending, not {expectation.pending}"
    admitted = sum(
        workload.admission.cluster_queue == name
        and _holds(workload, "Admitted")
        and not _holds(workload, "Finished")
        for workload in workloads
    )
    if expectation.admitted is not None and admitted != expectation.admitted:
        yield f"{admitted} workloads are admitted, not {expectation.admitted}"
