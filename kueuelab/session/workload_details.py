"""One workload: where it is, its life, the arithmetic of its quota, candidates, levers."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests import encode_object
from kueuelab.manifests.writing import write_yaml
from kueuelab.session.answers import (
    Amount,
    Arithmetic,
    AvailableShare,
    Explained,
    ExplainedSection,
    LeverInfo,
    LeversFound,
    Verdict,
    WorkloadDetails,
)
from kueuelab.session.group_members import devices_of, group_of, history_of
from kueuelab.session.run_facts import RunFacts
from kueuelab.trace import steps
from kueuelab.trace.explain_reason import reason
from kueuelab.trace.explanation import Explanation
from kueuelab.trace.pending_workloads import headline_of
from kueuelab.trace.wording import amount_text
from kueuelab.trace.workload_moment import WorkloadMoment, workload_at
from kueuelab.whatif.changes import change_text

__all__ = ["explained", "levers_found", "workload_details"]

_MOST_EVENTS: Final = 60
_MOST_CANDIDATES: Final = 40
_MOST_YAML: Final = 40_000
_TONES: Final = MappingProxyType(
    {"Admitted": "ok", "Finished": "ok", "Evicted": "bad", "QuotaReserved": "warn"}
)


def workload_details(facts: RunFacts, workload: str) -> WorkloadDetails:
    """Return one workload at the end of a run.

    Raises
    ------
    UnknownObjectError
        If there is no such workload.
    """
    at = workload_at(facts.instant, workload, facts.parts)
    words, view = facts.words, at.view
    namespace, _, name = workload.rpartition("/")
    looked = _looked_at(at)
    # The whole explanation has the candidates in words; it is that of the workload looked at.
    explanation = facts.run.why(looked.workload, language=words)
    own = explanation
    if looked.workload != workload:
        own = facts.run.why(workload, language=words)
    verdicts = list(_candidates(explanation))
    eviction = facts.run.who_evicted(workload, language=words)
    phase = at.phase or "Finished"
    said = _sentences(facts, at)
    cycle = 0 if looked.cycle is None else looked.cycle.number
    return WorkloadDetails(
        workload=workload,
        name=name,
        namespace=namespace,
        queue=at.queue,
        phase=phase,
        phase_text=words.text(f"session.phase.{phase.lower()}"),
        tone=_TONES.get(phase, ""),
        about=_about(facts, at),
        sentence=said[0],
        detail=" ".join(said[1:]),
        message=view.waiting if phase in ("Pending", "Evicted") and not at.is_as_read else "",
        life=tuple(history_of(facts, at))[-_MOST_EVENTS:],
        arithmetic=tuple(_arithmetic(looked, explanation)),
        arithmetic_of=words.text("session.arithmetic.of", cycle=cycle) if cycle else "",
        devices=devices_of(own),
        group=group_of(facts, at),
        candidates=tuple(verdicts[:_MOST_CANDIDATES]),
        more_candidates=max(0, len(verdicts) - _MOST_CANDIDATES),
        evicted="" if eviction is None or phase == "Finished" else _said(eviction.explanation),
        manifest=_manifest(facts, workload),
    )


def _said(explanation: Explanation) -> str:
    """Return what an explanation says: the drawer has headings of its own."""
    sections = explanation.sections
    return "\n".join(sentence for each in sections for sentence in each.sentences)


def _sentences(facts: RunFacts, at: WorkloadMoment) -> list[str]:
    """Return why it is pending; of one that is not, where it is."""
    if at.phase in ("Pending", "QuotaReserved") and not at.is_as_read:
        found = [facts.words.render(line.text) for line in reason(at)]
        if found:
            return list(dict.fromkeys(found))
    return [headline_of(at)]


def _about(facts: RunFacts, at: WorkloadMoment) -> str:
    words = facts.words
    row = facts.pending_by_workload.get(at.workload)
    position = 0 if row is None else row.position
    form = "session.workload.position" if position else "session.workload.about"
    return words.text(
        form,
        queue=at.queue or at.view.queue_name or "-",
        priority=at.view.priority,
        position=position,
        pending=0 if row is None else row.pending,
    )


def _looked_at(at: WorkloadMoment) -> WorkloadMoment:
    """Return the workload whose look says why: of one that was set aside, the one like it."""
    if (at.cycle is None or at.is_stale) and (like := at.set_aside_with):
        return workload_at(at.instant, like, at.words)
    return at


def _arithmetic(at: WorkloadMoment, explanation: Explanation) -> Iterator[Arithmetic]:
    """Yield each flavor that was held against the quota, of the last try with all pods."""
    section = explanation.section("flavors")
    taken_apart = {
        line.step: line
        for line in (() if section is None else section.lines)
        if line.rule == "available"
    }
    found: dict[tuple[str, str], Arithmetic] = {}
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.FewerPodsTried):
            break
        if not isinstance(facts, steps.FlavorConsidered):
            continue
        apart = taken_apart.get(step.index)
        resource, borrowed = facts.resource, max(0, facts.used - facts.nominal)
        missing = 0 if facts.mode == "Fit" else max(0, facts.requested - facts.available)

        def amount(value: int, resource: str = resource) -> Amount:
            return Amount(value, amount_text(resource, value))

        found[facts.flavor, resource] = Arithmetic(
            flavor=facts.flavor,
            resource=resource,
            requested=amount(facts.requested),
            nominal=amount(facts.nominal),
            used=amount(facts.used),
            borrowed=amount(borrowed),
            available=amount(max(0, facts.available)),
            potential=amount(facts.potential),
            missing=amount(missing),
            fits=facts.mode == "Fit",
            verdict=at.words.verdict(facts, at.queue),
            step=step.index,
            shares=tuple(
                AvailableShare(kind, name, amount(value))
                for kind, name, value in (apart.numbers["parts"] if apart else ())
                if kind in ("own", "cohort", "lent")
            ),
            whose=apart.text if apart else "",
        )
    # What does not fit comes first.
    yield from sorted(found.values(), key=lambda each: each.fits)


def _candidates(explanation: Explanation) -> Iterator[Verdict]:
    section = explanation.section("candidates")
    for line in () if section is None else section.lines:
        if line.about != explanation.workload:
            yield Verdict(line.about, line.verdict, line.text, line.step)


def _manifest(facts: RunFacts, workload: str) -> str:
    state = facts.run.cluster.workloads.get(workload)
    if state is None:
        return ""
    text = write_yaml([encode_object(state.obj)])
    return text if len(text) <= _MOST_YAML else f"{text[:_MOST_YAML]}\n# …\n"


def explained(facts: RunFacts, workload: str, step: int | None) -> Explained:
    """Return the whole explanation of a workload after a step.

    Raises
    ------
    UnknownObjectError
        If there is no such workload or step.
    """
    if step is not None and not 0 <= step < len(facts.trace):
        raise UnknownObjectError("step", str(step))
    found = facts.run.why(workload, step, facts.words)
    return Explained(
        workload,
        found.at,
        found.title,
        tuple(
            ExplainedSection(
                each.id,
                each.title,
                each.sentences,
                tuple(dict.fromkeys(line.step for line in each.lines if line.step is not None)),
            )
            for each in found.sections
        ),
    )


def levers_found(facts: RunFacts, workload: str) -> LeversFound:
    """Return what would admit a workload.

    Raises
    ------
    UnknownObjectError
        If there is no such workload.
    """
    words = facts.words
    report = facts.levers(facts.run.key_of(workload))
    levers = tuple(
        LeverInfo(
            number=number,
            kind=each.kind,
            text=words.render(each.text),
            cost=words.text(
                "session.lever.cost",
                time=each.as_data()["time"],
                consequence=words.render(each.consequence),
            ),
            evicts=each.evicts,
            changes=tuple(words.render(change_text(change)) for change in each.changes),
            can_try=bool(each.changes),
        )
        for number, each in enumerate(report)
    )
    note = words.text("session.levers.tried", count=report.tried)
    if not levers:
        note = words.text("session.levers.none", count=report.tried)
    return LeversFound(
        report.workload,
        tuple(words.render(each.text) for each in report.obstacles),
        levers,
        note,
    )
