"""Deciding again what Kueue decided, from the state just before.

A watch shows what became of a decision, not who else was looked at in the same cycle. So
the lab first decides about the workload alone; where that comes out differently, it
decides about it together with those that were decided about a moment earlier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, TypeAlias

from kueuelab.live.reach import holding, in_reach
from kueuelab.model import Configuration, Workload
from kueuelab.model.times import SECOND
from kueuelab.scheduler import Entry
from kueuelab.simulation import Cluster
from kueuelab.simulation.objects import ClusterObject
from kueuelab.trace.recorder import Recorder
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


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a decision depends on, at one moment; nothing in it changes."""

    time: int
    objects: tuple[ClusterObject, ...]
    workloads: Mapping[str, Workload]

    def with_admissions_of(self, later: Situation, *, but_for: str) -> Situation | None:
        """Return it with the admissions that are seen later; ``None`` if there are none."""
        found = {
            key: workload
            for key, workload in later.workloads.items()
            if key != but_for
            and workload.status.admission is not None
            and key in self.workloads
            and self.workloads[key].status.admission is None
        }
        if not found:
            return None
        return Situation(self.time, self.objects, {**self.workloads, **found})


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


@dataclass(frozen=True, slots=True)
class _Cycle:
    time: int
    situation: Situation
    heads: tuple[str, ...]
    entries: Mapping[str, Entry]
    inadmissible: frozenset[str]
    steps: tuple[Step, ...]
    basis: Basis | None
    #: What of it was seen in the cluster so far; what is seen again is of a later cycle.
    seen: set[tuple[str, str]] = field(default_factory=set)

    def holds(self, observed: Observed) -> bool:
        """Tell whether it came to the same decision, which was not seen yet."""
        entry = self.entries.get(observed.workload)
        return entry is not None and observed.subject not in self.seen and observed.matches(entry)

    def agreement(self, observed: Observed, steps: tuple[Step, ...] = ()) -> Decision:
        """Return that the lab decides as observed, in this cycle."""
        self.seen.add(observed.subject)
        rejected = observed.workload in self.inadmissible
        return Decision(observed, True, "", steps, self.basis, inadmissible=rejected)


class Redecider:
    """Decides again, and remembers the last moments.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    keep
        Whether decisions keep what they were made from.
    """

    def __init__(self, configuration: Configuration, *, keep: bool = False) -> None:
        self._configuration, self._keep = configuration, keep
        self._cycles: list[_Cycle] = []
        self._situations: list[Situation] = []

    def note(self, situation: Situation) -> None:
        """Remember a situation: Kueue may have decided on it what is seen only later."""
        self._situations.append(situation)
        self._forget(situation.time)

    def decide(self, observed: Observed, before: Situation) -> Decision:
        """Return what the lab decides where Kueue decided ``observed``."""
        self._forget(observed.time)
        known = self._known(observed)
        if known is not None:
            return known.agreement(observed)
        alone = self._cycle((observed.workload,), before)
        attempts = chain([alone], self._together(observed), self._earlier(observed, before))
        for cycle in attempts:
            if cycle.holds(observed):
                self._cycles.append(cycle)
                return cycle.agreement(observed, cycle.steps)
        self._cycles.append(alone)
        said = _said(alone.entries.get(observed.workload))
        return Decision(observed, False, said, alone.steps, alone.basis)

    def decide_late(self, observed: Observed, now: Situation) -> Decision | None:
        """Return agreement that shows only now: causes may be seen after what they cause."""
        known = self._known(observed)
        if known is not None:
            return known.agreement(observed)
        alone = self._cycle((observed.workload,), now)
        for cycle in chain([alone], self._together(observed)):
            if cycle.holds(observed):
                self._cycles.append(cycle)
                return cycle.agreement(observed, cycle.steps)
        return None

    def _forget(self, now: int) -> None:
        self._cycles = [cycle for cycle in self._cycles if now - cycle.time <= _PREEMPTING]
        self._situations = [each for each in self._situations if now - each.time <= MOMENT]

    def _known(self, observed: Observed) -> _Cycle | None:
        """Return the cycle of the last moments that holds the decision already."""
        for cycle in self._cycles[::-1]:
            # Preempting is told victim by victim; the rest is decided anew each time.
            limit = _PREEMPTING if observed.victim else MOMENT
            if abs(observed.time - cycle.time) <= limit and cycle.holds(observed):
                return cycle
        return None

    def _together(self, observed: Observed) -> Iterator[_Cycle]:
        """Decide about it together with those of the last moment's cycles, the latest first."""
        for earlier in self._cycles[::-1]:
            situation, heads = earlier.situation, earlier.heads
            if observed.workload in heads or observed.workload not in situation.workloads:
                continue
            if abs(observed.time - earlier.time) <= MOMENT:
                yield self._cycle((*heads, observed.workload), situation, observed.time)

    def _earlier(self, observed: Observed, now: Situation) -> Iterator[_Cycle]:
        """Decide about it alone in the situations of the last moment, the latest first.

        Kueue counts what it admits at once, and writes it a little later: what has happened
        to others in the meantime may be written first, and was not known to it then.
        """
        for situation in self._situations[: -_TRIED - 1 : -1]:
            if observed.workload in situation.workloads:
                yield self._cycle((observed.workload,), situation, observed.time)
        for situation in self._situations[: -_TRIED - 1 : -1]:
            ahead = situation.with_admissions_of(now, but_for=observed.workload)
            if ahead is not None and observed.workload in situation.workloads:
                yield self._cycle((observed.workload,), ahead, observed.time)

    def _cycle(self, heads: tuple[str, ...], before: Situation, time: int = 0) -> _Cycle:
        """Run one cycle with these heads, and nobody else waiting."""
        recorder = Recorder()
        cluster = Cluster(self._configuration, start=before.time, recorder=recorder)
        # Controllers rest: what they would do, Kueue's own do.
        cluster.on_work = _rest
        queues = None
        waits = self._configuration.wait_for_pods_ready
        if waits is None or not waits.block_admission:  # which looks at everybody's pods
            queues = in_reach(before.objects, before.workloads, heads)
        present = holding(before.workloads.values(), heads, queues)
        cluster.load((*before.objects, *present))
        first = len(recorder.steps)
        record = cluster.cycle()
        entries = {entry.key: entry for entry in (*record.entries, *record.inadmissible)}
        steps = tuple(recorder.steps[first : _end(recorder.steps, first)])
        basis = Basis(before, heads) if self._keep else None
        rejected = frozenset(entry.key for entry in record.inadmissible)
        return _Cycle(time or before.time, before, heads, entries, rejected, steps, basis)


def _rest() -> None:
    """Leave it to Kueue's controllers."""


def _end(steps: list[Step], first: int) -> int:
    for index in range(first, len(steps)):
        if steps[index].kind == "CycleEnded":
            return index + 1
    return len(steps)


def _said(entry: Entry | None) -> str:
    if entry is None:
        return "the lab would not look at it now"
    if entry.status == "assumed":
        return f"the lab would admit it to {entry.cluster_queue} ({_text(_given(entry))})"
    if entry.targets:
        victims = ", ".join(f"{t.workload.key} ({t.reason})" for t in entry.targets)
        return f"the lab would preempt {victims} for it"
    return f"the lab says “{entry.message}”"
