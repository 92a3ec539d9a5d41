"""The candidates for preemption of a workload, the verdict on each, and the attempts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kueuelab.trace import steps
from kueuelab.trace.explanation import Line
from kueuelab.trace.search import Attempt, Search, SkippedQueue, Verdict
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.without_place import without_place
from kueuelab.trace.wording import MessageParts
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = [
    "attempts",
    "candidates",
    "queue_line",
    "queue_why",
    "shown_searches",
    "verdict_line",
    "verdict_why",
]

#: Where the name of what a line is about goes in lines that are merged.
_ABOUT = "{about}"


def shown_searches(at: WorkloadMoment) -> Sequence[Search]:
    """Return the searches for targets, or those that tried out flavors if there are none."""
    found = () if at.look is None else at.look.searches
    return [search for search in found if search.started.purpose == "targets"] or found


def candidates(at: WorkloadMoment) -> Iterator[Line]:
    """Say of each workload that might be preempted what became of it, by which rule."""
    chosen = None if at.look is None else at.look.decisive
    for search in shown_searches(at):
        yield _search_line(search, at.words, lacks_place=without_place(at) is not None)
        yield from (queue_line(search, skipped, at.words) for skipped in search.skipped)
        for verdict in search.verdicts:
            decided = chosen is not None and search.first == chosen.first
            yield verdict_line(search, verdict, at.words, decided=decided)


def _search_line(search: Search, words: MessageParts, *, lacks_place: bool) -> Line:
    started = search.started
    text = words(
        "candidates.for.place" if lacks_place and _suffices(started) else "candidates.for",
        needed=words.amounts(started.needed),
        preemptor=search.preemptor,
        contested=words.frs(started.contested),
        queue=search.queue,
        usage=words.usage(started.usage),
    )
    return Line(
        text,
        about=search.preemptor,
        verdict="found" if search.targets else "none",
        numbers={
            "needed": [list(each) for each in started.needed],
            "contested": [list(each) for each in started.contested],
            "usage": [list(each) for each in started.usage],
            "policies": dict(started.policies),
        },
        step=search.first,
    )


def _suffices(started: steps.PreemptionStarted) -> bool:
    """Tell whether the nominal quota is enough, so that it is a place that lacks."""
    free = {(flavor, resource): quota - used for flavor, resource, used, quota in started.usage}
    return bool(free) and all(
        amount <= free.get((flavor, resource), amount)
        for flavor, resource, amount in started.needed
    )


def verdict_line(
    search: Search, verdict: Verdict, words: MessageParts, *, decided: bool = True
) -> Line:
    """Return what became of one candidate.

    Targets of a search that was not ``decided`` upon are only ``possible``.
    """
    why = verdict_why(search, verdict, words)
    became = verdict.verdict if decided or verdict.verdict != "target" else "possible"
    pattern = words(
        "candidate.line",
        candidate=_ABOUT,
        queue=verdict.queue,
        verdict=words(f"verdict.{became}"),
        why=why,
    )
    numbers: dict[str, Any] = {**verdict.numbers, "queue": verdict.queue}
    if verdict.shares is not None:
        numbers |= _share_numbers(verdict.shares)
    text = pattern.replace(_ABOUT, verdict.candidate)
    return Line(text, verdict.candidate, became, verdict.rule, numbers, verdict.step, pattern)


def _share_numbers(shares: steps.SharesCompared) -> dict[str, Any]:
    return {
        "preemptorNewShare": _plain(shares.preemptor_new_share),
        "targetOldShare": _plain(shares.target_old_share),
        "targetNewShare": _plain(shares.target_new_share),
        "cohort": shares.cohort,
        "preemptorNode": shares.preemptor_node,
        "targetNode": shares.target_node,
    }


def _plain(share: float | None) -> Any:
    return "+Inf" if share == float("inf") else share


def verdict_why(search: Search, verdict: Verdict, words: MessageParts) -> str:
    """Return why a candidate met its verdict."""
    if verdict.shares is not None and verdict.verdict in ("target", "passed-over"):
        return words.shares(verdict.shares, search.queue)
    numbers = {**verdict.numbers, "preemptor": search.preemptor, "reason": verdict.reason}
    why = words.rule(
        verdict.rule,
        numbers,
        queue=verdict.queue,
        preemptor_queue=search.queue,
        contested=search.started.contested,
    )
    if verdict.verdict == "target" and verdict.variant:
        variant = words(f"variant.{verdict.variant}", preemptorQueue=search.queue)
        why = words("variant.of", why=why, variant=variant)
    return why


def queue_why(search: Search, skipped: SkippedQueue, words: MessageParts) -> str:
    """Return why a queue was skipped."""
    return words.rule(
        skipped.rule,
        skipped.numbers,
        queue=skipped.queue,
        preemptor_queue=search.queue,
        contested=search.started.contested,
    )


def queue_line(search: Search, skipped: SkippedQueue, words: MessageParts) -> Line:
    """Return why no workload of a queue came into question."""
    why = queue_why(search, skipped, words)
    cohort = skipped.numbers.get("node") == "Cohort"
    pattern = words(
        "candidate.cohort" if cohort else "candidate.queue",
        queue=_ABOUT,
        verdict=words("verdict.excluded"),
        why=why,
    )
    text = pattern.replace(_ABOUT, skipped.queue)
    numbers = dict(skipped.numbers)
    return Line(text, skipped.queue, "excluded", skipped.rule, numbers, skipped.step, pattern)


# --- attempts --------------------------------------------------------------------------


def attempts(at: WorkloadMoment) -> Iterator[Line]:
    """Say what each attempt removed, passed over and put back, and whether it sufficed.

    Nothing if there was no candidate.
    """
    for search in shown_searches(at):
        if not any(attempt.removed or attempt.passed_over for attempt in search.attempts):
            continue
        for attempt in search.attempts:
            yield from _attempt(at, search, attempt)


def _attempt(at: WorkloadMoment, search: Search, attempt: Attempt) -> Iterator[Line]:
    started = at.trace[attempt.step]
    text = step_text(started, at.words.catalog)
    if not attempt.strategy and not at.has_cohort:
        text = at.words("attempt.alone", queue=search.queue)
    yield Line(text, verdict="fits" if attempt.fits else "", step=attempt.step)
    yield from _passed_over(at, search, attempt.step)
    if not attempt.removed:
        yield Line(at.words("attempt.no-candidates"), verdict="fails", step=attempt.step)
        return
    removed = at.words.several(attempt.removed)
    form = "fits" if attempt.fits else "fails"
    yield Line(at.words(f"attempt.{form}", removed=removed), "", form, step=attempt.step)
    yield from _fill_back(at, search, attempt.step)


def _attempt_steps(at: WorkloadMoment, search: Search, start: int) -> Iterator[Step]:
    for index in range(start + 1, search.last):
        step = at.trace[index]
        if step.kind == "AttemptStarted":
            return
        yield step


def _passed_over(at: WorkloadMoment, search: Search, start: int) -> Iterator[Line]:
    words = at.words
    for step in _attempt_steps(at, search, start):
        facts = step.facts
        if isinstance(facts, steps.CandidatePassedOver):
            why = words.rule(facts.rule, facts.numbers, preemptor_queue=search.queue)
            pattern = words("attempt.passedOver", candidate=_ABOUT, why=why)
            text = pattern.replace(_ABOUT, facts.candidate)
            numbers = dict(facts.numbers)
            about = facts.candidate
            yield Line(text, about, "passed-over", facts.rule, numbers, step.index, pattern)
        elif isinstance(facts, steps.SharesCompared):
            form = "taken" if facts.passed else "passedOver"
            why = words.shares(facts, search.queue)
            pattern = words(f"attempt.{form}", candidate=_ABOUT, why=why)
            yield Line(
                pattern.replace(_ABOUT, facts.candidate),
                facts.candidate,
                "taken" if facts.passed else "passed-over",
                f"shares.{facts.strategy}",
                _share_numbers(facts),
                step.index,
                pattern,
            )


def _fill_back(at: WorkloadMoment, search: Search, start: int) -> Iterator[Line]:
    for step in _attempt_steps(at, search, start):
        facts = step.facts
        if isinstance(facts, steps.FilledBack):
            verdict = "filled-back" if facts.kept else "needed"
            text = step_text(step, at.words.catalog)
            yield Line(text, facts.candidate, verdict, step=step.index)
