"""Reading a search for preemption targets from its steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from kueuelab.trace import steps
from kueuelab.trace.search import (
    Attempt,
    Candidate,
    CandidateStatus,
    Search,
    SearchProgress,
    SkippedQueue,
    Verdict,
    VerdictKind,
)
from kueuelab.trace.step import Step

__all__ = ["SearchReader", "read_search"]

_ORDER: Final[tuple[VerdictKind, ...]] = (
    "target",
    "filled-back",
    "not-enough",
    "passed-over",
    "not-needed",
    "not-reached",
    "excluded",
)
#: Sorts behind every rank.
_LAST: Final = 1 << 30


@dataclass(slots=True)
class _Attempt:
    """An attempt while its steps are read."""

    started: steps.AttemptStarted
    step: int
    removed: dict[str, tuple[int, steps.WorkloadRemoved]] = field(default_factory=dict)
    passed_over: dict[str, tuple[int, steps.CandidatePassedOver]] = field(default_factory=dict)
    compared: dict[str, tuple[int, steps.SharesCompared]] = field(default_factory=dict)
    filled_back: dict[str, int] = field(default_factory=dict)
    fits: bool = False

    @property
    def failed(self) -> dict[str, tuple[int, str]]:
        """Candidates that the comparison of shares excluded, with its step and strategy."""
        return {
            key: (at, facts.strategy)
            for key, (at, facts) in self.compared.items()
            if not facts.passed
        }

    def status(self, key: str) -> CandidateStatus:
        """Return the status of a candidate in this attempt."""
        if key in self.filled_back:
            return "filled-back"
        if key in self.removed:
            return "removed"
        return "passed-over" if key in self.passed_over or key in self.failed else "candidate"

    def decisions(self, key: str) -> Iterator[tuple[int, str]]:
        """Yield the steps at which a candidate was not taken in this attempt, with the rule."""
        if key in self.filled_back:
            yield self.filled_back[key], "filled-back"
        if key in self.passed_over:
            at, facts = self.passed_over[key]
            yield at, facts.rule
        if key in self.failed:
            yield self.failed[key]

    def frozen(self) -> Attempt:
        """Return the attempt."""
        return Attempt(
            self.started.borrowing,
            self.started.strategy,
            self.step,
            tuple(self.removed),
            (*self.passed_over, *self.failed),
            tuple(self.filled_back),
            self.fits,
        )


def read_search(found: Iterable[Step]) -> SearchReader:
    """Return the reader of a search, given its steps from the first one on."""
    reader: SearchReader | None = None
    for step in found:
        if reader is None:
            assert isinstance(step.facts, steps.PreemptionStarted)
            reader = SearchReader(step, step.facts)
        else:
            reader.take(step)
    assert reader is not None
    return reader


class SearchReader:
    """Takes the steps of a search one after another."""

    def __init__(self, step: Step, started: steps.PreemptionStarted) -> None:
        self._step = step
        self._started = started
        self._considered: dict[str, tuple[int, steps.CandidateConsidered]] = {}
        self._skipped: list[SkippedQueue] = []
        self._attempts: list[_Attempt] = []
        self._ranks: dict[str, int] = {}
        self._targets: dict[str, str] | None = None

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
            case steps.CandidatesOrdered():
                self._ranks = {key: rank for rank, key in enumerate(facts.candidates, 1)}
            case steps.AttemptStarted():
                self._attempts.append(_Attempt(facts, step.index))
            case steps.TargetsChosen() | steps.Nominated() | steps.EntryProcessed():
                self._targets = dict(facts.targets)
            case _ if self._attempts:
                self._take_into(self._attempts[-1], step)

    @staticmethod
    def _take_into(attempt: _Attempt, step: Step) -> None:
        facts = step.facts
        match facts:
            case steps.CandidatePassedOver():
                attempt.passed_over[facts.candidate] = step.index, facts
            case steps.SharesCompared():
                attempt.compared[facts.candidate] = step.index, facts
            case steps.WorkloadRemoved():
                attempt.removed[facts.candidate] = step.index, facts
            case steps.FitChecked() if not attempt.filled_back:
                attempt.fits = attempt.fits or facts.fits
            case steps.FilledBack() if facts.kept:
                attempt.filled_back[facts.candidate] = step.index

    def has_targets(self, targets: Iterable[tuple[str, str]]) -> bool:
        """Tell whether all of these are targets of the search so far."""
        return all(key in (self._targets or {}) for key, _ in targets)

    def progress(self) -> SearchProgress:
        """Return the search after the steps so far."""
        considered = sorted(self._considered, key=lambda key: self._ranks.get(key, _LAST))
        unknown = [key for key in self._targets or {} if key not in self._considered]
        return SearchProgress(
            self._step.workload,
            True,
            tuple(self._candidate(key) for key in (*considered, *unknown)),
            tuple({each.queue: each for each in self._skipped}.values()),
        )

    def _candidate(self, key: str) -> Candidate:
        status, reason = self._status(key)
        known = self._considered.get(key)
        if known is None:
            return Candidate(key, "", status, "", self._step.index, reason=reason)
        index, facts = known
        decisions = [each for attempt in self._attempts for each in attempt.decisions(key)]
        at, rule = max([(index, facts.rule), *decisions])
        rank = self._ranks.get(key, 0)
        return Candidate(key, facts.candidate_queue, status, rule, at, rank, reason)

    def _status(self, key: str) -> tuple[CandidateStatus, str]:
        if self._targets and key in self._targets:
            return "target", self._targets[key]
        if not self._considered[key][1].included:
            return "excluded", ""
        if not self._attempts:
            return "candidate", ""
        attempt = self._attempts[-1]
        status = attempt.status(key)
        if status == "removed" and self._targets is not None:
            return "candidate", ""
        return status, attempt.removed[key][1].reason if key in attempt.removed else ""

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
            tuple(attempt.frozen() for attempt in self._attempts),
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
        # The result in the last attempt that reached it; a later strategy continues
        # where the one before it ended.
        for attempt in reversed(self._attempts):
            if key in attempt.filled_back:
                return verdict("filled-back", "filled-back", at=attempt.filled_back[key])
            if key in attempt.removed:
                return verdict("not-enough", "not-enough", at=attempt.removed[key][0])
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
        for attempt in reversed(self._attempts):
            if key in attempt.compared:
                return attempt.compared[key][1]
        return None
