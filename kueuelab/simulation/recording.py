"""Announcing to a recorder what changed in the visible state, as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from kueuelab.model import Admission, Configuration, RequeueState
from kueuelab.model.times import format_time
from kueuelab.quantity import Quantity
from kueuelab.simulation.status import phase_of
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState, queue_order_timestamp

__all__ = ["Announcer", "admission_as_json", "plain"]

_PHASES = {
    "pending": "Pending",
    "quotaReserved": "QuotaReserved",
    "admitted": "Admitted",
    "finished": "Finished",
}


def plain(value: Any) -> Any:
    """Return a value of the model as JSON: dataclasses become objects without empty fields.

    Examples
    --------
    >>> from kueuelab.model import LocalQueue, ObjectMeta
    >>> plain(LocalQueue(ObjectMeta("team-a", namespace="default"), "cq"))
    {'metadata': {'name': 'team-a', 'namespace': 'default'}, 'cluster_queue': 'cq', \
'stop_policy': 'None'}
    """
    if isinstance(value, Quantity | Fraction):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((field.name, plain(getattr(value, field.name))) for field in fields(value))
        return {name: inner for name, inner in pairs if inner not in (None, "", [], {}, 0)}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    return repr(value)


def admission_as_json(admission: Admission | None) -> Any:
    """Return an admission as JSON, amounts in Kueue's integer units."""
    if admission is None:
        return None
    return {
        "clusterQueue": admission.cluster_queue,
        "podSets": [
            {
                "name": assignment.name,
                "count": assignment.count,
                "flavors": dict(assignment.flavors),
                "usage": {name: int(value) for name, value in assignment.resource_usage.items()},
                **(
                    {"topologyAssignment": plain(topology)}
                    if (topology := assignment.topology_assignment) is not None
                    else {}
                ),
            }
            for assignment in admission.pod_set_assignments
        ],
    }


def _requeue_state(state: RequeueState | None) -> Any:
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
        else:
            self._known[key] = view

    def value(self, path: tuple[str, ...], value: Any) -> None:
        """Announce one value."""
        self._recorder.change(path, value)

    def object(self, kind: str, key: str, obj: Any) -> None:
        """Announce an API object, ``None`` if it is gone."""
        self.value(("objects", f"{kind}/{key}"), None if obj is None else plain(obj))

    def _view(self, state: WorkloadState) -> dict[tuple[str, ...], Any]:
        view: dict[tuple[str, ...], Any] = {
            ("phase",): phase_name(state),
            ("active",): state.active,
            ("priority",): state.priority,
            ("queuedAt",): queue_order_timestamp(state, self._configuration),
            ("queueName",): state.obj.queue_name,
            ("admission",): admission_as_json(state.admission),
            ("requeueState",): _requeue_state(state.requeue_state),
        }
        if state.admission is not None and state.reclaimable_pods:
            # Pods that are done give their quota back: so many are left of each pod set.
            view["podsLeft",] = {requests.name: requests.count for requests in state.requests}
        for type_, condition in state.conditions.items():
            view[("conditions", type_)] = {
                "status": condition.status,
                "reason": condition.reason,
                "message": condition.message,
            }
        for name, check in state.admission_checks.items():
            view[("admissionChecks", name)] = {"state": check.state, "message": check.message}
        return view
