"""Announcing to a recorder what changed in the visible state, as plain JSON values."""

from __future__ import annotations

from typing import Any

from kueuelab.manifests.encode import encode_admission, encode_object
from kueuelab.model import ClusterObject, Configuration, RequeueState
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
            type_: {
                "status": condition.status,
                "reason": condition.reason,
                "message": condition.message,
            }
            for type_, condition in state.conditions.items()
        },
        "admissionChecks": {
            name: {"state": check.state, "message": check.message}
            for name, check in state.admission_checks.items()
        },
        "requeueState": _requeue_state(state.requeue_state),
    }


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


class Announcer:
    """Remembers what it announced, and announces only what is different now."""

    __slots__ = ("_configuration", "_known", "_recorder")

    def __init__(self, recorder: Recorder, configuration: Configuration) -> None:
        self._recorder = recorder
        self._configuration = configuration
        self._known: dict[str, dict[tuple[str, ...], Any]] = {}

    def workload(self, key: str, state: WorkloadState | None) -> None:
        """Announce a workload's status as it is now; ``None`` if it is gone."""
        known = self._known.get(key, {})
        view = {} if state is None else self._view(state)
        for place in known:
            if place not in view:
                self._recorder.change(("workloads", key, *place), None)
        for place, value in view.items():
            if value != known.get(place):
                self._recorder.change(("workloads", key, *place), value)
        if state is None:
            self._known.pop(key, None)
            # What its queue said about it goes, too.
            self._recorder.change(("workloads", key, "shape"), None)
            self._recorder.change(("workloads", key, "pods"), None)
        else:
            self._known[key] = view

    def value(self, path: tuple[str, ...], value: Any) -> None:
        """Announce one value."""
        self._recorder.change(path, value)

    def object(self, kind: str, key: str, obj: ClusterObject | None) -> None:
        """Announce an API object, ``None`` if it is gone."""
        self.value(("objects", f"{kind}/{key}"), None if obj is None else encode_object(obj))

    def _view(self, state: WorkloadState) -> dict[tuple[str, ...], Any]:
        status = encode_status(state)
        view: dict[tuple[str, ...], Any] = {
            ("phase",): phase_name(state),
            ("active",): state.active,
            ("priority",): state.priority,
            ("queuedAt",): queue_order_timestamp(state, self._configuration),
            ("queueName",): state.obj.queue_name,
            ("admission",): status["admission"],
            ("requeueState",): status["requeueState"],
        }
        if state.admission is not None and state.reclaimable_pods:
            # Pods that are done give their quota back: so many are left of each pod set.
            view["podsLeft",] = {requests.name: requests.count for requests in state.requests}
        if state.unhealthy_nodes:
            view["unhealthyNodes",] = list(state.unhealthy_nodes)
        for kind in ("conditions", "admissionChecks"):
            for name, value in status[kind].items():
                view[kind, name] = value
        return view
