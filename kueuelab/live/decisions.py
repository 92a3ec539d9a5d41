"""A decision of Kueue as a watch shows it, and the lab's beside it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from kueuelab.live.assigned_flavors import Flavors, assigned_flavors, flavors_text
from kueuelab.live.recent_state import FrozenState
from kueuelab.messages import Message
from kueuelab.scheduler import Entry
from kueuelab.trace.steps import Step

__all__ = ["Counts", "Decision", "DecisionInput", "ObservedDecision"]


@dataclass(frozen=True, slots=True)
class ObservedDecision:
    """What Kueue decided about a workload.

    Attributes
    ----------
    workload, time
        The workload, and when the decision was seen.
    cluster_queue, flavors
        Where it was admitted: per pod set its count and its flavors; empty if it was not.
    message
        Why it is pending; empty if it was admitted.
    target, reason
        The workload that ``workload`` preempts, and Kueue's reason; empty without preemption.
    previous
        Why ``workload`` was pending before; empty if Kueue had not said so.
    """

    workload: str
    time: int
    cluster_queue: str = ""
    flavors: Flavors = ()
    message: str = ""
    target: str = ""
    reason: str = ""
    previous: str = field(default="", compare=False)

    def matches(self, entry: Entry) -> bool:
        """Tell whether the lab decides the same."""
        if self.target:
            targets = [(each.workload.key, str(each.reason)) for each in entry.targets]
            return (self.target, self.reason) in targets
        if self.cluster_queue:
            return (
                entry.status == "assumed"
                and entry.cluster_queue == self.cluster_queue
                and assigned_flavors(entry) == self.flavors
            )
        return entry.status != "assumed" and entry.message == self.message

    @property
    def subject(self) -> tuple[str, str]:
        """The workload and the target: one cycle makes at most one decision about both."""
        return self.workload, self.target

    def as_text(self) -> str:
        """Return it as text."""
        if self.target:
            return Message(
                "live.decision.preempts",
                workload=self.workload,
                target=self.target,
                reason=self.reason,
            )
        if self.cluster_queue:
            flavors = flavors_text(self.flavors)
            return Message(
                "live.decision.admitted",
                workload=self.workload,
                cluster_queue=self.cluster_queue,
                flavors=flavors,
            )
        return Message("live.decision.pending", workload=self.workload, reason=self.message)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionInput:
    """The state and the heads of a decision; all decisions of one cycle share them.

    Attributes
    ----------
    state
        The state of the cluster.
    heads
        The heads of the cycle.
    """

    state: FrozenState
    heads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of Kueue, compared with the lab's.

    Attributes
    ----------
    observed
        What Kueue did.
    agrees
        Whether the lab does the same.
    text
        What the lab does instead, if it differs.
    steps
        The steps of the lab's cycle; empty if that cycle was recorded before.
    decided_from
        The state and heads that it was made from, if they are kept.
    inadmissible
        Whether the lab rejects the workload before nomination.
    resumed_after
        The flavors at which the search did not begin, because the last attempt ended there.
    silent_head
        A head of the same cycle that the lab assumes: its message stayed the same, so that Kueue
        wrote nothing about it. Empty if none has to be assumed.
    by_chance
        Whether the lab makes it with another outcome of what Kueue leaves to chance.
    is_certain
        Whether both follow from decisions that were seen. Otherwise it is one of the possible
        memories of Kueue, and only this decision tells of it.
    """

    observed: ObservedDecision
    agrees: bool
    text: str
    steps: tuple[Step, ...] = field(default=(), repr=False)
    decided_from: DecisionInput | None = field(default=None, repr=False, compare=False)
    inadmissible: bool = False
    resumed_after: tuple[str, ...] = ()
    silent_head: str = ""
    by_chance: bool = False
    is_certain: bool = True

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return Kueue's decision, and whether the lab agrees."""
        observed = self.observed.as_text()
        if self.agrees and self.by_chance:
            return Message("live.decision.agrees-by-chance", decision=observed)
        if self.agrees and self.silent_head:
            head = self.silent_head
            return Message("live.decision.agrees-beside", decision=observed, head=head)
        if self.agrees and self.resumed_after:
            return Message(
                "live.decision.agrees-resumed" if self.is_certain else "live.decision.agrees-if",
                decision=observed,
                flavors=", ".join(self.resumed_after),
            )
        if self.agrees:
            return Message("live.decision.agrees", decision=observed)
        return Message("live.decision.differs", decision=observed, lab=self.text)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many decisions were judged, and how many of them differ.

    Attributes
    ----------
    judged, differing
        All, and those that differ.
    uncertain
        Those that agree with one of the possible memories of Kueue.

    Examples
    --------
    >>> Counts(10, 1) + Counts(5)
    Counts(judged=15, differing=1, uncertain=0)
    """

    judged: int = 0
    differing: int = 0
    uncertain: int = 0

    @classmethod
    def of(cls, decisions: Collection[Decision]) -> Counts:
        """Count decisions."""
        differing = sum(not each.agrees for each in decisions)
        uncertain = sum(each.agrees and not each.is_certain for each in decisions)
        return cls(len(decisions), differing, uncertain)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.judged + other.judged,
            self.differing + other.differing,
            self.uncertain + other.uncertain,
        )
