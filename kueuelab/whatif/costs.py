"""What a change costs, and which team pays it: by this, suggestions are ordered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["COSTS", "cost_of"]

_CLASSES: Final = (
    # Nothing has to change, or something was forgotten.
    ("wait", "lookAgain"),
    *(("check", "activate", "stopPolicy", "nearName", "localQueue", "clusterQueue", "flavor"),),
    ("namespaceLabel",),
    # A policy costs no machine; it may cost others their turn, or evict them.
    ("namespaceSelector", "strategy", "fungibility", "preemption", "weight"),
    ("borrowingLimit", "lendingLimit"),
    # The workload, or another one, goes elsewhere.
    ("queueName", "cohort", "move"),
    # Another team gives quota away; then there are more machines to pay for.
    ("movedQuota",),
    ("quota", "cohortQuota", "coverage", "node"),
    # Kueue is restarted, and a limit is gone in the whole cluster.
    ("unblock",),
    ("excludeResource", "excludeLimited"),
    ("ignoreUndeclared",),
    # It goes before others that came first.
    ("priority",),
    # The workload gets less than it asks for, or waits for others.
    ("preferred", "level", "sliceLayer", "sliceSize", "toleration", "nodeSelector"),
    ("otherFlavor",),
    ("finish",),
    ("otherTemplate",),
    ("dropRequest", "dropClaims", "partialAdmission", "scaleDown", "fewerPods", "smallerRequest"),
)

#: Kind of a suggestion to its cost: policy before quota, quota that is moved before quota that is
#: added, asking for less last.
COSTS: Final[Mapping[str, int]] = MappingProxyType(
    {kind: cost for cost, kinds in enumerate(_CLASSES) for kind in kinds}
)


def cost_of(kind: str) -> int:
    """Return the cost of a suggestion; of several changes at once, the highest.

    Parameters
    ----------
    kind
        Its kind, or several joined by ``+``.

    Examples
    --------
    >>> cost_of("preemption") < cost_of("movedQuota") < cost_of("quota") < cost_of("smallerRequest")
    True
    >>> cost_of("preemption+quota") == cost_of("quota")
    True
    """
    return max(COSTS[each] for each in kind.split("+"))
