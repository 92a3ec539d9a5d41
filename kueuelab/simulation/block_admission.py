"""``waitForPodsReady.blockAdmission``: which workloads block the admission of others."""

from __future__ import annotations

from kueuelab.workload import WorkloadState

__all__ = ["BlockAdmission"]


class BlockAdmission:
    """The workloads that hold quota and whose pods are not ready: no other is admitted.

    Examples
    --------
    >>> bool(BlockAdmission())
    False
    """

    __slots__ = ("not_ready",)

    def __init__(self) -> None:
        #: Workloads that block, in the order in which they began to.
        self.not_ready: dict[str, None] = {}

    def __bool__(self) -> bool:
        """Whether admission is blocked now."""
        return bool(self.not_ready)

    def hold(self, state: WorkloadState) -> None:
        """Note a workload that holds quota."""
        if state.condition_is("PodsReady", "True"):
            self.release(state.key)
        else:
            self.not_ready[state.key] = None

    def release(self, key: str) -> None:
        """Note a workload that holds no quota, or does not exist any more."""
        self.not_ready.pop(key, None)
