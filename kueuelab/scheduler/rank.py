"""How well a flavor suits a request, and whether the scan of flavors goes on after it.

See https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#flavorfungibility and KEP-582.
"""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.model import FlavorFungibility
from kueuelab.scheduler.assignment import PreemptionMode

__all__ = ["BEST", "WORST", "Rank", "goes_on_after", "preferred"]


@dataclass(frozen=True, slots=True, order=True)
class Rank:
    """How well a flavor suits: what it takes to get it, and how far it borrows."""

    mode: PreemptionMode
    borrow: int


WORST = Rank(PreemptionMode.NoFit, 1 << 30)
BEST = Rank(PreemptionMode.Fit, 0)


def preferred(left: Rank, right: Rank, policy: FlavorFungibility) -> bool:
    """Tell whether ``left`` is better than ``right``.

    A flavor that can't be assigned comes last, before it one without candidates. Among the
    others, ``preference`` decides whether to borrow rather than preempt (the default).

    Examples
    --------
    >>> preferred(Rank(PreemptionMode.Fit, 1), Rank(PreemptionMode.Preempt, 0), FlavorFungibility())
    True
    """
    if PreemptionMode.NoFit in (left.mode, right.mode):
        return left.mode is not PreemptionMode.NoFit
    stuck = PreemptionMode.NoCandidates
    if (left.mode is stuck) != (right.mode is stuck):
        return right.mode is stuck
    if policy.preference == "PreemptionOverBorrowing" and left.borrow != right.borrow:
        return left.borrow < right.borrow
    if left.mode is not right.mode:
        return left.mode > right.mode
    return left.borrow < right.borrow


def goes_on_after(rank: Rank, policy: FlavorFungibility) -> bool:
    """Tell whether the scan goes on after a flavor of this rank.

    Examples
    --------
    >>> goes_on_after(BEST, FlavorFungibility())
    False
    """
    if rank.mode in (PreemptionMode.NoFit, PreemptionMode.NoCandidates):
        return True
    preempts = rank.mode in (PreemptionMode.Preempt, PreemptionMode.Reclaim)
    if preempts and policy.when_can_preempt == "TryNextFlavor":
        return True
    return rank.borrow > 0 and policy.when_can_borrow == "TryNextFlavor"
