"""Searches for preemption targets, put together from the steps they left.

A search is everything between ``PreemptionStarted`` and ``TargetsChosen``; here each
workload that it looked at has one verdict, with the rule that led to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from kueuelab.trace import steps
from kueuelab.trace.step import Step

__all__ = [
    "Attempt",
    "Search",
    "SkippedQueue",
    "Verdict",
    "VerdictKind",
    "decisive",
    "searches",
]

#: What became of a candidate. All but ``target`` come with the rule that spared it.
VerdictKind = Literal[
    "target", "excluded", "filled-back", "passed-over", "not-enough", "not-needed", "not-reached"
]

_ORDER: Final[tuple[VerdictKind, ...]] = (
    "target",
    "filled-back",
    "not-enough",
    "passed-over",
    "not-needed",
    "not-reached",
    "excluded",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search decided about one workload.

    Attributes
    ----------
    candidate, queue
        The workload and the ClusterQueue in which it holds quota.
    verdict
        What became of it.
    rule, numbers
        The rule that decided, and what it compared.
    variant
        On what ground it might be preempted (``""`` with fair sharing).
    reason
        The condition's reason, of targets.
    shares
        The comparison of shares that decided, with fair sharing.
    step
        The index of the step that decided.
    """

    candidate: str
    queue: str
    verdict: VerdictKind
    rule: str
    numbers: Mapping[str, Any]
    variant: str
    step: int
    reason: str = ""
    shares: steps.SharesCompared | None = None


@dataclass(frozen=True, slots=True)
class SkippedQueue:
    """A ClusterQueue or Cohort none of whose workloads came into question."""

    queue: str
    rule: str
    numbers: Mapping[str, Any]
    step: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at targets: whom it removed, passed over and put back."""

    borrowing: bool
    strategy: str
    step: int
    removed: tuple[str, ...]
    passed_over: tuple[str, ...]
    filled_back: tuple[str, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class Search:
    """A search for preemption targets.

    Attributes
    ----------
    preemptor, queue
        The workload and its ClusterQueue.
    first, last
        The indexes of its first and last step.
    started
        What was sought: purpose, amounts needed, contested resources, policies.
    verdicts
        One per workload looked at: targets first, then the rest by verdict.
    skipped
        Queues skipped as a whole.
    attempts
        The attempts in order.
    targets
        Pairs of workload and reason; empty if there was no way.
    """

    preemptor: str
    queue: str
    first: int
    last: int
    started: steps.PreemptionStarted
    verdicts: tuple[Verdict, ...]
    skipped: tuple[SkippedQueue, ...]
    attempts: tuple[Attempt, ...]
    targets: tuple[tuple[str, str], ...]

    def verdict_on(self, candidate: str) -> Verdict | None:
        """Return the verdict on a workload, ``None`` if it wasn't looked at."""
        return next((each for each in self.verdicts if each.candidate == candidate), None)


def searches(found: Iterable[Step], workload: str) -> list[Search]:
    """Return the searches by a workload among some consecutive steps, in order."""
    result = []
    builder: _Builder | None = None
    for step in found:
        if step.workload != workload:
            continue
        if isinstance(step.facts, steps.PreemptionStarted):
            builder = _Builder(step, step.facts)
        elif builder is not None:
            builder.take(step)
            if isinstance(step.facts, steps.TargetsChosen):
                result.append(builder.built(step, step.facts))
                builder = None
    return result


def decisive(found: Iterable[Step], workload: str) -> Search | None:
    """Return the search whose targets the workload ended up with, ``None`` if it has none.

    Flavors that are tried out, fewer pods and overlapping targets make for more than one.
    """
    own = [step for step in found if step.workload == workload]
    targets: tuple[tuple[str, str], ...] = ()
    for step in own:
        if isinstance(step.facts, steps.Nominated | steps.Recomputed | steps.EntryProcessed):
            targets = step.facts.targets
    for search in reversed(searches(own, workload)):
        if targets and search.started.purpose == "targets" and search.targets == targets:
            return search
    return None


