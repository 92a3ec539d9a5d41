"""The decision panel: what this step says, its numbers, and the verdict on each candidate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kueuelab.messages import Message
from kueuelab.trace import steps
from kueuelab.trace.dump_summary import difference_text
from kueuelab.trace.search import Candidate, SkippedQueue
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import Step
from kueuelab.trace.text_table import text_table
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts, amount_text, share_text
from kueuelab.views.amounts import amounts_text
from kueuelab.views.moment import Moment, moment_at
from kueuelab.views.preemption_view import (
    PreemptionView,
    Role,
    preemption_view_at,
    role_of,
)

__all__ = [
    "CandidateRow",
    "Decision",
    "decision_at",
    "numbers_of",
    "title_of",
    "verdict_of",
    "why",
]


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One line of the candidate table.

    ``workload`` is ``""`` in a line about a whole queue; ``step`` is where the verdict is
    told.
    """

    workload: str
    queue: str
    rank: int
    verdict: str
    why: str
    step: int


@dataclass(frozen=True, slots=True)
class Decision:
    """What the decision panel shows at one step.

    Attributes
    ----------
    moment
        Where in the run it is.
    title
        The kind of step in words.
    sentence
        What happens, with the numbers in it.
    numbers
        The same numbers by name.
    message
        Kueue's own words, where the sentence doesn't have them.
    candidates
        The workloads that a search for targets looked at so far, and the queues it skipped.
    difference
        How the workload of the step differs from what a dump says, ``""`` if it doesn't.
    """

    moment: Moment
    title: str
    sentence: str
    numbers: tuple[tuple[str, str], ...]
    message: str
    candidates: tuple[CandidateRow, ...]
    difference: str = ""

    def as_text(self) -> str:
        """Return the panel as plain text."""
        parts = [self.moment.as_text(), f"{self.title}: {self.sentence}"]
        if self.difference:
            parts.append(self.difference)
        if self.numbers:
            parts.append(text_table(("", ""), self.numbers, indent="  ").lstrip("\n"))
        if self.message:
            parts.append(Message("widgets.decision.kueue-says", message=self.message))
        if self.candidates:
            rows = [
                (
                    str(row.rank or ""),
                    row.workload or Message("widgets.decision.all-of", queue=row.queue),
                    row.verdict,
                    row.why,
                )
                for row in self.candidates
            ]
            parts.append(text_table(("#", "candidate", "verdict", "why"), rows, indent="  "))
        return "\n".join(parts)


def decision_at(trace: Trace, index: int, words: MessageParts | None = None) -> Decision:
    """Return what the decision panel shows after a step."""
    words = words or MessageParts()
    step = trace[index]
    sentence = step_text(step, words.catalog)
    message = getattr(step.facts, "message", "")
    return Decision(
        moment=moment_at(trace, index),
        title=title_of(step.kind),
        sentence=sentence,
        numbers=tuple(numbers_of(step.facts, words)),
        message="" if message in sentence else message,
        candidates=tuple(_rows(trace, preemption_view_at(trace, index), words)),
        difference=difference_text(trace, step.workload, index, words),
    )


def title_of(kind: str) -> str:
    """Return the name of a kind of step in words.

    >>> title_of("CandidateConsidered")
    'Candidate considered'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).capitalize()


# --- numbers ---------------------------------------------------------------------------


def numbers_of(facts: steps.Facts, words: MessageParts) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a step with their names."""
    match facts:
        case steps.FlavorConsidered():
            yield from _flavor_numbers(facts)
        case steps.FitChecked() if facts.resource:
            yield "requested", amount_text(facts.resource, facts.requested)
            yield "available", amount_text(facts.resource, facts.available)
            yield Message("widgets.decision.may-borrow"), "yes" if facts.borrowing_allowed else "no"
        case steps.SharesCompared():
            yield Message("widgets.decision.preemptor-share"), share_text(facts.preemptor_new_share)
            yield Message("widgets.decision.target-share"), share_text(facts.target_old_share)
            if facts.target_new_share is not None:
                yield (
                    Message("widgets.decision.target-new-share"),
                    share_text(facts.target_new_share),
                )
        case steps.PreemptionStarted():
            yield "needed", words.amounts(facts.needed)
            for flavor, resource, used, nominal in facts.usage:
                shown = amounts_text(resource, used, nominal)
                yield (
                    f"{flavor}/{resource}",
                    Message("widgets.decision.used", used=shown[0], total=shown[1]),
                )
            yield from ((name, str(value)) for name, value in facts.policies.items() if value)
        case steps.TournamentWon():
            yield from ((key, share_text(share)) for key, share in facts.contenders)
        case _:
            return


def _flavor_numbers(facts: steps.FlavorConsidered) -> Iterator[tuple[str, str]]:
    amounts = (
        ("requested", facts.requested),
        (Message("widgets.decision.nominal-quota"), facts.nominal),
        ("used", facts.used),
        ("borrowed", max(0, facts.used - facts.nominal)),
        ("available", facts.available),
        (Message("widgets.decision.maximum"), facts.potential),
        (Message("widgets.decision.borrowing-limit"), facts.borrowing_limit),
        (Message("widgets.decision.lending-limit"), facts.lending_limit),
    )
    for name, amount in amounts:
        if amount is not None and (amount or name != "borrowed"):
            yield name, amount_text(facts.resource, amount)


# --- candidates ------------------------------------------------------------------------


def _rows(trace: Trace, view: PreemptionView, words: MessageParts) -> Iterator[CandidateRow]:
    for candidate in view.candidates:
        yield CandidateRow(
            candidate.workload,
            candidate.queue,
            candidate.rank,
            verdict_of(candidate),
            why(trace[candidate.decided_at], words) if candidate.queue else "",
            candidate.decided_at,
        )
    for skipped in view.skipped:
        yield _skipped_row(trace, skipped, words)


def verdict_of(candidate: Candidate) -> str:
    """Return what became of a candidate so far."""
    if candidate.status == "target" and candidate.reason:
        return f"target, {candidate.reason}"
    return str(role_of(candidate))


def _skipped_row(trace: Trace, skipped: SkippedQueue, words: MessageParts) -> CandidateRow:
    text = why(trace[skipped.step], words)
    return CandidateRow("", skipped.queue, 0, str(Role.EXCLUDED), text, skipped.step)


def why(step: Step, words: MessageParts) -> str:
    """Return the rule behind a verdict, as a part of a sentence where there is one."""
    facts = step.facts
    match facts:
        case steps.CandidateConsidered():
            return words.rule(
                facts.rule,
                facts.numbers,
                queue=facts.candidate_queue,
                preemptor_queue=step.cluster_queue,
                contested=facts.numbers.get("contested", ()),
            )
        case steps.QueueSkipped():
            return words.rule(
                facts.rule, facts.numbers, queue=facts.queue, preemptor_queue=step.cluster_queue
            )
        case steps.CandidatePassedOver():
            return words.rule(facts.rule, facts.numbers, preemptor_queue=step.cluster_queue)
        case _:
            return step_text(step, words.catalog)
