"""What a scheduling cycle has decided up to a step, before it takes effect."""

from __future__ import annotations

from typing import TypeAlias

from kueuelab.trace import steps
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.layout import Place

__all__ = ["CycleSoFar", "Reserved"]

#: A workload, the flavor and resource, and how much of it its entry reserves.
Reserved: TypeAlias = tuple[str, Place, int]


class CycleSoFar:
    """Quota that the entries of a cycle reserve, and the workloads that they preempt.

    Attributes
    ----------
    reserved
        The quota that is reserved, by ClusterQueue; nothing once the cycle has ended.
    waiting
        The part of it that is not there yet: what preemptors and others wait for, by ClusterQueue.
    given_back
        What slices of elastic jobs give back to smaller ones that replace them, by ClusterQueue.
    preempted
        The targets of the entries that were processed.
    """

    __slots__ = (
        *("_at", "_last", "_replaced", "_trace"),
        *("given_back", "preempted", "reserved", "waiting"),
    )

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._at = -2
        self._last = -2
        self.reserved: dict[str, list[Reserved]] = {}
        self.waiting: dict[str, dict[Place, int]] = {}
        self.given_back: dict[str, list[Reserved]] = {}
        self._replaced: dict[str, str] = {}
        self.preempted: set[str] = set()

    def at(self, index: int) -> tuple[set[str], set[str]]:
        """Go to a step; return the ClusterQueues and the workloads for which something differs."""
        queues, workloads = {*self.reserved, *self.given_back}, set(self.preempted)
        if index == self._at + 1 < self._last:
            self._at = index
            queues, workloads = self._read(self._trace[index])
            return queues, workloads
        self._at, self._last = index, -2
        self.reserved, self.waiting, self.preempted = {}, {}, set()
        self.given_back, self._replaced = {}, {}
        cycle = self._trace.cycle_at(index)
        if cycle is not None:
            self._last = cycle.last
            for place in range(cycle.first, index + 1):
                self._read(self._trace[place])
            if index == cycle.last:
                self.reserved, self.waiting, self.given_back = {}, {}, {}
        return queues | self.reserved.keys() | self.given_back.keys(), workloads ^ self.preempted

    def _read(self, step: Step) -> tuple[set[str], set[str]]:
        facts = step.facts
        if isinstance(facts, steps.ReplacesSlice):
            self._replaced[step.workload] = facts.replaced
        elif isinstance(facts, steps.QuotaHeld):
            replaced = self._replaced.get(step.workload, "")
            less = [
                (replaced, (flavor, resource), -amount)
                for flavor, resource, amount in facts.usage
                if amount < 0
            ]
            if less:
                self.given_back.setdefault(step.cluster_queue, []).extend(less)
            found = [
                (step.workload, (flavor, resource), amount)
                for flavor, resource, amount in facts.usage
                if amount > 0
            ]
            if found or less:
                self.reserved.setdefault(step.cluster_queue, []).extend(found)
                if facts.why != "admitted":
                    waiting = self.waiting.setdefault(step.cluster_queue, {})
                    for _, place, amount in found:
                        waiting[place] = waiting.get(place, 0) + amount
                return {step.cluster_queue}, set()
        elif isinstance(facts, steps.EntryProcessed):
            targets = {key for key, _ in facts.targets}
            self.preempted |= targets
            return set(), targets
        return set(), set()
