"""Whether a workload belongs into a queue, and until when it backs off."""

from __future__ import annotations

from typing import Final

from kueuelab.model import FeatureGates
from kueuelab.workload import WorkloadState

__all__ = ["ALWAYS", "NEVER", "backs_off_until", "gated_by", "is_admissible", "is_on_hold"]

#: A time that never comes: such a back-off ends only with a change of the workload.
NEVER: Final = 2**63 - 1
#: A time that has always come: there is no back-off. 0 is a time like others, that of 1970.
ALWAYS: Final = -(2**63)

_ADMISSION_GATED_BY: Final = "kueue.x-k8s.io/admission-gated-by"


def is_on_hold(workload: WorkloadState) -> bool:
    """Tell whether a job integration keeps a workload out of the queue."""
    quota = workload.conditions.get("QuotaReserved")
    return quota is not None and quota.status == "False" and quota.reason == "OnHold"


def gated_by(workload: WorkloadState, gates: FeatureGates) -> str:
    """Return what gates a workload's admission, ``""`` if nothing does."""
    annotations = workload.obj.metadata.annotations
    if not annotations or not gates["AdmissionGatedBy"]:
        return ""
    return annotations.get(_ADMISSION_GATED_BY, "")


def is_admissible(workload: WorkloadState, gates: FeatureGates) -> bool:
    """Tell whether a workload may queue for quota.

    It may not while it is inactive, finished, on hold, gated by an annotation, waits for
    replacement pods, or has its quota already.
    """
    if not workload.active or workload.has_quota_reservation or workload.is_finished:
        return False
    if workload.conditions and (
        is_on_hold(workload) or workload.condition_is("WaitingForReplacementPods", "True")
    ):
        return False
    return not gated_by(workload, gates)


def backs_off_until(workload: WorkloadState) -> int:
    """Return the time before which a workload must not be tried again.

    As long as its condition ``Requeued`` is false that is :data:`NEVER`; where there is no
    back-off it is :data:`ALWAYS`.
    """
    requeued = workload.requeued
    if requeued is not None and requeued.status == "False":
        return NEVER
    state = workload.requeue_state
    return ALWAYS if state is None or state.requeue_at is None else state.requeue_at
