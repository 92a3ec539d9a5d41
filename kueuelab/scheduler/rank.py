"""How well a flavor suits a request, and whether the scan of flavors goes on after it.

See https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#flavorfungibility and KEP-582.
"""

from __future__ import annotations

from typing import NamedTuple

from kueuelab.model import FlavorFungibility
from kueuelab.scheduler.assignment import PreemptionMode

__all__ = ["BEST", "WORST", "Rank", "goes_on_after", "preferred"]


class Rank(NamedTuple):
    """How well a flavor suits: what it takes to get it, and how far it borrows."""

    mode: PreemptionMode
    borrow: int


# Looking up a member of an Enum takes long, and every flavor considered asks for these.
_NO_FIT, _STUCK, _FIT = PreemptionMode.NoFit, PreemptionMode.NoCandidates, PreemptionMode.Fit

WORST = Rank(_NO_FIT, 1 << 30)
BEST = Rank(_FIT, 0)


def preferred(left: Rank, right: Rank, policy: FlavorFungibility) -> bool:
    """Tell whether ``left`` is better than ``right``.

    A flavor that can't be assigned comes last, before it one without candidates. Among the
    others, ``preference`` decides whether to borrow rather than preempt (the default).

    Examples
    --------
    >>> preferred(Rank(PreemptionMode.Fit, 1), Rank(PreemptionMode.Preempt, 0), FlavorFungibility())
    True
    """
    if left.mode is _NO_FIT or right.mode is _NO_FIT:
        return left.mode is not _NO_FIT
    if (left.mode is _STUCK) != (right.mode is _STUCK):
        return right.mode is _STUCK
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
    if rank.mode is _NO_FIT or rank.mode is _STUCK:
        return True
    preempts = rank.mode is not _FIT
    if preempts and policy.when_can_preempt == "TryNextFlavor":
        return True
    return rank.borrow > 0 and policy.when_can_borrow == "TryNextFlavor"
