"""Conditions of a Workload as a cluster wrote them."""

from __future__ import annotations

from kueuelab.model import Condition, Workload

__all__ = ["condition_of", "is_true"]


def condition_of(workload: Workload, type_: str) -> Condition | None:
    """Return the condition of a type; ``None`` if the Workload has none."""
    return next((each for each in workload.status.conditions if each.type == type_), None)


def is_true(workload: Workload, type_: str) -> bool:
    """Tell whether a condition is ``True``."""
    found = condition_of(workload, type_)
    return found is not None and found.status == "True"
