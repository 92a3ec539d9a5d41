"""What sentences about steps have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kueuelab.trace.coding import camel_case
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts

__all__ = ["Sentence", "either", "simple"]

#: Puts a step, with its facts, into words.
Sentence = Callable[[Step, Any, MessageParts], str]


def simple(message: str, /, *names: str, optional: str = "") -> Sentence:
    """Return a sentence about the workload and queue with some facts as they are.

    With an ``optional`` fact the sentence has another form if that fact is not empty.
    """

    def sentence(step: Step, facts: Any, words: MessageParts) -> str:
        facts_named = (*names, optional) if optional else names
        values = {camel_case(name): getattr(facts, name) for name in facts_named}
        values |= {"workload": step.workload, "queue": step.cluster_queue}
        if optional:
            return words.with_optional(message, optional, **values)
        return words(message, **values)

    return sentence


def either(attribute: str, yes: Sentence, no: Sentence) -> Sentence:
    """Return one sentence or the other, by a fact that is true or false."""
    return lambda step, facts, words: (yes if getattr(facts, attribute) else no)(step, facts, words)
