"""How far each variant of a workload is in the race for admission.

The parent is admitted with the first variant that is. The others are deactivated, or wait for a
flavor that is preferred (KEP-8691).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kueuelab.trace.effect_facts import EventEmitted
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.trace.trace import Trace
from kueuelab.trace.workload_groups import WorkloadGroups

__all__ = ["Outcome", "Variant", "outcome_of", "variants_at"]

Outcome = Literal["won", "lost", "migrates", "waits", "finished"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant at a time.

    Attributes
    ----------
    workload, flavor
        The variant, and the only flavor that it may get.
    outcome
        ``won`` if it has quota, or had it at the end; ``migrates`` if it gives quota back for a
        flavor that is preferred, ``lost`` if it is deactivated, ``waits``, or ``finished``
        while it waited.
    why
        What Kueue says: why it waits, or why it was deactivated; or ``""``.
    step
        The index of the step that says so; ``None`` if the state does.
    """

    workload: str
    flavor: str
    outcome: Outcome
    why: str = ""
    step: int | None = None


def variants_at(
    trace: Trace, state: State, at: int, parent: str, groups: WorkloadGroups
) -> Iterator[Variant]:
    """Yield the variants of a workload after a step, in the order of their flavors."""
    for key in groups.members(parent):
        member, view = groups.of(key), state.workload(key)
        if member is None or member.kind != "variant" or not view:
            continue
        outcome = outcome_of(view)
        why, step = view.waiting if outcome == "waits" else "", None
        if outcome == "lost":
            why, step = _deactivated(trace, key, at)
        yield Variant(key, member.flavor, outcome, why, step)


def outcome_of(view: WorkloadView) -> Outcome:
    """Return how far a variant is."""
    if view.phase == "Finished":
        if view.admission:
            return "won"
        return "finished" if view.active else "lost"
    if view.phase == "Evicted":
        return "migrates" if view.active else "lost"
    if view.holds_quota:
        return "won"
    return "waits" if view.active else "lost"


def _deactivated(trace: Trace, workload: str, at: int) -> tuple[str, int | None]:
    """Return what Kueue said when it deactivated a variant, and at which step."""
    for index in reversed(trace.index.single_steps(workload)):
        facts = trace[index].facts
        if index <= at and isinstance(facts, EventEmitted) and facts.reason == "DeactivatedVariant":
            return facts.message, index
    return "", None
