"""What belongs to a workload: the slices of its elastic job with one history, or its variants."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from types import MappingProxyType
from typing import Final

from kueuelab.session.answers import GroupMember, HistoryEvent, WorkloadGroup
from kueuelab.session.run_facts import RunFacts
from kueuelab.trace.explanation import Explanation
from kueuelab.trace.variants import variants_at
from kueuelab.trace.wording import span_text
from kueuelab.trace.workload_groups import WorkloadGroups
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["devices_of", "group_of", "history_of"]

_OF_VARIANTS: Final = MappingProxyType(
    {"won": "ok", "lost": "quiet", "waits": "warn", "migrates": "bad", "finished": "quiet"}
)
_OF_SLICES: Final = MappingProxyType(
    {"Admitted": "ok", "QuotaReserved": "ok", "Pending": "warn", "Evicted": "bad"}
)


def group_of(facts: RunFacts, at: WorkloadMoment) -> WorkloadGroup | None:
    """Return the slices of a workload's job, or the variants that race; ``None`` without any."""
    groups = facts.groups
    member = groups.of(at.workload)
    if member is None:
        return None
    kind = "slices" if member.kind == "slice" else "variants"
    found = _slices(facts, at, groups, member.group)
    if kind == "variants":
        found = _variants(facts, at, groups, member.group)
    name = member.group.rpartition("/")[2]
    title = facts.words.text(f"session.group.{kind}", job=name)
    return WorkloadGroup(kind, member.group, title, tuple(found))


def _slices(
    facts: RunFacts, at: WorkloadMoment, groups: WorkloadGroups, job: str
) -> Iterator[GroupMember]:
    words = facts.words
    for key in groups.members(job):
        view = at.state.workload(key)
        pods = sum(pod_set.count for pod_set in view.admission.pod_sets)
        is_replaced = view.condition("Finished").reason == "WorkloadSliceReplaced"
        state = "replaced" if is_replaced else (view.phase or "Finished").lower()
        id_ = "session.group.replaced" if is_replaced else f"session.phase.{state}"
        about = words.text("session.group.pods", count=pods) if pods else view.waiting
        tone = _OF_SLICES.get(view.phase, "quiet")
        yield GroupMember(
            key, key.rpartition("/")[2], tone, words.text(id_), about, key == at.workload
        )


def _variants(
    facts: RunFacts, at: WorkloadMoment, groups: WorkloadGroups, parent: str
) -> Iterator[GroupMember]:
    for each in variants_at(facts.trace, at.state, at.at, parent, groups):
        state = facts.words.text(f"session.variant.{each.outcome}")
        tone, is_shown = _OF_VARIANTS[each.outcome], each.workload == at.workload
        yield GroupMember(each.workload, each.flavor, tone, state, each.why, is_shown)


def history_of(facts: RunFacts, at: WorkloadMoment) -> Iterator[HistoryEvent]:
    """Yield what happened to a workload, in order.

    Of an elastic job it is what happened to all of its slices, of a workload that has variants
    also what happened to these.
    """
    groups = facts.groups
    member = groups.of(at.workload)
    keys: tuple[str, ...] = (at.workload,)
    if member is not None and member.kind != "variant":
        keys = groups.members(member.group)
    start = facts.trace[0].time if len(facts.trace) else 0
    rows = [(row.step, key, row) for key in keys for row in facts.history(key)]
    for _, key, row in sorted(rows, key=itemgetter(0, 1)):
        text, of = row.text, groups.of(key)
        if len(keys) > 1 and of is not None and of.kind != "parent":
            name = of.flavor or key.rpartition("/")[2]
            text = facts.words.text("session.group.event", workload=name, event=text)
        yield HistoryEvent(span_text(row.time - start), row.what, text, row.step)


def devices_of(explanation: Explanation) -> str:
    """Return what the devices that its pods claim count against quota; ``""`` for none."""
    section = explanation.section("status")
    lines = () if section is None else section.lines
    return " ".join(line.text for line in lines if line.rule == "devices")
