"""Which slice of an elastic job a workload is, which one it replaces, and which replaces it."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace.effect_facts import SliceCreated
from kueuelab.trace.explanation import Line
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["slices"]

_WITH_QUOTA = ("QuotaReserved", "Admitted", "Evicted")


def slices(at: WorkloadMoment) -> Iterator[Line]:
    """Say of the slice of an elastic job what the others have to do with it."""
    created = _created(at)
    own = created.get(at.workload)
    if own is not None:
        text = at.words("slices.own", workload=at.workload, job=own.job)
        yield Line(text, about=own.job, verdict="slice")
        if at.phase == "Pending" and _has_quota(at, own.replaces):
            text = at.words("slices.difference", replaced=own.replaces, pods=own.before)
            yield Line(text, about=own.replaces, rule="difference", numbers={"pods": own.before})
    for key, facts in created.items():
        if facts.replaces != at.workload:
            continue
        values = {"workload": key, "job": facts.job}
        if _has_quota(at, at.workload) and at.state.workload(key).phase == "Pending":
            yield Line(at.words("slices.grows", **values), about=key, verdict="waits")
        elif at.view.condition("Finished").reason == "WorkloadSliceReplaced":
            yield Line(at.words("slices.replaced", **values), about=key, verdict="replaced")


def _created(at: WorkloadMoment) -> dict[str, SliceCreated]:
    """Return the slices that were created by then, each with what it is for."""
    found: dict[str, SliceCreated] = {}
    for index in at.trace.of_kind("SliceCreated"):
        step = at.trace[index]
        if index <= at.at and isinstance(step.facts, SliceCreated):
            found[step.workload] = step.facts
    return found


def _has_quota(at: WorkloadMoment, key: str) -> bool:
    return bool(key) and at.state.workload(key).phase in _WITH_QUOTA
