"""An elastic job: which slice has quota, which one waits, and what a slice has to do with others.

See KEP-77 and https://kueue.sigs.k8s.io/docs/concepts/elastic_workload/.
"""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace.effect_facts import SliceCreated, SliceScaled
from kueuelab.trace.explanation import Line
from kueuelab.trace.workload_groups import WorkloadGroups
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["slices"]

_WITH_QUOTA = ("QuotaReserved", "Admitted", "Evicted")


def slices(at: WorkloadMoment) -> Iterator[Line]:
    """Say how many pods the job has and asks for, and what the slice has to do with the others."""
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
    if created:
        yield from _of_job(at)


def _of_job(at: WorkloadMoment) -> Iterator[Line]:
    """Say which slices of the job there are at this time."""
    groups = WorkloadGroups(at.trace)
    member = groups.of(at.workload)
    if member is None or member.kind != "slice":
        return
    for key in groups.members(member.group):
        found = at.state.workload(key)
        values = {"workload": key, "job": member.group}
        if _has_quota(at, key):
            pods = sum(pod_set.count for pod_set in found.admission.pod_sets)
            text = at.words("slices.has", **values, pods=pods)
            yield Line(text, about=key, verdict="has-quota", numbers={"pods": pods})
        elif found.phase == "Pending":
            pods = _asked(at, key)
            id_ = "slices.asks.message" if found.waiting else "slices.asks"
            text = at.words(id_, **values, pods=pods, message=found.waiting)
            yield Line(text, about=key, verdict="asks", numbers={"pods": pods})


def _asked(at: WorkloadMoment, workload: str) -> int:
    """Return how many pods a slice is for."""
    pods = 0
    for index in at.trace.index.single_steps(workload):
        facts = at.trace[index].facts
        if index <= at.at and isinstance(facts, SliceCreated | SliceScaled):
            pods = facts.pods
    return pods


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
