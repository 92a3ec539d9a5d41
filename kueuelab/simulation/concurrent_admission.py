"""The variants of a workload: one for each flavor, of which the first that fits is admitted.

What Kueue's controller for concurrent admission does to a parent and its variants whenever one
of them changes. See KEP-8691.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from kueuelab.manifests.jobs.names import variant_name
from kueuelab.model import ClusterQueue, ConcurrentAdmissionPolicy, OwnerReference, WorkloadStatus
from kueuelab.model.times import SECOND, to_seconds
from kueuelab.queues import is_admissible
from kueuelab.simulation import status
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import create_workload, delete_workload
from kueuelab.simulation.eviction import release_quota
from kueuelab.simulation.objects import with_defaults
from kueuelab.simulation.reconcile import finish, set_active
from kueuelab.trace.steps import Admitted, Evicted, TimerFired, VariantCreated
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import (
    ALLOWED_FLAVORS,
    PARENT_LABEL,
    VARIANT_GATE,
    flavor_of,
    is_labelled_parent,
)

__all__ = ["reconcile_next_family"]

#: How long one variant may try to preempt before the next one may, too.
_PREEMPTION_TIMEOUT: Final = 300 * SECOND


@dataclass(frozen=True, slots=True)
class _Family:
    """A parent, its variants in order of preference, and the flavors of its ClusterQueue."""

    parent: WorkloadState
    variants: list[WorkloadState]
    flavors: tuple[str, ...]
    policy: ConcurrentAdmissionPolicy

    @property
    def admitted(self) -> WorkloadState | None:
        """The first variant that is admitted."""
        return next((each for each in self.variants if each.is_admitted), None)

    def rank(self, variant: WorkloadState) -> int:
        """Return the place of the flavor of a variant, 0 for the most preferred one."""
        return self.flavors.index(flavor_of(variant.obj))

    @property
    def last_rank(self) -> int | None:
        """The place of the last flavor that the workload may migrate to, if it is limited."""
        last = self.policy.last_acceptable_flavor
        return self.flavors.index(last) if last in self.flavors else None


def reconcile_next_family(plane: ControlPlane) -> None:
    """Reconcile the next workload that has variants, if any waits for it."""
    if plane.families_todo:
        key = next(iter(plane.families_todo))
        del plane.families_todo[key]
        _reconcile(plane, key)


def _reconcile(plane: ControlPlane, key: str) -> None:
    timer = ("family", key)
    plane.clock.cancel(timer)
    parent = plane.workloads.get(key)
    if parent is None:
        return
    _, queue = plane.queue_of(parent)
    if queue is None or not queue.spec.resource_groups or not is_labelled_parent(parent.obj):
        return
    family = _family(plane, parent, queue.spec)
    if _parent_is_evicted(plane, family):
        return
    _deactivate_variants(plane, family)
    _activate_variants(plane, family)
    _sync_admission(plane, family)
    wait = _open_gate(plane, family)
    if wait > 0:
        # No closure, so that a cluster can be copied while timers run.
        plane.clock.set_timer(timer, plane.clock.now + wait, partial(_fire, plane, key))


def _fire(plane: ControlPlane, key: str) -> None:
    if plane.recorder is not None:
        plane.record(TimerFired("preemptionGate"), key)
    plane.families_todo[key] = None


# --- which variants there are ----------------------------------------------------------


def _family(plane: ControlPlane, parent: WorkloadState, queue: ClusterQueue) -> _Family:
    """Create the variants that are missing, delete those without a flavor, return the others."""
    flavors = tuple(flavor.name for flavor in queue.resource_groups[0].flavors)
    known = plane.variants_of(parent)
    have = {flavor_of(variant.obj) for variant in known}
    for flavor in flavors:
        if flavor not in have:
            variant = _create_variant(plane, parent, flavor)
            message = f'Variant Workload "{variant.key}" created'
            plane.emit("Normal", "CreatedVariant", message, parent.key)
    kept = []
    for variant in known:
        flavor = flavor_of(variant.obj)
        if flavor in flavors:
            kept.append(variant)
            continue
        delete_workload(plane, variant)
        message = (
            f'Variant Workload "{variant.key}" deleted; flavor "{flavor}" no longer in ClusterQueue'
        )
        plane.emit("Normal", "DeletedVariant", message, parent.key)
    kept.sort(key=lambda variant: flavors.index(flavor_of(variant.obj)))
    policy = queue.concurrent_admission or ConcurrentAdmissionPolicy()
    return _Family(parent, kept, flavors, policy)


def _create_variant(plane: ControlPlane, parent: WorkloadState, flavor: str) -> WorkloadState:
    written = plane.written(parent)
    meta = written.metadata
    owner = OwnerReference("kueue.x-k8s.io/v1beta2", "Workload", meta.name, meta.uid, True)
    gates = written.preemption_gates
    variant = replace(
        written,
        metadata=replace(
            meta,
            name=variant_name(meta.name, meta.uid, flavor, short=plane.gates["ShortWorkloadNames"]),
            uid="",
            labels={name: value for name, value in meta.labels.items() if name != PARENT_LABEL},
            annotations={**meta.annotations, ALLOWED_FLAVORS: flavor},
            creation_timestamp=None,
            generation=1,
            owner_references=(owner,),
        ),
        preemption_gates=gates if VARIANT_GATE in gates else (*gates, VARIANT_GATE),
        status=WorkloadStatus(),
    )
    state = create_workload(plane, with_defaults(variant, plane.now))
    if plane.recorder is not None:
        plane.record(VariantCreated(parent.key, flavor), state.key)
    return state


# --- which variants compete ------------------------------------------------------------


def _parent_is_evicted(plane: ControlPlane, family: _Family) -> bool:
    """Evict the parent of a variant that is evicted; tell whether it still holds quota.

    Once the parent lost its quota, the variant loses its own.
    """
    parent = family.parent
    for variant in family.variants:
        if not (variant.is_evicted and variant.has_quota_reservation):
            continue
        if not parent.has_quota_reservation:
            release_quota(plane, variant)
            return False
        if not parent.is_evicted:
            _evict_parent(plane, parent, "VariantEvicted", "Admitted variant was evicted")
        return True
    return False


def _evict_parent(plane: ControlPlane, parent: WorkloadState, reason: str, message: str) -> None:
    if parent.set_condition("Evicted", "True", reason, message, plane.now):
        plane.changed(parent.key)
        if plane.recorder is not None:
            plane.record(Evicted(reason, message), parent.key)


def _deactivate_variants(plane: ControlPlane, family: _Family) -> None:
    """Deactivate the variants that lost: those that the workload may not migrate to."""
    if not family.parent.active:
        message = f'Parent Workload "{family.parent.key}" not active'
        _deactivate(plane, family, message, lambda variant: True)
        return
    admitted = family.admitted
    if admitted is None:
        return
    if family.policy.mode == "RetainFirstAdmission":
        message = f'RetainFirstAdmission: another Variant "{admitted.key}" is admitted'
        _deactivate(plane, family, message, lambda variant: variant is not admitted)
        return
    last, rank = family.last_rank, family.rank(admitted)
    if last is not None:
        message = (
            f'being below lastAcceptableFlavor: "{family.policy.last_acceptable_flavor}" '
            f'and another Variant admitted "{admitted.key}"'
        )
        _deactivate(
            plane,
            family,
            message,
            lambda variant: variant is not admitted and family.rank(variant) > last,
        )
    message = f'being lower priority than admitted Variant "{admitted.key}"'
    _deactivate(plane, family, message, lambda variant: family.rank(variant) > rank)


def _deactivate(
    plane: ControlPlane, family: _Family, message: str, matches: Callable[[WorkloadState], bool]
) -> None:
    for variant in filter(matches, family.variants):
        if variant.active:
            set_active(plane, variant, False)
            text = f"Variant Workload deactivated due to {message}"
            plane.emit("Normal", "DeactivatedVariant", text, variant.key)
        if variant.is_evicted and variant.has_quota_reservation:
            release_quota(plane, variant)


def _activate_variants(plane: ControlPlane, family: _Family) -> None:
    """Activate the variants that compete: all, or those that an admitted one may migrate to."""
    admitted, policy = family.admitted, family.policy
    if not family.parent.active:
        return
    if admitted is None:
        _activate(plane, family.variants, "no other Variant being admitted")
        return
    if policy.mode == "RetainFirstAdmission":
        return
    better = family.variants[: family.variants.index(admitted)]
    message = f'being higher priority than admitted Variant "{admitted.key}"'
    last = family.last_rank
    if last is not None:
        better = [variant for variant in better if family.rank(variant) <= last]
        message = (
            f'being at least lastAcceptableFlavor: "{policy.last_acceptable_flavor}" '
            f'and higher priority than admitted Variant "{admitted.key}"'
        )
    _activate(plane, better, message)


def _activate(plane: ControlPlane, variants: list[WorkloadState], message: str) -> None:
    for variant in variants:
        if not variant.active:
            set_active(plane, variant, True)
            text = f"Variant Workload activated due to {message}"
            plane.emit("Normal", "ActivatedVariant", text, variant.key)


# --- parent and variants in step -------------------------------------------------------


def _sync_admission(plane: ControlPlane, family: _Family) -> None:
    """Let the parent be admitted if a variant is, and the variants finish if the parent did."""
    parent, admitted = family.parent, family.admitted
    if parent.is_finished:
        finished = parent.conditions["Finished"]
        for variant in family.variants:
            if not variant.is_finished:
                finish(plane, variant, finished.reason, finished.message)
        return
    if admitted is None:
        if parent.is_admitted:
            _evict_parent(plane, parent, "ConcurrentAdmission", "No variant is running")
        return
    ready = parent.conditions.get("PodsReady")
    if ready is not None and admitted.set_condition(
        ready.type, ready.status, ready.reason, ready.message, ready.last_transition_time
    ):
        plane.changed(admitted.key)
    if not parent.is_admitted and admitted.admission is not None:
        status.reserve_quota(parent, admitted.admission, plane.now)
        message = f"The variant {admitted.obj.name} is admitted"
        parent.set_condition("Admitted", "True", "Admitted", message, plane.now)
        plane.changed(parent.key)
        if plane.recorder is not None:
            plane.record(Admitted(), parent.key)


# --- preemption gates ------------------------------------------------------------------


def _open_gate(plane: ControlPlane, family: _Family) -> int:
    """Let the next variant preempt, if it is time to; return when to look again."""
    competing = [each for each in family.variants if is_admissible(each, plane.gates)]
    candidate = _next_to_preempt(competing)
    if candidate is None:
        return 0
    opened = [plane.gates_opened.get(each.key, plane.start) for each in competing if _is_open(each)]
    if opened:
        wait = max(opened) + _PREEMPTION_TIMEOUT - plane.clock.now
        if wait > 0:
            return wait
    candidate.preemption_gates = {**candidate.preemption_gates, VARIANT_GATE: "Open"}
    plane.gates_opened[candidate.key] = to_seconds(plane.now)
    plane.changed(candidate.key)
    message = f'Opened preemption gate for variant workload "{candidate.key}"'
    plane.emit("Normal", "PreemptionUngatedVariant", message, candidate.key)
    return _PREEMPTION_TIMEOUT


def _is_open(variant: WorkloadState) -> bool:
    return variant.preemption_gates.get(VARIANT_GATE) == "Open"


def _next_to_preempt(competing: list[WorkloadState]) -> WorkloadState | None:
    """Return the most preferred variant that only its gate keeps from preempting.

    None is, as long as a more preferred one was not tried yet.
    """
    for variant in competing:
        if _is_open(variant):
            continue
        if variant.condition_is("BlockedOnPreemptionGates", "True"):
            return variant
        if "QuotaReserved" not in variant.conditions:
            return None
    return None
