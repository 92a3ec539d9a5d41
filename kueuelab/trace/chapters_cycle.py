"""What a scheduling cycle did with a workload: flavors, candidates, attempts, outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kueuelab.trace import steps
from kueuelab.trace.searches import Search, SkippedQueue, Verdict, decisive, searches
from kueuelab.trace.situation import Situation, cohort_path
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.story import Line
from kueuelab.trace.wording import Wording, time_text, verdict_of

__all__ = [
    "attempts",
    "candidates",
    "flavors",
    "order",
    "outcome",
    "queue_line",
    "queue_why",
    "shown_searches",
    "verdict_line",
    "verdict_why",
]

#: The rules that order entries, the one that counts most first.
_RANK: Final = (
    "quota-already-reserved",
    "preemptor",
    "borrows-less",
    "priority",
    "queued-earlier",
    "as-taken",
)


def _line(step: Step, words: Wording, **more: Any) -> Line:
    return Line(step_text(step, words.catalog), step=step.index, **more)


# --- who went first --------------------------------------------------------------------


def order(at: Situation) -> Iterator[Line]:
    """Say who was processed before the workload, and why."""
    for step in at.look:
        facts = step.facts
        if isinstance(facts, steps.EntriesOrdered) and at.workload in facts.entries:
            yield from _sorted_before(at, step, facts)
        elif isinstance(facts, steps.TournamentWon):
            if any(key == at.workload for key, _ in facts.contenders):
                yield _line(
                    step,
                    at.words,
                    about=facts.winner,
                    rule=facts.why,
                    numbers={"shares": {key: _plain(share) for key, share in facts.contenders}},
                )
        elif isinstance(facts, steps.EntryProcessed) and step.workload == at.workload:
            return


def _sorted_before(at: Situation, step: Step, facts: steps.EntriesOrdered) -> Iterator[Line]:
    place = facts.entries.index(at.workload)
    numbers = dict(zip(facts.entries, facts.numbers, strict=False))
    mine = numbers.get(at.workload, {})
    near = _queues_of_tree(at)
    queues = {each.workload: each.cluster_queue for each in at.look if each.kind == "Nominated"}
    for index, other in enumerate(facts.entries[:place]):
        if queues.get(other) not in near:
            continue
        # Entries are sorted by one rule after the other: what tells two apart is the
        # rule that counts most among those between neighbours on the way.
        rule = min(facts.why[index:place], key=_rank)
        why = at.words.precedence(rule, other, at.workload, numbers)
        yield Line(
            at.words("order.before", first=other, second=at.workload, why=why) + ".",
            about=other,
            rule=rule,
            numbers={"first": dict(numbers.get(other, {})), "second": dict(mine)},
            step=step.index,
        )


def _rank(rule: str) -> int:
    return _RANK.index(rule) if rule in _RANK else len(_RANK)


def _queues_of_tree(at: Situation) -> set[str]:
    """Return the ClusterQueues of the same cohort tree."""
    prefix = "ClusterQueue/"
    names = [key[len(prefix) :] for key in at.state.get("objects", {}) if key.startswith(prefix)]
    mine = cohort_path(at.state, at.queue)
    if not mine:
        return {at.queue}
    return {name for name in names if cohort_path(at.state, name)[-1:] == mine[-1:]}


# --- flavors ---------------------------------------------------------------------------


def flavors(at: Situation) -> Iterator[Line]:
    """Say of each flavor how the request fits it, and which one was chosen."""
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
        elif isinstance(facts, steps.FlavorRejected):
            yield _line(step, at.words, about=facts.flavor, verdict="Rejected")
        elif isinstance(facts, steps.FlavorChosen):
            yield _line(step, at.words, about=facts.flavor, verdict=facts.mode, rule=facts.rule)
        elif isinstance(facts, steps.FewerPodsTried | steps.Recomputed):
            yield _line(step, at.words)


# --- preemption ------------------------------------------------------------------------


def shown_searches(at: Situation) -> list[Search]:
    """Return the searches for targets, or those that tried out flavors if there are none."""
    found = searches(at.look, at.workload)
    return [search for search in found if search.started.purpose == "targets"] or found


def candidates(at: Situation) -> Iterator[Line]:
    """Say of each workload that might be preempted what became of it, by which rule."""
    chosen = decisive(at.look, at.workload)
    for search in shown_searches(at):
        yield _search_line(search, at.words)
        yield from (queue_line(search, skipped, at.words) for skipped in search.skipped)
        for verdict in search.verdicts:
            decided = chosen is not None and search.first == chosen.first
            yield verdict_line(search, verdict, at.words, decided=decided)


def _search_line(search: Search, words: Wording) -> Line:
    started = search.started
    text = words(
        "candidates.for",
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


def verdict_line(search: Search, verdict: Verdict, words: Wording, *, decided: bool = True) -> Line:
    """Return what became of one candidate.

    Targets of a search that was not ``decided`` upon are only ``possible``.
    """
    why = verdict_why(search, verdict, words)
    became = verdict.verdict if decided or verdict.verdict != "target" else "possible"
    text = words(
        "candidate.line",
        candidate=verdict.candidate,
        queue=verdict.queue,
        verdict=words(f"verdict.{became}"),
        why=why,
    )
    numbers: dict[str, Any] = {**verdict.numbers, "queue": verdict.queue}
    if verdict.shares is not None:
        numbers |= {
            "preemptorNewShare": _plain(verdict.shares.preemptor_new_share),
            "targetOldShare": _plain(verdict.shares.target_old_share),
            "targetNewShare": _plain(verdict.shares.target_new_share),
        }
    return Line(text, verdict.candidate, became, verdict.rule, numbers, verdict.step)


def verdict_why(search: Search, verdict: Verdict, words: Wording) -> str:
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
        why += ", " + words(f"variant.{verdict.variant}", preemptorQueue=search.queue)
    return why


def queue_why(search: Search, skipped: SkippedQueue, words: Wording) -> str:
    """Return why a queue was skipped."""
    return words.rule(
        skipped.rule,
        skipped.numbers,
        queue=skipped.queue,
        preemptor_queue=search.queue,
        contested=search.started.contested,
    )


def queue_line(search: Search, skipped: SkippedQueue, words: Wording) -> Line:
    """Return why no workload of a queue came into question."""
    why = queue_why(search, skipped, words)
    excluded = words("verdict.excluded")
    text = words("candidate.queue", queue=skipped.queue, verdict=excluded, why=why)
    return Line(text, skipped.queue, "excluded", skipped.rule, dict(skipped.numbers), skipped.step)


def attempts(at: Situation) -> Iterator[Line]:
    """Say what each attempt removed, passed over and put back, and whether it sufficed."""
    for search in shown_searches(at):
        for attempt in search.attempts:
            yield _line(at.trace[attempt.step], at.words, verdict="fits" if attempt.fits else "")
            yield from _passed_over(at, search, attempt.step)
            if not attempt.removed:
                yield Line(at.words("attempt.nobody"), verdict="fails", step=attempt.step)
                continue
            removed = at.words.listed(attempt.removed)
            form = "fits" if attempt.fits else "fails"
            yield Line(at.words(f"attempt.{form}", removed=removed), "", form, step=attempt.step)
            yield from _fill_back(at, search, attempt.step)


def _attempt_steps(at: Situation, search: Search, start: int) -> Iterator[Step]:
    for index in range(start + 1, search.last):
        step = at.trace[index]
        if step.kind == "AttemptStarted":
            return
        yield step


def _passed_over(at: Situation, search: Search, start: int) -> Iterator[Line]:
    for step in _attempt_steps(at, search, start):
        facts = step.facts
        if isinstance(facts, steps.CandidatePassedOver):
            yield _line(
                step,
                at.words,
                about=facts.candidate,
                verdict="passed-over",
                rule=facts.rule,
                numbers=dict(facts.numbers),
            )
        elif isinstance(facts, steps.SharesCompared):
            verdict = "taken" if facts.passed else "passed-over"
            rule = f"shares.{facts.strategy}"
            yield _line(step, at.words, about=facts.candidate, verdict=verdict, rule=rule)


def _fill_back(at: Situation, search: Search, start: int) -> Iterator[Line]:
    for step in _attempt_steps(at, search, start):
        facts = step.facts
        if isinstance(facts, steps.FilledBack):
            verdict = "filled-back" if facts.kept else "needed"
            yield _line(step, at.words, about=facts.candidate, verdict=verdict)


# --- outcome ---------------------------------------------------------------------------


def outcome(at: Situation) -> Iterator[Line]:
    """Say what came of the workload in the cycle, and who took its quota."""
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
            verdict = facts.status or facts.mode
            yield _line(
                step, at.words, about=at.workload, verdict=verdict, rule=str(facts.requeue_reason)
            )
            if facts.status == "skipped":
                yield from _lost_to(at, step.index)
        elif isinstance(facts, steps.NotNominated | steps.QuotaHeld):
            yield _line(step, at.words, about=at.workload)


def _lost_to(at: Situation, before: int) -> Iterable[Line]:
    near = _queues_of_tree(at)
    for step in at.look:
        facts = step.facts
        if step.index >= before or not isinstance(facts, steps.EntryProcessed):
            continue
        took = facts.status == "assumed" or facts.requeue_reason == "PendingPreemption"
        if took and step.cluster_queue in near:
            text = at.words("outcome.lostTo", other=step.workload)
            yield Line(text, step.workload, facts.status or facts.mode, step=step.index)


def _plain(share: float | None) -> Any:
    return "+Inf" if share == float("inf") else share
