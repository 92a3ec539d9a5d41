"""The bars of quota with their use, what is lent, and the arrows of borrowing.

They are kept while a run is stepped through: a step that changes the use of one ClusterQueue
costs the cohorts above it and those it borrows from, not the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kueuelab.trace.cohort_tree import NodeId
from kueuelab.trace.reading import State
from kueuelab.views.frame.keys import bar_key
from kueuelab.views.frame.layout import Layout, Place
from kueuelab.views.frame.section import Section
from kueuelab.views.merge_patch import Json

__all__ = ["Quotas"]

#: Of more lenders than this none is named: it is not known which part each of them lends.
_MOST_LENDERS: Final = 12


@dataclass(slots=True)
class _Pool:
    """One flavor and resource of one tree: which queues borrow, and which could lend."""

    borrowed: dict[NodeId, int] = field(default_factory=dict)
    idle: dict[NodeId, int] = field(default_factory=dict)
    shown: tuple[NodeId, ...] = ()
    drawn: set[NodeId] = field(default_factory=set)

    @property
    def lenders(self) -> dict[NodeId, int]:
        """What each queue lends at most; none if nothing is borrowed."""
        if not self.borrowed or len(self.idle) > _MOST_LENDERS:
            return {}
        total = sum(self.borrowed.values())
        return {queue: min(amount, total) for queue, amount in self.idle.items()}


class Quotas:
    """Bars and arrows after a step.

    Attributes
    ----------
    bars, arrows
        What a frame has of them.
    """

    def __init__(
        self,
        layout: Layout,
        state: State,
        bars: Section,
        arrows: Section,
        waiting: Mapping[str, Mapping[Place, int]] | None = None,
    ) -> None:
        self._layout = layout
        self._usage: dict[NodeId, dict[Place, int]] = {}
        self._reserved: dict[NodeId, dict[Place, int]] = {}
        self._pools: dict[tuple[NodeId, Place], _Pool] = {}
        self.bars, self.arrows = bars, arrows
        every = {
            bar_key(node, *place): bar
            for node, found in layout.bars.items()
            for place, bar in found.items()
        }
        bars.replace([*bars.entries], every)
        arrows.replace([*arrows.entries], {})
        queues = [node.key for node in layout.tree.nodes if node.kind == "ClusterQueue"]
        for queue in queues:
            for place in layout.bars[queue]:
                self._balance(queue, place, 0)
        self.read((name for _, name in queues), state, waiting)

    def read(
        self,
        cluster_queues: Iterable[str],
        state: State,
        waiting: Mapping[str, Mapping[Place, int]] | None = None,
    ) -> None:
        """Read the use of some ClusterQueues anew.

        What a cycle reserves for workloads that wait for it (``waiting``) is not in use yet.
        """
        waiting = waiting or {}
        touched: dict[tuple[NodeId, Place], _Pool] = {}
        for name in cluster_queues:
            queue: NodeId = ("ClusterQueue", name)
            if queue not in self._layout.chain:
                continue
            reserved = waiting.get(name, {})
            self._reserve(queue, reserved)
            usage = state.cluster_queue(name).usage
            after = {place: each - reserved.get(place, 0) for place, each in usage.items()}
            before = self._usage.get(queue, {})
            self._usage[queue] = after
            for place in before | after:
                more = after.get(place, 0) - before.get(place, 0)
                if not more:
                    continue
                self._add(queue, place, more)
                pool = self._balance(queue, place, after.get(place, 0))
                if pool is not None:
                    touched[self._layout.root(queue), place] = pool
        for (_, place), pool in touched.items():
            self._lend(place, pool)

    def _reserve(self, queue: NodeId, reserved: Mapping[Place, int]) -> None:
        """Say what is reserved in a ClusterQueue, and in the cohorts above it."""
        before = self._reserved.get(queue, {})
        for place in dict.fromkeys((*before, *reserved)):
            more = reserved.get(place, 0) - before.get(place, 0)
            for node in self._layout.chain[queue] if more else ():
                key = bar_key(node, *place)
                bar = self.bars.entries.get(key)
                if bar is None:
                    continue
                changed: Json = {**bar, "reserved": bar.get("reserved", 0) + more}
                if not changed["reserved"]:
                    del changed["reserved"]
                self.bars.put(key, changed)
        self._reserved[queue] = dict(reserved)

    def _add(self, queue: NodeId, place: Place, more: int) -> None:
        """Count more use of a ClusterQueue, in it and in the cohorts above it."""
        for node in self._layout.chain[queue]:
            bar = self.bars.entries.get(bar_key(node, *place))
            if bar is None:
                continue
            used = bar["used"] + more
            changed: Json = {**bar, "used": used}
            changed.pop("borrowed", None)
            if node == queue and used > bar["nominal"]:
                changed["borrowed"] = used - bar["nominal"]
            self.bars.put(bar_key(node, *place), changed)

    def _balance(self, queue: NodeId, place: Place, used: int) -> _Pool | None:
        """Count what a ClusterQueue borrows, or could lend; ``None`` if it has no such quota."""
        bar = self._layout.bars[queue].get(place)
        if bar is None:
            return None
        pool = self._pools.setdefault((self._layout.root(queue), place), _Pool())
        pool.borrowed.pop(queue, None)
        pool.idle.pop(queue, None)
        rest = bar["nominal"] - used
        if rest < 0:
            pool.borrowed[queue] = -rest
        elif len(self._layout.chain[queue]) > 1:
            lendable = min(rest, bar.get("lendingLimit", rest))
            if lendable:
                pool.idle[queue] = lendable
        return pool

    def _lend(self, place: Place, pool: _Pool) -> None:
        """Say what each lends, and draw the arrows, anew."""
        lenders = pool.lenders
        for queue in dict.fromkeys((*pool.shown, *lenders)):
            key = bar_key(queue, *place)
            bar = {**self.bars.entries[key]}
            bar.pop("lends", None)
            bar.pop("upTo", None)
            if queue in lenders:
                bar["lends"] = lenders[queue]
                if len(lenders) > 1:
                    bar["upTo"] = True
            self.bars.put(key, bar)
        pool.shown = tuple(lenders)
        only = next(iter(lenders)) if len(lenders) == 1 else None
        for queue in pool.drawn - pool.borrowed.keys():
            self.arrows.put(bar_key(queue, *place), None)
        for queue, amount in pool.borrowed.items():
            arrow = self._arrow(queue, place, only, amount)
            self.arrows.put(bar_key(queue, *place), arrow)
        pool.drawn = set(pool.borrowed)

    def _arrow(self, queue: NodeId, place: Place, only: NodeId | None, amount: int) -> Json | None:
        """Return borrowing from the lender if there is only one, else from the cohort."""
        above = self._layout.chain[queue][1:2]
        source = only or (above[0] if above else None)
        if source is None or place not in self._layout.bars[source]:
            return None
        return {
            "from": bar_key(source, *place),
            "to": bar_key(queue, *place),
            "amount": amount,
        }
