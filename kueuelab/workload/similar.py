"""Workloads that were made with the very same pod sets, so that these are looked through once."""

from __future__ import annotations

from typing import Final

from kueuelab.model import Workload
from kueuelab.workload.state import WorkloadState

__all__ = ["SamePodSets"]

#: Of no more pod sets is it known which workload was made with them.
_KEPT: Final = 1024


class SamePodSets:
    """The latest workload with some pod sets and a priority: generated ones share their pod sets.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, PodSet, Resources
    >>> pod_sets = (PodSet(),)
    >>> first, second = (Workload(ObjectMeta(name), pod_sets) for name in "ab")
    >>> known = SamePodSets()
    >>> known.note(WorkloadState(first, Resources()))
    >>> found = known.latest(second)
    >>> found.key if found else ""
    'a'
    >>> known.latest(Workload(ObjectMeta("c"), (PodSet(),)))
    """

    __slots__ = ("_states",)

    def __init__(self) -> None:
        self._states: dict[tuple[int, int], WorkloadState] = {}

    def __reduce__(self) -> tuple[type[SamePodSets], tuple[()]]:
        """Let a copy know nothing: it has copies of the pod sets."""
        return SamePodSets, ()

    def latest(self, workload: Workload) -> WorkloadState | None:
        """Return the latest workload with the pod sets of one that is made now, if it is known."""
        found = self._states.get((id(workload.pod_sets), workload.priority))
        return found if found is not None and found.obj.pod_sets is workload.pod_sets else None

    def note(self, state: WorkloadState) -> None:
        """Note a workload that was made."""
        if len(self._states) >= _KEPT:
            self._states.clear()
        self._states[id(state.obj.pod_sets), state.obj.priority] = state
