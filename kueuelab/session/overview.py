"""The overview of a branch: use of quota, causes of pending workloads, findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.model.times import format_duration
from kueuelab.session.answers import (
    Amount,
    CauseGroup,
    Causes,
    EvictionInfo,
    Figure,
    FindingInfo,
    OverviewData,
    QuotaRow,
)
from kueuelab.session.member_run import MemberRun
from kueuelab.session.quota_sums import QuotaSum, quota_sums, scarcity
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.workload_rows import WorkloadTable, phase_facets
from kueuelab.trace.effect_facts import Evicted
from kueuelab.trace.pending_cause import Cause
from kueuelab.trace.step import Step
from kueuelab.trace.wording import amount_text, span_text

__all__ = ["cause_title", "causes", "overview"]

_MOST_ROWS: Final = 300
_MOST_FINDINGS: Final = 20
_MOST_EVICTIONS: Final = 20
_MOST_CAUSES: Final = 50
#: Causes that time does not end: a person changes something.
_NEVER: Final = ("tooLarge", "queue", "deactivated", "devices")


def causes(facts: RunFacts) -> Causes:
    """Return the causes of pending workloads, the largest group first."""
    groups = tuple(_groups(facts))
    return Causes(_sentence(facts), len(facts.pending), groups[:_MOST_CAUSES])


def overview(facts: RunFacts, resource: str = "") -> OverviewData:
    """Return the overview of a run at its end.

    Parameters
    ----------
    facts
        The run.
    resource
        The resource whose quota is shown; one that no queue has, or ``""``, is the scarcest one.
    """
    sums = _sums(facts)
    used = scarcity(sums)
    resources = tuple(sorted(used, key=lambda name: (-used[name], name)))
    shown = resource if resource in used else next(iter(resources), "")
    rows = list(_quota_rows(facts, sums, shown))
    findings, evictions = list(_findings(facts)), list(_evictions(facts))
    return OverviewData(
        sentence=_sentence(facts),
        phases=phase_facets(facts.phases, facts.phases, facts.words),
        figures=tuple(_figures(facts, rows, shown)),
        resources=resources,
        resource=shown,
        quota=tuple(rows[:_MOST_ROWS]),
        more_quota=max(0, len(rows) - _MOST_ROWS),
        pending=len(facts.pending),
        causes=tuple(_groups(facts))[:_MOST_CAUSES],
        evictions=tuple(evictions[:_MOST_EVICTIONS]),
        more_evictions=max(0, len(evictions) - _MOST_EVICTIONS),
        findings=tuple(findings[:_MOST_FINDINGS]),
        more_findings=max(0, len(findings) - _MOST_FINDINGS),
    )


def cause_title(facts: WorkloadTable, cause: Cause) -> str:
    """Return a cause as a heading."""
    words, queue = facts.words, cause.queue
    if not queue:
        queues = {each.cluster_queue for each in facts.cause_groups[cause]}
        queue, *others = queues
        if others:
            queue = words.text(
                "session.cause.queues", count=len(queues), total=_grouped(len(queues))
            )
    lacking = words.join([f"{resource} ({flavor})" for flavor, resource in cause.lacking])
    values = {"queue": queue, "lacking": lacking, "about": cause.about}
    return words.text(f"session.cause.{_dashed(cause.kind)}", **values)


def _dashed(kind: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in kind)


# --- sentences ---------------------------------------------------------------------------


def _sentence(facts: RunFacts) -> str:
    words, count = facts.words, len(facts.pending)
    if not count:
        return words.text("session.overview.none-pending")
    oldest = span_text(max(each.age for each in facts.pending))
    never = sum(len(found) for cause, found in facts.causes.items() if cause.kind in _NEVER)
    form = "session.overview.sentence.never" if never else "session.overview.sentence"
    return words.text(form, count=count, total=_grouped(count), oldest=oldest, never=never)


def _figures(facts: RunFacts, rows: list[QuotaRow], resource: str) -> Iterator[Figure]:
    words, phases = facts.words, facts.phases

    def figure(name: str, value: str, note: str, tone: str = "") -> Figure:
        return Figure(name, words.text(f"session.figure.{name}"), value, note, tone)

    pending = len(facts.pending)
    never = sum(len(found) for cause, found in facts.causes.items() if cause.kind in _NEVER)
    note = words.text("session.figure.pending.never", count=never) if never else ""
    yield figure("pending", _grouped(pending), note, "bad" if never else "")
    admitted = phases["Admitted"]
    queues = sum(1 for row in rows if row.kind == "ClusterQueue")
    note = words.text("session.figure.admitted.note", count=queues, total=_grouped(queues))
    yield figure("admitted", _grouped(admitted), note)
    if facts.trace.cycles:  # What was only read has no decisions.
        preempted = len(facts.trace.of_kind("Evicted"))
        yield figure("evicted", _grouped(preempted), words.text("session.figure.evicted.note"))
    ages = sorted(each.age for each in facts.pending)
    if ages:
        late = span_text(ages[min(len(ages) - 1, len(ages) * 95 // 100)])
        median = span_text(ages[len(ages) // 2])
        note = words.text("session.figure.waiting.note", late=late) if late != median else ""
        yield figure("waiting", median, note)
    borrowers = [row for row in rows if row.kind == "ClusterQueue" and row.borrowed.value]
    if borrowers:
        total = sum(row.borrowed.value for row in borrowers)
        note = words.text("session.figure.borrowed.note", count=len(borrowers), resource=resource)
        yield figure("borrowed", amount_text(resource, total), note)


def _grouped(count: int) -> str:
    return f"{count:,}"


# --- quota -------------------------------------------------------------------------------


def _sums(facts: RunFacts) -> Mapping[tuple[str, str], QuotaSum]:
    """Return the sums at the end, by node and resource."""
    if not len(facts.trace):
        return {}
    return quota_sums(facts.document.frame(len(facts.trace) - 1))


def _quota_rows(
    facts: RunFacts, sums: Mapping[tuple[str, str], QuotaSum], resource: str
) -> Iterator[QuotaRow]:
    if not len(facts.trace):
        return
    words = facts.words
    frame = facts.document.frame(len(facts.trace) - 1)
    # A run without any queue has no tree.
    tree = frame.get("tree", {})
    below = _pending_below(facts, tree)
    for key, node in sorted(tree.items(), key=lambda item: item[1]["order"]):
        found = sums.get((key, resource))
        if node["kind"] == "LocalQueue" or found is None:
            continue
        nominal, own, borrowed, lent = (
            Amount(value, amount_text(resource, value))
            for value in (found.nominal, found.own, found.borrowed, found.lent)
        )
        used = amount_text(resource, found.own + found.borrowed)
        form = "borrows" if found.borrowed else "lends" if found.lent else "plain"
        text = words.text(
            f"session.quota.{form}",
            used=used,
            nominal=nominal.text,
            borrowed=borrowed.text,
            lent=lent.text,
        )
        yield QuotaRow(
            node["kind"],
            node["name"],
            node["depth"],
            nominal,
            own,
            borrowed,
            lent,
            below[key],
            text,
        )


def _pending_below(facts: RunFacts, tree: Mapping[str, Any]) -> Mapping[str, int]:
    """Return how many workloads are pending in each node and below it."""
    found = dict.fromkeys(tree, 0)
    for key, node in tree.items():
        count = facts.pending_by_queue[node["name"]] if node["kind"] == "ClusterQueue" else 0
        at, seen = key, set[str]()
        while count and at and at not in seen:
            seen.add(at)
            found[at] += count
            at = tree[at]["parent"]
    return found


# --- causes and findings -----------------------------------------------------------------


def _groups(facts: RunFacts) -> Iterator[CauseGroup]:
    for cause, found in facts.cause_groups.items():
        first = found[0]
        yield CauseGroup(
            id=cause.id,
            kind=cause.kind,
            count=len(found),
            title=cause_title(facts, cause),
            detail=facts.words.text(
                "session.cause.first",
                workload=first.workload,
                why=facts.words.render(first.why),
            ),
            queue=cause.queue,
            workload=first.workload,
            never=cause.kind in _NEVER,
        )


def _evictions(facts: RunFacts) -> Iterator[EvictionInfo]:
    """Yield what was evicted together, the latest first."""
    trace = facts.trace
    groups: dict[tuple[int, int, str, str], list[Step]] = {}
    for index in trace.of_kind("Evicted"):
        step = trace[index]
        assert isinstance(step.facts, Evicted)
        reason = step.facts.preemption_reason or step.facts.reason
        place = step.time, step.cycle, step.facts.preemptor, reason
        groups.setdefault(place, []).append(step)
    for (time, _, preemptor, reason), found in reversed(groups.items()):
        targets = facts.parts.several([step.workload for step in found])
        form = "session.overview.preempted" if preemptor else "session.overview.evicted"
        yield EvictionInfo(
            text=facts.words.text(form, count=len(found), targets=targets, preemptor=preemptor),
            detail=facts.words.text(
                "session.overview.eviction",
                time=format_duration(time - trace[0].time),
                reason=reason,
            ),
            step=found[0].index,
        )


def _findings(facts: RunFacts) -> Iterator[FindingInfo]:
    words = facts.words
    if (loop := facts.run.loop_report) is not None:
        yield FindingInfo(
            kind="loop",
            label=words.text("session.finding.loop"),
            text=words.render(loop.title),
            detail="\n".join(words.render(turn.text) for turn in loop.turns),
            object="",
            step=loop.first,
        )
    if isinstance(facts.run, MemberRun):
        for hazard in facts.run.whole.hazards:
            yield FindingInfo(
                kind="hazard",
                label=words.text("session.finding.hazard"),
                text=words.render(hazard.what),
                detail=words.text(
                    "session.finding.hazard.in-cluster",
                    workload=hazard.workload,
                    cluster=hazard.cluster,
                    remedy=words.render(hazard.remedy),
                ),
                object=hazard.workload,
                step=None,
            )
