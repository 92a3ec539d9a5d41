"""Preemption policies: which candidates may be preempted, by priority and age.

Each policy is a small function over a :class:`Comparison`; the names are those of
``spec.preemption``. See https://kueue.sigs.k8s.io/docs/concepts/preemption/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from kueuelab.model.times import SECOND

__all__ = ["POLICIES", "Comparison", "Policy"]

_TIMESTAMP_BUFFER: Final = 300 * SECOND


class Comparison(Protocol):
    """Preemptor and candidate, with what policies compare.

    Timestamps are those that order the queue, in nanoseconds since 1970. With
    ``buffered`` (gate ``SchedulerTimestampPreemptionBuffer``) five minutes of age
    difference don't count.
    """

    @property
    def preemptor_priority(self) -> int:
        """Effective priority of the preemptor."""

    @property
    def candidate_priority(self) -> int:
        """Effective priority of the candidate."""

    @property
    def preemptor_timestamp(self) -> int:
        """The time that the preemptor queues from."""

    @property
    def candidate_timestamp(self) -> int:
        """The time that the candidate queued from."""

    @property
    def buffered(self) -> bool:
        """Whether small differences in age don't count."""


#: Returns ``""`` where the candidate may be preempted, else the name of the rule against it.
Policy = Callable[[Comparison], str]


def never(_: Comparison) -> str:
    """No workload may be preempted."""
    return "policy-never"


def lower_priority(pair: Comparison) -> str:
    """Workloads of lower priority may be preempted."""
    return "" if pair.candidate_priority < pair.preemptor_priority else "not-lower-priority"


def lower_or_newer_equal_priority(pair: Comparison) -> str:
    """Workloads of lower priority, and newer ones of the same, may be preempted."""
    if pair.candidate_priority != pair.preemptor_priority:
        return lower_priority(pair)
    age = pair.candidate_timestamp - pair.preemptor_timestamp
    needed = _TIMESTAMP_BUFFER if pair.buffered else 0
    return "" if age > needed else "not-newer"


def any_candidate(_: Comparison) -> str:
    """Every workload may be preempted."""
    return ""


#: The policies by their name in the API.
POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "Never": never,
        "LowerPriority": lower_priority,
        "LowerOrNewerEqualPriority": lower_or_newer_equal_priority,
        "Any": any_candidate,
    }
)
