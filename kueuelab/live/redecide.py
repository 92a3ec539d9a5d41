"""Deciding again what Kueue decided, from the state just before.

A watch shows what became of a decision, not who else was looked at in the same cycle. So
the lab first decides about the workload alone; where that comes out differently, it
decides about it together with those that were decided about a moment earlier.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from typing import Final, TypeAlias

from kueuelab.live.recent_state import NO_OUTCOME, Outcome, RecentState, Situation
from kueuelab.model import Configuration
from kueuelab.model.times import SECOND
from kueuelab.scheduler import Entry
from kueuelab.trace.steps import Step

__all__ = ["MOMENT", "Decision", "Observed", "Redecider", "Situation"]

#: How long before or after a decision others of the same cycle may become visible.
MOMENT: Final = 2 * SECOND
#: Preempting takes as long as the pods of the victims take to stop, or a little less.
_PREEMPTING: Final = 5 * SECOND
#: How many situations of the last moment are tried.
_TRIED: Final = 8

#: Per pod set its name, its count, and the flavor of each resource.
Flavors: TypeAlias = tuple[tuple[str, int, Mapping[str, str]], ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """What Kueue decided about a workload.

    Attributes
    ----------
    workload, time
        About whom, and when it was seen.
    cluster_queue, flavors
        Where it was admitted: per pod set its count and its flavors; empty if it was not.
    message
        Why it waits; empty if it was admitted.
    victim, reason
        If set: ``workload`` preempts it, and why that is allowed.
    """

    workload: str
    time: int
    cluster_queue: str = ""
    flavors: Flavors = ()
    message: str = ""
    victim: str = ""
    reason: str = ""

    def matches(self, entry: Entry) -> bool:
        """Tell whether the lab decides the same."""
        if self.victim:
            targets = [(target.workload.key, str(target.reason)) for target in entry.targets]
            return (self.victim, self.reason) in targets
        if self.cluster_queue:
            return (
                entry.status == "assumed"
                and entry.cluster_queue == self.cluster_queue
                and _given(entry) == self.flavors
            )
        return entry.status != "assumed" and entry.message == self.message

    @property
    def subject(self) -> tuple[str, str]:
        """About what it is: one cycle decides once about a workload, and once about a target."""
        return self.workload, self.victim

    def as_text(self) -> str:
        """Return it in words."""
        if self.victim:
            return f"{self.workload} preempts {self.victim} ({self.reason})"
        if self.cluster_queue:
            flavors = {
                f"{r} on {f}": None for _, _, given in self.flavors for r, f in given.items()
            }
            return f"{self.workload} is admitted to {self.cluster_queue} ({', '.join(flavors)})"
        return f"{self.workload} waits: {self.message}"


def _text(flavors: Flavors) -> str:
    """Return flavors as ``cpu on spot, memory on spot``."""
    found = {f"{r} on {flavor}": None for _, _, given in flavors for r, flavor in given.items()}
    return ", ".join(found)


def _given(entry: Entry) -> Flavors:
    if entry.assignment is None:
        return ()
    found = entry.assignment.to_admission(entry.cluster_queue).pod_set_assignments
    return tuple((each.name, each.count or 0, dict(each.flavors)) for each in found)


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """From what something was decided; decisions of one cycle have the same one.

    Attributes
    ----------
    situation
        What was there.
    heads
        Who was decided about.
    """

    situation: Situation
    heads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the lab decided, held against what Kueue did.

    Attributes
    ----------
    observed
        What Kueue did.
    agrees
        Whether the lab does the same.
    text
        What the lab does instead, if it differs.
    steps
        The lab's cycle; empty if it is one that was recorded already.
    basis
        From what it was decided, if that is kept.
    inadmissible
        Whether the lab rejects the workload before nomination.
    """

    observed: Observed
    agrees: bool
    text: str
    steps: tuple[Step, ...] = field(default=(), repr=False)
    basis: Basis | None = field(default=None, repr=False, compare=False)
    inadmissible: bool = False

    def __str__(self) -> str:
        told = "agrees with Kueue" if self.agrees else f"differs: {self.text}"
        return f"{self.observed.as_text()} — {told}"


@dataclass(frozen=True, slots=True, eq=False)
class _Cycle:
    time: int
    mark: int
    heads: tuple[str, ...]
    outcome: Outcome
    ahead: bool = False
    basis: Basis | None = None
    #: What of it was seen in the cluster so far; what is seen again is of a later cycle.
    seen: set[tuple[str, str]] = field(default_factory=set)

    def holds(self, observed: Observed) -> bool:
        """Tell whether it came to the same decision, which was not seen yet."""
        entry = self.outcome.entries.get(observed.workload)
        return entry is not None and observed.subject not in self.seen and observed.matches(entry)

    @property
    def leaves_out(self) -> bool:
        """Whether an entry no longer fits after another one: the order counts."""
        return any(entry.status == "skipped" for entry in self.outcome.entries.values())


