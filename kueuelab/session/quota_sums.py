"""The bars of a frame, added up by node and resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.views.merge_patch import Json

__all__ = ["QuotaSum", "quota_sums", "scarcity"]


@dataclass(slots=True)
class QuotaSum:
    """The bars of a queue or cohort for one resource, of all its flavors."""

    nominal: int = 0
    own: int = 0
    borrowed: int = 0
    lent: int = 0


def quota_sums(frame: Json) -> Mapping[tuple[str, str], QuotaSum]:
    """Return the sums of a frame, by node and resource.

    Examples
    --------
    >>> bar = {"node": "q:team-a", "resource": "cpu", "nominal": 4, "used": 6}
    >>> quota_sums({"bars": {"q:team-a|default|cpu": bar}})
    {('q:team-a', 'cpu'): QuotaSum(nominal=4, own=4, borrowed=2, lent=0)}
    """
    found: dict[tuple[str, str], QuotaSum] = {}
    bars: Mapping[str, Any] = frame.get("bars", {})
    for bar in bars.values():
        each = found.setdefault((bar["node"], bar["resource"]), QuotaSum())
        beyond = max(0, bar["used"] - bar["nominal"])
        each.nominal += bar["nominal"]
        each.own += bar["used"] - beyond
        each.borrowed += beyond
        each.lent += bar.get("lends", 0)
    return found


def scarcity(sums: Mapping[tuple[str, str], QuotaSum]) -> Mapping[str, float]:
    """Return the part that is in use, by resource: at the queue or cohort that uses most."""
    found: dict[str, float] = {}
    for (_, resource), each in sums.items():
        used = (each.own + each.borrowed) / each.nominal if each.nominal else 0.0
        found[resource] = max(found.get(resource, 0.0), used)
    return found