@dataclass(slots=True)
class _Try:
    """An attempt as it is being put together."""

    started: steps.AttemptStarted
    step: int
    removed: dict[str, int] = field(default_factory=dict)
    passed_over: dict[str, tuple[int, steps.CandidatePassedOver]] = field(default_factory=dict)
    compared: dict[str, tuple[int, steps.SharesCompared]] = field(default_factory=dict)
    filled_back: dict[str, int] = field(default_factory=dict)
    fits: bool = False

    def frozen(self) -> Attempt:
        """Return what came of it."""
        failed = [key for key, (_, facts) in self.compared.items() if not facts.passed]
        return Attempt(
            self.started.borrowing,
            self.started.strategy,
            self.step,
            tuple(self.removed),
            (*self.passed_over, *failed),
            tuple(self.filled_back),
            self.fits,
        )


class _Builder:
    """Takes the steps of a search one after another."""

    def __init__(self, step: Step, started: steps.PreemptionStarted) -> None:
        self._step = step
        self._started = started
        self._considered: dict[str, tuple[int, steps.CandidateConsidered]] = {}
        self._skipped: list[SkippedQueue] = []
        self._tries: list[_Try] = []

    def take(self, step: Step) -> None:
        """Take the next step."""
        facts = step.facts
        match facts:
            case steps.CandidateConsidered():
                self._considered[facts.candidate] = step.index, facts
            case steps.QueueSkipped():
                self._skipped.append(
                    SkippedQueue(facts.queue, facts.rule, facts.numbers, step.index)
                )
            case steps.AttemptStarted():
                self._tries.append(_Try(facts, step.index))
            case _ if self._tries:
                self._take_into(self._tries[-1], step)

    @staticmethod
    def _take_into(attempt: _Try, step: Step) -> None:
        facts = step.facts
        match facts:
            case steps.CandidatePassedOver():
                attempt.passed_over[facts.candidate] = step.index, facts
            case steps.SharesCompared():
                attempt.compared[facts.candidate] = step.index, facts
            case steps.WorkloadRemoved():
                attempt.removed[facts.candidate] = step.index
            case steps.FitChecked() if not attempt.filled_back:
                attempt.fits = attempt.fits or facts.fits
            case steps.FilledBack() if facts.kept:
                attempt.filled_back[facts.candidate] = step.index

    def built(self, step: Step, chosen: steps.TargetsChosen) -> Search:
        """Return the search, now that it has ended."""
        verdicts = [self._verdict(key, dict(chosen.targets)) for key in self._considered]
        verdicts.sort(key=lambda each: _ORDER.index(each.verdict))
        return Search(
            step.workload,
            step.cluster_queue,
            self._step.index,
            step.index,
            self._started,
            tuple(verdicts),
            tuple(self._skipped),
            tuple(attempt.frozen() for attempt in self._tries),
            chosen.targets,
        )

    def _verdict(self, key: str, targets: Mapping[str, str]) -> Verdict:
        index, considered = self._considered[key]

        def verdict(
            kind: VerdictKind,
            rule: str,
            numbers: Mapping[str, Any] = considered.numbers,
            at: int = index,
            shares: steps.SharesCompared | None = None,
        ) -> Verdict:
            queue, variant = considered.candidate_queue, considered.variant
            reason = targets.get(key, "")
            return Verdict(key, queue, kind, rule, numbers, variant, at, reason, shares)

        if not considered.included:
            return verdict("excluded", considered.rule)
        if key in targets:
            return verdict("target", considered.rule, shares=self._shares(key))
        # What the last attempt that came to it did with it; a later strategy goes on
        # where the one before it left off.
        for attempt in reversed(self._tries):
            if key in attempt.filled_back:
                return verdict("filled-back", "filled-back", at=attempt.filled_back[key])
            if key in attempt.removed:
                return verdict("not-enough", "not-enough", at=attempt.removed[key])
            if key in attempt.passed_over:
                at, facts = attempt.passed_over[key]
                return verdict("passed-over", facts.rule, facts.numbers, at)
            if key in attempt.compared:
                at, shares = attempt.compared[key]
                return verdict("passed-over", f"shares.{shares.strategy}", at=at, shares=shares)
            if attempt.fits and not attempt.started.strategy:
                break
        rule: Literal["not-needed", "not-reached"] = "not-needed" if targets else "not-reached"
        return verdict(rule, rule)

    def _shares(self, key: str) -> steps.SharesCompared | None:
        for attempt in reversed(self._tries):
            if key in attempt.compared:
                return attempt.compared[key][1]
        return None
