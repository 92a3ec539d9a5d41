"""The decisions of a run, one after another: what a reader skims to find the one that matters."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace

__all__ = ["OUTCOMES", "Decision", "Decisions"]

#: What can be decided of a workload.
OUTCOMES: Final = (
    "admitted",
    "quotaReserved",
    "preempting",
    "pending",
    "preempted",
    "evicted",
    "finished",
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided of a workload in a step.

    Attributes
    ----------
    step
        The index of the step.
    outcome
        One of :data:`OUTCOMES`.
    """

    step: int
    outcome: str


class Decisions:
    """The decisions of a run, in their order.

    Of a head that a cycle looked at there is one: its quota, the workloads that it preempts, or
    that it stays pending. An admission that comes right with its quota is one decision, not two.

    Parameters
    ----------
    trace
        The record of the run.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> trace = scenarios.load("reclaim-1-take-back").run().trace
    >>> found = Decisions(trace)
    >>> [each.outcome for each in found.every][:4]
    ['admitted', 'admitted', 'preempting', 'preempted']
    >>> found.counts["preempted"]
    1
    >>> [each.step for each in found.of({"preempted"})]
    [63]
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._chosen: dict[frozenset[str], tuple[Decision, ...]] = {}

    @cached_property
    def every(self) -> tuple[Decision, ...]:
        """All decisions."""
        return tuple(self._read())

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many decisions there are of each outcome; of those that there are."""
        found = Counter(each.outcome for each in self.every)
        return MappingProxyType({each: found[each] for each in OUTCOMES if found[each]})

    def of(self, outcomes: Collection[str]) -> tuple[Decision, ...]:
        """Return the decisions of some outcomes; all of them if none is named."""
        if not outcomes:
            return self.every
        wanted = frozenset(outcomes) & frozenset(OUTCOMES)
        if wanted not in self._chosen:
            self._chosen[wanted] = tuple(each for each in self.every if each.outcome in wanted)
        return self._chosen[wanted]

    @staticmethod
    def last(found: tuple[Decision, ...], index: int) -> int:
        """Return the place of the last decision up to a step; -1 before the first."""
        return bisect_right(found, index, key=attrgetter("step")) - 1

    def _read(self) -> Iterator[Decision]:
        trace = self._trace
        reserved: dict[tuple[str, str], tuple[int, int]] = {}
        found: dict[int, Decision] = {}
        for index in trace.of_kind(*_KINDS):
            step = trace[index]
            at, outcome = index, _outcome_of(step)
            key = step.cluster, step.workload
            if outcome == "quotaReserved":
                reserved[key] = index, step.time
            elif outcome == "admitted":
                # An admission in the moment of its reservation takes the place of that.
                place, time = reserved.pop(key, (index, step.time))
                at = place if time == step.time else index
            if outcome:
                found[at] = Decision(at, outcome)
        yield from sorted(found.values(), key=attrgetter("step"))


_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"QuotaReserved": "quotaReserved", "Admitted": "admitted", "Finished": "finished"}
)
_KINDS: Final = ("EntryProcessed", "NotNominated", "Evicted", *_NAMES)


def _outcome_of(step: Step) -> str:
    """Return what a step decides; ``""`` where another step says it."""
    match step.facts:
        case steps.EntryProcessed(status="assumed" | "evicted"):
            return ""
        case steps.EntryProcessed(requeue_reason="PendingPreemption", targets=targets) if targets:
            return "preempting"
        case steps.EntryProcessed() | steps.NotNominated():
            return "pending"
        case steps.Evicted(preemptor=preemptor):
            return "preempted" if preemptor else "evicted"
        case _:
            return _NAMES[step.kind]
