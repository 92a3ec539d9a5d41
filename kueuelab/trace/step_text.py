"""One sentence for any step."""

from __future__ import annotations

from kueuelab.messages import Catalog
from kueuelab.trace import cycle_text, effect_text, multikueue_text, placement_text, status_text
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts

__all__ = ["step_text"]


def step_text(step: Step, catalog: Catalog | None = None) -> str:
    """Return what happens in a step, as one sentence.

    Examples
    --------
    >>> from kueuelab.trace.steps import FilledBack
    >>> step_text(Step(0, 0, 1, "default/a", "cq", FilledBack("default/b", kept=True)))
    'default/b can stay: default/a fits next to it.'
    """
    words = MessageParts(catalog)
    kind = step.kind
    sentence = (
        cycle_text.SENTENCES.get(kind)
        or effect_text.SENTENCES.get(kind)
        or multikueue_text.SENTENCES.get(kind)
        or placement_text.SENTENCES.get(kind)
        or status_text.SENTENCES.get(kind)
    )
    if sentence is None:
        return words("step.unknown", kind=kind, workload=step.workload)
    return sentence(step, step.facts, words)
