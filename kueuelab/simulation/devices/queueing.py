"""Workloads whose devices are counted wait for the reconciler before they queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kueuelab.model import Workload
from kueuelab.queues import is_on_hold
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.simulation.control_plane import ControlPlane

__all__ = [
    "drop_device_charges",
    "extended_resources",
    "go_on_after_devices",
    "is_extended_resource",
    "needs_devices_counted",
    "queue_without_devices",
    "says_the_same",
]

_BLAMED = ("QuotaReserved", "Requeued")


def needs_devices_counted(plane: ControlPlane, state: WorkloadState) -> bool:
    """Tell whether only the reconciler queues a workload: it claims devices, or asks for some.

    Where devices are not counted, that is true of those which are rejected for their claims.
    """
    devices = plane.devices
    if not (state.claims_devices or (devices.extended and devices.backed)):
        return False
    if state.conditions and is_on_hold(state):
        return False
    if state.claims_devices:
        return devices.enabled or devices.rejects
    return any(name in devices.backed for name in extended_resources(plane.written(state)))


def extended_resources(workload: Workload) -> list[str]:
    """Return the extended resources that containers of a workload request."""
    return [
        name
        for pod_set in workload.pod_sets
        for container in (*pod_set.template.spec.init_containers, *pod_set.template.spec.containers)
        for name, quantity in container.resources.requests.items()
        if quantity.nano and is_extended_resource(name)
    ]


def is_extended_resource(name: str) -> bool:
    """Tell whether a resource is one of a domain other than ``kubernetes.io``.

    Examples
    --------
    >>> is_extended_resource("example.com/gpu"), is_extended_resource("cpu")
    (True, False)
    """
    return "/" in name and not name.startswith(("kubernetes.io/", "hugepages-"))


def drop_device_charges(plane: ControlPlane, state: WorkloadState) -> None:
    """Let a workload return to its queue as it is: with its devices only if they still count."""
    state.queued_after_devices = False
    if state.device_charges is not None and not needs_devices_counted(plane, state):
        state.charge_devices(None)


def queue_without_devices(plane: ControlPlane, state: WorkloadState) -> None:
    """Queue a workload as it is, whatever it claims."""
    state.queued_after_devices = False
    state.charge_devices(None)
    plane.queues.add_or_update(state)


def go_on_after_devices(
    plane: ControlPlane,
    state: WorkloadState,
    go_on: Callable[[ControlPlane, WorkloadState], None],
) -> None:
    """Reconcile a workload without the conditions that spoke against it before.

    Kueue takes them out of its copy. So they are gone from the status if it writes that
    now; else they stay, since the copy is not written for its own sake.
    """
    before, writes = state.conditions, plane.writes
    state.set_conditions(
        {
            type_: condition
            for type_, condition in before.items()
            if type_ not in _BLAMED or condition.status != "False"
        }
    )
    plane.devices.set_aside = before
    go_on(plane, state)
    plane.devices.set_aside = None
    if plane.writes == writes:
        state.set_conditions(before)


def says_the_same(plane: ControlPlane, state: WorkloadState, reason: str, message: str) -> bool:
    """Tell whether writing a reason for ``QuotaReserved=False`` would change nothing."""
    before = plane.devices.set_aside
    if before is None or before.keys() - state.conditions.keys() != {"QuotaReserved"}:
        return False
    known = before["QuotaReserved"]
    return (known.reason, known.message) == (reason, message)
