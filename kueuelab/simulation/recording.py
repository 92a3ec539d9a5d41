"""Announcing to a recorder what changed in the visible state, as plain JSON values."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kueuelab.manifests.encode import encode_admission, encode_object
from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    ClusterObject,
    Condition,
    Configuration,
    ReclaimablePod,
    RequeueState,
    Workload,
)
from kueuelab.model.times import format_time
from kueuelab.simulation.status import phase_of
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState, queue_order_timestamp

__all__ = ["Announcer", "encode_status", "phase_name"]

_PHASES = {
    "pending": "Pending",
    "quotaReserved": "QuotaReserved",
    "admitted": "Admitted",
    "finished": "Finished",
}


def encode_status(state: WorkloadState) -> dict[str, Any]:
    """Return a workload's status in Kubernetes' spelling, conditions and checks by name."""
    return {
        "admission": encode_admission(state.admission),
        "conditions": {
            type_: _condition(condition) for type_, condition in state.conditions.items()
        },
        "admissionChecks": {name: _check(check) for name, check in state.admission_checks.items()},
        "requeueState": _requeue_state(state.requeue_state),
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
    }


def _check(check: AdmissionCheckState) -> dict[str, Any]:
    return {"state": check.state, "message": check.message}


def _requeue_state(state: RequeueState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    found: dict[str, Any] = {}
    if state.count is not None:
        found["count"] = state.count
    if state.requeue_at is not None:
        found["requeueAt"] = format_time(state.requeue_at)
    return found


def phase_name(state: WorkloadState) -> str:
    """Return how far a workload is, one word for a view: ``Evicted`` until its quota is gone."""
    if state.is_evicted and state.has_quota_reservation and not state.is_finished:
        return "Evicted"
    return _PHASES[phase_of(state)]


#: The places of a workload's status, but for conditions and checks.
_STATUS: Final = (
    ("phase",),
    ("active",),
    ("priority",),
    ("queuedAt",),
    ("queueName",),
    ("admission",),
    ("requeueState",),
    ("podsLeft",),
    ("unhealthyNodes",),
)


class _Status(NamedTuple):
    """What a workload's visible status follows from."""

    obj: Workload
    active: bool
    priority: int
    admission: Admission | None
    requeue_state: RequeueState | None
    unhealthy_nodes: tuple[str, ...]
    conditions: dict[str, Condition]
    checks: dict[str, AdmissionCheckState]
    reclaimable_pods: tuple[ReclaimablePod, ...]

    @classmethod
    def of(cls, state: WorkloadState) -> _Status:
        """Return it as it is now."""
        return cls(
            state.obj,
            state.active,
            state.priority,
            state.admission,
            state.requeue_state,
            state.unhealthy_nodes,
            state.conditions.copy(),
            state.admission_checks.copy(),
            state.reclaimable_pods,
        )

    def is_of(self, state: WorkloadState) -> bool:
        """Tell whether a workload is still as it was."""
        return (
            self.obj is state.obj
            and self.active is state.active
            and self.priority == state.priority
            and self.admission is state.admission
            and self.requeue_state is state.requeue_state
            and self.conditions == state.conditions
            and self.checks == state.admission_checks
            and self.unhealthy_nodes == state.unhealthy_nodes
            and not state.reclaimable_pods
            and not self.reclaimable_pods
        )


class Announcer:
    """Remembers what it announced, and announces only what is different now."""

    __slots__ = ("_configuration", "_known", "_recorder")

    def __init__(self, recorder: Recorder, configuration: Configuration) -> None:
        self._recorder = recorder
        self._configuration = configuration
        self._known: dict[str, _Status] = {}

    def workload(self, key: str, state: WorkloadState | None) -> None:
        """Announce a workload's status as it is now; ``None`` if it is gone."""
        before = self._known.get(key)
        if state is None:
            self._forget(key, before)
            return
        if before is not None and before.is_of(state):
            return
        now = self._known[key] = _Status.of(state)
        if before is not None:
            self._retract(key, before, state)
        change = self._recorder.change
        change(("workloads", key, "phase"), phase_name(state))
        if before is None or before.active is not now.active:
            change(("workloads", key, "active"), now.active)
        if before is None or before.priority != now.priority:
            change(("workloads", key, "priority"), now.priority)
        queued_at = queue_order_timestamp(state, self._configuration)
        change(("workloads", key, "queuedAt"), queued_at)
        if before is None or before.obj is not now.obj:
            change(("workloads", key, "queueName"), now.obj.queue_name)
        if before is None or before.admission is not now.admission:
            change(("workloads", key, "admission"), encode_admission(now.admission))
        if before is None or before.requeue_state is not now.requeue_state:
            change(("workloads", key, "requeueState"), _requeue_state(now.requeue_state))
        if now.admission is not None and now.reclaimable_pods:
            # Pods that are done give their quota back: so many are left of each pod set.
            left = {requests.name: requests.count for requests in state.requests}
            change(("workloads", key, "podsLeft"), left)
        if now.unhealthy_nodes:
            change(("workloads", key, "unhealthyNodes"), list(now.unhealthy_nodes))
        known = {} if before is None else before.conditions
        for type_, condition in now.conditions.items():
            if known.get(type_) is not condition:
                change(("workloads", key, "conditions", type_), _condition(condition))
        for name, check in now.checks.items():
            change(("workloads", key, "admissionChecks", name), _check(check))

    def _retract(self, key: str, before: _Status, state: WorkloadState) -> None:
        """Announce which parts of a status are gone."""
        change = self._recorder.change
        if before.reclaimable_pods and (state.admission is None or not state.reclaimable_pods):
            change(("workloads", key, "podsLeft"), None)
        if before.unhealthy_nodes and not state.unhealthy_nodes:
            change(("workloads", key, "unhealthyNodes"), None)
        for type_ in before.conditions:
            if type_ not in state.conditions:
                change(("workloads", key, "conditions", type_), None)
        for name in before.checks:
            if name not in state.admission_checks:
                change(("workloads", key, "admissionChecks", name), None)

    def _forget(self, key: str, before: _Status | None) -> None:
        """Announce that a workload is gone, and with it what its queue said about it."""
        places: list[tuple[str, ...]] = [("shape",), ("pods",)]
        if before is not None:
            del self._known[key]
            conditions = [("conditions", type_) for type_ in before.conditions]
            checks = [("admissionChecks", name) for name in before.checks]
            places = [*_STATUS, *conditions, *checks, *places]
        for place in places:
            self._recorder.change(("workloads", key, *place), None)

    def value(self, path: tuple[str, ...], value: Any) -> None:
        """Announce one value."""
        self._recorder.change(path, value)

    def object(self, kind: str, key: str, obj: ClusterObject | None) -> None:
        """Announce an API object, ``None`` if it is gone."""
        self.value(("objects", f"{kind}/{key}"), None if obj is None else encode_object(obj))