class Redecider:
    """Decides again, and remembers the last moments.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time, in nanoseconds since 1970.
    keep
        Whether decisions keep what they were made from.

    Attributes
    ----------
    state
        The cluster, as of now or of a moment ago.
    """

    def __init__(self, configuration: Configuration, start: int, *, keep: bool = False) -> None:
        self.state = RecentState(configuration, start)
        self._keep = keep
        self._cycles: deque[_Cycle] = deque()
        self._by_workload: dict[str, list[_Cycle]] = {}

    def decide(self, observed: Observed) -> Decision:
        """Return what the lab decides where Kueue decided ``observed``, just before it."""
        self._forget(observed.time)
        known = self._known(observed)
        if known is not None:
            return _agreement(known, observed)
        now = self.state.mark
        alone = self._cycle((observed.workload,), now, observed.time)
        attempts = chain([alone], self._together(observed), self._earlier(observed))
        for cycle in attempts:
            if cycle.holds(observed):
                cycle = self._told(cycle)
                return _agreement(cycle, observed, cycle.outcome.steps)
        alone = self._told(alone)
        said = _said(alone.outcome.entries.get(observed.workload))
        return Decision(observed, False, said, alone.outcome.steps, alone.basis)

    def decide_late(self, observed: Observed, changed: str, time: int) -> Decision | None:
        """Return agreement that shows only now: causes may be seen after what they cause.

        Parameters
        ----------
        observed
            A decision that the lab did not make so far.
        changed
            The workload that has just changed; in another cohort tree it matters to nothing.
        time
            When that was.
        """
        state = self.state
        if state.tree_of(changed) != state.tree_of(observed.workload):
            return None
        known = self._known(observed)
        if known is not None:
            return _agreement(known, observed)
        since = list(takewhile(lambda cycle: cycle.time == time, reversed(self._cycles)))[::-1]
        attempts: Iterator[_Cycle] = self._together(observed, since)
        if state.moved_quota or changed == observed.workload:
            # Without that it comes out alone as it did before.
            alone = [self._cycle((observed.workload,), state.mark, time)]
            attempts = chain(alone, attempts)
        for cycle in attempts:
            if cycle.holds(observed):
                cycle = self._told(cycle)
                return _agreement(cycle, observed, cycle.outcome.steps)
        return None

    def _forget(self, now: int) -> None:
        while self._cycles and now - self._cycles[0].time > _PREEMPTING:
            old = self._cycles.popleft()
            for workload in old.outcome.entries:
                self._by_workload[workload].remove(old)
        self.state.forget(now - MOMENT)

    def _known(self, observed: Observed) -> _Cycle | None:
        """Return the cycle of the last moments that holds the decision already."""
        for cycle in reversed(self._by_workload.get(observed.workload, ())):
            # Preempting is told victim by victim; the rest is decided anew each time.
            limit = _PREEMPTING if observed.victim else MOMENT
            if abs(observed.time - cycle.time) <= limit and cycle.holds(observed):
                return cycle
        return None

    def _together(
        self, observed: Observed, cycles: Sequence[_Cycle] | None = None
    ) -> Iterator[_Cycle]:
        """Decide about it together with those of the last moment's cycles, the latest first.

        Which of equal heads goes first is left to chance in Kueue, so both orders count.
        """
        state, workload = self.state, observed.workload
        tree, queue = state.tree_of(workload), state.queue_of(workload)
        tried = 0
        for earlier in reversed(self._cycles if cycles is None else cycles):
            heads = earlier.heads
            if tried == _TRIED or abs(observed.time - earlier.time) > MOMENT:
                return
            if not earlier.outcome.matters:
                continue
            if state.tree_of(heads[0]) != tree or queue in map(state.queue_of, heads):
                continue
            tried += 1
            together = self._cycle((*heads, workload), earlier.mark, observed.time)
            yield together
            if together.leaves_out:
                yield self._cycle((workload, *heads), earlier.mark, observed.time)

    def _earlier(self, observed: Observed) -> Iterator[_Cycle]:
        """Decide about it alone in the states of the last moment, the latest first.

        Kueue counts what it admits at once, and writes it a little later: what has happened
        to others in the meantime may be written first, and was not known to it then.
        """
        marks = list(self.state.marks(observed.workload, _TRIED))
        for mark in marks:
            yield self._cycle((observed.workload,), mark, observed.time)
        for mark in marks:
            yield self._cycle((observed.workload,), mark, observed.time, ahead=True)

    def _cycle(
        self, heads: tuple[str, ...], mark: int, time: int, *, ahead: bool = False
    ) -> _Cycle:
        """Run one cycle with these heads alone, on the state at a mark."""
        state = self.state
        with state.at(mark, state.tree_of(heads[-1]), heads[-1] if ahead else "") as another:
            if ahead and not another:
                return _Cycle(time, mark, heads, NO_OUTCOME)
            return _Cycle(time, mark, heads, state.cycle(heads, time), ahead)

    def _told(self, cycle: _Cycle) -> _Cycle:
        """Run a cycle again, to record its steps, and remember it: most are only tried."""
        state, heads, time = self.state, cycle.heads, cycle.time
        with state.at(cycle.mark, state.tree_of(heads[-1]), heads[-1] if cycle.ahead else ""):
            outcome = state.cycle(heads, time, recorded=True)
            basis = Basis(state.situation(time), heads) if self._keep else None
        told = replace(cycle, outcome=outcome, basis=basis)
        self._cycles.append(told)
        for workload in outcome.entries:
            self._by_workload.setdefault(workload, []).append(told)
        return told


def _agreement(cycle: _Cycle, observed: Observed, steps: tuple[Step, ...] = ()) -> Decision:
    """Return that the lab decides as observed, in a cycle."""
    cycle.seen.add(observed.subject)
    rejected = observed.workload in cycle.outcome.inadmissible
    return Decision(observed, True, "", steps, cycle.basis, inadmissible=rejected)


def _said(entry: Entry | None) -> str:
    if entry is None:
        return "the lab would not look at it now"
    if entry.status == "assumed":
        return f"the lab would admit it to {entry.cluster_queue} ({_text(_given(entry))})"
    if entry.targets:
        victims = ", ".join(f"{t.workload.key} ({t.reason})" for t in entry.targets)
        return f"the lab would preempt {victims} for it"
    return f"the lab says “{entry.message}”"
