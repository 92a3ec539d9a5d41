"""A head as the scheduler took it, and writing it back over what others wrote meanwhile.

While a cycle waits for pods, controllers go on and may change the heads that it took. When
the scheduler writes such a head at last, it writes all that it owns of the status as it was
when taken, plus its own change; what the controllers wrote there since is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kueuelab.workload import WorkloadState

__all__ = ["Taken", "Write"]

#: Conditions that the scheduler and the workload controller own together.
_OWNED: Final = frozenset(
    {
        "QuotaReserved",
        "BlockedOnPreemptionGates",
        "Evicted",
        "Admitted",
        "Preempted",
        "Requeued",
        "DeactivationTarget",
        "Finished",
    }
)


class Write:
    """A write under way; without a change nothing is written at all."""

    __slots__ = ("changed",)

    def __init__(self) -> None:
        self.changed = True


class Taken:
    """The part of a workload's status that the scheduler owns, as it was when taken."""

    __slots__ = ("_conditions", "_requeue_state")

    def __init__(self, state: WorkloadState) -> None:
        self._conditions = dict(state.conditions)
        self._requeue_state = state.requeue_state

    @contextmanager
    def written_over(self, state: WorkloadState) -> Iterator[Write]:
        """Let the block change the workload as it was taken, then write that over it."""
        now, requeue_state = state.conditions, state.requeue_state
        state.conditions = dict(self._conditions)
        state.requeue_state = self._requeue_state
        write = Write()
        yield write
        if write.changed:
            others = {type_: c for type_, c in now.items() if type_ not in _OWNED}
            state.conditions = {**others, **state.conditions}
        else:
            state.conditions, state.requeue_state = now, requeue_state
