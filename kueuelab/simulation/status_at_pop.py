"""The status of a head when it was popped, and the write that overwrites later changes with it.

While a cycle waits for pods, controllers go on and may change the heads of the cycle. When the
scheduler then writes such a head, it writes its own part of the status as it was at pop, plus its
own change. What the controllers wrote there since then is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kueuelab.workload import WorkloadState

__all__ = ["StatusAtPop", "Write"]

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
    """A write in progress; with ``changed`` false, nothing is written."""

    __slots__ = ("changed",)

    def __init__(self) -> None:
        self.changed = True


class StatusAtPop:
    """The part of a workload's status that the scheduler owns, as it was at pop."""

    __slots__ = ("_checks", "_conditions", "_requeue_state")

    def __init__(self, state: WorkloadState, *, with_checks: bool = False) -> None:
        self._conditions = state.conditions
        self._requeue_state = state.requeue_state
        self._checks = state.admission_checks if with_checks else None

    @contextmanager
    def written_over(self, state: WorkloadState) -> Iterator[Write]:
        """Let the block change the status at pop, then write the result over the workload."""
        now, requeue_state = state.conditions, state.requeue_state
        checks = state.admission_checks
        if self._checks is not None:
            state.admission_checks = self._checks
        state.set_conditions(self._conditions)
        state.requeue_state = self._requeue_state
        write = Write()
        yield write
        if write.changed:
            others = {type_: c for type_, c in now.items() if type_ not in _OWNED}
            state.set_conditions({**others, **state.conditions})
        else:
            state.set_conditions(now)
            state.requeue_state = requeue_state
            state.admission_checks = checks
