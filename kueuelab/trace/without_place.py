"""Whether a topology has no place for a workload whose quota suffices."""

from __future__ import annotations

from kueuelab.trace import steps
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["without_place"]


def without_place(at: WorkloadMoment) -> steps.DomainsSearched | None:
    """Return a search that found no domain, in a flavor whose quota suffices; or ``None``."""
    short = {
        step.facts.flavor
        for step in at.own
        if isinstance(step.facts, steps.FlavorConsidered) and step.facts.mode != "Fit"
    }
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.DomainsSearched) and facts.reason and not facts.empty:
            return None if facts.flavor in short else facts
    return None
