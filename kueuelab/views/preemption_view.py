"""The role of each workload while a preemption is decided, up to the step that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kueuelab.messages import Message
from kueuelab.trace.search import Candidate, CandidateStatus, SearchProgress, SkippedQueue
from kueuelab.trace.searches import search_at
from kueuelab.trace.trace import Trace

__all__ = ["PreemptionView", "Role", "preemption_view_at", "role_of", "view_of"]


class Role(StrEnum):
    """The role of a workload in the step that is shown."""

    NONE = ""
    HEAD = "head"
    PREEMPTOR = "preemptor"
    CANDIDATE = "candidate"
    EXCLUDED = "excluded"
    SKIPPED = "skipped"
    REMOVED = "removed"
    RESTORED = "restored"
    TARGET = "target"

    @property
    def text(self) -> str:
        """What a reader calls it.

        >>> Role.REMOVED.text
        'removed in simulation'
        """
        return Message(f"views.role.{self.value}")


_ROLES: Final[Mapping[CandidateStatus, Role]] = {
    "candidate": Role.CANDIDATE,
    "excluded": Role.EXCLUDED,
    "passed-over": Role.SKIPPED,
    "removed": Role.REMOVED,
    "filled-back": Role.RESTORED,
    "target": Role.TARGET,
}


def role_of(candidate: Candidate) -> Role:
    """Return the role of a candidate."""
    return _ROLES[candidate.status]


@dataclass(frozen=True, slots=True)
class PreemptionView:
    """All roles at one step. Without a preemption there is at most a head.

    Attributes
    ----------
    candidates, skipped
        The workloads that the search considered, and the queues that it skipped.
    roles
        The role of each workload that has one.
    """

    candidates: tuple[Candidate, ...]
    skipped: tuple[SkippedQueue, ...]
    roles: Mapping[str, Role]


def preemption_view_at(trace: Trace, index: int) -> PreemptionView:
    """Return the view after the step at ``index``."""
    return view_of(search_at(trace, index))


def view_of(search: SearchProgress) -> PreemptionView:
    """Return the view of a search in progress."""
    roles = {candidate.workload: role_of(candidate) for candidate in search.candidates}
    if search.preemptor:
        roles[search.preemptor] = Role.PREEMPTOR if search.preempting else Role.HEAD
    return PreemptionView(search.candidates, search.skipped, roles)
