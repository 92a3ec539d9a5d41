"""What facts have of a Workload, to be compared with its next write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

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

#: The nominated clusters, the cluster that runs it, ``requeueState`` and ``reclaimablePods``.
_RarelyWritten: TypeAlias = tuple[
    tuple[str, ...], str | None, RequeueState | None, tuple[ReclaimablePod, ...]
]


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
        "_deleting",
        "_gates",
        "_nominations",
        "_obj",
        "_rarely_written",
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
        self._rarely_written: _RarelyWritten = (), None, None, ()

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
        rarely_written = (
            state.nominated_cluster_names,
            state.cluster_name,
            state.requeue_state,
            state.reclaimable_pods,
        )
        if rarely_written != self._rarely_written:
            self._follow_rarely_written(rarely_written, changed)
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

    def _follow_rarely_written(self, now: _RarelyWritten, changed: list[str]) -> None:
        known_names, known_cluster, known_requeues, known_pods = self._rarely_written
        names, cluster, requeues, pods = self._rarely_written = now
        text = self._nominations(names)
        if text != self._nominations(known_names):
            changed.append(f"nominatedClusterNames={text}")
        if cluster != known_cluster:
            changed.append(f"clusterName={cluster or ''}")
        count = None if requeues is None else requeues.count
        if count is not None and (known_requeues is None or known_requeues.count != count):
            changed.append(f"requeueState count={count}")
        if pods != known_pods:
            listed = ",".join([f"{pod.name}:{pod.count}" for pod in pods])
            changed.append(f"reclaimablePods={listed}")


def _owner(obj: Workload | None) -> str:
    if obj is None or not obj.metadata.owner_references:
        return ""
    owner = obj.metadata.owner_references[0]
    return f"{owner.kind}/{owner.name}"


def _origin(obj: Workload | None) -> str | None:
    return None if obj is None else obj.metadata.labels.get(MULTIKUEUE_ORIGIN)
