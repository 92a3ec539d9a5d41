"""The role of each workload while a preemption is decided, up to the step that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from kueuelab.trace import steps
from kueuelab.trace.steps import Step

__all__ = ["Candidate", "PreemptionView", "Role", "SkippedQueue", "preemption_view_at"]


class Role(StrEnum):
    """The part of a workload in the step that is shown."""

    NONE = ""
    HEAD = "head"
    PREEMPTOR = "preemptor"
    CANDIDATE = "candidate"
    EXCLUDED = "excluded"
    PASSED_OVER = "passed over"
    REMOVED = "taken out"
    FILLED_BACK = "filled back"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that was held against the rules of preemption.

    ``decided_at`` is the index of the step that says what became of it, ``reason`` the reason
    it would be preempted for; ``rank`` counts from 1 in the order of trying, 0 before that
    is known.
    """

    workload: str
    cluster_queue: str
    role: Role
    rule: str
    decided_at: int
    rank: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SkippedQueue:
    """A ClusterQueue or Cohort of which all workloads were excluded at once."""

    name: str
    rule: str
    decided_at: int


@dataclass(frozen=True, slots=True)
class PreemptionView:
    """All parts at one step. Without a preemption there is at most a head.

    Attributes
    ----------
    subject
        The workload that the step is about.
    preempting
        Whether a preemption is decided or carried out, with ``subject`` as the preemptor.
    candidates
        In the order in which they were considered, then in the order of trying.
    skipped
        Queues of which nobody is a candidate.
    contested
        Flavors and resources that lack quota.
    needed
        What the preemptor needs, per flavor and resource.
    strategies
        Fair sharing's strategies, if it decides.
    """

    subject: str = ""
    preempting: bool = False
    candidates: tuple[Candidate, ...] = ()
    skipped: tuple[SkippedQueue, ...] = ()
    contested: tuple[tuple[str, str], ...] = ()
    needed: tuple[tuple[str, str, int], ...] = ()
    strategies: tuple[str, ...] = ()

    def roles(self) -> dict[str, Role]:
        """Return the part of each workload that has one."""
        found = {candidate.workload: candidate.role for candidate in self.candidates}
        if self.subject:
            found[self.subject] = Role.PREEMPTOR if self.preempting else Role.HEAD
        return found

    def targets(self) -> tuple[str, ...]:
        """Return the workloads that are to be preempted."""
        return tuple(each.workload for each in self.candidates if each.role is Role.TARGET)


#: Before one of these, what came earlier in the cycle is another explanation.
_OPENS = (steps.CycleStarted, steps.NominationStarted, steps.EntriesOrdered, steps.CycleEnded)
_NOBODY = PreemptionView()


def preemption_view_at(trace: Sequence[Step], index: int) -> PreemptionView:
    """Return the view after the step at ``index``.

    It is told by the steps since the search for targets began, or by the step alone.
    """
    if not 0 <= index < len(trace):
        return _NOBODY
    step = trace[index]
    if isinstance(step.facts, _OPENS) and not isinstance(step.facts, steps.NominationStarted):
        return _NOBODY
    start = _search_start(trace, index)
    if start is None:
        return _aftermath(trace, step)
    telling = _Telling(trace[start])
    for each in trace[start + 1 : index + 1]:
        telling.tell(each)
    return telling.view()


def _search_start(trace: Sequence[Step], index: int) -> int | None:
    """Return where the search began that the step belongs to, ``None`` if to none."""
    subject, cycle = trace[index].workload, trace[index].cycle
    if not subject or not cycle:
        return None
    for at in range(index, -1, -1):
        step = trace[at]
        if step.cycle != cycle or step.workload != subject:
            return None
        if isinstance(step.facts, steps.PreemptionStarted):
            return at
        if isinstance(step.facts, _OPENS):
            return None
    return None


def _aftermath(trace: Sequence[Step], step: Step) -> PreemptionView:
    """Return the view of a step that carries a search out, with all who were looked at."""
    facts = step.facts
    subject = step.workload
    targets: tuple[tuple[str, str], ...] = getattr(facts, "targets", ())
    if isinstance(facts, steps.Evicted) and facts.preemptor:
        subject, targets = facts.preemptor, ((step.workload, facts.preemption_reason),)
    looked = targets or isinstance(facts, steps.EntryProcessed)
    search = _last_search(trace, step, subject) if looked else ()
    if search:
        telling = _Telling(search[0])
        for each in search[1:]:
            telling.tell(each)
        told = telling.view()
        if all(key in told.targets() for key, _ in targets):
            return replace(told, preempting=bool(targets))
    chosen = tuple(
        Candidate(key, "", Role.TARGET, "", step.index, rank, reason)
        for rank, (key, reason) in enumerate(targets, 1)
    )
    return PreemptionView(subject, preempting=bool(targets), candidates=chosen)


