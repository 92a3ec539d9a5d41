"""Sentences about what follows from decisions, and what happens around the scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.trace.effect_facts import DevicesCounted
from kueuelab.trace.sentences import Sentence, either, simple
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts, amount_text, share_text

__all__ = ["SENTENCES", "count_text", "devices_text", "places_text", "pods_text", "rank_text"]


def _evicted(step: Step, facts: Any, words: MessageParts) -> str:
    if not facts.preemptor:
        return words(
            "step.Evicted", workload=step.workload, reason=facts.reason, message=facts.message
        )
    return words(
        "step.Evicted.preempted",
        workload=step.workload,
        preemptor=facts.preemptor,
        reason=facts.preemption_reason,
        preemptorPath=facts.preemptor_path,
        preemptedPath=facts.preemptee_path,
    )


def _woken(step: Step, facts: Any, words: MessageParts) -> str:
    return words.with_optional(
        "step.Woken",
        "why",
        count=len(facts.workloads),
        workloads=words.listed(facts.workloads),
        queue=step.cluster_queue,
        why=facts.why,
    )


def _requeued(step: Step, facts: Any, words: MessageParts) -> str:
    return words.with_optional(
        f"step.Requeued.{'active' if facts.active else 'inadmissible'}",
        "reason",
        workload=step.workload,
        queue=step.cluster_queue,
        reason=facts.reason,
    )


def _loop_found(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.LoopFound",
        firstCycle=facts.first_cycle,
        lastCycle=facts.last_cycle,
        workloads=words.listed(facts.workloads),
    )


def _quota_reserved(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.QuotaReserved",
        workload=step.workload,
        queue=step.cluster_queue,
        assignment=words.assignment(facts.assignment),
    )


def places_text(
    places: Iterable[tuple[str, Iterable[tuple[str, int]]]], words: MessageParts
) -> str:
    """Return where the pods of each pod set are placed, in a few words."""
    return words.listed(
        words("step.PodsPlaced.place", podSet=pod_set, count=count, domain=domain)
        for pod_set, domains in places
        for domain, count in domains
    )


def _pods_placed(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.PodsPlaced.replaced" if facts.replaced else "step.PodsPlaced",
        workload=step.workload,
        places=places_text(facts.places, words),
        nodes=words.listed(facts.replaced),
    )


def _pods_ungated(step: Step, facts: Any, words: MessageParts) -> str:
    return words("step.PodsUngated", workload=step.workload, pods=pods_text(facts.pods, words))


def pods_text(
    pods: Iterable[tuple[str, str, Iterable[tuple[str, int]]]], words: MessageParts
) -> str:
    """Return which pods of each pod set go where: their ranks, or else how many."""
    texts = {"any": count_text}
    return words.clauses(
        words(f"pods.by.{how}", podSet=name, runs=texts.get(how, rank_text)(runs, words))
        for name, how, runs in pods
    )


def rank_text(runs: Iterable[tuple[str, int]], words: MessageParts) -> str:
    """Return the ranks of the pods that follow each other in a domain, for each domain."""
    parts, first = [], 0
    for domain, count in runs:
        form = "one" if count == 1 else "several"
        suffix = "" if domain else ".gated"
        values = {"first": first, "last": first + count - 1, "domain": domain}
        parts.append(words(f"pods.ranks.{form}{suffix}", **values))
        first += count
    return words.several(parts)


def count_text(runs: Iterable[tuple[str, int]], words: MessageParts) -> str:
    """Return how many pods go to each domain."""
    return words.several(
        [
            words("pods.on" if domain else "pods.on.none", count=count, domain=domain)
            for domain, count in runs
        ]
    )


def devices_text(facts: DevicesCounted, words: MessageParts) -> str:
    """Return what devices count for a pod of each pod set."""
    if not facts.counted:
        return words("devices.none")
    return words.listed(
        words("devices.each", podSet=name, amount=amount_text(resource, amount), resource=resource)
        for name, resource, amount in facts.counted
    )


def _devices_counted(step: Step, facts: Any, words: MessageParts) -> str:
    counted = devices_text(facts, words)
    return words("step.DevicesCounted", workload=step.workload, counted=counted)


def _penalty(message: str) -> Sentence:
    def sentence(step: Step, facts: Any, words: MessageParts) -> str:
        return words(
            message,
            workload=step.workload,
            localQueue=facts.local_queue,
            penalty=_resources(facts.penalty, words),
            usage=share_text(facts.usage),
        )

    return sentence


def _usage_sampled(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.UsageSampled",
        localQueue=facts.local_queue,
        consumed=_resources(facts.consumed, words),
        usage=share_text(facts.usage),
    )


def _resources(amounts: Mapping[str, str], words: MessageParts) -> str:
    return words.listed(f"{amount} {resource}" for resource, amount in amounts.items())


#: Kind of step to sentence.
SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "ObjectApplied": either(
            "created",
            simple("step.ObjectApplied.created", "object"),
            simple("step.ObjectApplied.changed", "object"),
        ),
        "ObjectRemoved": simple("step.ObjectRemoved", "object"),
        "WorkloadCreated": simple("step.WorkloadCreated", "local_queue", "priority"),
        "QuotaReserved": _quota_reserved,
        "Admitted": simple("step.Admitted"),
        "Evicted": _evicted,
        "QuotaReleased": either(
            "held",
            simple("step.QuotaReleased", "reason"),
            simple("step.QuotaReleased.notHeld", "reason"),
        ),
        "Requeued": _requeued,
        "Woken": _woken,
        "Pending": simple("step.Pending", "reason", "message"),
        "CheckStateChanged": simple("step.CheckStateChanged", "check", "state", optional="message"),
        "PodsReadyChanged": either(
            "ready",
            simple("step.PodsReadyChanged.ready"),
            simple("step.PodsReadyChanged.notReady"),
        ),
        "Deactivated": either(
            "active",
            simple("step.Deactivated.activated"),
            simple("step.Deactivated", optional="message"),
        ),
        "DevicesCounted": _devices_counted,
        "PriorityChanged": simple("step.PriorityChanged", "priority", "before"),
        "JobResumed": simple("step.JobResumed"),
        "SliceScaled": simple("step.SliceScaled", "pods", "before"),
        "SliceCreated": either(
            "replaces",
            simple("step.SliceCreated.replaces", "job", "replaces", "pods", "before"),
            simple("step.SliceCreated", "job", "pods", "before"),
        ),
        "VariantCreated": simple("step.VariantCreated", "parent", "flavor"),
        "Finished": simple("step.Finished", "reason"),
        "WorkloadDeleted": simple("step.WorkloadDeleted"),
        "QueueStatusChanged": either(
            "active",
            simple("step.QueueStatusChanged.active"),
            simple("step.QueueStatusChanged.inactive", "reason", "message"),
        ),
        "TimerFired": simple("step.TimerFired", "timer"),
        "LoopFound": _loop_found,
        "NodeMarkedUnhealthy": simple("step.NodeMarkedUnhealthy", "node"),
        "NodeRecovered": simple("step.NodeRecovered", "node"),
        "PodsPlaced": _pods_placed,
        "PodsUngated": _pods_ungated,
        "EventEmitted": simple("step.EventEmitted", "type", "reason", "message"),
        "PenaltyCharged": _penalty("step.PenaltyCharged"),
        "PenaltySettled": _penalty("step.PenaltySettled"),
        "PenaltyWaived": _penalty("step.PenaltyWaived"),
        "UsageSampled": _usage_sampled,
    }
)
