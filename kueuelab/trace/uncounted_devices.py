"""Whether Kueue could not count the devices that a workload claims (KEP-2941)."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.trace.reading import WorkloadView

__all__ = ["UncountedDevices", "uncounted_devices"]

#: What Kubernetes' errors say where trying again may help.
_MAY_GO_AWAY = ": Internal error: "


@dataclass(frozen=True, slots=True)
class UncountedDevices:
    """Why the devices are not counted, in Kueue's words.

    ``is_retried`` is whether Kueue tries again by itself; else only a change of the Workload
    makes it look again.
    """

    message: str
    is_retried: bool


def uncounted_devices(view: WorkloadView) -> UncountedDevices | None:
    """Return why a pending workload's devices are not counted, ``None`` if that is not so.

    Kueue writes both conditions with this reason for that alone, and does not queue it then.
    """
    reserved, requeued = view.condition("QuotaReserved"), view.condition("Requeued")
    if view.place or requeued.status != "False" or requeued.reason != "Inadmissible":
        return None
    if reserved.status != "False" or reserved.reason not in ("Inadmissible", "Misconfigured"):
        return None
    return UncountedDevices(reserved.message, _MAY_GO_AWAY in reserved.message)
