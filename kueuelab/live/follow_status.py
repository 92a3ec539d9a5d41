"""What following a cluster has come to so far: counts, differences, queues, how far behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kueuelab.live.decisions import Counts, Decision
from kueuelab.live.mirror import Mirror
from kueuelab.live.redecide import MOMENT
from kueuelab.messages import Message
from kueuelab.model.amount import amount_string
from kueuelab.model.times import SECOND, format_time
from kueuelab.trace.reading import State

__all__ = [
    "Difference",
    "FollowStatus",
    "Followed",
    "QueueRow",
    "difference_line",
    "new_differences",
    "status_of",
]

#: How many differing decisions are shown.
_SHOWN: Final = 100


class Followed(Protocol):
    """A cluster that is followed, as far as its status needs it."""

    notes: list[str]

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""

    @property
    def mirror(self) -> Mirror:
        """The lab's own cluster, after the changes that were compared."""

    @property
    def behind(self) -> int:
        """How many changes have arrived that are not compared yet."""

    @property
    def seconds_behind(self) -> float:
        """How long ago the oldest of them arrived."""

    @property
    def quiet_for(self) -> float:
        """For how many seconds nothing has changed."""

    def still(self) -> Any:
        """Return what holds the mirror still while it is read."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A decision about which the lab differs.

    Attributes
    ----------
    time
        When it was seen, in nanoseconds since 1970.
    workload, decision, lab
        The workload, what Kueue decided, and what the lab does instead.
    """

    time: int
    workload: str
    decision: str
    lab: str

    @classmethod
    def of(cls, decision: Decision) -> Difference:
        """Return the difference that a decision shows."""
        observed = decision.observed
        return cls(observed.time, observed.workload, observed.as_text(), decision.text)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A ClusterQueue: its cohort, how many workloads it has, and what they use.

    Attributes
    ----------
    name, cohort
        Its name, and that of its cohort; ``""`` without one.
    admitted, pending
        How many workloads are admitted, and pending.
    used
        ``cpu 3/4 (spot)`` for each flavor and resource in use: the amount and the nominal quota.
    """

    name: str
    cohort: str
    admitted: int
    pending: int
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FollowStatus:
    """What following has come to so far.

    Attributes
    ----------
    context
        The cluster.
    counts
        The decisions so far.
    open
        How many of those that differ may still agree, as their cause may become visible.
    not_judged
        How many decisions were not compared, as following was too far behind.
    behind, seconds_behind
        How many changes are not compared yet, and since when.
    workloads
        How many workloads there are.
    differences
        The last decisions that differ, the latest first.
    queues
        The ClusterQueues.
    notes
        What could not be read or followed.
    """

    context: str
    counts: Counts
    open: int
    not_judged: int
    behind: int
    seconds_behind: float
    workloads: int
    differences: tuple[Difference, ...]
    queues: tuple[QueueRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def differing(self) -> int:
        """How many decisions differ for good."""
        return self.counts.differing - self.open

    def headline(self) -> Message:
        """Return the counts in one line."""
        return Message(
            "live.follow.headline",
            context=self.context,
            judged=self.counts.judged,
            differing=self.differing,
            uncertain=self.counts.uncertain,
            behind=self.behind,
            seconds=f"{self.seconds_behind:.1f}",
        )

    def as_lines(self) -> Iterator[str]:
        """Yield it as plain lines."""
        yield self.headline()
        if self.not_judged:
            yield Message("live.follow.not-judged", count=self.not_judged)
        for row in self.queues:
            yield Message(
                "live.follow.queue",
                queue=row.name,
                admitted=row.admitted,
                pending=row.pending,
                used=", ".join(row.used) or "-",
            )


def status_of(following: Followed) -> FollowStatus:
    """Return what following a cluster has come to so far.

    Parameters
    ----------
    following
        The cluster that is followed.

    Raises
    ------
    LiveError
        If the cluster can't be followed any longer.
    """
    mirror = following.mirror
    with following.still():
        counts, state = mirror.counts, mirror.state
        # Where nothing has changed since, no cause becomes visible any more.
        settled = mirror.differing(settled=following.quiet_for * SECOND < MOMENT)
        open_ = len(mirror.differing(settled=False)) - len(settled)
        workloads, not_judged = len(mirror.workloads), mirror.not_judged
        return FollowStatus(
            context=following.context,
            counts=counts,
            open=open_,
            not_judged=not_judged,
            behind=following.behind,
            seconds_behind=following.seconds_behind,
            workloads=workloads,
            differences=tuple(map(Difference.of, settled[:_SHOWN])),
            queues=tuple(_rows(state)),
            notes=tuple(following.notes),
        )


def _rows(state: State) -> Iterator[QueueRow]:
    counts = Counter((view.cluster_queue, view.phase) for view in state.workloads.values())
    for name, view in state.queues.items():
        nominal = {(each.flavor, each.resource): each.nominal for each in view.quotas}
        used = tuple(
            f"{resource} {amount_string(resource, amount)}/"
            f"{amount_string(resource, nominal.get((flavor, resource), 0))} ({flavor})"
            for (flavor, resource), amount in sorted(view.usage.items())
        )
        yield QueueRow(name, view.parent, counts[name, "Admitted"], counts[name, "Pending"], used)


def new_differences(
    before: Sequence[Difference], now: Sequence[Difference]
) -> tuple[Difference, ...]:
    """Return the differences that were not there before, the earliest first."""
    known = set(before)
    return tuple(each for each in reversed(now) if each not in known)


def difference_line(difference: Difference) -> str:
    """Return a difference as one line."""
    return Message(
        "live.follow.difference",
        time=format_time(difference.time),
        decision=difference.decision,
        lab=difference.lab,
    )
