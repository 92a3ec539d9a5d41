"""What the reconciler does first for a pending workload that claims devices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kueuelab.model import ResourceClaimTemplate, Workload, request_amount
from kueuelab.simulation import status
from kueuelab.simulation.devices.accounting import DeviceAccounting
from kueuelab.simulation.devices.assumed import missing_templates
from kueuelab.simulation.devices.claims import claimed_devices
from kueuelab.simulation.devices.extended import extended_devices
from kueuelab.simulation.devices.field_error import DeviceCountError
from kueuelab.simulation.devices.matching import Inventory
from kueuelab.simulation.devices.queueing import needs_devices_counted
from kueuelab.simulation.devices.sources import capacity_charges, counter_charges
from kueuelab.simulation.objects import ObjectStore
from kueuelab.trace.steps import DevicesCounted, Pending
from kueuelab.workload import DeviceCharges, WorkloadState

if TYPE_CHECKING:
    from kueuelab.simulation.control_plane import ControlPlane

__all__ = ["count_devices", "retry_counting", "uncounted"]

_GATE_IS_OFF = "Workload uses DRA resources but the KueueDRAIntegration feature gate is not enabled"


def count_devices(plane: ControlPlane, state: WorkloadState) -> bool:
    """Count the devices that a workload claims, and queue it; tell whether it may go on.

    If they can't be counted, the workload's conditions say why, and nothing else is
    done. Where only a change of other objects is missing, Kueue looks again from time to time.
    """
    devices = plane.devices
    if not devices.enabled:
        _refuse(plane, state, _GATE_IS_OFF, _GATE_IS_OFF, always=True)
        return False
    workload = state.obj
    if _names_claim(workload):
        message = "KueueDRAIntegration feature does not support use of resource claims"
        _refuse(plane, state, message, "DRA resource claims not supported")
        return False
    try:
        charges = _assumed(plane, workload) or charges_of(devices, plane.objects, workload)
    except DeviceCountError as problem:
        text = str(problem)
        _refuse(plane, state, text, text)
        if problem.may_go_away:
            devices.retries.failed(state.key, plane.now)
        else:
            devices.retries.succeeded(state.key)
        return False
    devices.retries.succeeded(state.key)
    if plane.recorder is not None and charges != (state.device_charges or DeviceCharges()):
        plane.record(_counted(charges), state.key)
    state.charge_devices(charges)
    state.queued_after_devices = True
    plane.queues.add_or_update(state)
    return True


def _assumed(plane: ControlPlane, workload: Workload) -> DeviceCharges | None:
    """Return what Kueue counted for a workload of a dump, as long as a template is missing."""
    assumed = plane.devices.assumed.get(workload.key)
    if assumed is None:
        return None
    templates = {each.metadata.key for each in plane.objects.of_kind(ResourceClaimTemplate)}
    return assumed if any(missing_templates(workload, templates)) else None


def _counted(charges: DeviceCharges) -> DevicesCounted:
    return DevicesCounted(
        tuple(
            (name, resource, request_amount(resource, quantity))
            for name, added in charges.added.items()
            for resource, quantity in sorted(added.items())
        ),
        tuple((name, each) for name, found in charges.replaced.items() for each in sorted(found)),
    )


def uncounted(plane: ControlPlane, state: WorkloadState) -> str | None:
    """Return why a pending workload's devices are not counted, ``None`` if that is not so."""
    if status.phase_of(state) != "pending" or not needs_devices_counted(plane, state):
        return None
    requeued, reserved = state.conditions.get("Requeued"), state.conditions.get("QuotaReserved")
    if plane.queues.place(state.key) is not None or requeued is None or reserved is None:
        return None
    return reserved.message if requeued.reason == "Inadmissible" else None


def charges_of(
    devices: DeviceAccounting, objects: ObjectStore, workload: Workload
) -> DeviceCharges:
    """Return what the devices of a workload count against quota.

    Raises
    ------
    DeviceCountError
        If they can't be counted.
    """
    inventory = Inventory(objects)
    charges = DeviceCharges(claimed_devices(devices, inventory, workload))
    if devices.extended:
        charges = charges.plus(extended_devices(devices, objects, workload))
    if devices.partitionable:
        charges = charges.plus(DeviceCharges(counter_charges(devices, inventory, workload)))
    if devices.consumable:
        charges = charges.plus(DeviceCharges(capacity_charges(devices, inventory, workload)))
    return charges


def retry_counting(plane: ControlPlane) -> None:
    """Let those be tried again when they are due whose devices could not be counted."""
    retries = plane.devices.retries
    for key in retries.pending():
        due = retries.next_due(key, plane.now)
        plane.clock.set_timer(("devices", key), due, partial(plane.enqueue, key))


def _names_claim(workload: Workload) -> bool:
    return any(
        claim.get("resourceClaimName") is not None
        for pod_set in workload.pod_sets
        for claim in pod_set.template.spec.extra.get("resourceClaims") or ()
    )


def _refuse(
    plane: ControlPlane, state: WorkloadState, message: str, short: str, *, always: bool = False
) -> None:
    """Write on a workload why it is inadmissible.

    ``always`` is whether ``Requeued`` is written, too, where the first message is there already.
    """
    now = plane.now
    reason = status.unadmitted_reason(plane.gates, "Misconfigured", "Inadmissible")
    changed = status.unset_reservation(state, reason, message, plane.gates, now)
    if changed or always:
        changed |= status.set_requeued(state, False, "Inadmissible", short, now)
    if changed:
        plane.changed(state.key)
        if plane.recorder is not None:
            plane.record(Pending(reason, message), state.key)
