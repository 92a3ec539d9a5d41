"""Sentences about what a Workload's status said when it was read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.trace.sentences import Sentence
from kueuelab.trace.status_read import read_text
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts, time_text

__all__ = ["SENTENCES", "eviction_before_text", "eviction_before_values", "preemptor_text"]


def _status_read(step: Step, facts: Any, words: MessageParts) -> str:
    return words("step.StatusRead", workload=step.workload, status=read_text(step, words))


def eviction_before_text(step: Step, facts: Any, words: MessageParts) -> str:
    """Return when a workload was evicted before the run, why and by which workload."""
    form = "preempted" if facts.preemptor_uid else "other"
    if facts.preemptor_uid and not facts.preemptor_path:
        form += ".noPath"
    return words(f"step.EvictedBefore.{form}", **eviction_before_values(step, facts, words))


def eviction_before_values(step: Step, facts: Any, words: MessageParts) -> dict[str, str]:
    """Return what a sentence about an eviction before the run may name."""
    return {
        "workload": step.workload,
        "time": words("before.at", time=time_text(facts.when))
        if facts.when
        else words("before.once"),
        "preemptor": preemptor_text(facts, words),
        "reason": facts.preemption_reason or facts.reason,
        "preemptorPath": facts.preemptor_path,
        "preemptedPath": facts.preemptee_path,
        "message": facts.message,
    }


def preemptor_text(facts: Any, words: MessageParts) -> str:
    """Return the preemptor, or that the dump doesn't have it."""
    return str(facts.preemptor) or words("before.unknown", uid=facts.preemptor_uid)


#: Kind of step to sentence.
SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {"StatusRead": _status_read, "EvictedBefore": eviction_before_text}
)
