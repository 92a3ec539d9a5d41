"""Announcing to a recorder what changed in the visible state, as plain JSON values."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

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


#: A workload's status by place.
_View: TypeAlias = dict[tuple[str, ...], Any]

_PHASE: Final = ("phase",)
_ACTIVE: Final = ("active",)
_PRIORITY: Final = ("priority",)
_QUEUED_AT: Final = ("queuedAt",)
_QUEUE_NAME: Final = ("queueName",)
_ADMISSION: Final = ("admission",)
_REQUEUE_STATE: Final = ("requeueState",)


class _Status(NamedTuple):
    """What a workload's visible status follows from, pods that are done excepted."""

    obj: Workload
    active: bool
    priority: int
    admission: Admission | None
    requeue_state: RequeueState | None
    unhealthy_nodes: tuple[str, ...]
    conditions: tuple[Condition, ...]
    checks: tuple[AdmissionCheckState, ...]
    reclaimable_pods: tuple[ReclaimablePod, ...]

    @staticmethod
    def values(state: WorkloadState) -> tuple[Any, ...]:
        """Return the values of all fields: a tuple to compare takes less time than a status."""
        return (
            state.obj,
            state.active,
            state.priority,
            state.admission,
            state.requeue_state,
            tuple(state.unhealthy_nodes),
            tuple(state.conditions.values()),
            tuple(state.admission_checks.values()),
            tuple(state.reclaimable_pods),
        )


class _Known(NamedTuple):
    """What was announced of a workload last, and what it follows from."""

    status: _Status | None
    view: _View


_UNKNOWN: Final = _Known(None, {})


class Announcer:
    """Remembers what it announced, and announces only what is different now."""

    __slots__ = ("_configuration", "_known", "_recorder")

    def __init__(self, recorder: Recorder, configuration: Configuration) -> None:
        self._recorder = recorder
        self._configuration = configuration
        self._known: dict[str, _Known] = {}

    def workload(self, key: str, state: WorkloadState | None) -> None:
        """Announce a workload's status as it is now; ``None`` if it is gone."""
        known = self._known.get(key, _UNKNOWN)
        if state is None:
            self._announce(key, known.view, {})
            self._known.pop(key, None)
            # What its queue said about it goes, too.
            self._recorder.change(("workloads", key, "shape"), None)
            self._recorder.change(("workloads", key, "pods"), None)
            return
        values = _Status.values(state)
        if values == known.status and not state.reclaimable_pods:
            return
        view = self._view(state, known)
        self._announce(key, known.view, view)
        self._known[key] = _Known(_Status(*values), view)

    def _announce(self, key: str, known: _View, view: _View) -> None:
        change = self._recorder.change
        for place in known:
            if place not in view:
                change(("workloads", key, *place), None)
        for place, value in view.items():
            before = known.get(place)
            if value is not before and value != before:
                change(("workloads", key, *place), value)

    def value(self, path: tuple[str, ...], value: Any) -> None:
        """Announce one value."""
        self._recorder.change(path, value)

    def object(self, kind: str, key: str, obj: ClusterObject | None) -> None:
        """Announce an API object, ``None`` if it is gone."""
        self.value(("objects", f"{kind}/{key}"), None if obj is None else encode_object(obj))

    def _view(self, state: WorkloadState, known: _Known) -> _View:
        """Return the status by place; what is the same object as before is not encoded again."""
        before, encoded = known
        same_admission = before is not None and before.admission is state.admission
        view: _View = {
            _PHASE: phase_name(state),
            _ACTIVE: state.active,
            _PRIORITY: state.priority,
            _QUEUED_AT: queue_order_timestamp(state, self._configuration),
            _QUEUE_NAME: state.obj.queue_name,
            _ADMISSION: encoded[_ADMISSION]
            if same_admission
            else encode_admission(state.admission),
            _REQUEUE_STATE: _requeue_state(state.requeue_state),
        }
        if state.admission is not None and state.reclaimable_pods:
            # Pods that are done give their quota back: so many are left of each pod set.
            view["podsLeft",] = {requests.name: requests.count for requests in state.requests}
        if state.unhealthy_nodes:
            view["unhealthyNodes",] = list(state.unhealthy_nodes)
        conditions = {} if before is None else {each.type: each for each in before.conditions}
        for name, condition in state.conditions.items():
            place = _place("conditions", name)
            same = conditions.get(name) is condition
            view[place] = encoded[place] if same else _condition(condition)
        for name, check in state.admission_checks.items():
            view[_place("admissionChecks", name)] = _check(check)
        return view


@cache
def _place(kind: str, name: str) -> tuple[str, ...]:
    """Return a place, the same tuple for all workloads."""
    return (kind, name)
