"""Conditions as a cluster wrote them."""

from __future__ import annotations

from kueuelab.live.resources import Json
from kueuelab.model import Condition, Workload

__all__ = ["condition_of", "is_true", "is_true_of", "pending_message"]


def condition_of(workload: Workload, type_: str) -> Condition | None:
    """Return the condition of a type; ``None`` if the Workload has none."""
    return next((each for each in workload.status.conditions if each.type == type_), None)


def is_true(workload: Workload, type_: str) -> bool:
    """Tell whether a condition is ``True``."""
    found = condition_of(workload, type_)
    return found is not None and found.status == "True"


def pending_message(workload: Workload) -> str:
    """Return why a workload is pending, as Kueue said last; ``""`` if it did not."""
    condition = condition_of(workload, "QuotaReserved")
    return condition.message if condition is not None and condition.status == "False" else ""


def is_true_of(obj: Json, type_: str) -> bool:
    """Tell whether a condition of an object is ``True``.

    Examples
    --------
    >>> is_true_of({"status": {"conditions": [{"type": "Admitted", "status": "True"}]}}, "Admitted")
    True
    >>> is_true_of({}, "Admitted")
    False
    """
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(c.get("type") == type_ and c.get("status") == "True" for c in conditions)