def _last_search(trace: Sequence[Step], step: Step, subject: str) -> Sequence[Step]:
    """Return the steps of the last search for targets in the cycle of a step."""
    end = step.index
    for at in range(step.index - 1, -1, -1):
        each = trace[at]
        if each.cycle != step.cycle or isinstance(each.facts, steps.CycleStarted):
            break
        if each.workload != subject:
            continue
        if isinstance(each.facts, steps.TargetsChosen):
            end = at
        if isinstance(each.facts, steps.PreemptionStarted):
            return [found for found in trace[at : end + 1] if found.workload == subject]
    return ()


class _Telling:
    """Takes in a search step by step."""

    def __init__(self, start: Step) -> None:
        assert isinstance(start.facts, steps.PreemptionStarted)
        self._start = start
        self._facts = start.facts
        self._candidates: dict[str, Candidate] = {}
        self._skipped: dict[str, SkippedQueue] = {}

    def tell(self, step: Step) -> None:
        facts = step.facts
        match facts:
            case steps.CandidateConsidered():
                role = Role.CANDIDATE if facts.included else Role.EXCLUDED
                self._candidates[facts.candidate] = Candidate(
                    facts.candidate, facts.candidate_queue, role, facts.rule, step.index
                )
            case steps.QueueSkipped():
                self._skipped[facts.queue] = SkippedQueue(facts.queue, facts.rule, step.index)
            case steps.CandidatesOrdered():
                self._order(facts.candidates)
            case steps.AttemptStarted():
                self._start_over()
            case steps.CandidatePassedOver():
                self._set(facts.candidate, Role.PASSED_OVER, step, rule=facts.rule)
            case steps.SharesCompared() if not facts.passed:
                self._set(facts.candidate, Role.PASSED_OVER, step, rule=facts.strategy)
            case steps.WorkloadRemoved():
                self._set(facts.candidate, Role.REMOVED, step, reason=facts.reason)
            case steps.FilledBack():
                if facts.kept:
                    self._set(facts.candidate, Role.FILLED_BACK, step, rule="filled-back")
            case steps.TargetsChosen() | steps.Nominated() | steps.EntryProcessed():
                self._choose(facts.targets, step)
            case _:
                pass

    def view(self) -> PreemptionView:
        facts = self._facts
        return PreemptionView(
            self._start.workload,
            preempting=True,
            candidates=tuple(self._candidates.values()),
            skipped=tuple(self._skipped.values()),
            contested=facts.contested,
            needed=facts.needed,
            strategies=facts.strategies,
        )

    def _set(
        self, key: str, role: Role, step: Step, *, rule: str | None = None, reason: str = ""
    ) -> None:
        """Give a candidate a role. With a new rule, this step tells of it from now on."""
        known = self._candidates.get(key) or Candidate(key, "", role, "", step.index)
        if rule is not None:
            known = replace(known, rule=rule, decided_at=step.index)
        self._candidates[key] = replace(known, role=role, reason=reason or known.reason)

    def _order(self, keys: tuple[str, ...]) -> None:
        ranked = {
            key: replace(self._candidates[key], rank=rank)
            for rank, key in enumerate(keys, 1)
            if key in self._candidates
        }
        rest = {key: each for key, each in self._candidates.items() if key not in ranked}
        self._candidates = ranked | rest

    def _start_over(self) -> None:
        for key, each in self._candidates.items():
            if each.role not in (Role.CANDIDATE, Role.EXCLUDED):
                self._candidates[key] = replace(each, role=Role.CANDIDATE, reason="")

    def _choose(self, targets: tuple[tuple[str, str], ...], step: Step) -> None:
        reasons = dict(targets)
        for key, each in self._candidates.items():
            if key in reasons:
                continue
            if each.role in (Role.REMOVED, Role.TARGET):
                self._candidates[key] = replace(each, role=Role.CANDIDATE, reason="")
        for key, reason in targets:
            self._set(key, Role.TARGET, step, reason=reason)
