"""What a Workload's status said when it was read: how far it was, and what happened before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kueuelab.frozen import fast_init
from kueuelab.trace.step import Facts

__all__ = ["EvictedBefore", "StatusRead"]


@fast_init
@dataclass(frozen=True, slots=True)
class StatusRead(Facts):
    """The status with which a workload came, from a dump or a manifest: nothing the lab decided.

    ``phase`` is what the visible state calls it; ``conditions`` have type, status, reason,
    message and the time of the last transition. Of a pending one: ``looked`` is when Kueue
    last gave that message as an Event, 0 if no Event tells; ``since`` has the latest of the
    ``changes`` that came to other workloads of the same cohort tree after that: workload,
    condition and time.
    """

    phase: str
    active: bool
    assignment: tuple[tuple[str, int, Mapping[str, str]], ...] = ()
    conditions: tuple[tuple[str, str, str, str, int], ...] = ()
    looked: int = 0
    since: tuple[tuple[str, str, int], ...] = ()
    changes: int = 0


@dataclass(frozen=True, slots=True)
class EvictedBefore(Facts):
    """A workload was evicted before the run began, as its conditions or an Event say.

    ``when`` is 0 if that is not known. ``preemptor`` is ``""`` unless it was preempted by a
    workload that is there; ``preemptor_uid`` is what Kueue's message says.
    """

    when: int
    reason: str
    message: str
    preemptor: str = ""
    preemptor_uid: str = ""
    preemption_reason: str = ""
    preemptor_path: str = ""
    preemptee_path: str = ""
