"""What the handlers last saw of a workload, which itself is changed in place."""

from __future__ import annotations

from typing import NamedTuple

from kueuelab.frozen import new_tuple
from kueuelab.model.workload import ReclaimablePod
from kueuelab.simulation.status import Phase, phase_of
from kueuelab.workload import WorkloadState

__all__ = ["Seen"]


class Seen(NamedTuple):
    """What the handlers last saw of a workload."""

    phase: Phase
    queue_key: str
    cluster_queue: str
    reclaimable_pods: tuple[ReclaimablePod, ...]
    priority: int
    priority_class: str
    admitted_since: int
    pods: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, state: WorkloadState) -> Seen:
        """Return what a handler sees of a workload now."""
        admitted = state.conditions.get("Admitted")
        ref = state.obj.priority_class_ref
        return new_tuple(
            cls,
            (
                phase_of(state),
                state.queue_key,
                state.cluster_queue,
                state.reclaimable_pods,
                state.priority,
                ref.name if ref is not None else "",
                admitted.last_transition_time if admitted is not None else 0,
                tuple([(pod_set.name, pod_set.count) for pod_set in state.obj.pod_sets]),
            ),
        )
