"""Concurrent admission: which variant of a workload won, which lost and why (KEP-8691)."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace.explanation import Line
from kueuelab.trace.variants import variants_at
from kueuelab.trace.workload_groups import WorkloadGroups
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["variants"]


def variants(at: WorkloadMoment) -> Iterator[Line]:
    """Say of a workload with variants, or of a variant, how far each of them is."""
    groups = WorkloadGroups(at.trace)
    member = groups.of(at.workload)
    if member is None or member.kind == "slice":
        return
    if member.kind == "parent":
        text = at.words("variants.parent", workload=at.workload)
        yield Line(text, about=at.workload, verdict="parent")
    else:
        values = {"workload": at.workload, "parent": member.group, "flavor": member.flavor}
        yield Line(at.words("variants.own", **values), about=member.group, verdict="variant")
    for each in variants_at(at.trace, at.state, at.at, member.group, groups):
        # Of the workload itself, another section says why it waits.
        is_said = not each.why or (each.workload == at.workload and each.outcome == "waits")
        id_ = f"variants.{each.outcome}" if is_said else f"variants.{each.outcome}.why"
        text = at.words(id_, workload=each.workload, flavor=each.flavor, why=each.why)
        yield Line(text, about=each.workload, verdict=each.outcome, step=each.step)
