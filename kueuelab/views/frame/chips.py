"""Workloads as chips: in the bar of the quota that they hold, or at the LocalQueue they wait in.

Of a bar with many chips those are shown one by one that have a role in the step, then the largest;
the others are one chip that counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.trace.reading import Holding, WorkloadView
from kueuelab.trace.variants import outcome_of
from kueuelab.views.frame.chip_groups import grouped
from kueuelab.views.frame.cycle_so_far import CycleSoFar
from kueuelab.views.frame.keys import bar_key, chip_key, node_key
from kueuelab.views.frame.layout import Layout, Place
from kueuelab.views.merge_patch import Json
from kueuelab.views.run_index import RunIndex
from kueuelab.views.workloads_by_queue import WorkloadsByQueue

__all__ = ["Chips"]

#: Where a chip is drawn in its bar: behind those that only hold quota, in this order.
_REMOVED: Final = 1
_RESERVED: Final = 2
_MORE: Final = 3
_SIMULATED: Final = 4
#: The same at a LocalQueue.
_INADMISSIBLE: Final = 1
#: Microseconds are fine enough to order a queue, and integers of a browser hold them.
_MICRO: Final = 1_000


@dataclass(frozen=True, slots=True)
class Chips:
    """Makes the chips of one queue after a step.

    Attributes
    ----------
    roles
        The role of each workload in the step.
    excluded
        The ClusterQueues of which all workloads are excluded.
    """

    run_index: RunIndex
    index: int
    layout: Layout
    by_queue: WorkloadsByQueue
    cycle: CycleSoFar
    roles: Mapping[str, str]
    excluded: Set[str]

    # --- holding quota -----------------------------------------------------------------

    def of_cluster_queue(self, name: str, bars: Mapping[str, Json]) -> dict[str, Json]:
        """Return the chips in the bars of a ClusterQueue, given the bars of the frame."""
        node = ("ClusterQueue", name)
        held: dict[Place, list[tuple[str, Json]]] = {
            place: [] for place in self.layout.bars.get(node, ())
        }
        for holding in self.by_queue.holdings(name):
            place = (holding.flavor, holding.resource)
            if place in held and self.run_index.holds(holding.workload, self.index):
                chip = self._holding(holding, bar_key(node, *place))
                held[place].append((chip_key(holding.workload, *place), chip))
        for workload, place, amount in self.cycle.given_back.get(name, ()):
            for key, chip in held.get(place, ()):
                if key == chip_key(workload, *place):
                    chip["amount"] -= amount
        reserved = self.cycle.reserved.get(name, ())
        waiting = self.cycle.waiting.get(name, {})
        found: dict[str, Json] = {}
        for place, chips in held.items():
            key = bar_key(node, *place)
            used = bars[key]["used"] + bars[key].get("reserved", 0)
            self._mark_preempted(chips, used)
            aside = [
                (
                    f"{chip_key(workload, *place)}|reserved",
                    self._reserved(workload, key, amount, place in waiting),
                )
                for workload, where, amount in reserved
                if where == place
            ]
            known = sum(
                chip["amount"] for _, chip in (*chips, *aside) if chip.get("role") != "removed"
            )
            found |= _bounded(chips, self.layout.most_chips, key, {"bar": key})
            found |= dict(aside)
            if used > known:
                simulated = {"workload": "", "amount": used - known, "hollow": True}
                found[f"{key}|simulated"] = {"bar": key, "order": _SIMULATED, **simulated}
        return grouped(found, self.run_index.groups)

    def _holding(self, holding: Holding, bar: str) -> Json:
        found = self.by_queue.reading(holding.workload)
        chip: Json = {"bar": bar, "workload": holding.workload, "amount": holding.amount}
        if found:
            chip |= {"priority": found.priority, "phase": found.phase}
            if self._is_variant(holding.workload):
                chip["outcome"] = outcome_of(found)
        role = self.roles.get(holding.workload, "")
        if role == "head":
            role = ""  # What holds quota has left the queue, even if the step is about it.
        if not role and holding.cluster_queue in self.excluded:
            role = "excluded"
        if role:
            chip["role"] = role
        if role == "removed":
            chip |= {"hollow": True, "order": _REMOVED}
        return chip

    def _mark_preempted(self, chips: Iterable[tuple[str, Json]], used: int) -> None:
        """Mark what this cycle preempts already, while it is counted as gone."""
        if sum(chip["amount"] for _, chip in chips if not chip.get("hollow")) <= used:
            return
        for _, chip in chips:
            if chip["workload"] in self.cycle.preempted:
                chip |= {"role": "removed", "hollow": True, "order": _REMOVED}

    def _reserved(self, workload: str, bar: str, amount: int, waits: bool) -> Json:
        chip = {"bar": bar, "workload": workload, "amount": amount, "hollow": True}
        if waits:
            chip["waits"] = True
        role = self.roles.get(workload, "")
        return {**chip, "reserved": True, "order": _RESERVED, **({"role": role} if role else {})}

    # --- waiting -----------------------------------------------------------------------

    def of_local_queue(self, name: str) -> dict[str, Json]:
        """Return the chips of the workloads that wait in a LocalQueue."""
        if name not in self.layout.local_queues:
            return {}
        key = node_key(("LocalQueue", name))
        order = sorted(self.by_queue.waiting(name).values(), key=_turn)
        most = self.layout.most_chips
        found: dict[str, Json] = {}
        rest = 0
        for place, each in enumerate(order):
            role = self.roles.get(each.key, "")
            if place < most or role:
                found[each.key] = dict(self._waiting(each, key, role))
            else:
                rest += 1
        if rest:
            found[f"{key}|more"] = {"queue": key, "workload": "", "count": rest, "order": _MORE}
        return grouped(found, self.run_index.groups)

    def _waiting(self, found: WorkloadView, queue: str, role: str) -> Iterator[tuple[str, Any]]:
        yield "queue", queue
        yield "workload", found.key
        yield "priority", found.priority
        yield "since", (found.queued_at - self.run_index.trace[0].time) // _MICRO
        if asks := self.run_index.requests(found.key, self.index):
            # What takes most of the picture's width is the first.
            yield "asks", dict(sorted(asks.items(), key=self._narrow))
            if adds := self._adds(found.key, asks):
                yield "adds", dict(sorted(adds.items(), key=self._narrow))
        if found.place:
            yield "place", found.place
        if found.place == "inadmissible":
            yield "order", _INADMISSIBLE
        if found.waiting:
            yield "why", found.waiting
        if self._is_variant(found.key):
            yield "outcome", outcome_of(found)
        if role:
            yield "role", role

    def _is_variant(self, workload: str) -> bool:
        member = self.run_index.groups.of(workload)
        return member is not None and member.kind == "variant"

    def _adds(self, workload: str, asks: Mapping[str, int]) -> dict[str, int]:
        """Return what a slice needs beyond what the slice holds that it is to replace."""
        member = self.run_index.groups.of(workload)
        replaced = self.by_queue.reading(member.replaces) if member and member.replaces else None
        if replaced is None or not replaced.holds_quota:
            return {}
        left = dict(asks)
        for held in replaced.holdings:
            left[held.resource] = max(0, left.get(held.resource, 0) - held.amount)
        return left

    def _narrow(self, asked: tuple[str, int]) -> float:
        resource, amount = asked
        return -amount / self.run_index.extent(resource)


def _turn(found: WorkloadView) -> tuple[bool, int, int, str]:
    return found.place == "inadmissible", -found.priority, found.queued_at, found.key


def _bounded(
    chips: list[tuple[str, Json]], most: int, key: str, place: Mapping[str, str]
) -> dict[str, Json]:
    """Return chips by key; of many, the least important ones are one that counts them."""
    found = dict(chips)
    if len(chips) <= most:
        return found
    shown = sorted(chips, key=_importance)
    rest = [name for name, _ in shown[most - 1 :]]
    total = sum(found.pop(name)["amount"] for name in rest)
    more = {"workload": "", "count": len(rest), "amount": total, "order": _MORE}
    return {**found, f"{key}|more": {**place, **more}}


def _importance(named: tuple[str, Json]) -> tuple[bool, int, str]:
    key, chip = named
    return chip.get("role", "excluded") == "excluded", -chip["amount"], key
