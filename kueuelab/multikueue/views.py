"""What a reconciliation reads at its beginning: the Workload and its copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kueuelab.frozen import new_tuple
from kueuelab.model import AdmissionCheckState, Condition, Workload
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.workload import WorkloadState

__all__ = ["CopyView", "View", "spec_of"]


class View(NamedTuple):
    """A Workload as it was read; a write based on it fails if it is outdated."""

    key: str
    obj: Workload
    version: int
    conditions: Mapping[str, Condition]
    checks: Mapping[str, AdmissionCheckState]
    cluster_name: str | None
    nominated: tuple[str, ...]
    gates: Mapping[str, str]
    active: bool
    deleting: bool = False

    @classmethod
    def of(cls, member: MemberCluster, state: WorkloadState) -> View:
        """Read a Workload."""
        key = state.key
        return new_tuple(
            cls,
            (
                key,
                member.plane.as_written.get(key, state.obj),
                member.versions.get(key, 0),
                state.conditions,
                state.admission_checks,
                state.cluster_name,
                state.nominated_cluster_names,
                state.preemption_gates,
                state.active,
                key in member.deleting,
            ),
        )

    def condition(self, type_: str) -> Condition | None:
        """Return a condition if it is true."""
        found = self.conditions.get(type_)
        return found if found is not None and found.status == "True" else None

    @property
    def has_quota(self) -> bool:
        """Whether quota is reserved."""
        return self.condition("QuotaReserved") is not None

    @property
    def is_finished(self) -> bool:
        """Whether it is finished."""
        return self.condition("Finished") is not None


class CopyView(NamedTuple):
    """A copy on a worker as it was read: what decides about it."""

    obj: Workload
    conditions: Mapping[str, Condition]
    gates: Mapping[str, str]
    active: bool

    @classmethod
    def of(cls, worker: MemberCluster, state: WorkloadState) -> CopyView:
        """Read a copy."""
        obj = worker.plane.as_written.get(state.key, state.obj)
        return new_tuple(cls, (obj, state.conditions, state.preemption_gates, state.active))


def spec_of(view: View | CopyView) -> tuple[object, ...]:
    """Return what a copy has in common with its original; gates don't count."""
    obj = view.obj
    return (
        obj.pod_sets,
        obj.queue_name,
        obj.priority,
        obj.priority_class_ref,
        view.active,
        obj.maximum_execution_time_seconds,
    )
