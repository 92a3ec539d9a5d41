"""What a step decides: its numbers by name, the verdict on each candidate, and the rule."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.messages import Message
from kueuelab.trace import steps
from kueuelab.trace.search import Candidate
from kueuelab.trace.step_text import step_text
from kueuelab.trace.steps import Step
from kueuelab.trace.wording import MessageParts, amount_text, share_text
from kueuelab.views.amounts import amounts_text
from kueuelab.views.preemption_view import role_of

__all__ = [
    "numbers_of",
    "verdict_of",
    "why",
]


# --- numbers ---------------------------------------------------------------------------


def numbers_of(facts: steps.Facts, words: MessageParts) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a step with their names."""
    match facts:
        case steps.FlavorConsidered():
            yield from _flavor_numbers(facts)
        case steps.FitChecked() if facts.resource:
            yield Message("views.decision.requested"), amount_text(facts.resource, facts.requested)
            yield Message("views.decision.available"), amount_text(facts.resource, facts.available)
            answer = "yes" if facts.borrowing_allowed else "no"
            yield Message("views.decision.may-borrow"), Message(f"views.decision.{answer}")
        case steps.SharesCompared():
            yield Message("views.decision.preemptor-share"), share_text(facts.preemptor_new_share)
            yield Message("views.decision.target-share"), share_text(facts.target_old_share)
            if facts.target_new_share is not None:
                yield (
                    Message("views.decision.target-new-share"),
                    share_text(facts.target_new_share),
                )
        case steps.PreemptionStarted():
            yield Message("views.decision.needed"), words.amounts(facts.needed)
            for flavor, resource, used, nominal in facts.usage:
                shown = amounts_text(resource, used, nominal)
                yield (
                    f"{flavor}/{resource}",
                    Message("views.decision.used", used=shown[0], total=shown[1]),
                )
            yield from ((name, str(value)) for name, value in facts.policies.items() if value)
        case steps.TournamentWon():
            yield from ((key, share_text(share)) for key, share in facts.contenders)
        case _:
            return


def _flavor_numbers(facts: steps.FlavorConsidered) -> Iterator[tuple[str, str]]:
    borrowed = Message("views.decision.borrowed")
    amounts = (
        (Message("views.decision.requested"), facts.requested),
        (Message("views.decision.nominal-quota"), facts.nominal),
        (Message("views.decision.in-use"), facts.used),
        (borrowed, max(0, facts.used - facts.nominal)),
        (Message("views.decision.available"), facts.available),
        (Message("views.decision.maximum"), facts.potential),
        (Message("views.decision.borrowing-limit"), facts.borrowing_limit),
        (Message("views.decision.lending-limit"), facts.lending_limit),
    )
    for name, amount in amounts:
        if amount is not None and (amount or name is not borrowed):
            yield name, amount_text(facts.resource, amount)


# --- candidates ------------------------------------------------------------------------


def verdict_of(candidate: Candidate) -> str:
    """Return what became of a candidate so far."""
    if candidate.status == "target" and candidate.reason:
        return Message("views.decision.target-because", reason=candidate.reason)
    return role_of(candidate).text


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
