"""What facts have of a Workload, to be compared with its next write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    Condition,
    ReclaimablePod,
    Workload,
)
from kueuelab.multikueue.views import EMPTY
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["SeenWorkload"]

#: Values by place.
_Values: TypeAlias = dict[str, Any]


class SeenWorkload:
    """A Workload as it was written last; before it is created, the defaults.

    Attributes
    ----------
    name
        Its name as facts have it.
    """

    __slots__ = (
        "_active",
        "_admission",
        "_checks",
        "_cluster",
        "_conditions",
        "_deleting",
        "_gates",
        "_nominated",
        "_obj",
        "_reclaimable",
        "_requeues",
        "name",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self._deleting = False
        self._active = True
        self._obj: Workload | None = None
        self._gates: Mapping[str, str] = EMPTY
        self._admission: Admission | None = None
        self._conditions: Mapping[str, Condition] = EMPTY
        self._checks: Mapping[str, AdmissionCheckState] = EMPTY
        self._nominated: tuple[str, ...] = ()
        self._cluster: str | None = None
        self._requeues: int | None = None
        self._reclaimable: tuple[ReclaimablePod, ...] = ()

    def follow(self, member: MemberCluster, state: WorkloadState) -> tuple[_Values, _Values]:
        """Return what a write changed: the values before and after it.

        Those of an object that was replaced are all among them, equal or not.
        """
        before: _Values = {}
        after: _Values = {}
        deleting = state.key in member.deleting
        if deleting is not self._deleting:
            (after if deleting else before)["deleting"] = True
            self._deleting = deleting
        if state.active is not self._active:
            before["active"], after["active"] = self._active, state.active
            self._active = state.active
        if state.obj is not self._obj:
            before.update(_spec(self._obj))
            after.update(_spec(state.obj))
            self._obj = state.obj
        if state.preemption_gates != self._gates:
            before.update({"preemptionGate " + name: gate for name, gate in self._gates.items()})
            self._gates = state.preemption_gates.copy()
            after.update({"preemptionGate " + name: gate for name, gate in self._gates.items()})
        if state.admission is not self._admission:
            if self._admission is not None:
                before["admission"] = self._admission
            if state.admission is not None:
                after["admission"] = state.admission
            self._admission = state.admission
        if state.conditions != self._conditions:
            self._follow_conditions(state, before, after)
        if state.admission_checks != self._checks:
            before.update({"check " + name: check for name, check in self._checks.items()})
            self._checks = state.admission_checks.copy()
            after.update({"check " + name: check for name, check in self._checks.items()})
        if state.nominated_cluster_names is not self._nominated:
            before["nominated"], after["nominated"] = self._nominated, state.nominated_cluster_names
            self._nominated = state.nominated_cluster_names
        if state.cluster_name is not self._cluster:
            before["cluster"], after["cluster"] = self._cluster, state.cluster_name
            self._cluster = state.cluster_name
        requeues = None if state.requeue_state is None else state.requeue_state.count
        if requeues != self._requeues:
            if self._requeues is not None:
                before["requeue"] = self._requeues
            if requeues is not None:
                after["requeue"] = requeues
            self._requeues = requeues
        if state.reclaimable_pods is not self._reclaimable:
            before["reclaimable"], after["reclaimable"] = self._reclaimable, state.reclaimable_pods
            self._reclaimable = state.reclaimable_pods
        return before, after

    def _follow_conditions(self, state: WorkloadState, before: _Values, after: _Values) -> None:
        known, now = self._conditions, state.conditions
        for type_, condition in known.items():
            if now.get(type_) is not condition:
                before["condition " + type_] = condition
        for type_, condition in now.items():
            if known.get(type_) is not condition:
                after["condition " + type_] = condition
        self._conditions = now.copy()


def _spec(obj: Workload | None) -> _Values:
    """Return what facts have of a Workload's spec and metadata; of none, the defaults."""
    if obj is None:
        return {"priority": 0}
    found: _Values = {"priority": obj.priority}
    for owner in obj.metadata.owner_references[:1]:
        found["owner"] = f"{owner.kind}/{owner.name}"
    if MULTIKUEUE_ORIGIN in obj.metadata.labels:
        found["origin"] = obj.metadata.labels[MULTIKUEUE_ORIGIN]
    if obj.preemption_gates:
        found["gates"] = obj.preemption_gates
    return found
