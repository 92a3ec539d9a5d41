"""What adjustments offer, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kueuelab.messages import english
from kueuelab.whatif.change_sets import Adjustment, proposal_of
from kueuelab.whatif.changes import change_text
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.subject import Subject


class Offer(NamedTuple):
    """An adjustment at an amount: the sentence, the changes, and what else is decided by."""

    kind: str
    text: str
    changes: list[str]
    queues: tuple[str, ...]
    size: float


def offer(adjustment: Adjustment, amount: int | None = None) -> Offer:
    """Return what an adjustment offers at an amount, the most by default."""
    found = proposal_of({adjustment: adjustment.most if amount is None else amount})
    text = english().render(found.text)
    changes = [change_text(each) for each in found.changes]
    return Offer(found.kind, text, changes, found.queues, round(found.size, 6))


def offers(adjustments: Iterable[Adjustment]) -> list[Offer]:
    """Return what adjustments offer at most."""
    return [offer(each) for each in adjustments]


def texts(adjustments: Iterable[Adjustment]) -> list[str]:
    """Return the sentences of adjustments at their most."""
    return [offer(each).text for each in adjustments]


def subject_of(run: LabRun, workload: str = "late") -> Subject:
    """Return a workload of the namespace ``default`` as a run left it."""
    return Subject(run.cluster, f"default/{workload}")
