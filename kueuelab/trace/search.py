"""What a search for preemption targets found: candidates, verdicts, attempts, targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kueuelab.trace import steps

__all__ = [
    "Attempt",
    "Candidate",
    "CandidateStatus",
    "Search",
    "SearchProgress",
    "SkippedQueue",
    "Verdict",
    "VerdictKind",
]

#: The status of a candidate at one step of a search.
CandidateStatus = Literal[
    "candidate", "excluded", "passed-over", "removed", "filled-back", "target"
]

#: The result for a candidate. All but ``target`` have the rule that excluded it.
VerdictKind = Literal[
    "target", "excluded", "filled-back", "passed-over", "not-enough", "not-needed", "not-reached"
]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that a search considered, at one step of the search.

    Attributes
    ----------
    workload, queue
        The workload and the ClusterQueue in which it holds quota; no ClusterQueue if the steps
        have only the target.
    status
        Its status at the step.
    rule, decided_at
        The rule that last decided about it, and the index of the step.
    rank
        Its place in the order of candidates, from 1; 0 before they are ordered.
    reason
        The reason for which it would be preempted.
    """

    workload: str
    queue: str
    status: CandidateStatus
    rule: str
    decided_at: int
    rank: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SkippedQueue:
    """A ClusterQueue or Cohort of which all workloads were excluded at once."""

    queue: str
    rule: str
    numbers: Mapping[str, Any]
    step: int


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """A search at one step, or the targets that the step carries out.

    Attributes
    ----------
    preemptor
        The workload that the step is about, or that preempts.
    preempting
        Whether targets are searched or preempted at the step.
    candidates
        In the order of ranks, then in the order in which they were considered.
    skipped
        Queues skipped as a whole.
    """

    preemptor: str = ""
    preempting: bool = False
    candidates: tuple[Candidate, ...] = ()
    skipped: tuple[SkippedQueue, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search decided about one workload.

    Attributes
    ----------
    candidate, queue
        The workload and the ClusterQueue in which it holds quota.
    verdict
        The result for it.
    rule, numbers
        The rule that decided, and what it compared.
    variant
        Why it is a candidate (``""`` with fair sharing).
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
class Attempt:
    """One attempt: the candidates that it removed, passed over and filled back."""

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
        The start of the search: purpose, amounts needed, contested resources, policies.
    verdicts
        One per workload considered: targets first, then the rest by verdict.
    skipped
        Queues skipped as a whole.
    attempts
        The attempts in order.
    targets
        Pairs of workload and reason; empty if no targets were found.
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
        """Return the verdict on a workload, ``None`` if it wasn't considered."""
        return next((each for each in self.verdicts if each.candidate == candidate), None)
