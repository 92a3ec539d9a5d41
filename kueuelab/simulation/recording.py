"""Announcing to a recorder what changed in the visible state, as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.manifests.encode import encode_admission, encode_object
from kueuelab.model import (
    AdmissionCheckState,
    ClusterObject,
    Condition,
    Configuration,
    RequeueState,
)
from kueuelab.model.times import format_time
from kueuelab.simulation.status import phase_of
from kueuelab.trace.recorder import RecordedObject, Recorder
from kueuelab.trace.step import Path
from kueuelab.workload import WorkloadState, queue_order_timestamp

__all__ = ["Announcer", "RecordedStatus", "encode_status", "phase_name"]

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


class RecordedStatus:
    """What a workload's visible status follows from, and that status once it was read.

    Parameters
    ----------
    state, configuration
        The workload, and what it follows from when it queues.
    conditions
        What is visible of conditions that read the same: one value for all workloads.
    """

    __slots__ = (
        "_active",
        "_admission",
        "_checks",
        "_conditions",
        "_known_conditions",
        "_obj",
        "_phase",
        "_pods_left",
        "_priority",
        "_queued_at",
        "_requeue_state",
        "_unhealthy_nodes",
        "_values",
    )

    def __init__(
        self,
        state: WorkloadState,
        configuration: Configuration,
        conditions: dict[tuple[str, str, str], Mapping[str, Any]],
    ) -> None:
        self._known_conditions = conditions
        self._obj = state.obj
        self._active = state.active
        self._priority = state.priority
        self._admission = state.admission
        self._requeue_state = state.requeue_state
        self._unhealthy_nodes = state.unhealthy_nodes
        self._conditions = state.conditions
        self._checks = state.admission_checks
        self._phase = phase_name(state)
        self._queued_at = queue_order_timestamp(state, configuration)
        # Pods that are done give their quota back: so many are left of each pod set.
        self._pods_left = (
            {requests.name: requests.count for requests in state.requests}
            if state.reclaimable_pods and state.admission is not None
            else None
        )
        self._values: dict[Path, Any] | None = None

    def is_of(self, state: WorkloadState) -> bool:
        """Tell whether a workload is still as it was."""
        return (
            self._obj is state.obj
            and self._active is state.active
            and self._priority == state.priority
            and self._admission is state.admission
            and self._requeue_state is state.requeue_state
            and self._conditions is state.conditions
            and self._checks is state.admission_checks
            and self._unhealthy_nodes == state.unhealthy_nodes
            and not state.reclaimable_pods
            and self._pods_left is None
        )

    def values(self) -> Mapping[Path, Any]:
        """Return the status in Kubernetes' spelling, by place in the workload."""
        if self._values is None:
            found: dict[Path, Any] = {
                ("phase",): self._phase,
                ("active",): self._active,
                ("priority",): self._priority,
                ("queuedAt",): self._queued_at,
                ("queueName",): self._obj.queue_name,
                ("admission",): encode_admission(self._admission),
                ("requeueState",): _requeue_state(self._requeue_state),
            }
            if self._pods_left is not None:
                found[("podsLeft",)] = self._pods_left
            if self._unhealthy_nodes:
                found[("unhealthyNodes",)] = list(self._unhealthy_nodes)
            known = self._known_conditions
            for condition in self._conditions.values():
                visible = condition.status, condition.reason, condition.message
                value = known.get(visible)
                if value is None:
                    value = known[visible] = _condition(condition)
                found["conditions", condition.type] = value
            for check in self._checks.values():
                found["admissionChecks", check.name] = _check(check)
            self._values = found
        return self._values


class Announcer:
    """Remembers what it announced, and announces only what is different now."""

    __slots__ = ("_conditions", "_configuration", "_known", "_recorder")

    def __init__(self, recorder: Recorder, configuration: Configuration) -> None:
        self._recorder = recorder
        self._configuration = configuration
        self._known: dict[str, RecordedObject] = {}
        self._conditions: dict[tuple[str, str, str], Mapping[str, Any]] = {}

    def workload(self, key: str, state: WorkloadState | None) -> None:
        """Announce a workload's status as it is now; ``None`` if it is gone."""
        known = self._known.get(key)
        if state is None:
            self._forget(key)
            return
        if known is None:
            known = self._known[key] = self._recorder.object(("workloads", key))
        elif isinstance(known.now, RecordedStatus) and known.now.is_of(state):
            return
        self._recorder.write(known, RecordedStatus(state, self._configuration, self._conditions))

    def _forget(self, key: str) -> None:
        """Announce that a workload is gone, and with it what its queue said about it."""
        known = self._known.pop(key, None)
        if known is not None:
            self._recorder.write(known, None)
        for place in ("shape", "pods"):
            self._recorder.change(("workloads", key, place), None)

    def value(self, path: tuple[str, ...], value: Any) -> None:
        """Announce one value."""
        self._recorder.change(path, value)

    def object(self, kind: str, key: str, obj: ClusterObject | None) -> None:
        """Announce an API object, ``None`` if it is gone."""
        self.value(("objects", f"{kind}/{key}"), None if obj is None else encode_object(obj))
