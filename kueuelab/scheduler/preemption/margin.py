"""How much more is available than a preemptor needs, without a look at the quota tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from kueuelab.model import FlavorResource

if TYPE_CHECKING:
    from kueuelab.scheduler.preemption.search import Search, Target

__all__ = ["Margin"]

_NOTHING: Final[Mapping[FlavorResource, int]] = {}


class Margin:
    """What is available beyond what the preemptor needs; negative: what it lacks.

    Available quota grows by no more than what is removed, and shrinks by no more than what is
    restored. So most targets of a search need no check whether the preemptor fits.

    Parameters
    ----------
    search
        The search; what is available is read now.
    borrowing
        Whether the preemptor may borrow. If not, its ClusterQueue must have room within nominal
        quota, which only the targets in that ClusterQueue change.
    """

    __slots__ = ("_available", "_nominal", "_queue", "_tree")

    def __init__(self, search: Search, *, borrowing: bool) -> None:
        queue = search.queue
        self._tree = search.tree
        self._queue = queue
        self._available = {fr: queue.available(fr) - need for fr, need in search.usage.items()}
        self._nominal = (
            {}
            if borrowing
            else {
                fr: queue.quota(fr).nominal - queue.usage.get(fr, 0) - need
                for fr, need in search.usage.items()
            }
        )

    def may_fit_without(self, target: Target) -> bool:
        """Note that a target is removed; tell whether the preemptor may fit now."""
        queue, booked = self._tree.holding(target.workload.key)
        self._move(booked, 1, own=queue is self._queue)
        return not _exceeds(_NOTHING, self._available) and not _exceeds(_NOTHING, self._nominal)

    def verdict_with(self, target: Target) -> bool | None:
        """Tell whether the preemptor still fits with a restored target; ``None``: check it.

        If it does, the target counts as restored from now on.
        """
        queue, booked = self._tree.holding(target.workload.key)
        own = queue is self._queue
        if own and _exceeds(booked, self._nominal):
            return False
        if _exceeds(booked, self._available):
            return None
        self._move(booked, -1, own=own)
        return True

    def _move(self, booked: Mapping[FlavorResource, int], sign: int, *, own: bool) -> None:
        for spare in (self._available, self._nominal) if own else (self._available,):
            for fr in spare:
                spare[fr] += sign * booked.get(fr, 0)


def _exceeds(booked: Mapping[FlavorResource, int], spare: Mapping[FlavorResource, int]) -> bool:
    """Tell whether something booked is more than what is spare of it."""
    for fr, value in spare.items():  # noqa: SIM110 - asked for every target
        if booked.get(fr, 0) > value:
            return True
    return False
