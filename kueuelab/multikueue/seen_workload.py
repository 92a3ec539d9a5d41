"""What facts have of a Workload, to be compared with its next write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kueuelab.frozen import EMPTY
from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    Condition,
    ReclaimablePod,
    RequeueState,
    Workload,
)
from kueuelab.multikueue.fact_texts import (
    admission_text,
    check_text,
    follow_conditions,
)
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["SeenWorkload"]


class SeenWorkload:
    """A Workload as it was written last; before it is created, the defaults.

    Parameters
    ----------
    name
        Its name as facts have it.
    nominations
        Returns nominated clusters as facts have them.

    Attributes
    ----------
    conditions
        Its conditions, by type.
    """

    __slots__ = (
        "_active",
        "_admission",
        "_checks",
        "_cluster",
        "_deleting",
        "_gates",
        "_nominated",
        "_nominations",
        "_obj",
        "_pods",
        "_requeues",
        "conditions",
        "name",
    )

    def __init__(self, name: str, nominations: Callable[[tuple[str, ...]], str]) -> None:
        self.name = name
        self._nominations = nominations
        self._deleting = False
        self._active = True
        self._obj: Workload | None = None
        self._gates: Mapping[str, str] = EMPTY
        self._admission: Admission | None = None
        self.conditions: Mapping[str, Condition] = EMPTY
        self._checks: Mapping[str, AdmissionCheckState] = EMPTY
        self._nominated: tuple[str, ...] = ()
        self._cluster: str | None = None
        self._requeues: RequeueState | None = None
        self._pods: tuple[ReclaimablePod, ...] = ()

    def follow(self, member: MemberCluster, state: WorkloadState, changed: list[str]) -> None:
        """Add the texts of what a write added and changed, then those of what it removed."""
        removed: list[str] = []
        deleting = state.key in member.deleting
        if deleting is not self._deleting:
            if deleting:
                changed.append("deleting")
            self._deleting = deleting
        if state.active is not self._active:
            changed.append(f"active={str(state.active).lower()}")
            self._active = state.active
        if state.obj is not self._obj:
            self._follow_object(state.obj, changed)
        if state.preemption_gates is not self._gates:
            self._follow_gates(state.preemption_gates, changed, removed)
        if state.admission is not self._admission:
            self._follow_admission(state.admission, changed, removed)
        if state.conditions is not self.conditions:
            follow_conditions(self.conditions, state.conditions, changed, removed)
            self.conditions = state.conditions
        if state.admission_checks is not self._checks:
            self._follow_checks(state.admission_checks, changed)
        if (
            state.nominated_cluster_names is not self._nominated
            or state.cluster_name is not self._cluster
            or state.requeue_state is not self._requeues
            or state.reclaimable_pods is not self._pods
        ):
            self._follow_what_is_rarely_written(state, changed)
        changed += removed

    def _follow_object(self, obj: Workload, changed: list[str]) -> None:
        """Follow what facts have of spec and metadata; those of a new one differ from none."""
        known, self._obj = self._obj, obj
        if obj.priority != (0 if known is None else known.priority):
            changed.append(f"priority={obj.priority}")
        owner = _owner(obj)
        if owner and owner != _owner(known):
            changed.append(f"owner={owner}")
        origin = _origin(obj)
        if origin is not None and origin != _origin(known):
            changed.append(f"origin={origin}")
        gates = obj.preemption_gates
        if gates and (known is None or known.preemption_gates != gates):
            changed.append(f"spec.preemptionGates=[{', '.join(gates)}]")

    def _follow_gates(
        self, gates: Mapping[str, str], changed: list[str], removed: list[str]
    ) -> None:
        known = self._gates
        self._gates = gates
        changed += [
            f"preemptionGate {n}={gate}" for n, gate in gates.items() if known.get(n) != gate
        ]
        removed += [f"preemptionGate {name} removed" for name in known if name not in gates]

    def _follow_admission(
        self, admission: Admission | None, changed: list[str], removed: list[str]
    ) -> None:
        known, self._admission = self._admission, admission
        if admission is None:
            removed.append("admission cleared")
            return
        text = admission_text(admission)
        if known is None or admission_text(known) != text:
            changed.append(f"admission {text}")

    def _follow_checks(self, checks: Mapping[str, AdmissionCheckState], changed: list[str]) -> None:
        known = self._checks
        self._checks = checks
        for name, check in checks.items():
            before = known.get(name)
            if before is check:
                continue
            text = check_text(check)
            if before is None or check_text(before) != text:
                changed.append(text)

    def _follow_what_is_rarely_written(self, state: WorkloadState, changed: list[str]) -> None:
        known, self._nominated = self._nominated, state.nominated_cluster_names
        text = self._nominations(self._nominated)
        if text != self._nominations(known):
            changed.append(f"nominatedClusterNames={text}")
        cluster, self._cluster = self._cluster, state.cluster_name
        if cluster != self._cluster:
            changed.append(f"clusterName={self._cluster or ''}")
        requeued, self._requeues = self._requeues, state.requeue_state
        count = None if self._requeues is None else self._requeues.count
        if count is not None and (requeued is None or requeued.count != count):
            changed.append(f"requeueState count={count}")
        pods, self._pods = self._pods, state.reclaimable_pods
        if pods != self._pods:
            listed = ",".join([f"{pod.name}:{pod.count}" for pod in self._pods])
            changed.append(f"reclaimablePods={listed}")


def _owner(obj: Workload | None) -> str:
    if obj is None or not obj.metadata.owner_references:
        return ""
    owner = obj.metadata.owner_references[0]
    return f"{owner.kind}/{owner.name}"


def _origin(obj: Workload | None) -> str | None:
    return None if obj is None else obj.metadata.labels.get(MULTIKUEUE_ORIGIN)
