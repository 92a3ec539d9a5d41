"""What a scheduling cycle did with a workload: its flavors, and the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kueuelab.trace import steps
from kueuelab.trace.available_parts import QuotaTrees
from kueuelab.trace.explain_order import processed_before
from kueuelab.trace.explanation import Line
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.wording import MessageParts, amount_text, time_text, verdict_of
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["flavors", "outcome"]


def _line(step: Step, words: MessageParts, **more: Any) -> Line:
    return Line(step_text(step, words.catalog), step=step.index, **more)


def flavors(at: WorkloadMoment) -> Iterator[Line]:
    """Say of each flavor how the request fits it, which one was chosen, and where pods fit.

    The search for preemption targets seeks domains again and again: the first search counts.
    """
    sought: set[tuple[str, tuple[str, ...], bool]] = set()
    told: set[tuple[str, str]] = set()
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.FlavorConsidered):
            yield _line(
                step,
                at.words,
                about=facts.flavor,
                verdict=verdict_of(facts),
                numbers={
                    "podSets": list(facts.pod_sets),
                    "flavor": facts.flavor,
                    "resource": facts.resource,
                    "requested": facts.requested,
                    "nominal": facts.nominal,
                    "used": facts.used,
                    "borrowed": max(0, facts.used - facts.nominal),
                    "available": facts.available,
                    "potential": facts.potential,
                    "borrowingLimit": facts.borrowing_limit,
                    "lendingLimit": facts.lending_limit,
                },
            )
            place = facts.flavor, facts.resource
            if place not in told:
                yield from _taken_apart(at, step, *place)
            told.add(place)
        elif isinstance(facts, steps.FlavorRejected):
            yield _line(step, at.words, about=facts.flavor, verdict="Rejected")
        elif isinstance(facts, steps.FlavorChosen):
            yield _line(step, at.words, about=facts.flavor, verdict=facts.mode, rule=facts.rule)
        elif isinstance(facts, steps.DomainsSearched):
            search = facts.flavor, facts.pod_sets, facts.empty
            if search not in sought:
                verdict = "NoFit" if facts.reason else "Fit"
                yield _line(step, at.words, about=facts.flavor, verdict=verdict)
            sought.add(search)
        elif isinstance(facts, steps.FewerPodsTried | steps.Recomputed):
            sought.clear()
            yield _line(step, at.words)


def _taken_apart(at: WorkloadMoment, step: Step, flavor: str, resource: str) -> Iterator[Line]:
    """Say whose the available quota is, where others have a part in it."""
    queue = at.moved_from or at.queue
    parts = QuotaTrees(at.trace.state_at(step.index)).parts(queue, flavor, resource)
    if not any(part.kind != "own" for part in parts):
        return
    words = at.words
    listed = words.clauses(
        words(f"available.{part.kind}", name=part.name, amount=amount_text(resource, part.amount))
        for part in parts
    )
    yield Line(
        words("available.parts", resource=resource, flavor=flavor, parts=listed),
        about=flavor,
        rule="available",
        numbers={"parts": [[part.kind, part.name, part.amount] for part in parts]},
        step=step.index,
    )


# --- outcome ---------------------------------------------------------------------------


def outcome(at: WorkloadMoment) -> Iterator[Line]:
    """Say what the cycle decided for the workload, and which workloads took its quota."""
    if at.cycle is None:
        return
    first = at.trace[at.cycle.first]
    yield Line(
        at.words("outcome.cycle", cycle=at.cycle.number, time=time_text(first.time)),
        numbers={"cycle": at.cycle.number},
        step=at.cycle.first,
    )
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.EntryProcessed):
            yield _processed(at, step, facts)
            if facts.status == "skipped":
                yield from _lost_to(at)
        elif isinstance(facts, steps.NotNominated):
            text = at.words("outcome.notNominated") if _was_said(at, facts.message) else ""
            yield Line(text or step_text(step, at.words.catalog), at.workload, step=step.index)
        elif isinstance(facts, steps.QuotaHeld) and facts.why != "admitted":
            yield _line(step, at.words, about=at.workload)
    if at.evicted_since is not None:
        evicted = at.evicted_since
        yield Line(at.words("outcome.evictedSince", time=time_text(evicted.time)), at.workload)


def _processed(at: WorkloadMoment, step: Step, facts: steps.EntryProcessed) -> Line:
    text = ""
    if facts.status == "assumed" and at.waits_for_pods:
        text = at.words("outcome.held")
    elif not facts.status and not facts.targets and _was_said(at, facts.message):
        text = at.words("outcome.stays")
    return Line(
        text or step_text(step, at.words.catalog),
        at.workload,
        facts.status or facts.mode,
        str(facts.requeue_reason),
        step=step.index,
    )


def _was_said(at: WorkloadMoment, message: str) -> bool:
    """Tell whether a message is what the workload's status says."""
    said = at.view.condition("QuotaReserved").message
    return at.phase == "Pending" and bool(message) and said == message


def _lost_to(at: WorkloadMoment) -> Iterator[Line]:
    for key, (step, held) in processed_before(at).items():
        facts = step.facts
        assert isinstance(facts, steps.EntryProcessed)
        if held:
            form = "lostTo" if facts.status == "assumed" else "lostToHeld"
            text = at.words(f"outcome.{form}", other=key)
            yield Line(text, key, facts.status or facts.mode, step=step.index)
