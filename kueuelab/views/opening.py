"""The step at which the views of a run open."""

from __future__ import annotations

from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.trace import Trace

__all__ = ["beginning", "first_preemption", "opening_step"]

#: What is worth a look in a run without preemption, first what comes first.
_ELSE: Final = ("Pending", "Admitted", "QuotaReserved")


def opening_step(trace: Trace) -> int:
    """Return the step that a page and the lab view show first.

    It is the first preemption; without one the first workload that stays pending, else the first
    admission. A run that began with the workloads of a cluster opens at its first cycle: what a
    snapshot holds is not a part of the story.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> trace = scenarios.load("reclaim-1-take-back").run().trace
    >>> trace[opening_step(trace)].kind, trace[opening_step(trace)].workload
    ('Evicted', 'default/job-1')
    >>> opening_step(Trace(()))
    0
    """
    found = first_preemption(trace)
    if trace.of_kind("StatusRead"):
        return beginning(trace)
    if found is not None:
        return found
    return next((places[0] for kind in _ELSE if (places := trace.of_kind(kind))), beginning(trace))


def beginning(trace: Trace) -> int:
    """Return the step at which stepping begins: the arrival of the first workload.

    In a run that began with the workloads of a cluster that is the first cycle.
    """
    cycles = trace.of_kind("CycleStarted")
    if trace.of_kind("StatusRead") and cycles:
        return cycles[0]
    return next(iter(trace.of_kind("WorkloadCreated", "CycleStarted")), 0)


def first_preemption(trace: Trace) -> int | None:
    """Return the step at which a workload is preempted first, ``None`` if none is."""
    for index in trace.of_kind("Evicted"):
        facts = trace[index].facts
        if isinstance(facts, steps.Evicted) and facts.preemptor:
            return index
    return None
