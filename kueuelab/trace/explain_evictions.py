"""How often and when a workload was evicted, why, and by which preemptor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.explain_preemption import verdict_why
from kueuelab.trace.explanation import Line
from kueuelab.trace.status_read import evictions_before
from kueuelab.trace.status_text import eviction_before_text, preemptor_text
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import time_text
from kueuelab.trace.workload_moment import WorkloadMoment, looks

__all__ = ["eviction_before_lines", "eviction_lines", "evictions", "needed_by"]

#: So many evictions have a line each; earlier ones are counted.
_SHOWN: Final = 5


def evictions(at: WorkloadMoment) -> Iterator[Line]:
    """Say how often and when the workload was evicted, and why; before the run, too."""
    for step in evictions_before(at.trace, at.workload, at.at):
        yield from eviction_before_lines(at, step)
    found = [
        index
        for index in at.trace.index.single_steps(at.workload)
        if index <= at.at and at.trace[index].kind == "Evicted"
    ]
    if not found:
        return
    yield Line(at.words("evictions.count", count=len(found)), numbers={"count": len(found)})
    shown = found if len(found) <= _SHOWN + 1 else found[-_SHOWN:]
    if len(shown) < len(found):
        yield _earlier(at, found[: len(found) - len(shown)])
    for index in shown:
        yield from eviction_lines(at, at.trace[index])


def _earlier(at: WorkloadMoment, indexes: Sequence[int]) -> Line:
    found: Counter[tuple[str, str]] = Counter()
    for index in indexes:
        facts = at.trace[index].facts
        assert isinstance(facts, steps.Evicted)
        found[facts.preemption_reason or facts.reason, facts.preemptor] += 1
    listed = at.words.listed(
        at.words.with_optional(
            "evictions.times", "preemptor", count=count, reason=reason, preemptor=preemptor
        )
        for (reason, preemptor), count in found.items()
    )
    reasons = {" by ".join(filter(None, pair)): count for pair, count in found.items()}
    first = time_text(at.trace[indexes[0]].time)
    text = at.words("evictions.earlier", count=len(indexes), first=first, reasons=listed)
    return Line(text, at.workload, "Evicted", numbers=reasons, step=indexes[-1])


def eviction_before_lines(at: WorkloadMoment, step: Step) -> Iterator[Line]:
    """Say why a workload was evicted before the run, as its status or an Event tells."""
    facts = step.facts
    assert isinstance(facts, steps.EvictedBefore)
    preempted = bool(facts.preemptor_uid)
    rule = facts.preemption_reason or facts.reason
    verdict = "Preempted" if preempted else "Evicted"
    yield Line(
        eviction_before_text(step, facts, at.words),
        facts.preemptor or at.workload,
        verdict,
        rule,
        {"when": facts.when, "preemptorUid": facts.preemptor_uid},
        step.index,
    )
    form = f"evictions.reason.{facts.preemption_reason}"
    if form in at.words.catalog and facts.preemptor_path:
        yield Line(
            at.words(
                form,
                preemptor=preemptor_text(facts, at.words),
                preemptorQueue=facts.preemptor_path.rpartition("/")[2],
                queue=facts.preemptee_path.rpartition("/")[2],
            ),
            facts.preemptor,
            rule=facts.preemption_reason,
            step=step.index,
        )


def eviction_lines(at: WorkloadMoment, step: Step) -> Iterator[Line]:
    """Say why a workload was evicted at a step."""
    facts = step.facts
    assert isinstance(facts, steps.Evicted)
    time = time_text(step.time)
    if not facts.preemptor:
        text = at.words("evictions.other", time=time, reason=facts.reason, message=facts.message)
        yield Line(text, at.workload, "Evicted", facts.reason, step=step.index)
        return
    paths = {"preemptorPath": facts.preemptor_path, "preemptedPath": facts.preemptee_path}
    queue = facts.preemptee_path.rpartition("/")[2]
    same = facts.preemptor_path == facts.preemptee_path
    yield Line(
        at.words(
            "evictions.preempted.same" if same else "evictions.preempted",
            time=time,
            cycle=step.cycle,
            preemptor=facts.preemptor,
            reason=facts.preemption_reason,
            queue=queue,
            **paths,
        ),
        facts.preemptor,
        "Preempted",
        facts.preemption_reason,
        {"cycle": step.cycle, **paths},
        step.index,
    )
    rule = _rule_line(at, step, facts)
    form = f"evictions.reason.{facts.preemption_reason}"
    if form.endswith("InCohortReclamation") and _beyond_nominal(at.trace, step, facts):
        form += ".cohort"
    if form in at.words.catalog and not (rule and form.endswith(("ClusterQueue", "FairSharing"))):
        preemptor_queue = facts.preemptor_path.rpartition("/")[2]
        text = at.words(
            form, preemptor=facts.preemptor, preemptorQueue=preemptor_queue, queue=queue
        )
        yield Line(text, facts.preemptor, rule=facts.preemption_reason, step=step.index)
    if rule is not None:
        yield rule


def _rule_line(at: WorkloadMoment, step: Step, facts: steps.Evicted) -> Line | None:
    """Return the rule by which the workload was among the targets, if a search tells it."""
    look = next((found for _, found in looks(at.trace, facts.preemptor, step.index)), None)
    search = None if look is None else look.decisive
    verdict = None if search is None else search.verdict_on(step.workload)
    if search is None or verdict is None or verdict.verdict != "target":
        return None
    why = verdict_why(search, verdict, at.words)
    text = at.words("evictions.rule", why=why)
    return Line(text, facts.preemptor, "Preempted", verdict.rule, verdict.numbers, verdict.step)


def _beyond_nominal(trace: Trace, step: Step, facts: steps.Evicted) -> bool:
    """Tell whether the preemptor asked for more than its ClusterQueue's own quota."""
    return any(
        each.used + each.requested > each.nominal
        for each in needed_by(trace, step, facts.preemptor)
    )


def needed_by(trace: Trace, evicted: Step, preemptor: str) -> Iterator[steps.FlavorConsidered]:
    """Yield what lacked quota when a preemption was decided."""
    look = next((found for _, found in looks(trace, preemptor, evicted.index)), None)
    last: dict[tuple[str, str], steps.FlavorConsidered] = {}
    contested: set[tuple[str, str]] = set()
    for step in () if look is None else look.own:
        facts = step.facts
        if isinstance(facts, steps.FlavorConsidered):
            last[facts.flavor, facts.resource] = facts
        elif isinstance(facts, steps.PreemptionStarted) and facts.purpose == "targets":
            contested = set(facts.contested)
    yield from (facts for fr, facts in last.items() if fr in contested)
