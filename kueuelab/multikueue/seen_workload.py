"""What facts have of a Workload, to be compared with its next write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    Condition,
    ReclaimablePod,
    Workload,
)
from kueuelab.multikueue.jobs import ORIGIN
from kueuelab.multikueue.views import EMPTY
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["NEW", "SeenWorkload"]


class SeenWorkload(NamedTuple):
    """A Workload as it was written; most of it is the same object from one write to the next."""

    deleting: bool
    active: bool
    obj: Workload | None
    gates: Mapping[str, str]
    admission: Admission | None
    conditions: Mapping[str, Condition]
    checks: Mapping[str, AdmissionCheckState]
    nominated: tuple[str, ...]
    cluster: str | None
    requeues: int | None
    reclaimable: tuple[ReclaimablePod, ...]

    @classmethod
    def of(cls, member: MemberCluster, state: WorkloadState) -> SeenWorkload:
        """Return a Workload as it is now."""
        requeue = state.requeue_state
        return cls(
            state.key in member.deleting,
            state.active,
            state.obj,
            state.preemption_gates.copy(),
            state.admission,
            state.conditions.copy(),
            state.admission_checks.copy(),
            state.nominated_cluster_names,
            state.cluster_name,
            None if requeue is None else requeue.count,
            state.reclaimable_pods,
        )

    def unlike(self, other: SeenWorkload) -> dict[str, Any]:
        """Return the values that differ from those of another write, by place.

        Those of an object that was replaced are all among them, equal or not.
        """
        found: dict[str, Any] = {}
        if self.deleting and not other.deleting:
            found["deleting"] = True
        if self.active is not other.active:
            found["active"] = self.active
        if self.obj is not other.obj:
            found.update(_spec(self.obj))
        if self.gates != other.gates:
            for name, position in self.gates.items():
                found["preemptionGate " + name] = position
        if self.admission is not other.admission and self.admission is not None:
            found["admission"] = self.admission
        if self.conditions != other.conditions:
            for type_, condition in self.conditions.items():
                if other.conditions.get(type_) is not condition:
                    found["condition " + type_] = condition
        if self.checks != other.checks:
            for name, check in self.checks.items():
                found["check " + name] = check
        if self.nominated is not other.nominated:
            found["nominated"] = self.nominated
        if self.cluster is not other.cluster:
            found["cluster"] = self.cluster
        if self.requeues is not None and self.requeues != other.requeues:
            found["requeue"] = self.requeues
        if self.reclaimable is not other.reclaimable:
            found["reclaimable"] = self.reclaimable
        return found


#: Before a Workload is created: the defaults, which are left out then.
NEW: Final = SeenWorkload(False, True, None, EMPTY, None, EMPTY, EMPTY, (), None, None, ())


def _spec(obj: Workload | None) -> dict[str, Any]:
    """Return what facts have of a Workload's spec and metadata; of none, the defaults."""
    if obj is None:
        return {"priority": 0}
    found: dict[str, Any] = {"priority": obj.priority}
    for owner in obj.metadata.owner_references[:1]:
        found["owner"] = f"{owner.kind}/{owner.name}"
    if ORIGIN in obj.metadata.labels:
        found["origin"] = obj.metadata.labels[ORIGIN]
    if obj.preemption_gates:
        found["gates"] = obj.preemption_gates
    return found
