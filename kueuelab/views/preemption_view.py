"""The role of each workload while a preemption is decided, up to the step that is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kueuelab.messages import Message
from kueuelab.trace.search import Candidate, CandidateStatus, SkippedQueue
from kueuelab.trace.searches import search_at
from kueuelab.trace.steps import Step

__all__ = ["PreemptionView", "Role", "preemption_view_at", "role_of"]


class Role(StrEnum):
    """The role of a workload in the step that is shown."""

    NONE = ""
    HEAD = "head"
    PREEMPTOR = "preemptor"
    CANDIDATE = "candidate"
    EXCLUDED = "excluded"
    PASSED_OVER = Message("widgets.role.skipped")
    REMOVED = Message("widgets.role.removed")
    FILLED_BACK = Message("widgets.role.restored")
    TARGET = "target"


_ROLES: Final[Mapping[CandidateStatus, Role]] = {
    "candidate": Role.CANDIDATE,
    "excluded": Role.EXCLUDED,
    "passed-over": Role.PASSED_OVER,
    "removed": Role.REMOVED,
    "filled-back": Role.FILLED_BACK,
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


def preemption_view_at(found: Sequence[Step], index: int) -> PreemptionView:
    """Return the view after the step at ``index``."""
    search = search_at(found, index)
    roles = {candidate.workload: role_of(candidate) for candidate in search.candidates}
    if search.preemptor:
        roles[search.preemptor] = Role.PREEMPTOR if search.preempting else Role.HEAD
    return PreemptionView(search.candidates, search.skipped, roles)
