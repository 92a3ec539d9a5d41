"""Sentences about what happens inside a scheduling cycle."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.trace.sentences import Sentence, simple
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts, amount_text, share_text

__all__ = ["SENTENCES"]


def _cycle_started(step: Step, facts: Any, words: MessageParts) -> str:
    heads = words.listed(facts.heads)
    return words("step.CycleStarted", count=len(facts.heads), cycle=step.cycle, heads=heads)


def _local_queues_compared(step: Step, facts: Any, words: MessageParts) -> str:
    usages = words.listed(f"{name}: {share_text(usage)}" for name, usage in facts.usages)
    return words(
        "step.LocalQueuesCompared",
        workload=step.workload,
        queue=step.cluster_queue,
        usages=usages,
    )


def _nomination_started(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.NominationStarted",
        workload=step.workload,
        priority=facts.priority,
        queue=step.cluster_queue,
        requests=words.requests(facts.requests),
    )


def _flavor_rejected(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.FlavorRejected",
        flavor=facts.flavor,
        podSets=words.listed(facts.pod_sets),
        reasons=words.listed(facts.reasons),
    )


def _flavor_considered(step: Step, facts: Any, words: MessageParts) -> str:
    resource = facts.resource
    return words.with_optional(
        "step.FlavorConsidered",
        "limits",
        resource=resource,
        flavor=facts.flavor,
        requested=amount_text(resource, facts.requested),
        queue=step.cluster_queue,
        used=amount_text(resource, facts.used),
        nominal=amount_text(resource, facts.nominal),
        limits=words.limits(facts),
        available=amount_text(resource, facts.available),
        verdict=words.verdict(facts, step.cluster_queue),
    )


def _flavor_chosen(step: Step, facts: Any, words: MessageParts) -> str:
    form = "" if facts.mode == "Fit" else ".wanted"
    return words(
        f"step.FlavorChosen{form}" if facts.flavor else "step.FlavorChosen.none",
        flavor=facts.flavor,
        resources=words.listed(facts.resources),
        why=words.chosen(facts),
    )


def _fewer_pods(step: Step, facts: Any, words: MessageParts) -> str:
    counts = words.separated(f"{name}: {count}" for name, count in facts.counts)
    return words("step.FewerPodsTried", counts=counts)


def _preemption_started(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        f"step.PreemptionStarted.{facts.purpose}",
        needed=words.amounts(facts.needed),
        contested=words.frs(facts.contested),
    )


def _candidate_considered(step: Step, facts: Any, words: MessageParts) -> str:
    why = words.rule(
        facts.rule,
        facts.numbers,
        queue=facts.candidate_queue,
        preemptor_queue=step.cluster_queue,
        contested=facts.numbers.get("contested", ()),
    )
    return words(
        f"step.CandidateConsidered.{'included' if facts.included else 'excluded'}",
        candidate=facts.candidate,
        queue=facts.candidate_queue,
        why=why,
    )


def _queue_skipped(step: Step, facts: Any, words: MessageParts) -> str:
    why = words.rule(
        facts.rule, facts.numbers, queue=facts.queue, preemptor_queue=step.cluster_queue
    )
    return words("step.QueueSkipped", queue=facts.queue, why=why)


def _candidates_ordered(step: Step, facts: Any, words: MessageParts) -> str:
    if not facts.candidates:
        return words("step.CandidatesOrdered.none")
    return words("step.CandidatesOrdered", candidates=words.listed(facts.candidates))


def _attempt_started(step: Step, facts: Any, words: MessageParts) -> str:
    form = "fair" if facts.strategy else "borrowing" if facts.borrowing else "within"
    return words(
        f"step.AttemptStarted.{form}",
        workload=step.workload,
        queue=step.cluster_queue,
        strategy=facts.strategy,
    )


def _passed_over(step: Step, facts: Any, words: MessageParts) -> str:
    why = words.rule(facts.rule, facts.numbers, preemptor_queue=step.cluster_queue)
    return words("step.CandidatePassedOver", candidate=facts.candidate, why=why)


def _shares_compared(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.SharesCompared",
        candidate=facts.candidate,
        queue=facts.candidate_queue,
        why=words.shares(facts, step.cluster_queue),
    )


def _removed(step: Step, facts: Any, words: MessageParts) -> str:
    return words("step.WorkloadRemoved", candidate=facts.candidate, reason=facts.reason)


def _fit_checked(step: Step, facts: Any, words: MessageParts) -> str:
    if facts.lacks_domains:
        return words("step.FitChecked.domains", workload=step.workload)
    form = "fits" if facts.fits else "lacks"
    if not facts.fits and facts.requested <= facts.available:
        form = "borrows"
    flavor_resource = (facts.flavor, facts.resource)
    return words(
        f"step.FitChecked.{form}",
        workload=step.workload,
        queue=step.cluster_queue,
        requested=words.amounts([(*flavor_resource, facts.requested)]),
        available=amount_text(facts.resource, facts.available),
    )


def _filled_back(step: Step, facts: Any, words: MessageParts) -> str:
    form = "kept" if facts.kept else "needed"
    return words(f"step.FilledBack.{form}", candidate=facts.candidate, workload=step.workload)


def _targets_chosen(step: Step, facts: Any, words: MessageParts) -> str:
    if not facts.targets:
        return words("step.TargetsChosen.none")
    return words(
        "step.TargetsChosen",
        count=len(facts.targets),
        list=words.targets(facts.targets),
    )


def _nominated(step: Step, facts: Any, words: MessageParts) -> str:
    form = facts.mode
    if form == "Fit" and facts.borrowing:
        form = "FitBorrowing"
    if form == "Preempt" and not facts.targets:
        form = "NoTargets"
    return words(
        f"step.Nominated.{form}",
        workload=step.workload,
        assignment=words.assignment(facts.assignment),
        targets=words.targets(facts.targets),
        message=facts.message,
    )


def _entries_ordered(step: Step, facts: Any, words: MessageParts) -> str:
    if not facts.entries:
        return words("step.EntriesOrdered.none")
    return words("step.EntriesOrdered", entries=words.listed(facts.entries))


def _tournament_won(step: Step, facts: Any, words: MessageParts) -> str:
    lost = next((each for each in facts.lost if each[:2] == (facts.rival, facts.winner)), None)
    shares = dict(facts.contenders)
    if lost is not None:
        shares |= {facts.winner: lost[4], facts.rival: lost[5]}
    why = words.precedence(facts.why, facts.winner, facts.rival, facts.numbers, shares)
    return words("step.TournamentWon", winner=facts.winner, why=why)


def _recomputed(step: Step, facts: Any, words: MessageParts) -> str:
    targets = words.targets(facts.targets)
    if facts.lacks_domains:
        return words("step.Recomputed.domains", workload=step.workload)
    return words("step.Recomputed", workload=step.workload, targets=targets)


def _quota_held(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.QuotaHeld",
        usage=words.amounts(facts.usage),
        workload=step.workload,
        why=words(f"held.{facts.why}"),
    )


def _entry_processed(step: Step, facts: Any, words: MessageParts) -> str:
    form = facts.status or "none"
    if not facts.status and facts.requeue_reason == "PendingPreemption" and facts.targets:
        form = "preempting"
    return words(
        f"step.EntryProcessed.{form}",
        workload=step.workload,
        targets=words.targets(facts.targets),
        message=facts.message,
    )


def _cycle_ended(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.CycleEnded", cycle=step.cycle, admitted=facts.admitted, preempting=facts.preempting
    )


#: Kind of step to sentence.
SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "CycleStarted": _cycle_started,
        "LocalQueuesCompared": _local_queues_compared,
        "NominationStarted": _nomination_started,
        "ReplacesSlice": simple("step.ReplacesSlice", "replaced", "pods"),
        "NotNominated": simple("step.NotNominated", "message"),
        "FlavorRejected": _flavor_rejected,
        "FlavorConsidered": _flavor_considered,
        "FlavorChosen": _flavor_chosen,
        "FewerPodsTried": _fewer_pods,
        "PreemptionStarted": _preemption_started,
        "CandidateConsidered": _candidate_considered,
        "QueueSkipped": _queue_skipped,
        "CandidatesOrdered": _candidates_ordered,
        "AttemptStarted": _attempt_started,
        "CandidatePassedOver": _passed_over,
        "SharesCompared": _shares_compared,
        "CohortsTied": simple("step.CohortsTied", "cohort", "tied", "chosen"),
        "WorkloadRemoved": _removed,
        "FitChecked": _fit_checked,
        "FilledBack": _filled_back,
        "TargetsChosen": _targets_chosen,
        "Nominated": _nominated,
        "EntriesOrdered": _entries_ordered,
        "TournamentWon": _tournament_won,
        "Recomputed": _recomputed,
        "QuotaHeld": _quota_held,
        "EntryProcessed": _entry_processed,
        "CycleEnded": _cycle_ended,
    }
)
